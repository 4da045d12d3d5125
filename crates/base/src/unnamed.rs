//! Files without a name.

use std::fs::File;
use std::path::Path;

/// A file in `folder` without a name: nothing is left of it when it is closed, not even by a process that is killed.
///
/// # Errors
/// When the disk refuses.
pub async fn file_in(folder: &Path) -> std::io::Result<File> {
    let folder = folder.to_owned();
    let made = tokio::task::spawn_blocking(move || tempfile::tempfile_in(folder));
    made.await.map_err(std::io::Error::other)?
}
