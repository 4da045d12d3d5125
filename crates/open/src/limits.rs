//! How often applications may call: so many times in a second, so many times in a day of the console's zone.
//!
//! It is counted in memory. The calls of the day are written down with the log, so that a restart forgives nobody more than
//! the last moment.

use std::collections::HashMap;

use base::app::App;
use chrono::{Datelike as _, Timelike as _};
use entity::OpenAppId;
use parking_lot::Mutex;

use crate::callers::Known;

/// Seconds of a day.
const DAY: u32 = 86_400;
const THOUSAND: i64 = 1000;

/// What an application has used up.
#[derive(Clone, Copy, Debug, Default)]
struct Used {
    /// Since the process started.
    second: u32,
    in_second: i32,
    day: i32,
    in_day: i64,
}

/// What an application has left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    pub in_second: i32,
    pub calls_today: i64,
    /// None if a day has no limit.
    pub in_day: Option<i64>,
}

/// What all of them have used up.
#[derive(Debug, Default)]
pub struct Limits(Mutex<HashMap<OpenAppId, Used>>);

impl Limits {
    /// Counts a call.
    ///
    /// # Errors
    /// The application has used up its second or its day: come back after so many seconds.
    pub fn admit(&self, app: &App, known: &Known) -> Result<Left, u64> {
        let local = app.clock.now().to_chrono().with_timezone(&app.config.zone());
        let day = local.num_days_from_ce();
        let second = app.clock.moment().seconds();
        let mut all = self.0.lock();
        let used = all.entry(known.app).or_insert_with(|| {
            let (day, in_day) = known.day;
            Used { day, in_day, ..Used::default() }
        });
        if used.day != day {
            (used.day, used.in_day) = (day, 0);
        }
        if used.second != second {
            (used.second, used.in_second) = (second, 0);
        }
        let most = known.per_day.map(|thousands| i64::from(thousands) * THOUSAND);
        if most.is_some_and(|most| used.in_day >= most) {
            return Err(u64::from(DAY.saturating_sub(local.num_seconds_from_midnight()).max(1)));
        }
        if used.in_second >= known.per_second {
            return Err(1);
        }
        used.in_second += 1;
        used.in_day += 1;
        Ok(Left {
            in_second: known.per_second - used.in_second,
            calls_today: used.in_day,
            in_day: most.map(|most| most - used.in_day),
        })
    }

    /// Counts what a call does more than one of, such as the events that it tells of: the next call may have to wait for it.
    pub fn charge(&self, app: OpenAppId, more: usize) {
        if let Some(used) = self.0.lock().get_mut(&app) {
            used.in_second = used.in_second.saturating_add(i32::try_from(more).unwrap_or(i32::MAX));
            used.in_day = used.in_day.saturating_add(i64::try_from(more).unwrap_or(i64::MAX));
        }
    }

    /// The day on which an application called last, and how many times, if it has since the start.
    pub fn day_of(&self, app: OpenAppId) -> Option<(i32, i64)> {
        self.0.lock().get(&app).map(|used| (used.day, used.in_day))
    }
}
