//! How values are shown to people. The web has the same (`web/src/rules/format.ts`).

use std::borrow::Cow;
use std::fmt::Display;

use chrono::TimeZone;

use crate::lang::Lang;
use crate::time::UtcTime;

/// `YYYY-MM-DD HH:mm:ss` in the given zone.
pub fn date_time<Zone>(time: UtcTime, zone: &Zone) -> String
where
    Zone: TimeZone,
    Zone::Offset: Display,
{
    time.to_chrono().with_timezone(zone).format("%Y-%m-%d %H:%M:%S").to_string()
}

/// How long ago: `just now`, minutes, hours, `1 day ago`; from two days on, and for times to come, the date.
///
/// A time up to 30 seconds in the future counts as now: the clocks of two machines differ.
pub fn relative_time<Zone>(then: UtcTime, now: UtcTime, zone: &Zone, lang: Lang) -> String
where
    Zone: TimeZone,
    Zone::Offset: Display,
{
    const SECOND: i64 = 1000;
    const MINUTE: i64 = 60 * SECOND;
    const HOUR: i64 = 60 * MINUTE;
    const DAY: i64 = 24 * HOUR;
    let ago = |count: i64, zh: &str, en: &str| match lang {
        Lang::Zh => format!("{count}{zh}前"),
        Lang::En => format!("{count} {en}{} ago", if count == 1 { "" } else { "s" }),
    };
    let passed = now.millis().saturating_sub(then.millis());
    match passed {
        _ if passed <= -30 * SECOND || passed >= 2 * DAY => date_time(then, zone),
        _ if passed < 30 * SECOND => lang.pick("刚刚", "just now").to_owned(),
        _ if passed < HOUR => ago((passed / MINUTE).max(1), "分钟", "minute"),
        _ if passed < DAY => ago(passed / HOUR, "小时", "hour"),
        _ => ago(1, "天", "day"),
    }
}

/// A number with at most one decimal and k, M, G, T, P or E: `1.5k`. Below 1000 it stays whole.
pub fn abbreviate(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    let units = ["", "k", "M", "G", "T", "P", "E"];
    format!("{sign}{}", in_units(value.unsigned_abs(), 1000, &units))
}

/// A number of bytes with at most one decimal: `20 MB`. One KB is 1024 bytes.
pub fn byte_size(bytes: u64) -> String {
    in_units(bytes, 1024, &[" B", " KB", " MB", " GB", " TB", " PB", " EB"])
}

fn in_units(value: u64, step: u64, units: &[&str]) -> String {
    let value = u128::from(value);
    let mut size = 1_u128;
    let mut chosen = 0;
    // Tenths, rounded half up; a unit that rounds to a full step is replaced by the next.
    let tenths = |size: u128| (value * 10 + size / 2) / size;
    while chosen + 1 < units.len() && tenths(size) >= u128::from(step) * 10 {
        size *= u128::from(step);
        chosen += 1;
    }
    let (whole, tenth) = (tenths(size) / 10, tenths(size) % 10);
    if tenth == 0 { format!("{whole}{}", units[chosen]) } else { format!("{whole}.{tenth}{}", units[chosen]) }
}

/// An amount in fen as people write it: `¥1,234.56`, `-¥0.05`.
pub fn money(fen: i64) -> String {
    let size = fen.unsigned_abs();
    let sign = if fen < 0 { "-" } else { "" };
    format!("{sign}¥{}.{:02}", group_digits(&(size / 100).to_string()), size % 100)
}

/// A whole number with commas: `1,234,567`.
pub fn grouped(value: i64) -> String {
    let sign = if value < 0 { "-" } else { "" };
    format!("{sign}{}", group_digits(&value.unsigned_abs().to_string()))
}

fn group_digits(digits: &str) -> String {
    let mut out = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text as a CSV cell that no spreadsheet interprets as a formula: an apostrophe before `=`, `+`, `-`, `@`, tab, CR
/// or LF, and before the full-width signs that the Chinese Excel treats alike.
///
/// XLSX cells that are written as text need no such guard, and must not get it: it would be shown.
pub fn spreadsheet_text(text: &str) -> Cow<'_, str> {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}
