//! One turn of an app: it appends to its journal, works in its database, and every now and then saves its settings, keeps
//! something in its cache or makes a picture. Whatever it does is bounded: the oldest goes.

use std::fmt::Write as _;
use std::sync::Arc;

use super::Running;
use crate::chance;
use crate::files::{FileError, Files, Inode, Kind, Meta, Moment, PAGE, join, split};

/// A journal that would be larger is put aside, in place of the one before it.
const JOURNAL: u64 = 32 * 1024;
/// Pages of the database.
const PAGES: u64 = 16;
/// Bytes of a row, most of which compress well.
const ROW: u64 = 128;
/// Pictures that it keeps, and the largest one.
const PICTURES: usize = 4;
const PICTURE: u64 = 48 * 1024;
/// Files in its cache, and the largest one.
const CACHED: usize = 6;
const LARGEST_CACHED: u64 = 20 * 1024;

/// `AID_MEDIA_RW` and `AID_EXT_DATA_RW`: whose the folders are that lead to what apps keep outside.
const MEDIA: u32 = 1023;
const OUTSIDE: u32 = 1078;

/// A turn.
pub struct Turn<'a> {
    /// The card's files.
    pub files: &'a mut Files,
    /// Who has it.
    pub app: &'a Running,
    /// Its number among the turns of the app, from 1.
    pub number: u64,
    /// Of the app on this card.
    pub luck: u64,
    /// When it is.
    pub at: Moment,
}

