//! Days of the calendar, as whoever reads figures counts them.

use chrono::{Days, NaiveDate, TimeZone as _};
use chrono_tz::Tz;
use kernel::time::UtcTime;

/// The last `count` days in `zone`, oldest first, each with the moment it started.
#[must_use]
pub fn last_days(now: UtcTime, zone: Tz, count: u64) -> Vec<(NaiveDate, UtcTime)> {
    let today = now.to_chrono().with_timezone(&zone).date_naive();
    (0..count)
        .rev()
        .filter_map(|back| today.checked_sub_days(Days::new(back)))
        .map(|day| (day, begin_of(day, zone)))
        .collect()
}

/// When the day began that it is in `zone`.
#[must_use]
pub fn today(now: UtcTime, zone: Tz) -> UtcTime {
    begin_of(now.to_chrono().with_timezone(&zone).date_naive(), zone)
}

/// The first moment of a day. If clocks are put forward at midnight, it starts later.
fn begin_of(day: NaiveDate, zone: Tz) -> UtcTime {
    (0..24)
        .filter_map(|hour| day.and_hms_opt(hour, 0, 0))
        .find_map(|local| zone.from_local_datetime(&local).earliest())
        .map_or_else(UtcTime::default, |begin| UtcTime(begin.timestamp_millis()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use chrono_tz::America::Santiago;
    use chrono_tz::Asia::Shanghai;
    use kernel::time::UtcTime;

    use super::{last_days, today};

    #[test]
    fn days_begin_at_midnight_of_the_zone() {
        // Half past midnight in Shanghai is still yesterday in UTC.
        let now = UtcTime::parse_rfc3339("2026-11-19T16:30:00Z").unwrap();
        let days: Vec<_> =
            last_days(now, Shanghai, 2).iter().map(|(day, begin)| format!("{day} {}", begin.to_rfc3339())).collect();
        assert_eq!(days, ["2026-11-19 2026-11-18T16:00:00.000Z", "2026-11-20 2026-11-19T16:00:00.000Z"]);
        assert_eq!(today(now, Shanghai).to_rfc3339(), "2026-11-19T16:00:00.000Z");
    }

    #[test]
    fn a_day_without_a_midnight_begins_when_its_clocks_do() {
        // In Santiago the sixth of September 2026 begins at one o'clock.
        let now = UtcTime::parse_rfc3339("2026-09-06T12:00:00Z").unwrap();
        assert_eq!(last_days(now, Santiago, 1)[0].1.to_rfc3339(), "2026-09-06T04:00:00.000Z");
    }
}
