//! Removes old tasks with their files.

use std::str::FromStr as _;

use base::app::App;
use courier::ObjectKey;
use kernel::text::{Message, text};
use queue::{Job, JobCtx, JobError, Outcome, TaskId};
use serde::{Deserialize, Serialize};

/// Days that an ended task is kept.
const KEPT_DAYS: i64 = 30;
/// Tasks removed in one transaction.
const STEP: u64 = 200;

/// Removes tasks that ended long ago. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneTasks {}

impl Job for PruneTasks {
    type State = App;
    const KIND: &'static str = "task.prune";

    fn title(&self) -> Message {
        text("清理过期任务", "Remove expired tasks").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Outcome, JobError> {
        let app = ctx.state();
        let before = app.clock.now().plus_seconds(-KEPT_DAYS * 24 * 3600);
        let mut removed = 0_u64;
        loop {
            ctx.check()?;
            let expired = app.queue.expired(before, STEP).await?;
            if expired.is_empty() {
                return Ok(Outcome::done().say(text("已清理 {n} 个任务", "Tasks removed: {n}").with("n", removed)));
            }
            // The file first: a row without its file can be reported, a file without its row would stay for ever.
            for key in expired
                .iter()
                .filter_map(|task| task.result_key.as_deref())
                .filter_map(|key| ObjectKey::from_str(key).ok())
            {
                app.objects.delete(&key).await.map_err(anyhow::Error::from)?;
            }
            let ids: Vec<TaskId> = expired.into_iter().map(|task| task.id).collect();
            let tx = app.db.begin_write().await?;
            removed += app.queue.forget(&tx, &ids).await?;
            ctx.progress(i64::try_from(removed).unwrap_or(i64::MAX), None);
            tx.commit().await?;
        }
    }
}
