//! A copy on its way to a card: what it holds becomes archives for the card's `tar`, small files many in one, and each
//! thing gets the owner that it has to have there.
//!
//! The engine of copies hands over one thing after the other, from a thread of its own; whoever has the card takes the
//! archives from the other end of a channel. Little is kept in between.

use std::collections::{BTreeMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};

use snapshot::{Entry, EntryKind, Sink};
use tokio::io::{AsyncWriteExt as _, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use crate::app_ids::carried_over;
use crate::listing::{self, TimedListing};
use crate::owners::Owners;
use crate::places::{Place, place};

/// Files of less than this are sent together.
const SMALL: u64 = 1 << 20;
/// Bytes that are sent together, and things.
const BATCH: usize = 4 << 20;
const THINGS: usize = 1_000;
/// Bytes between the thread that reads the node and the card.
const PIPE: usize = 256 << 10;
/// A block of `tar`; an archive ends with two empty ones.
const BLOCK: u64 = 512;
const END: [u8; 2 * BLOCK as usize] = [0; 2 * BLOCK as usize];

/// An archive for the card.
#[derive(Debug)]
pub enum Part {
    /// Of several things.
    Whole(Vec<u8>),
    /// Of one large file, as it comes: so many bytes.
    Stream(DuplexStream, u64),
}

impl Part {
    /// Its bytes.
    #[must_use]
    pub const fn size(&self) -> u64 {
        match self {
            Self::Whole(bytes) => bytes.len() as u64,
            Self::Stream(_, size) => *size,
        }
    }
}

/// What has to be on the card in the end, by where it is below the root: as `stat` would tell it, and when its content was
/// changed.
pub type Wanted = BTreeMap<Vec<u8>, (listing::Entry, i64)>;

/// A copy on its way to a card.
pub struct CardSink {
    to: mpsc::Sender<Part>,
    runtime: Handle,
    owners: Owners,
    /// What is there already.
    there: TimedListing,
    /// Packages of which nothing comes.
    withheld: HashSet<String>,
    wanted: Wanted,
    archive: tar::Builder<Vec<u8>>,
    things: usize,
    open: Option<Open>,
}

/// A file that is on its way.
enum Open {
    /// One that is sent with others.
    Small(tar::Header, Vec<u8>, Vec<u8>),
    /// The ids that apps know a phone by, which go by their numbers.
    AppIds(tar::Header, Vec<u8>, Vec<u8>),
    /// One that is sent as it comes, and what is missing after it to whole blocks.
    Large(DuplexStream, usize),
}

impl std::fmt::Debug for CardSink {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CardSink").field("wanted", &self.wanted.len()).finish_non_exhaustive()
    }
}

impl CardSink {
    /// For a card on which apps have these numbers. What it has in `there` as the copy has it is not sent.
    #[must_use]
    pub fn new(to: mpsc::Sender<Part>, owners: Owners, there: TimedListing) -> Self {
        Self {
            to,
            runtime: Handle::current(),
            owners,
            there,
            withheld: HashSet::new(),
            wanted: Wanted::new(),
            archive: tar::Builder::new(Vec::new()),
            things: 0,
            open: None,
        }
    }

    /// Nothing comes of what these packages have in the copy, whether they are on the card or not.
    #[must_use]
    pub fn without(self, packages: Vec<String>) -> Self {
        Self { withheld: packages.into_iter().collect(), ..self }
    }

    /// Sends what was not sent yet; returns what has to be on the card then.
    ///
    /// # Errors
    /// Nobody takes it any more.
    pub fn finish(mut self) -> io::Result<Wanted> {
        self.send()?;
        Ok(self.wanted)
    }

    /// Sends the things that are together.
    fn send(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.things) == 0 {
            return Ok(());
        }
        let archive = std::mem::replace(&mut self.archive, tar::Builder::new(Vec::new())).into_inner()?;
        self.hand_over(Part::Whole(archive))
    }

    fn hand_over(&self, part: Part) -> io::Result<()> {
        self.to.blocking_send(part).map_err(|_| io::Error::other("the card takes no more"))
    }

    /// Puts a thing to the others.
    fn add(&mut self, mut header: tar::Header, path: &[u8], content: &[u8]) -> io::Result<()> {
        header.set_size(content.len() as u64);
        self.archive.append_data(&mut header, Path::new(OsStr::from_bytes(path)), content)?;
        self.added()
    }

    fn added(&mut self) -> io::Result<()> {
        self.things += 1;
        if self.things >= THINGS || self.archive.get_ref().len() >= BATCH { self.send() } else { Ok(()) }
    }

    /// What a thing has to be on the card.
    fn target(&self, entry: &Entry, package: Option<&str>) -> (listing::Entry, i64) {
        let (kind, size) = match &entry.kind {
            EntryKind::Folder => (listing::FOLDER, 0),
            EntryKind::File(size) => (listing::FILE, *size),
            EntryKind::Link(to) => (listing::LINK, to.len() as u64),
        };
        let turned = |number| self.owners.turned(number, package);
        let (uid, gid) = (turned(entry.uid), turned(entry.gid));
        // Nothing is older than the archive's format.
        (listing::Entry { mode: kind | entry.mode & 0o7777, uid, gid, size }, entry.modified.0.max(0))
    }

    /// Where a thing goes that was asked for before, and what it has to be there.
    fn found(&self, entry: &Entry) -> io::Result<(Vec<u8>, listing::Entry, i64)> {
        let (path, _) = below(entry)?;
        let (target, modified) = self.wanted.get(path).ok_or_else(|| io::Error::other("it was not asked for"))?;
        Ok((path.to_vec(), *target, *modified))
    }
}

