//! Looking at an uploaded file: what is in it, what is wrong with it, and what it would change.

use entity::{CardId, import_file};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::compare::{Effect, FieldDifference, compare};
use super::rows::{self, Batch, Field};
use super::{FOLDER, KIND};
use crate::fault::Outcome;
use crate::http::ops::{Audit, OpCtx};
use crate::http::upload::Upload;

/// Problems and changes that are told; more are counted.
const TOLD: usize = 200;

/// A problem of the file.
#[derive(Debug, Serialize, ToSchema)]
pub struct CardBadCell {
    /// The row's number in the file.
    pub row: u32,
    /// The field that is wrong.
    pub field: String,
    /// What stands there.
    pub value: String,
    /// What is wrong and what to do, in the caller's language.
    pub message: String,
}

/// A row that would change a card.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardDifference {
    /// The row's number in the file.
    pub row: u32,
    pub card_id: CardId,
    /// Field by field, what would change.
    pub fields: Vec<FieldDifference>,
}

/// What an uploaded file holds.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardImportPreview {
    /// Names the file when its import is begun.
    pub import_id: String,
    /// As the browser named it.
    pub file_name: String,
    /// Rows below the heading, blank ones left out.
    pub total_rows: u32,
    /// Rows that would make a card.
    pub new_rows: u32,
    /// Rows that would change one.
    pub changed_rows: u32,
    /// Rows that say what the books say.
    pub unchanged_rows: u32,
    /// Rows that would be left out.
    pub bad_rows: u32,
    /// The first 200 problems.
    pub bad: Vec<CardBadCell>,
    /// The first 200 changes.
    pub changes: Vec<CardDifference>,
    /// The fields that the file has columns for, in its order.
    pub columns: Vec<&'static str>,
}

/// Reads, checks and compares the file, and keeps it for the import.
///
/// # Errors
/// When it is no spreadsheet, lacks a column, or can not be kept.
pub async fn preview(ctx: &OpCtx, upload: Upload) -> Outcome<CardImportPreview> {
    let mut found = CardImportPreview {
        import_id: uuid::Uuid::now_v7().to_string(),
        file_name: upload.name.clone(),
        total_rows: 0,
        new_rows: 0,
        changed_rows: 0,
        unchanged_rows: 0,
        bad_rows: 0,
        bad: Vec::new(),
        changes: Vec::new(),
        columns: Vec::new(),
    };
    let mut batches = rows::read(upload.file.path().to_owned());
    while let Some(batch) = batches.recv().await {
        let mut batch = batch?;
        let effects = compare(ctx.read(), &mut batch.lines).await?;
        found.add(ctx, &batch, effects);
    }
    let object_key = upload.store(&ctx.app, FOLDER).await?.key.to_string();
    let idle = found.bad_rows + found.unchanged_rows;
    let row = import_file::ActiveModel {
        id: Set(found.import_id.clone()),
        kind: Set(KIND.to_owned()),
        file_name: Set(upload.name),
        object_key: Set(object_key),
        total_rows: Set(i32::try_from(found.total_rows).unwrap_or(i32::MAX)),
        // Rows that would do nothing: a file of such rows is not imported.
        bad_rows: Set(i32::try_from(idle).unwrap_or(i32::MAX)),
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

impl CardImportPreview {
    fn add(&mut self, ctx: &OpCtx, batch: &Batch, effects: Vec<Option<Effect>>) {
        self.columns = batch.columns.iter().map(|field| field.name()).collect();
        for (line, effect) in batch.lines.iter().zip(effects) {
            self.total_rows += 1;
            match effect {
                Some(Effect::New(_)) => self.new_rows += 1,
                Some(Effect::Same) => self.unchanged_rows += 1,
                Some(Effect::Changed { before, differences, .. }) => {
                    self.changed_rows += 1;
                    if self.changes.len() < TOLD {
                        self.changes.push(CardDifference { row: line.row, card_id: before.id, fields: differences });
                    }
                }
                None => {
                    self.bad_rows += 1;
                    for problem in line.problems.iter().take(TOLD.saturating_sub(self.bad.len())) {
                        let field = Field::ALL.into_iter().find(|field| field.name() == problem.field);
                        let value = field.and_then(|field| line.text(field)).unwrap_or_default();
                        self.bad.push(CardBadCell {
                            row: line.row,
                            field: problem.field.clone(),
                            // A whole book in one cell is not sent back.
                            value: value.chars().take(128).collect(),
                            message: problem.violation.message(ctx.lang()),
                        });
                    }
                }
            }
        }
    }
}
