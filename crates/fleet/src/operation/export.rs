//! The results of an operation, card by card, as a list and as a file.

use std::convert::Infallible;

use axum::response::Response;
use base::access::need::JobNeeds;
use base::export::{FormatQuery, TableFile, export, step_size};
use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Need, PageInput, Params, Reply, Validate, reply};
use base::list::{Column, List, Order, Query, Reader, Sort, column, file_column};
use base::sheet::{self, Steps};
use db::list::page_of;
use entity::OperationId;
use entity::operation::OperationKind;
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use kernel::lang::Lang;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    QueryTrait as _, Select,
};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::api::named;
use super::view::OperationTaskView;
use super::{rights, store};
use crate::screens::perm;

const PLAIN_FILE: &[Need] = &[perm::OPERATION_EXPORT];
const SCRIPT_FILE: &[Need] = &[perm::OPERATION_EXPORT, perm::DEVICE_SHELL];
const WITHHELD: Text =
    text("（输出需要“Shell 与脚本”权限才能查看）", "(the output needs the permission “Shell and scripts”)");

/// A filter for tasks.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OperationTaskFilter {
    /// In this state.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub state: Option<TaskStep>,
    /// Ended for this reason.
    #[serde(default)]
    #[param(max_length = 64)]
    pub code: Option<String>,
    /// The effect on the card: 1 none, 2 known, 3 unknown.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub effect: Option<TaskEffect>,
    /// On cards whose address starts with this.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
}

/// The tasks of an operation, filtered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TasksOf {
    /// The operation.
    pub operation: OperationId,
    /// Which of its tasks.
    #[serde(flatten)]
    pub filter: OperationTaskFilter,
    /// They are scripts, whose output only those may see who may run some.
    #[serde(default)]
    pub is_script: bool,
    /// The output is left out: whoever asks may not see it.
    #[serde(default)]
    pub is_withheld: bool,
}

impl Validate for TasksOf {
    fn check(&self, check: &mut Check) {
        check.optional("code", self.filter.code.as_deref(), |text| max_chars(text, 64));
        check.key_word(self.filter.key_word.as_deref());
    }
}

impl TasksOf {
    /// The column whose order an index has. Tasks are created in the order of their targets, so it is the order of the
    /// tasks as well.
    const fn order(&self) -> task::Column {
        if self.filter.state.is_some() { task::Column::Id } else { task::Column::TargetId }
    }

    const fn key(&self, row: &task::Model) -> i64 {
        if self.filter.state.is_some() { row.id.0 } else { row.target_id }
    }

    /// A task, as whoever asked may see it.
    pub fn view(&self, row: task::Model, lang: Lang) -> OperationTaskView {
        OperationTaskView::of(row, !self.is_withheld, lang)
    }

    /// The same in a file, which says so in the place of what is withheld.
    fn view_in_file(&self, row: task::Model, lang: Lang) -> OperationTaskView {
        let mut view = self.view(row, lang);
        if view.output_withheld {
            view.output = WITHHELD.get(lang).to_owned();
        }
        view
    }

    /// The matching rows.
    pub fn select(&self) -> Select<task::Entity> {
        let OperationTaskFilter { state, code, effect, key_word } = &self.filter;
        task::Entity::find()
            .filter(task::Column::OperationId.eq(self.operation))
            .apply_if(*state, |select, state| select.filter(task::Column::State.eq(state)))
            .apply_if(code.as_deref(), |select, code| select.filter(task::Column::Code.eq(code)))
            .apply_if(*effect, |select, effect| select.filter(task::Column::Effect.eq(effect)))
            .apply_if(key_word.as_deref(), |select, text| select.filter(task::Column::Address.starts_with(text)))
    }
}

/// The tasks of an operation, target by target: with what scripts printed, or without. A file of the former is for those
/// who may see that when they download it.
#[derive(Clone, Copy, Debug)]
pub struct OperationTasks<const SCRIPTS: bool>;

impl<const SCRIPTS: bool> List for OperationTasks<SCRIPTS> {
    type Filter = TasksOf;
    type Row = OperationTaskView;
    type Sort = Infallible;
    const NAME: Text = text("批量操作结果", "Operation results");
    // Files of the former name may hold any output.
    const KIND: &'static str = if SCRIPTS { "operation.export" } else { "operation.exportResults" };
    const NEED: Need = perm::OPERATION_EXPORT;
    const NEEDS: JobNeeds = JobNeeds { needs: if SCRIPTS { SCRIPT_FILE } else { PLAIN_FILE }, makes_file: true };

