//! Operations on tasks.

use std::str::FromStr as _;

use base::access::need::JobNeeds;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::ops::{Audit, OpCtx};
use courier::{ObjectError, ObjectKey, Outgoing};
use kernel::text::{Text, text};
use queue::task::Model;
use queue::{Cancelled, TaskId};

const NOT_FOUND: Text = text("任务不存在", "Task not found");
const ENDED: Text = text("任务已结束，无法取消", "The task has ended and cannot be cancelled");
const NOT_FAILED: Text = text("只有失败或已取消的任务可以重试", "Only a failed or cancelled task can be retried");
const NO_FILE: Text = text("该任务没有可下载的文件", "The task has no file to download");

/// The caller's own task, or any task for those who may see all. Others get the same answer as for a missing one.
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: String) -> Outcome<Model> {
    let found = find(ctx, id).await?;
    if found.created_by == Some(ctx.operator()) || ctx.may("task:list") {
        Ok(found)
    } else {
        Err(Fault::not_found(NOT_FOUND))
    }
}

/// Cancels a task.
///
/// # Errors
/// When there is none, or it has ended.
pub async fn cancel(ctx: &OpCtx, id: String) -> Outcome<Model> {
    let before = find(ctx, id).await?;
    let mut tx = ctx.begin_write().await?;
    match ctx.app.queue.cancel(tx.inner(), &before.id).await? {
        Cancelled::AtOnce | Cancelled::Asked => {}
        Cancelled::TooLate => return Err(Fault::conflict(ENDED)),
    }
    tx.commit(audit(&before)).await?;
    find(ctx, before.id.0).await
}

/// Retries a failed or cancelled task. Whoever does needs what asking for it takes.
///
/// # Errors
/// When there is none, it is neither, or the permission for what it does is missing.
pub async fn retry(ctx: &OpCtx, id: String) -> Outcome<Model> {
    let before = find(ctx, id).await?;
    if let Some(code) = lacked(ctx, &before.kind) {
        ctx.require(code).await?;
    }
    let mut tx = ctx.begin_write().await?;
    if !ctx.app.queue.retry(tx.inner(), &before.id).await? {
        return Err(Fault::conflict(NOT_FAILED));
    }
    tx.commit(audit(&before)).await?;
    find(ctx, before.id.0).await
}

/// Refuses the file of a task of this kind to those without the permission for its content: seeing a task, or having
/// created it once, is not enough.
///
/// # Errors
/// The missing permission; a task of an unknown kind has no file for anybody.
pub fn may_download(ctx: &OpCtx, kind: &str) -> Outcome<()> {
    match (ctx.app.job_needs.get(kind), lacked(ctx, kind)) {
        (Some(JobNeeds { makes_file: true, .. }), None) => Ok(()),
        (Some(JobNeeds { makes_file: true, .. }), Some(code)) => Err(Fault::Denied(code)),
        (Some(_) | None, _) => Err(Fault::not_found(NO_FILE)),
    }
}

/// What the operator lacks of what a task of this kind takes; nothing for a task that runs by itself.
pub fn lacked(ctx: &OpCtx, kind: &str) -> Option<&'static str> {
    let needs = ctx.app.job_needs.get(kind)?.needs;
    needs.iter().find(|need| !ctx.holds(**need)).map(|need| need.code())
}

/// The file of a task, with its name. The download is logged: exports contain personal data.
///
/// # Errors
/// When there is no such task, it has no file, or the operator lacks the permission for its content.
pub async fn file(ctx: &OpCtx, id: String) -> Outcome<(String, Outgoing)> {
    let task = get(ctx, id).await?;
    let result = task.result().or_missing(NO_FILE)?;
    may_download(ctx, &task.kind)?;
    let key = ObjectKey::from_str(&result.key).map_err(Fault::internal)?;
    let object = match ctx.app.objects.get(&key).await {
        Ok(object) => object,
        Err(ObjectError::NotFound(_)) => return Err(Fault::not_found(NO_FILE)),
        Err(error) => return Err(Fault::Unavailable(error.into())),
    };
    ctx.record(audit(&task).note(result.name.clone())).await?;
    Ok((result.name, object))
}

async fn find(ctx: &OpCtx, id: String) -> Outcome<Model> {
    ctx.app.queue.find(&TaskId(id)).await?.or_missing(NOT_FOUND)
}

fn audit(task: &Model) -> Audit {
    Audit::of("task").id(&task.id).name(task.title().zh)
}
