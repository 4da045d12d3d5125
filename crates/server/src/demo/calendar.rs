//! When customers register and sign in: more in the evening, more at weekends, more every month.

use base::demo::Random;
use kernel::time::UtcTime;

/// How busy each hour of the day is.
const HOURS: [f64; 24] = [
    3.0, 2.0, 1.0, 0.7, 0.5, 0.6, 1.2, 2.2, 3.4, 4.2, 4.6, 5.0, 6.2, 5.2, 4.6, 4.4, 4.6, 5.0, 6.4, 7.8, 8.6, 8.2, 6.6,
    4.4,
];
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// The demo company is in China, whose clocks do not change.
const ZONE: i64 = 8 * HOUR;
/// Eighteen months.
pub const DAYS: usize = 548;

/// The share of cards that have a user at an instant, from a quarter at night to most of them on a Saturday evening.
pub fn busy(at: UtcTime) -> f64 {
    let local = at.millis() + ZONE;
    let hour = usize::try_from(local.rem_euclid(DAY) / HOUR).unwrap_or(0);
    let within = (local.rem_euclid(HOUR)) as f64 / HOUR as f64;
    let level = HOURS[hour] + (HOURS[(hour + 1) % 24] - HOURS[hour]) * within;
    let weekend = if is_weekend(local.div_euclid(DAY)) { 1.08 } else { 1.0 };
    ((0.24 + 0.56 * level / 8.6) * weekend).min(0.88)
}

fn is_weekend(days_since_epoch: i64) -> bool {
    // The first of January 1970 was a Thursday.
    matches!((days_since_epoch + 4) % 7, 0 | 6)
}

/// The last eighteen months, up to now.
#[derive(Debug)]
pub struct Calendar {
    now: i64,
    /// Midnight at the start of today.
    today: i64,
    /// Work done by the end of each day, as a share of the whole.
    until: Vec<f64>,
}

impl Calendar {
    pub fn new(now: UtcTime) -> Self {
        let now = now.millis();
        let today = (now + ZONE).div_euclid(DAY) * DAY - ZONE;
        let mut sum = 0.0;
        let mut until: Vec<f64> = (0..DAYS)
            .map(|day| {
                let back = i64::try_from(DAYS - 1 - day).unwrap_or(0);
                let days_since_epoch = (today + ZONE) / DAY - back;
                let weekend = is_weekend(days_since_epoch);
                let growth = 0.4 + 1.2 * day as f64 / DAYS as f64;
                let share = if back == 0 { share_of_day(now - today) } else { 1.0 };
                sum += growth * if weekend { 1.3 } else { 1.0 } * share;
                sum
            })
            .collect();
        for share in &mut until {
            *share /= sum;
        }
        Self { now, today, until }
    }

    /// The moment by which the fraction `part` of all registrations has happened.
    pub fn registration(&self, part: f64) -> UtcTime {
        let day = self.until.partition_point(|until| *until <= part).min(DAYS - 1);
        let before = if day == 0 { 0.0 } else { self.until[day - 1] };
        let within = (part - before) / (self.until[day] - before);
        UtcTime(self.in_day(DAYS - 1 - day, within).min(self.now))
    }

    /// Some moment `days_back` days ago (0 is today), by the rhythm of the day.
    pub fn visit(&self, days_back: usize, random: &mut Random) -> UtcTime {
        UtcTime(self.in_day(days_back, random.fraction()))
    }

    /// The moment of that day by which the fraction `part` of it is done.
    fn in_day(&self, days_back: usize, part: f64) -> i64 {
        let part = if days_back == 0 { part * share_of_day(self.now - self.today) } else { part };
        let begin = self.today - i64::try_from(days_back).unwrap_or(0) * DAY;
        let whole: f64 = HOURS.iter().sum();
        let mut left = part.clamp(0.0, 1.0) * whole;
        for (hour, weight) in (0_i64..).zip(HOURS) {
            if left < weight {
                return begin + hour * HOUR + (left / weight * HOUR as f64) as i64;
            }
            left -= weight;
        }
        begin + DAY - 1
    }
}

/// The fraction of a day's work that is done `ms` after its midnight.
fn share_of_day(ms: i64) -> f64 {
    let whole: f64 = HOURS.iter().sum();
    let hour = usize::try_from(ms / HOUR).unwrap_or(0).min(23);
    let done: f64 = HOURS[..hour].iter().sum();
    (done + HOURS[hour] * (ms % HOUR) as f64 / HOUR as f64) / whole
}
