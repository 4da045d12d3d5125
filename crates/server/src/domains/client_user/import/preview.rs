//! Looking at an uploaded file: what is in it, and what is wrong with it.

use entity::import_file;
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::rows::{self, Batch, Field};
use super::{FOLDER, KIND};
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::upload::Upload;

/// Problems that are told; more are counted.
const TOLD: usize = 200;
/// Rows that are shown as they were read.
const SHOWN: usize = 10;

/// A problem of the file.
#[derive(Debug, Serialize, ToSchema)]
pub struct BadCell {
    /// The row's number in the file.
    pub row: u32,
    /// The field that is wrong.
    pub field: String,
    /// What stands there.
    pub value: String,
    /// What is wrong and what to do, in the caller's language.
    pub message: String,
}

/// What an uploaded file holds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImportPreview {
    /// Names the file when its import is begun.
    pub import_id: String,
    /// As the browser named it.
    pub file_name: String,
    /// Rows below the heading, blank ones left out.
    pub total_rows: u32,
    /// Rows that would be taken.
    pub good_rows: u32,
    /// Rows that would be left out.
    pub bad_rows: u32,
    /// The first 200 problems.
    pub bad: Vec<BadCell>,
    /// The fields that the file has columns for, in its order.
    pub columns: Vec<&'static str>,
    /// The first rows as they were read, cell by cell in the order of `columns`.
    pub sample: Vec<Vec<String>>,
}

/// Reads and checks the file, and keeps it for [`super::start::start`].
///
/// # Errors
/// When it is no spreadsheet, lacks the name column, or can not be kept.
pub async fn preview(ctx: &OpCtx, upload: Upload) -> Outcome<ImportPreview> {
    let mut found = ImportPreview {
        import_id: uuid::Uuid::now_v7().to_string(),
        file_name: upload.name.clone(),
        total_rows: 0,
        good_rows: 0,
        bad_rows: 0,
        bad: Vec::new(),
        columns: Vec::new(),
        sample: Vec::new(),
    };
    let mut batches = rows::read(upload.file.path().to_owned());
    while let Some(batch) = batches.recv().await {
        let mut batch = batch?;
        rows::note_taken(ctx.read(), &mut batch.lines).await?;
        found.add(ctx, &batch);
    }
    let object_key = upload.store(&ctx.app, FOLDER).await?.key.to_string();
    let row = import_file::ActiveModel {
        id: Set(found.import_id.clone()),
        kind: Set(KIND.to_owned()),
        file_name: Set(upload.name),
        object_key: Set(object_key),
        total_rows: Set(i32::try_from(found.total_rows).unwrap_or(i32::MAX)),
        bad_rows: Set(i32::try_from(found.bad_rows).unwrap_or(i32::MAX)),
        created_by: Set(ctx.operator()),
        created_at: Set(ctx.now()),
        started_at: Set(None::<UtcTime>),
    };
    let tx = ctx.begin_write().await?;
    import_file::Entity::insert(row).exec_without_returning(&*tx).await?;
    let note = format!("{} rows, {} bad", found.total_rows, found.bad_rows);
    tx.commit(Audit::of("import").id(&found.import_id).name(&found.file_name).note(note)).await?;
    Ok(found)
}

impl ImportPreview {
    fn add(&mut self, ctx: &OpCtx, batch: &Batch) {
        self.columns = batch.columns.iter().map(|field| field.name()).collect();
        for line in &batch.lines {
            self.total_rows += 1;
            if self.sample.len() < SHOWN {
                self.sample.push(self.columns.iter().map(|field| line.value(field).to_owned()).collect());
            }
            if line.problems.is_empty() {
                self.good_rows += 1;
                continue;
            }
            self.bad_rows += 1;
            for problem in &line.problems {
                if self.bad.len() < TOLD {
                    self.bad.push(BadCell {
                        row: line.row,
                        field: problem.field.clone(),
                        // A whole book in one cell is not sent back.
                        value: line.value(&problem.field).chars().take(128).collect(),
                        message: problem.violation.message(ctx.lang()),
                    });
                }
            }
        }
    }
}

/// The columns of the template.
pub const TEMPLATE: &[crate::sheet::Column] = &[
    crate::sheet::column(Field::Name.title(), 20),
    crate::sheet::column(Field::Phone.title(), 16),
    crate::sheet::column(Field::Email.title(), 26),
    crate::sheet::column(Field::IdentCode.title(), 20),
    crate::sheet::column(Field::Remark.title(), 40),
];
