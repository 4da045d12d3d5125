//! Lists as files: a short one at once, a long one as a background task with a result file.

use std::collections::BTreeMap;

use axum::response::{IntoResponse as _, Response};
use kernel::lang::Lang;
use kernel::text::{Message, text};
use queue::{Creator, Job, JobCtx, JobError, ResultFile};
use serde::{Deserialize, Serialize};
use utoipa::openapi::response::Response as Documented;
use utoipa::openapi::schema::{KnownFormat, Object, Schema, SchemaFormat, Type};
use utoipa::openapi::{ContentBuilder, RefOr, ResponseBuilder};
use utoipa::{IntoParams, IntoResponses, PartialSchema as _, ToSchema};

use crate::app::App;
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{Reply, reply};
use crate::incoming;
use crate::list::{self, List, Query, Reader};
use crate::sheet::{self, Format, Style};

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

/// What a call that gives a list as a file answers, for its documentation.
#[derive(Clone, Copy, Debug)]
pub struct TableFile;

impl IntoResponses for TableFile {
    fn responses() -> BTreeMap<String, RefOr<Documented>> {
        let content = |schema: RefOr<Schema>| ContentBuilder::new().schema(Some(schema)).build();
        let workbook =
            Object::builder().schema_type(Type::String).format(Some(SchemaFormat::KnownFormat(KnownFormat::Binary)));
        let answer = ResponseBuilder::new()
            .description("The file or, for a long list, the task that makes it")
            .content("application/json", content(Reply::<TaskStarted>::schema()))
            .content("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", content(workbook.into()))
            .content("text/csv", content(String::schema()))
            .build();
        BTreeMap::from([("200".to_owned(), answer.into())])
    }
}

/// Answers the rows as a file or, when they are many, begins a task and names it.
///
/// # Errors
/// When the filter is not valid or a read fails.
pub async fn export<L: List>(ctx: &OpCtx, query: Query<L>, format: Format) -> Outcome<Response> {
    let from = Reader::of(ctx);
    let total = L::total(&from, &query).await?;
    let audit = Audit::of("export").name(L::NAME.get(ctx.lang())).after(&query).note(format!("{total} rows"));
    if total <= ctx.app.config.export_rows {
        ctx.record(audit).await?;
        let style = Style { lang: ctx.lang(), zone: ctx.app.config.zone() };
        return list::table::<L>().answer(format, style, L::rows(from, query).await?, &ctx.app.config.data_dir).await;
    }
    let job = ExportJob { query, format, lang: ctx.lang(), total };
    let by = Creator::operator(ctx.operator(), ctx.session.username.clone());
    let mut tx = ctx.begin_write().await?;
    let task = ctx.app.queue.enqueue(tx.inner(), &job, &by).await?;
    tx.commit(audit.id(&task)).await?;
    Ok(reply(TaskStarted { task_id: task.0 })?.into_response())
}

/// Writes a long list to a result file.
#[derive(Debug, Serialize, Deserialize)]
#[serde(bound = "")]
pub struct ExportJob<L: List> {
    query: Query<L>,
    format: Format,
    lang: Lang,
    /// Rows when it was asked for: what the progress is measured by.
    total: u64,
}

impl<L: List> Job for ExportJob<L> {
    type State = App;
    const KIND: &'static str = L::KIND;

    fn title(&self) -> Message {
        let name = L::NAME.get(self.lang);
        text("导出{name}（{n} 行）", "Export {name} ({n} rows)").with("name", name).with("n", self.total)
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let style = Style { lang: self.lang, zone: app.config.zone() };
        let (written, mut seen) = tokio::sync::watch::channel(0_u64);
        let total = i64::try_from(self.total).ok();
        let rows = L::rows(Reader { app: app.clone(), lang: self.lang }, self.query.clone()).await?;
        let making = list::table::<L>().to_file(self.format, style, rows, &app.config.data_dir, move |rows| {
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
        // The end of this task names it, which the next sweep sees.
        let stored = incoming::store(app, FOLDER, file).await?;
        let name = sheet::file_name(L::NAME, self.format, self.lang);
        let size = i64::try_from(stored.size).unwrap_or(i64::MAX);
        Ok(queue::Outcome::done().with_file(ResultFile { key: stored.key.to_string(), name, size }))
    }
}
