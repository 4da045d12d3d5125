//! Lists: how many, in which order, without duplicates.

use std::collections::BTreeSet;

use super::{Verdict, Violation};

/// At most `max` entries. Banners: 5; parameters of a banner: 10.
pub fn at_most(count: usize, max: usize) -> Verdict {
    if count > max {
        return Err(Violation::new("list.tooMany").with("max", max).with("count", count));
    }
    Ok(())
}

/// At least one entry: the indicators of an alarm recipient, the packages of a client, certificates.
pub fn at_least_one(count: usize) -> Verdict {
    if count == 0 { Err(Violation::new("list.empty")) } else { Ok(()) }
}

/// At most 5 options are recommended.
pub fn recommended(count: usize) -> Verdict {
    if count > 5 {
        return Err(Violation::new("recommended.tooMany").with("max", 5));
    }
    Ok(())
}

/// Every key is present and unique. Keys are case-sensitive.
pub fn unique_keys<'a>(keys: impl IntoIterator<Item = &'a str>) -> Verdict {
    let mut seen = BTreeSet::new();
    for key in keys {
        if key.trim().is_empty() {
            return Err(Violation::new("keys.blank"));
        }
        if !seen.insert(key) {
            return Err(Violation::new("keys.duplicate").with("key", key));
        }
    }
    Ok(())
}

/// The entry at `index` can move up: it is not the first.
pub fn move_up(index: usize) -> Verdict {
    if index == 0 { Err(Violation::new("list.first")) } else { Ok(()) }
}

/// The entry at `index` of `count` can move down: it is not the last.
pub fn move_down(index: usize, count: usize) -> Verdict {
    if index.saturating_add(1) >= count { Err(Violation::new("list.last")) } else { Ok(()) }
}
