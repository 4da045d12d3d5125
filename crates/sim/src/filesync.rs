//! The file service, on the card's side (AOSP `adb/SYNC.TXT`, `file_sync_protocol.h`).

use std::sync::Arc;

use adb::DATA_MAX;
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

use crate::card::Card;
use crate::files::{FileError, Found, Inode, Meta, Moment};

/// A session of the file service.
#[derive(Debug, Default)]
pub struct FileSync {
    buffer: BytesMut,
    /// The file that is being written.
    writing: Option<Writing>,
    /// The path of a request of the second version whose other half has not come yet.
    half: Option<([u8; 4], String)>,
    /// The file that is being sent, and how far.
    sending: Option<(Arc<Inode>, u64)>,
    quit: bool,
}

/// A file that is being written. One that does not get to its end is removed, as `adbd` does.
#[derive(Debug)]
struct Writing {
    card: Arc<Card>,
    path: String,
    mode: u32,
    file: Option<Arc<Inode>>,
    length: u64,
    failed: bool,
    finished: bool,
}

impl Drop for Writing {
    fn drop(&mut self) {
        if self.file.is_some() && !self.finished {
            let _ = self.card.files_as(self.card.adb_uid()).unlink(&self.path);
        }
    }
}

impl Writing {
    /// The file, made when it is needed first.
    fn file(&mut self) -> Result<Arc<Inode>, FileError> {
        if let Some(file) = &self.file {
            return Ok(Arc::clone(file));
        }
        let uid = self.card.adb_uid();
        let mut files = self.card.files_as(uid);
        files.make_folders_above(&self.path)?;
        match files.unlink(&self.path) {
            Ok(()) | Err(FileError::Missing) => {}
            Err(why) => return Err(why),
        }
        let file = files.open(&self.path, Meta { uid, gid: uid, ..Meta::new(self.mode) })?;
        self.file = Some(Arc::clone(&file));
        Ok(file)
    }
}

/// Parts of a file that are sent at once.
const PARTS: usize = 4;

impl FileSync {
    /// Whether the host has said good-bye.
    #[must_use]
    pub const fn has_quit(&self) -> bool {
        self.quit
    }

    /// Takes bytes, and answers.
    pub fn input(&mut self, card: &Arc<Card>, bytes: &[u8]) -> Bytes {
        self.buffer.extend_from_slice(bytes);
        let mut out = BytesMut::new();
        while self.step(card, &mut out) {}
        out.freeze()
    }

    /// What follows of a file that is being sent, and of the requests behind it.
    pub fn more(&mut self, card: &Arc<Card>) -> Option<Bytes> {
        let mut out = BytesMut::new();
        self.send_parts(&mut out);
        while self.step(card, &mut out) {}
        Some(out.freeze()).filter(|out| !out.is_empty())
    }

    fn send_parts(&mut self, out: &mut BytesMut) {
        for _ in 0..PARTS {
            let Some((file, at)) = &mut self.sending else { return };
            match file.read(*at, DATA_MAX) {
                Ok(bytes) if bytes.is_empty() => {
                    out.put_slice(b"DONE");
                    out.put_u32_le(0);
                    self.sending = None;
                }
                Ok(bytes) => {
                    *at += bytes.len() as u64;
                    out.put_slice(b"DATA");
                    out.put_u32_le(u32::try_from(bytes.len()).expect("64 KiB"));
                    out.put_slice(&bytes);
                }
                Err(why) => {
                    fail(out, &format!("read failed: {}", why.words()));
                    self.sending = None;
                }
            }
        }
    }

    /// Handles one request, if it is there as a whole.
    fn step(&mut self, card: &Arc<Card>, out: &mut BytesMut) -> bool {
        // Answers come in the order of the requests.
        if self.sending.is_some() {
            return false;
        }
        let Some((head, _)) = self.buffer.split_first_chunk::<8>() else { return false };
        let id = [head[0], head[1], head[2], head[3]];
        let number = u32::from_le_bytes([head[4], head[5], head[6], head[7]]);
        let length = usize::try_from(number).unwrap_or(usize::MAX);
        if let Some((wanted, path)) = self.half.take() {
            return self.second_half(card, out, id, number, (wanted, path));
        }
        match &id {
            b"DONE" => {
                self.buffer.advance(8);
                self.finish(number, out);
                return true;
            }
            b"QUIT" => {
                self.buffer.advance(8);
                self.quit = true;
                return true;
            }
            _ => {}
        }
        if length > DATA_MAX {
            self.buffer.clear();
            fail(out, "a request that is too long");
            return false;
        }
        if self.buffer.len() < 8 + length {
            return false;
        }
        self.buffer.advance(8);
        let content = self.buffer.split_to(length);
        if &id == b"DATA" {
            self.write(&content, out);
            return true;
        }
        let text = String::from_utf8_lossy(&content).into_owned();
        match &id {
            b"STAT" => stat(card, &text, out),
            b"STA2" | b"LST2" => stat_v2(card, id, &text, out),
            b"LIST" => list(card, &text, out),
            b"LIS2" => list_v2(card, &text, out),
            b"RECV" => self.send(card, &text, out),
            b"SND2" | b"RCV2" => self.half = Some((id, text)),
            b"SEND" => {
                let (path, mode) = text.rsplit_once(',').unwrap_or((&text, "33188"));
                self.begin(card, path, mode.parse().unwrap_or(0o100_644));
            }
            _ => fail(out, &format!("unknown command {}", id.escape_ascii())),
        }
        true
    }

