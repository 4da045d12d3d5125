//! A gateway says that streams have ended.

use std::collections::{BTreeSet, HashMap};

use base::app::App;
use base::fault::Outcome;
use base::owned::Owned;
use db::WriteTx;
use entity::connect::{ActiveModel, Column, ConnectState, Entity};
use entity::{ConnectId, PhoneId, phone};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};

use super::id::StreamId;
use crate::session::book::stream_ended;

/// A stream that has ended, and when, as its gateway says.
#[derive(Clone, Copy, Debug)]
pub struct Ended {
    pub stream: StreamId,
    pub at: UtcTime,
}

/// Writes down that streams have ended of phones that the gateway may see. Those that have ended already, that somebody else has
/// taken over, or that never were stay as they are. Returns the phones that nobody uses any more.
///
/// # Errors
/// When the database refuses.
pub async fn end(app: &App, tx: &mut WriteTx, whose: Owned, ended: &[Ended], now: UtcTime) -> Outcome<Vec<PhoneId>> {
    let times: HashMap<StreamId, UtcTime> = ended.iter().map(|one| (one.stream, one.at)).collect();
    let ids: BTreeSet<ConnectId> = times.keys().map(|stream| stream.connect).collect();
    let rows = Entity::find().filter(Column::Id.is_in(ids)).order_by_asc(Column::Id);
    let rows = rows.lock_exclusive().all(&**tx).await?;
    let seen = phone::Entity::find().select_only().column(phone::Column::Id);
    let seen = seen.filter(phone::Column::Id.is_in(rows.iter().map(|row| row.phone_id)));
    let seen = whose.only_of(tx.get_database_backend(), seen, phone::Column::AppId);
    let seen: Vec<PhoneId> = seen.into_tuple().all(&**tx).await?;
    let mut changed = Vec::new();
    for row in rows.into_iter().filter(|row| seen.contains(&row.phone_id)) {
        let Some(told) = times.get(&StreamId { connect: row.id, number: row.stream }) else { continue };
        let Some(since) = row.stream_at else { continue };
        // Its clock is not ours.
        let at = (*told).clamp(since.min(now), now);
        let change = ActiveModel { id: Set(row.id), stream_at: Set(None), ..Default::default() };
        // One that connects anew waits, or has another ticket by now, which is good still.
        let has_ticket = row.until.is_some_and(|until| now < until);
        let change = if row.state != ConnectState::Connected {
            change
        } else if has_ticket {
            ActiveModel { state: Set(ConnectState::Granted), connected_at: Set(None), ..change }
        } else {
            ActiveModel {
                state: Set(ConnectState::Over),
                code: Set(String::new()),
                ticket_hash: Set(None),
                until: Set(None),
                ended_at: Set(Some(at)),
                ..change
            }
        };
        Entity::update(change).exec(&**tx).await?;
        stream_ended(app, tx, row.phone_id, at).await?;
        changed.push(row.phone_id);
    }
    Ok(changed)
}
