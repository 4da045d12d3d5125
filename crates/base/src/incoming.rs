//! Files on their way into the object storage.
//!
//! A file is stored before the row that names it is committed. A console that is killed in between leaves a file that
//! nothing names, or the first part of one. So each is written down in the database before its first byte and crossed
//! out together with that row; what is still written down at the next start is taken away, unless a row names it after
//! all. A file that another one replaces is written down again, in the transaction that crosses it out of its row. The
//! storage itself is never searched for what nobody seems to need: a bucket may serve others too, and a database that is
//! not the right one would not know any of its files.

use std::collections::HashSet;
use std::fs::File;
use std::str::FromStr as _;

use courier::{ObjectKey, Stored};
use db::sql;
use entity::incoming_object::{ActiveModel, Column, Entity};
use kernel::text::{Message, text};
use kernel::time::UtcTime;
use queue::{Job, JobCtx, JobError};
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _,
    QueryOrder as _, QuerySelect as _, Value,
};
use serde::{Deserialize, Serialize};

use crate::app::App;
use crate::fault::Outcome;
use crate::resumable;

/// Files that are looked at together.
const STEP: u64 = 500;
/// While the console runs, only those are taken away that no upload can be at work on any more.
const KEPT_HOURS: i64 = 48;

/// Writes down a file that no row names: it begins, or another one replaces it.
///
/// # Errors
/// When the database refuses.
pub async fn begin(tx: &impl ConnectionTrait, key: &ObjectKey, now: UtcTime) -> Result<(), DbErr> {
    let row = ActiveModel { object_key: Set(key.to_string()), begun_at: Set(now) };
    Entity::insert(row).exec_without_returning(tx).await?;
    Ok(())
}

/// Crosses out a file: a row that is written in the same transaction names it.
///
/// # Errors
/// When the database refuses.
pub async fn arrived(tx: &impl ConnectionTrait, key: &ObjectKey) -> Result<(), DbErr> {
    Entity::delete_by_id(key.to_string()).exec(tx).await?;
    Ok(())
}

/// Stores a file, from its current position to its end; [`arrived`] belongs into the transaction with its row.
///
/// # Errors
/// When the database refuses, the file cannot be read, or the storage does not take it.
pub async fn store(app: &App, folder: &'static str, file: File) -> Outcome<Stored> {
    let incoming = app.objects.create(folder);
    let tx = app.db.begin_write().await?;
    begin(&*tx, incoming.key(), app.clock.now()).await?;
    tx.commit().await?;
    Ok(incoming.take_file(file).await.map_err(anyhow::Error::from)?)
}

/// Takes away a file that is written down and that no row will name, and crosses it out.
///
/// # Errors
/// When the storage or the database refuses: then it stays written down.
pub async fn discard(app: &App, key: &ObjectKey) -> Outcome<()> {
    app.objects.delete(key).await.map_err(anyhow::Error::from)?;
    let tx = app.db.begin_write().await?;
    arrived(&*tx, key).await?;
    Ok(tx.commit().await?)
}

/// Takes away what an earlier run has left, in the background. Called before anything else begins.
///
/// # Errors
/// When the database does not answer.
pub async fn sweep_at_start(app: &App) -> Result<(), DbErr> {
    let left = begun(app, Condition::all()).await?;
    let app = app.clone();
    tokio::spawn(async move {
        let swept = sweep(&app, left).await.and(resumable::sweep(&app).await);
        if let Err(error) = swept {
            // They stay written down, for the next time.
            tracing::warn!(error = format!("{error:#}"), "files that an earlier run left behind could not be removed");
        }
    });
    Ok(())
}

/// The files that are written down.
async fn begun(app: &App, which: Condition) -> Result<Vec<String>, DbErr> {
    let keys = Entity::find().select_only().column(Column::ObjectKey).filter(which).order_by_asc(Column::ObjectKey);
    keys.into_tuple().all(app.db.read()).await
}

/// Takes away those of `keys` that no row names, and crosses out all of them. Returns how many were taken away.
async fn sweep(app: &App, keys: Vec<String>) -> anyhow::Result<u64> {
    let mut removed = 0;
    for keys in keys.chunks(usize::try_from(STEP)?) {
        let named = named(app, keys).await?;
        for key in keys.iter().filter(|key| !named.contains(*key)) {
            app.objects.remove(&ObjectKey::from_str(key)?).await?;
            removed += 1;
        }
        let tx = app.db.begin_write().await?;
        Entity::delete_many().filter(Column::ObjectKey.is_in(keys)).exec(&*tx).await?;
        tx.commit().await?;
    }
    if removed > 0 {
        tracing::info!(removed, "removed files that an earlier run had begun and not finished");
    }
    Ok(removed)
}

/// Which of `keys` a row names.
async fn named(app: &App, keys: &[String]) -> Result<HashSet<String>, DbErr> {
    let db = app.db.read();
    let backend = db.get_database_backend();
    let places = (1..=keys.len()).map(|at| format!("${at}")).collect::<Vec<_>>().join(", ");
    let mut named = HashSet::new();
    for (table, column) in &app.file_columns {
        let text = format!("SELECT {column} AS object_key FROM {table} WHERE {column} IN ({places})");
        for row in db.query_all_raw(sql::statement(backend, &text, keys.iter().map(Value::from))).await? {
            named.insert(row.try_get("", "object_key")?);
        }
    }
    Ok(named)
}

/// Takes away what was begun long ago and never named: by a request that was refused or broke off.
#[derive(Debug, Serialize, Deserialize)]
pub struct SweepIncoming {}

impl Job for SweepIncoming {
    type State = App;
    const KIND: &'static str = "file.sweepIncoming";

    fn title(&self) -> Message {
        text("清理未完成的上传文件", "Remove unfinished uploads").into()
    }

    async fn run(&self, ctx: &JobCtx<App>) -> Result<queue::Outcome, JobError> {
        let app = ctx.state();
        let before = app.clock.now().plus_seconds(-KEPT_HOURS * 3600);
        let old = begun(app, Condition::all().add(Column::BegunAt.lt(before))).await?;
        let removed = sweep(app, old).await? + resumable::sweep(app).await?;
        Ok(queue::Outcome::done().say(text("已清理 {n} 个文件", "Files removed: {n}").with("n", removed)))
    }
}
