//! A phone's card as what is copied: its list is known, and contents are read by `tar`, small files many at a time.
//!
//! Whoever makes the copy asks for one file after the other, from threads of his own. Small ones are fetched in batches, in
//! the order in which they will be asked for, and the next batch is on its way while one is worked on. `tar` says name and
//! size of each, so that a file which has changed since it was listed is noticed and not taken for another.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use adb::{Card, Command, Output, Printing};
use bytes::{Buf as _, Bytes};
use futures::FutureExt as _;
use futures::future::{BoxFuture, Shared};
use parking_lot::Mutex;
use snapshot::{Entry, EntryKind, Gone, Source};
use tokio::runtime::Handle;
use wire::Reason;

use crate::archive::{BLOCK, complains, fetch};
use crate::clean::ROOT;
use crate::cover::Kept;
use crate::listing::{self, ended};
use crate::refused::Refused;

/// Files of less than this are read together.
const SMALL: u64 = 1 << 20;
/// Bytes that are read together, and names.
const BATCH: u64 = 2 << 20;
const NAMES: usize = 1_000;
/// Batches that are kept until all of their files were asked for.
const KEPT: usize = 4;

/// What the thread that asks and those that fetch share.
type Fetched = Shared<BoxFuture<'static, Result<Arc<Mutex<HashMap<usize, Bytes>>>, (Reason, String)>>>;

/// A phone's card as what is copied.
pub struct CardSource {
    card: Card,
    runtime: Handle,
    /// What each line that reads begins with: the card is still what it was.
    guard: String,
    /// Until the engine has taken them, which it does once: it keeps its own list.
    entries: Mutex<Option<Vec<Entry>>>,
    plan: Plan,
    fetched: Mutex<BTreeMap<usize, Fetched>>,
    /// The phone goes on: what its files have become meanwhile. None where nothing may.
    lost: Option<Mutex<Lost>>,
    trouble: Mutex<Option<Refused>>,
    read: AtomicU64,
}

/// Files of a phone that goes on which were not what they had been listed as, by their paths in the copy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lost {
    /// They have grown: what was listed of them was read.
    pub grown: BTreeSet<PathBuf>,
    /// They are not there any more, or have shrunk: the copy lacks them.
    pub left_out: BTreeSet<PathBuf>,
}

/// A file: its path in the copy, where it is on the card below [`ROOT`], and its size.
type OnCard = (PathBuf, Vec<u8>, u64);

/// Where files are on the card, and which small ones are fetched together.
#[derive(Debug, Default)]
struct Plan {
    batches: Vec<Vec<(Vec<u8>, u64)>>,
    places: HashMap<PathBuf, (usize, usize)>,
    /// Large ones, and those that nobody should ask for.
    alone: HashMap<PathBuf, Vec<u8>>,
}

impl Plan {
    /// For files in the order in which they are asked for.
    fn of(files: impl Iterator<Item = OnCard>) -> Self {
        let mut plan = Self::default();
        let mut bytes = BATCH;
        for (path, from, size) in files {
            if size >= SMALL {
                plan.alone.insert(path, from);
                continue;
            }
            let is_full = plan.batches.last().is_none_or(|batch| batch.len() >= NAMES) || bytes + size > BATCH;
            if is_full {
                plan.batches.push(Vec::new());
                bytes = 0;
            }
            bytes += size;
            let at = plan.batches.len() - 1;
            plan.places.insert(path, (at, plan.batches[at].len()));
            plan.batches[at].push((from, size));
        }
        plan
    }

    /// Where a file is on the card.
    fn from(&self, path: &Path) -> Option<&[u8]> {
        let small = || self.places.get(path).map(|&(batch, at)| self.batches[batch][at].0.as_slice());
        self.alone.get(path).map(Vec::as_slice).or_else(small)
    }
}

