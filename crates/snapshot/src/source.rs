//! What is copied: entries in any order, and their contents.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rustic_core::jiff::Timestamp;
use rustic_core::repofile::{Metadata, Node, NodeType};
use rustic_core::{ReadSource, ReadSourceEntry, ReadSourceOpen, RusticResult};

use crate::Error;
use crate::run::{Run, refusal};

/// A thing in a file system. Sockets, pipes and devices are not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A file of so many bytes.
    File(u64),
    /// A link to there.
    Link(OsString),
}

/// A thing in a file system with what belongs to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Where it is, below the root.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Permissions as in `stat(2)`: the lower twelve bits.
    pub mode: u32,
    /// Owner.
    pub uid: u32,
    /// Group.
    pub gid: u32,
    /// Last change of the content: seconds since 1970, and nanoseconds.
    pub modified: (i64, u32),
    /// Last change of anything about it, and its number: where both copies know them and they differ, the content is
    /// read; zero and none where they are not known.
    pub changed: Option<(i64, u32)>,
    /// See `changed`.
    pub inode: u64,
}

/// What a source answers, as the cause of its error, for a file that is not there any more and that nobody needs to have: it
/// is left out, and the copy goes on. Whoever answers so has to say of which, since the copy does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is gone")]
pub struct Gone;

fn is_gone(cause: &io::Error) -> bool {
    cause.get_ref().is_some_and(|inner| inner.is::<Gone>())
}

/// Where contents come from.
pub trait Source: Send + Sync + 'static {
    /// All entries below the root, in any order; folders that are on the way to others among them. It is asked once in a run.
    ///
    /// # Errors
    /// When one of them cannot be listed: nothing is copied then.
    fn list(&self) -> io::Result<Vec<Entry>>;

    /// The content of a file. It is asked for files that have changed, and for none else, by several threads at once.
    ///
    /// # Errors
    /// When it cannot be read: no copy is made then, unless it is [`Gone`].
    fn open(&self, entry: &Entry) -> io::Result<Box<dyn Read + Send>>;
}

/// Bits of Go's `os.FileMode`, which the format has.
mod go {
    pub const FOLDER: u32 = 1 << 31;
    pub const LINK: u32 = 1 << 27;
    pub const SETUID: u32 = 1 << 23;
    pub const SETGID: u32 = 1 << 22;
    pub const STICKY: u32 = 1 << 20;
}

/// `mode` as Go has it.
fn to_go(mode: u32, kind: &EntryKind) -> u32 {
    let bit = |ours: u32, gos: u32| if mode & ours == 0 { 0 } else { gos };
    let kind = match kind {
        EntryKind::Folder => go::FOLDER,
        EntryKind::Link(_) => go::LINK,
        EntryKind::File(_) => 0,
    };
    mode & 0o777 | bit(0o4000, go::SETUID) | bit(0o2000, go::SETGID) | bit(0o1000, go::STICKY) | kind
}

/// The lower twelve bits of `stat(2)`'s.
fn from_go(mode: u32) -> u32 {
    let bit = |gos: u32, ours: u32| if mode & gos == 0 { 0 } else { ours };
    mode & 0o777 | bit(go::SETUID, 0o4000) | bit(go::SETGID, 0o2000) | bit(go::STICKY, 0o1000)
}

impl Entry {
    /// As the library knows it.
    fn node(&self) -> Result<Node, Error> {
        let strange = |what: &str| Error::Source(format!("{}: {what}", self.path.display()));
        let name = self.path.file_name().ok_or_else(|| strange("has no name"))?;
        let time = |(seconds, nanos): (i64, u32)| {
            Timestamp::new(seconds, i32::try_from(nanos).unwrap_or_default()).map_err(|_| strange("has no valid time"))
        };
        let (kind, size) = match &self.kind {
            EntryKind::Folder => (NodeType::Dir, 0),
            EntryKind::File(size) => (NodeType::File, *size),
            EntryKind::Link(to) => (NodeType::from_link(Path::new(to)), 0),
        };
        let meta = Metadata {
            mode: Some(to_go(self.mode, &self.kind)),
            mtime: Some(time(self.modified)?),
            ctime: self.changed.map(time).transpose()?,
            uid: Some(self.uid),
            gid: Some(self.gid),
            inode: self.inode,
            size,
            links: 1,
            ..Metadata::default()
        };
        Ok(Node::new_node(name, kind, meta))
    }

