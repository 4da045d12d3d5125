//! Following paths and reading folders.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Bound;
use std::sync::Arc;

use super::fixed;
use super::inode::{Inode, Kind};
use super::sealed::without_key;
use super::{FileError, Files, Right, join, split};

/// So many links may lead to another one.
const HOPS: usize = 40;

/// Below it each user's media are mounted, for apps and shells.
const SHARED: &str = "/storage/emulated";

/// A path without links in it, and what is there.
#[derive(Debug)]
pub struct Found {
    /// The path.
    pub path: String,
    /// What is there.
    pub inode: Option<Arc<Inode>>,
    /// It was reached through `/storage`, where other rights count than those of the files.
    pub is_shared: bool,
}

impl Files {
    /// What is at a path that has no links in it.
    pub(super) fn at(&self, path: &str) -> Option<Arc<Inode>> {
        if let Some(named) = self.names.get(path) {
            return named.clone();
        }
        let brought = fixed::at(path)?;
        // Android's own things are there only as long as the folder is.
        if path != "/" && self.names.get(split(path).0).is_some_and(Option::is_none) {
            return None;
        }
        let mut inode = match brought.kind {
            Kind::Link => Inode::link(&self.store, brought.meta, brought.target),
            Kind::File => Inode::made(&self.store, brought.meta, bytes::Bytes::from_static(brought.content.as_bytes())),
            kind @ (Kind::Folder | Kind::Device) => Inode::brought(&self.store, kind, brought.meta),
        };
        // It is made anew for whoever looks, and is the same each time.
        inode.number = fixed::number(path);
        Some(Arc::new(inode))
    }

    /// Follows a path; `follow` says whether a link at its end is followed too.
    ///
    /// # Errors
    /// A folder on the way is missing or none, or links lead in a circle.
    pub fn resolve(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        let mut rest: VecDeque<String> = path.split('/').filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let wants_folder = path.ends_with('/') || path.ends_with("/.");
        let (mut at, mut inode, mut hops, mut is_shared) = (String::from("/"), self.at("/"), 0, false);
        while let Some(part) = rest.pop_front() {
            let Some(here) = &inode else { return Err(FileError::Missing) };
            self.enter(&at, here, is_shared)?;
            match part.as_str() {
                "." => continue,
                ".." => {
                    at = split(&at).0.to_owned();
                    is_shared &= at.starts_with("/data/media/");
                }
                name => {
                    let last = rest.is_empty();
                    let Some(next) = self.real_path(&at, name) else {
                        let nothing = Found { path: join(&at, name), inode: None, is_shared };
                        return if last { Ok(nothing) } else { Err(FileError::Missing) };
                    };
                    let found = self.seen(&at, &next);
                    if let Some(target) = found.as_ref().and_then(|found| found.target())
                        && (!last || follow || wants_folder)
                    {
                        hops += 1;
                        if hops > HOPS {
                            return Err(FileError::Loop);
                        }
                        if at == SHARED {
                            self.must_be_mounted(name)?;
                        }
                        if target.starts_with('/') {
                            is_shared = at == SHARED;
                            at = "/".into();
                        }
                        for part in target.split('/').filter(|part| !part.is_empty()).rev() {
                            rest.push_front(part.to_owned());
                        }
                    } else {
                        at = next;
                        inode = found;
                        continue;
                    }
                }
            }
            inode = self.at(&at);
        }
        if wants_folder && inode.as_ref().is_some_and(|inode| !inode.is_folder()) {
            return Err(FileError::NotFolder);
        }
        Ok(Found { path: at, inode, is_shared })
    }

    /// The real path of a name in a folder; nothing if the folder's names are encrypted and this is none of them.
    fn real_path(&self, folder: &str, name: &str) -> Option<String> {
        if !self.is_sealed(folder) {
            return Some(join(folder, name));
        }
        let children = self.children(folder).into_iter();
        let mut fitting = children.map(|(real, _)| real).filter(|real| without_key(folder, real) == name);
        fitting.next().map(|real| join(folder, &real))
    }

