//! Who may do what with a file, as Linux asks: owner, group and mode, whether the key of an encrypted folder is there,
//! and whether the disk gives it.

use std::collections::BTreeSet;

use super::inode::{Inode, Kind};
use super::sealed::key_of;
use super::{FileError, Files, Found, split};

/// The user of a shell without root.
pub const SHELL: u32 = 2000;

/// The groups of a shell without root (AOSP `adb/daemon/main.cpp`), in the order in which `id` prints them.
const SHELL_GROUPS: &[u32] = &[1004, 1007, 1011, SDCARD_RW, 1028, 1078, 1079, 3001, 3002, 3003, 3006, 3009, 3011];

/// The group that may do everything with the files of a user as they are seen below `/storage`.
const SDCARD_RW: u32 = 1015;

/// What somebody wants to do, as the bit of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Read a file or the names in a folder.
    Read = 4,
    /// Write a file, or add and remove names in a folder.
    Write = 2,
    /// Execute a file, or go into a folder.
    Execute = 1,
}

/// The groups that a user is in besides his own.
#[must_use]
pub fn groups(uid: u32) -> &'static [u32] {
    if uid == SHELL { SHELL_GROUPS } else { &[] }
}

/// Whether a user has a right to a file by its owner, group and mode.
fn has_right(uid: u32, inode: &Inode, right: Right) -> bool {
    if uid == 0 {
        // All that root may not do is to execute what nobody may execute.
        return right != Right::Execute || inode.is_folder() || inode.mode() & 0o111 != 0;
    }
    let meta = inode.meta();
    let shift = match () {
        () if meta.uid == uid => 6,
        () if meta.gid == uid || groups(uid).contains(&meta.gid) => 3,
        () => 0,
    };
    meta.mode >> shift & right as u32 != 0
}

/// What keeps files from being read whatever their rights. Few cards have any of it.
#[derive(Debug, Default)]
pub(super) struct Barred {
    /// Users whose key is not there.
    sealed: Vec<u32>,
    /// Paths that the disk does not give.
    unreadable: BTreeSet<Box<str>>,
}

impl Files {
    /// Sees the files as a process of this user does from now on; without one as the card itself, which may do
    /// everything and has every key.
    pub fn look_as(&mut self, viewer: Option<u32>) {
        self.viewer = viewer;
    }

    /// Takes away the keys of exactly these users.
    pub fn seal(&mut self, users: Vec<u32>) {
        if self.barred.is_some() || !users.is_empty() {
            self.barred.get_or_insert_default().sealed = users;
        }
    }

    /// Makes exactly these paths unreadable.
    pub fn set_unreadable(&mut self, paths: impl IntoIterator<Item = String>) {
        let unreadable: BTreeSet<Box<str>> = paths.into_iter().map(String::into_boxed_str).collect();
        if self.barred.is_some() || !unreadable.is_empty() {
            self.barred.get_or_insert_default().unreadable = unreadable;
        }
    }

    /// The paths that the disk does not give.
    #[must_use]
    pub fn unreadable(&self) -> Vec<String> {
        let barred = self.barred.iter().flat_map(|barred| &barred.unreadable);
        barred.map(ToString::to_string).collect()
    }

    /// Whether a user's key is missing to who looks.
    pub(super) fn lacks_key(&self, user: u32) -> bool {
        self.viewer.is_some() && self.barred.as_ref().is_some_and(|barred| barred.sealed.contains(&user))
    }

    /// Whether the content at a path, or the names in it, are encrypted with a key that is missing to who looks.
    pub(super) fn is_sealed(&self, path: &str) -> bool {
        self.barred.is_some() && key_of(path).is_some_and(|user| self.lacks_key(user))
    }

    fn is_unreadable(&self, path: &str) -> bool {
        self.viewer.is_some() && self.barred.as_ref().is_some_and(|barred| barred.unreadable.contains(path))
    }

    /// Whether who looks has a right to what was found.
    #[must_use]
    pub fn allows(&self, found: &Found, right: Right) -> bool {
        found.inode.as_ref().is_some_and(|inode| self.allows_at(inode, found.is_shared, right))
    }

    fn allows_at(&self, inode: &Inode, is_shared: bool, right: Right) -> bool {
        let Some(uid) = self.viewer else { return true };
        is_shared && groups(uid).contains(&SDCARD_RW) || has_right(uid, inode, right)
    }

    /// Goes into a folder, to look for a name.
    ///
    /// # Errors
    /// It is none, or its names cannot be looked for.
    pub(super) fn enter(&self, path: &str, folder: &Inode, is_shared: bool) -> Result<(), FileError> {
        match () {
            () if !folder.is_folder() => Err(FileError::NotFolder),
            () if !self.allows_at(folder, is_shared, Right::Execute) => Err(FileError::Denied),
            () if self.is_unreadable(path) => Err(FileError::Host),
            () => Ok(()),
        }
    }

    /// Opens what was found, to read it.
    ///
    /// # Errors
    /// That is not allowed, or not possible.
    pub fn may_read(&self, found: &Found) -> Result<(), FileError> {
        let is_file = found.inode.as_ref().is_some_and(|inode| inode.kind() == Kind::File);
        match () {
            () if !self.allows(found, Right::Read) => Err(FileError::Denied),
            () if self.is_unreadable(&found.path) => Err(FileError::Host),
            () if is_file && self.is_sealed(&found.path) => Err(FileError::NoKey),
            () => Ok(()),
        }
    }

