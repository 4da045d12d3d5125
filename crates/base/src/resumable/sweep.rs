//! What is left of uploads that nobody finished.

use std::collections::HashSet;
use std::io::ErrorKind;

use entity::upload::{Column, Entity};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QuerySelect as _};

use super::place::{folder, living, remove};
use crate::app::App;

/// Removes expired uploads, and files that belong to none: of another console's time, or of a request that was still
/// writing when its upload was given up. Returns how many files.
///
/// # Errors
/// When the database or the disk refuses.
pub(crate) async fn sweep(app: &App) -> anyhow::Result<u64> {
    // Before the rows are read: a row is there before its file.
    let lying = lying(app).await?;
    let tx = app.db.begin_write().await?;
    Entity::delete_many().filter(living(app.clock.now()).not()).exec(&*tx).await?;
    let open = Entity::find().select_only().column(Column::Id).filter(Column::Answer.is_null());
    let open: HashSet<String> = open.into_tuple::<String>().all(&*tx).await?.into_iter().collect();
    tx.commit().await?;
    let mut removed = 0;
    for id in lying.iter().filter(|id| !open.contains(*id)) {
        remove(app, id).await?;
        removed += 1;
    }
    Ok(removed)
}

/// The names of all files.
async fn lying(app: &App) -> std::io::Result<Vec<String>> {
    let mut entries = match tokio::fs::read_dir(folder(app)).await {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    while let Some(entry) = entries.next_entry().await? {
        names.extend(entry.file_name().into_string());
    }
    Ok(names)
}
