//! Files of a card out of the archives in which they come.

use std::collections::HashMap;
use std::io::{self, Cursor};
use std::sync::Arc;
use std::time::Duration;

use adb::{Card, Command, Error, Output};
use bytes::Bytes;
use parking_lot::Mutex;
use wire::Reason;

use crate::listing::{self, Unread, ended};
use crate::refused::{NOTHING_DONE, Refused};

/// A block of `tar`.
pub const BLOCK: u64 = 512;
/// A batch is given up after this time.
const PATIENCE: Duration = Duration::from_mins(2);
/// By so much files may have grown together since they were listed, where they may.
const GROWN: u64 = 64 << 20;

/// Fetches some small files; where they may change, those that are still there, as they are by now.
pub async fn fetch(
    card: Card,
    line: Command,
    names: Vec<Vec<u8>>,
    sizes: Vec<u64>,
    may_change: bool,
) -> Result<Arc<Mutex<HashMap<usize, Bytes>>>, (Reason, String)> {
    let told = |Refused(code, why)| (code, why);
    let all: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    let content: u64 = sizes.iter().map(|size| size.next_multiple_of(BLOCK)).sum();
    // A header each, more for long names, and the ends.
    let heads: u64 = names.iter().map(|name| 4 * BLOCK + (name.len() as u64).next_multiple_of(BLOCK)).sum();
    let grown = if may_change { GROWN } else { 0 };
    let most = usize::try_from(content + heads + grown + (64 << 10)).unwrap_or(usize::MAX);
    let output = card.run_whole(&line.stdin(ended(&all)), PATIENCE, most).await;
    // One of them has grown beyond all measure, or is a folder by now: each is fetched alone.
    if may_change && matches!(output, Err(Error::TooLarge { .. })) {
        return Ok(Arc::default());
    }
    let well =
        |output: Output| if may_change && complains(&output) { Ok(output.stdout) } else { listing::well(output) };
    let archive = output.map_err(Unread::from).and_then(well).map_err(|unread| told(unread.into()))?;
    let files = if may_change { still_there(archive, &names) } else { unpacked(archive, &names, &sizes) };
    files.map(|files| Arc::new(Mutex::new(files))).map_err(told)
}

/// Whether a line has come as far as to `tar`, which complains of what it does not find. What it has not read is missed.
pub fn complains(output: &Output) -> bool {
    output.exit.is_some_and(|exit| !NOTHING_DONE.contains(&exit)) && !output.stderr.is_empty()
}

/// The contents of those files that have come, as they are by now.
pub fn still_there(archive: Vec<u8>, names: &[Vec<u8>]) -> Result<HashMap<usize, Bytes>, Refused> {
    let broken = |cause: io::Error| Refused(Reason::NotReadable, format!("its archive cannot be read: {cause}"));
    let bytes = Bytes::from(archive);
    let mut archive = tar::Archive::new(Cursor::new(bytes.clone()));
    archive.set_ignore_zeros(true);
    let mut files = HashMap::new();
    let mut by_name: HashMap<Vec<u8>, Bytes> = HashMap::new();
    let places: HashMap<&[u8], usize> = names.iter().enumerate().map(|(at, name)| (name.as_slice(), at)).collect();
    for entry in archive.entries().map_err(broken)? {
        // It may break off with the last one.
        let Ok(entry) = entry else { break };
        let path = entry.path_bytes();
        let name = path.strip_prefix(b"./").unwrap_or(&path);
        // What has become a folder comes with everything in it.
        let Some(at) = places.get(name).copied() else { continue };
        let kind = entry.header().entry_type();
        let content = if kind.is_hard_link() {
            let first = entry.link_name_bytes().map(|first| first.strip_prefix(b"./").unwrap_or(&first).to_vec());
            first.and_then(|first| by_name.get(&first).cloned())
        } else if kind.is_file() {
            let from = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
            let to = from.checked_add(usize::try_from(entry.size()).unwrap_or(usize::MAX));
            to.filter(|to| *to <= bytes.len()).map(|to| bytes.slice(from..to))
        } else {
            // A link has its name by now.
            None
        };
        if let Some(content) = content {
            by_name.insert(name.to_vec(), content.clone());
            files.insert(at, content);
        }
    }
    Ok(files)
}

/// The contents of files out of archives that come one after the other, as `xargs` makes them of many names.
pub fn unpacked(archive: Vec<u8>, names: &[Vec<u8>], sizes: &[u64]) -> Result<HashMap<usize, Bytes>, Refused> {
    let unread = |why: String| Refused(Reason::NotReadable, why);
    let broken = |cause: io::Error| unread(format!("its archive cannot be read: {cause}"));
    let bytes = Bytes::from(archive);
    let mut archive = tar::Archive::new(Cursor::new(bytes.clone()));
    archive.set_ignore_zeros(true);
    let mut files: HashMap<usize, Bytes> = HashMap::new();
    // Names of one file come once with its content.
    let mut by_name: HashMap<Vec<u8>, Bytes> = HashMap::new();
    let mut wanted = names.iter().zip(sizes).enumerate();
    for entry in archive.entries().map_err(broken)? {
        let entry = entry.map_err(broken)?;
        let path = entry.path_bytes();
        let name = path.strip_prefix(b"./").unwrap_or(&path);
        let told = || String::from_utf8_lossy(name).into_owned();
        let Some((at, (listed, size))) = wanted.next() else {
            return Err(unread(format!("{} was not asked for", told())));
        };
        if name != listed.as_slice() {
            return Err(unread(format!("{} came instead of {}", told(), String::from_utf8_lossy(listed))));
        }
        let content = if entry.header().entry_type().is_hard_link() {
            let first = entry.link_name_bytes().map(|first| first.strip_prefix(b"./").unwrap_or(&first).to_vec());
            first
                .and_then(|first| by_name.get(&first).cloned())
                .ok_or_else(|| unread(format!("{} has no content", told())))?
        } else {
            let from = usize::try_from(entry.raw_file_position()).unwrap_or(usize::MAX);
            let length = usize::try_from(entry.size()).unwrap_or(usize::MAX);
            let to = from.checked_add(length).filter(|to| *to <= bytes.len());
            bytes.slice(from..to.ok_or_else(|| unread(format!("{} is cut off", told())))?)
        };
        if content.len() as u64 != *size {
            return Err(unread(format!("{} has {} bytes now, and had {size}", told(), content.len())));
        }
        by_name.insert(name.to_vec(), content.clone());
        files.insert(at, content);
    }
    match wanted.next() {
        Some((_, (missing, _))) => Err(unread(format!("{} did not come", String::from_utf8_lossy(missing)))),
        None => Ok(files),
    }
}
