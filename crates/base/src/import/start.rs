//! Begins what was previewed, and makes the empty table to fill in.

use std::fs::File;
use std::str::FromStr as _;

use axum::response::Response;
use courier::ObjectKey;
use entity::import_file::{ActiveModel, Column, Entity, Model};
use kernel::text::{Text, text};
use queue::Creator;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};

use super::Import;
use super::effect::Effect;
use super::job::{GONE, ImportJob};
use crate::export::TaskStarted;
use crate::fault::{Fault, OrMissing as _, Outcome};
use crate::fetch::fetch;
use crate::http::ops::{Audit, OpCtx};
use crate::sheet::{self, Format, Style, Table};

const NOT_FOUND: Text =
    text("导入文件不存在或已过期，请重新上传", "The import file does not exist or has expired; upload it again");
const STARTED: Text = text("该文件已经导入过，请重新上传", "This file has already been imported; upload it again");

/// Begins the import of a file that the same operator uploaded; once.
///
/// # Errors
/// When there is no such file, it was begun before, or none of its rows would do anything.
pub(super) async fn start<I: Import>(ctx: &OpCtx, id: String) -> Outcome<TaskStarted> {
    let mut tx = ctx.begin_write().await?;
    let file = uploaded::<I>(&*tx, ctx, id).await?;
    if file.bad_rows >= file.total_rows {
        return Err(Fault::conflict(<I::Effect as Effect>::NOTHING));
    }
    let begin = ActiveModel { started_at: Set(Some(ctx.now())), ..Default::default() };
    let begun = Entity::update_many()
        .set(begin)
        .filter(Column::Id.eq(&file.id))
        .filter(Column::StartedAt.is_null())
        .exec(&*tx)
        .await?;
    if begun.rows_affected == 0 {
        return Err(Fault::conflict(STARTED));
    }
    let note = format!("{} rows", file.total_rows - file.bad_rows);
    let audit = Audit::of("import").id(&file.id).name(&file.file_name);
    let by = Creator::operator(ctx.operator(), ctx.session.username.clone());
    let task = ctx.app.queue.enqueue(tx.inner(), &ImportJob::<I>::of(ctx, file), &by).await?;
    tx.commit(audit.note(format!("{note}, task {task}"))).await?;
    Ok(TaskStarted { task_id: task.0 })
}

/// A file that the same operator uploaded.
///
/// # Errors
/// When there is none.
pub(super) async fn uploaded<I: Import>(db: &impl ConnectionTrait, ctx: &OpCtx, id: String) -> Outcome<Model> {
    let file = Entity::find_by_id(id).filter(Column::Kind.eq(I::OF)).filter(Column::CreatedBy.eq(ctx.operator()));
    file.one(db).await?.or_missing(NOT_FOUND)
}

/// The same with what is in it, if it was not begun yet: judged anew, the rows that were taken would be bad.
///
/// # Errors
/// When there is none, it was begun, or it cannot be read any more.
pub(super) async fn waiting<I: Import>(ctx: &OpCtx, id: String) -> Outcome<(Model, File)> {
    let file = uploaded::<I>(ctx.read(), ctx, id).await?;
    if file.started_at.is_some() {
        return Err(Fault::conflict(STARTED));
    }
    let key = ObjectKey::from_str(&file.object_key).map_err(anyhow::Error::from)?;
    let content = fetch(&ctx.app, &key).await?.or_missing(GONE)?;
    Ok((file, content))
}

/// The table to fill in: headings only.
///
/// # Errors
/// When it cannot be written.
pub(super) async fn template<I: Import>(ctx: &OpCtx, format: Format) -> Outcome<Response> {
    let columns = I::columns().iter().filter(|column| column.is_in_template).map(super::Column::heading).collect();
    let table: Table<()> = Table { name: I::TEMPLATE, columns, row: Box::new(|(), _| ()) };
    let none = sheet::steps(|_: Option<()>| async { Ok((Vec::new(), None)) });
    let config = &ctx.app.config;
    table.answer(format, Style { lang: ctx.lang(), zone: config.zone() }, none, &config.data_dir).await
}
