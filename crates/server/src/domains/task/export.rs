//! Background tasks as a file.

use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use queue::TaskState;
use queue::task::Model;
use serde::{Deserialize, Serialize};

use super::store::{self, TaskBy, TaskFilter};
use crate::app::App;
use crate::export::Paged;
use crate::fault::Outcome;
use crate::http::Sort;
use crate::sheet::{Cells, Column, Table, column};

const COLUMNS: &[Column] = &[
    column(text("任务", "Task"), 40),
    column(text("状态", "State"), 10),
    column(text("已完成", "Done"), 10),
    column(text("总数", "Total"), 10),
    column(text("说明", "Message"), 40),
    column(text("发起人", "Asked for by"), 16),
    column(text("创建时间", "Created at"), 20),
    column(text("开始时间", "Started at"), 20),
    column(text("结束时间", "Finished at"), 20),
    column(text("ID", "ID"), 38),
];

const fn state(state: TaskState) -> Text {
    match state {
        TaskState::Queued => text("排队中", "Queued"),
        TaskState::Running => text("进行中", "Running"),
        TaskState::Succeeded => text("已完成", "Succeeded"),
        TaskState::Failed => text("失败", "Failed"),
        TaskState::Cancelled => text("已取消", "Cancelled"),
    }
}

fn fill(row: &Model, to: &mut dyn Cells) {
    let lang = to.lang();
    to.text(row.title().get(lang));
    to.text(state(row.state).get(lang));
    to.number(row.done);
    to.number(row.total.unwrap_or(0));
    to.text(&row.message().map(|words| words.get(lang).to_owned()).unwrap_or_default());
    to.text(&row.created_by_name);
    to.time(Some(row.created_at));
    to.time(row.started_at);
    to.time(row.finished_at);
    to.text(&row.id.0);
}

/// The tasks that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Tasks {
    pub filter: TaskFilter,
    pub sort: Sort<TaskBy>,
}

impl Paged for Tasks {
    type Row = Model;
    const KIND: &'static str = "task.export";

    fn table() -> Table<Model> {
        Table { name: text("后台任务", "Background tasks"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, page: PageQuery) -> Outcome<Page<Model>> {
        Ok(store::list(app.db.read(), &self.filter, self.sort, page).await?)
    }
}
