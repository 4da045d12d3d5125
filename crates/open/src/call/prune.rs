//! Keeps the log as long as the settings say, in days and in calls, whichever is less.

use base::app::App;
use base::fault::Outcome;
use entity::OpenAppId;
use entity::open_call::{Column, Entity};
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use serde::{Deserialize, Serialize};

use super::{CALLS, place};
use crate::settings::OpenDoor;

const DAY: i64 = 86_400;
const MILLION: i64 = 1_000_000;
/// Calls removed in one transaction.
const STEP: u64 = 2000;

/// Removes what the log holds no longer. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneCalls {}

impl Job for PruneCalls {
    type State = App;
    const KIND: &'static str = "open.prune";

    fn title(&self) -> Message {
        text("清理开放接口调用日志", "Prune the log of the Open API").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let settings = app.settings.get::<OpenDoor>(app).await?;
        let before = app.clock.now().plus_seconds(-settings.keep_days * DAY);
        let mut removed = 0;
        loop {
            ctx.check()?;
            let step = prune(app, before, settings.keep_millions * MILLION).await?;
            if step == 0 {
                let said = text("已清理 {n} 条调用", "Calls removed: {n}").with("n", removed);
                return Ok(queue::Outcome::done().say(said));
            }
            removed += step;
            ctx.progress(removed, None);
        }
    }
}

/// Removes some of the oldest calls if there are more than the log holds.
///
/// # Errors
/// When the database refuses.
pub async fn overflow(app: &App) -> Outcome<()> {
    let settings = app.settings.get::<OpenDoor>(app).await?;
    let before = app.clock.now().plus_seconds(-settings.keep_days * DAY);
    prune(app, before, settings.keep_millions * MILLION).await.map(|_| ())
}

/// Removes some of the oldest calls: those from before `before`, and those beyond the last `most`. Returns how many; none if
/// there are no more.
///
/// # Errors
/// When the database refuses.
pub async fn prune(app: &App, before: UtcTime, most: i64) -> Outcome<i64> {
    let db = app.db.read();
    let newest = Entity::find().select_only().column(Column::Id).order_by_desc(Column::Id).into_tuple::<i64>();
    let Some(newest) = newest.one(db).await? else { return Ok(0) };
    let oldest: Vec<(i64, OpenAppId, i16, UtcTime)> = Entity::find()
        .select_only()
        .columns([Column::Id, Column::AppId, Column::Status, Column::At])
        .order_by_asc(Column::Id)
        .limit(STEP)
        .into_tuple()
        .all(db)
        .await?;
    // Ids follow time, but for calls of one batch.
    let is_over = |(id, _, _, at): &&(i64, OpenAppId, i16, UtcTime)| *at < before || *id <= newest - most;
    let gone: Vec<_> = oldest.iter().take_while(is_over).copied().collect();
    if gone.is_empty() {
        return Ok(0);
    }
    let mut tx = app.db.begin_write().await?;
    Entity::delete_many().filter(Column::Id.is_in(gone.iter().map(|(id, ..)| *id))).exec(&*tx).await?;
    for (id, caller, status, _) in &gone {
        tx.counts().moved(CALLS.list, Some(place(*id, *caller, *status)), None);
    }
    tx.commit().await?;
    Ok(i64::try_from(gone.len()).unwrap_or(i64::MAX))
}
