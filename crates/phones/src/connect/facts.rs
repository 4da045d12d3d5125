//! What is known of a pool: read now and then, however many ask.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use entity::RoomId;
use entity::saga::SagaKind;
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::ConnectionTrait;

use super::rank::median;
use super::wait::Pool;
use crate::saga::{Moved, above_reserve, leave_since, moved_since};

/// For so many seconds what was read is told.
const FRESH: i64 = 5;
const HOUR: i64 = 3_600;

/// A room and a board.
type Of = (RoomId, &'static str);

/// What was read last, by the steady clock.
#[derive(Debug, Default)]
pub struct Pools(Mutex<HashMap<Of, (UtcTime, Pool)>>);

impl Pools {
    fn known(&self, of: Of, steady: UtcTime) -> Option<Pool> {
        let known = self.0.lock();
        known.get(&of).filter(|(at, _)| steady < at.plus_seconds(FRESH)).map(|(_, pool)| pool.clone())
    }
}

/// What is known of the cards of a room with this board.
///
/// # Errors
/// When a read fails.
pub async fn pool(app: &App, room: RoomId, board: &'static str) -> Outcome<Pool> {
    let (pools, steady) = (app.part::<Pools>(), app.clock.steady());
    if let Some(pool) = pools.known((room, board), steady) {
        return Ok(pool);
    }
    let pool = read(app.db.read(), room, board, app.clock.now()).await?;
    pools.0.lock().insert((room, board), (steady, pool.clone()));
    Ok(pool)
}

async fn read(db: &impl ConnectionTrait, room: RoomId, board: &str, now: UtcTime) -> Outcome<Pool> {
    let moved = moved_since(db, room, board, now.plus_seconds(-HOUR)).await?;
    let leaves = leave_since(db, room, board).await?;
    let free = above_reserve(db, room, board).await?;
    Ok(of(&moved, &leaves, i64::try_from(free).unwrap_or(i64::MAX), now))
}

fn of(moved: &[Moved], leaves: &[UtcTime], free: i64, now: UtcTime) -> Pool {
    let put_on = || moved.iter().filter(|one| one.kind == SagaKind::PutOn);
    let off = || moved.iter().filter(|one| one.kind == SagaKind::TakeOff);
    let began = |one: &Moved| one.began_at.unwrap_or(one.ended_at);
    let restore = median(put_on().map(|one| one.ended_at.seconds_since(began(one))).collect());
    let waited = put_on().filter(|one| one.operation_id.is_none());
    let waits = median(waited.map(|one| began(one).seconds_since(one.enqueued_at)).collect());
    let take_off = median(off().map(|one| one.ended_at.seconds_since(one.enqueued_at)).collect()).unwrap_or(0);
    let mut leave_in: Vec<i64> = leaves.iter().map(|since| (take_off - now.seconds_since(*since)).max(0)).collect();
    leave_in.sort_unstable();
    let an_hour = i64::try_from(off().count()).unwrap_or(i64::MAX);
    Pool { free, restore, leave_in, an_hour, median: waits.unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use entity::saga::SagaKind;
    use kernel::time::UtcTime;

    use super::of;
    use crate::saga::Moved;

    fn at(second: i64) -> UtcTime {
        UtcTime(second * 1000)
    }

    fn moved(kind: SagaKind, operation_id: Option<i64>, moments: [i64; 3]) -> Moved {
        let [enqueued_at, began_at, ended_at] = moments.map(at);
        Moved { kind, operation_id, enqueued_at, began_at: Some(began_at), ended_at }
    }

    #[test]
    fn restores_take_offs_and_waits_are_each_their_medians() {
        let all = [
            moved(SagaKind::PutOn, None, [100, 700, 740]),
            moved(SagaKind::PutOn, Some(3), [100, 2_000, 2_060]),
            moved(SagaKind::PutOn, None, [100, 900, 950]),
            moved(SagaKind::TakeOff, Some(4), [1_000, 1_000, 1_300]),
        ];
        let pool = of(&all, &[at(2_900), at(1_000)], 2, at(3_000));
        assert_eq!(
            (pool.restore, pool.median, pool.an_hour),
            (Some(50), 800, 1),
            "what an operator asked for waits apart"
        );
        assert_eq!((pool.free, pool.leave_in), (2, vec![0, 200]));
    }
}
