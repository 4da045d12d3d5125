//! The next piece of a file.

use axum::body::Body;
use axum::extract::{FromRequest, Request};
use futures::StreamExt as _;
use http::header;
use http_body::Body as _;
use kernel::rules::{Violation, byte_size};
use kernel::text::{Message, Text, text};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use super::place::{Held, hold};
use super::{LARGEST_PIECE, Resumable, UploadView};
use crate::fault::{Fault, Outcome};
use crate::http::ops::OpCtx;
use crate::http::upload::BUFFER;

/// The header that says where a piece begins.
pub(super) const OFFSET: &str = "Upload-Offset";
/// The content type of a piece.
pub(super) const TYPE: &str = "application/partial-upload";
const NO_PIECE: Text =
    text("请以 application/partial-upload 发送文件的一段", "Send a piece of the file as application/partial-upload");
const ELSEWHERE: Text = text(
    "服务器已收到 {have} 字节，这一段却从 {at} 字节开始，没有保存；请从 {have} 字节处继续",
    "The server has {have} bytes, and this piece begins at {at}, so it was not kept; go on at {have}",
);
const BEYOND: Text = text(
    "这一段超过了还能接收的 {room}，没有保存；每段最多 {most}，总共不能超过登记的大小",
    "The piece is longer than the {room} that are still taken, so it was not kept; a piece has {most} at most, and all \
     of them no more than was announced",
);
const BROKEN: Text = text(
    "传输中断，已收到的部分没有丢失，请继续上传",
    "The line broke; what has arrived is kept, so go on with the upload",
);

/// A piece of which nothing is read yet.
#[derive(Debug)]
pub(super) struct Piece {
    at: u64,
    body: Body,
}

impl<S: Send + Sync> FromRequest<S> for Piece {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Self, Fault> {
        let header = |name| request.headers().get(name).and_then(|value| value.to_str().ok());
        if header(header::CONTENT_TYPE.as_str()) != Some(TYPE) {
            return Err(Fault::WrongType(NO_PIECE.into()));
        }
        let at = header(OFFSET).ok_or_else(|| Fault::field(OFFSET, Violation::new("required")))?;
        let at = at.parse().map_err(|_| Fault::field(OFFSET, Violation::wrong_type()))?;
        Ok(Self { at, body: request.into_body() })
    }
}

/// Adds a piece to the file, and tells how far it is. What has come of the piece counts, even if it breaks off.
///
/// # Errors
/// When it does not begin where the file ends, is too long or breaks off; when another request is at the file; when the
/// disk refuses.
pub(super) async fn append<R: Resumable>(ctx: &OpCtx, id: String, piece: Piece) -> Outcome<UploadView> {
    let Piece { at, body } = piece;
    let (row, file) = match hold::<R>(ctx, id).await? {
        Held::Open(row, file) => (row, file),
        Held::Taken(row, _) => return Err(Fault::conflict(elsewhere(row.size.unsigned_abs(), at))),
    };
    let mut file = File::from_std(file);
    file.set_max_buf_size(BUFFER);
    let have = file.metadata().await?.len();
    if at != have {
        return Err(Fault::conflict(elsewhere(have, at)));
    }
    let room = LARGEST_PIECE.min(row.size.unsigned_abs().saturating_sub(have));
    let taken = if body.size_hint().lower() > room { Ok(End::Beyond) } else { copy(body, &mut file, room).await };
    file.flush().await?;
    if matches!(taken, Ok(End::Beyond)) {
        file.set_len(have).await?;
    }
    file.sync_data().await?;
    match taken? {
        End::Whole => UploadView::of(&ctx.app, row).await,
        End::Broken => Err(Fault::conflict(BROKEN)),
        End::Beyond => {
            Err(Fault::conflict(BEYOND.with("room", byte_size(room)).with("most", byte_size(LARGEST_PIECE))))
        }
    }
}

fn elsewhere(have: u64, at: u64) -> Message {
    ELSEWHERE.with("have", have).with("at", at)
}

/// How a piece ended.
enum End {
    Whole,
    Broken,
    Beyond,
}

async fn copy(body: Body, to: &mut File, room: u64) -> std::io::Result<End> {
    let (mut body, mut taken) = (body.into_data_stream(), 0);
    while let Some(bytes) = body.next().await {
        let Ok(bytes) = bytes else { return Ok(End::Broken) };
        taken += bytes.len() as u64;
        if taken > room {
            return Ok(End::Beyond);
        }
        to.write_all(&bytes).await?;
    }
    Ok(End::Whole)
}
