//! What operations did at one card, as a list and as a file.

use std::collections::HashMap;
use std::convert::Infallible;

use axum::response::Response;
use base::export::{FormatQuery, TableFile, export};
use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, PageInput, Params, Reply, Validate, reply};
use base::list::{Column, List, Order, Query, Reader, Sort, column, created_at};
use db::list::list_page;
use entity::operation::{self, OperationKind, Target};
use entity::operation_task::{self as task, TaskEffect};
use entity::{CardId, OperationId};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _, QueryTrait as _,
};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::rights;
use super::view::CardTaskView;
use crate::screens::perm;

/// A filter for a card's tasks.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CardTaskFilter {
    /// Of operations of this kind.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub kind: Option<OperationKind>,
}

/// The tasks of a card, filtered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TasksAt {
    card: CardId,
    #[serde(flatten)]
    filter: CardTaskFilter,
    /// What scripts printed is left out: whoever asks may not see it.
    is_withheld: bool,
}

impl Validate for TasksAt {
    fn check(&self, _: &mut Check) {}
}

/// What operations did at one card, newest first. Its file has no output of anything: that is the operation's.
#[derive(Clone, Copy, Debug)]
pub struct CardTasks;

impl List for CardTasks {
    type Filter = TasksAt;
    type Row = CardTaskView;
    type Sort = Infallible;
    const NAME: Text = text("设备任务", "Tasks of a card");
    const KIND: &'static str = "operation.exportOfCard";
    const NEED: Need = perm::OPERATION_EXPORT;

    fn columns() -> Vec<Column<CardTaskView, Infallible>> {
        vec![
            column("operationId", text("操作编号", "Operation ID"), 10)
                .number(|row: &CardTaskView| Some(row.operation_id.0)),
            column("kind", text("操作", "Operation"), 16).label(|row| row.kind.label()),
            column("detail", text("内容", "Details"), 40).text(|row| &row.detail),
            column("task.state", text("状态", "State"), 10).label(|row| row.task.state.label()),
            column("task.attempt", text("次数", "Attempts"), 8).number(|row| Some(row.task.attempt.into())),
            column("task.words", text("原因", "Reason"), 30).text(|row| &row.task.words),
            column("task.reason", text("说明", "Message"), 40).text(|row| &row.task.reason),
            column("task.effect", text("对设备的影响", "Effect on the card"), 20)
                .label(|row| row.task.effect.map_or(text("", ""), TaskEffect::label)),
            column("createdBy", text("发起人", "Started by"), 16).text(|row| &row.created_by),
            created_at().time(|row| Some(row.created_at)),
            column("task.startedAt", text("开始时间", "Started at"), 20).time(|row| row.task.started_at),
            column("task.endedAt", text("结束时间", "Ended at"), 20).time(|row| row.task.ended_at),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &TasksAt,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<CardTaskView>> {
        let TasksAt { card, filter: CardTaskFilter { kind }, is_withheld } = filter;
        let select = task::Entity::find()
            .filter(task::Column::Target.eq(Target::Card))
            .filter(task::Column::TargetId.eq(card.0))
            .apply_if(*kind, |select, kind| {
                let of_kind = operation::Entity::find()
                    .select_only()
                    .column(operation::Column::Id)
                    .filter(operation::Column::Kind.eq(kind));
                select.filter(task::Column::OperationId.in_subquery(of_kind.into_query()))
            })
            .order_by_desc(task::Column::Id);
        let Page { list, total, .. } = list_page(from.db(), select, page).await?;
        let ids = list.iter().map(|row| row.operation_id);
        let operations = operation::Entity::find().filter(operation::Column::Id.is_in(ids)).all(from.db()).await?;
        let operations: HashMap<OperationId, operation::Model> =
            operations.into_iter().map(|row| (row.id, row)).collect();
        let missing = || Fault::Internal(anyhow::anyhow!("a task without its operation"));
        let view = |row: task::Model| -> Outcome<CardTaskView> {
            let operation = operations.get(&row.operation_id).cloned().ok_or_else(missing)?;
            let sees_output = !is_withheld || operation.kind != OperationKind::Shell;
            Ok(CardTaskView::of(&from.app, row, operation, sees_output, from.lang))
        };
        Ok(Page::new(page, total, list.into_iter().map(view).collect::<Outcome<_>>()?))
    }
}

fn query(ctx: &OpCtx, id: i64, filter: CardTaskFilter) -> Query<CardTasks> {
    let is_withheld = !rights::sees_output(ctx, OperationKind::Shell);
    Query { filter: TasksAt { card: CardId(id), filter, is_withheld }, sort: Sort::default() }
}

/// Lists the tasks of one card over all operations, newest first.
#[utoipa::path(get, path = "/api/operation/v1/cards/{id}/tasks", tag = "operation",
    params(("id" = i64, Path, description = "The card's id"), CardTaskFilter, PageInput),
    responses((status = 200, body = Reply<Page<CardTaskView>>)))]
pub async fn operation_card_tasks(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<CardTaskFilter>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<CardTaskView>> {
    reply(query(&ctx, id, filter).page(&Reader::of(&ctx), page.get()?).await?)
}

/// Exports the tasks of one card over all operations as a file, newest first, without what they printed; above
/// `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/operation/v1/cards/{id}/tasks/file", tag = "operation",
    params(("id" = i64, Path, description = "The card's id"), FormatQuery, CardTaskFilter), responses(TableFile))]
pub async fn operation_card_tasks_export(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<CardTaskFilter>,
    Params(file): Params<FormatQuery>,
) -> Outcome<Response> {
    export(&ctx, query(&ctx, id, filter), file.format).await
}
