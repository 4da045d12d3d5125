//! How long somebody has to wait, as far as anybody can say: a rule without a database.

/// How long things take in a pool, by what was done there of late: none of what was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pace {
    /// Seconds to put a phone on that brings nothing.
    pub blank: Option<i64>,
    /// The same of one that comes with a copy, but for bringing its data: installing apps, starting, looking.
    pub around: Option<i64>,
    /// Bytes of a copy that come on a card in a second.
    pub rate: Option<i64>,
    /// Seconds to wipe a card.
    pub wipe: Option<i64>,
}

impl Pace {
    /// The seconds that it takes to put a phone on that brings so many bytes, if any. None if nobody knows.
    #[must_use]
    pub fn put_on(&self, bytes: Option<i64>) -> Option<i64> {
        match bytes {
            // At most as long as with one of which the data is left out.
            None => self.blank.or(self.around),
            Some(bytes) => Some(self.around? + bytes / self.rate.filter(|rate| *rate > 0)?),
        }
    }
}

/// What is known of the cards of a pool, and of what was done there of late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Cards that wait for a phone, above those that are kept in reserve.
    pub free: i64,
    /// How many of them are clean. The others are wiped first.
    pub clean: i64,
    pub pace: Pace,
    /// In how many seconds the cards are clean that phones leave or that are being wiped, the first one first; none of those of
    /// which that is not known.
    pub ready_in: Vec<i64>,
    /// Cards that phones have left within an hour.
    pub an_hour: i64,
    /// Half of those who waited have waited longer, in seconds.
    pub median: i64,
}

const HOUR: i64 = 3_600;

/// The seconds after which whoever is at `position` (from 1) is served, with a phone that brings so many bytes, if any. None if
/// nothing is known.
#[must_use]
pub fn expected(position: i64, pool: &Pool, bytes: Option<i64>) -> Option<i64> {
    let put_on = pool.pace.put_on(bytes)?;
    if position <= pool.clean.min(pool.free) {
        return Some(put_on);
    }
    let behind = position - pool.free;
    if behind <= 0 {
        return Some(pool.pace.wipe? + put_on);
    }
    let at = usize::try_from(behind - 1).unwrap_or(usize::MAX);
    if let Some(left) = pool.ready_in.get(at) {
        return Some(left + put_on);
    }
    if pool.an_hour == 0 {
        return None;
    }
    let known = i64::try_from(pool.ready_in.len()).unwrap_or(i64::MAX);
    // Whoever leaves next leaves a card that has to be wiped.
    let last = pool.ready_in.last().copied().or(pool.pace.wipe)?;
    Some(last + (behind - known) * HOUR / pool.an_hour + put_on)
}

#[cfg(test)]
mod tests {
    use super::{Pace, Pool, expected};

    const PACE: Pace = Pace { blank: Some(40), around: Some(100), rate: Some(20_000_000), wipe: Some(300) };
    const GB_8: i64 = 8_000_000_000;

    #[test]
    fn it_is_the_put_on_while_clean_cards_are_free_then_what_comes_and_then_the_rate() {
        let pool = Pool { free: 2, clean: 2, pace: PACE, ready_in: vec![30, 90], an_hour: 60, median: 0 };
        let waits: Vec<_> = (1..=6).map(|position| expected(position, &pool, None)).collect();
        assert_eq!(waits, [Some(40), Some(40), Some(70), Some(130), Some(90 + 60 + 40), Some(90 + 120 + 40)]);
    }

    #[test]
    fn where_sealed_cards_alone_are_left_one_is_wiped_first() {
        let pool = Pool { free: 3, clean: 1, pace: PACE, ..Pool::default() };
        let waits: Vec<_> = (1..=4).map(|position| expected(position, &pool, None)).collect();
        assert_eq!(waits, [Some(40), Some(340), Some(340), None]);
        // What is kept in reserve is clean, and not for them.
        let reserved = Pool { free: 1, clean: 3, ..pool.clone() };
        assert_eq!(expected(2, &reserved, None), None);
        let never_wiped = Pool { pace: Pace { wipe: None, ..PACE }, ..pool };
        assert_eq!((expected(1, &never_wiped, None), expected(2, &never_wiped, None)), (Some(40), None));
        // Nobody leaves just now: whoever does leaves a card that has to be wiped as well.
        let full = Pool { pace: PACE, an_hour: 60, ..Pool::default() };
        assert_eq!(expected(1, &full, None), Some(300 + 60 + 40));
    }

    #[test]
    fn a_phone_takes_as_long_as_its_data_does() {
        let pool = Pool { free: 1, clean: 1, pace: PACE, ..Pool::default() };
        let waits = [None, Some(0), Some(GB_8 / 8), Some(GB_8)].map(|bytes| expected(1, &pool, bytes));
        assert_eq!(waits, [Some(40), Some(100), Some(150), Some(500)]);
    }

    #[test]
    fn nothing_is_said_where_nothing_is_known() {
        let pool = Pool { free: 3, clean: 3, ..Pool::default() };
        assert_eq!(expected(1, &pool, None), None, "nobody was put on of late");
        let blanks = Pool { pace: Pace { blank: Some(40), ..Pace::default() }, ..pool.clone() };
        assert_eq!(
            (expected(1, &blanks, None), expected(1, &blanks, Some(1))),
            (Some(40), None),
            "nothing was brought"
        );
        let copies = Pool { pace: Pace { blank: None, ..PACE }, ..pool };
        assert_eq!((expected(1, &copies, None), expected(4, &copies, None)), (Some(100), None), "nobody leaves");
    }
}