    /// What the library has of it at `path`; none of what is not copied.
    pub(crate) fn of(path: PathBuf, node: &Node) -> Option<Self> {
        let kind = match &node.node_type {
            NodeType::Dir => EntryKind::Folder,
            NodeType::File => EntryKind::File(node.meta.size),
            NodeType::Symlink { .. } => EntryKind::Link(node.node_type.to_link().as_os_str().to_owned()),
            NodeType::Dev { .. } | NodeType::Chardev { .. } | NodeType::Fifo | NodeType::Socket => return None,
        };
        let Metadata { mode, mtime, ctime, uid, gid, inode, .. } = &node.meta;
        let time = |time: &Timestamp| (time.as_second(), u32::try_from(time.subsec_nanosecond()).unwrap_or_default());
        Some(Self {
            path,
            kind,
            mode: from_go(mode.unwrap_or_default()),
            uid: uid.unwrap_or_default(),
            gid: gid.unwrap_or_default(),
            modified: mtime.as_ref().map(time).unwrap_or_default(),
            changed: ctime.as_ref().map(time),
            inode: *inode,
        })
    }
}

/// A source as the library reads it, in one run.
pub(crate) struct Sorted {
    source: Arc<dyn Source>,
    /// In the library's own order: depth first, names byte by byte. In any other it finds nothing of the parent and reads
    /// everything again, without an error. None once the library has them: it asks once.
    entries: Mutex<Option<Vec<Entry>>>,
    run: Run,
}

impl Sorted {
    /// Lists and sorts.
    ///
    /// # Errors
    /// When the source cannot be listed, or two entries have one path.
    pub fn of(source: Arc<dyn Source>, run: Run) -> Result<Self, Error> {
        let mut entries = source.list().map_err(|cause| Error::Source(cause.to_string()))?;
        // Paths compare part by part, and so `a/x` comes before `a.txt`.
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        if let Some(twice) = entries.windows(2).find(|pair| pair[0].path == pair[1].path) {
            return Err(Error::Source(format!("{} is listed twice", twice[0].path.display())));
        }
        Ok(Self { source, entries: Mutex::new(Some(entries)), run })
    }
}

impl ReadSource for Sorted {
    type Open = Open;
    type Iter = Box<dyn Iterator<Item = RusticResult<ReadSourceEntry<Open>>> + Send>;

    fn size(&self) -> RusticResult<Option<u64>> {
        Ok(None)
    }

    fn entries(&self) -> Self::Iter {
        let (source, run) = (Arc::clone(&self.source), self.run.clone());
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner).take();
        if entries.is_none() {
            run.fail(Error::Other("the entries were read twice".to_owned()));
        }
        Box::new(entries.unwrap_or_default().into_iter().map_while(move |entry| {
            run.check().ok()?;
            let node = match entry.node() {
                Ok(node) => node,
                Err(error) => {
                    run.fail(error);
                    return None;
                }
            };
            let path = Path::new("/").join(&entry.path);
            let is_file = matches!(entry.kind, EntryKind::File(_));
            let open = is_file.then(|| Open { source: Arc::clone(&source), entry, run: run.clone() });
            Some(Ok(ReadSourceEntry { path, node, open }))
        }))
    }
}

/// A file that can be opened.
pub(crate) struct Open {
    source: Arc<dyn Source>,
    entry: Entry,
    run: Run,
}

impl Open {
    fn fail(run: &Run, entry: &Entry, cause: &io::Error) {
        run.fail(Error::Source(format!("{}: {cause}", entry.path.display())));
    }
}

impl ReadSourceOpen for Open {
    type Reader = Content;

    fn open(self) -> RusticResult<Content> {
        let Self { source, entry, run } = self;
        run.check().map_err(|error| refusal(&error))?;
        match source.open(&entry) {
            Ok(reader) => Ok(Content { reader, entry, run }),
            // The library leaves out what it cannot open or read.
            Err(cause) if is_gone(&cause) => Err(refusal(&Error::Source(cause.to_string()))),
            Err(cause) => {
                Self::fail(&run, &entry, &cause);
                Err(refusal(&Error::Source(cause.to_string())))
            }
        }
    }
}

/// The content of a file. Each read fills the buffer: the library's own shrinks to the shortest read that it has seen.
pub(crate) struct Content {
    reader: Box<dyn Read + Send>,
    entry: Entry,
    run: Run,
}

impl Read for Content {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.run.check().is_err() {
            return Err(io::Error::other("stopped"));
        }
        let mut filled = 0;
        while filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(more) => filled += more,
                Err(cause) if cause.kind() == io::ErrorKind::Interrupted => {}
                Err(cause) if is_gone(&cause) => return Err(cause),
                Err(cause) => {
                    Open::fail(&self.run, &self.entry, &cause);
                    return Err(cause);
                }
            }
        }
        Ok(filled)
    }
}
