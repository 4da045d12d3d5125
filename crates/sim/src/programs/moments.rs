//! How moments are written, and read.

use chrono::{DateTime, NaiveDateTime, TimeZone as _, Utc};

use crate::files::Moment;

/// A moment in the words of `date`; a format that is none comes back as it is.
#[must_use]
pub fn format(format: &str, moment: Moment) -> String {
    use std::fmt::Write as _;
    let Some(time) = Utc.timestamp_opt(moment.seconds, moment.nanos).single() else { return "?".into() };
    // chrono's own name for nanoseconds is another one.
    let own = format.replace("%N", "%f");
    let mut out = String::new();
    match write!(out, "{}", time.format(&own)) {
        Ok(()) => out,
        Err(_) => format.to_owned(),
    }
}

/// A moment from `@1700000000` or a date.
#[must_use]
pub fn parse(text: &str) -> Option<Moment> {
    if let Some(seconds) = text.strip_prefix('@') {
        let (whole, part) = seconds.split_once('.').unwrap_or((seconds, "0"));
        let nanos = format!("{part:0<9}").get(..9)?.parse().ok()?;
        return Some(Moment { seconds: whole.parse().ok()?, nanos });
    }
    let formats = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M"];
    let text = text.trim_end_matches('Z').trim_end_matches(" +0000");
    let time = formats.iter().find_map(|format| NaiveDateTime::parse_from_str(text, format).ok());
    let time = time.or_else(|| chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0))?;
    let time: DateTime<Utc> = time.and_utc();
    Some(Moment { seconds: time.timestamp(), nanos: time.timestamp_subsec_nanos() })
}

/// A moment from `YYYYMMDDhhmm.ss`.
#[must_use]
pub fn parse_stamp(text: &str) -> Option<Moment> {
    let (minutes, seconds) = text.split_once('.').unwrap_or((text, "00"));
    let time = NaiveDateTime::parse_from_str(&format!("{minutes}{seconds}"), "%Y%m%d%H%M%S").ok()?;
    Some(Moment::at(time.and_utc().timestamp()))
}
