//! The operation log as a file.

use axum::response::Response;
use entity::operation_log::Model;
use kernel::rules::Check;
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};

use super::store::{self, OperationLogFilter};
use super::words;
use crate::app::App;
use crate::export::{Listing, step_size};
use crate::fault::{Fault, Outcome};
use crate::http::guard::Acts;
use crate::http::ops::OpCtx;
use crate::sheet::{self, Cells, Column, Format, Steps, Table, column};

/// Body status of an export that has nothing to export (specification, section 7).
const NOTHING: i32 = 1;
const NOTHING_TO_EXPORT: Text = text("没有可导出的操作记录", "There are no operation records to export");

const COLUMNS: &[Column] = &[
    column(text("编号", "Number"), 10),
    column(text("时间", "Time"), 20),
    column(text("操作人", "Operator"), 16),
    column(text("IP 地址", "IP address"), 16),
    column(text("操作", "Act"), 28),
    column(text("对象类型", "Kind of object"), 16),
    column(text("对象 ID", "Object ID"), 12),
    column(text("对象", "Object"), 24),
    column(text("结果", "Result"), 14),
    column(text("说明", "Message"), 24),
    column(text("变更前", "Before"), 40),
    column(text("变更后", "After"), 40),
    column(text("请求编号", "Request"), 34),
];
const DONE: Text = text("成功", "Done");
const REFUSED: Text = text("拒绝（{status}）", "Refused ({status})");

/// The lines that a filter means, as far as they were written when it was asked.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogLines {
    #[serde(flatten)]
    filter: OperationLogFilter,
    /// The newest line: the line about this export is none of its own.
    newest: i64,
}

/// A line, and what puts it into words.
#[derive(Debug)]
pub struct Line {
    row: Model,
    acts: Acts,
}

fn row(line: &Line, to: &mut dyn Cells) {
    let (Line { row, acts }, lang) = (line, to.lang());
    to.number(row.id);
    to.time(Some(row.at));
    to.text(&row.operator_name);
    to.text(&row.ip);
    to.text(&words::action(acts, &row.action, lang));
    to.text(&words::kind(&row.object_kind, lang));
    to.text(&row.object_id);
    to.text(&row.object_name);
    match row.status {
        0 => to.text(DONE.get(lang)),
        status => to.text(&REFUSED.with("status", status).get(lang)),
    }
    to.text(&row.message);
    to.text(row.before.as_deref().unwrap_or_default());
    to.text(row.after.as_deref().unwrap_or_default());
    to.text(&row.request_id);
}

impl Listing for LogLines {
    type Row = Line;
    const KIND: &'static str = "operationLog.export";

    fn table() -> Table<Line> {
        Table { name: text("操作记录", "Operation records"), columns: COLUMNS, row }
    }

    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        self.filter.check(&mut check);
        Ok(check.finish()?)
    }

    async fn total(&self, app: &App) -> Outcome<u64> {
        Ok(store::total(app.db.read(), &self.filter).await?)
    }

    async fn rows(self, app: &App) -> Outcome<Steps<Line>> {
        let (db, acts) = (app.db.clone(), app.acts.clone());
        Ok(sheet::steps(move |before: Option<i64>| {
            let (db, acts, filter) = (db.clone(), acts.clone(), self.filter.clone());
            async move {
                let rows =
                    store::step(db.read(), &filter, before.or(Some(self.newest + 1)), step_size(before.as_ref()))
                        .await?;
                let last = rows.last().map(|row| row.id);
                Ok((rows.into_iter().map(|row| Line { row, acts: acts.clone() }).collect(), last))
            }
        }))
    }
}

/// The lines that `filter` means as a file, newest first, or the task that writes it.
///
/// # Errors
/// Body status 1 when there are none.
pub async fn export(ctx: &OpCtx, filter: OperationLogFilter, format: Format) -> Outcome<Response> {
    let Some(newest) = store::step(ctx.read(), &filter, None, 1).await?.first().map(|row| row.id) else {
        return Err(Fault::status(NOTHING, NOTHING_TO_EXPORT));
    };
    crate::export::export(ctx, LogLines { filter, newest }, format).await
}
