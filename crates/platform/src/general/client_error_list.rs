//! Errors that browsers reported, as a list and as a file.

use base::access::catalog::title_of;
use base::fault::Outcome;
use base::http::{Need, Validate};
use base::list::{Column, Direction, List, Order, Reader, column};
use db::list::list_page;
use db::search;
use entity::client_error::{Column as By, Entity};
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::IntoParams;

use super::client_errors::ClientErrorView;
use crate::screens::{SCREENS, perm};

/// A filter for reported errors.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct ClientErrorFilter {
    /// Part of the message, the component, the address, the browser or the operator's name.
    #[serde(default)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Reported at this time or later.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// Reported at this time or earlier.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
}

impl Validate for ClientErrorFilter {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
        check.period(self.start_time, self.end_time);
    }
}

/// Errors that browsers reported, newest first by default.
#[derive(Clone, Copy, Debug)]
pub struct ClientErrors;

impl List for ClientErrors {
    type Filter = ClientErrorFilter;
    type Row = ClientErrorView;
    type Sort = By;
    const NAME: Text = title_of(SCREENS, "errorLog");
    const KIND: &'static str = "clientError.export";
    const NEED: Need = perm::ERROR_LOG_EXPORT;

    fn columns() -> Vec<Column<ClientErrorView, By>> {
        vec![
            column("createTime", text("时间", "Time"), 20)
                .sorted_by(By::At)
                .time(|row: &ClientErrorView| Some(row.create_time)),
            column("username", text("操作员", "Operator"), 16).sorted_by(By::OperatorName).text(|row| &row.username),
            column("message", text("错误信息", "Message"), 60).sorted_by(By::Message).text(|row| &row.message),
            column("component", text("组件", "Component"), 20).sorted_by(By::Component).text(|row| &row.component),
            column("address", text("页面地址", "Address"), 40).sorted_by(By::Address).text(|row| &row.address),
            column("browser", text("浏览器", "Browser"), 40).sorted_by(By::Browser).text(|row| &row.browser),
            column("stack", text("调用栈", "Stack"), 60).text(|row| &row.stack),
        ]
    }

    async fn page(
        from: &Reader,
        filter: &ClientErrorFilter,
        order: Order<By>,
        page: PageQuery,
    ) -> Outcome<Page<ClientErrorView>> {
        let (db, ClientErrorFilter { key_word, start_time, end_time }) = (from.db(), filter);
        let within = ["message", "component", "address", "browser", "operator_name"];
        let select = Entity::find()
            .apply_if(key_word.as_deref(), |select, text| {
                select.filter(search::scan(db.get_database_backend(), "client_error", &within, text))
            })
            .apply_if(*start_time, |select, at| select.filter(By::At.gte(at)))
            .apply_if(*end_time, |select, at| select.filter(By::At.lte(at)));
        let page = list_page(db, order.apply(select, Direction::Desc), page).await?;
        Ok(page.map(ClientErrorView::from))
    }
}
