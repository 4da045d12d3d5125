//! Forgets what has had its time: nonces of acts, and answers that are not given again.

use base::app::App;
use base::fault::Outcome;
use db::sql;
use kernel::text::{Message, text};
use queue::{Job, JobCtx, JobError};
use sea_orm::ConnectionTrait as _;
use serde::{Deserialize, Serialize};

use super::acts::KEPT;

/// Rows removed in one transaction, of each kind.
const STEP: i64 = 2000;

/// Removes nonces and answers of acts that have had their time. Safe to run twice.
#[derive(Debug, Serialize, Deserialize)]
pub struct PruneActs {}

impl Job for PruneActs {
    type State = App;
    const KIND: &'static str = "open.pruneActs";

    fn title(&self) -> Message {
        text("清理开放接口的防重放与幂等记录", "Forget old acts of the Open API").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let mut removed = 0;
        loop {
            ctx.check()?;
            let step = prune(ctx.state()).await?;
            if step == 0 {
                let said = text("已清理 {n} 条", "Removed: {n}").with("n", removed);
                return Ok(queue::Outcome::done().say(said));
            }
            removed += step;
            ctx.progress(removed, None);
        }
    }
}

/// Removes some of them. Returns how many; none if there are no more.
///
/// # Errors
/// When the database refuses.
pub async fn prune(app: &App) -> Outcome<i64> {
    let now = app.clock.now();
    let tx = app.db.begin_write().await?;
    let mut removed = 0;
    for (text, before) in [
        (
            "DELETE FROM open_nonce WHERE (key_id, nonce) IN \
             (SELECT key_id, nonce FROM open_nonce WHERE ends_at <= $1 ORDER BY ends_at LIMIT $2)",
            now,
        ),
        (
            "DELETE FROM open_act WHERE (app_id, act_key) IN \
             (SELECT app_id, act_key FROM open_act WHERE at <= $1 ORDER BY at LIMIT $2)",
            now.plus_seconds(-KEPT),
        ),
    ] {
        let statement = sql::statement(tx.get_database_backend(), text, [before.millis().into(), STEP.into()]);
        removed += tx.execute_raw(statement).await?.rows_affected();
    }
    tx.commit().await?;
    Ok(i64::try_from(removed).unwrap_or(i64::MAX))
}
