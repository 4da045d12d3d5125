//! Access for other modules: the list of cards for agents, and changes made by tasks.

use base::app::App;
use base::fault::Outcome;
use entity::card::{self, Lifecycle, Model};
use entity::{CardId, HostId, RoomId};
use kernel::ip4::Ip4;
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, FromQueryResult, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};

use super::change::{By, Change, write};
use crate::state::Fleet;

/// Cards written in one transaction.
const STEP: usize = 1000;

/// A card as its agent needs it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, FromQueryResult)]
#[serde(rename_all = "camelCase")]
pub struct RosterCard {
    pub id: CardId,
    pub serial: Option<String>,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub host_id: Option<HostId>,
    pub position: Option<i32>,
}

/// The cards of a room that are not retired after `after`, in key order.
///
/// # Errors
/// When the read fails.
pub async fn roster(app: &App, room: RoomId, after: CardId, limit: u64) -> Outcome<Vec<RosterCard>> {
    use card::Column;
    let select = card::Entity::find()
        .select_only()
        .columns([Column::Id, Column::Serial, Column::IntranetIp, Column::AdbPort, Column::HostId, Column::Position])
        .filter(Column::RoomId.eq(room))
        .filter(Column::Lifecycle.ne(Lifecycle::Retired))
        .filter(Column::Id.gt(after))
        .order_by_asc(Column::Id)
        .limit(limit);
    Ok(select.into_model::<RosterCard>().all(app.db.read()).await?)
}

/// Changes axes of cards, in key order and in steps, with their events, counters and live updates. `turn` returns the
/// card as it should be, or `None` to leave it; it has to check `may_become` itself. Writes no operation log entry: the
/// operation it belongs to has one.
///
/// # Errors
/// When the database refuses; the steps before stay.
pub async fn apply(
    app: &App,
    ids: &[CardId],
    by: &By,
    reason: &str,
    turn: impl Fn(&Model) -> Option<Model>,
) -> Outcome<u64> {
    let mut ids = ids.to_vec();
    ids.sort_unstable();
    ids.dedup();
    let mut changed = 0;
    for step in ids.chunks(STEP) {
        let mut tx = app.db.begin_write().await?;
        let rows = card::Entity::find()
            .filter(card::Column::Id.is_in(step.iter().copied()))
            .order_by_asc(card::Column::Id)
            .all(&*tx)
            .await?;
        let changes = rows
            .into_iter()
            .filter_map(|before| {
                let after = turn(&before)?;
                Some(Change { before, after, reason: reason.to_owned() })
            })
            .collect();
        let written = write(&mut tx, changes, by, app.clock.now()).await?;
        tx.commit().await?;
        changed += written.len() as u64;
        app.part::<Fleet>().committed(&app.events, written);
    }
    Ok(changed)
}
