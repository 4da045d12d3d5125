//! Lists as files: a short one at once, a long one as a background task with a result file.

use axum::response::{IntoResponse as _, Response};
use kernel::lang::Lang;
use kernel::text::{Message, text};
use queue::{Creator, Job, JobCtx, JobError, ResultFile};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::app::App;
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::reply;
use crate::sheet::{Format, Steps, Style, Table};

/// Where result files lie in the object storage.
const FOLDER: &str = "export";
/// Rows of the first step of a list, so that the first rows are there at once.
const FIRST: u64 = 200;
/// Rows of every other step.
const STEP: u64 = 2000;

/// How many rows the step behind `after` has; none is the first.
#[must_use]
pub const fn step_size<K>(after: Option<&K>) -> u64 {
    if after.is_none() { FIRST } else { STEP }
}

/// The kind of file that is asked for.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct FormatQuery {
    /// `xlsx`, which is the default, or `csv`.
    #[serde(default)]
    #[param(inline)]
    pub format: Format,
}

/// A background task was started.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskStarted {
    /// The task, for `/api/task/v1/tasks/{id}`.
    pub task_id: String,
}

/// Which rows of which list are wanted: what is kept of an export that waits for its turn.
pub trait Listing: Clone + std::fmt::Debug + Serialize + DeserializeOwned + Send + Sync + 'static {
    /// A row.
    type Row: Send + 'static;
    /// The name of the background task; never to be changed.
    const KIND: &'static str;

    /// Its columns.
    fn table() -> Table<Self::Row>;

    /// Refuses a filter that is not valid.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(&self) -> Outcome<()>;

    /// How many rows there are.
    fn total(&self, app: &App) -> impl Future<Output = Outcome<u64>> + Send;

    /// The rows, read while they are written.
    fn rows(self, app: &App) -> impl Future<Output = Outcome<Steps<Self::Row>>> + Send;
}

/// Answers the rows as a file or, when they are many, begins a task and names it.
///
/// # Errors
/// When the filter is not valid or a read fails.
pub async fn export<L: Listing>(ctx: &OpCtx, listing: L, format: Format) -> Outcome<Response> {
    listing.check()?;
    let total = listing.total(&ctx.app).await?;
    let name = L::table().name.get(ctx.lang());
    let audit = Audit::of("export").name(name).after(&listing).note(format!("{total} rows"));
    if total <= ctx.app.config.export_rows {
        ctx.record(audit).await?;
        let style = Style { lang: ctx.lang(), zone: ctx.app.config.zone() };
        return L::table().answer(format, style, listing.rows(&ctx.app).await?).await;
    }
    let job = ExportJob { listing, format, lang: ctx.lang(), total };
    let by = Creator::operator(ctx.operator(), ctx.session.username.clone());
    let mut tx = ctx.begin_write().await?;
    let task = ctx.app.queue.enqueue(tx.inner(), &job, &by).await?;
    tx.commit(audit.id(&task)).await?;
    Ok(reply(TaskStarted { task_id: task.0 })?.into_response())
}

/// Writes a long list to a result file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ExportJob<L: Listing> {
    listing: L,
    format: Format,
    lang: Lang,
    /// Rows when it was asked for: what the progress is measured by.
    total: u64,
}

impl<L: Listing> Job for ExportJob<L> {
    type State = App;
    const KIND: &'static str = L::KIND;

    fn title(&self) -> Message {
        let name = L::table().name.get(self.lang);
        text("导出{name}（{n} 行）", "Export {name} ({n} rows)").with("name", name).with("n", self.total)
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let style = Style { lang: self.lang, zone: app.config.zone() };
        let (written, mut seen) = tokio::sync::watch::channel(0_u64);
        let total = i64::try_from(self.total).ok();
        let rows = self.listing.clone().rows(app).await?;
        let making = L::table().to_file(self.format, style, rows, move |rows| {
            written.send_replace(rows);
        });
        tokio::pin!(making);
        let file = loop {
            tokio::select! {
                made = &mut making => break made?,
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
        let stored = app.objects.put_file(FOLDER, file).await.map_err(anyhow::Error::from)?;
        let name = L::table().file_name(self.format, self.lang);
        let size = i64::try_from(stored.size).unwrap_or(i64::MAX);
        Ok(queue::Outcome::done().with_file(ResultFile { key: stored.key.to_string(), name, size }))
    }
}
