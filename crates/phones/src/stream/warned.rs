//! Whose use is to end, by rule or since an operator takes the phone off, and since when he is told so: in memory alone, by the
//! steady clock.

use std::collections::HashMap;

use entity::PhoneId;
use kernel::time::UtcTime;
use parking_lot::Mutex;

/// How long before his use ends somebody is warned, in seconds. Whoever had no warning gets it then: a rule that was made stricter
/// a moment ago, or a clock that was set, ends no use at once.
pub const WARNED: i64 = 300;
/// Once a use is to be over, its gateway has so many seconds to end it by itself.
pub const ENDS_WITHIN: i64 = 60;
/// What was told so many seconds ago is forgotten: the use is over, or is told anew.
const FORGOTTEN: i64 = 3600;

/// Since when those are warned whose use is to end.
#[derive(Debug, Default)]
pub struct Warned(Mutex<HashMap<PhoneId, Told>>);

/// The same of those whose phones operators take off. A rule that has warned somebody some time ago does not shorten his time.
#[derive(Debug, Default)]
pub struct AskedOff(pub Warned);

#[derive(Clone, Copy, Debug)]
struct Told {
    /// Since when he uses the phone.
    since: UtcTime,
    at: UtcTime,
}

impl Warned {
    /// For how many seconds more somebody may use a phone who has used it since then and whose use is to end; below zero for how
    /// long he should not have any more. His time begins with the first question.
    pub fn left(&self, phone: PhoneId, since: UtcTime, steady: UtcTime) -> i64 {
        let mut known = self.0.lock();
        let told = known.entry(phone).or_insert(Told { since, at: steady });
        if told.since != since {
            *told = Told { since, at: steady };
        }
        WARNED - steady.seconds_since(told.at)
    }

    /// Whoever uses a phone could not be told, or is to be told anew: his time begins with the next question.
    pub fn forget(&self, phone: PhoneId) {
        self.0.lock().remove(&phone);
    }

    /// Forgets those who are warned for long.
    pub fn sweep(&self, steady: UtcTime) {
        self.0.lock().retain(|_, told| steady < told.at.plus_seconds(FORGOTTEN));
    }
}

#[cfg(test)]
mod tests {
    use entity::PhoneId;
    use kernel::time::UtcTime;

    use super::Warned;

    fn at(second: i64) -> UtcTime {
        UtcTime(second * 1000)
    }

    #[test]
    fn the_time_begins_with_the_first_question_about_a_use_and_anew_with_another_one() {
        let warned = Warned::default();
        let left = |since: i64, steady: i64| warned.left(PhoneId(1), at(since), at(steady));
        assert_eq!([left(5, 100), left(5, 399), left(5, 400), left(5, 460)], [300, 1, 0, -60]);
        assert_eq!([left(450, 460), left(450, 470)], [300, 290]);
        warned.forget(PhoneId(1));
        assert_eq!(left(450, 460), 300, "he could not be told");
        warned.sweep(at(4059));
        assert_eq!(left(450, 4059), -3299);
        warned.sweep(at(4060));
        assert_eq!(left(450, 4060), 300, "nothing is kept for ever");
    }
}
