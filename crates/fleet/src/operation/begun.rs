//! Tasks of records that are begun with their records, and end later: what was begun tells how.

use base::fault::Outcome;
use db::{WriteTx, sql};
use entity::OperationId;
use entity::operation_task::{TaskEffect, TaskStep};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, Value};

use super::store::{Moved, after_results, count};

/// How the task of a target ends.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// The target.
    pub target: i64,
    /// Succeeded, failed or cancelled.
    pub step: TaskStep,
    /// Why, if it did not succeed.
    pub code: &'a str,
    /// What was done to the target, if it did not succeed.
    pub effect: Option<TaskEffect>,
}

/// Ends running tasks of an operation; those that have ended, or were pruned, stay as they are.
///
/// # Errors
/// When the write fails.
pub async fn end_begun(tx: &WriteTx, operation: OperationId, ended: &[Ended<'_>], now: UtcTime) -> Outcome<()> {
    let mut have_failed = false;
    for Ended { target, step, code, effect } in ended {
        let text = "UPDATE operation_task SET state = $1, code = $2, ended_at = $3, effect = $4 \
                    WHERE operation_id = $5 AND target_id = $6 AND state = $7";
        let values: [Value; 7] = [
            step.code().into(),
            (*code).into(),
            now.millis().into(),
            effect.map(TaskEffect::code).into(),
            operation.0.into(),
            (*target).into(),
            TaskStep::Running.code().into(),
        ];
        let done = tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
        let moved = i64::try_from(done.rows_affected()).unwrap_or(i64::MAX);
        count(tx, operation, &[Moved { from: TaskStep::Running, to: *step, count: moved }]).await?;
        have_failed |= *step == TaskStep::Failed;
    }
    after_results(tx, operation, have_failed, now).await?;
    Ok(())
}
