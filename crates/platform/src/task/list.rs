//! The list of tasks.

use base::fault::Outcome;
use base::http::{Need, Validate};
use base::list::{Column, Direction, List, Order, Reader, column, created_at};
use db::list::list_page;
use db::search::escape_like;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use queue::TaskState;
use queue::task::{Column as By, Entity};
use sea_orm::sea_query::{Expr, ExprTrait as _, Func, LikeExpr};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::view::{TaskStateName, TaskView};
use crate::screens::perm;

/// A filter for tasks.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct TaskFilter {
    /// `queued`, `running`, `succeeded`, `failed` or `cancelled`.
    #[param(inline)]
    pub state: Option<TaskStateName>,
    /// Such as `clientUser.import`.
    pub kind: Option<String>,
    /// Part of the title or of the creator's name.
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Created at this time or later.
    pub start_time: Option<UtcTime>,
    /// Created at this time or earlier.
    pub end_time: Option<UtcTime>,
}

impl Validate for TaskFilter {
    fn check(&self, check: &mut Check) {
        check.optional("kind", self.kind.as_deref(), |text| max_chars(text, 64));
        check.key_word(self.key_word.as_deref());
    }
}

/// Background tasks, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct Tasks;

impl List for Tasks {
    type Filter = TaskFilter;
    type Row = TaskView;
    type Sort = By;
    const NAME: Text = text("后台任务", "Background tasks");
    const KIND: &'static str = "task.export";
    const NEED: Need = perm::TASK_EXPORT;

    fn columns() -> Vec<Column<TaskView, By>> {
        vec![
            column("title", text("任务", "Task"), 40).text(|row: &TaskView| &row.title),
            column("state", text("状态", "State"), 10).sorted_by(By::State).label(|row| row.state.label()),
            column("progress.done", text("已完成", "Processed"), 10).number(|row| Some(row.progress.done)),
            column("progress.total", text("总数", "Total"), 10).number(|row| Some(row.progress.total)),
            column("message", text("说明", "Message"), 40).text(|row| row.message.as_deref().unwrap_or_default()),
            column("createdBy", text("发起人", "Started by"), 16)
                .sorted_by(By::CreatedByName)
                .text(|row| row.created_by.as_deref().unwrap_or_default()),
            created_at().sorted_by(By::CreatedAt).time(|row| Some(row.created_at)),
            column("startedAt", text("开始时间", "Started at"), 20).sorted_by(By::StartedAt).time(|row| row.started_at),
            column("finishedAt", text("结束时间", "Finished at"), 20)
                .sorted_by(By::FinishedAt)
                .time(|row| row.finished_at),
            column("id", text("ID", "ID"), 38).text(|row| &row.id),
        ]
    }

    async fn page(from: &Reader, filter: &TaskFilter, order: Order<By>, page: PageQuery) -> Outcome<Page<TaskView>> {
        let TaskFilter { state, kind, key_word, start_time, end_time } = filter;
        let select = Entity::find()
            .apply_if(*state, |select, state| select.filter(By::State.eq(TaskState::from(state))))
            .apply_if(kind.as_deref(), |select, kind| select.filter(By::Kind.eq(kind)))
            .apply_if(key_word.as_deref(), |select, text| {
                let pattern = || LikeExpr::new(format!("%{}%", escape_like(&text.to_lowercase()))).escape('\\');
                let contains = |column: By| Expr::expr(Func::lower(Expr::col((Entity, column)))).like(pattern());
                select.filter(contains(By::Title).or(contains(By::CreatedByName)))
            })
            .apply_if(*start_time, |select, from| select.filter(By::CreatedAt.gte(from)))
            .apply_if(*end_time, |select, to| select.filter(By::CreatedAt.lte(to)));
        // The ids are UUIDv7: newest first is the order of the key.
        let found = list_page(from.db(), order.apply(select, Direction::Desc), page).await?;
        Ok(found.map(|row| TaskView::of(row, from.lang)))
    }
}
