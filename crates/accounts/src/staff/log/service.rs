//! Reading and verifying the operation log.

use base::access::words::Words;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::ops::OpCtx;
use base::log::change::Change;
use base::log::note;
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

const DONE: Text = text("成功", "Succeeded");
const NOT_PERMITTED: Text = text("拒绝：无权限", "Refused: not permitted");
const REFUSED: Text = text("拒绝（{status}）", "Refused ({status})");
const NOT_FOUND: Text = text("操作记录不存在", "Operation log entry not found");

/// An operation log entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationLogView {
    pub id: i64,
    pub at: UtcTime,
    /// Null for the system itself, and if nobody was authenticated.
    pub operator_id: Option<OperatorId>,
    /// The name at the time.
    pub operator_name: String,
    pub ip: String,
    /// The operation's id, as stored.
    pub action: String,
    /// The same in the caller's language.
    pub action_name: String,
    /// The kind of object; empty if there is none.
    pub object_kind: String,
    /// The same in the caller's language.
    pub object_kind_name: String,
    pub object_id: String,
    /// The name at the time.
    pub object_name: String,
    /// The body status of the answer: 0 is success.
    pub status: i32,
    /// The same in words.
    pub status_name: String,
    /// Why, as whoever did it wrote it.
    pub reason: String,
    /// Further details in the caller's language: a count, or what else there is to say.
    pub message: String,
    pub request_id: String,
}

/// An entry with the object before and after.
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
    /// What it changed, field by field, in the caller's language.
    pub changes: Vec<Change>,
    /// The entry's hash in the chain, in hex.
    pub hash: String,
}

/// Whether the log is intact.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChainCheck {
    /// Entries in the log.
    pub lines: u64,
    /// Anchors outside the database that were compared, all of which match.
    pub anchors: u64,
    /// Nothing was modified, removed, inserted or cut off.
    pub ok: bool,
    /// The first invalid entry.
    pub broken_at: Option<i64>,
    /// What is wrong with it, in the caller's language.
    pub fault: Option<String>,
}

impl OperationLogView {
    /// `row` with its texts in `lang`.
    #[must_use]
    pub fn new(row: Model, words: &Words, lang: Lang) -> Self {
        let after = row.after.as_deref().and_then(read);
        let message = note::words(&row.message, lang);
        Self {
            action_name: words.done(&row.action, after.as_ref(), lang),
            object_kind_name: words.kind(&row.object_kind, lang),
            status_name: match row.status {
                0 => DONE.get(lang).to_owned(),
                4003 => NOT_PERMITTED.get(lang).to_owned(),
                status => REFUSED.with("status", status).get(lang),
            },
            reason: base::log::reason(&row.message, after.as_ref()),
            message: message.unwrap_or(row.message),
            id: row.id,
            at: row.at,
            operator_id: row.operator_id,
            operator_name: row.operator_name,
            ip: row.ip,
            action: row.action,
            object_name: words.object(&row.object_kind, &row.object_id, row.object_name, lang),
            object_kind: row.object_kind,
            object_id: row.object_id,
            status: row.status,
            request_id: row.request_id,
        }
    }
}

fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

/// What the entry changed, in words.
#[must_use]
pub fn changes(row: &Model, words: &Words, lang: Lang) -> Vec<Change> {
    let (before, after) = (row.before.as_deref().and_then(read), row.after.as_deref().and_then(read));
    words.changes((&row.object_kind, &row.object_id), before.as_ref(), after.as_ref(), lang)
}

/// One page of the log, newest first.
///
/// # Errors
/// When a read fails.
pub async fn page(ctx: &OpCtx, filter: &OperationLogFilter, page: PageQuery) -> Outcome<Page<OperationLogView>> {
    let found = store::page(ctx.read(), filter, page).await?;
    Ok(found.map(|row| OperationLogView::new(row, &ctx.app.words, ctx.lang())))
}

/// The caller's own operations.
///
/// # Errors
/// When a read fails.
pub async fn own_acts(ctx: &OpCtx, query: PageQuery) -> Outcome<Page<OperationLogView>> {
    let filter = OperationLogFilter { operator_id: Some(ctx.operator()), ..OperationLogFilter::default() };
    page(ctx, &filter, query).await
}

/// One entry with before and after.
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: i64) -> Outcome<OperationLogDetail> {
    let row = store::find(ctx.read(), id).await?.or_missing(NOT_FOUND)?;
    Ok(OperationLogDetail {
        changes: changes(&row, &ctx.app.words, ctx.lang()),
        before: row.before.as_deref().and_then(read),
        after: row.after.as_deref().and_then(read),
        hash: hex::encode(&row.hash),
        line: OperationLogView::new(row, &ctx.app.words, ctx.lang()),
    })
}

/// Verifies the whole chain, and compares it with the anchors outside the database.
///
/// # Errors
/// When a read fails; a broken chain is a regular result.
pub async fn verify(ctx: &OpCtx) -> Outcome<ChainCheck> {
    let anchors = &ctx.app.anchors;
    let mut found = match journal::verify(ctx.read()).await? {
        Ok(lines) => anchors.check(ctx.read()).await.map_err(Fault::internal)?.map(|anchors| (lines, anchors)),
        Err(broken) => Err(broken),
    };
    // The chain contains the hashes of shell input, and not the input itself.
    for proof in &ctx.app.proofs {
        if found.is_ok()
            && let Some(broken) = proof(&ctx.app).await?
        {
            found = Err(broken);
        }
    }
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

/// What is wrong with an entry of the chain.
#[must_use]
pub const fn in_words(fault: ChainFault) -> Text {
    match fault {
        ChainFault::LinesMissing => text("它之前的记录缺失", "Entries before it are missing"),
        ChainFault::OutOfOrder => text("它与前一条记录不相连", "It is not chained to the entry before it"),
        ChainFault::Changed => text("它的内容被修改过", "Its content was modified"),
        ChainFault::CutOff => {
            text("锚点记载了它，但日志在它之前就结束了", "It was anchored, but the log ends before it")
        }
        ChainFault::RecordChanged => {
            text("它所结束的终端输入记录被修改过", "The shell record that it closes was modified")
        }
        ChainFault::Replaced => {
            text("锚点以该编号记载的是另一条记录", "A different entry was anchored under its number")
        }
        ChainFault::AnchorForged => text(
            "它的锚点不是由本控制台签名的，或更早的锚点被修改过",
            "Its anchor is not signed by this console, or earlier anchors were modified",
        ),
        ChainFault::AnchorGone => text("它的锚点已从文件中消失", "Its anchor is missing from the file"),
    }
}
