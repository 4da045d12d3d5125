//! Brings an uploaded file back from the object storage.

use std::io::Write as _;

use courier::{ObjectError, ObjectKey};
use futures::StreamExt as _;
use tempfile::NamedTempFile;

use crate::app::App;

/// The file, on this machine's disk; none if it is gone.
///
/// # Errors
/// When the storage or the disk fails.
pub(super) async fn fetch(app: &App, key: &ObjectKey) -> anyhow::Result<Option<NamedTempFile>> {
    let object = match app.objects.get(key).await {
        Ok(object) => object,
        Err(ObjectError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let mut file = NamedTempFile::new()?;
    let mut pieces = object.stream;
    while let Some(piece) = pieces.next().await {
        let piece = piece?;
        tokio::task::block_in_place(|| file.write_all(&piece))?;
    }
    Ok(Some(file))
}
