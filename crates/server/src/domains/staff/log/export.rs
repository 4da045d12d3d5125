//! The operation log as a spreadsheet.

use axum::response::Response;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;

use super::store::{self, OperationLogFilter};
use super::words;
use crate::fault::{Fault, Outcome};
use crate::http::guard::Acts;
use crate::http::ops::{Audit, OpCtx};
use crate::sheet::{self, Cells, Column, Format, Steps, Style, Table, column};

/// Lines read at a time.
const STEP: u64 = 1000;
/// Body status of an export that has nothing to export (specification, section 7).
const NOTHING: i32 = 1;
const NOTHING_TO_EXPORT: Text = text("没有可导出的操作记录", "There are no operation records to export");
const TOO_MANY: Text = text(
    "共 {total} 条，一次最多导出 {max} 条，请缩小时间范围",
    "These are {total} records; one export takes at most {max}. Choose a shorter period",
);

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

/// A line in words.
struct Line {
    id: i64,
    at: UtcTime,
    status: i32,
    texts: [String; 7],
    before: Option<String>,
    after: Option<String>,
    request_id: String,
}

fn row(line: &Line, to: &mut dyn Cells) {
    let [who, ip, act, kind, object_id, object, message] = &line.texts;
    to.number(line.id);
    to.time(Some(line.at));
    for text in [who, ip, act, kind, object_id, object] {
        to.text(text);
    }
    match line.status {
        0 => to.text(DONE.get(to.lang())),
        status => to.text(&REFUSED.with("status", status).get(to.lang())),
    }
    to.text(message);
    to.text(line.before.as_deref().unwrap_or_default());
    to.text(line.after.as_deref().unwrap_or_default());
    to.text(&line.request_id);
}

/// The lines that `filter` means as a workbook, newest first.
///
/// # Errors
/// Body status 1 when there are none, a conflict when there are too many for one reply.
pub async fn export(ctx: &OpCtx, acts: &Acts, filter: OperationLogFilter) -> Outcome<Response> {
    let total = store::total(ctx.read(), &filter).await?;
    if total == 0 {
        return Err(Fault::status(NOTHING, NOTHING_TO_EXPORT));
    }
    let max = ctx.app.config.export_rows;
    if total > max {
        return Err(Fault::conflict(TOO_MANY.with("total", total).with("max", max)));
    }
    let style = Style { lang: ctx.lang(), zone: ctx.app.config.zone() };
    let table = Table { name: text("操作记录", "Operation records"), columns: COLUMNS, row };
    // The workbook is whole when it is answered, so that the line about this export is not in it.
    let answer = table.answer(Format::Xlsx, style, lines(ctx, acts, filter.clone())).await?;
    ctx.record(Audit::of("operationLog").after(&filter).note(format!("{total} rows"))).await?;
    Ok(answer)
}

fn lines(ctx: &OpCtx, acts: &Acts, filter: OperationLogFilter) -> Steps<Line> {
    let (db, acts, lang) = (ctx.db().clone(), acts.clone(), ctx.lang());
    sheet::steps(move |before: Option<i64>| {
        let (db, acts, filter) = (db.clone(), acts.clone(), filter.clone());
        async move {
            let rows = store::step(db.read(), &filter, before, STEP).await?;
            let last = rows.last().map(|row| row.id);
            Ok((rows.into_iter().map(|row| line(row, &acts, lang)).collect(), last))
        }
    })
}

fn line(row: entity::operation_log::Model, acts: &Acts, lang: Lang) -> Line {
    let (act, kind) = (words::action(acts, &row.action, lang), words::kind(&row.object_kind, lang));
    Line {
        id: row.id,
        at: row.at,
        status: row.status,
        texts: [row.operator_name, row.ip, act, kind, row.object_id, row.object_name, row.message],
        before: row.before,
        after: row.after,
        request_id: row.request_id,
    }
}
