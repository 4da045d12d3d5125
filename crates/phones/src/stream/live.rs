//! Which streams were heard of when: in memory alone, by the steady clock.

use std::collections::HashMap;

use entity::PhoneId;
use kernel::time::UtcTime;
use parking_lot::Mutex;

use super::id::StreamId;

/// A stream that was heard of within so many seconds goes on for certain: gateways speak every ten.
const FRESH: i64 = 30;
/// A stream of which its gateway has said nothing for so many seconds is silent: it was to speak twelve times. What that says of the
/// gateway is judged in `silence.rs`.
pub const SILENT: i64 = 120;
/// What was not heard of for so many seconds is forgotten here, which says no more than that it is silent.
const FORGOTTEN: i64 = 3600;

/// The streams that gateways have told of.
#[derive(Debug, Default)]
pub struct Streams(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    /// Of each phone the last one that was told of. A phone has one stream.
    heard: HashMap<PhoneId, Heard>,
    /// When what is old was forgotten last.
    swept: UtcTime,
}

/// What gateways have said of a stream.
#[derive(Clone, Copy, Debug)]
struct Heard {
    id: StreamId,
    /// When it was named last.
    named: UtcTime,
    /// When it was named last and went on. One that its gateway was told to end, and that it names still, is not silent.
    live: Option<UtcTime>,
}

impl Streams {
    /// A gateway tells of streams that go on.
    pub fn hear(&self, streams: impl IntoIterator<Item = (PhoneId, StreamId)>, steady: UtcTime) {
        let mut known = self.0.lock();
        for (phone, id) in streams {
            known.heard.insert(phone, Heard { id, named: steady, live: Some(steady) });
        }
        if known.swept.plus_seconds(FORGOTTEN) <= steady {
            known.swept = steady;
            known.heard.retain(|_, heard| steady < heard.named.plus_seconds(FORGOTTEN));
        }
    }

    /// A gateway names streams that it was told to end.
    pub fn name(&self, streams: impl IntoIterator<Item = (PhoneId, StreamId)>, steady: UtcTime) {
        let mut known = self.0.lock();
        for (phone, id) in streams {
            let live = known.heard.get(&phone).filter(|heard| heard.id == id).and_then(|heard| heard.live);
            known.heard.insert(phone, Heard { id, named: steady, live });
        }
    }

    /// A stream has ended.
    pub fn forget(&self, phone: PhoneId) {
        self.0.lock().heard.remove(&phone);
    }

    /// Whether a gateway has said of late that somebody uses the phone.
    #[must_use]
    pub fn is_live(&self, phone: PhoneId, steady: UtcTime) -> bool {
        let live = self.0.lock().heard.get(&phone).and_then(|heard| heard.live);
        live.is_some_and(|at| steady < at.plus_seconds(FRESH))
    }

    /// When a gateway has named the phone's stream last; none if none ever has, which may be since the console started.
    #[must_use]
    pub fn named(&self, phone: PhoneId) -> Option<UtcTime> {
        self.0.lock().heard.get(&phone).map(|heard| heard.named)
    }

    /// For how many seconds nobody has told of a phone's stream; none if nobody ever has, which may be since the console started.
    #[must_use]
    pub fn silent_for(&self, phone: PhoneId, steady: UtcTime) -> Option<i64> {
        self.named(phone).map(|at| steady.seconds_since(at))
    }
}

#[cfg(test)]
mod tests {
    use entity::{ConnectId, PhoneId};
    use kernel::time::UtcTime;

    use super::{StreamId, Streams};

    const PHONE: PhoneId = PhoneId(1);

    fn at(second: i64) -> UtcTime {
        UtcTime(second * 1000)
    }

    #[test]
    fn who_was_heard_of_of_late_is_live_and_who_never_was_is_not_silent_for_any_time() {
        let streams = Streams::default();
        assert_eq!((streams.is_live(PHONE, at(0)), streams.silent_for(PHONE, at(0))), (false, None));
        streams.hear([(PHONE, StreamId { connect: ConnectId(1), number: 1 })], at(10));
        assert!(streams.is_live(PHONE, at(39)) && !streams.is_live(PHONE, at(40)));
        assert_eq!(streams.silent_for(PHONE, at(70)), Some(60));
        streams.hear([], at(3700));
        assert_eq!(streams.silent_for(PHONE, at(3700)), None, "nothing is kept for ever");
    }

    #[test]
    fn one_that_its_gateway_is_told_to_end_and_names_still_is_neither_live_nor_silent() {
        let streams = Streams::default();
        let id = |number| StreamId { connect: ConnectId(1), number };
        streams.hear([(PHONE, id(1))], at(10));
        streams.name([(PHONE, id(1))], at(30));
        assert_eq!((streams.is_live(PHONE, at(39)), streams.is_live(PHONE, at(40))), (true, false));
        assert_eq!((streams.silent_for(PHONE, at(40)), streams.named(PHONE)), (Some(10), Some(at(30))));
        streams.hear([(PHONE, id(1))], at(41));
        streams.name([(PHONE, id(2))], at(42));
        assert!(!streams.is_live(PHONE, at(43)), "that was another one");
    }
}