    /// What is at a real path in a folder, as it looks: a link in a folder whose key is missing leads to something
    /// encrypted.
    fn seen(&self, folder: &str, path: &str) -> Option<Arc<Inode>> {
        let inode = self.at(path)?;
        match inode.target().filter(|_| self.is_sealed(folder)) {
            Some(target) => Some(Arc::new(Inode::link(&self.store, inode.meta(), &without_key(path, &target)))),
            None => Some(inode),
        }
    }

    /// Nobody's media are mounted before his key is there.
    fn must_be_mounted(&self, user: &str) -> Result<(), FileError> {
        let is_locked = user.parse().is_ok_and(|user| self.lacks_key(user));
        if is_locked { Err(FileError::Missing) } else { Ok(()) }
    }

    /// A path with its names as they are seen.
    #[must_use]
    pub fn shown(&self, path: &str) -> String {
        let mut shown = String::new();
        for (at, _) in path.match_indices('/') {
            let (folder, rest) = (if at == 0 { "/" } else { &path[..at] }, &path[at + 1..]);
            let name = rest.split('/').next().unwrap_or(rest);
            shown.push('/');
            shown += &if self.is_sealed(folder) { without_key(folder, name) } else { name.to_owned() };
        }
        shown
    }

    /// What is at a path.
    ///
    /// # Errors
    /// Nothing is.
    pub fn find(&self, path: &str, follow: bool) -> Result<Found, FileError> {
        let found = self.resolve(path, follow)?;
        if found.inode.is_none() { Err(FileError::Missing) } else { Ok(found) }
    }

    /// Names in a folder with what they are, in the order of their bytes. The path has no links in it.
    #[must_use]
    pub fn children(&self, folder: &str) -> Vec<(String, Arc<Inode>)> {
        let prefix = join(folder, "");
        let mut found = BTreeMap::new();
        for path in fixed::paths() {
            if let Some(name) = path.strip_prefix(&prefix).filter(|name| !name.is_empty() && !name.contains('/'))
                && let Some(inode) = self.at(path)
            {
                found.insert(name.to_owned(), inode);
            }
        }
        let mut from: Bound<String> = Bound::Excluded(prefix.clone());
        loop {
            let range = self.names.range::<str, _>((from.as_ref().map(String::as_str), Bound::Unbounded));
            let Some((path, inode)) = { range }.next() else { break };
            let Some(rest) = path.strip_prefix(&prefix) else { break };
            match rest.split_once('/') {
                // Past everything below that folder at once: `0` follows `/`.
                Some((name, _)) => from = Bound::Included(format!("{prefix}{name}0")),
                None => {
                    if let Some(inode) = inode {
                        found.insert(rest.to_owned(), Arc::clone(inode));
                    }
                    from = Bound::Excluded(path.to_string());
                }
            }
        }
        found.into_iter().collect()
    }

    /// Names in a folder with what they are, as who looks sees them, in the order of their bytes.
    ///
    /// # Errors
    /// It is none, or cannot be read.
    pub fn read_folder(&self, found: &Found) -> Result<Vec<(String, Arc<Inode>)>, FileError> {
        if !found.inode.as_ref().is_some_and(|inode| inode.is_folder()) {
            return Err(FileError::NotFolder);
        }
        self.may_read(found)?;
        let children = self.children(&found.path);
        if !self.is_sealed(&found.path) {
            return Ok(children);
        }
        let folder = &found.path;
        let mut seen: Vec<(String, Arc<Inode>)> = children
            .into_iter()
            .filter_map(|(real, _)| {
                let name = without_key(folder, &real);
                let inode = self.seen(folder, &join(folder, &real))?;
                Some((name, inode))
            })
            .collect();
        seen.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(seen)
    }

    /// Names in a folder with what they are; none if there is no folder, or one that cannot be read.
    #[must_use]
    pub fn list(&self, folder: &str) -> Vec<(String, Arc<Inode>)> {
        let found = self.find(folder, true).ok().filter(|found| self.allows(found, Right::Execute));
        found.and_then(|found| self.read_folder(&found).ok()).unwrap_or_default()
    }
}
