//! Points in time.

use chrono::{NaiveDateTime, TimeZone};

use crate::time::UtcTime;

use super::texts::required;
use super::{Verdict, Violation};

/// The end is not before the start. The same instant is allowed.
pub fn not_before(start: UtcTime, end: UtcTime) -> Verdict {
    if end < start { Err(Violation::new("time.endBeforeStart")) } else { Ok(()) }
}

/// The chosen time is in the future.
pub fn after_now(chosen: UtcTime, now: UtcTime) -> Verdict {
    if chosen > now { Ok(()) } else { Err(Violation::new("time.notAfterNow")) }
}

/// Reads `YYYY-MM-DD HH:mm:ss`, written in the given zone.
pub fn date_time_text(text: &str, zone: &impl TimeZone) -> Verdict<UtcTime> {
    required(text)?;
    let wrong = || Violation::new("time.format");
    // chrono alone would accept `2026-1-5 7:3:9` and a leap second.
    let has_shape = text.len() == 19
        && text.bytes().zip("dddd-dd-dd dd:dd:dd".bytes()).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            mark => byte == mark,
        });
    if !has_shape || text.ends_with("60") || text.starts_with("0000") {
        return Err(wrong());
    }
    let local = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").map_err(|_| wrong())?;
    // The first of an hour that the clocks repeat; an hour that they skip does not exist.
    let instant = zone.from_local_datetime(&local).earliest().ok_or_else(wrong)?;
    Ok(UtcTime(instant.timestamp_millis()))
}

/// Reads a time of the day, `HH:mm` from `00:00` to `23:59`, as minutes since midnight.
pub fn day_time(text: &str) -> Verdict<i64> {
    required(text)?;
    let wrong = || Violation::new("time.ofDay");
    let two = |digits: &str| -> Option<i64> {
        let is_number = digits.len() == 2 && digits.bytes().all(|byte| byte.is_ascii_digit());
        if is_number { digits.parse().ok() } else { None }
    };
    let (hour, minute) = text.split_once(':').ok_or_else(wrong)?;
    match (two(hour), two(minute)) {
        (Some(hour @ 0..=23), Some(minute @ 0..=59)) => Ok(hour * 60 + minute),
        _ => Err(wrong()),
    }
}
