//! Keeps what applications were told as long as the settings say, in days and in rows, whichever is less.

use base::app::App;
use base::fault::Outcome;
use base::outbox::{DELIVERIES, place};
use entity::webhook::HookEvent;
use entity::webhook_delivery::{Column, DeliveryState, Entity};
use entity::{DeliveryId, OpenAppId};
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use serde::{Deserialize, Serialize};

use super::queue::free;
use crate::settings::OpenDoor;

const DAY: i64 = 86_400;
const MILLION: i64 = 1_000_000;
/// Rows removed in one transaction.
const STEP: u64 = 2000;

/// Removes what is kept no longer. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneDeliveries {}

impl Job for PruneDeliveries {
    type State = App;
    const KIND: &'static str = "open.pruneDeliveries";

    fn title(&self) -> Message {
        text("清理推送记录", "Prune what applications were told").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let settings = app.settings.get::<OpenDoor>(app).await?;
        let before = app.clock.now().plus_seconds(-settings.delivery_days * DAY);
        let mut removed = 0;
        loop {
            ctx.check()?;
            let step = prune_deliveries(app, before, settings.delivery_millions * MILLION).await?;
            if step == 0 {
                let said = text("已清理 {n} 条推送记录", "Deliveries removed: {n}").with("n", removed);
                return Ok(queue::Outcome::done().say(said));
            }
            removed += step;
            ctx.progress(removed, None);
        }
    }
}

/// Removes some of the oldest: those from before `before`, and those beyond the last `most`, whatever has become of them. Returns
/// how many; none if there are no more.
///
/// # Errors
/// When the database refuses.
pub async fn prune_deliveries(app: &App, before: UtcTime, most: i64) -> Outcome<i64> {
    let db = app.db.read();
    let newest = Entity::find().select_only().column(Column::Id).order_by_desc(Column::Id).into_tuple::<DeliveryId>();
    let Some(newest) = newest.one(db).await? else { return Ok(0) };
    let oldest: Vec<(DeliveryId, OpenAppId, HookEvent, DeliveryState, UtcTime)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::AppId, Column::Kind, Column::State, Column::CreatedAt])
        .order_by_asc(Column::Id)
        .limit(STEP)
        .into_tuple()
        .all(db)
        .await?;
    let is_over = |(id, .., at): &&(DeliveryId, OpenAppId, HookEvent, DeliveryState, UtcTime)| {
        *at < before || id.0 <= newest.0 - most
    };
    let gone: Vec<DeliveryId> = oldest.iter().take_while(is_over).map(|(id, ..)| *id).collect();
    if gone.is_empty() {
        return Ok(0);
    }
    let mut tx = app.db.begin_write().await?;
    // One of them may have been sent meanwhile.
    let rows: Vec<(DeliveryId, OpenAppId, HookEvent, DeliveryState)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::AppId, Column::Kind, Column::State])
        .filter(Column::Id.is_in(gone.iter().copied()))
        .into_tuple()
        .all(&*tx)
        .await?;
    Entity::delete_many().filter(Column::Id.is_in(gone)).exec(&*tx).await?;
    for (id, app, kind, state) in &rows {
        tx.counts().moved(DELIVERIES.list, Some(place(*id, *app, *kind, *state)), None);
    }
    if rows.iter().any(|(.., state)| *state == DeliveryState::Pending) {
        free(&*tx, app.clock.now()).await?;
    }
    tx.commit().await?;
    Ok(i64::try_from(rows.len()).unwrap_or(i64::MAX))
}
