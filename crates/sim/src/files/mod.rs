//! A card's files: what Android brings, which costs nothing, and over it what was written.

mod access;
mod computed;
mod error;
mod fixed;
mod inode;
mod mounts;
mod sealed;
mod spool;
mod store;
mod walk;

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::Arc;

use access::Barred;
pub use access::{Right, SHELL, groups};
pub use error::FileError;
pub use inode::{Inode, Kind, Meta, Moment};
use mounts::Mount;
pub use store::{PAGE, Store};
pub use walk::Found;

/// What was written to a card since it was wiped.
#[derive(Debug)]
pub struct Files {
    /// By path; nothing where something that Android brings was removed.
    names: BTreeMap<Box<str>, Option<Arc<Inode>>>,
    /// The system's own files may be changed until the next restart.
    open_system: bool,
    /// What is mounted, by its place.
    mounts: BTreeMap<Box<str>, Mount>,
    /// Whose process looks; nobody: the card itself does.
    viewer: Option<u32>,
    /// What cannot be read, where there is anything like that.
    barred: Option<Box<Barred>>,
    /// The disk.
    pub store: Arc<Store>,
}

/// The folder that something at a path without links is in, and its name there.
#[must_use]
pub fn split(path: &str) -> (&str, &str) {
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((folder, name)) => (folder, name),
        None => ("/", path),
    }
}

/// A name in a folder.
#[must_use]
pub fn join(folder: &str, name: &str) -> String {
    if folder.ends_with('/') { format!("{folder}{name}") } else { format!("{folder}/{name}") }
}

impl Files {
    /// Nothing written.
    pub fn new(store: Arc<Store>) -> Self {
        Self { names: BTreeMap::new(), open_system: false, mounts: BTreeMap::new(), viewer: None, barred: None, store }
    }

    /// Lets the system's own files be changed, or protects them again.
    pub fn remount(&mut self, writable: bool) {
        self.open_system = writable;
    }

    /// Whether what is at a path, without links in it, is as the image brought it.
    #[must_use]
    pub fn is_brought(&self, path: &str) -> bool {
        !self.names.contains_key(path)
    }

    /// Whether something may be written at a path.
    fn is_writable(&self, path: &str) -> bool {
        fixed::is_writable(path) || (self.open_system && fixed::is_system(path))
    }

    /// What was changed of the system's own files since the image came on the card, in the order of their paths.
    #[must_use]
    pub fn changes_of_system(&self) -> Vec<(String, Option<Arc<Inode>>)> {
        let system = self.names.iter().filter(|(path, _)| fixed::is_system(path));
        system.map(|(path, inode)| (path.to_string(), inode.clone())).collect()
    }

    /// What is at a path, so that its rights and owners can be changed.
    ///
    /// # Errors
    /// Nothing is, or it is read-only.
    pub fn find_own(&mut self, path: &str, follow: bool) -> Result<Arc<Inode>, FileError> {
        let found = self.find(path, follow)?;
        let inode = found.inode.ok_or(FileError::Missing)?;
        if !self.is_writable(&join(&found.path, "")) {
            return Err(FileError::ReadOnly);
        }
        self.must_own(&inode)?;
        if !self.names.contains_key(found.path.as_str()) {
            self.names.insert(found.path.into(), Some(Arc::clone(&inode)));
        }
        Ok(inode)
    }

    /// The free place for something new at a path.
    fn place(&self, path: &str) -> Result<String, FileError> {
        let found = self.resolve(path, false)?;
        if found.inode.is_some() {
            return Err(FileError::Exists);
        }
        self.may_add(&found)?;
        Ok(found.path)
    }

    fn insert(&mut self, path: String, inode: Arc<Inode>) {
        let folder = split(&path).0;
        let above = self.names.get(folder).cloned().flatten();
        if let Some(above) = above {
            let context = above.meta().context;
            above.change(|meta| meta.modified = Moment::now());
            inode.change(|meta| meta.context = meta.context.take().or(context));
        }
        self.names.insert(path.into(), Some(inode));
    }

