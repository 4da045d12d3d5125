//! What may be done with tasks.

use std::str::FromStr as _;

use courier::{ObjectError, ObjectKey, Outgoing};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use queue::task::Model;
use queue::{Cancelled, TaskId};

use super::store::{self, TaskBy, TaskFilter};
use crate::fault::{Fault, Outcome};
use crate::http::Sort;
use crate::http::ops::{Audit, OpCtx};

const NOT_FOUND: Text = text("任务不存在", "There is no such task");
const ENDED: Text = text("任务已结束，无法取消", "The task has ended and can not be cancelled");
const NOT_FAILED: Text = text("只有失败或已取消的任务可以重试", "Only a failed or cancelled task can be retried");
const NO_FILE: Text = text("该任务没有可下载的文件", "The task has no file to download");

/// One page of the tasks of everybody.
///
/// # Errors
/// When the filter is not valid or the read fails.
pub async fn list(ctx: &OpCtx, filter: &TaskFilter, sort: Sort<TaskBy>, page: PageQuery) -> Outcome<Page<Model>> {
    let mut check = Check::new();
    filter.check(&mut check);
    check.finish()?;
    Ok(store::list(ctx.read(), filter, sort, page).await?)
}

/// A task of one's own, or of anybody for who may see all. A foreign one is told like one that is not there.
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

/// Queues a failed or cancelled task again.
///
/// # Errors
/// When there is none, or it is neither.
pub async fn retry(ctx: &OpCtx, id: String) -> Outcome<Model> {
    let before = find(ctx, id).await?;
    let mut tx = ctx.begin_write().await?;
    if !ctx.app.queue.retry(tx.inner(), &before.id).await? {
        return Err(Fault::conflict(NOT_FAILED));
    }
    tx.commit(audit(&before)).await?;
    find(ctx, before.id.0).await
}

/// The file that a task has made, with its name. That it was fetched is noted: exports carry personal data.
///
/// # Errors
/// When there is no such task, or it has no file.
pub async fn file(ctx: &OpCtx, id: String) -> Outcome<(String, Outgoing)> {
    let task = get(ctx, id).await?;
    let result = task.result().ok_or_else(|| Fault::not_found(NO_FILE))?;
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
    ctx.app.queue.find(&TaskId(id)).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))
}

fn audit(task: &Model) -> Audit {
    Audit::of("task").id(&task.id).name(task.title().zh)
}
