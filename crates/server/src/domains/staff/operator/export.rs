//! Operators as a file.

use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};

use super::store::{self, OperatorBy, OperatorFilter};
use super::view::{AccountTypeName, OperatorView};
use crate::app::App;
use crate::export::Paged;
use crate::fault::Outcome;
use crate::http::Sort;
use crate::sheet::{Cells, Column, Table, column};

const COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 8),
    column(text("用户名", "User name"), 20),
    column(text("状态", "Status"), 10),
    column(text("权限组", "Group"), 20),
    column(text("账号类型", "Account type"), 12),
    column(text("邮箱", "Email"), 24),
    column(text("手机号", "Phone"), 14),
    column(text("两步验证", "Two-step verification"), 12),
    column(text("须修改密码", "Must change password"), 12),
    column(text("最近登录", "Last sign-in"), 20),
    column(text("登录 IP", "Signed in from"), 16),
    column(text("备注", "Remark"), 30),
    column(text("创建时间", "Created at"), 20),
];

const ENABLED: [Text; 2] = [text("禁用", "Disabled"), text("启用", "Enabled")];

const fn account_type(name: AccountTypeName) -> Text {
    match name {
        AccountTypeName::Power => text("超级用户", "Power user"),
        AccountTypeName::Normal => text("普通用户", "Normal user"),
        AccountTypeName::Developer => text("开发者", "Developer"),
    }
}

fn fill(row: &OperatorView, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(row.id.0);
    to.text(&row.username);
    to.text(ENABLED[usize::from(row.enabled)].get(lang));
    to.text(&row.group_name);
    to.text(account_type(row.account_type).get(lang));
    to.text(&row.email);
    to.text(&row.phone);
    to.flag(row.second_factor);
    to.flag(row.must_change_password);
    to.time(row.last_sign_in_at);
    to.text(&row.last_sign_in_ip);
    to.text(&row.remark);
    to.time(Some(row.created_at));
}

/// The operators that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Operators {
    pub filter: OperatorFilter,
    pub sort: Sort<OperatorBy>,
}

impl Paged for Operators {
    type Row = OperatorView;
    const KIND: &'static str = "operator.export";

    fn table() -> Table<OperatorView> {
        Table { name: text("用户列表", "Operators"), columns: COLUMNS, row: fill }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, page: PageQuery) -> Outcome<Page<OperatorView>> {
        Ok(store::page(app.db.read(), &self.filter, self.sort, page).await?)
    }
}
