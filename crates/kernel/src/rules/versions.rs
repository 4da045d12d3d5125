//! Versions of packages: their format and their order.

use std::cmp::Ordering;

use super::texts::required;
use super::{Verdict, Violation};

/// One to four numbers with dots, an optional suffix: `3.2.1`, `1.0.0.7`, `2.0-rc.1`.
pub fn version(text: &str) -> Verdict {
    required(text)?;
    let (numbers, suffix) = split(text);
    let parts: Vec<&str> = numbers.split('.').collect();
    let is_number = |part: &&str| {
        (1..=9).contains(&part.len())
            && part.bytes().all(|b| b.is_ascii_digit())
            && (*part == "0" || !part.starts_with('0'))
    };
    let is_suffix = |suffix: &str| {
        (1..=16).contains(&suffix.len()) && suffix.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
    };
    if parts.len() > 4 || !parts.iter().all(is_number) || !suffix.is_none_or(is_suffix) {
        return Err(Violation::new("version.format"));
    }
    Ok(())
}

/// The order of two valid versions. A missing number is 0, so `1.2` equals `1.2.0`; a suffix comes before the release.
pub fn compare_versions(left: &str, right: &str) -> Ordering {
    let ((left, left_suffix), (right, right_suffix)) = (split(left), split(right));
    let numbers = |text: &str| -> [u32; 4] {
        let mut parts = text.split('.').map(|part| part.parse().unwrap_or(0));
        std::array::from_fn(|_| parts.next().unwrap_or(0))
    };
    numbers(left).cmp(&numbers(right)).then_with(|| match (left_suffix, right_suffix) {
        (None, None) => Ordering::Equal,
        (None, Some(_)) => Ordering::Greater,
        (Some(_), None) => Ordering::Less,
        (Some(left), Some(right)) => left.cmp(right),
    })
}

fn split(text: &str) -> (&str, Option<&str>) {
    match text.split_once('-') {
        Some((numbers, suffix)) => (numbers, Some(suffix)),
        None => (text, None),
    }
}
