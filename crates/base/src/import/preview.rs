//! Looks at an uploaded file: what is in it, what is wrong with it, and what it would do.

use std::fs::File;

use entity::import_file;
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::bad::heading;
use super::effect::Effect;
use super::judge::judge;
use super::read::{Batch, read};
use super::row::Row;
use super::start::waiting;
use super::{Column, Import};
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::upload::Upload;
use crate::incoming;
use crate::inspection::By;
use crate::resumable::Whole;

/// Problems that are listed; the others are counted.
const LISTED: usize = 200;
/// Characters of a bad cell that are sent back: whole books are pasted into one.
const CELL: usize = 128;
/// Where uploaded files wait in the object storage.
const FOLDER: &str = "import";

/// A problem of the file.
#[derive(Debug, Serialize, ToSchema)]
pub struct BadCell {
    /// The row's number in the file.
    pub row: u32,
    /// The field that is wrong.
    pub field: String,
    /// Its heading, in the caller's language.
    pub label: String,
    /// What stands there.
    pub value: String,
    /// What is wrong and what to do, in the caller's language.
    pub message: String,
}

/// What an uploaded file holds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportPreview<F> {
    /// Names the file when its import is begun.
    pub import_id: String,
    /// As the browser named it.
    pub file_name: String,
    /// Rows below the heading, without blank ones.
    pub total_rows: u32,
    /// Rows that would be skipped.
    pub bad_rows: u32,
    /// The first 200 problems.
    pub bad: Vec<BadCell>,
    /// The fields that the file has columns for, in its order.
    pub columns: Vec<&'static str>,
    /// Headings of the file that an export prints and no import takes.
    pub left: Vec<String>,
    /// What the good rows would do.
    #[serde(flatten)]
    pub found: F,
}

/// What a preview of the import `I` answers.
pub(super) type PreviewOf<I> = ImportPreview<<<I as Import>::Effect as Effect>::Found>;

/// Reads and judges the file, and keeps it for [`super::start::start`]; one that came in pieces is taken with it.
///
/// # Errors
/// When it is no spreadsheet, lacks a column, or cannot be kept.
pub(super) async fn preview<I: Import>(ctx: &OpCtx, upload: &Upload, whole: Option<&Whole>) -> Outcome<PreviewOf<I>> {
    let id = uuid::Uuid::now_v7().to_string();
    let (found, idle) = look::<I>(ctx, id, &upload.name, &upload.file).await?;
    let stored = upload.store(&ctx.app, FOLDER).await?;
    if let Some(whole) = whole {
        whole.judge(&ctx.app, &stored).await?;
    }
    let row = import_file::ActiveModel {
        id: Set(found.import_id.clone()),
        kind: Set(I::OF.to_owned()),
        file_name: Set(upload.name.clone()),
        object_key: Set(stored.key.to_string()),
        total_rows: Set(i32::try_from(found.total_rows).unwrap_or(i32::MAX)),
        bad_rows: Set(idle),
        created_by: Set(ctx.operator()),
        created_at: Set(ctx.now()),
        started_at: Set(None::<UtcTime>),
    };
    let tx = ctx.begin_write().await?;
    import_file::Entity::insert(row).exec_without_returning(&*tx).await?;
    incoming::arrived(&*tx, &stored.key).await?;
    // Its number alone: what stands in the file is kept in the file.
    let tx = match whole {
        Some(whole) => whole.take(&ctx.app, tx, &stored.key, &found.import_id).await?,
        None => tx,
    };
    let note = format!("{} rows, {} bad", found.total_rows, found.bad_rows);
    tx.commit(Audit::of("import").id(&found.import_id).name(&found.file_name).note(note)).await?;
    Ok(found)
}

/// Reads and judges a file that was previewed before: the line broke before that answer came.
///
/// # Errors
/// When it was begun since, or can not be read any more.
pub(super) async fn again<I: Import>(ctx: &OpCtx, id: String) -> Outcome<PreviewOf<I>> {
    let (file, content) = waiting::<I>(ctx, id).await?;
    Ok(look::<I>(ctx, file.id, &file.file_name, &content).await?.0)
}

/// What is in a file, and how many of its rows would do nothing: one of such rows alone is not imported.
async fn look<I: Import>(ctx: &OpCtx, id: String, name: &str, file: &File) -> Outcome<(PreviewOf<I>, i32)> {
    let mut found = ImportPreview {
        import_id: id,
        file_name: name.to_owned(),
        total_rows: 0,
        bad_rows: 0,
        bad: Vec::new(),
        columns: Vec::new(),
        left: Vec::new(),
        found: Default::default(),
    };
    let mut idle = 0_i32;
    // Kept while its rows are judged: the memory for a table is calculated by its rows, and few are in it at a time.
    let turn = ctx.app.inspection.turn(By::Person, file).await?;
    let known = I::columns();
    let mut batches = read::<I>(&turn, file).await?;
    while let Some(batch) = batches.next().await {
        let Batch { columns, mut rows } = batch?;
        found.columns.clone_from(&columns.file);
        found.left.clone_from(&columns.left);
        let effects = turn.within(judge::<I>(&ctx.app, ctx.read(), &mut rows)).await?;
        for (row, effect) in rows.iter().zip(&effects) {
            idle += i32::from(!effect.as_ref().is_some_and(Effect::acts));
            found.add(ctx, &known, row, effect.is_none());
            I::Effect::note(&mut found.found, row, effect.as_ref());
        }
    }
    Ok((found, idle))
}

impl<F> ImportPreview<F> {
    fn add(&mut self, ctx: &OpCtx, known: &[Column], row: &Row, is_bad: bool) {
        self.total_rows += 1;
        self.bad_rows += u32::from(is_bad);
        for problem in row.problems().iter().take(LISTED.saturating_sub(self.bad.len())) {
            self.bad.push(BadCell {
                row: row.number,
                field: problem.field.clone(),
                label: heading(known, &problem.field, ctx.lang()).to_owned(),
                value: row.given(&problem.field).unwrap_or_default().chars().take(CELL).collect(),
                message: problem.violation.message(ctx.lang()),
            });
        }
    }
}
