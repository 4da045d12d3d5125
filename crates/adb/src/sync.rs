//! The sync service: files to and from a card (AOSP `adb/SYNC.TXT`, `file_sync_protocol.h`).
//!
//! Requests and answers start with four letters and a little-endian 32-bit number. A file is sent as `DATA` chunks of
//! at most 64 KiB and `DONE`. The card's verdict, `OKAY` or `FAIL` and a reason, is always read.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::connection::Connection;
use crate::error::{Error, within};
use crate::quote::DevicePath;
use crate::stream::Stream;

/// The maximum size of one `DATA` chunk, in bytes (`SYNC_DATA_MAX`).
pub const DATA_MAX: usize = 64 * 1024;
/// The maximum length of the reason of a `FAIL`.
const REASON_MAX: usize = 64 * 1024;

/// The longest name in a folder (`NAME_MAX` is 255 on Linux).
const NAME_MAX: usize = 4096;

/// What a card reports about a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileStat {
    /// Kind and permissions, as in `stat(2)`.
    pub mode: u32,
    /// Bytes. A card without `stat_v2` reports 32 bits of it.
    pub size: u64,
    /// Last change, seconds since 1970.
    pub modified: i64,
}

impl FileStat {
    /// Whether it is a plain file.
    #[must_use]
    pub const fn is_file(&self) -> bool {
        self.mode & 0o170_000 == 0o100_000
    }

    /// Whether it is a link to something else.
    #[must_use]
    pub const fn is_link(&self) -> bool {
        self.mode & 0o170_000 == 0o120_000
    }

    /// Whether it is a folder.
    #[must_use]
    pub const fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

/// A file or a folder in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderEntry {
    /// Its name; invalid UTF-8 is replaced.
    pub name: String,
    /// Its kind and size. Of a link, those of the link itself.
    pub stat: FileStat,
}

/// The content of a folder.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Folder {
    /// In the card's order.
    pub entries: Vec<FolderEntry>,
    /// There are more entries.
    pub is_cut: bool,
}

/// A session of the sync service on one stream.
pub(crate) struct Sync<'a> {
    connection: &'a Connection,
    stream: Stream,
    buffer: BytesMut,
}

impl<'a> Sync<'a> {
    pub(crate) async fn open(connection: &'a Connection) -> Result<Self, Error> {
        Ok(Self { connection, stream: connection.stream("sync:").await?, buffer: BytesMut::new() })
    }

    fn step(&self) -> Duration {
        self.connection.limits().step
    }

    async fn send(&self, bytes: Bytes) -> Result<(), Error> {
        within("the card to take bytes", self.step(), self.stream.write(bytes)).await
    }

    /// Waits until this many bytes have arrived.
    async fn need(&mut self, bytes: usize) -> Result<(), Error> {
        while self.buffer.len() < bytes {
            match within("the file service", self.connection.limits().step, self.stream.read()).await? {
                Some(more) => self.buffer.extend_from_slice(&more),
                None => return Err(Error::Closed),
            }
        }
        Ok(())
    }

    async fn head(&mut self) -> Result<([u8; 4], u32), Error> {
        self.need(8).await?;
        let id = [self.buffer[0], self.buffer[1], self.buffer[2], self.buffer[3]];
        self.buffer.advance(4);
        Ok((id, self.buffer.get_u32_le()))
    }

