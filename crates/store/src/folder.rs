//! A folder of this machine, or of one that is mounted here.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, Instant};

use bytes::Bytes;

use crate::{Kind, Listed, Pace, Step, Store, Trouble, is_part, part_name};

/// Bytes that go at a time.
const PIECE: usize = 64 * 1024;

/// A folder as a store.
#[derive(Clone, Debug)]
pub struct Folder {
    root: PathBuf,
    pace: Pace,
}

impl Folder {
    /// The folder `root`, which must exist: a disk that is not mounted must not look like an empty node.
    ///
    /// # Errors
    /// When there is no such folder.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, Trouble> {
        let root = root.into();
        match fs::metadata(&root) {
            Ok(found) if found.is_dir() => Ok(Self { root, pace: Pace::default() }),
            Ok(_) => Err(Trouble::new(Kind::Refused, Step::Connect, format!("{} is not a folder", root.display()))),
            Err(cause) => {
                Err(Trouble { text: format!("{}: {cause}", root.display()), ..Trouble::of(Step::Connect, &cause) })
            }
        }
    }

    /// The same, where what is read and written goes at this pace.
    #[must_use]
    pub fn at_pace(self, pace: Pace) -> Self {
        Self { pace, ..self }
    }

    /// Where `path` is. It never leads out of the folder.
    fn at(&self, path: &str, step: Step) -> Result<PathBuf, Trouble> {
        let is_inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
        if !is_inside {
            return Err(Trouble::new(Kind::Refused, step, format!("{path:?} leads out of the node")));
        }
        Ok(self.root.join(path))
    }
}

impl Store for Folder {
    fn list(&self, folder: &str, deep: bool) -> Result<Vec<Listed>, Trouble> {
        let mut found = Vec::new();
        let mut folders = vec![(self.at(folder, Step::List)?, String::new())];
        while let Some((path, before)) = folders.pop() {
            match walk(&path, &before, &mut found) {
                Ok(inner) if deep => folders.extend(inner),
                Ok(_) => {}
                Err(cause) if cause.kind() == ErrorKind::NotFound => {}
                Err(cause) => return Err(Trouble::of(Step::List, &cause)),
            }
        }
        Ok(found)
    }

    fn read(&self, path: &str) -> Result<Bytes, Trouble> {
        let path = self.at(path, Step::Read)?;
        let read = || {
            let mut file = File::open(path)?;
            let mut bytes = Vec::with_capacity(usize::try_from(file.metadata()?.len()).unwrap_or(0));
            loop {
                let some = io::Read::by_ref(&mut file).take(PIECE as u64).read_to_end(&mut bytes)?;
                if some == 0 {
                    return Ok(Bytes::from(bytes));
                }
                self.pace.down(some);
            }
        };
        read().map_err(|cause: io::Error| Trouble::of(Step::Read, &cause))
    }

    fn read_part(&self, path: &str, offset: u64, length: usize) -> Result<Bytes, Trouble> {
        let path = self.at(path, Step::Read)?;
        let read = || {
            let (file, mut bytes, mut from) = (File::open(path)?, vec![0; length], offset);
            for piece in bytes.chunks_mut(PIECE) {
                file.read_exact_at(piece, from)?;
                from += piece.len() as u64;
                self.pace.down(piece.len());
            }
            Ok(Bytes::from(bytes))
        };
        read().map_err(|cause: io::Error| Trouble::of(Step::Read, &cause))
    }

    fn write(&self, path: &str, parts: &[Bytes]) -> Result<(), Trouble> {
        let (path, part) = (self.at(path, Step::Write)?, self.at(&part_name(path), Step::Write)?);
        let parent = path.parent().unwrap_or(&self.root);
        let write = || {
            // Only below the root: see `open`.
            fs::metadata(&self.root)?;
            fs::create_dir_all(parent)?;
            let mut file = File::create_new(&part)?;
            for piece in parts.iter().flat_map(|part| part.chunks(PIECE)) {
                self.pace.up(piece.len());
                file.write_all(piece)?;
            }
            file.sync_all()
        };
        if let Err(cause) = write() {
            _ = fs::remove_file(&part);
            return Err(Trouble::of(Step::Write, &cause));
        }
        let name = || {
            fs::rename(&part, &path)?;
            File::open(parent)?.sync_all()
        };
        name().map_err(|cause: io::Error| Trouble::of(Step::Rename, &cause))
    }

