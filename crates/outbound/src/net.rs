//! Networks as people write them: `10.0.0.0/8`, `::1/128`, or a single address.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// All addresses with the same prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Net {
    address: IpAddr,
    bits: u8,
}

/// A text that is not a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no network; write it like 10.0.0.0/8 or 127.0.0.1")]
pub struct BadNet(String);

/// An address as a number, its leading bits first, and its length in bits.
fn number(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(address) => (u128::from(u32::from(address)), 32),
        IpAddr::V6(address) => (u128::from(address), 128),
    }
}

impl Net {
    /// 127.0.0.0/8, this machine on IPv4.
    pub const LOOPBACK: Self = Self { address: IpAddr::V4(Ipv4Addr::new(127, 0, 0, 0)), bits: 8 };

    /// The IPv4 networks that are not routed on the internet (RFC 1918, RFC 6598).
    pub const PRIVATE: [Self; 4] = [
        Self { address: IpAddr::V4(Ipv4Addr::new(10, 0, 0, 0)), bits: 8 },
        Self { address: IpAddr::V4(Ipv4Addr::new(172, 16, 0, 0)), bits: 12 },
        Self { address: IpAddr::V4(Ipv4Addr::new(192, 168, 0, 0)), bits: 16 },
        Self { address: IpAddr::V4(Ipv4Addr::new(100, 64, 0, 0)), bits: 10 },
    ];

    /// Whether it is an IPv4 network.
    #[must_use]
    pub const fn is_ip4(&self) -> bool {
        self.address.is_ipv4()
    }

    /// Whether the address is in it.
    #[must_use]
    pub fn contains(&self, address: IpAddr) -> bool {
        let ((ours, length), (theirs, same)) = (number(self.address), number(address));
        // A shift by the whole width is undefined in Rust; a network of length 0 contains everything of its kind.
        length == same && (ours ^ theirs).checked_shr(u32::from(length - self.bits)).unwrap_or(0) == 0
    }
}

impl FromStr for Net {
    type Err = BadNet;

    fn from_str(text: &str) -> Result<Self, BadNet> {
        let bad = || BadNet(text.to_owned());
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text, None),
        };
        let address: IpAddr = address.parse().map_err(|_| bad())?;
        let (_, length) = number(address);
        let bits = bits.map_or(Ok(length), |bits| bits.parse().map_err(|_| bad()))?;
        if bits > length {
            return Err(bad());
        }
        Ok(Self { address, bits })
    }
}

impl fmt::Display for Net {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.bits)
    }
}

impl Serialize for Net {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Net {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use super::Net;

    #[test]
    fn a_network_holds_what_begins_like_it() {
        for (net, inside, outside) in [
            ("127.0.0.0/8", "127.255.0.9", "128.0.0.1"),
            ("10.1.2.3", "10.1.2.3", "10.1.2.4"),
            ("0.0.0.0/0", "9.9.9.9", "::1"),
            ("::/0", "fe80::1", "1.1.1.1"),
            ("::1/128", "::1", "::2"),
            ("fd00::/8", "fdff::1", "fe00::1"),
        ] {
            let known: Net = net.parse().unwrap();
            assert!(known.contains(inside.parse().unwrap()), "{net} {inside}");
            assert!(!known.contains(outside.parse().unwrap()), "{net} {outside}");
        }
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in ["", "10.0.0.0/33", "::/129", "10.0.0/8", "10.0.0.0/", "10.0.0.0/-1", "localhost", "010.0.0.0/8"] {
            assert!(text.parse::<Net>().is_err(), "{text}");
        }
    }
}
