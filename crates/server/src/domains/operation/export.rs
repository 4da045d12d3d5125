//! What became of an operation, card by card, as a file.

use axum::response::Response;
use db::list::page_of;
use entity::operation_task::{self as task, Model, TaskStep};
use entity::{OperationId, operation};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Select,
};
use serde::{Deserialize, Serialize};

use super::api::{OperationTaskFilter, named};
use super::store;
use crate::agent_link::codes;
use crate::app::App;
use crate::export::{FormatQuery, Listing, TableFile, export, step_size};
use crate::fault::Outcome;
use crate::http::Params;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::sheet::{self, Cells, Column, Steps, Table, column};

const COLUMNS: &[Column] = &[
    column(text("安卓卡 ID", "Card ID"), 10),
    column(text("安卓卡", "Card"), 22),
    column(text("状态", "State"), 10),
    column(text("次数", "Attempts"), 8),
    column(text("原因", "Reason"), 30),
    column(text("说明", "Message"), 40),
    column(text("退出码", "Exit code"), 8),
    column(text("输出", "Output"), 60),
    column(text("开始时间", "Started at"), 20),
    column(text("结束时间", "Ended at"), 20),
    column(text("毫秒", "Milliseconds"), 10),
];

const fn step_name(step: TaskStep) -> Text {
    match step {
        TaskStep::Pending => text("等待", "Waiting"),
        TaskStep::Running => text("执行中", "Running"),
        TaskStep::Succeeded => text("成功", "Succeeded"),
        TaskStep::Failed => text("失败", "Failed"),
        TaskStep::Skipped => text("跳过", "Left out"),
        TaskStep::Incompatible => text("不支持", "Not possible"),
        TaskStep::Cancelled => text("已取消", "Cancelled"),
        TaskStep::Expired => text("已过期", "Expired"),
    }
}

fn fill(row: &Model, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(row.card_id.0);
    to.text(&row.address);
    to.text(step_name(row.state).get(lang));
    to.number(row.attempt.into());
    to.text(&codes::words(&row.code, lang));
    to.text(&row.reason);
    to.text(&row.exit_code.map(|code| code.to_string()).unwrap_or_default());
    to.text(&row.output);
    to.time(row.started_at);
    to.time(row.ended_at);
    to.number(row.millis);
}

/// The tasks of an operation.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tasks {
    operation: OperationId,
    state: Option<TaskStep>,
    code: Option<String>,
    key_word: Option<String>,
}

impl Tasks {
    /// Those of one operation.
    pub fn of(operation: OperationId, filter: OperationTaskFilter) -> Self {
        let OperationTaskFilter { state, code, key_word } = filter;
        Self { operation, state, code, key_word }
    }

    /// The column whose order an index has. The cards of an operation are written down in their own order, so that it
    /// is the order of their tasks as well.
    const fn order(&self) -> task::Column {
        if self.state.is_some() { task::Column::Id } else { task::Column::CardId }
    }

    const fn key(&self, row: &Model) -> i64 {
        if self.state.is_some() { row.id.0 } else { row.card_id.0 }
    }

    /// One page, card by card. What the operation itself counts is not counted again: there may be a million.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn page(
        &self,
        db: &impl ConnectionTrait,
        operation: &operation::Model,
        page: PageQuery,
    ) -> Result<Page<Model>, DbErr> {
        let total = match (self.state, &self.code, &self.key_word) {
            (state, None, None) => u64::try_from(store::counted(operation, state)).unwrap_or(0),
            _ => self.select().count(db).await?,
        };
        page_of(db, self.select().order_by_asc(self.order()), total, page).await
    }

    /// The rows that are meant.
    pub fn select(&self) -> Select<task::Entity> {
        let mut select = task::Entity::find().filter(task::Column::OperationId.eq(self.operation));
        if let Some(state) = self.state {
            select = select.filter(task::Column::State.eq(state));
        }
        if let Some(code) = &self.code {
            select = select.filter(task::Column::Code.eq(code.as_str()));
        }
        if let Some(text) = &self.key_word {
            select = select.filter(task::Column::Address.starts_with(text));
        }
        select
    }
}

impl Listing for Tasks {
    type Row = Model;
    const KIND: &'static str = "operation.export";

    fn table() -> Table<Model> {
        Table { name: text("批量操作结果", "Operation results"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        check.optional("code", self.code.as_deref(), |text| max_chars(text, 64));
        check.optional("keyWord", self.key_word.as_deref(), |text| max_chars(text, 64));
        Ok(check.finish()?)
    }

    async fn total(&self, app: &App) -> Outcome<u64> {
        Ok(self.select().count(app.db.read()).await?)
    }

    async fn rows(self, app: &App) -> Outcome<Steps<Model>> {
        let db = app.db.clone();
        Ok(sheet::steps(move |after: Option<i64>| {
            let (db, tasks) = (db.clone(), self.clone());
            async move {
                let (limit, order) = (step_size(after.as_ref()), tasks.order());
                let select = tasks.select().filter(order.gt(after.unwrap_or(0))).order_by_asc(order);
                let found = select.limit(limit).all(db.read()).await?;
                let next = (found.len() as u64 == limit).then(|| found.last().map(|row| tasks.key(row))).flatten();
                Ok((found, next))
            }
        }))
    }
}

/// The tasks of an operation as a file, card by card; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/operation/v1/operations/{id}/tasks/file", tag = "operation",
    params(("id" = i64, Path, description = "The operation's id"), FormatQuery, OperationTaskFilter),
    responses(TableFile))]
pub async fn operation_export(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<OperationTaskFilter>,
) -> Outcome<Response> {
    let operation = named(&ctx, OperationId(id)).await?.id;
    export(&ctx, Tasks::of(operation, filter), file.format).await
}
