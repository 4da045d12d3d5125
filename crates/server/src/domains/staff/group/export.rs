//! Permission groups as a file.

use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::text;
use serde::{Deserialize, Serialize};

use super::store::{self, GroupBy, GroupFilter, GroupView};
use crate::app::App;
use crate::export::Paged;
use crate::fault::Outcome;
use crate::http::Sort;
use crate::sheet::{Cells, Column, Table, column};

const COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 8),
    column(text("组名称", "Group name"), 30),
    column(text("内置", "Built in"), 8),
    column(text("用户数", "Operators"), 10),
    column(text("权限数", "Permissions"), 10),
    column(text("创建时间", "Created at"), 20),
    column(text("更新时间", "Updated at"), 20),
];

fn fill(row: &GroupView, to: &mut dyn Cells) {
    to.number(row.id.0);
    to.text(&row.group_name);
    to.flag(row.builtin);
    to.number(row.operator_count);
    to.number(row.code_count);
    to.time(Some(row.created_at));
    to.time(Some(row.updated_at));
}

/// The groups that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Groups {
    pub filter: GroupFilter,
    pub sort: Sort<GroupBy>,
}

impl Paged for Groups {
    type Row = GroupView;
    const KIND: &'static str = "group.export";

    fn table() -> Table<GroupView> {
        Table { name: text("权限组", "Permission groups"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, page: PageQuery) -> Outcome<Page<GroupView>> {
        Ok(store::page(app.db.read(), &self.filter, self.sort, page).await?)
    }
}
