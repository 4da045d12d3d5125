//! The tar format: headers of POSIX ustar, long names as GNU writes them, and `path`, `linkpath`, `size` and `mtime`
//! of pax where they are read.

use super::meta::user;
use crate::files::{Kind, Meta, Moment};

/// Everything is in blocks of so many bytes.
pub const BLOCK: usize = 512;

/// What a header says.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// Kind, as the format's letter.
    pub kind: u8,
    /// Rights, owners and time.
    pub meta: Meta,
    /// Bytes that follow.
    pub size: u64,
    /// Where a link leads.
    pub target: String,
}

/// The letter for a kind.
#[must_use]
pub const fn letter(kind: Kind) -> u8 {
    match kind {
        Kind::Folder => b'5',
        Kind::Link => b'2',
        Kind::Device => b'3',
        Kind::File => b'0',
    }
}

fn octal(field: &mut [u8], value: u64) {
    let digits = field.len() - 1;
    let text = format!("{value:0digits$o}");
    if text.len() > digits {
        // GNU's way for what is too large: binary, with the first bit set.
        let bytes = value.to_be_bytes();
        let start = field.len() - bytes.len().min(field.len());
        field.fill(0);
        let kept = field.len() - start;
        field[start..].copy_from_slice(&bytes[bytes.len() - kept..]);
        field[0] |= 0x80;
        return;
    }
    field[..digits].copy_from_slice(text.as_bytes());
    field[digits] = 0;
}

fn number(field: &[u8]) -> Option<u64> {
    if field.first()? & 0x80 != 0 {
        let bytes = field[field.len().saturating_sub(8)..].iter();
        return Some(bytes.fold(0, |all, byte| all << 8 | u64::from(*byte)));
    }
    let text = std::str::from_utf8(field).ok()?.trim_matches(['\0', ' ']);
    if text.is_empty() { Some(0) } else { u64::from_str_radix(text, 8).ok() }
}

fn text(field: &[u8]) -> String {
    let end = field.iter().position(|byte| *byte == 0).unwrap_or(field.len());
    String::from_utf8_lossy(&field[..end]).into_owned()
}

fn put(field: &mut [u8], text: &str) {
    let count = text.len().min(field.len());
    field[..count].copy_from_slice(&text.as_bytes()[..count]);
}

fn header(entry: &Entry, numeric: bool) -> [u8; BLOCK] {
    let mut block = [0; BLOCK];
    put(&mut block[..100], &entry.name);
    octal(&mut block[100..108], u64::from(entry.meta.mode));
    octal(&mut block[108..116], u64::from(entry.meta.uid));
    octal(&mut block[116..124], u64::from(entry.meta.gid));
    octal(&mut block[124..136], entry.size);
    octal(&mut block[136..148], u64::try_from(entry.meta.modified.seconds).unwrap_or(0));
    block[156] = entry.kind;
    put(&mut block[157..257], &entry.target);
    block[257..265].copy_from_slice(b"ustar  \0");
    if !numeric {
        put(&mut block[265..296], &user(entry.meta.uid));
        put(&mut block[297..328], &user(entry.meta.gid));
    }
    block[148..156].fill(b' ');
    let sum: u64 = block.iter().map(|byte| u64::from(*byte)).sum();
    octal(&mut block[148..155], sum);
    block
}

/// The header blocks of an entry, with those for names that are too long.
#[must_use]
pub fn headers(entry: &Entry, numeric: bool) -> Vec<u8> {
    let mut out = Vec::new();
    for (kind, text) in [(b'K', &entry.target), (b'L', &entry.name)] {
        if text.len() > 100 {
            let meta = Meta { mode: 0o644, uid: 0, gid: 0, modified: Moment::default(), context: None };
            let size = text.len() as u64 + 1;
            let long = Entry { name: "././@LongLink".into(), kind, meta, size, target: String::new() };
            out.extend_from_slice(&header(&long, true));
            out.extend_from_slice(text.as_bytes());
            out.push(0);
            out.resize(out.len() + padding(size), 0);
        }
    }
    out.extend_from_slice(&header(entry, numeric));
    out
}

/// Zeros that follow so many bytes of content.
#[must_use]
pub fn padding(size: u64) -> usize {
    let over = usize::try_from(size % BLOCK as u64).unwrap_or(0);
    if over == 0 { 0 } else { BLOCK - over }
}

/// Reads a header; nothing for a block of zeros.
///
/// # Errors
/// It is none.
pub fn read(block: &[u8; BLOCK]) -> Result<Option<Entry>, &'static str> {
    if block.iter().all(|byte| *byte == 0) {
        return Ok(None);
    }
    let bad = "bad header";
    let mut summed = *block;
    summed[148..156].fill(b' ');
    let sum: u64 = summed.iter().map(|byte| u64::from(*byte)).sum();
    if number(&block[148..156]) != Some(sum) {
        return Err(bad);
    }
    let small = |range: std::ops::Range<usize>| number(&block[range]).and_then(|value| u32::try_from(value).ok());
    let prefix = if &block[257..263] == b"ustar\0" { text(&block[345..500]) } else { String::new() };
    let name = text(&block[..100]);
    let seconds = number(&block[136..148]).and_then(|seconds| i64::try_from(seconds).ok()).ok_or(bad)?;
    Ok(Some(Entry {
        name: if prefix.is_empty() { name } else { format!("{prefix}/{name}") },
        kind: if block[156] == 0 { b'0' } else { block[156] },
        meta: Meta {
            mode: small(100..108).ok_or(bad)? & 0o7777,
            uid: small(108..116).ok_or(bad)?,
            gid: small(116..124).ok_or(bad)?,
            modified: Moment::at(seconds),
            context: None,
        },
        size: number(&block[124..136]).ok_or(bad)?,
        target: text(&block[157..257]),
    }))
}

/// What the records of a pax header say, by name.
#[must_use]
pub fn records(bytes: &[u8]) -> Vec<(String, String)> {
    let (mut found, mut rest) = (Vec::new(), bytes);
    while let Some(space) = rest.iter().position(|byte| *byte == b' ') {
        let length = std::str::from_utf8(&rest[..space]).ok().and_then(|text| text.parse::<usize>().ok());
        let Some(record) = length.and_then(|length| rest.get(space + 1..length)) else { break };
        let record = String::from_utf8_lossy(record);
        if let Some((name, value)) = record.trim_end_matches('\n').split_once('=') {
            found.push((name.to_owned(), value.to_owned()));
        }
        rest = &rest[space + 1 + record.len()..];
    }
    found
}