    /// The file at a path, made if it is not there.
    ///
    /// # Errors
    /// It cannot be made, or it is no file.
    pub fn open(&mut self, path: &str, meta: Meta) -> Result<Arc<Inode>, FileError> {
        let found = self.resolve(path, true)?;
        if let Some(inode) = found.inode.clone() {
            let ours = self.is_writable(&found.path) || inode.kind() == Kind::Device;
            if ours && !inode.is_folder() {
                self.may_write(&found)?;
            }
            return match inode.kind() {
                Kind::Folder => Err(FileError::Folder),
                Kind::File if ours && !self.names.contains_key(found.path.as_str()) => self.own(found.path, &inode),
                Kind::File | Kind::Link | Kind::Device if ours => Ok(inode),
                Kind::File | Kind::Link | Kind::Device => Err(FileError::ReadOnly),
            };
        }
        if path.ends_with('/') {
            return Err(FileError::Folder);
        }
        self.may_add(&found)?;
        let inode = Arc::new(Inode::file(&self.store, meta));
        self.insert(found.path, Arc::clone(&inode));
        Ok(inode)
    }

    /// Makes a file that the image brought one that can be changed.
    fn own(&mut self, path: String, brought: &Inode) -> Result<Arc<Inode>, FileError> {
        let inode = Arc::new(Inode::file(&self.store, brought.meta()));
        inode.write(0, &brought.read(0, usize::MAX)?)?;
        self.names.insert(path.into(), Some(Arc::clone(&inode)));
        Ok(inode)
    }

    /// Makes a folder.
    ///
    /// # Errors
    /// Something is there, or the folder above is not.
    pub fn make_folder(&mut self, path: &str, meta: Meta) -> Result<(), FileError> {
        let place = self.place(path.trim_end_matches('/'))?;
        let folder = Inode::folder(&self.store, meta)?;
        self.insert(place, Arc::new(folder));
        Ok(())
    }

    /// Makes the folders above a path, as `adbd` does.
    ///
    /// # Errors
    /// Something else is in the way, or the place is read-only.
    pub fn make_folders_above(&mut self, path: &str) -> Result<(), FileError> {
        let cuts: Vec<usize> = path.match_indices('/').map(|(at, _)| at).filter(|at| *at > 0).collect();
        for cut in cuts {
            match self.make_folder(&path[..cut], Meta { uid: 2000, gid: 2000, ..Meta::new(0o775) }) {
                Ok(()) | Err(FileError::Exists) => {}
                Err(why) => return Err(why),
            }
        }
        Ok(())
    }

    /// Gives a file that has no name yet its place.
    ///
    /// # Errors
    /// Something is there, or the folder above is not.
    pub fn place_file(&mut self, path: &str, file: Arc<Inode>) -> Result<(), FileError> {
        let place = self.place(path)?;
        self.insert(place, file);
        Ok(())
    }

    /// Makes a symbolic link.
    ///
    /// # Errors
    /// Something is there, or the folder above is not.
    pub fn make_link(&mut self, path: &str, target: &str, meta: Meta) -> Result<(), FileError> {
        let place = self.place(path)?;
        let link = Inode::link(&self.store, meta, target);
        self.insert(place, Arc::new(link));
        Ok(())
    }

    /// Gives a file a second name.
    ///
    /// # Errors
    /// It is a folder, or the second name cannot be made.
    pub fn name_again(&mut self, old: &str, new: &str) -> Result<(), FileError> {
        let inode = self.find(old, false)?.inode.ok_or(FileError::Missing)?;
        if inode.is_folder() {
            return Err(FileError::NotPermitted);
        }
        let place = self.place(new)?;
        inode.named();
        self.insert(place, inode);
        Ok(())
    }

    /// Takes the name from a file or link.
    ///
    /// # Errors
    /// It is a folder, missing or read-only.
    pub fn unlink(&mut self, path: &str) -> Result<(), FileError> {
        let found = self.find(path, false)?;
        self.may_remove(&found)?;
        if found.inode.is_some_and(|inode| inode.is_folder()) {
            return Err(FileError::Folder);
        }
        self.forget(&found.path)
    }

