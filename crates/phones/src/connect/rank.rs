//! Whose turn it is among those for whom somebody waits: a rule without a database.

use kernel::time::UtcTime;

/// A median wait up to which head starts are as they are, in seconds.
const USUAL: i64 = 600;

/// The rank of a phone for which somebody asks at `at`, with this head start in seconds, where half of those before have waited
/// `median` seconds of late: the smallest goes first. The longer people wait, the more head starts differ, and the longer what
/// nobody waits for gives way.
#[must_use]
pub fn rank(head: i64, at: UtcTime, median: i64) -> UtcTime {
    at.plus_seconds(-(head * median.max(USUAL) / USUAL))
}

/// The one in the middle; none of nothing.
pub fn median(mut of: Vec<i64>) -> Option<i64> {
    of.sort_unstable();
    of.get(of.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use entity::phone::Plan;
    use entity::rule_value::RuleField;
    use kernel::time::UtcTime;

    use super::{median, rank};
    use crate::rule::field::usual;

    const DAY: i64 = 86_400;
    const PLANS: [Plan; 3] = [Plan::Vip, Plan::Vvip, Plan::Svip];

    /// The head start of a plan where nobody has set one.
    fn head(plan: Plan) -> i64 {
        usual(RuleField::Head, plan)
    }

    /// `SplitMix64`.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, end: u64) -> i64 {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut x = self.0;
            x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            i64::try_from((x ^ (x >> 31)) % end).unwrap_or(0)
        }
    }

    /// Somebody of that day: when he asked, with which plan and head start, and when he was served.
    #[derive(Clone, Copy, Debug)]
    struct One {
        at: i64,
        plan: Plan,
        head: i64,
        served: i64,
    }

    /// A day of arrivals, half of them within two hours of the evening, and of cards that get free every `pace` seconds. The
    /// head starts follow the waits of the last hour, as they do in the product.
    fn day(seed: u64, pace: i64) -> Vec<One> {
        let mut dice = Dice(seed);
        let mut arrivals: Vec<(i64, Plan)> = (0..2000)
            .map(|_| {
                let at = if dice.below(2) == 0 { dice.below(86_400) } else { 72_000 + dice.below(7_200) };
                (at, PLANS[usize::try_from(dice.below(3)).unwrap_or(0)])
            })
            .collect();
        arrivals.sort_by_key(|(at, _)| *at);
        let (mut waiting, mut all, mut next, mut now) = (BTreeSet::new(), Vec::<One>::new(), 0, 0);
        while next < arrivals.len() || !waiting.is_empty() {
            now += pace;
            let lately =
                all.iter().filter(|one| one.served > now - 3600 && one.served >= 0).map(|one| one.served - one.at);
            let waits = median(lately.collect()).unwrap_or(0);
            while let Some((at, plan)) = arrivals.get(next).copied().filter(|(at, _)| *at <= now) {
                let rank = rank(head(plan), UtcTime(at * 1000), waits);
                waiting.insert((rank, all.len()));
                all.push(One { at, plan, head: at - rank.millis() / 1000, served: -1 });
                next += 1;
            }
            if let Some((_, first)) = waiting.pop_first() {
                all[first].served = now;
            }
            assert!(now < 20 * DAY, "it does not end");
        }
        all
    }

    #[test]
    fn over_a_day_nobody_is_overtaken_by_more_than_the_difference_of_heads() {
        for seed in 0..2 {
            // With cards to spare, just enough, and far too few for the evening.
            for pace in [20, 43, 60] {
                let all = day(seed, pace);
                let mut overtaken = 0;
                for (later, one) in all.iter().enumerate() {
                    for other in all[..later].iter().filter(|other| one.served < other.served && one.at > other.at) {
                        let (ahead, heads) = (one.at - other.at, one.head - other.head);
                        assert!(ahead <= heads, "seed {seed}, pace {pace}: {one:?} overtook {other:?}");
                        overtaken += 1;
                    }
                }
                assert!(overtaken > 0 || pace == 20, "seed {seed}, pace {pace}: it tries nothing");
                assert!(all.iter().all(|one| one.served >= one.at && one.head >= head(one.plan)), "seed {seed}");
            }
        }
    }

    #[test]
    fn two_minutes_are_the_most_that_a_plan_is_ahead_while_nobody_waits_long() {
        let at = |second: i64| UtcTime(second * 1000);
        assert!(rank(head(Plan::Svip), at(119), 0) < rank(head(Plan::Vip), at(0), 0));
        assert!(rank(head(Plan::Svip), at(121), 600) > rank(head(Plan::Vip), at(0), 600));
        assert!(rank(head(Plan::Vvip), at(59), 600) < rank(head(Plan::Vip), at(0), 600));
        assert!(
            rank(head(Plan::Svip), at(239), 1200) < rank(head(Plan::Vip), at(0), 1200),
            "twice the wait, twice the difference"
        );
        for plan in PLANS {
            // What an operator asks for: 15 minutes at most, which is the largest head start that nobody waits with.
            assert!(rank(head(plan), at(870), 0) < at(0).plus_seconds(-900), "{plan:?}");
        }
    }

    #[test]
    fn the_one_in_the_middle() {
        assert_eq!((median(vec![]), median(vec![7]), median(vec![9, 1, 5])), (None, Some(7), Some(5)));
    }
}