    fn remove(&self, path: &str) -> Result<(), Trouble> {
        match fs::remove_file(self.at(path, Step::Remove)?) {
            Err(cause) if cause.kind() != ErrorKind::NotFound => Err(Trouble::of(Step::Remove, &cause)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn remove_folder(&self, folder: &str) -> Result<(), Trouble> {
        let path = self.at(folder, Step::Remove)?;
        // The place of the node itself is not one of its folders.
        let Some(parent) = path.parent().filter(|parent| parent.starts_with(&self.root)) else {
            return Err(Trouble::new(Kind::Refused, Step::Remove, format!("{folder:?} is no folder of the node")));
        };
        let remove = || {
            match fs::remove_dir_all(&path) {
                Err(cause) if cause.kind() != ErrorKind::NotFound => return Err(cause),
                Ok(()) | Err(_) => {}
            }
            match File::open(parent) {
                Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(()),
                // It has to be gone after a power cut, too.
                opened => opened?.sync_all(),
            }
        };
        remove().map_err(|cause: io::Error| Trouble::of(Step::Remove, &cause))
    }

    fn things_in(&self, folder: &str, most: usize) -> Result<Vec<String>, Trouble> {
        let read = |path: &Path| {
            let names = fs::read_dir(path)?.filter(|entry| entry.as_ref().map_or(true, |entry| !is_of_disk(entry)));
            let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
            names.take(most).map(|entry| entry.map(name)).collect::<io::Result<Vec<_>>>()
        };
        match read(&self.at(folder, Step::List)?) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            found => found.map_err(|cause| Trouble::of(Step::List, &cause)),
        }
    }

    fn used_in(&self, folder: &str, patience: Duration) -> Result<Option<u64>, Trouble> {
        let (started, mut bytes) = (Instant::now(), 0);
        let mut folders = vec![self.at(folder, Step::List)?];
        while let Some(path) = folders.pop() {
            if started.elapsed() > patience {
                return Ok(None);
            }
            match add_up(&path, &mut folders) {
                Ok(found) => bytes += found,
                // Removed since it was listed.
                Err(cause) if cause.kind() == ErrorKind::NotFound => {}
                Err(cause) => return Err(Trouble::of(Step::List, &cause)),
            }
        }
        Ok(Some(bytes))
    }

    fn free(&self) -> Result<Option<u64>, Trouble> {
        let found = rustix::fs::statvfs(&self.root).map_err(|cause| Trouble::of(Step::List, &cause.into()))?;
        // What others than root may still write.
        Ok(Some(found.f_bavail.saturating_mul(found.f_frsize)))
    }
}

/// The bytes of the files in a folder; its folders are added to `folders`. Nothing is kept of millions of files.
fn add_up(path: &Path, folders: &mut Vec<PathBuf>) -> io::Result<u64> {
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if is_of_disk(&entry) {
            continue;
        }
        if kind.is_dir() {
            folders.push(entry.path());
        } else if kind.is_file() {
            match entry.metadata() {
                Ok(found) => bytes += found.len(),
                Err(cause) if cause.kind() == ErrorKind::NotFound => {}
                Err(cause) => return Err(cause),
            }
        }
    }
    Ok(bytes)
}

/// Whether that belongs to the file system itself: a new one has it, and only root may look into it.
fn is_of_disk(entry: &fs::DirEntry) -> bool {
    entry.file_name() == "lost+found"
}

/// Adds the files of a folder to `found`; its folders are returned, each with its path below the listed one.
fn walk(path: &Path, before: &str, found: &mut Vec<Listed>) -> io::Result<Vec<(PathBuf, String)>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if is_of_disk(&entry) {
            continue;
        }
        // A name that is none of ours is not listed.
        let Ok(name) = entry.file_name().into_string() else { continue };
        let kind = entry.file_type()?;
        let name = format!("{before}{name}");
        if kind.is_dir() {
            folders.push((entry.path(), format!("{name}/")));
        } else if kind.is_file() && !is_part(&name) {
            found.push(Listed { name, size: entry.metadata()?.len() });
        }
    }
    Ok(folders)
}