    /// Opens what was found, to write into it.
    ///
    /// # Errors
    /// That is not allowed, or not possible.
    pub(super) fn may_write(&self, found: &Found) -> Result<(), FileError> {
        match () {
            () if !self.allows(found, Right::Write) => Err(FileError::Denied),
            () if self.is_unreadable(&found.path) => Err(FileError::Host),
            () if self.is_sealed(&found.path) => Err(FileError::NoKey),
            () => Ok(()),
        }
    }

    /// Whether a name can be added where nothing was found.
    ///
    /// # Errors
    /// It cannot.
    pub(super) fn may_add(&self, found: &Found) -> Result<(), FileError> {
        let above = split(&found.path).0;
        match () {
            () if !self.is_writable(&found.path) => Err(FileError::ReadOnly),
            () if !self.may_change_names(above, found.is_shared) => Err(FileError::Denied),
            () if self.is_sealed(above) => Err(FileError::NoKey),
            () => Ok(()),
        }
    }

    /// Whether the name of what was found can be taken away.
    ///
    /// # Errors
    /// It cannot.
    pub(super) fn may_remove(&self, found: &Found) -> Result<(), FileError> {
        let above = split(&found.path).0;
        match () {
            () if !self.is_writable(&found.path) => Err(FileError::ReadOnly),
            () if !self.may_change_names(above, found.is_shared) => Err(FileError::Denied),
            () if self.is_kept_by_owner(above, found) => Err(FileError::NotPermitted),
            () => Ok(()),
        }
    }

    fn may_change_names(&self, folder: &str, is_shared: bool) -> bool {
        self.viewer.is_none() || self.at(folder).is_some_and(|folder| self.allows_at(&folder, is_shared, Right::Write))
    }

    /// Whether the folder has the sticky bit, so that only owners take names away.
    fn is_kept_by_owner(&self, folder: &str, found: &Found) -> bool {
        let Some(uid) = self.viewer.filter(|uid| *uid != 0) else { return false };
        let owner = found.inode.as_ref().map(|inode| inode.meta().uid);
        let above = self.at(folder).map(|folder| folder.meta());
        above.is_some_and(|above| above.mode & 0o1000 != 0 && above.uid != uid && owner != Some(uid))
    }

    /// Whether who looks owns a file, as its rights and times ask for.
    ///
    /// # Errors
    /// Somebody else does.
    pub(super) fn must_own(&self, inode: &Inode) -> Result<(), FileError> {
        match self.viewer {
            Some(uid) if uid != 0 && inode.meta().uid != uid => Err(FileError::NotPermitted),
            Some(_) | None => Ok(()),
        }
    }
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
mod tests {
    use std::sync::Arc;

    use super::super::{Meta, Store};
    use super::*;

    fn files() -> Files {
        Files::new(Arc::new(Store::new(1 << 30, Arc::default(), None)))
    }

    fn owned(uid: u32, gid: u32, mode: u32) -> Meta {
        Meta { uid, gid, ..Meta::new(mode) }
    }

    #[test]
    fn owner_group_and_others_have_their_own_rights() {
        let mut files = files();
        for (name, meta, allowed) in [
            ("own", owned(SHELL, 0, 0o500), [true, false, true]),
            ("group", owned(0, 1007, 0o060), [true, true, false]),
            ("other", owned(0, 0, 0o771), [false, false, true]),
            // Who is the owner has the owner's rights, and no others.
            ("worse", owned(SHELL, SHELL, 0o077), [false, false, false]),
        ] {
            let path = format!("/data/local/tmp/{name}");
            files.look_as(None);
            files.open(&path, meta).unwrap();
            files.look_as(Some(SHELL));
            let found = files.find(&path, true).unwrap();
            let rights = [Right::Read, Right::Write, Right::Execute].map(|right| files.allows(&found, right));
            assert_eq!(rights, allowed, "{name}");
        }
    }

    #[test]
    fn a_sticky_folder_keeps_what_others_own() {
        let mut files = files();
        files.make_folder("/data/local/tmp/sticky", owned(0, 0, 0o1777)).unwrap();
        for (name, uid) in [("mine", SHELL), ("yours", 0)] {
            files.open(&format!("/data/local/tmp/sticky/{name}"), owned(uid, uid, 0o666)).unwrap();
        }
        files.look_as(Some(SHELL));
        assert_eq!(files.unlink("/data/local/tmp/sticky/yours"), Err(FileError::NotPermitted));
        assert_eq!(files.unlink("/data/local/tmp/sticky/mine"), Ok(()));
        files.look_as(Some(0));
        assert_eq!(files.unlink("/data/local/tmp/sticky/yours"), Ok(()));
    }

    #[test]
    fn what_the_disk_does_not_give_not_even_root_reads() {
        let mut files = files();
        files.make_folder("/data/bad", owned(0, 0, 0o755)).unwrap();
        files.open("/data/bad/file", owned(0, 0, 0o644)).unwrap();
        files.set_unreadable(["/data/bad".to_owned()]);
        files.look_as(Some(0));
        let found = files.find("/data/bad", true).unwrap();
        assert_eq!(files.read_folder(&found).unwrap_err(), FileError::Host);
        assert_eq!(files.find("/data/bad/file", true).unwrap_err(), FileError::Host);
        files.set_unreadable([]);
        assert_eq!(files.read_folder(&found).unwrap().len(), 1);
    }
}
