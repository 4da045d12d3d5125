//! A phone's card as what is copied: its list is known, and contents are read by `tar`, small files many at a time.
//!
//! Whoever makes the copy asks for one file after the other, from threads of his own. Small ones are fetched in batches, in
//! the order in which they will be asked for, and the next batch is on its way while one is worked on. `tar` says name and
//! size of each, so that a file which has changed since it was listed is noticed and not taken for another.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io::{self, Cursor, Read};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use adb::{Card, Command, Printing};
use bytes::{Buf as _, Bytes};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use snapshot::{Entry, EntryKind, Source};
use tokio::runtime::Handle;
use wire::Reason;

use crate::clean::ROOT;
use crate::cover::Kept;
use crate::listing::{self, Unread, ended};
use crate::refused::Refused;

/// Files of less than this are read together.
const SMALL: u64 = 1 << 20;
/// Bytes that are read together, and names.
const BATCH: u64 = 2 << 20;
const NAMES: usize = 1_000;
/// Batches that are kept until all of their files were asked for.
const KEPT: usize = 4;
/// A batch is given up after this time.
const PATIENCE: Duration = Duration::from_mins(2);
/// A block of `tar`.
const BLOCK: u64 = 512;

/// What the thread that asks and those that fetch share.
type Fetched = Shared<BoxFuture<'static, Result<Arc<Mutex<HashMap<usize, Bytes>>>, (Reason, String)>>>;

/// A phone's card as what is copied.
pub struct CardSource {
    card: Card,
    runtime: Handle,
    /// What each line that reads begins with: the card is still what it was.
    guard: String,
    entries: Vec<Entry>,
    /// Where each entry is on the card, below [`ROOT`].
    from: HashMap<PathBuf, Vec<u8>>,
    plan: Plan,
    fetched: Mutex<BTreeMap<usize, Fetched>>,
    trouble: Mutex<Option<Refused>>,
    read: AtomicU64,
}

/// Which small files are fetched together.
#[derive(Debug, Default)]
struct Plan {
    batches: Vec<Vec<(PathBuf, u64)>>,
    places: HashMap<PathBuf, (usize, usize)>,
}

impl Plan {
    /// For files in the order in which they are asked for.
    fn of(files: impl Iterator<Item = (PathBuf, u64)>) -> Self {
        let mut plan = Self::default();
        let mut bytes = BATCH;
        for (path, size) in files.filter(|(_, size)| *size < SMALL) {
            let is_full = plan.batches.last().is_none_or(|batch| batch.len() >= NAMES) || bytes + size > BATCH;
            if is_full {
                plan.batches.push(Vec::new());
                bytes = 0;
            }
            bytes += size;
            let at = plan.batches.len() - 1;
            plan.places.insert(path.clone(), (at, plan.batches[at].len()));
            plan.batches[at].push((path, size));
        }
        plan
    }
}

impl std::fmt::Debug for CardSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardSource").field("entries", &self.entries.len()).finish_non_exhaustive()
    }
}

/// What a copy holds, as it has to be told to the engine; `targets` are those of its links, in their order.
///
/// # Errors
/// A link has no target.
pub fn entries(kept: &[Kept], targets: Vec<String>) -> Result<Vec<Entry>, Refused> {
    let mut targets = targets.into_iter();
    let mut all = Vec::with_capacity(kept.len());
    for Kept { path, timed, .. } in kept {
        let entry = timed.entry;
        let kind = if entry.is_folder() {
            EntryKind::Folder
        } else if entry.is_file() {
            EntryKind::File(entry.size)
        } else {
            let target = targets.next().ok_or_else(|| Refused(Reason::NotReadable, "a link has no target".into()))?;
            EntryKind::Link(target.into())
        };
        all.push(Entry {
            path: path_of(path),
            kind,
            mode: entry.mode & 0o7777,
            uid: entry.uid,
            gid: entry.gid,
            modified: (timed.modified, 0),
            changed: Some((timed.changed, 0)),
            inode: 0,
        });
    }
    Ok(all)
}

pub fn path_of(bytes: &[u8]) -> PathBuf {
    OsString::from_vec(bytes.to_vec()).into()
}

