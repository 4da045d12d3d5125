//! Whether a phone that is on a card leaves it now, by rule: a table, of which the first row that fits decides. Without a database.
//!
//! Apps that keep a phone on come with what says which they are.

use entity::phone::Life;
use entity::phone_session::SessionEnd;
use entity::rule_value::{RuleField, YearCardOffline};
use kernel::time::UtcTime;
use wire::Reason;

use super::moment::Moment;
use super::resolve::Rules;
use super::values::Night;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;
/// Who was ended for playing too long at a time comes back after so many seconds.
pub const PAUSE: i64 = 600;
/// Days bought in one piece from which on a phone is a year card.
pub const YEAR: i32 = 360;

/// How a phone is used, or was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    /// Since when somebody uses it; none if nobody does.
    pub since: Option<UtcTime>,
    /// The last day on which it was used, as the room counts days, and for how many seconds, without the present use.
    pub last_day: (i64, i64),
    /// Since when nobody uses it: from the last end of a use, or from when it came on the card.
    pub idle_since: UtcTime,
    /// How many seconds the last session took that is over. Uses with breaks shorter than [`PAUSE`] between them are one session:
    /// nobody goes on for ever by connecting anew.
    pub last_s: i64,
    /// When it ended.
    pub last_at: UtcTime,
    /// Somebody connects to it, and is not there yet.
    pub is_awaited: bool,
}

impl Use {
    /// For how many seconds it was used since the day has begun, without the present use. The same number may be another day where
    /// the phone has got a room in another zone.
    fn today_s(&self, now: Moment) -> i64 {
        let (day, seconds) = self.last_day;
        if day == now.day() && now.day_began() <= self.last_at { seconds } else { 0 }
    }

    /// What the present session took before its present use began.
    const fn before_s(&self, since: UtcTime) -> i64 {
        if since.seconds_since(self.last_at) < PAUSE { self.last_s } else { 0 }
    }
}

/// What ends the present use of a phone, and when: what comes first of its limits. None if it has none within sight.
#[must_use]
pub fn ends_at(rules: &Rules, used: Use, now: Moment) -> Option<(UtcTime, SessionEnd)> {
    let since = used.since?;
    let longest = since.plus_seconds(rules.number(RuleField::LongestSession) * MINUTE - used.before_s(since));
    let hours = rules.number(RuleField::DailyHours);
    // A whole day is no limit: the next one begins.
    let left = hours * HOUR - used.today_s(now) - now.at.seconds_since(since.max(now.day_began()));
    let daily = (hours < 24).then(|| (now.at.plus_seconds(left.max(0)), SessionEnd::DailyHours));
    let begins = |night: Night| if night.has(now) { now.at } else { night.next(now) };
    let night = rules.night_close().map(|night| (begins(night), SessionEnd::NightClose));
    let all = [Some((longest, SessionEnd::LongestSession)), daily, night];
    all.into_iter().flatten().min_by_key(|(at, _)| *at)
}

/// What decides whether a phone leaves its card.
#[derive(Clone, Debug)]
pub struct Facts<'a> {
    /// Something is being done to it.
    pub is_busy: bool,
    /// Why its card, or what would keep its copy, is out of reach.
    pub unreachable: Option<Reason>,
    pub life: Life,
    pub rules: &'a Rules,
    pub used: Use,
    /// Days bought in one piece.
    pub term: i32,
    /// It has its card for itself.
    pub is_dedicated: bool,
    /// Somebody waits for a card like its own, of which no more are free than are kept in reserve, and of those that could leave
    /// it was idle for longest.
    pub is_needed: bool,
}

/// Why a phone stays where it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stays {
    Busy,
    Unreachable(Reason),
    /// Somebody uses it.
    Streaming,
    /// Whoever used it may come back, or is about to.
    Grace,
    /// It was promised to stay.
    Guaranteed,
    NotYet,
}

/// Whether a phone leaves its card now, and why or why not: of the rows of the table, the first that fits.
///
/// # Errors
/// Why it stays.
pub fn off_now(facts: &Facts<'_>, now: Moment) -> Result<SessionEnd, Stays> {
    let Facts { is_busy, unreachable, life, rules, used, term, is_dedicated, is_needed } = facts;
    if *is_busy {
        return Err(Stays::Busy);
    }
    if let Some(why) = unreachable {
        return Err(Stays::Unreachable(*why));
    }
    match life {
        Life::Frozen | Life::Released => return Ok(SessionEnd::NotAllowed),
        // Nobody may use it any more, and whoever did was told before.
        Life::Expired => return Ok(SessionEnd::Expired),
        Life::Creating | Life::Active | Life::Erased => {}
    }
    if used.since.is_some() {
        return match ends_at(rules, *used, now) {
            // A use of a card of its own ends as any other, and the phone stays.
            Some((at, why)) if at <= now.at && !is_dedicated => Ok(why),
            _ => Err(Stays::Streaming),
        };
    }
    let idle = now.at.seconds_since(used.idle_since);
    if used.is_awaited || idle < rules.number(RuleField::ReconnectGrace) * MINUTE {
        return Err(Stays::Grace);
    }
    let night = rules.night_close().is_some_and(|night| night.has(now));
    let is_year = *term >= YEAR;
    let is_promised = is_year
        && match rules.year_card_offline() {
            YearCardOffline::Never => true,
            YearCardOffline::AtNight => !night,
            YearCardOffline::AsOthers => false,
        };
    if *is_dedicated || is_promised {
        return Err(Stays::Guaranteed);
    }
    if *is_needed {
        return Ok(SessionEnd::Needed);
    }
    if night {
        return Ok(SessionEnd::NightClose);
    }
    let minutes = rules.number(RuleField::IdleMinutes);
    if minutes > 0 && idle >= minutes * MINUTE { Ok(SessionEnd::Idle) } else { Err(Stays::NotYet) }
}

/// Why nobody may begin to use a phone just now, and from when on he may. Whoever uses it does not begin anew once his time is up.
#[must_use]
pub fn closed(rules: &Rules, used: Use, now: Moment) -> Option<(UtcTime, SessionEnd)> {
    if let Some(ends) = rules.night_close().and_then(|night| night.ends(now)) {
        return Some((ends, SessionEnd::NightClose));
    }
    let over = ends_at(rules, used, now).filter(|(at, _)| *at <= now.at).map(|(_, why)| why);
    let hours = rules.number(RuleField::DailyHours);
    if hours < 24 && (used.today_s(now) >= hours * HOUR || over == Some(SessionEnd::DailyHours)) {
        return Some((now.day_ends(), SessionEnd::DailyHours));
    }
    if over.is_some() {
        return Some((now.at.plus_seconds(PAUSE), SessionEnd::LongestSession));
    }
    let pause = used.last_at.plus_seconds(PAUSE);
    let is_long = used.last_s >= rules.number(RuleField::LongestSession) * MINUTE;
    (is_long && used.since.is_none() && now.at < pause).then_some((pause, SessionEnd::LongestSession))
}

#[cfg(test)]
#[path = "off_tests.rs"]
mod tests;
