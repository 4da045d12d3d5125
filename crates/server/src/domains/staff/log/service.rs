//! Reading the operation log and proving it whole.

use db::journal::{self, ChainFault};
use entity::OperatorId;
use entity::operation_log::Model;
use kernel::lang::Lang;
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::store::{self, OperationLogFilter};
use super::words;
use crate::fault::{Fault, Outcome};
use crate::http::guard::Acts;
use crate::http::ops::OpCtx;

const NOT_FOUND: Text = text("操作记录不存在", "There is no such line in the operation log");

/// A line of the operation log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationLogView {
    pub id: i64,
    pub at: UtcTime,
    /// Null for the system itself, and where nobody was recognised.
    pub operator_id: Option<OperatorId>,
    /// The name at the time.
    pub operator_name: String,
    pub ip: String,
    /// What was done, as the log keeps it.
    pub action: String,
    /// The same in the caller's language.
    pub action_name: String,
    /// To what kind of object; empty where there is none.
    pub object_kind: String,
    /// The same in the caller's language.
    pub object_kind_name: String,
    pub object_id: String,
    /// The name at the time.
    pub object_name: String,
    /// The body status that was answered: 0 is success.
    pub status: i32,
    /// What else there is to say.
    pub message: String,
    pub request_id: String,
}

/// A line with what the object was before and after.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationLogDetail {
    #[serde(flatten)]
    pub line: OperationLogView,
    /// The object before, without secrets.
    #[schema(value_type = Option<serde_json::Value>)]
    pub before: Option<Value>,
    /// The object after, without secrets.
    #[schema(value_type = Option<serde_json::Value>)]
    pub after: Option<Value>,
    /// The line's link in the chain, in hex.
    pub hash: String,
}

/// Whether the log is whole.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainCheck {
    /// Lines in the log.
    pub lines: u64,
    /// Anchors outside the database that were compared, all of which fit.
    pub anchors: u64,
    /// Nothing was changed, removed, put in between or cut off.
    pub ok: bool,
    /// The first line that does not fit.
    pub broken_at: Option<i64>,
    /// What is wrong with it, in the caller's language.
    pub fault: Option<String>,
}

impl OperationLogView {
    /// `row` in words of `lang`.
    #[must_use]
    pub fn new(row: Model, acts: &Acts, lang: Lang) -> Self {
        Self {
            action_name: words::action(acts, &row.action, lang),
            object_kind_name: words::kind(&row.object_kind, lang),
            id: row.id,
            at: row.at,
            operator_id: row.operator_id,
            operator_name: row.operator_name,
            ip: row.ip,
            action: row.action,
            object_kind: row.object_kind,
            object_id: row.object_id,
            object_name: row.object_name,
            status: row.status,
            message: row.message,
            request_id: row.request_id,
        }
    }
}

/// One page of the log, newest first.
///
/// # Errors
/// When a read fails.
pub async fn page(ctx: &OpCtx, filter: &OperationLogFilter, page: PageQuery) -> Outcome<Page<OperationLogView>> {
    let found = store::page(ctx.read(), filter, page).await?;
    Ok(found.map(|row| OperationLogView::new(row, &ctx.app.acts, ctx.lang())))
}

/// What the asking operator did.
///
/// # Errors
/// When a read fails.
pub async fn own_acts(ctx: &OpCtx, query: PageQuery) -> Outcome<Page<OperationLogView>> {
    let filter = OperationLogFilter { operator_id: Some(ctx.operator()), ..OperationLogFilter::default() };
    page(ctx, &filter, query).await
}

/// One line with before and after.
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: i64) -> Outcome<OperationLogDetail> {
    let mut row = store::find(ctx.read(), id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    let read = |text: Option<String>| text.map(|text| serde_json::from_str(&text).unwrap_or(Value::String(text)));
    Ok(OperationLogDetail {
        before: read(row.before.take()),
        after: read(row.after.take()),
        hash: hex::encode(&row.hash),
        line: OperationLogView::new(row, &ctx.app.acts, ctx.lang()),
    })
}

/// Walks the whole chain, and compares it with the anchors outside the database.
///
/// # Errors
/// When a read fails; a broken chain is an answer.
pub async fn verify(ctx: &OpCtx) -> Outcome<ChainCheck> {
    let anchors = &ctx.app.anchors;
    let found = match journal::verify(ctx.read()).await? {
        Ok(lines) => anchors.check(ctx.read()).await.map_err(Fault::internal)?.map(|anchors| (lines, anchors)),
        Err(broken) => Err(broken),
    };
    match found {
        Ok((lines, anchors)) => Ok(ChainCheck { lines, anchors, ok: true, broken_at: None, fault: None }),
        Err(broken) => Ok(ChainCheck {
            lines: store::total(ctx.read(), &OperationLogFilter::default()).await?,
            anchors: 0,
            ok: false,
            broken_at: Some(broken.id),
            fault: Some(in_words(broken.fault).get(ctx.lang()).to_owned()),
        }),
    }
}

const fn in_words(fault: ChainFault) -> Text {
    match fault {
        ChainFault::LinesMissing => text("它之前的记录缺失", "Lines before it are missing"),
        ChainFault::OutOfOrder => text("它与前一条记录不相连", "It does not follow the line before it"),
        ChainFault::Changed => text("它的内容被修改过", "Its content was changed"),
        ChainFault::CutOff => {
            text("锚点记载了它，但日志在它之前就结束了", "It was anchored, and the log ends before it")
        }
        ChainFault::Replaced => text("锚点以该编号记载的是另一条记录", "Another line was anchored by its number"),
    }
}