    fn columns() -> Vec<Column<OperationTaskView, Infallible>> {
        vec![
            file_column(text("对象 ID", "Target ID"), 10).number(|row: &OperationTaskView| Some(row.target.id)),
            column("target", text("对象", "Target"), 22).text(|row| row.target.name()),
            column("state", text("状态", "State"), 10).label(|row| row.state.label()),
            column("attempt", text("次数", "Attempts"), 8).number(|row| Some(row.attempt.into())),
            column("words", text("原因", "Reason"), 30).text(|row| &row.words),
            column("reason", text("说明", "Message"), 40).text(|row| &row.reason),
            column("effect", text("对设备的影响", "Effect on the card"), 20)
                .label(|row| row.effect.map_or(text("", ""), TaskEffect::label)),
            column("exitCode", text("退出码", "Exit code"), 8).number(|row| row.exit_code.map(i64::from)),
            column("output", text("输出", "Output"), 60).text(|row| &row.output),
            column("startedAt", text("开始时间", "Started at"), 20).time(|row| row.started_at),
            column("endedAt", text("结束时间", "Ended at"), 20).time(|row| row.ended_at),
            column("millis", text("毫秒", "Milliseconds"), 10).number(|row| Some(row.millis)),
        ]
    }

    /// What the operation itself counts is not counted again: there may be a million.
    async fn page(
        from: &Reader,
        filter: &TasksOf,
        _: Order<Infallible>,
        page: PageQuery,
    ) -> Outcome<Page<OperationTaskView>> {
        let OperationTaskFilter { state, code, effect, key_word } = &filter.filter;
        let counted = match (code, effect, key_word) {
            (None, None, None) => store::find(from.db(), filter.operation).await?,
            _ => None,
        };
        let total = match counted {
            Some(operation) => u64::try_from(store::counted(&operation, *state)).unwrap_or(0),
            None => filter.select().count(from.db()).await?,
        };
        let found = page_of(from.db(), filter.select().order_by_asc(filter.order()), total, page).await?;
        Ok(found.map(|row| filter.view(row, from.lang)))
    }

    async fn total(from: &Reader, query: &Query<Self>) -> Outcome<u64> {
        Ok(query.filter.select().count(from.db()).await?)
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<OperationTaskView>> {
        Ok(sheet::steps(move |after: Option<i64>| {
            let (from, tasks) = (from.clone(), query.filter.clone());
            async move {
                let (limit, order) = (step_size(after.as_ref()), tasks.order());
                let select = tasks.select().filter(order.gt(after.unwrap_or(0))).order_by_asc(order);
                let found = select.limit(limit).all(from.db()).await?;
                let next = (found.len() as u64 == limit).then(|| found.last().map(|row| tasks.key(row))).flatten();
                Ok((found.into_iter().map(|row| tasks.view_in_file(row, from.lang)).collect(), next))
            }
        }))
    }
}

/// The tasks of an operation that match, checked, as far as whoever asks may see them.
///
/// # Errors
/// When there is no such operation, or the filter is invalid.
pub async fn tasks_of(ctx: &OpCtx, id: i64, filter: OperationTaskFilter) -> Outcome<TasksOf> {
    let row = named(ctx, OperationId(id)).await?;
    let (is_script, is_withheld) = (row.kind == OperationKind::Shell, !rights::sees_output(ctx, row.kind));
    let tasks = TasksOf { operation: row.id, filter, is_script, is_withheld };
    Ok(query::<true>(tasks).checked()?.filter)
}

fn query<const SCRIPTS: bool>(filter: TasksOf) -> Query<OperationTasks<SCRIPTS>> {
    Query { filter, sort: Sort::default() }
}

/// Lists the tasks of an operation, target by target.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}/tasks", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id"), OperationTaskFilter, PageInput),
    responses((status = 200, body = Reply<Page<OperationTaskView>>)))]
pub async fn operation_tasks(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(filter): Params<OperationTaskFilter>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<OperationTaskView>> {
    let tasks = tasks_of(&ctx, id, filter).await?;
    reply(query::<true>(tasks).page(&Reader::of(&ctx), page.get()?).await?)
}

/// Exports the tasks of an operation as a file, target by target; above `export_rows` rows a background task does it.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}/tasks/file", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id"), FormatQuery, OperationTaskFilter),
    responses(TableFile))]
pub async fn operation_export(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<OperationTaskFilter>,
) -> Outcome<Response> {
    let tasks = tasks_of(&ctx, id, filter).await?;
    if tasks.is_script && !tasks.is_withheld {
        export(&ctx, query::<true>(tasks), file.format).await
    } else {
        export(&ctx, query::<false>(tasks), file.format).await
    }
}
