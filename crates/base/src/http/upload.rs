//! Uploads: an uploaded file waits in a temporary file.

use axum::extract::Multipart;
use axum::extract::multipart::{MultipartError, MultipartRejection};
use courier::Stored;
use http::StatusCode;
use kernel::rules::Violation;
use kernel::text::{Text, text};
use tempfile::NamedTempFile;
use tokio::io::AsyncWriteExt as _;

use crate::app::App;
use crate::fault::{Fault, Outcome};

/// Bytes of a file that are buffered in memory; the default would be 2 MB for each file.
const PIECE: usize = 32 << 10;
const NOT_MULTIPART: Text = text("请以 multipart/form-data 上传文件", "Send the file as multipart/form-data");

/// An uploaded file. It is deleted when this is dropped.
#[derive(Debug)]
pub struct Upload {
    /// The file.
    pub file: NamedTempFile,
    /// Its base name as sent by the browser; never a path.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

impl Upload {
    /// Moves the file to the object storage, where every server finds it.
    ///
    /// # Errors
    /// When it cannot be read, or the object storage refuses.
    pub async fn store(&self, app: &App, folder: &'static str) -> Outcome<Stored> {
        Ok(app.objects.put_file(folder, self.file.reopen()?).await.map_err(anyhow::Error::from)?)
    }
}

/// Writes the part `file` of a multipart body into a temporary file of at most `limit` bytes.
///
/// The route must lift the general body limit: `DefaultBodyLimit::max(limit + 64 KiB)`.
///
/// # Errors
/// When there is no such part, when it is empty or too large, or when it cannot be written.
pub async fn receive(mut parts: Multipart, limit: u64) -> Outcome<Upload> {
    while let Some(mut part) = parts.next_field().await.map_err(unreadable)? {
        if part.name() != Some("file") {
            continue;
        }
        let name = last_name(part.file_name().unwrap_or_default());
        let file = tokio::task::spawn_blocking(NamedTempFile::new).await.map_err(Fault::internal)??;
        let mut to = tokio::fs::File::from_std(file.reopen()?);
        to.set_max_buf_size(PIECE);
        let mut size = 0;
        while let Some(piece) = part.chunk().await.map_err(unreadable)? {
            size += piece.len() as u64;
            if size > limit {
                return Err(Fault::TooLarge);
            }
            to.write_all(&piece).await?;
        }
        to.flush().await?;
        if size == 0 {
            return Err(Fault::field("file", Violation::new("required")));
        }
        return Ok(Upload { file, name, size });
    }
    Err(Fault::field("file", Violation::new("required")))
}

/// The body is not multipart.
pub fn no_multipart(_: MultipartRejection) -> Fault {
    Fault::WrongType(NOT_MULTIPART.into())
}

/// The name without folders, of either system, and without characters that do not belong in a name.
fn last_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|c| !c.is_control()).take(128).collect()
}

fn unreadable(error: MultipartError) -> Fault {
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Fault::TooLarge,
        _ => Fault::WrongType(NOT_MULTIPART.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::last_name;

    #[test]
    fn a_path_is_cut_to_its_last_name() {
        for (name, last) in
            [("C:\\temp\\a.xlsx", "a.xlsx"), ("../../etc/passwd", "passwd"), ("客户\n.csv", "客户.csv"), ("", "")]
        {
            assert_eq!(last_name(name), last);
        }
    }
}