impl CardSource {
    /// What `kept` says, on this card. Contents are fetched together that differ from `parent`, the copy before; lines that
    /// read begin with `guard`.
    pub fn new(
        card: Card,
        runtime: Handle,
        guard: String,
        kept: &[Kept],
        entries: Vec<Entry>,
        parent: &[Entry],
    ) -> Self {
        let known: HashMap<&Path, &Entry> = parent.iter().map(|entry| (entry.path.as_path(), entry)).collect();
        let mut files: Vec<(&Path, u64)> = Vec::new();
        for entry in &entries {
            if let EntryKind::File(size) = entry.kind
                && known.get(entry.path.as_path()).is_none_or(|before| is_other(before, entry))
            {
                files.push((&entry.path, size));
            }
        }
        // As the engine has them: part by part.
        files.sort_unstable();
        let plan = Plan::of(files.into_iter().map(|(path, size)| (path.to_owned(), size)));
        let from = kept.iter().filter_map(|kept| Some((path_of(&kept.path), kept.from.clone()?))).collect();
        Self {
            card,
            runtime,
            guard,
            entries,
            from,
            plan,
            fetched: Mutex::default(),
            trouble: Mutex::default(),
            read: AtomicU64::new(0),
        }
    }

    /// Bytes that have come from the card.
    pub fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// What went wrong first at the card.
    pub fn trouble(&self) -> Option<Refused> {
        self.trouble.lock().take()
    }

    fn fail(&self, Refused(code, why): Refused) -> io::Error {
        self.trouble.lock().get_or_insert(Refused(code, why.clone()));
        io::Error::other(why)
    }

    /// Where a file is on the card.
    fn place(&self, path: &Path) -> io::Result<&[u8]> {
        let found = self.from.get(path).map(Vec::as_slice);
        found.ok_or_else(|| self.fail(Refused(Reason::NotReadable, format!("{} was not listed", path.display()))))
    }

    /// The line that reads files whose names come by themselves.
    fn line(&self) -> Command {
        Command::script(&format!("{}cd {ROOT} && xargs -0 -r tar -cf -", self.guard))
    }

    /// A small file, with those that follow it.
    fn small(&self, (batch, at): (usize, usize)) -> io::Result<Bytes> {
        for _ in 0..2 {
            // The next one is fetched while this one is worked on.
            let wanted = self.fetch(batch)?;
            if batch + 1 < self.plan.batches.len() {
                _ = self.fetch(batch + 1)?;
            }
            match self.runtime.block_on(wanted) {
                Err((code, why)) => return Err(self.fail(Refused(code, why))),
                Ok(files) => {
                    if let Some(bytes) = files.lock().remove(&at) {
                        return Ok(bytes);
                    }
                }
            }
            // Somebody has taken it before: it is fetched once more.
            self.fetched.lock().remove(&batch);
        }
        Err(self.fail(Refused(Reason::NotReadable, "a file did not come".to_owned())))
    }

    fn fetch(&self, batch: usize) -> io::Result<Fetched> {
        let mut fetched = self.fetched.lock();
        if let Some(known) = fetched.get(&batch) {
            return Ok(known.clone());
        }
        let mut names = Vec::new();
        let mut sizes = Vec::new();
        for (path, size) in &self.plan.batches[batch] {
            names.push(self.place(path)?.to_vec());
            sizes.push(*size);
        }
        let coming = fetch(self.card.clone(), self.line(), names, sizes).boxed().shared();
        self.read.fetch_add(self.plan.batches[batch].iter().map(|it| it.1).sum(), Ordering::Relaxed);
        self.runtime.spawn(coming.clone());
        fetched.insert(batch, coming.clone());
        while fetched.len() > KEPT {
            fetched.pop_first();
        }
        Ok(coming)
    }

    /// A large file, piece by piece.
    fn large(self: &Arc<Self>, path: &Path, size: u64) -> io::Result<LargeFile> {
        let name = self.place(path)?;
        let command = self.line().stdin(ended(&[name]));
        let printing = self.runtime.block_on(self.card.printing(&command)).map_err(|error| self.fail(error.into()))?;
        let mut file =
            LargeFile { source: Arc::clone(self), printing, rest: Bytes::new(), left: size, has_ended: false };
        file.header(size)?;
        Ok(file)
    }
}

/// Whether a file is not what it was in the copy before: the engine's own rule.
fn is_other(before: &Entry, now: &Entry) -> bool {
    let as_known = |entry: &Entry| (entry.kind.clone(), entry.modified, entry.changed);
    as_known(before) != as_known(now)
}