    /// The second message of `SND2` (mode and flags) and `RCV2` (flags alone).
    fn second_half(
        &mut self,
        card: &Arc<Card>,
        out: &mut BytesMut,
        id: [u8; 4],
        number: u32,
        first: ([u8; 4], String),
    ) -> bool {
        let (wanted, path) = first;
        let size = if &wanted == b"SND2" { 12 } else { 8 };
        if self.buffer.len() < size {
            self.half = Some((wanted, path));
            return false;
        }
        self.buffer.advance(size);
        if id != wanted {
            fail(out, "the second half of another request");
        } else if &wanted == b"SND2" {
            self.begin(card, &path, number);
        } else {
            self.send(card, &path, out);
        }
        true
    }

    fn begin(&mut self, card: &Arc<Card>, path: &str, mode: u32) {
        self.writing = Some(Writing {
            card: Arc::clone(card),
            path: path.into(),
            mode: mode & 0o777,
            file: None,
            length: 0,
            failed: false,
            finished: false,
        });
    }

    fn write(&mut self, content: &[u8], out: &mut BytesMut) {
        let Some(writing) = &mut self.writing else { return fail(out, "data for no file") };
        if writing.failed {
            return;
        }
        // A card finds out at once that it may not write, and later that it is full.
        let written = match writing.file() {
            Ok(file) => file.write(writing.length, content).map_err(|why| format!("write failed: {}", why.words())),
            Err(why) => Err(format!("couldn't create file: {}", why.words())),
        };
        writing.length += content.len() as u64;
        if let Err(why) = written {
            writing.failed = true;
            fail(out, &why);
        }
    }

    fn finish(&mut self, modified: u32, out: &mut BytesMut) {
        let Some(mut writing) = self.writing.take() else { return fail(out, "the end of no file") };
        if writing.failed {
            return;
        }
        match writing.file() {
            Ok(file) => {
                file.change(|meta| meta.modified = Moment::at(i64::from(modified)));
                writing.finished = true;
                writing.card.count(&format!("push:{}", writing.path));
                out.put_slice(b"OKAY");
                out.put_u32_le(0);
            }
            Err(why) => fail(out, &format!("couldn't create file: {}", why.words())),
        }
    }

    fn send(&mut self, card: &Card, path: &str, out: &mut BytesMut) {
        match card.open_as(card.adb_uid(), path) {
            Ok(inode) if inode.is_folder() => fail(out, "read failed: Is a directory"),
            Ok(inode) => {
                self.sending = Some((inode, 0));
                self.send_parts(out);
            }
            Err(why) => fail(out, &format!("open failed: {}", why.words())),
        }
    }
}

fn fail(out: &mut BytesMut, why: &str) {
    out.put_slice(b"FAIL");
    out.put_u32_le(u32::try_from(why.len()).expect("a short text"));
    out.put_slice(why.as_bytes());
}

fn found(card: &Card, path: &str, follow: bool) -> Option<Arc<Inode>> {
    card.find_as(card.adb_uid(), path, follow).ok().and_then(|Found { inode, .. }| inode)
}

fn size(inode: &Inode) -> u32 {
    u32::try_from(inode.size()).unwrap_or(u32::MAX)
}

fn seconds(inode: &Inode) -> u32 {
    u32::try_from(inode.meta().modified.seconds).unwrap_or(0)
}

fn stat(card: &Card, path: &str, out: &mut BytesMut) {
    out.put_slice(b"STAT");
    match found(card, path, false) {
        Some(inode) => {
            out.put_u32_le(inode.mode());
            out.put_u32_le(size(&inode));
            out.put_u32_le(seconds(&inode));
        }
        None => out.put_slice(&[0; 12]),
    }
}

/// Device, number, mode, names, owners, size and three times.
fn put_long(out: &mut BytesMut, inode: &Inode) {
    let meta = inode.meta();
    out.put_u64_le(0xfd04);
    out.put_u64_le(inode.number);
    out.put_u32_le(inode.mode());
    out.put_u32_le(inode.names());
    out.put_u32_le(meta.uid);
    out.put_u32_le(meta.gid);
    out.put_u64_le(inode.size());
    // Read, written, changed; nobody notes when something was read.
    for time in [meta.modified, meta.modified, inode.changed()] {
        out.put_i64_le(time.seconds);
    }
}

fn stat_v2(card: &Card, id: [u8; 4], path: &str, out: &mut BytesMut) {
    out.put_slice(&id);
    match card.find_as(card.adb_uid(), path, &id == b"STA2").map(|found| found.inode) {
        Ok(Some(inode)) => {
            out.put_u32_le(0);
            put_long(out, &inode);
        }
        Ok(None) => put_error(out, FileError::Missing),
        Err(why) => put_error(out, why),
    }
}

/// In place of what is told of a file: why nothing is.
fn put_error(out: &mut BytesMut, why: FileError) {
    out.put_u32_le(why.number());
    out.put_slice(&[0; 64]);
}

fn list(card: &Card, path: &str, out: &mut BytesMut) {
    for (name, inode) in card.files_as(card.adb_uid()).list(path) {
        out.put_slice(b"DENT");
        out.put_u32_le(inode.mode());
        out.put_u32_le(size(&inode));
        out.put_u32_le(seconds(&inode));
        out.put_u32_le(u32::try_from(name.len()).expect("a short name"));
        out.put_slice(name.as_bytes());
    }
    out.put_slice(b"DONE");
    out.put_slice(&[0; 16]);
}

fn list_v2(card: &Card, path: &str, out: &mut BytesMut) {
    for (name, inode) in card.files_as(card.adb_uid()).list(path) {
        out.put_slice(b"DNT2");
        // No error.
        out.put_u32_le(0);
        put_long(out, &inode);
        out.put_u32_le(u32::try_from(name.len()).expect("a short name"));
        out.put_slice(name.as_bytes());
    }
    out.put_slice(b"DONE");
    out.put_slice(&[0; 72]);
}
