//! One file, folder or link: what it is, whose it is, what is in it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use parking_lot::Mutex;

use super::FileError;
use super::computed::{Computed, fill};
use super::spool::BLOCK;
use super::store::Store;

/// Up to so many bytes are kept in memory.
const SMALL: usize = 1024;

/// A moment: seconds since 1970 and nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    /// Seconds since 1970.
    pub seconds: i64,
    /// Nanoseconds of the second.
    pub nanos: u32,
}

impl Moment {
    /// The time of this machine.
    #[must_use]
    pub fn now() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { seconds: i64::try_from(since.as_secs()).unwrap_or(i64::MAX), nanos: since.subsec_nanos() }
    }

    /// A full second.
    #[must_use]
    pub const fn at(seconds: i64) -> Self {
        Self { seconds, nanos: 0 }
    }

    /// So long before.
    #[must_use]
    pub fn before(self, time: Duration) -> Self {
        let seconds = self.seconds.saturating_sub_unsigned(time.as_secs());
        match self.nanos.checked_sub(time.subsec_nanos()) {
            Some(nanos) => Self { seconds, nanos },
            None => {
                Self { seconds: seconds.saturating_sub(1), nanos: self.nanos + 1_000_000_000 - time.subsec_nanos() }
            }
        }
    }
}

/// The kinds of things in a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A symbolic link.
    Link,
    /// `/dev/null` and its like.
    Device,
}

impl Kind {
    /// Its bits of `st_mode`.
    #[must_use]
    pub const fn bits(self) -> u32 {
        match self {
            Self::File => 0o100_000,
            Self::Folder => 0o040_000,
            Self::Link => 0o120_000,
            Self::Device => 0o020_000,
        }
    }
}

/// What `stat(2)` tells besides size and kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Rights, with setuid, setgid and the sticky bit.
    pub mode: u32,
    /// The owner.
    pub uid: u32,
    /// The group.
    pub gid: u32,
    /// When the content changed last.
    pub modified: Moment,
    /// The SELinux context; none: the folder's usual one.
    pub context: Option<Box<str>>,
}

impl Meta {
    /// Root's, with these rights, from now.
    #[must_use]
    pub fn new(mode: u32) -> Self {
        Self { mode: mode & 0o7777, uid: 0, gid: 0, modified: Moment::now(), context: None }
    }
}

#[derive(Debug)]
enum Content {
    /// Nothing of its own: folders and devices.
    Nothing,
    /// Where a link leads.
    Link(Box<str>),
    /// Made up when it was opened.
    Made(Bytes),
    /// Few bytes.
    Small(Vec<u8>),
    /// Blocks of the spool by their number in the file. Where none is, the content is computed, or zero.
    Blocks { at: BTreeMap<u32, u32>, size: u64, computed: Option<Computed> },
}

/// Something that names lead to.
#[derive(Debug)]
pub struct Inode {
    /// Its number on this card.
    pub number: u64,
    kind: Kind,
    store: Arc<Store>,
    inside: Mutex<Inside>,
}

#[derive(Debug)]
struct Inside {
    meta: Meta,
    /// When anything about it changed last, which nobody can set: `st_ctime`.
    changed: Moment,
    content: Content,
    /// How many names lead here.
    names: u32,
    /// Bytes of the disk that it is charged with.
    charged: u64,
}

impl Inside {
    /// The content is another one from now on.
    fn written(&mut self) {
        self.changed = Moment::now();
        self.meta.modified = self.changed;
    }
}

impl Inode {
    fn with(store: &Arc<Store>, kind: Kind, meta: Meta, content: Content) -> Self {
        let inside = Inside { changed: meta.modified, meta, content, names: 1, charged: 0 };
        Self { number: store.number(), kind, store: Arc::clone(store), inside: Mutex::new(inside) }
    }

    /// An empty file.
    pub fn file(store: &Arc<Store>, meta: Meta) -> Self {
        Self::with(store, Kind::File, meta, Content::Small(Vec::new()))
    }

    /// A folder.
    ///
    /// # Errors
    /// The card is full.
    pub fn folder(store: &Arc<Store>, meta: Meta) -> Result<Self, FileError> {
        let folder = Self::with(store, Kind::Folder, meta, Content::Nothing);
        folder.charge(&mut folder.inside.lock(), super::store::PAGE)?;
        Ok(folder)
    }

    /// A link.
    pub fn link(store: &Arc<Store>, meta: Meta, target: &str) -> Self {
        Self::with(store, Kind::Link, Meta { mode: 0o777, ..meta }, Content::Link(target.into()))
    }

    /// A folder or device that Android brings and that costs nothing.
    pub fn brought(store: &Arc<Store>, kind: Kind, meta: Meta) -> Self {
        Self::with(store, kind, meta, Content::Nothing)
    }

    /// A file whose content is made up now.
    pub fn made(store: &Arc<Store>, meta: Meta, text: Bytes) -> Self {
        Self::with(store, Kind::File, meta, Content::Made(text))
    }

