//! The operation log as a file.

use std::borrow::Cow;
use std::convert::Infallible;

use axum::response::Response;
use base::access::words::Words;
use base::export::step_size;
use base::fault::{Fault, Outcome};
use base::http::ops::OpCtx;
use base::http::{Need, Validate};
use base::list::{Column, List, Order, Query, Reader, Sort, column, file_column};
use base::log::change;
use base::perm;
use base::sheet::{self, Format, Steps};
use entity::operation_log::Model;
use kernel::lang::Lang;
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::service::{self, OperationLogView};
use super::store::{self, OperationLogFilter};

/// Body status of an export with nothing to export (specification, section 7).
const NOTHING: i32 = 1;
const NOTHING_TO_EXPORT: Text = text("没有可导出的操作记录", "There are no operation records to export");

/// The entries that match a filter, up to the moment of the request.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LinesUntil {
    #[serde(flatten)]
    filter: OperationLogFilter,
    /// The newest entry: the entry about this export is not included.
    newest: i64,
}

impl Validate for LinesUntil {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// An entry with what it changed.
#[derive(Debug)]
pub struct Line {
    view: OperationLogView,
    before: String,
    after: String,
}

/// The page shows it as an [`OperationLogView`].
impl PartialSchema for Line {
    fn schema() -> RefOr<Schema> {
        OperationLogView::schema()
    }
}

impl ToSchema for Line {
    fn name() -> Cow<'static, str> {
        OperationLogView::name()
    }
}

impl Line {
    fn of(row: Model, words: &Words, lang: Lang) -> Self {
        let changes = service::changes(&row, words, lang);
        Self {
            before: change::line(&changes, lang, |change| &change.before),
            after: change::line(&changes, lang, |change| &change.after),
            view: OperationLogView::new(row, words, lang),
        }
    }
}

/// The operation log, newest first.
#[derive(Clone, Copy, Debug)]
pub struct LogLines;

impl List for LogLines {
    type Filter = LinesUntil;
    type Row = Line;
    type Sort = Infallible;
    const NAME: Text = text("操作记录", "Operation records");
    const KIND: &'static str = "operationLog.export";
    const NEED: Need = perm::OPERATION_LOG_EXPORT;

    fn columns() -> Vec<Column<Line, Infallible>> {
        vec![
            column("id", text("编号", "Number"), 10).number(|row: &Line| Some(row.view.id)),
            column("at", text("时间", "Time"), 20).time(|row| Some(row.view.at)),
            column("operatorName", text("操作员", "Operator"), 16).text(|row| &row.view.operator_name),
            column("ip", text("IP 地址", "IP address"), 16).text(|row| &row.view.ip),
            column("actionName", text("操作", "Action"), 28).text(|row| &row.view.action_name),
            column("objectKindName", text("对象类型", "Object type"), 16).text(|row| &row.view.object_kind_name),
            column("objectId", text("对象 ID", "Object ID"), 12).text(|row| &row.view.object_id),
            column("objectName", text("对象", "Object"), 24).text(|row| &row.view.object_name),
            column("statusName", text("结果", "Result"), 14).text(|row| &row.view.status_name),
            column("reason", text("原因", "Reason"), 24).text(|row| &row.view.reason),
            column("message", text("说明", "Note"), 24).text(|row| &row.view.message),
            file_column(text("变更前", "Before"), 40).text(|row| &row.before),
            file_column(text("变更后", "After"), 40).text(|row| &row.after),
            column("requestId", text("请求编号", "Request ID"), 34).text(|row| &row.view.request_id),
        ]
    }

    async fn page(from: &Reader, filter: &LinesUntil, _: Order<Infallible>, page: PageQuery) -> Outcome<Page<Line>> {
        let found = store::page(from.db(), &filter.filter, page).await?;
        Ok(found.map(|row| Line::of(row, &from.app.words, from.lang)))
    }

    async fn total(from: &Reader, query: &Query<Self>) -> Outcome<u64> {
        Ok(store::total(from.db(), &query.filter.filter).await?)
    }

    async fn rows(from: Reader, query: Query<Self>) -> Outcome<Steps<Line>> {
        Ok(sheet::steps(move |before: Option<i64>| {
            let (from, LinesUntil { filter, newest }) = (from.clone(), query.filter.clone());
            async move {
                let below = before.unwrap_or(newest + 1);
                let rows = store::step(from.db(), &filter, Some(below), step_size(before.as_ref())).await?;
                let last = rows.last().map(|row| row.id);
                Ok((rows.into_iter().map(|row| Line::of(row, &from.app.words, from.lang)).collect(), last))
            }
        }))
    }
}

/// The entries that match `filter` as a file, newest first, or the task that writes it.
///
/// # Errors
/// Body status 1 when there are none.
pub async fn export(ctx: &OpCtx, filter: OperationLogFilter, format: Format) -> Outcome<Response> {
    let Some(newest) = store::step(ctx.read(), &filter, None, 1).await?.first().map(|row| row.id) else {
        return Err(Fault::status(NOTHING, NOTHING_TO_EXPORT));
    };
    let query = Query::<LogLines> { filter: LinesUntil { filter, newest }, sort: Sort::default() };
    base::export::export(ctx, query.checked()?, format).await
}
