//! Addresses, ports and their ranges.

use std::net::{IpAddr, Ipv4Addr};

use super::texts::required;
use super::{Verdict, Violation};

/// The largest number of addresses in one range: a range becomes that many cards.
pub const MAX_SPAN: u32 = 65_536;

/// A port: 1 to 65535.
pub fn port(value: i64) -> Verdict<u16> {
    match u16::try_from(value) {
        Ok(port) if port > 0 => Ok(port),
        _ => Err(Violation::new("port.range")),
    }
}

/// An IPv4 address: four numbers from 0 to 255 without leading zeros.
pub fn ipv4(text: &str) -> Verdict<Ipv4Addr> {
    required(text)?;
    text.parse().map_err(|_| Violation::new("ip.format"))
}

/// A part of a host's name, between two dots.
pub(super) fn is_label(label: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-';
    (1..=63).contains(&label.len()) && label.chars().all(is_part) && !label.starts_with('-') && !label.ends_with('-')
}

/// A host: a name of letters, digits and hyphens, or an IP address without brackets. No port belongs to it.
pub fn host(text: &str) -> Verdict {
    required(text)?;
    // What ends with a number is an address, which some resolvers read in octal and hexadecimal too.
    let ends_in_letters = |text: &str| {
        let last = text.rsplit('.').next().unwrap_or_default();
        last.starts_with(|c: char| c.is_ascii_alphabetic())
    };
    if text.parse::<IpAddr>().is_ok() || (text.split('.').all(is_label) && ends_in_letters(text)) {
        return Ok(());
    }
    Err(Violation::new("host.format"))
}

/// The end is greater than the start; at most [`MAX_SPAN`] addresses. Returns their number.
pub fn ip_range(start: &str, end: &str) -> Verdict<u32> {
    let (start, end) = (u32::from(ipv4(start)?), u32::from(ipv4(end)?));
    if end <= start {
        return Err(Violation::new("ip.endNotGreater"));
    }
    // `end - start` cannot wrap, and `+ 1` is safe below the cap.
    match end - start {
        distance if distance < MAX_SPAN => Ok(distance + 1),
        _ => Err(Violation::new("ip.spanTooLarge").with("max", MAX_SPAN)),
    }
}

/// The end is not less than the start. Returns the number of ports.
pub fn port_range(start: i64, end: i64) -> Verdict<u32> {
    let (start, end) = (port(start)?, port(end)?);
    match end.checked_sub(start) {
        Some(distance) => Ok(u32::from(distance) + 1),
        None => Err(Violation::new("port.endBeforeStart")),
    }
}

/// The address range and the port range of Android cards have the same size: the i-th address has the i-th port.
pub fn equal_span(start_ip: &str, end_ip: &str, start_port: i64, end_port: i64) -> Verdict<u32> {
    let addresses = ip_range(start_ip, end_ip)?;
    let ports = port_range(start_port, end_port)?;
    if addresses != ports {
        return Err(Violation::new("span.unequal").with("addresses", addresses).with("ports", ports));
    }
    Ok(addresses)
}
