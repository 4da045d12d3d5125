//! Moments as tables have them.

use chrono::{Datelike as _, Offset as _, TimeZone as _, Timelike as _};
use chrono_tz::Tz;
use kernel::time::UtcTime;

/// `YYYY-MM-DD HH:mm:ss` in `zone`, appended to `to`. Exports write it a million times, so it is plain arithmetic
/// instead of a format string.
pub(super) fn push_time(to: &mut Vec<u8>, time: UtcTime, zone: Tz) {
    let local = zone.from_utc_datetime(&time.to_chrono().naive_utc());
    let mut two = |number: u32| to.extend([b'0' + (number / 10 % 10) as u8, b'0' + (number % 10) as u8]);
    let year = local.year().unsigned_abs();
    two(year / 100);
    two(year % 100);
    for (before, number) in [
        (b'-', local.month()),
        (b'-', local.day()),
        (b' ', local.hour()),
        (b':', local.minute()),
        (b':', local.second()),
    ] {
        to.push(before);
        to.extend([b'0' + (number / 10) as u8, b'0' + (number % 10) as u8]);
    }
}

/// The time as spreadsheets count it: days since 1899-12-30 in `zone`.
pub(super) fn serial_day(time: UtcTime, zone: Tz) -> f64 {
    let offset = zone.offset_from_utc_datetime(&time.to_chrono().naive_utc()).fix().local_minus_utc();
    // Whole seconds: a spreadsheet shows no more, and sums of fractions would not round back.
    let seconds = time.millis().div_euclid(1000) + i64::from(offset);
    seconds as f64 / 86_400.0 + 25_569.0
}
