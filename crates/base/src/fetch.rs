//! Brings a file back from the object storage, for whoever has to read it from the disk.

use std::fs::File;

use courier::{ObjectError, ObjectKey, Outgoing};
use futures::StreamExt as _;
use tokio::io::AsyncWriteExt as _;

use crate::app::App;
use crate::fault::{Fault, Outcome};

/// The object that a row names, to be passed on; none if it is gone.
///
/// # Errors
/// When the storage does not answer.
pub async fn object(app: &App, key: &str) -> Outcome<Option<Outgoing>> {
    let key = key.parse::<ObjectKey>().map_err(|error| Fault::Internal(anyhow::anyhow!("{error}")))?;
    match app.objects.get(&key).await {
        Ok(object) => Ok(Some(object)),
        Err(ObjectError::NotFound(_)) => Ok(None),
        Err(error) => Err(Fault::Unavailable(error.into())),
    }
}

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
