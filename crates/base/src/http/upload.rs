//! Uploads: an uploaded file waits on the disk in a file without a name.
//!
//! Whoever may not send it was refused by the guard, before anything of the body was read. What is larger than its
//! route takes is refused before, if its sender says how large it is.

use std::fs::File;
use std::io::{self, Seek as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

use axum::body::{Body, BodyDataStream};
use axum::extract::multipart::{Field, MultipartError};
use axum::extract::{FromRequest, Multipart, Request};
use bytes::Bytes;
use courier::Stored;
use futures::{Stream, StreamExt as _, stream};
use http::StatusCode;
use http_body::Body as _;
use kernel::rules::{Violation, byte_size};
use kernel::text::{Text, text};
use tokio::io::AsyncWriteExt as _;

use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::incoming;

/// Bytes of a file that are buffered in memory; the default would be 2 MB for each file.
pub(crate) const BUFFER: usize = 32 << 10;
/// The largest size in bytes of what stands before the content of a part: it is held in memory until it is complete.
const HEAD: usize = 64 << 10;
/// Bytes that a body may have around its file.
const AROUND: u64 = 64 << 10;
const NOT_MULTIPART: Text = text("请以 multipart/form-data 上传文件", "Send the file as multipart/form-data");

/// The largest body in bytes of a route that takes files of at most `limit`: for its `DefaultBodyLimit`.
#[must_use]
pub const fn body_limit(limit: u64) -> usize {
    (limit + AROUND) as usize
}

/// An uploaded file. One that came in one request is gone when this is dropped, and when the process ends, however it
/// ends; one that came in pieces stays until it is taken ([`crate::resumable`]).
#[derive(Debug)]
pub struct Upload {
    /// The file.
    pub file: File,
    /// Its base name as sent by the browser; never a path.
    pub name: String,
    /// Bytes.
    pub size: u64,
}

impl Upload {
    /// Moves the file to the object storage, where every server finds it; [`incoming::arrived`] belongs into the
    /// transaction with its row.
    ///
    /// # Errors
    /// When it cannot be read, or the object storage refuses.
    pub async fn store(&self, app: &App, folder: &'static str) -> Outcome<Stored> {
        let mut file = self.file.try_clone()?;
        file.rewind()?;
        incoming::store(app, folder, file).await
    }
}

/// A multipart body of which nothing is read yet.
#[derive(Debug)]
pub struct Sent {
    parts: Multipart,
    /// How many bytes it has at least, as its sender says.
    announced: u64,
    head: Arc<Head>,
}

impl<S: Send + Sync> FromRequest<S> for Sent {
    type Rejection = Fault;

    async fn from_request(request: Request, state: &S) -> Result<Self, Fault> {
        let announced = request.body().size_hint().lower();
        let head = Arc::<Head>::default();
        let pieces = |body: Body| Body::from_stream(watched(body.into_data_stream(), head.clone()));
        let request = request.map(pieces);
        let parts = Multipart::from_request(request, state).await;
        let parts = parts.map_err(|_| Fault::WrongType(NOT_MULTIPART.into()))?;
        Ok(Self { parts, announced, head })
    }
}

impl Sent {
    /// Writes the part `file` to the disk: at most `limit` bytes.
    ///
    /// The route must lift the general body limit: `DefaultBodyLimit::max(body_limit(limit))`.
    ///
    /// # Errors
    /// When there is no such part, when it is empty or too large, when it cannot be written, or when too many others
    /// wait to be read.
    pub async fn receive(self, app: &App, limit: u64) -> Outcome<Upload> {
        self.receive_as(app, limit, None).await
    }

    /// The same where not every file is looked into, by its name: what is not need not wait for others.
    ///
    /// # Errors
    /// As [`Sent::receive`].
    pub async fn receive_any(self, app: &App, limit: u64, is_inspected: fn(&str) -> bool) -> Outcome<Upload> {
        self.receive_as(app, limit, Some(is_inspected)).await
    }

    async fn receive_as(mut self, app: &App, limit: u64, is_inspected: Option<fn(&str) -> bool>) -> Outcome<Upload> {
        if self.announced > limit + AROUND {
            return Err(Fault::FileTooLarge { max: limit });
        }
        if is_inspected.is_none() {
            app.inspection.admit(self.announced)?;
        }
        loop {
            self.head.begin();
            let part = self.parts.next_field().await;
            self.head.end();
            let unreadable = |error| unreadable(&error, &self.head, limit);
            let Some(mut part) = part.map_err(unreadable)? else {
                return Err(Fault::field("file", Violation::new("required")));
            };
            if part.name() == Some("file") {
                let name = last_name(part.file_name().unwrap_or_default());
                if is_inspected.is_some_and(|is_inspected| is_inspected(&name)) {
                    app.inspection.admit(self.announced).map_err(|fault| fault.of_file(&name))?;
                }
                return match keep(app, part, limit, unreadable).await {
                    Ok((file, size)) => Ok(Upload { file, name, size }),
                    Err(fault) => Err(fault.of_file(&name)),
                };
            }
            // Otherwise its content would count for the head of the next one.
            while part.chunk().await.map_err(unreadable)?.is_some() {}
        }
    }
}

async fn keep(
    app: &App,
    mut part: Field<'_>,
    limit: u64,
    unreadable: impl Fn(MultipartError) -> Fault,
) -> Outcome<(File, u64)> {
    let file = app.unnamed_file().await?;
    let mut to = tokio::fs::File::from_std(file.try_clone()?);
    to.set_max_buf_size(BUFFER);
    let mut size = 0;
    while let Some(piece) = part.chunk().await.map_err(&unreadable)? {
        size += piece.len() as u64;
        if size > limit {
            return Err(Fault::FileTooLarge { max: limit });
        }
        to.write_all(&piece).await?;
    }
    to.flush().await?;
    if size == 0 {
        return Err(Fault::field("file", Violation::new("required")));
    }
    Ok((file, size))
}

/// How much of the head of a part has come: what stands before its content.
#[derive(Debug, Default)]
struct Head {
    is_coming: AtomicBool,
    bytes: AtomicUsize,
    is_too_long: AtomicBool,
}

impl Head {
    fn begin(&self) {
        self.bytes.store(0, Relaxed);
        self.is_coming.store(true, Relaxed);
    }

    fn end(&self) {
        self.is_coming.store(false, Relaxed);
    }

    /// Passes on a piece of the body, unless the head is too long already and still not complete.
    fn count(&self, piece: Bytes) -> Result<Bytes, axum::Error> {
        if self.is_coming.load(Relaxed) && self.bytes.fetch_add(piece.len(), Relaxed) >= HEAD {
            self.is_too_long.store(true, Relaxed);
            return Err(axum::Error::new(io::Error::other("the head of a part is too long")));
        }
        Ok(piece)
    }
}

/// The pieces of a body, counted while a head is coming. The reader takes all that is there before it looks at it: so
/// it looks after each of them.
fn watched(body: BodyDataStream, head: Arc<Head>) -> impl Stream<Item = Result<Bytes, axum::Error>> {
    stream::unfold((body, head, false), |(mut body, head, is_between)| async move {
        if is_between {
            tokio::task::yield_now().await;
        }
        let piece = body.next().await?.and_then(|piece| head.count(piece));
        Some((piece, (body, head, true)))
    })
}

/// The name without folders, of either system, and without characters that do not belong in a name.
pub(crate) fn last_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.chars().filter(|c| !c.is_control()).take(128).collect()
}

fn unreadable(error: &MultipartError, head: &Head, limit: u64) -> Fault {
    if head.is_too_long.load(Relaxed) {
        return Fault::field("file", Violation::new("file.headTooLong").with("max", byte_size(HEAD as u64)));
    }
    match error.status() {
        StatusCode::PAYLOAD_TOO_LARGE => Fault::FileTooLarge { max: limit },
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
