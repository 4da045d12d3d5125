//! What is known of a pool: read now and then, however many ask.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use entity::saga::SagaKind;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, PaginatorTrait as _};

use super::rank::median;
use super::wait::{Pace, Pool};
use crate::saga::{CardPool, Moved, Wiped, above_reserve, free_cards, leave_since, moved_since, wiped_since};

/// For so many seconds what was read is told.
const FRESH: i64 = 5;
const HOUR: i64 = 3_600;

/// Which cards.
type Of = CardPool<'static>;

/// What was read last, by the steady clock.
#[derive(Debug, Default)]
pub struct Pools(Mutex<HashMap<Of, (UtcTime, Pool)>>);

impl Pools {
    fn known(&self, of: Of, steady: UtcTime) -> Option<Pool> {
        let known = self.0.lock();
        known.get(&of).filter(|(at, _)| steady < at.plus_seconds(FRESH)).map(|(_, pool)| pool.clone())
    }
}

/// What is known of these cards.
///
/// # Errors
/// When a read fails.
pub async fn pool(app: &App, of: CardPool<'static>) -> Outcome<Pool> {
    let (pools, steady) = (app.part::<Pools>(), app.clock.steady());
    if let Some(pool) = pools.known(of, steady) {
        return Ok(pool);
    }
    let pool = read(app.db.read(), of, app.clock.now()).await?;
    pools.0.lock().insert(of, (steady, pool.clone()));
    Ok(pool)
}

async fn read(db: &impl ConnectionTrait, cards: CardPool<'_>, now: UtcTime) -> Outcome<Pool> {
    let lately = now.plus_seconds(-HOUR);
    let done = Done {
        moved: moved_since(db, cards, lately).await?,
        wiped: wiped_since(db, cards, lately).await?,
        leaves: leave_since(db, cards).await?,
    };
    let clean = free_cards(db, cards).await?.count(db).await?;
    let free = above_reserve(db, cards, clean).await?;
    let [clean, free] = [clean, free].map(|cards| i64::try_from(cards).unwrap_or(i64::MAX));
    Ok(Pool { clean, free, ..of(&done, now) })
}

/// What was done in a pool of late, and is being done.
struct Done {
    moved: Vec<Moved>,
    wiped: Vec<Wiped>,
    /// Since when phones are being taken off.
    leaves: Vec<UtcTime>,
}

fn of(done: &Done, now: UtcTime) -> Pool {
    let put_on = || done.moved.iter().filter(|one| one.kind == SagaKind::PutOn);
    let off = || done.moved.iter().filter(|one| one.kind == SagaKind::TakeOff);
    let waited = put_on().filter(|one| one.operation_id.is_none());
    let waits = median(waited.map(|one| began(one).seconds_since(one.enqueued_at)).collect());
    let pace = pace(done);
    let take_off = median(off().map(|one| one.ended_at.seconds_since(one.enqueued_at)).collect()).unwrap_or(0);
    // What is left of something that began then and usually takes so long.
    let left = |since: UtcTime, takes: i64| (takes - now.seconds_since(since)).max(0);
    let mut ready_in = Vec::new();
    if let Some(wipe) = pace.wipe {
        let wiping = done.wiped.iter().filter(|one| one.ended_at.is_none()).filter_map(|one| one.began_at);
        ready_in.extend(wiping.map(|since| left(since, wipe)));
        ready_in.extend(done.leaves.iter().map(|since| left(*since, take_off) + wipe));
    }
    ready_in.sort_unstable();
    let an_hour = i64::try_from(off().count()).unwrap_or(i64::MAX);
    Pool { free: 0, clean: 0, pace, ready_in, an_hour, median: waits.unwrap_or(0) }
}

fn began(one: &Moved) -> UtcTime {
    one.began_at.unwrap_or(one.ended_at)
}

