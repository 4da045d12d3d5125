//! Brings a file back from the object storage, for whoever has to read it from the disk.

use std::fs::File;

use courier::{ObjectError, ObjectKey};
use futures::StreamExt as _;
use tokio::io::AsyncWriteExt as _;

use crate::app::App;

/// The file, on this machine's disk; none if it is gone. Little of it is in memory at a time.
///
/// # Errors
/// When the storage or the disk fails.
pub async fn fetch(app: &App, key: &ObjectKey) -> anyhow::Result<Option<File>> {
    let object = match app.objects.get(key).await {
        Ok(object) => object,
        Err(ObjectError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut file = tokio::fs::File::from_std(app.unnamed_file().await?);
    let mut pieces = object.stream;
    while let Some(piece) = pieces.next().await {
        file.write_all(&piece?).await?;
    }
    file.flush().await?;
    Ok(Some(file.into_std().await))
}
