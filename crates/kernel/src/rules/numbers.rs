//! Whole numbers, decimal numbers and amounts. No floating point: a decimal number is read digit by digit.

use super::texts::required;
use super::{Verdict, Violation};

/// A whole number from `min` to `max`, both included.
///
/// The specification's ranges are 0-999, 1-999, 1-99999, 0-9999, 1-9999, 1-10000, 1-5000, 1-100, 1-30, 1-12, 1-10 and 1-9.
pub fn integer_between(value: i64, min: i64, max: i64) -> Verdict<i64> {
    if value < min || value > max {
        return Err(out_of_range(Violation::new("integer.range"), min, max));
    }
    Ok(value)
}

/// The same for a number that is written as text, in a form or in a spreadsheet.
pub fn integer_text_between(text: &str, min: i64, max: i64) -> Verdict<i64> {
    integer_between(whole_number(text)?, min, max)
}

/// Reads a whole number: digits without leading zeros, an optional minus, at most 15 digits.
///
/// A browser represents 15 digits exactly.
pub fn whole_number(text: &str) -> Verdict<i64> {
    required(text)?;
    let wrong = || Violation::new("integer.format");
    let digits = text.strip_prefix('-').unwrap_or(text);
    let fits = (1..=15).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && (digits == "0" || !digits.starts_with('0'))
        && text != "-0";
    if !fits {
        return Err(wrong());
    }
    text.parse().map_err(|_| wrong())
}

/// Reads a decimal number from `min` to `max` with at most `places` decimals, and returns it times 10^`places`.
///
/// The specification's "number 1 to 9.9" is `decimal_between(text, "1", "9.9", 2)`.
///
/// # Panics
/// When a bound is not itself a number with that many decimals: bounds are constants.
pub fn decimal_between(text: &str, min: &str, max: &str, places: usize) -> Verdict<i64> {
    let bound = |text: &str| scaled(text, places).expect("a bound is a number");
    let value = scaled(text, places)?;
    if value < bound(min) || value > bound(max) {
        return Err(out_of_range(Violation::new("number.range"), min, max));
    }
    Ok(value)
}

/// Reads an amount in yuan, from 0 to 99,999,999.99, and returns it in fen.
pub fn yuan(text: &str) -> Verdict<i64> {
    decimal_between(text, "0", "99999999.99", 2)
}

/// The digits of a decimal number as a whole number, `places` of them after the point.
fn scaled(text: &str, places: usize) -> Verdict<i64> {
    required(text)?;
    let wrong = || Violation::new("number.format");
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    let (whole, fraction) = match digits.split_once('.') {
        Some((_, "")) => return Err(wrong()),
        Some(parts) => parts,
        None => (digits, ""),
    };
    let all_digits = whole.bytes().chain(fraction.bytes()).all(|b| b.is_ascii_digit());
    // 11 digits before the point keep the scaled number exact in a browser too.
    let fits = (1..=11).contains(&whole.len()) && (whole == "0" || !whole.starts_with('0'));
    if !all_digits || !fits {
        return Err(wrong());
    }
    if fraction.len() > places {
        return Err(Violation::new("number.decimals").with("max", places));
    }
    let size: i64 = format!("{whole}{fraction:0<places$}").parse().map_err(|_| wrong())?;
    Ok(if negative { -size } else { size })
}

/// A priority: 1 to 100.
pub fn priority(value: i64) -> Verdict<i64> {
    integer_between(value, 1, 100)
}

/// The download speed limit: 1 to 1000.
pub fn download_speed(value: i64) -> Verdict<i64> {
    integer_between(value, 1, 1000).map_err(|_| out_of_range(Violation::new("speed.download"), 1, 1000))
}

/// The upload speed limit: 1 to 1000.
pub fn upload_speed(value: i64) -> Verdict<i64> {
    integer_between(value, 1, 1000).map_err(|_| out_of_range(Violation::new("speed.upload"), 1, 1000))
}

/// The event price of a package, in fen, is lower than its original price.
pub fn event_price(event: i64, original: i64) -> Verdict {
    if event < original { Ok(()) } else { Err(Violation::new("price.notLower")) }
}

/// The extra star coins of a package: blank or 0 means none, else at most 99999.
pub fn gift_count(text: &str) -> Verdict<Option<i64>> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    integer_text_between(text, 0, 99_999).map(|count| (count > 0).then_some(count))
}

fn out_of_range(violation: Violation, min: impl std::fmt::Display, max: impl std::fmt::Display) -> Violation {
    violation.with("min", min).with("max", max)
}
