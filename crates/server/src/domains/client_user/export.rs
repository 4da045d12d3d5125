//! Lists as files: small ones at once, large ones as a task.

use axum::response::{IntoResponse as _, Response};
use db::Db;
use entity::ClientUserId;
use entity::client_user::Model;
use kernel::lang::Lang;
use kernel::rules::{Check, max_chars};
use kernel::text::{Message, Text, text};
use queue::{Creator, Job, JobCtx, JobError, ResultFile};
use serde::{Deserialize, Serialize};

use super::records::{self, ClientUserRecordView, RecordFilter};
use super::store::{self, ClientUserFilter};
use super::{TaskStarted, names};
use crate::app::App;
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{Validate as _, reply};
use crate::sheet::{self, Cells, Column, Format, Steps, Style, Table, column};

/// Rows read at a time: the first step is small, so that the first rows are there at once.
const FIRST: u64 = 200;
const STEP: u64 = 2000;
/// Where result files lie in the object storage.
const FOLDER: &str = "export";
/// Bytes handed to the object storage at a time.
const PIECE: usize = 1 << 20;

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

const fn user_table() -> Table<Model> {
    Table { name: text("用户信息", "Client users"), columns: USER_COLUMNS, row: user_row }
}

const fn record_table() -> Table<ClientUserRecordView> {
    Table {
        name: text("注册与登录记录", "Registrations and sign-ins"), columns: RECORD_COLUMNS, row: record_row
    }
}

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

fn user_rows(db: Db, filter: ClientUserFilter) -> Steps<Model> {
    sheet::steps(move |before: Option<ClientUserId>| {
        let (db, filter) = (db.clone(), filter.clone());
        async move { Ok(store::step(db.read(), &filter, before, if before.is_none() { FIRST } else { STEP }).await?) }
    })
}

fn record_rows(db: Db, filter: RecordFilter) -> Steps<ClientUserRecordView> {
    sheet::steps(move |before: Option<i64>| {
        let (db, filter) = (db.clone(), filter.clone());
        async move { records::step(db.read(), &filter, before, if before.is_none() { FIRST } else { STEP }).await }
    })
}

/// Which list is exported, and which of its rows.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// Customers.
    Users(ClientUserFilter),
    /// What they did.
    Records(RecordFilter),
}

impl Source {
    fn check(&self) -> Outcome<()> {
        let mut check = Check::new();
        match self {
            Self::Users(filter) => {
                if let Some(text) = &filter.key_word {
                    check.field("keyWord", max_chars(text, 64));
                }
                filter.check_times(&mut check);
            }
            Self::Records(filter) => filter.check(&mut check),
        }
        Ok(check.finish()?)
    }

    async fn total(&self, db: &Db) -> Outcome<u64> {
        Ok(match self {
            Self::Users(filter) => store::total(db.read(), filter).await?,
            Self::Records(filter) => records::total(db.read(), filter).await?,
        })
    }

    const fn name(&self) -> Text {
        match self {
            Self::Users(_) => user_table().name,
            Self::Records(_) => record_table().name,
        }
    }

    async fn answer(self, db: &Db, format: Format, style: Style) -> Outcome<Response> {
        match self {
            Self::Users(filter) => user_table().answer(format, style, user_rows(db.clone(), filter)).await,
            Self::Records(filter) => record_table().answer(format, style, record_rows(db.clone(), filter)).await,
        }
    }

    async fn write_file(
        self,
        db: &Db,
        format: Format,
        style: Style,
        written: impl Fn(u64) + Send + Sync + 'static,
    ) -> Outcome<std::fs::File> {
        match self {
            Self::Users(filter) => user_table().to_file(format, style, user_rows(db.clone(), filter), written).await,
            Self::Records(filter) => {
                record_table().to_file(format, style, record_rows(db.clone(), filter), written).await
            }
        }
    }
}

/// Answers the rows as a file or, when they are many, begins a task and names it.
///
/// # Errors
/// When the filter is not valid or a read fails.
pub async fn export(ctx: &OpCtx, source: Source, format: Format) -> Outcome<Response> {
    source.check()?;
    let total = source.total(ctx.db()).await?;
    let audit = Audit::of("export").name(source.name().get(ctx.lang())).after(&source).note(format!("{total} rows"));
    if total <= ctx.app.config.export_rows {
        ctx.record(audit).await?;
        let style = Style { lang: ctx.lang(), zone: ctx.app.config.zone() };
        return source.answer(ctx.db(), format, style).await;
    }
    let job = ExportList { source, format, lang: ctx.lang(), total };
    let by = Creator { id: Some(ctx.operator()), name: ctx.session.username.clone() };
    let mut tx = ctx.begin_write().await?;
    let task = ctx.app.queue.enqueue(tx.inner(), &job, &by).await?;
    tx.commit(audit.id(&task)).await?;
    Ok(reply(TaskStarted { task_id: task.0 })?.into_response())
}

/// Writes a long list to a result file.
#[derive(Debug, Serialize, Deserialize)]
pub struct ExportList {
    source: Source,
    format: Format,
    lang: Lang,
    /// Rows when it was asked for: what the progress is measured by.
    total: u64,
}

impl Job for ExportList {
    type State = App;
    const KIND: &'static str = "clientUser.export";

    fn title(&self) -> Message {
        let name = self.source.name();
        match self.lang {
            Lang::Zh => text("导出{name}（{n} 行）", "Export {name} ({n} rows)").with("name", name.zh),
            Lang::En => text("导出{name}（{n} 行）", "Export {name} ({n} rows)").with("name", name.en),
        }
        .with("n", self.total)
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let style = Style { lang: self.lang, zone: app.config.zone() };
        let (written, mut seen) = tokio::sync::watch::channel(0_u64);
        let total = i64::try_from(self.total).ok();
        let making = self.source.clone().write_file(&app.db, self.format, style, move |rows| {
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
        let stored = store_file(app, file).await?;
        let name = format!("{}.{}", self.source.name().get(self.lang), self.format.extension());
        let size = i64::try_from(stored.size).unwrap_or(i64::MAX);
        Ok(queue::Outcome::done().with_file(ResultFile { key: stored.key.to_string(), name, size }))
    }
}

async fn store_file(app: &App, file: std::fs::File) -> Result<courier::Stored, anyhow::Error> {
    use futures::StreamExt as _;
    let mut incoming = app.objects.create(FOLDER);
    let mut pieces = tokio_util::io::ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE);
    while let Some(piece) = pieces.next().await {
        incoming.write(piece?).await?;
    }
    Ok(incoming.finish().await?)
}
