//! The list as a file: a short one at once, a long one as a task.

use axum::response::{IntoResponse as _, Response};
use entity::CardId;
use kernel::lang::Lang;
use kernel::text::{Message, text};
use queue::{Creator, Job, JobCtx, JobError, ResultFile};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use serde::{Deserialize, Serialize};

use super::names;
use super::store::{self, CardFilter, CardScope};
use super::view::{self, CardView};
use crate::app::App;
use crate::domains::client_user::TaskStarted;
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::reply;
use crate::sheet::{self, Cells, Column, Format, Steps, Style, Table, column};

/// Rows read at a time: the first step is small, so that the first rows are there at once.
const FIRST: u64 = 200;
const STEP: u64 = 2000;
/// Where result files lie in the object storage.
const FOLDER: &str = "export";
/// Bytes handed to the object storage at a time.
const PIECE: usize = 1 << 20;

/// The headings that an import takes back are its own.
const COLUMNS: &[Column] = &[
    column(text("ID", "ID"), 10),
    column(text("序列号", "Serial"), 20),
    column(text("机房", "Room"), 16),
    column(text("机架", "Frame"), 12),
    column(text("机架位置", "Chassis location"), 16),
    column(text("主机槽位", "Host slot"), 10),
    column(text("刀片地址", "Blade address"), 16),
    column(text("卡位", "Position"), 8),
    column(text("内网 IP", "Intranet IP"), 16),
    column(text("ADB 端口", "ADB port"), 10),
    column(text("外网 IP", "Extranet IP"), 16),
    column(text("外网端口", "Extranet port"), 10),
    column(text("厂商", "Manufacturer"), 16),
    column(text("型号", "Model"), 16),
    column(text("板卡型号", "Board"), 12),
    column(text("规格", "Size"), 12),
    column(text("运行状态", "Run status"), 12),
    column(text("自", "Since"), 20),
    column(text("网络状态", "Network status"), 12),
    column(text("维护", "Maintenance"), 14),
    column(text("可分配", "Assignable"), 8),
    column(text("超分", "Overcommit"), 8),
    column(text("备注", "Remark"), 30),
];

const fn table() -> Table<CardView> {
    Table { name: text("设备列表", "Cards"), columns: COLUMNS, row: fill }
}

fn fill(row: &CardView, to: &mut dyn Cells) {
    let lang = to.lang();
    let number = |to: &mut dyn Cells, number: Option<i32>| match number {
        Some(number) => to.number(number.into()),
        None => to.text(""),
    };
    let ip = |ip: Option<kernel::ip4::Ip4>| ip.map_or_else(String::new, |ip| ip.to_string());
    to.number(row.id.0);
    to.text(row.serial.as_deref().unwrap_or_default());
    to.text(&row.room_name);
    to.text(&row.frame_name);
    to.text(&row.chassis_location);
    number(to, row.slot);
    to.text(&ip(row.blade_address));
    number(to, row.position);
    to.text(&row.intranet_ip.to_string());
    to.number(row.adb_port.into());
    to.text(&ip(row.extranet_ip));
    number(to, row.extranet_port);
    to.text(&row.manufacturer);
    to.text(&row.model);
    to.text(&row.board);
    to.text(&row.size);
    to.text(names::run_status(row.run_status).get(lang));
    to.time(Some(row.run_since));
    to.text(names::network_status(row.network_status).get(lang));
    to.text(names::maintenance(row.maintenance.state).get(lang));
    to.text(names::flag(row.is_assignable).get(lang));
    to.text(names::flag(row.is_overcommit).get(lang));
    to.text(&row.remark);
}

/// The rows that a filter means, newest first.
fn rows(app: App, scope: CardScope) -> Steps<CardView> {
    sheet::steps(move |before: Option<CardId>| {
        let (app, scope) = (app.clone(), scope.clone());
        async move {
            let limit = if before.is_none() { FIRST } else { STEP };
            let db = app.db.read();
            let mut select = scope.apply(app.db.backend(), entity::card::Entity::find());
            if let Some(before) = before {
                select = select.filter(entity::card::Column::Id.lt(before));
            }
            let found = select.order_by_desc(entity::card::Column::Id).limit(limit).all(db).await?;
            let next = (found.len() as u64 == limit).then(|| found.last().map(|row| row.id)).flatten();
            Ok((view::views(&app, found).await?, next))
        }
    })
}

/// Answers the cards as a file or, when they are many, begins a task and names it.
///
/// # Errors
/// When the filter is not valid or a read fails.
pub async fn export(ctx: &OpCtx, filter: CardFilter, format: Format) -> Outcome<Response> {
    filter.checked()?;
    let scope = filter.resolve(&ctx.app).await?;
    let total = store::total(ctx.read(), &scope).await?;
    let audit = Audit::of("export").name(table().name.get(ctx.lang())).after(&filter).note(format!("{total} rows"));
    if total <= ctx.app.config.export_rows {
        ctx.record(audit).await?;
        let style = Style { lang: ctx.lang(), zone: ctx.app.config.zone() };
        return table().answer(format, style, rows(ctx.app.clone(), scope)).await;
    }
    let job = ExportCards { filter, format, lang: ctx.lang(), total };
    let by = Creator::operator(ctx.operator(), ctx.session.username.clone());
    let mut tx = ctx.begin_write().await?;
    let task = ctx.app.queue.enqueue(tx.inner(), &job, &by).await?;
    tx.commit(audit.id(&task)).await?;
    Ok(reply(TaskStarted { task_id: task.0 })?.into_response())
}

/// Writes a long list of cards to a result file.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportCards {
    filter: CardFilter,
    format: Format,
    lang: Lang,
    /// Rows when it was asked for: what the progress is measured by.
    total: u64,
}

impl Job for ExportCards {
    type State = App;
    const KIND: &'static str = "card.export";

    fn title(&self) -> Message {
        text("导出设备列表（{n} 行）", "Export cards ({n} rows)").with("n", self.total)
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let style = Style { lang: self.lang, zone: app.config.zone() };
        let scope = self.filter.resolve(app).await.map_err(|fault| anyhow::anyhow!("export cards: {fault:?}"))?;
        let (written, mut seen) = tokio::sync::watch::channel(0_u64);
        let total = i64::try_from(self.total).ok();
        let making = table().to_file(self.format, style, rows(app.clone(), scope), move |rows| {
            written.send_replace(rows);
        });
        tokio::pin!(making);
        let file = loop {
            tokio::select! {
                made = &mut making => break made.map_err(|fault| anyhow::anyhow!("write the file: {fault:?}"))?,
                stop = ctx.stopped() => return Err(stop.into()),
                changed = seen.changed() => {
                    if changed.is_ok() {
                        ctx.progress(i64::try_from(*seen.borrow_and_update()).unwrap_or(0), total);
                    }
                }
            }
        };
        // The file may be done before its last step was told.
        ctx.progress(i64::try_from(*seen.borrow()).unwrap_or(0), total);
        let stored = keep(app, file).await?;
        let name = table().file_name(self.format, self.lang);
        let size = i64::try_from(stored.size).unwrap_or(i64::MAX);
        Ok(queue::Outcome::done().with_file(ResultFile { key: stored.key.to_string(), name, size }))
    }
}

async fn keep(app: &App, file: std::fs::File) -> Result<courier::Stored, anyhow::Error> {
    use futures::StreamExt as _;
    let mut incoming = app.objects.create(FOLDER);
    let mut pieces = tokio_util::io::ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE);
    while let Some(piece) = pieces.next().await {
        incoming.write(piece?).await?;
    }
    Ok(incoming.finish().await?)
}
