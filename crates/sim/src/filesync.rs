//! The file service, on the card's side (AOSP `adb/SYNC.TXT`, `file_sync_protocol.h`).

use adb::DATA_MAX;
use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

use crate::card::Card;
use crate::files::Node;
use crate::programs;

/// A session of the file service.
#[derive(Debug, Default)]
pub struct FileSync {
    buffer: BytesMut,
    /// The file that is being written.
    writing: Option<Writing>,
    /// The path of a request of the second version whose other half has not come yet.
    half: Option<([u8; 4], String)>,
    quit: bool,
}

#[derive(Debug)]
struct Writing {
    path: String,
    mode: u32,
    content: BytesMut,
    failed: bool,
}

impl FileSync {
    /// Whether the host has said good-bye.
    #[must_use]
    pub const fn has_quit(&self) -> bool {
        self.quit
    }

    /// Takes bytes, and answers.
    pub fn input(&mut self, card: &Card, bytes: &[u8]) -> Bytes {
        self.buffer.extend_from_slice(bytes);
        let mut out = BytesMut::new();
        while self.step(card, &mut out) {}
        out.freeze()
    }

    /// Handles one request, if it is there as a whole.
    fn step(&mut self, card: &Card, out: &mut BytesMut) -> bool {
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
                self.finish(card, number, out);
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
            self.write(card, &content, out);
            return true;
        }
        let text = String::from_utf8_lossy(&content).into_owned();
        match &id {
            b"STAT" => stat(card, &text, out),
            b"STA2" | b"LST2" => stat_v2(card, id, &text, out),
            b"LIST" => list(card, &text, out),
            b"LIS2" => list_v2(card, &text, out),
            b"RECV" => send_file(card, &text, out),
            b"SND2" | b"RCV2" => self.half = Some((id, text)),
            b"SEND" => {
                let (path, mode) = text.rsplit_once(',').unwrap_or((&text, "33188"));
                self.begin(path, mode.parse().unwrap_or(0o100_644));
            }
            _ => fail(out, &format!("unknown command {}", id.escape_ascii())),
        }
        true
    }

    /// The second message of `SND2` (mode and flags) and `RCV2` (flags alone).
    fn second_half(
        &mut self,
        card: &Card,
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
            self.begin(&path, number);
        } else {
            send_file(card, &path, out);
        }
        true
    }

    fn begin(&mut self, path: &str, mode: u32) {
        let mode = mode & 0o777 | 0o100_000;
        self.writing = Some(Writing { path: path.into(), mode, content: BytesMut::new(), failed: false });
    }

    fn write(&mut self, card: &Card, content: &[u8], out: &mut BytesMut) {
        let Some(writing) = &mut self.writing else { return fail(out, "data for no file") };
        if writing.failed {
            return;
        }
        // A card finds out at once that it may not write, and later that it is full.
        if writing.content.is_empty() {
            let empty = Node { mode: writing.mode, modified: 0, content: Bytes::new() };
            if let Err(why) = programs::write(card, &writing.path, empty) {
                writing.failed = true;
                return fail(out, &format!("couldn't create file: {}", why.words()));
            }
        }
        writing.content.extend_from_slice(content);
        let room = crate::card::DISK.saturating_sub(card.used());
        if writing.content.len() as u64 > room {
            writing.failed = true;
            writing.content = BytesMut::new();
            fail(out, "write failed: No space left on device");
        }
    }

    fn finish(&mut self, card: &Card, modified: u32, out: &mut BytesMut) {
        let Some(writing) = self.writing.take() else { return fail(out, "the end of no file") };
        if writing.failed {
            return;
        }
        let node = Node { mode: writing.mode, modified, content: writing.content.freeze() };
        match programs::write(card, &writing.path, node) {
            Ok(()) => {
                card.count(&format!("push:{}", writing.path));
                out.put_slice(b"OKAY");
                out.put_u32_le(0);
            }
            Err(why) => fail(out, &format!("couldn't create file: {}", why.words())),
        }
    }
}

fn fail(out: &mut BytesMut, why: &str) {
    out.put_slice(b"FAIL");
    out.put_u32_le(u32::try_from(why.len()).expect("a short text"));
    out.put_slice(why.as_bytes());
}

fn stat(card: &Card, path: &str, out: &mut BytesMut) {
    out.put_slice(b"STAT");
    let node = programs::read(card, path);
    let size = node.as_ref().map_or(0, |node| u32::try_from(node.content.len()).unwrap_or(u32::MAX));
    out.put_u32_le(node.as_ref().map_or(0, |node| node.mode));
    out.put_u32_le(size);
    out.put_u32_le(node.as_ref().map_or(0, |node| node.modified));
}

fn stat_v2(card: &Card, id: [u8; 4], path: &str, out: &mut BytesMut) {
    let node = programs::read(card, path);
    out.put_slice(&id);
    // ENOENT.
    out.put_u32_le(if node.is_some() { 0 } else { 2 });
    out.put_u64_le(0);
    out.put_u64_le(0);
    out.put_u32_le(node.as_ref().map_or(0, |node| node.mode));
    out.put_u32_le(1);
    out.put_u32_le(0);
    out.put_u32_le(0);
    out.put_u64_le(node.as_ref().map_or(0, |node| node.content.len() as u64));
    for _ in 0..3 {
        out.put_i64_le(node.as_ref().map_or(0, |node| i64::from(node.modified)));
    }
}

fn list(card: &Card, path: &str, out: &mut BytesMut) {
    for (name, node) in card.state().files.list(path) {
        out.put_slice(b"DENT");
        out.put_u32_le(node.mode);
        out.put_u32_le(u32::try_from(node.content.len()).unwrap_or(u32::MAX));
        out.put_u32_le(node.modified);
        out.put_u32_le(u32::try_from(name.len()).expect("a short name"));
        out.put_slice(name.as_bytes());
    }
    out.put_slice(b"DONE");
    out.put_slice(&[0; 16]);
}

fn list_v2(card: &Card, path: &str, out: &mut BytesMut) {
    for (name, node) in card.state().files.list(path) {
        out.put_slice(b"DNT2");
        // No error; device and inode.
        out.put_slice(&[0; 20]);
        out.put_u32_le(node.mode);
        // Links, owner and group.
        out.put_slice(&[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        out.put_u64_le(node.content.len() as u64);
        for _ in 0..3 {
            out.put_i64_le(i64::from(node.modified));
        }
        out.put_u32_le(u32::try_from(name.len()).expect("a short name"));
        out.put_slice(name.as_bytes());
    }
    out.put_slice(b"DONE");
    out.put_slice(&[0; 72]);
}

fn send_file(card: &Card, path: &str, out: &mut BytesMut) {
    match programs::read(card, path) {
        Some(node) if !node.is_folder() => {
            for part in node.content.chunks(DATA_MAX) {
                out.put_slice(b"DATA");
                out.put_u32_le(u32::try_from(part.len()).expect("64 KiB"));
                out.put_slice(part);
            }
            out.put_slice(b"DONE");
            out.put_u32_le(0);
        }
        Some(_) => fail(out, "read failed: Is a directory"),
        None => fail(out, "open failed: No such file or directory"),
    }
}
