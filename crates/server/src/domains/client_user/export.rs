//! Customers and what they did, as files.

use entity::ClientUserId;
use entity::client_user::Model;
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::text;
use serde::{Deserialize, Serialize};

use super::closing::{self, LogoutRequestBy, LogoutRequestFilter, LogoutRequestView};
use super::names;
use super::records::{self, ClientUserRecordView, RecordFilter};
use super::store::{self, ClientUserFilter};
use crate::app::App;
use crate::export::{Listing, Paged, step_size};
use crate::fault::Outcome;
use crate::http::{Sort, Validate as _};
use crate::sheet::{self, Cells, Column, Steps, Table, column};

const USER_COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 10),
    column(text("姓名", "Name"), 16),
    column(text("手机号", "Phone"), 14),
    column(text("邮箱", "Email"), 24),
    column(text("识别码", "Identification code"), 14),
    column(text("登录方式", "Login method"), 12),
    column(text("设备名称", "Device"), 20),
    column(text("注册 IP", "Registered from"), 16),
    column(text("客户端", "Client"), 10),
    column(text("客户端版本", "Client version"), 12),
    column(text("状态", "Status"), 10),
    column(text("星币", "Star coins"), 10),
    column(text("云手机", "Phones"), 8),
    column(text("注册时间", "Registered at"), 20),
    column(text("最近登录", "Last sign-in"), 20),
    column(text("备注", "Remark"), 30),
];

const RECORD_COLUMNS: &[Column] = &[
    column(text("时间", "Time"), 20),
    column(text("类型", "What"), 10),
    column(text("姓名", "Name"), 16),
    column(text("手机号", "Phone"), 14),
    column(text("IP 地址", "IP address"), 16),
    column(text("设备名称", "Device"), 20),
    column(text("客户端", "Client"), 10),
    column(text("客户端版本", "Client version"), 12),
    column(text("登录方式", "Login method"), 12),
];

const REQUEST_COLUMNS: &[Column] = &[
    column(text("用户 ID", "User ID"), 10),
    column(text("姓名", "Name"), 16),
    column(text("手机号", "Phone"), 14),
    column(text("申请时间", "Requested at"), 20),
    column(text("状态", "Status"), 12),
    column(text("重新注册", "Registered again"), 10),
    column(text("重新注册时间", "Registered again at"), 20),
    column(text("处理时间", "Handled at"), 20),
    column(text("处理人", "Handled by"), 16),
];

fn user_row(row: &Model, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(row.id.0);
    to.text(&row.name);
    to.text(&row.phone);
    to.text(&row.email);
    to.text(&row.ident_code);
    to.text(names::login_method(row.login_method).get(lang));
    to.text(&row.device_name);
    to.text(&row.register_ip);
    to.text(names::client_type(row.client_type).get(lang));
    to.text(&row.client_version);
    to.text(names::status(row.status).get(lang));
    to.number(row.star_coins);
    to.number(i64::from(row.phone_count));
    to.time(Some(row.registered_at));
    to.time(row.last_login_at);
    to.text(&row.remark);
}

fn record_row(row: &ClientUserRecordView, to: &mut dyn Cells) {
    let lang = to.lang();
    to.time(Some(row.at));
    to.text(names::record_kind(row.kind).get(lang));
    to.text(&row.user_name);
    to.text(&row.phone);
    to.text(&row.ip);
    to.text(&row.device_name);
    to.text(names::client_type(row.client_type).get(lang));
    to.text(&row.client_version);
    to.text(names::login_method(row.login_method).get(lang));
}

fn request_row(row: &LogoutRequestView, to: &mut dyn Cells) {
    let lang = to.lang();
    to.number(row.user_id.0);
    to.text(&row.name);
    to.text(&row.phone);
    to.time(Some(row.requested_at));
    to.text(names::logout_status(row.status).get(lang));
    to.flag(row.re_registered);
    to.time(row.re_registered_at);
    to.time(row.handled_at);
    to.text(&row.handled_by);
}

/// The customers that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Users(pub ClientUserFilter);

impl Listing for Users {
    type Row = Model;
    const KIND: &'static str = "clientUser.export";

    fn table() -> Table<Model> {
        Table { name: text("用户信息", "Client users"), columns: USER_COLUMNS, row: user_row }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        if let Some(text) = &self.0.key_word {
            check.field("keyWord", max_chars(text, 64));
        }
        self.0.check_times(&mut check);
        Ok(check.finish()?)
    }

    async fn total(&self, app: &App) -> Outcome<u64> {
        Ok(store::total(app.db.read(), &self.0).await?)
    }

    async fn rows(self, app: &App) -> Outcome<Steps<Model>> {
        let db = app.db.clone();
        Ok(sheet::steps(move |before: Option<ClientUserId>| {
            let (db, filter) = (db.clone(), self.0.clone());
            async move { Ok(store::step(db.read(), &filter, before, step_size(before.as_ref())).await?) }
        }))
    }
}

/// What customers did, as far as a filter means it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Records(pub RecordFilter);

impl Listing for Records {
    type Row = ClientUserRecordView;
    const KIND: &'static str = "clientUser.exportRecords";

    fn table() -> Table<ClientUserRecordView> {
        Table {
            name: text("注册与登录记录", "Registrations and sign-ins"), columns: RECORD_COLUMNS, row: record_row
        }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.0.check(&mut check);
        Ok(check.finish()?)
    }

    async fn total(&self, app: &App) -> Outcome<u64> {
        Ok(records::total(app.db.read(), &self.0).await?)
    }

    async fn rows(self, app: &App) -> Outcome<Steps<ClientUserRecordView>> {
        let db = app.db.clone();
        Ok(sheet::steps(move |before: Option<i64>| {
            let (db, filter) = (db.clone(), self.0.clone());
            async move { records::step(db.read(), &filter, before, step_size(before.as_ref())).await }
        }))
    }
}

/// The requests to close an account that a filter means.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LogoutRequests {
    pub filter: LogoutRequestFilter,
    pub sort: Sort<LogoutRequestBy>,
}

impl Paged for LogoutRequests {
    type Row = LogoutRequestView;
    const KIND: &'static str = "clientUser.exportLogoutRequests";

    fn table() -> Table<LogoutRequestView> {
        Table { name: text("注销账号", "Logged-out accounts"), columns: REQUEST_COLUMNS, row: request_row }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        Ok(check.finish()?)
    }

    async fn page(&self, app: &App, page: PageQuery) -> Outcome<Page<LogoutRequestView>> {
        Ok(closing::list(app.db.read(), &self.filter, self.sort, page).await?)
    }
}
