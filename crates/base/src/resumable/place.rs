//! Where the files of uploads are, and whose rows are theirs.

use std::fs::{File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

use entity::upload::{Column, Entity, Model};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, Condition, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use tokio::fs;
use tokio::time::{Instant, sleep};

use super::{KEPT, NO_UPLOAD, Resumable};
use crate::app::App;
use crate::fault::{Fault, OrMissing as _, Outcome};
use crate::http::ops::OpCtx;

const AT_WORK: Text = text(
    "这个文件正由另一个请求上传或检查，请稍后再继续",
    "Another request is sending or checking this file; go on in a moment",
);

/// How long a request waits for another one that is at the same file. A lock ends with the last copy of its file, and that may
/// be a moment after the answer: with a thread that still writes, or with a process that is just being started and has not let
/// go yet of what it inherits.
const PATIENCE: Duration = Duration::from_secs(1);
const TRY_AGAIN: Duration = Duration::from_millis(20);

/// The folder of all uploads.
pub(super) fn folder(app: &App) -> PathBuf {
    app.config.data_dir.join("uploads")
}

fn path(app: &App, id: &str) -> PathBuf {
    folder(app).join(id)
}

/// How many bytes have come. None is no different from no file.
pub(super) async fn offset(app: &App, row: &Model) -> io::Result<u64> {
    let size = row.size.unsigned_abs();
    if row.answer.is_some() {
        return Ok(size);
    }
    match fs::metadata(path(app, &row.id)).await {
        Ok(found) if found.len() <= size => Ok(found.len()),
        Ok(_) => Ok(0),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// An upload that nobody else is at.
pub(super) enum Held {
    /// Its file, to read it or to go on with it.
    Open(Model, File),
    /// It was taken, with this answer.
    Taken(Model, String),
}

/// One of the operator's uploads, for this request alone.
///
/// # Errors
/// When there is none, another request has it, or the disk refuses.
pub(super) async fn hold<R: Resumable>(ctx: &OpCtx, id: String) -> Outcome<Held> {
    let mut row = find::<R>(ctx.read(), ctx, id).await?;
    if let Some(answer) = row.answer.take() {
        return Ok(Held::Taken(row, answer));
    }
    let file = locked(&ctx.app, &row.id).await?;
    // Whoever had the lock before may have taken the upload, or given it up: then this is a new file, of nothing.
    let mut row = match find::<R>(ctx.read(), ctx, row.id.clone()).await {
        Err(gone @ Fault::NotFound(_)) => {
            remove(&ctx.app, &row.id).await?;
            return Err(gone);
        }
        found => found?,
    };
    if let Some(answer) = row.answer.take() {
        remove(&ctx.app, &row.id).await?;
        return Ok(Held::Taken(row, answer));
    }
    if file.metadata()?.len() > row.size.unsigned_abs() {
        file.set_len(0)?;
    }
    Ok(Held::Open(row, file))
}

async fn locked(app: &App, id: &str) -> Outcome<File> {
    fs::create_dir_all(folder(app)).await?;
    let file = fs::OpenOptions::new().create(true).read(true).append(true).open(path(app, id)).await?.into_std().await;
    let latest = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < latest => sleep(TRY_AGAIN).await,
            Err(TryLockError::WouldBlock) => return Err(Fault::conflict(AT_WORK)),
            Err(TryLockError::Error(error)) => return Err(error.into()),
        }
    }
}

/// Removes the file; one that is not there has gone already.
pub(super) async fn remove(app: &App, id: &str) -> io::Result<()> {
    match fs::remove_file(path(app, id)).await {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// The uploads that have not expired.
pub(super) fn living(now: UtcTime) -> Condition {
    Condition::all().add(Column::CreatedAt.gt(now.plus_seconds(-KEPT)))
}

/// The living uploads of the operator, for this purpose.
pub(super) fn own<R: Resumable>(ctx: &OpCtx) -> Condition {
    living(ctx.now()).add(Column::Kind.eq(R::OF)).add(Column::CreatedBy.eq(ctx.operator()))
}

/// One of them.
///
/// # Errors
/// When there is none; another operator's is none.
pub(super) async fn find<R: Resumable>(db: &impl ConnectionTrait, ctx: &OpCtx, id: String) -> Outcome<Model> {
    Entity::find_by_id(id).filter(own::<R>(ctx)).one(db).await?.or_missing(NO_UPLOAD)
}
