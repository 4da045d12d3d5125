//! Uploads that go on after a broken line: announced, sent in pieces, and taken once they are whole.
//!
//! A row says whose an upload is, of what and how large; how far it is, the length of its file says, and nothing else.
//! So every byte that came counts, however the line, the process or the disk failed behind it: there is no second number
//! that could differ, and none that a full disk keeps from being written. A file that is shorter than its sender thinks,
//! after a loss of power or at another console, only means more to send: he has all of it, and asks before he goes on.
//! One that is longer than was announced was not written here, and counts for nothing.
//!
//! One request at a time is at a file: it holds the file's lock, which ends with the process.
//!
//! The terms are those of tus 1.0 and of the draft "Resumable Uploads for HTTP" (`docs/api-design.md`).

mod begin;
mod calls;
mod piece;
mod place;
mod sweep;
mod whole;

use std::fmt::Debug;

use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

pub use calls::routes;
pub(crate) use sweep::sweep;
pub use whole::{FinishInput, Found, Whole, whole};

use crate::app::App;
use crate::fault::Outcome;
use crate::http::Need;
use entity::upload::Model;

/// Seconds that an upload may take; what has come is kept so long.
const KEPT: i64 = 48 * 3600;
/// The largest piece in bytes.
const LARGEST_PIECE: u64 = 16 << 20;
const NO_UPLOAD: Text =
    text("上传不存在或已过期，请重新选择文件", "The upload does not exist or has expired; choose the file again");

/// What files are sent for. It is implemented for a type that names it and holds nothing.
pub trait Resumable: Copy + Debug + Send + Sync + 'static {
    /// What the file becomes, such as `operationFile`; never to be changed.
    const OF: &'static str;
    /// Its heading in the API document.
    const TAG: &'static str;
    /// Its operations are called `<this>_begin`, `<this>_mine`, `<this>_state`, `<this>_piece` and `<this>_give_up`.
    const CALLS: &'static str;
    /// What whoever uploads needs.
    const NEED: Need;
    /// The largest size of a file in bytes.
    const LIMIT: u64;

    /// The path of its calls: announced by POST, continued by PATCH of `/{id}` under it.
    fn path() -> String;
}

/// An upload, and how far it is.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UploadView {
    pub id: String,
    pub file_name: String,
    /// Bytes of the whole file.
    pub size: i64,
    /// When the file was changed last, as its sender said.
    pub modified_at: UtcTime,
    /// Bytes that have come: where the next piece begins.
    pub offset: u64,
    /// The largest piece in bytes.
    pub piece_limit: u64,
    /// What has come is kept until then.
    pub expires_at: UtcTime,
}

impl UploadView {
    async fn of(app: &App, row: Model) -> Outcome<Self> {
        let offset = place::offset(app, &row).await?;
        Ok(Self {
            id: row.id,
            file_name: row.file_name,
            size: row.size,
            modified_at: row.modified_at,
            offset,
            piece_limit: LARGEST_PIECE,
            expires_at: row.created_at.plus_seconds(KEPT),
        })
    }
}