/// Where a thing of a copy is below the root of the card's data, and what it is there.
fn below(entry: &Entry) -> io::Result<(&[u8], Place<'_>)> {
    // Whoever wrote the copy knows no other names.
    if !entry.path.components().all(|part| matches!(part, Component::Normal(_))) {
        return Err(io::Error::other("this is no place in a copy"));
    }
    let path = entry.path.as_os_str().as_bytes();
    place(path).ok_or_else(|| io::Error::other("a copy has nothing there"))
}

fn header(target: listing::Entry, modified: i64, kind: tar::EntryType) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(target.mode & 0o7777);
    header.set_uid(target.uid.into());
    header.set_gid(target.gid.into());
    header.set_mtime(modified.unsigned_abs());
    header.set_size(target.size);
    header
}

/// Whether something on a card is what it has to be. A folder is changed by what comes into it.
#[must_use]
pub fn is_as(there: &listing::Timed, (wanted, modified): &(listing::Entry, i64)) -> bool {
    let found = there.entry;
    let is_whose = (found.mode, found.uid, found.gid) == (wanted.mode, wanted.uid, wanted.gid);
    // Nobody asks for the rights of a link, nor does every system keep them.
    let is_link = found.is_link() && wanted.is_link() && (found.uid, found.gid) == (wanted.uid, wanted.gid);
    let is_same = found.size == wanted.size && there.modified == *modified;
    is_whose && (found.is_folder() || is_same) || is_link && found.size == wanted.size
}

impl Sink for CardSink {
    fn wants(&mut self, entry: &Entry) -> io::Result<bool> {
        let (path, found) = below(entry)?;
        let package = match found {
            Place::Way => return Ok(false),
            Place::App { package, .. } | Place::Shared { package: Some(package) }
                if self.withheld.contains(package) =>
            {
                return Ok(false);
            }
            // What its app left outside stays, as what users see.
            Place::App { package, .. } if !self.owners.has(package) => return Ok(false),
            Place::App { package, is_root } => {
                if is_root {
                    self.owners.learn(package, entry.uid);
                }
                Some(package)
            }
            Place::Shared { package } => package.filter(|package| self.owners.has(package)),
            Place::Setting | Place::AppIds => None,
        };
        let target = self.target(entry, package);
        let is_there = self.there.get(path).is_some_and(|there| is_as(there, &target));
        let is_link = matches!(entry.kind, EntryKind::Link(_));
        let ids = matches!(found, Place::AppIds);
        self.wanted.insert(path.to_vec(), target);
        // Where a link leads is not in the list.
        Ok(!is_there || is_link || ids)
    }

    fn begin(&mut self, entry: &Entry) -> io::Result<()> {
        let (path, target, modified) = self.found(entry)?;
        match &entry.kind {
            EntryKind::Folder => self.add(header(target, modified, tar::EntryType::Directory), &path, &[]),
            EntryKind::Link(to) => {
                let mut header = header(target, modified, tar::EntryType::Symlink);
                header.set_size(0);
                self.archive.append_link(&mut header, Path::new(OsStr::from_bytes(&path)), Path::new(to))?;
                self.added()
            }
            EntryKind::File(size) => {
                let header = header(target, modified, tar::EntryType::Regular);
                if matches!(below(entry)?.1, Place::AppIds) {
                    self.open = Some(Open::AppIds(header, path, Vec::new()));
                    return Ok(());
                }
                if *size < SMALL {
                    self.open = Some(Open::Small(header, path, Vec::new()));
                    return Ok(());
                }
                // Its folder comes before it.
                self.send()?;
                let mut alone = tar::Builder::new(Vec::new());
                alone.append_data(&mut header.clone(), Path::new(OsStr::from_bytes(&path)), io::empty())?;
                let head = alone.get_ref().clone();
                let rest = usize::try_from(size.next_multiple_of(BLOCK) - size).unwrap_or_default();
                let (mut to, from) = tokio::io::duplex(PIPE);
                self.hand_over(Part::Stream(from, head.len() as u64 + size + (rest + END.len()) as u64))?;
                self.runtime.block_on(to.write_all(&head))?;
                self.open = Some(Open::Large(to, rest));
                Ok(())
            }
        }
    }

    fn content(&mut self, bytes: &[u8]) -> io::Result<()> {
        match &mut self.open {
            Some(Open::Small(.., content) | Open::AppIds(.., content)) => content.extend_from_slice(bytes),
            Some(Open::Large(to, _)) => self.runtime.block_on(to.write_all(bytes))?,
            None => return Err(io::Error::other("no file was begun")),
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        match self.open.take() {
            Some(Open::Small(header, path, content)) => self.add(header, &path, &content),
            Some(Open::AppIds(header, path, content)) => match carried_over(&content, self.owners.here()) {
                Ok(content) => {
                    if let Some((target, _)) = self.wanted.get_mut(&path) {
                        target.size = content.len() as u64;
                    }
                    self.add(header, &path, &content)
                }
                // Android makes it anew, as on a card that never had one.
                Err(why) => {
                    tracing::warn!(why, "the ids that apps know a phone by cannot be read: apps get new ones");
                    self.wanted.remove(&path);
                    Ok(())
                }
            },
            Some(Open::Large(mut to, rest)) => {
                self.runtime.block_on(async {
                    to.write_all(&END[..rest.min(END.len())]).await?;
                    let ended = async {
                        to.write_all(&END).await?;
                        to.shutdown().await
                    };
                    // `tar` has seen the end at its first block, and takes no more.
                    ended
                        .await
                        .or_else(|error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) })
                })
            }
            None => Err(io::Error::other("no file was begun")),
        }
    }
}

#[cfg(test)]
#[path = "sink_tests.rs"]
mod tests;
