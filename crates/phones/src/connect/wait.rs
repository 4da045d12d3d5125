//! How long somebody has to wait, as far as anybody can say: a rule without a database.

/// What is known of the cards of a pool, and of what was done there of late.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pool {
    /// Cards that wait for a phone, above those that are kept in reserve.
    pub free: i64,
    /// Seconds that it takes to put a phone on; none if none was of late.
    pub restore: Option<i64>,
    /// In how many seconds the take-offs that are under way give a card, the first one first.
    pub leave_in: Vec<i64>,
    /// Cards that phones have left within an hour.
    pub an_hour: i64,
    /// Half of those who waited have waited longer, in seconds.
    pub median: i64,
}

const HOUR: i64 = 3_600;

/// The seconds after which whoever is at `position` (from 1) is served. None if nothing is known.
#[must_use]
pub fn expected(position: i64, pool: &Pool) -> Option<i64> {
    let restore = pool.restore?;
    let behind = position - pool.free;
    if behind <= 0 {
        return Some(restore);
    }
    let at = usize::try_from(behind - 1).unwrap_or(usize::MAX);
    if let Some(left) = pool.leave_in.get(at) {
        return Some(left + restore);
    }
    if pool.an_hour == 0 {
        return None;
    }
    let known = i64::try_from(pool.leave_in.len()).unwrap_or(i64::MAX);
    let last = pool.leave_in.last().copied().unwrap_or(0);
    Some(last + (behind - known) * HOUR / pool.an_hour + restore)
}

#[cfg(test)]
mod tests {
    use super::{Pool, expected};

    #[test]
    fn it_is_the_restore_while_cards_are_free_then_what_leaves_and_then_the_rate() {
        let pool = Pool { free: 2, restore: Some(40), leave_in: vec![30, 90], an_hour: 60, median: 0 };
        let waits: Vec<_> = (1..=6).map(|position| expected(position, &pool)).collect();
        assert_eq!(waits, [Some(40), Some(40), Some(70), Some(130), Some(90 + 60 + 40), Some(90 + 120 + 40)]);
    }

    #[test]
    fn nothing_is_said_where_nothing_is_known() {
        assert_eq!(expected(1, &Pool { free: 3, ..Pool::default() }), None, "nobody was put on of late");
        let nobody_leaves = Pool { free: 1, restore: Some(40), ..Pool::default() };
        assert_eq!((expected(1, &nobody_leaves), expected(2, &nobody_leaves)), (Some(40), None));
    }
}
