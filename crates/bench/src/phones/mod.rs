//! Cloud phones: lists of a million of them, and what it costs to put them on simulated cards.

mod back;
mod door;
mod fill;
mod lists;
mod put_ons;
mod site;

use std::time::Duration;

use anyhow::ensure;

pub use fill::Size;
pub use lists::measure as measure_lists;
pub use put_ons::{BOOT_MS, measure as measure_put_ons};

use crate::report::time;

const PHONES: &str = "/api/phone/v1/phones";

/// What was measured, or why it was not: the table has no figure that nobody has seen.
fn told(found: anyhow::Result<String>) -> String {
    match found {
        Ok(figure) => figure,
        // A line of the table is one, and has its own bars.
        Err(error) => format!("not measured: {error:#}").replace(['|', '\n'], " "),
    }
}

/// The middle of some times, and what 95 of 100 do not exceed.
fn spread(mut times: Vec<Duration>) -> anyhow::Result<String> {
    ensure!(!times.is_empty(), "there was nothing to measure");
    times.sort_unstable();
    let late = (times.len() * 95).div_ceil(100) - 1;
    Ok(format!("{} / {}", time(times[times.len() / 2]), time(times[late])))
}