    /// Removes an empty folder.
    ///
    /// # Errors
    /// It is none, missing, not empty or read-only.
    pub fn remove_folder(&mut self, path: &str) -> Result<(), FileError> {
        let found = self.find(path, false)?;
        self.may_remove(&found)?;
        if !found.inode.is_some_and(|inode| inode.is_folder()) {
            return Err(FileError::NotFolder);
        }
        if !self.children(&found.path).is_empty() {
            return Err(FileError::NotEmpty);
        }
        self.forget(&found.path)
    }

    fn forget(&mut self, path: &str) -> Result<(), FileError> {
        if !self.is_writable(path) {
            return Err(FileError::ReadOnly);
        }
        if let Some(above) = self.names.get(split(path).0).cloned().flatten() {
            above.change(|meta| meta.modified = Moment::now());
        }
        let gone =
            if fixed::at(path).is_some() { self.names.insert(path.into(), None) } else { self.names.remove(path) };
        if let Some(Some(inode)) = gone {
            inode.unnamed();
        }
        Ok(())
    }

    /// Gives a file or a folder with all in it another name; what had it before is gone.
    ///
    /// # Errors
    /// As `rename(2)`.
    pub fn rename(&mut self, old: &str, new: &str) -> Result<(), FileError> {
        let from = self.find(old.trim_end_matches('/'), false)?;
        let inode = from.inode.clone().ok_or(FileError::Missing)?;
        let to = self.resolve(new.trim_end_matches('/'), false)?;
        if from.path == to.path {
            return Ok(());
        }
        if format!("{}/", to.path).starts_with(&format!("{}/", from.path)) {
            return Err(FileError::Invalid);
        }
        self.may_remove(&from)?;
        self.may_add(&to)?;
        if to.inode.is_some() {
            self.may_remove(&to)?;
        }
        // The name is encrypted anew, for which the key must be there.
        if self.is_sealed(split(&from.path).0) {
            return Err(FileError::NoKey);
        }
        match to.inode {
            Some(there) if there.is_folder() && !inode.is_folder() => return Err(FileError::Folder),
            Some(there) if !there.is_folder() && inode.is_folder() => return Err(FileError::NotFolder),
            Some(there) if there.is_folder() && !self.children(&to.path).is_empty() => return Err(FileError::NotEmpty),
            Some(_) => self.forget(&to.path)?,
            None => {}
        }
        let below = join(&from.path, "");
        for (path, inode) in self.below(&below) {
            self.names.remove(path.as_str());
            self.names.insert(join(&to.path, &path[below.len()..]).into(), inode);
        }
        self.forget(&from.path)?;
        inode.named();
        self.insert(to.path, inode);
        Ok(())
    }

    /// What was written below a folder, whose path ends with a slash.
    fn below(&self, prefix: &str) -> Vec<(String, Option<Arc<Inode>>)> {
        let range = self.names.range::<str, _>((Bound::Excluded(prefix), Bound::Unbounded));
        range
            .take_while(|(path, _)| path.starts_with(prefix))
            .map(|(path, inode)| (path.to_string(), inode.clone()))
            .collect()
    }

    /// Everything that was written is gone, but not what was changed of the system's own files: a factory reset leaves
    /// those as they are.
    pub fn clear(&mut self) {
        self.barred = None;
        self.mounts.clear();
        self.names.retain(|path, _| fixed::is_system(path));
    }

    /// Removes whatever is at a path, with all below.
    ///
    /// # Errors
    /// Nothing is there, or it is read-only.
    pub fn remove_all(&mut self, path: &str) -> Result<(), FileError> {
        let found = self.find(path, false)?;
        for (below, _) in self.below(&join(&found.path, "")) {
            self.names.remove(below.as_str());
        }
        self.forget(&found.path)
    }

    /// The SELinux context of something.
    #[must_use]
    pub fn context(path: &str, inode: &Inode) -> String {
        inode.meta().context.map_or_else(|| Self::usual_context(path).to_owned(), String::from)
    }

    /// The context that a place has, where what is there has none of its own.
    #[must_use]
    pub fn usual_context(path: &str) -> &'static str {
        fixed::context(path)
    }

    /// Bytes of the disk that are taken.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.store.used()
    }
}