impl std::fmt::Debug for CardSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardSource").field("batches", &self.plan.batches.len()).finish_non_exhaustive()
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
    /// The same of a phone that goes on: a file that has grown is read as far as it was listed, and one that is gone or has
    /// shrunk is left out.
    #[must_use]
    pub fn going_on(self) -> Self {
        Self { lost: Some(Mutex::default()), ..self }
    }

    /// What was not what it had been listed as.
    pub fn lost(&self) -> Lost {
        self.lost.as_ref().map(|lost| lost.lock().clone()).unwrap_or_default()
    }

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
        let (mut files, mut same): (Vec<OnCard>, Vec<OnCard>) = Default::default();
        for (entry, kept) in entries.iter().zip(kept) {
            if let (EntryKind::File(size), Some(from)) = (&entry.kind, &kept.from) {
                let is_new = known.get(entry.path.as_path()).is_none_or(|before| is_other(before, entry));
                let list = if is_new { &mut files } else { &mut same };
                list.push((entry.path.clone(), from.clone(), *size));
            }
        }
        // As the engine has them: part by part.
        files.sort_unstable();
        let mut plan = Plan::of(files.into_iter());
        plan.alone.extend(same.into_iter().map(|(path, from, _)| (path, from)));
        Self {
            card,
            runtime,
            guard,
            entries: Mutex::new(Some(entries)),
            plan,
            fetched: Mutex::default(),
            lost: None,
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
        self.plan
            .from(path)
            .ok_or_else(|| self.fail(Refused(Reason::NotReadable, format!("{} was not listed", path.display()))))
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
        for (from, size) in &self.plan.batches[batch] {
            names.push(from.clone());
            sizes.push(*size);
        }
        let may_change = self.lost.is_some();
        let coming = fetch(self.card.clone(), self.line(), names, sizes, may_change).boxed().shared();
        self.read.fetch_add(self.plan.batches[batch].iter().map(|it| it.1).sum(), Ordering::Relaxed);
        self.runtime.spawn(coming.clone());
        fetched.insert(batch, coming.clone());
        while fetched.len() > KEPT {
            fetched.pop_first();
        }
        Ok(coming)
    }

    /// A small file of a phone that goes on, as far as it was listed; none if it did not come with its batch, or not as much
    /// of it.
    fn some_small(&self, (batch, at): (usize, usize), path: &Path, size: u64) -> io::Result<Option<Bytes>> {
        let wanted = self.fetch(batch)?;
        if batch + 1 < self.plan.batches.len() {
            _ = self.fetch(batch + 1)?;
        }
        let files = self.runtime.block_on(wanted).map_err(|(code, why)| self.fail(Refused(code, why)))?;
        let Some(mut bytes) = files.lock().remove(&at) else { return Ok(None) };
        let wanted = usize::try_from(size).unwrap_or(usize::MAX);
        if bytes.len() > wanted {
            self.has_grown(path);
        }
        bytes.truncate(wanted);
        Ok(Some(bytes).filter(|bytes| bytes.len() == wanted))
    }

    fn has_grown(&self, path: &Path) {
        if let Some(lost) = &self.lost {
            lost.lock().grown.insert(path.to_owned());
        }
    }

    /// A file is not what it was listed as. Where none may change that ends the copy; elsewhere it is left out.
    fn changed(&self, path: &Path, why: String) -> io::Error {
        match &self.lost {
            Some(lost) => {
                lost.lock().left_out.insert(path.to_owned());
                io::Error::other(Gone)
            }
            None => self.fail(Refused(Reason::NotReadable, why)),
        }
    }

    /// A large file, piece by piece.
    fn large(self: &Arc<Self>, path: &Path, size: u64) -> io::Result<LargeFile> {
        let name = self.place(path)?;
        let command = self.line().stdin(ended(&[name]));
        let printing = self.runtime.block_on(self.card.printing(&command)).map_err(|error| self.fail(error.into()))?;
        let mut file = LargeFile {
            source: Arc::clone(self),
            path: path.to_owned(),
            printing,
            rest: Bytes::new(),
            left: size,
            has_ended: false,
            has_grown: false,
        };
        file.header(size)?;
        Ok(file)
    }
}

/// Whether a file is not what it was in the copy before: the engine's own rule.
fn is_other(before: &Entry, now: &Entry) -> bool {
    let as_known = |entry: &Entry| (entry.kind.clone(), entry.modified, entry.changed);
    as_known(before) != as_known(now)
}

/// The content of a large file on its way.
struct LargeFile {
    source: Arc<CardSource>,
    path: PathBuf,
    printing: Printing,
    rest: Bytes,
    left: u64,
    has_ended: bool,
    /// There is more of it than was listed, which is nobody's.
    has_grown: bool,
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
            if kind.is_file() && told > size && self.source.lost.is_some() {
                self.has_grown = true;
                self.source.has_grown(&self.path);
                return Ok(());
            }
            if kind.is_file() && told == size {
                return Ok(());
            }
            return Err(self.source.changed(&self.path, format!("a file has {told} bytes now, and had {size}")));
        }
    }

    fn exact(&mut self, to: &mut [u8]) -> io::Result<()> {
        let mut filled = 0;
        while filled < to.len() {
            match self.some(&mut to[filled..])? {
                0 => return Err(self.source.changed(&self.path, "a file is cut off".to_owned())),
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
                    let ended = Output { exit: Some(ended.exit), stderr: ended.stderr, ..Output::default() };
                    // It may have complained that there is less of the file than it had said.
                    if self.source.lost.is_none() || !complains(&ended) {
                        listing::well(ended).map_err(|unread| self.source.fail(unread.into()))?;
                    }
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
                return Err(self.source.changed(&self.path, "a file is cut off".to_owned()));
            }
            self.left -= some as u64;
            self.source.read.fetch_add(some as u64, Ordering::Relaxed);
            return Ok(some);
        }
        if self.has_grown {
            return Ok(0);
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
        let entries = self.0.entries.lock().take();
        entries.ok_or_else(|| io::Error::other("its files were listed before"))
    }

    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>> {
        let EntryKind::File(size) = entry.kind else { return Ok(Box::new(io::empty())) };
        if let Some(place) = self.0.plan.places.get(&entry.path) {
            if self.0.lost.is_none() {
                return Ok(Box::new(self.0.small(*place)?.reader()));
            }
            if let Some(bytes) = self.0.some_small(*place, &entry.path, size)? {
                return Ok(Box::new(bytes.reader()));
            }
            // Once more, alone.
        }
        Ok(Box::new(self.0.large(&entry.path, size)?))
    }
}

#[cfg(test)]
#[path = "source_tests.rs"]
mod tests;
