//! Copies of phones in restic's repository format, through `rustic_core`.
//!
//! This crate is the only one that knows the library: its version is pinned, its interface changes often, and left to
//! itself it does things that would lose data. What stands against each is said where it stands, and has a test:
//!
//! - a file that cannot be read is logged and left out, and the snapshot is saved without it: [`run`] keeps the first
//!   error, and the adapter then writes no snapshot;
//! - one of its ways to go on after a killed run writes snapshots that refer to packs in no index: [`Repo::repair`] makes
//!   the index anew instead;
//! - entries in another order than its own make it read everything again: [`source`] sorts them;
//! - it has no cancel, and as many threads as the machine has processors, in every run: [`run`] stops it, and whoever
//!   calls holds his thread to one or two ([`calm`]);
//! - it neither takes nor respects restic's locks: [`Repo::lock`] does, for whoever copies, reads back or restores.
//!
//! Everything blocks: call it from threads of your own, never from an asynchronous worker. Who of ours may write to a repository is
//! for the console to say.

mod adapter;
mod error;
mod keep;
mod key;
mod lock;
mod restore;
mod run;
mod save;
mod source;

use std::path::PathBuf;
use std::sync::Arc;

use bytesize::ByteSize;
use rustic_core::repofile::Chunker;
use rustic_core::{ConfigOptions, KeyOptions, OpenStatus, Repository, RepositoryBackends, RepositoryOptions};
use store::Store;

pub use error::Error;
pub use keep::{Found, Pruned};
pub use key::{Key, RecoveryCode};
pub use lock::Lock;
pub use restore::Sink;
pub use run::Run;
pub use save::{Save, Saved};
pub use source::{Entry, EntryKind, Gone, Source};

use adapter::Adapter;

/// Bytes of a pack of contents: small, since every transfer holds some of them in memory.
const PACK: ByteSize = ByteSize::mib(4);
/// Bytes of a piece of a larger file. Pieces are cut by their place in the file and not by what is in it, as `restic` does: what
/// phones have that is large is rewritten in place (databases), at its end (logs) or as a whole (what games download), and
/// stands where it stood. To look for places to cut was half of a first backup: the library makes tables for it, 0.2 ms for each
/// file, and looks at each byte. A piece is also never more than this, where by contents it would be up to 8 MiB.
const PIECE: ByteSize = ByteSize::mib(1);

/// A phone's repository on a storage node.
#[derive(Clone)]
pub struct Repo {
    store: Arc<dyn Store>,
    key: Key,
    cache: Option<PathBuf>,
}

impl std::fmt::Debug for Repo {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repo").field("cache", &self.cache).finish_non_exhaustive()
    }
}

impl Repo {
    /// The repository in `store` under `key`. With `cache`, a folder, lists and trees are read from there: on a node with
    /// 60 ms a call, a copy without changes takes a second instead of a minute. The folder may be deleted at any time.
    pub fn new(store: Arc<dyn Store>, key: Key, cache: Option<PathBuf>) -> Self {
        Self { store, key, cache }
    }

    /// Makes the repository, if it does not exist, with a key file that `code` opens: Debian's `restic` then needs the
    /// code and nothing of ours. Of two who make it at the same moment the later one opens what the other has made.
    ///
    /// # Errors
    /// When the store fails, or has a repository under another key; when the run is stopped.
    pub fn init(&self, code: &RecoveryCode, run: &Run) -> Result<(), Error> {
        if self.is_there()? {
            return self.open(run).map(|_| ());
        }
        // The key first: a repository without one could be made, and opened by nobody but us.
        let (name, file) = code.key_file(&self.key)?;
        run.check()?;
        self.store.write(&format!("keys/{name}"), &[file.into()])?;
        let config = ConfigOptions::default()
            .set_version(2)
            .set_chunker(Chunker::FixedSize)
            .set_chunk_size(PIECE)
            .set_datapack_size(PACK)
            .set_datapack_growfactor(0)
            .set_treepack_size(PACK)
            .set_treepack_growfactor(0)
            // Each copy is read back whole before anybody relies on it, which proves more than to decrypt every piece once
            // more before it is sent, and that was a tenth of the work.
            .set_extra_verify(false);
        match self.raw(run, 0)?.init(&self.key.credentials(), &KeyOptions::default(), &config) {
            Ok(_) => Ok(()),
            Err(_) if run.check().is_ok() && self.is_there()? => self.open(run).map(|_| ()),
            Err(error) => Err(run.cause(&error)),
        }
    }

    /// Whether there is a repository.
    fn is_there(&self) -> Result<bool, Error> {
        match self.store.read("config") {
            Ok(_) => Ok(true),
            Err(trouble) if trouble.kind == store::Kind::Missing => Ok(false),
            Err(trouble) => Err(trouble.into()),
        }
    }

    /// Its backend and options, not yet opened. `packs` is how many whole packs are kept once they were read.
    fn raw(&self, run: &Run, packs: usize) -> Result<Repository<()>, Error> {
        let backend = Adapter::new(Arc::clone(&self.store), run.clone(), packs);
        let options = match &self.cache {
            Some(folder) => RepositoryOptions::default().cache_dir(folder.clone()),
            None => RepositoryOptions::default().no_cache(true),
        };
        let backends = RepositoryBackends::new(Arc::new(backend), None);
        Repository::new_with_progress(&options, &backends, run.clone()).map_err(|error| run.cause(&error))
    }

    fn open(&self, run: &Run) -> Result<Repository<OpenStatus>, Error> {
        self.open_keeping(run, 0)
    }

    fn open_keeping(&self, run: &Run, packs: usize) -> Result<Repository<OpenStatus>, Error> {
        self.raw(run, packs)?.open(&self.key.credentials()).map_err(|error| run.cause(&error))
    }
}

/// Holds this thread, and those that it starts, to so many processors, and all checks together to two threads: the library
/// starts as many as there are processors, in every run, 27 on two.
///
/// # Errors
/// When the system refuses.
pub fn calm(processors: usize) -> std::io::Result<()> {
    // Set once for the process; a second call finds it set.
    _ = rayon::ThreadPoolBuilder::new().num_threads(2).build_global();
    let allowed = rustix::thread::sched_getaffinity(None)?;
    let mut which: Vec<usize> = (0..rustix::thread::CpuSet::MAX_CPU).filter(|cpu| allowed.is_set(*cpu)).collect();
    let mut some = rustix::thread::CpuSet::new();
    for _ in 0..processors.min(which.len()) {
        some.set(which.swap_remove(rand::random_range(0..which.len())));
    }
    if some.count() > 0 {
        rustix::thread::sched_setaffinity(None, &some)?;
    }
    Ok(())
}
