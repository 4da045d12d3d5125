//! Whether the database and the operation log are intact: checked in the background at every start, and thoroughly
//! every night. The result is stored, shown on the dashboard, counted for Prometheus, and logged as an error if
//! necessary.

use std::time::Instant;

use accounts::staff::chain_fault;
use base::app::App;
use base::fault::{Fault, Outcome};
use db::integrity;
use db::journal::{self, Broken, ChainFault};
use entity::integrity_check::{self, Model};
use kernel::lang::Lang;
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError, Outcome as Done};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Results that are kept: two months of nights, with some starts between.
const KEPT: i64 = 100;

/// The result of the last check of the database and the operation log.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Integrity {
    /// When it started.
    pub checked_at: UtcTime,
    /// How long it took.
    pub milliseconds: i64,
    /// Everything was read; after a start only what can be read quickly.
    pub thorough: bool,
    /// Nothing is wrong.
    pub ok: bool,
    /// What is wrong: about the database in the engine's own words, about the log in the caller's language.
    pub problems: Vec<String>,
    /// Operation log entries whose chain was verified.
    pub log_lines: i64,
    /// Anchors that were compared with the log.
    pub anchors: i64,
}

/// The last result, in `lang`; none before the first check has ended.
///
/// # Errors
/// When the read fails.
pub async fn latest(db: &impl ConnectionTrait, lang: Lang) -> Outcome<Option<Integrity>> {
    let row = integrity_check::Entity::find().order_by_desc(integrity_check::Column::Id).one(db).await?;
    Ok(row.map(|row| in_words(row, lang)))
}

fn in_words(row: Model, lang: Lang) -> Integrity {
    let Model { begun_at, took_ms, is_thorough, problems, log_lines, anchors, broken_at, fault, id: _ } = row;
    let mut problems: Vec<String> = serde_json::from_str(&problems).unwrap_or_default();
    if let (Some(line), Some(fault)) = (broken_at, fault.as_deref().and_then(ChainFault::named)) {
        let told = text("操作日志第 {line} 条：{fault}", "Operation log entry {line}: {fault}")
            .with("line", line)
            .with("fault", chain_fault(fault).get(lang));
        problems.push(told.get(lang));
    }
    Integrity {
        checked_at: begun_at,
        milliseconds: took_ms,
        thorough: is_thorough,
        ok: problems.is_empty(),
        problems,
        log_lines,
        anchors,
    }
}

/// Checks, reports, and stores the result.
///
/// # Errors
/// When the database does not answer, or the result cannot be written.
pub async fn check(app: &App, is_thorough: bool) -> Outcome<Integrity> {
    let (begun_at, begun) = (app.clock.now(), Instant::now());
    let problems = integrity::inspect(&app.db, is_thorough, last_thorough(app).await?).await?;
    let log = match journal::verify(app.db.read()).await? {
        Ok(lines) => app
            .anchors
            .check(app.db.read())
            .await
            .map_err(Fault::internal)?
            .map(|anchors| (lines.cast_signed(), anchors.cast_signed())),
        Err(broken) => Err(broken),
    };
    let row = Model {
        id: 0,
        begun_at,
        took_ms: i64::try_from(begun.elapsed().as_millis()).unwrap_or(i64::MAX),
        is_thorough,
        problems: serde_json::to_string(&problems).map_err(Fault::internal)?,
        log_lines: log.as_ref().map_or(0, |(lines, _)| *lines),
        anchors: log.as_ref().map_or(0, |(_, anchors)| *anchors),
        broken_at: log.as_ref().err().map(|broken| broken.id),
        fault: log.as_ref().err().map(|broken| broken.fault.name().to_owned()),
    };
    tell(&row, &problems, log.as_ref().err());
    let found = in_words(row.clone(), Lang::Zh);
    keep(app, row).await?;
    Ok(found)
}

/// When the last thorough check with a stored result started.
async fn last_thorough(app: &App) -> Outcome<Option<UtcTime>> {
    let looks = integrity_check::Entity::find()
        .filter(integrity_check::Column::IsThorough.eq(true))
        .order_by_desc(integrity_check::Column::Id);
    Ok(looks.one(app.db.read()).await?.map(|look| look.begun_at))
}

/// Reported first, and without the database, which may be what is damaged.
fn tell(row: &Model, problems: &[String], broken: Option<&Broken>) {
    let is_whole = problems.is_empty() && broken.is_none();
    metrics::gauge!("skyrack_integrity_ok").set(if is_whole { 1.0 } else { 0.0 });
    metrics::gauge!("skyrack_integrity_checked_timestamp_seconds").set((row.begun_at.millis() / 1000) as f64);
    for problem in problems {
        tracing::error!(problem, "the database is damaged: restore a backup, or ask for help before you continue");
    }
    if let Some(broken) = broken {
        tracing::error!(%broken, "the operation log has been altered");
    }
    if is_whole {
        tracing::info!(
            took_ms = row.took_ms,
            log_lines = row.log_lines,
            "the database and the operation log are intact"
        );
    }
}

async fn keep(app: &App, row: Model) -> Outcome<()> {
    let Model { begun_at, took_ms, is_thorough, problems, log_lines, anchors, broken_at, fault, id: _ } = row;
    let row = integrity_check::ActiveModel {
        begun_at: Set(begun_at),
        took_ms: Set(took_ms),
        is_thorough: Set(is_thorough),
        problems: Set(problems),
        log_lines: Set(log_lines),
        anchors: Set(anchors),
        broken_at: Set(broken_at),
        fault: Set(fault),
        ..Default::default()
    };
    let tx = app.db.begin_write().await?;
    let newest = integrity_check::Entity::insert(row).exec(&*tx).await?.last_insert_id;
    let old = integrity_check::Column::Id.lte(newest - KEPT);
    integrity_check::Entity::delete_many().filter(old).exec(&*tx).await?;
    tx.commit().await?;
    Ok(())
}

/// The quick check at startup; errors are logged.
pub async fn check_at_start(app: App) {
    if let Err(fault) = check(&app, false).await {
        tracing::error!(?fault, "the integrity check could not run");
    }
}

/// The nightly check.
#[derive(Debug, Serialize, Deserialize)]
pub struct CheckIntegrity {}

impl Job for CheckIntegrity {
    type State = App;
    const KIND: &'static str = "general.checkIntegrity";

    fn title(&self) -> Message {
        text("检查数据完整性", "Check data integrity").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<Done, JobError> {
        let found = check(ctx.state(), true).await.map_err(|fault| anyhow::anyhow!("{fault:?}"))?;
        if found.ok {
            return Ok(Done::done().say(text("数据完整", "Data intact")));
        }
        let told = text("发现 {n} 个问题，详见首页看板", "Problems found: {n}; see the dashboard");
        Ok(Done::done().say(told.with("n", found.problems.len())))
    }
}
