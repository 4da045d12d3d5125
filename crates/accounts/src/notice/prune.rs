//! Removes old notices.

use base::app::App;
use entity::operator_notice::{Column, Entity};
use kernel::text::{Message, text};
use queue::{Job, JobCtx, JobError, Outcome};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};
use serde::{Deserialize, Serialize};

/// Days that a notice is kept, read or not.
const KEPT_DAYS: i64 = 180;
/// Notices removed in one transaction.
const STEP: u64 = 500;

/// Removes old notices. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneNotices {}

impl Job for PruneNotices {
    type State = App;
    const KIND: &'static str = "notice.prune";

    fn title(&self) -> Message {
        text("清理过期通知", "Remove expired notices").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
        let app = ctx.state();
        let before = app.clock.now().plus_seconds(-KEPT_DAYS * 24 * 3600);
        let mut removed = 0;
        loop {
            ctx.check()?;
            let old: Vec<i64> = Entity::find()
                .select_only()
                .column(Column::Id)
                .filter(Column::At.lt(before))
                .limit(STEP)
                .into_tuple()
                .all(app.db.read())
                .await?;
            if old.is_empty() {
                return Ok(Outcome::done().say(text("已清理 {n} 条通知", "Notices removed: {n}").with("n", removed)));
            }
            let tx = app.db.begin_write().await?;
            removed += Entity::delete_many().filter(Column::Id.is_in(old)).exec(&*tx).await?.rows_affected;
            tx.commit().await?;
        }
    }
}