    /// Makes a file's content one that is computed from a seed.
    ///
    /// # Errors
    /// The card is full.
    pub fn compute(&self, seed: u64, size: u64) -> Result<(), FileError> {
        self.truncate(0)?;
        let mut inside = self.inside.lock();
        self.charge(&mut inside, Store::rounded(size))?;
        let computed = Some(Computed { seed, until: size });
        inside.content = Content::Blocks { at: BTreeMap::new(), size, computed };
        Ok(())
    }

    /// What it is.
    #[must_use]
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// Whether it is a folder.
    #[must_use]
    pub fn is_folder(&self) -> bool {
        self.kind == Kind::Folder
    }

    /// Rights, owners and time.
    #[must_use]
    pub fn meta(&self) -> Meta {
        self.inside.lock().meta.clone()
    }

    /// `st_mode`.
    #[must_use]
    pub fn mode(&self) -> u32 {
        self.kind.bits() | self.inside.lock().meta.mode
    }

    /// Changes rights, owners and time.
    pub fn change(&self, change: impl FnOnce(&mut Meta)) {
        let mut inside = self.inside.lock();
        let before = inside.meta.clone();
        change(&mut inside.meta);
        if inside.meta != before {
            inside.changed = Moment::now();
        }
    }

    /// When anything about it changed last.
    #[must_use]
    pub fn changed(&self) -> Moment {
        self.inside.lock().changed
    }

    /// It was written then, and not now; or only something else about it was changed then.
    pub(crate) fn stamp(&self, modified: Moment, changed: Moment) {
        let mut inside = self.inside.lock();
        inside.meta.modified = modified;
        inside.changed = changed;
    }

    /// How many names lead here.
    #[must_use]
    pub fn names(&self) -> u32 {
        self.inside.lock().names
    }

    pub(super) fn named(&self) {
        let mut inside = self.inside.lock();
        inside.names += 1;
        inside.changed = Moment::now();
    }

    pub(super) fn unnamed(&self) {
        let mut inside = self.inside.lock();
        inside.names = inside.names.saturating_sub(1);
        inside.changed = Moment::now();
    }

    /// Where a link leads.
    #[must_use]
    pub fn target(&self) -> Option<String> {
        match &self.inside.lock().content {
            Content::Link(target) => Some(target.to_string()),
            Content::Nothing | Content::Made(_) | Content::Small(_) | Content::Blocks { .. } => None,
        }
    }

    /// `st_size`.
    #[must_use]
    pub fn size(&self) -> u64 {
        match &self.inside.lock().content {
            Content::Nothing if self.kind == Kind::Folder => super::store::PAGE,
            Content::Nothing => 0,
            Content::Link(target) => target.len() as u64,
            Content::Made(bytes) => bytes.len() as u64,
            Content::Small(bytes) => bytes.len() as u64,
            Content::Blocks { size, .. } => *size,
        }
    }

    /// Bytes of the disk.
    #[must_use]
    pub fn charged(&self) -> u64 {
        self.inside.lock().charged
    }

    /// Up to `most` bytes from an offset; none at the end.
    ///
    /// # Errors
    /// The host's disk cannot be read.
    pub fn read(&self, offset: u64, most: usize) -> Result<Bytes, FileError> {
        let inside = self.inside.lock();
        let part = |bytes: &[u8]| {
            let start = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
            Bytes::copy_from_slice(&bytes[start..bytes.len().min(start.saturating_add(most))])
        };
        match &inside.content {
            Content::Nothing if self.kind == Kind::Folder => Err(FileError::Folder),
            Content::Nothing | Content::Link(_) => Ok(Bytes::new()),
            Content::Made(bytes) => Ok(part(bytes)),
            Content::Small(bytes) => Ok(part(bytes)),
            Content::Blocks { at, size, computed } => {
                let length = size.saturating_sub(offset).min(most as u64);
                let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
                let mut done = 0;
                while done < bytes.len() {
                    let here = offset + done as u64;
                    let (number, within) = (here / BLOCK, here % BLOCK);
                    let end = bytes.len().min(done + usize::try_from(BLOCK - within).unwrap_or(0));
                    let part = &mut bytes[done..end];
                    match u32::try_from(number).ok().and_then(|number| at.get(&number)) {
                        Some(block) => self.store.spool.read(*block, within, part).map_err(|_| FileError::Host)?,
                        None => fill(*computed, here, part),
                    }
                    done = end;
                }
                Ok(bytes.into())
            }
        }
    }

    /// All of it, if it is no more than so many bytes.
    #[must_use]
    pub fn whole(&self, most: u64) -> Option<Bytes> {
        let size = self.size();
        if size > most {
            return None;
        }
        self.read(0, usize::try_from(size).ok()?).ok()
    }

