//! Removes operations that ended long ago, with the files fetched from their cards, and uploaded files that no
//! operation uses.

use std::str::FromStr as _;

use base::app::App;
use courier::ObjectKey;
use db::sql;
use entity::{operation, operation_file, operation_task};
use kernel::text::{Message, text};
use queue::{Job, JobCtx, JobError, Outcome};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};

use crate::settings::FleetSettings;

/// Days that an unused file is kept.
const UNUSED_DAYS: i64 = 3;
const DAY: i64 = 86_400;
/// Tasks and files removed in one transaction.
const STEP: u64 = 500;

/// Removes operations that ended long ago. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneOperations {}

impl Job for PruneOperations {
    type State = App;
    const KIND: &'static str = "operation.prune";

    fn title(&self) -> Message {
        text("清理过期的批量操作", "Remove expired operations").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
        let app = ctx.state();
        let settings = app.settings.get::<FleetSettings>(app).await?;
        let before = app.clock.now().plus_seconds(-settings.operation_days * DAY);
        let old = operation::Entity::find()
            .filter(operation::Column::FinishedAt.lt(before))
            // Not one whose retry is to be approved.
            .filter(operation::Column::RetryAsked.is_null())
            .order_by_asc(operation::Column::Id)
            .all(app.db.read())
            .await?;
        let mut removed = 0;
        for row in old {
            while tasks(ctx, &row).await? {}
            let tx = app.db.begin_write().await?;
            operation::Entity::delete_by_id(row.id).exec(&*tx).await?;
            removed += 1;
            ctx.progress(removed, None);
            tx.commit().await?;
        }
        forget_begun(ctx).await?;
        while files(ctx).await? {}
        Ok(Outcome::done().say(text("已清理 {n} 个批量操作", "Operations removed: {n}").with("n", removed)))
    }
}

/// Removes some tasks of an operation. Returns whether there were any.
async fn tasks(ctx: &JobCtx<App>, row: &operation::Model) -> Result<bool, JobError> {
    ctx.check()?;
    let app = ctx.state();
    let some = operation_task::Entity::find()
        .filter(operation_task::Column::OperationId.eq(row.id))
        .order_by_asc(operation_task::Column::Id)
        .limit(STEP)
        .all(app.db.read())
        .await?;
    // The file first: a row without its file can be reported, a file without its row would stay for ever.
    for key in some.iter().filter_map(|task| ObjectKey::from_str(&task.file_key).ok()) {
        app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
    }
    if some.is_empty() {
        return Ok(false);
    }
    let tx = app.db.begin_write().await?;
    let ids = some.iter().map(|task| task.id);
    operation_task::Entity::delete_many().filter(operation_task::Column::Id.is_in(ids)).exec(&*tx).await?;
    tx.commit().await?;
    Ok(true)
}

/// Removes what says who let tasks begin: nothing is counted further back than a day.
async fn forget_begun(ctx: &JobCtx<App>) -> Result<(), JobError> {
    let app = ctx.state();
    let before = app.clock.now().plus_seconds(-2 * DAY);
    let tx = app.db.begin_write().await?;
    let text = "DELETE FROM operation_begun WHERE at < $1";
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, [before.millis().into()])).await?;
    tx.commit().await?;
    Ok(())
}

/// Removes some files that no operation uses. Returns whether there were any.
async fn files(ctx: &JobCtx<App>) -> Result<bool, JobError> {
    use sea_orm::QueryTrait as _;
    ctx.check()?;
    let app = ctx.state();
    let before = app.clock.now().plus_seconds(-UNUSED_DAYS * DAY);
    let used = operation::Entity::find()
        .select_only()
        .column(operation::Column::FileId)
        .filter(operation::Column::FileId.is_not_null());
    let unused = operation_file::Entity::find()
        .filter(operation_file::Column::CreatedAt.lt(before))
        .filter(operation_file::Column::Id.not_in_subquery(used.into_query()))
        .order_by_asc(operation_file::Column::Id)
        .limit(STEP)
        .all(app.db.read())
        .await?;
    for key in unused.iter().filter_map(|file| ObjectKey::from_str(&file.object_key).ok()) {
        app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
    }
    if unused.is_empty() {
        return Ok(false);
    }
    let tx = app.db.begin_write().await?;
    let ids = unused.iter().map(|file| file.id);
    operation_file::Entity::delete_many().filter(operation_file::Column::Id.is_in(ids)).exec(&*tx).await?;
    tx.commit().await?;
    Ok(true)
}