/// How long things took. Who came back to his own card says nothing of others.
fn pace(done: &Done) -> Pace {
    let came = || done.moved.iter().filter(|one| one.kind == SagaKind::PutOn && one.proof.is_empty());
    let took = |one: &Moved| one.ended_at.seconds_since(began(one));
    // Bytes and milliseconds.
    let brought = |one: &Moved| Some((one.bytes?, one.brought_ms?));
    let blank = median(came().filter(|one| one.bytes.is_none()).map(took).collect());
    let around = came().filter_map(|one| Some((took(one) - brought(one)?.1 / 1_000).max(0)));
    let (bytes, millis) = came().filter_map(brought).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    let rate = (bytes > 0).then(|| (i128::from(bytes) * 1_000 / i128::from(Ord::max(millis, 1))).max(1));
    let wiped = done.wiped.iter().filter_map(|one| Some(one.ended_at?.seconds_since(one.began_at?)));
    Pace {
        blank,
        around: median(around.collect()),
        rate: rate.map(|rate| i64::try_from(rate).unwrap_or(i64::MAX)),
        wipe: median(wiped.collect()),
    }
}

#[cfg(test)]
mod tests {
    use entity::saga::SagaKind;
    use kernel::time::UtcTime;

    use super::{Done, Pace, of};
    use crate::saga::{Moved, Wiped};

    fn at(second: i64) -> UtcTime {
        UtcTime(second * 1000)
    }

    fn moved(kind: SagaKind, operation_id: Option<i64>, moments: [i64; 3]) -> Moved {
        let [enqueued_at, began_at, ended_at] = moments.map(at);
        Moved {
            kind,
            operation_id,
            enqueued_at,
            began_at: Some(began_at),
            ended_at,
            bytes: None,
            brought_ms: None,
            proof: String::new(),
        }
    }

    fn with_copy(moments: [i64; 3], bytes: i64, brought_s: i64) -> Moved {
        let (bytes, brought_ms) = (Some(bytes), Some(brought_s * 1_000));
        Moved { bytes, brought_ms, ..moved(SagaKind::PutOn, None, moments) }
    }

    fn wiped(began: i64, ended: Option<i64>) -> Wiped {
        Wiped { began_at: Some(at(began)), ended_at: ended.map(at) }
    }

    #[test]
    fn blank_phones_copies_wipes_and_waits_are_each_their_own() {
        let back = Moved { proof: "boot".to_owned(), ..moved(SagaKind::PutOn, None, [2_500, 2_500, 2_502]) };
        let moved = vec![
            moved(SagaKind::PutOn, None, [100, 700, 740]),
            moved(SagaKind::PutOn, Some(3), [100, 2_000, 2_060]),
            moved(SagaKind::PutOn, None, [100, 900, 950]),
            // 300 s, of which 200 for 4 GB, and 500 s with 400 for 8 GB.
            with_copy([200, 1_000, 1_300], 4_000_000_000, 200),
            with_copy([300, 1_000, 1_500], 8_000_000_000, 400),
            back,
            moved(SagaKind::TakeOff, Some(4), [1_000, 1_000, 1_300]),
        ];
        let wiped = vec![wiped(1_000, Some(1_250)), wiped(2_900, None)];
        let pool = of(&Done { moved, wiped, leaves: vec![at(2_900), at(1_000)] }, at(3_000));
        let pace = Pace { blank: Some(50), around: Some(100), rate: Some(20_000_000), wipe: Some(250) };
        assert_eq!((pool.pace, pool.an_hour), (pace, 1), "who came back to his own card says nothing of others");
        assert_eq!(pool.median, 700, "what an operator asked for waits apart");
        assert_eq!(
            pool.ready_in,
            [150, 250, 200 + 250],
            "one is being wiped, and those that phones leave are wiped then"
        );
    }

    #[test]
    fn nothing_is_known_of_what_was_not_done() {
        let leaves = vec![at(2_900)];
        let pool = of(&Done { moved: Vec::new(), wiped: vec![wiped(2_000, None)], leaves }, at(3_000));
        assert_eq!((pool.pace, pool.ready_in), (Pace::default(), Vec::new()));
    }
}
