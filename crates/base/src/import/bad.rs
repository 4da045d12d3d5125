//! The bad rows of a file as a file: whoever mends them sends those alone.

use std::fs::File;

use axum::response::Response;
use kernel::lang::Lang;
use kernel::text::{Text, text};

use super::judge::judge;
use super::read::read;
use super::row::Row;
use super::start::waiting;
use super::{Column, Import};
use crate::app::App;
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::inspection::By;
use crate::sheet::{self, Cells, Format, Style, Table};
use crate::steps::{Giver, steps};

/// The heading of what is wrong with a row; an import knows it and leaves it out.
pub(super) const REASON: Text = text("原因", "Reason");
const NAME: Text = text("有问题的行", "Rows with problems");
const WIDTH: u8 = 60;

/// A bad row: its texts, and at the end what is wrong with it.
struct Bad {
    cells: Vec<String>,
}

/// The heading of the field `key`.
pub(super) fn heading<'a>(columns: &[Column], key: &'a str, lang: Lang) -> &'a str {
    columns.iter().find(|column| column.key == key).map_or(key, |column| column.label.get(lang))
}

/// The bad rows of a file that was previewed and not begun, under the headings of its import, with the reasons.
///
/// # Errors
/// When there is no such file, it was begun, or it can not be read any more.
pub(super) async fn bad<I: Import>(ctx: &OpCtx, id: String, format: Format) -> Outcome<Response> {
    let (file, content) = waiting::<I>(ctx, id).await?;
    ctx.record(Audit::of("import").id(&file.id).name(&file.file_name)).await?;
    let (columns, lang) = (I::columns(), ctx.lang());
    let headings = columns.iter().map(Column::heading).chain([sheet::column(REASON, WIDTH)]).collect();
    let fill = |row: &Bad, to: &mut dyn Cells| row.cells.iter().for_each(|cell| to.text(cell));
    let table = Table { name: NAME, columns: headings, row: Box::new(fill) };
    let (to, rows) = steps(sheet::broken_off);
    let app = ctx.app.clone();
    tokio::spawn(async move {
        let sent = send::<I>(&app, content, lang, &to).await;
        to.end(sent).await;
    });
    let config = &ctx.app.config;
    table.answer_written(format, Style { lang, zone: config.zone() }, rows, &config.data_dir).await
}

/// Gives the bad rows of `file`, until nobody takes them. They wait on the disk by then: its turn ends before, or it
/// would wait for whoever takes them, which may itself wait to be written.
async fn send<I: Import>(app: &App, file: File, lang: Lang, to: &Giver<Vec<Bad>>) -> Outcome<()> {
    let columns = I::columns();
    let mut batches = read::<I>(&app.inspection.turn(By::Person, &file).await?, &file).await?;
    while let Some(batch) = batches.next().await {
        let mut rows = batch?.rows;
        let effects = judge::<I>(app, app.db.read(), &mut rows).await?;
        let bad = rows.iter().zip(effects).filter(|(_, effect)| effect.is_none());
        if to.give(bad.map(|(row, _)| told(&columns, row, lang)).collect()).await.is_err() {
            break;
        }
    }
    Ok(())
}

/// The row's texts in the order of the columns, and behind them what is wrong with it.
fn told(columns: &[Column], row: &Row, lang: Lang) -> Bad {
    let problems = row.problems().iter().map(|problem| {
        let heading = heading(columns, &problem.field, lang);
        text("{heading}：{message}", "{heading}: {message}")
            .with("heading", heading)
            .with("message", problem.violation.message(lang))
            .get(lang)
    });
    let between = text("；", "; ").get(lang);
    let reason = problems.collect::<Vec<_>>().join(between);
    Bad { cells: columns.iter().map(|column| row.text(column.key)).chain([reason]).collect() }
}
