//! What needs an operator in operations: those with failures, and those that wait for a second person.

use base::attention::{Concern, MOST};
use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::operation::{Column, Entity, Model, OperationState};
use kernel::text::text;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};

use super::asked::Asked;

/// What failed is told for a day: then it is history.
const TOLD_FOR_S: i64 = 24 * 3600;

/// Operations that ended with failures within a day, the last first.
///
/// # Errors
/// When the read fails.
pub async fn failures(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let since = ctx.now().plus_seconds(-TOLD_FOR_S);
    let select = Entity::find().filter(Column::FinishedAt.gte(since)).filter(Column::Failed.gt(0));
    let found = select.order_by_desc(Column::FinishedAt).limit(MOST as u64).all(ctx.read()).await?;
    let lang = ctx.lang();
    Ok(found
        .into_iter()
        .map(|operation| Concern {
            key: format!("operation-{}", operation.id),
            urgent: false,
            title: text("操作 #{id} {kind} · 有失败", "Operation #{id} {kind} · failures")
                .with("id", operation.id)
                .with("kind", operation.kind.label().get(lang))
                .get(lang),
            cause: text("失败 {failed} / {total}", "Failed {failed} / {total}")
                .with("failed", operation.failed)
                .with("total", operation.total)
                .get(lang),
            since: operation.finished_at,
            act: text("按原因重试", "Retry by reason").get(lang).to_owned(),
            path: path(&operation),
        })
        .collect())
}

/// Operations that wait for a second person, the oldest first.
///
/// # Errors
/// When the read fails.
pub async fn approvals(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let select = Entity::find().filter(Column::State.eq(OperationState::AwaitingApproval));
    let found = select.order_by_asc(Column::Id).limit(MOST as u64).all(ctx.read()).await?;
    let lang = ctx.lang();
    let waiting = found.into_iter().map(|operation| (Asked::of(&operation).ok().flatten(), operation));
    // Nobody approves his own.
    let others = waiting.filter(|(asked, operation)| {
        asked.as_ref().map_or(operation.created_by_id, |asked| asked.by_id) != ctx.session.operator
    });
    Ok(others
        .map(|(asked, operation)| Concern {
            key: format!("approval-{}", operation.id),
            urgent: true,
            title: text("操作 #{id} {kind} 待审批", "Operation #{id} {kind} awaits approval")
                .with("id", operation.id)
                .with("kind", operation.kind.label().get(lang))
                .get(lang),
            since: Some(asked.as_ref().map_or(operation.created_at, |asked| asked.at)),
            cause: match asked {
                Some(asked) => text("{who} 申请重试，涉及任务 {count}", "{who} asks to retry, tasks: {count}")
                    .with("who", asked.by)
                    .with("count", asked.count),
                None => text("{who} 发起，涉及设备 {total}", "By {who}, cards: {total}")
                    .with("who", &operation.created_by)
                    .with("total", operation.total),
            }
            .get(lang),
            act: text("去审批", "Approve").get(lang).to_owned(),
            path: path(&operation),
        })
        .collect())
}

fn path(operation: &Model) -> String {
    format!("/device/operations/{}", operation.id)
}