    /// Writes bytes at an offset, and makes the file longer where it must; none are written if they do not fit.
    ///
    /// # Errors
    /// It is no file, or the card is full.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> Result<(), FileError> {
        let mut inside = self.inside.lock();
        let end = offset + bytes.len() as u64;
        let size = match &inside.content {
            Content::Nothing if self.kind == Kind::Device => return Ok(()),
            Content::Nothing => return Err(FileError::Folder),
            Content::Link(_) | Content::Made(_) => return Err(FileError::ReadOnly),
            Content::Small(kept) => kept.len() as u64,
            Content::Blocks { size, .. } => *size,
        };
        self.charge(&mut inside, Store::rounded(size.max(end)))?;
        inside.written();
        if let Content::Small(kept) = &mut inside.content
            && end <= SMALL as u64
        {
            let (start, end) = (usize::try_from(offset).unwrap_or(0), usize::try_from(end).unwrap_or(0));
            kept.resize(kept.len().max(end), 0);
            kept[start..end].copy_from_slice(bytes);
            return Ok(());
        }
        if let Content::Small(kept) = &mut inside.content {
            let kept = std::mem::take(kept);
            inside.content = Content::Blocks { at: BTreeMap::new(), size: kept.len() as u64, computed: None };
            self.store_blocks(&mut inside.content, 0, &kept)?;
        }
        self.store_blocks(&mut inside.content, offset, bytes)
    }

    fn store_blocks(&self, content: &mut Content, offset: u64, bytes: &[u8]) -> Result<(), FileError> {
        let Content::Blocks { at, size, computed } = content else { return Ok(()) };
        let spool = &self.store.spool;
        let mut done = 0;
        while done < bytes.len() {
            let here = offset + done as u64;
            let (number, within) = (u32::try_from(here / BLOCK).map_err(|_| FileError::NoSpace)?, here % BLOCK);
            let end = bytes.len().min(done + usize::try_from(BLOCK - within).unwrap_or(0));
            let block = match at.get(&number) {
                Some(block) => *block,
                None => {
                    let block = spool.allocate().map_err(|_| FileError::NoSpace)?;
                    at.insert(number, block);
                    if computed.is_some_and(|computed| u64::from(number) * BLOCK < computed.until) {
                        let mut old = vec![0; usize::try_from(BLOCK).unwrap_or(0)];
                        fill(*computed, u64::from(number) * BLOCK, &mut old);
                        spool.write(block, 0, &old).map_err(|_| FileError::NoSpace)?;
                    }
                    block
                }
            };
            spool.write(block, within, &bytes[done..end]).map_err(|_| FileError::NoSpace)?;
            done = end;
            *size = (*size).max(offset + done as u64);
        }
        Ok(())
    }

    /// Makes the file this long: what is beyond is gone, what is missing is zero.
    ///
    /// # Errors
    /// It is no file, or the card is full.
    pub fn truncate(&self, to: u64) -> Result<(), FileError> {
        let mut inside = self.inside.lock();
        match &inside.content {
            Content::Nothing if self.kind == Kind::Device => return Ok(()),
            Content::Nothing => return Err(FileError::Folder),
            Content::Link(_) | Content::Made(_) => return Err(FileError::ReadOnly),
            Content::Small(_) | Content::Blocks { .. } => {}
        }
        self.charge(&mut inside, Store::rounded(to))?;
        inside.written();
        match &mut inside.content {
            Content::Small(kept) if to <= SMALL as u64 => kept.resize(usize::try_from(to).unwrap_or(0), 0),
            Content::Small(kept) => {
                let kept = std::mem::take(kept);
                inside.content = Content::Blocks { at: BTreeMap::new(), size: kept.len() as u64, computed: None };
                self.store_blocks(&mut inside.content, 0, &kept)?;
                if let Content::Blocks { size, .. } = &mut inside.content {
                    *size = to;
                }
            }
            Content::Blocks { at, .. } if to == 0 => {
                self.store.spool.release(std::mem::take(at).into_values());
                inside.content = Content::Small(Vec::new());
            }
            Content::Blocks { at, size, computed } => {
                let beyond = at.split_off(&u32::try_from(to.div_ceil(BLOCK)).unwrap_or(u32::MAX));
                self.store.spool.release(beyond.into_values());
                if let (true, Some(block)) = (to < *size, at.get(&u32::try_from(to / BLOCK).unwrap_or(u32::MAX))) {
                    let zeros = vec![0; usize::try_from(BLOCK - to % BLOCK).unwrap_or(0)];
                    self.store.spool.write(*block, to % BLOCK, &zeros).map_err(|_| FileError::NoSpace)?;
                }
                if let Some(computed) = computed {
                    computed.until = computed.until.min(to);
                }
                *size = to;
            }
            Content::Nothing | Content::Link(_) | Content::Made(_) => {}
        }
        Ok(())
    }

    fn charge(&self, inside: &mut Inside, now: u64) -> Result<(), FileError> {
        self.store.charge(inside.charged, now)?;
        inside.charged = now;
        Ok(())
    }
}

impl Drop for Inode {
    fn drop(&mut self) {
        let inside = self.inside.get_mut();
        if let Content::Blocks { at, .. } = &mut inside.content {
            self.store.spool.release(std::mem::take(at).into_values());
        }
        self.store.give_back(inside.charged);
    }
}
