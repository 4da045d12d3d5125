//! Restoring a copy.

use std::io::{self, Write};
use std::path::PathBuf;

use rustic_core::repofile::{Node, SnapshotFile};
use rustic_core::{IndexedFullStatus, LsOptions, Repository};

use crate::{Entry, EntryKind, Error, Repo, Run};

/// Whole packs that are kept while files are restored: packs are read about once.
const PACKS: usize = 3;

/// Where a copy is restored to. Entries come depth first: a folder before what is in it.
pub trait Sink {
    /// Whether this is wanted; what is there already is not.
    ///
    /// # Errors
    /// When the restore has to end.
    fn wants(&mut self, entry: &Entry) -> io::Result<bool>;

    /// An entry that is wanted. Of a file, exactly its size follows by [`Sink::content`], and then [`Sink::end`].
    ///
    /// # Errors
    /// When it is not taken.
    fn begin(&mut self, entry: &Entry) -> io::Result<()>;

    /// Some of the file that was begun last.
    ///
    /// # Errors
    /// When it is not taken.
    fn content(&mut self, bytes: &[u8]) -> io::Result<()>;

    /// The file that was begun last is complete.
    ///
    /// # Errors
    /// When it is not taken.
    fn end(&mut self) -> io::Result<()>;
}

impl Repo {
    /// All entries of a copy.
    ///
    /// # Errors
    /// When the copy is damaged or the store fails.
    pub fn entries(&self, snapshot: &str, run: &Run) -> Result<Vec<Entry>, Error> {
        let repo = self.whole(run, 0)?;
        let mut entries = Vec::new();
        for_each(&repo, snapshot, run, |path, node| {
            entries.extend(Entry::of(path, node));
            Ok(())
        })?;
        Ok(entries)
    }

    /// Restores what `sink` wants of a copy.
    ///
    /// # Errors
    /// When the copy is damaged, the store or the sink fails, or the run is stopped. What the sink got before is complete
    /// but for the last file.
    pub fn restore(&self, snapshot: &str, sink: &mut impl Sink, run: &Run) -> Result<(), Error> {
        let repo = self.whole(run, PACKS)?;
        for_each(&repo, snapshot, run, |path, node| {
            let Some(entry) = Entry::of(path, node) else { return Ok(()) };
            let refused = |cause: io::Error| Error::Sink(format!("{}: {cause}", entry.path.display()));
            if !sink.wants(&entry).map_err(refused)? {
                run.passed(node.meta.size);
                return Ok(());
            }
            if let EntryKind::File(size) = entry.kind {
                let held = content_size(&repo, node).map_err(|error| damaged(run, error))?;
                if held != size {
                    return Err(Error::Damaged(format!("{} has {held} of {size} bytes", entry.path.display())));
                }
            }
            sink.begin(&entry).map_err(refused)?;
            if matches!(entry.kind, EntryKind::File(_)) {
                let mut content = Content { sink, run, failed: None };
                let dumped = repo.dump(node, &mut content);
                if let Some(cause) = content.failed {
                    return Err(refused(cause));
                }
                dumped.map_err(|error| damaged(run, error))?;
                sink.end().map_err(refused)?;
            }
            Ok(())
        })
    }

    pub(crate) fn whole(&self, run: &Run, packs: usize) -> Result<Repository<IndexedFullStatus>, Error> {
        self.open_keeping(run, packs)?.to_indexed().map_err(|error| damaged(run, error))
    }
}

/// What the library says of something that is not there or is not what it was; unless the store failed.
pub(crate) fn damaged(run: &Run, error: Box<rustic_core::RusticError>) -> Error {
    match run.cause(&error) {
        Error::Other(text) => Error::Damaged(text),
        Error::Key => Error::Damaged("its seal is broken".to_owned()),
        Error::Store(trouble) if matches!(trouble.kind, store::Kind::Missing | store::Kind::Broken) => {
            Error::Damaged(trouble.to_string())
        }
        other @ (Error::Store(_)
        | Error::Source(_)
        | Error::Sink(_)
        | Error::Locked(_)
        | Error::Stopped
        | Error::Damaged(_)) => other,
    }
}

pub(crate) fn for_each(
    repo: &Repository<IndexedFullStatus>,
    snapshot: &str,
    run: &Run,
    mut each: impl FnMut(PathBuf, &Node) -> Result<(), Error>,
) -> Result<(), Error> {
    let found: SnapshotFile = repo.get_snapshot_from_str(snapshot, |_| true).map_err(|error| damaged(run, error))?;
    let root = repo.node_from_snapshot_and_path(&found, "").map_err(|error| damaged(run, error))?;
    for item in repo.ls(&root, &LsOptions::default()).map_err(|error| damaged(run, error))? {
        run.check()?;
        let (path, node) = item.map_err(|error| damaged(run, error))?;
        each(path, &node)?;
    }
    run.check()
}

/// How many bytes the contents of a file are, as the index has them.
pub(crate) fn content_size(
    repo: &Repository<IndexedFullStatus>,
    node: &Node,
) -> Result<u64, Box<rustic_core::RusticError>> {
    node.content.iter().flatten().try_fold(0, |sum, id| Ok(sum + u64::from(repo.get_index_entry(id)?.data_length())))
}

/// A file on its way to a sink.
struct Content<'a, S> {
    sink: &'a mut S,
    run: &'a Run,
    failed: Option<io::Error>,
}

impl<S: Sink> Write for Content<'_, S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.run.check().is_err() {
            return Err(io::Error::other("stopped"));
        }
        if let Err(cause) = self.sink.content(bytes) {
            self.failed = Some(cause);
            return Err(io::Error::other("the target failed"));
        }
        self.run.passed(bytes.len() as u64);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
