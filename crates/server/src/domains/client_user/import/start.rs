//! Beginning what was previewed, and the empty table to fill in.

use axum::response::Response;
use entity::import_file::{ActiveModel, Column, Entity};
use kernel::text::{Text, text};
use queue::Creator;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};

use super::preview::TEMPLATE;
use super::{ImportClientUsers, KIND};
use crate::export::TaskStarted;
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};
use crate::sheet::{self, Format, Style, Table};

const NOT_FOUND: Text = text("导入文件不存在或已过期，请重新上传", "There is no such file any more; upload it again");
const STARTED: Text = text("该文件已经导入过，请重新上传", "This file has been imported already; upload it again");
const NOTHING_GOOD: Text = text("文件中没有可导入的行", "The file has no row that can be imported");

/// Begins the import of a file that the same operator uploaded; once.
///
/// # Errors
/// When there is no such file, it was begun before, or none of its rows is good.
pub async fn start(ctx: &OpCtx, id: String) -> Outcome<TaskStarted> {
    let mut tx = ctx.begin_write().await?;
    let file = Entity::find_by_id(id)
        .filter(Column::Kind.eq(KIND))
        .filter(Column::CreatedBy.eq(ctx.operator()))
        .one(&*tx)
        .await?
        .ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    if file.bad_rows >= file.total_rows {
        return Err(Fault::conflict(NOTHING_GOOD));
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
    let job = ImportClientUsers {
        import_id: file.id.clone(),
        file_name: file.file_name.clone(),
        object_key: file.object_key,
        total_rows: file.total_rows,
        operator: ctx.session.username.clone(),
        ip: ctx.meta.ip.to_string(),
        request_id: ctx.meta.request_id.to_string(),
    };
    let by = Creator::operator(ctx.operator(), ctx.session.username.clone());
    let task = ctx.app.queue.enqueue(tx.inner(), &job, &by).await?;
    let note = format!("{} rows, task {task}", file.total_rows - file.bad_rows);
    tx.commit(Audit::of("import").id(&file.id).name(file.file_name).note(note)).await?;
    Ok(TaskStarted { task_id: task.0 })
}

/// The table to fill in: headings only.
///
/// # Errors
/// When it can not be written.
pub async fn template(ctx: &OpCtx, format: Format) -> Outcome<Response> {
    let table: Table<()> =
        Table { name: text("用户导入模板", "Client user import"), columns: TEMPLATE, row: |(), _| () };
    let none = sheet::steps(|_: Option<()>| async { Ok((Vec::new(), None)) });
    table.answer(format, Style { lang: ctx.lang(), zone: ctx.app.config.zone() }, none).await
}