    async fn reason(&mut self, length: u32) -> Result<Error, Error> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if length > REASON_MAX {
            return Err(Error::protocol("a reason without end"));
        }
        self.need(length).await?;
        Ok(Error::device(&String::from_utf8_lossy(&self.buffer.split_to(length))))
    }

    /// What the card reports about a path; `None` if it does not exist.
    pub(crate) async fn stat(&mut self, path: &DevicePath) -> Result<Option<FileStat>, Error> {
        if !self.connection.banner().has("stat_v2") {
            self.send(request(*b"STAT", path.as_str())).await?;
            self.need(16).await?;
            let (id, mode) = self.head().await?;
            expect(id, *b"STAT")?;
            let (size, modified) = (self.buffer.get_u32_le(), self.buffer.get_u32_le());
            // The first version has no errors: all zeros means that the path does not exist.
            let found = mode != 0 || size != 0 || modified != 0;
            return Ok(found.then(|| FileStat { mode, size: u64::from(size), modified: i64::from(modified) }));
        }
        self.send(request(*b"STA2", path.as_str())).await?;
        self.need(72).await?;
        let (id, error) = self.head().await?;
        expect(id, *b"STA2")?;
        let mut rest = self.buffer.split_to(64);
        // dev and inode come first, links, owner and group between mode and size.
        rest.advance(16);
        let mode = rest.get_u32_le();
        rest.advance(12);
        let (size, _accessed, modified) = (rest.get_u64_le(), rest.get_i64_le(), rest.get_i64_le());
        match error {
            0 => Ok(Some(FileStat { mode, size, modified })),
            // ENOENT and ENOTDIR of Linux, on which Android is based.
            2 | 20 => Ok(None),
            13 => Err(Error::device("Permission denied")),
            other => Err(Error::device(&format!("the file's state: error {other}"))),
        }
    }

    /// Up to `most` entries of a folder; `None` if it does not exist. An unreadable folder looks empty: the protocol
    /// has no error for it.
    pub(crate) async fn list(&mut self, path: &DevicePath, most: usize) -> Result<Option<Folder>, Error> {
        match self.stat(path).await? {
            None => return Ok(None),
            Some(stat) if stat.is_file() => return Err(Error::device("Not a directory")),
            Some(_) => {}
        }
        let is_new = self.connection.banner().has("ls_v2");
        // After the head: `sync_dent_v1` and `sync_dent_v2`, without the name.
        let (wish, entry, size) = if is_new { (*b"LIS2", *b"DNT2", 68) } else { (*b"LIST", *b"DENT", 12) };
        self.send(request(wish, path.as_str())).await?;
        let mut folder = Folder::default();
        loop {
            let (id, first) = self.head().await?;
            if id == *b"FAIL" {
                return Err(self.reason(first).await?);
            }
            self.need(size).await?;
            let mut rest = self.buffer.split_to(size);
            if id == *b"DONE" {
                return Ok(Some(folder));
            }
            expect(id, entry)?;
            let stat = if is_new {
                rest.advance(16);
                let mode = rest.get_u32_le();
                rest.advance(12);
                let (size, _accessed, modified) = (rest.get_u64_le(), rest.get_i64_le(), rest.get_i64_le());
                rest.advance(8);
                FileStat { mode, size, modified }
            } else {
                FileStat { mode: first, size: u64::from(rest.get_u32_le()), modified: i64::from(rest.get_u32_le()) }
            };
            let length = usize::try_from(rest.get_u32_le()).unwrap_or(usize::MAX);
            if length > NAME_MAX {
                return Err(Error::protocol(format!("a name of {length} bytes")));
            }
            self.need(length).await?;
            let name = String::from_utf8_lossy(&self.buffer.split_to(length)).into_owned();
            if name == "." || name == ".." {
                continue;
            }
            if folder.entries.len() == most {
                // The stream ends with this session, whatever the card still has to send.
                folder.is_cut = true;
                return Ok(Some(folder));
            }
            folder.entries.push(FolderEntry { name, stat });
        }
    }

    /// Writes a file from `source` until it ends; returns its size once the card has confirmed it.
    pub(crate) async fn push(
        &mut self,
        source: &mut (dyn AsyncRead + Send + Unpin),
        path: &DevicePath,
        mode: u32,
    ) -> Result<u64, Error> {
        let mode = mode & 0o777;
        let mut out = BytesMut::new();
        if self.connection.banner().has("sendrecv_v2") {
            out.extend_from_slice(&request(*b"SND2", path.as_str()));
            out.put_slice(b"SND2");
            out.put_u32_le(mode | 0o100_000);
            // No compression.
            out.put_u32_le(0);
        } else {
            out.extend_from_slice(&request(*b"SEND", &format!("{path},{}", mode | 0o100_000)));
        }
        let mut sent = 0u64;
        let mut chunk = vec![0; DATA_MAX];
        loop {
            let filled = fill(source, &mut chunk).await?;
            if filled > 0 {
                out.put_slice(b"DATA");
                out.put_u32_le(u32::try_from(filled).expect("a chunk is 64 KiB"));
                out.put_slice(&chunk[..filled]);
                sent += filled as u64;
            }
            let last = filled < DATA_MAX;
            if last {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
                out.put_slice(b"DONE");
                out.put_u32_le(u32::try_from(now).unwrap_or(u32::MAX));
            }
            if last || out.len() >= 128 * 1024 {
                if let Err(error) = self.send(out.split().freeze()).await {
                    // A card that fails early reports why and closes; the reason is more useful than "closed".
                    return Err(if error == Error::Closed {
                        self.verdict().await.err().unwrap_or(error)
                    } else {
                        error
                    });
                }
                if let Some(Some(early)) = self.stream.try_read()? {
                    self.buffer.extend_from_slice(&early);
                    self.verdict().await?;
                    return if last { Ok(sent) } else { Err(Error::protocol("an answer before the file's end")) };
                }
            }
            if last {
                self.verdict().await?;
                return Ok(sent);
            }
        }
    }

    async fn verdict(&mut self) -> Result<(), Error> {
        match self.head().await? {
            (id, _) if id == *b"OKAY" => Ok(()),
            (id, length) if id == *b"FAIL" => Err(self.reason(length).await?),
            (id, _) => Err(unexpected(id)),
        }
    }

    /// Reads a file into `target`, at most `limit` bytes; returns its size.
    pub(crate) async fn pull(
        &mut self,
        path: &DevicePath,
        target: &mut (dyn AsyncWrite + Send + Unpin),
        limit: u64,
    ) -> Result<u64, Error> {
        let mut out = BytesMut::new();
        if self.connection.banner().has("sendrecv_v2") {
            out.extend_from_slice(&request(*b"RCV2", path.as_str()));
            out.put_slice(b"RCV2");
            out.put_u32_le(0);
        } else {
            out.extend_from_slice(&request(*b"RECV", path.as_str()));
        }
        self.send(out.freeze()).await?;
        let mut received = 0u64;
        loop {
            let (id, length) = self.head().await?;
            match &id {
                b"DATA" => {
                    let length = usize::try_from(length).unwrap_or(usize::MAX);
                    if length > DATA_MAX {
                        return Err(Error::protocol(format!("a chunk of {length} bytes")));
                    }
                    received += length as u64;
                    if received > limit {
                        return Err(Error::TooLarge { limit });
                    }
                    self.need(length).await?;
                    let chunk = self.buffer.split_to(length);
                    target.write_all(&chunk).await.map_err(|error| Error::local(&error))?;
                }
                b"DONE" => {
                    target.flush().await.map_err(|error| Error::local(&error))?;
                    return Ok(received);
                }
                b"FAIL" => return Err(self.reason(length).await?),
                _ => return Err(unexpected(id)),
            }
        }
    }
}

fn request(id: [u8; 4], path: &str) -> Bytes {
    let mut out = BytesMut::with_capacity(8 + path.len());
    out.put_slice(&id);
    out.put_u32_le(u32::try_from(path.len()).expect("a path has at most 1024 bytes"));
    out.put_slice(path.as_bytes());
    out.freeze()
}

fn expect(found: [u8; 4], wanted: [u8; 4]) -> Result<(), Error> {
    if found == wanted { Ok(()) } else { Err(unexpected(found)) }
}

fn unexpected(id: [u8; 4]) -> Error {
    Error::protocol(format!("\"{}\" from the file service", id.escape_ascii()))
}

/// Reads until `chunk` is full or the source ends.
async fn fill(source: &mut (dyn AsyncRead + Send + Unpin), chunk: &mut [u8]) -> Result<usize, Error> {
    let mut filled = 0;
    while filled < chunk.len() {
        match source.read(&mut chunk[filled..]).await.map_err(|error| Error::local(&error))? {
            0 => break,
            more => filled += more,
        }
    }
    Ok(filled)
}