/// Fetches some small files.
async fn fetch(
    card: Card,
    line: Command,
    names: Vec<Vec<u8>>,
    sizes: Vec<u64>,
) -> Result<Arc<Mutex<HashMap<usize, Bytes>>>, (Reason, String)> {
    let told = |Refused(code, why)| (code, why);
    let all: Vec<&[u8]> = names.iter().map(Vec::as_slice).collect();
    let content: u64 = sizes.iter().map(|size| size.next_multiple_of(BLOCK)).sum();
    // A header each, more for long names, and the ends.
    let heads: u64 = names.iter().map(|name| 4 * BLOCK + (name.len() as u64).next_multiple_of(BLOCK)).sum();
    let most = usize::try_from(content + heads + (64 << 10)).unwrap_or(usize::MAX);
    let output = card.run_whole(&line.stdin(ended(&all)), PATIENCE, most).await;
    let archive = output.map_err(Unread::from).and_then(listing::well).map_err(|unread| told(unread.into()))?;
    unpacked(archive, &names, &sizes).map(|files| Arc::new(Mutex::new(files))).map_err(told)
}

/// The contents of files out of archives that come one after the other, as `xargs` makes them of many names.
fn unpacked(archive: Vec<u8>, names: &[Vec<u8>], sizes: &[u64]) -> Result<HashMap<usize, Bytes>, Refused> {
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

/// The content of a large file on its way.
struct LargeFile {
    source: Arc<CardSource>,
    printing: Printing,
    rest: Bytes,
    left: u64,
    has_ended: bool,
}

impl LargeFile {
    /// Reads what comes before the content, which must be that of this size.
    fn header(&mut self, size: u64) -> io::Result<()> {
        loop {
            let mut block = [0; BLOCK as usize];
            self.exact(&mut block)?;
            let header = tar::Header::from_byte_slice(&block);
            let told = header.entry_size()?;
            let kind = header.entry_type();
            if kind.is_gnu_longname() || kind.is_pax_local_extensions() || kind.is_pax_global_extensions() {
                // The name is known: it is the only one.
                let mut skipped =
                    vec![0; usize::try_from(told.next_multiple_of(BLOCK)).unwrap_or(usize::MAX).min(1 << 20)];
                self.exact(&mut skipped)?;
                continue;
            }
            if kind.is_file() && told == size {
                return Ok(());
            }
            let why = format!("a file has {told} bytes now, and had {size}");
            return Err(self.source.fail(Refused(Reason::NotReadable, why)));
        }
    }

    fn exact(&mut self, to: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < to.len() {
            match self.some(&mut to[filled..])? {
                0 => return Err(self.source.fail(Refused(Reason::NotReadable, "a file is cut off".to_owned()))),
                more => filled += more,
            }
        }
        Ok(())
    }

    /// Some bytes of the archive; none at its end, which has to be a good one.
    fn some(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.rest.is_empty() && !self.has_ended {
            match self.source.runtime.block_on(self.printing.next()) {
                Ok(Some(bytes)) => self.rest = bytes,
                Ok(None) => {
                    self.has_ended = true;
                    let ended = self.printing.ended().cloned().unwrap_or_default();
                    let ended = adb::Output { exit: Some(ended.exit), stderr: ended.stderr, ..adb::Output::default() };
                    listing::well(ended).map_err(|unread| self.source.fail(unread.into()))?;
                }
                Err(error) => return Err(self.source.fail(error.into())),
            }
        }
        let some = self.rest.len().min(to.len());
        self.rest.copy_to_slice(&mut to[..some]);
        Ok(some)
    }
}

impl Read for LargeFile {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.left > 0 {
            let most = usize::try_from(self.left).unwrap_or(usize::MAX).min(to.len());
            let some = self.some(&mut to[..most])?;
            if some == 0 && most > 0 {
                return Err(self.source.fail(Refused(Reason::NotReadable, "a file is cut off".to_owned())));
            }
            self.left -= some as u64;
            self.source.read.fetch_add(some as u64, Ordering::Relaxed);
            return Ok(some);
        }
        // What follows is the end of the archive, and whether `tar` had anything to complain about.
        let mut block = [0; BLOCK as usize];
        while self.some(&mut block)? > 0 {}
        Ok(0)
    }
}

/// The source as the engine asks it: what is on its way knows where it comes from.
#[derive(Clone, Debug)]
pub struct Shelf(pub Arc<CardSource>);

impl Source for Shelf {
    fn list(&self) -> io::Result<Vec<Entry>> {
        Ok(self.0.entries.clone())
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        if let Some(place) = self.0.plan.places.get(&entry.path) {
            return Ok(Box::new(self.0.small(*place)?.reader()));
        }
        let EntryKind::File(size) = entry.kind else { return Ok(Box::new(io::empty())) };
        Ok(Box::new(self.0.large(&entry.path, size)?))
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
