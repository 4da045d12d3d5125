//! Which place somebody has in a queue.
//!
//! Whoever waits asks every few seconds, and a page of the list shows a hundred who wait: to count all those before each of them takes
//! the square of the queue, which is as long as an operation likes. So no more than some are counted, and whoever is behind those
//! is told his place among all who waited a moment ago.

use std::collections::HashMap;
use std::sync::Arc;

use base::app::App;
use db::sql;
use entity::phone::PhonePool;
use entity::saga::{self, Model as Saga, SagaKind};
use entity::{RoomId, SagaId};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, QueryOrder as _, QuerySelect as _, Value};

use super::pool::{CardPool, put_ons};
use super::states;

/// So many are counted.
const COUNTED: i64 = 100;
/// For so many seconds it is told who waited then.
const FRESH: i64 = 1;

/// A queue: of those who wait for a room's cards of a board and kind, or of the room's copies.
type Queue = (RoomId, Option<(String, PhonePool)>);

fn queue_of(saga: &Saga) -> Queue {
    (saga.room_id, (saga.kind == SagaKind::PutOn).then(|| (saga.board.clone(), saga.pool)))
}

/// What a place follows from.
type Rank = (UtcTime, SagaId);

/// Who waited then, by the steady clock.
type Read = (UtcTime, Arc<[Rank]>);

/// Who waited a moment ago in the queues that are long.
#[derive(Debug, Default)]
pub struct Places(Mutex<HashMap<Queue, Read>>);

impl Places {
    /// Those in a queue, if they were read a moment ago. Whoever finds them old reads them anew; the others are told those meanwhile.
    fn known(&self, queue: &Queue, steady: UtcTime) -> Option<Arc<[Rank]>> {
        let mut known = self.0.lock();
        let (at, ranks) = known.get_mut(queue)?;
        if at.plus_seconds(FRESH) <= steady {
            *at = steady;
            return None;
        }
        Some(Arc::clone(ranks))
    }
}

#[derive(FromQueryResult)]
struct Place {
    id: SagaId,
    position: i64,
}

/// The places of some that wait for their turn, from 1.
///
/// # Errors
/// When a read fails.
pub(super) async fn places(
    app: &App,
    db: &impl ConnectionTrait,
    waiting: &[&Saga],
) -> Result<HashMap<SagaId, i64>, DbErr> {
    // Nothing else waits that locks a phone.
    let (put_ons, copies): (Vec<&Saga>, Vec<&Saga>) = waiting.iter().partition(|saga| saga.kind == SagaKind::PutOn);
    let cards = format!("{} AND board = s.board AND pool = s.pool", states::PUT_ON_WAITS);
    let mut places = counted(db, &cards, &put_ons).await?;
    places.extend(counted(db, states::COPY_WAITS, &copies).await?);
    for saga in waiting {
        if let Some(place) = places.get_mut(&saga.id).filter(|place| **place > COUNTED) {
            *place = among(app, saga).await?.max(*place);
        }
    }
    Ok(places)
}

/// The places of some in queues of which this is said, as far as that is counted.
async fn counted(db: &impl ConnectionTrait, queue: &str, of: &[&Saga]) -> Result<HashMap<SagaId, i64>, DbErr> {
    if of.is_empty() {
        return Ok(HashMap::new());
    }
    let text = format!(
        "SELECT s.id, (SELECT COUNT(*) FROM (SELECT 1 FROM saga WHERE {queue} AND room_id = s.room_id \
         AND (rank_at, id) <= (s.rank_at, s.id) LIMIT {}) ahead) AS position FROM saga s WHERE s.id IN ({})",
        COUNTED + 1,
        sql::placeholders(1, of.len()),
    );
    let values = of.iter().map(|saga| Value::from(saga.id.0));
    let found = Place::find_by_statement(sql::statement(db.get_database_backend(), text, values)).all(db).await?;
    Ok(found.into_iter().map(|place| (place.id, place.position)).collect())
}

/// The place among those who waited a moment ago.
async fn among(app: &App, saga: &Saga) -> Result<i64, DbErr> {
    let (kept, queue, steady) = (app.part::<Places>(), queue_of(saga), app.clock.steady());
    let ranks = match kept.known(&queue, steady) {
        Some(ranks) => ranks,
        None => {
            let ranks: Arc<[Rank]> = read(app.db.read(), &queue).await?.into();
            kept.0.lock().insert(queue, (steady, Arc::clone(&ranks)));
            ranks
        }
    };
    let before = ranks.partition_point(|rank| *rank < (saga.rank_at, saga.id));
    Ok(i64::try_from(before).unwrap_or(i64::MAX).saturating_add(1))
}

async fn read(db: &impl ConnectionTrait, (room, cards): &Queue) -> Result<Vec<Rank>, DbErr> {
    let of = match cards {
        Some((board, kind)) => put_ons(CardPool { room: *room, board, kind: *kind }, states::PUT_ON_WAITS),
        None => states::of_room(*room, states::COPY_WAITS),
    };
    let ranks = of.select_only().columns([saga::Column::RankAt, saga::Column::Id]);
    ranks.order_by_asc(saga::Column::RankAt).order_by_asc(saga::Column::Id).into_tuple().all(db).await
}