impl Turn<'_> {
    /// Does everything. Without its folder an app does not run; what a full card does not take is not written.
    pub fn take(mut self) {
        if self.files.find(&self.app.home, true).is_err() {
            return;
        }
        let every = |turns: u64| self.number % turns == 1;
        let (saves, caches, makes) = (every(3), every(6), every(48));
        let _ = self.append();
        let _ = if self.number % 2 == 1 { self.begin() } else { self.commit() };
        if saves {
            let _ = self.save();
        }
        if caches {
            let _ = self.cache();
        }
        if makes {
            let _ = self.make_picture();
        }
    }

    /// A number for a purpose, the same whenever the turn is taken.
    fn draw(&self, purpose: u64, low: u64, high: u64) -> u64 {
        chance::between(self.luck, self.number, purpose, low, high)
    }

    /// A line of the journal.
    fn append(&mut self) -> Result<(), FileError> {
        let folder = self.folder("files")?;
        let path = join(&folder, "journal.log");
        let line = format!(
            "{:08} {:016x} level {} coins {}\n",
            self.number,
            self.draw(1, 0, u64::MAX - 1),
            self.number / 40,
            self.draw(2, 0, 99_999)
        );
        let size = self.files.find(&path, false).ok().and_then(|found| found.inode).map_or(0, |inode| inode.size());
        if size + line.len() as u64 > JOURNAL {
            self.rename(&path, &join(&folder, "journal.1.log"))?;
        }
        let file = self.file(&path, 0o600, self.app.uid)?;
        self.write(&file, file.size(), line.as_bytes())
    }

    /// The database begins to change: what is needed to go back lies beside it.
    fn begin(&mut self) -> Result<(), FileError> {
        let path = join(&self.folder("databases")?, "main.db-journal");
        let file = self.file(&path, 0o600, self.app.uid)?;
        self.write(&file, 0, &[0xd9; 512])
    }

    /// A page is written in its place, or added; then there is nothing to go back to any more.
    fn commit(&mut self) -> Result<(), FileError> {
        let path = join(&self.folder("databases")?, "main.db");
        let file = self.file(&path, 0o660, self.app.uid)?;
        let pages = file.size() / PAGE;
        let grows = pages == 0 || pages < PAGES && self.draw(3, 0, 2) == 0;
        let page = if grows { pages } else { self.draw(4, 0, pages - 1) };
        let mut rows = String::new();
        for row in 0..PAGE / ROW {
            let _ = write!(rows, "{:016x}", self.draw(100 + row, 0, u64::MAX - 1));
            rows.extend(std::iter::repeat_n(' ', ROW as usize - 16));
        }
        self.write(&file, page * PAGE, rows.as_bytes())?;
        let mut head = *b"SQLite format 3\0\x10\0\x01\x01\0\x40\x20\x20\0\0\0\0";
        head[24..].copy_from_slice(&u32::try_from(self.number).unwrap_or(u32::MAX).to_be_bytes());
        self.write(&file, 0, &head)?;
        self.unlink(&format!("{path}-journal"))
    }

    /// The settings are written anew beside the old ones, and take their place at once (AOSP `AtomicFile`).
    fn save(&mut self) -> Result<(), FileError> {
        let folder = self.folder("shared_prefs")?;
        let path = join(&folder, &format!("{}_preferences.xml", self.app.name));
        let new = format!("{path}.new");
        let text = format!(
            "<?xml version='1.0' encoding='utf-8' standalone='yes' ?>\n<map>\n    <long name=\"turn\" value=\"{}\" />\n    \
             <string name=\"token\">{:016x}</string>\n    <int name=\"volume\" value=\"{}\" />\n</map>\n",
            self.number,
            self.draw(5, 0, u64::MAX - 1),
            self.draw(6, 0, 15)
        );
        let file = self.file(&new, 0o660, self.app.uid)?;
        file.truncate(0)?;
        self.write(&file, 0, text.as_bytes())?;
        self.rename(&new, &path)
    }

    /// Something that it has fetched, which belongs to the group of its folder, as that has the bit for it.
    fn cache(&mut self) -> Result<(), FileError> {
        let folder = join(&self.app.home, "cache");
        let group = self.files.find(&folder, false)?.inode.map_or(self.app.uid, |inode| inode.meta().gid);
        let path = join(&folder, &format!("net-{:08x}.0", self.draw(7, 0, 0xffff_ffff)));
        let file = self.file(&path, 0o600, group)?;
        self.fill(&file, self.draw(8, 2048, LARGEST_CACHED))?;
        self.keep(&folder, "net-", CACHED)
    }

    /// A picture among what it keeps outside its folder.
    fn make_picture(&mut self) -> Result<(), FileError> {
        let mut folder = format!("/data/media/{}/Android", self.app.user);
        self.make_folder(&folder, 0o2771, MEDIA, MEDIA)?;
        let uid = self.app.uid;
        for (name, mode, uid) in [("data", 0o2771, MEDIA), (&*self.app.name, 0o2770, uid), ("files", 0o2770, uid)] {
            folder = join(&folder, name);
            self.make_folder(&folder, mode, uid, OUTSIDE)?;
        }
        let path = join(&folder, &format!("shot-{:08x}.jpg", self.draw(9, 0, 0xffff_ffff)));
        let file = self.file(&path, 0o660, OUTSIDE)?;
        self.fill(&file, self.draw(10, 16 * 1024, PICTURE))?;
        self.keep(&folder, "shot-", PICTURES)
    }

    /// A folder of its own in the one of its data.
    fn folder(&mut self, name: &str) -> Result<String, FileError> {
        let path = join(&self.app.home, name);
        self.make_folder(&path, 0o771, self.app.uid, self.app.uid)?;
        Ok(path)
    }

    fn make_folder(&mut self, path: &str, mode: u32, uid: u32, gid: u32) -> Result<(), FileError> {
        match self.files.make_folder(path, Meta { uid, gid, modified: self.at, ..Meta::new(mode) }) {
            Ok(()) => self.stamp_names(path),
            Err(FileError::Exists) => {}
            Err(why) => return Err(why),
        }
        Ok(())
    }

    /// One of its files, made where there is none.
    fn file(&mut self, path: &str, mode: u32, gid: u32) -> Result<Arc<Inode>, FileError> {
        let is_new = self.files.find(path, false).is_err();
        let file = self.files.open(path, Meta { uid: self.app.uid, gid, modified: self.at, ..Meta::new(mode) })?;
        if is_new {
            self.stamp_names(path);
        }
        Ok(file)
    }

    fn write(&self, file: &Inode, offset: u64, bytes: &[u8]) -> Result<(), FileError> {
        file.write(offset, bytes)?;
        file.stamp(self.at, self.at);
        Ok(())
    }

    /// Content that takes no space where the simulator runs.
    fn fill(&self, file: &Inode, size: u64) -> Result<(), FileError> {
        file.compute(self.draw(11, 0, u64::MAX - 1), size)?;
        file.stamp(self.at, self.at);
        Ok(())
    }

    fn rename(&mut self, old: &str, new: &str) -> Result<(), FileError> {
        self.files.rename(old, new)?;
        self.stamp_names(new);
        if let Some(inode) = self.files.find(new, false)?.inode {
            inode.stamp(inode.meta().modified, self.at);
        }
        Ok(())
    }

    fn unlink(&mut self, path: &str) -> Result<(), FileError> {
        self.files.unlink(path)?;
        self.stamp_names(path);
        Ok(())
    }

    /// The oldest of its files go that begin so, until no more than so many are left.
    fn keep(&mut self, folder: &str, begins: &str, most: usize) -> Result<(), FileError> {
        let children = self.files.children(folder).into_iter();
        let own = children.filter(|(name, inode)| name.starts_with(begins) && inode.kind() == Kind::File);
        let mut own: Vec<(Moment, String)> = own.map(|(name, inode)| (inode.meta().modified, name)).collect();
        own.sort_unstable();
        for (_, name) in own.iter().take(own.len().saturating_sub(most)) {
            self.unlink(&join(folder, name))?;
        }
        Ok(())
    }

    /// The names in a folder have changed when the turn was.
    fn stamp_names(&self, path: &str) {
        if let Ok(found) = self.files.find(split(path).0, true)
            && let Some(above) = found.inode
        {
            above.stamp(self.at, self.at);
        }
    }
}
