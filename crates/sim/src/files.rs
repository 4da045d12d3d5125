//! A card's files: what Android brings, made up when it is read, and over it what was written.

use std::collections::BTreeMap;

use bytes::Bytes;

/// The most that one card keeps of what is written to it, in bytes of this process.
const KEPT: usize = 64 * 1024 * 1024;

/// Why a file could not be written or read, in the words of Linux.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileError {
    /// ENOENT.
    Missing,
    /// EROFS.
    ReadOnly,
    /// ENOSPC.
    NoSpace,
    /// EISDIR.
    Folder,
}

impl FileError {
    /// As `strerror` says it.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Missing => "No such file or directory",
            Self::ReadOnly => "Read-only file system",
            Self::NoSpace => "No space left on device",
            Self::Folder => "Is a directory",
        }
    }
}

/// Something at a path.
#[derive(Clone, Debug)]
pub struct Node {
    /// As in `stat(2)`: kind and rights.
    pub mode: u32,
    /// Seconds since 1970.
    pub modified: u32,
    /// The content; nothing for a folder.
    pub content: Bytes,
}

impl Node {
    /// A folder that is always there.
    #[must_use]
    pub const fn folder() -> Self {
        Self { mode: 0o040_755, modified: 1_700_000_000, content: Bytes::new() }
    }

    /// A file that only says something.
    #[must_use]
    pub fn text(text: impl Into<Bytes>) -> Self {
        Self { mode: 0o100_444, modified: 1_700_000_000, content: text.into() }
    }

    /// Whether it is a folder.
    #[must_use]
    pub const fn is_folder(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}

/// What was written to a card since it was wiped.
#[derive(Debug, Default)]
pub struct Files {
    written: BTreeMap<Box<str>, Node>,
    bytes: usize,
}

/// Where a card's own programs may write.
fn is_writable(path: &str) -> bool {
    ["/data/", "/sdcard/", "/storage/", "/mnt/", "/cache/"].iter().any(|root| path.starts_with(root))
}

/// Folders that are always there.
const FOLDERS: &[&str] = &[
    "/",
    "/data",
    "/data/local",
    "/data/local/tmp",
    "/data/app",
    "/data/data",
    "/sdcard",
    "/sdcard/Download",
    "/system",
    "/system/bin",
    "/system/etc",
    "/proc",
    "/sys",
    "/dev",
    "/cache",
    "/mnt",
    "/storage",
    "/vendor",
];

/// `/sdcard/` without the slash at its end, and without doubled ones.
fn tidy(path: &str) -> String {
    let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty() && *part != ".").collect();
    format!("/{}", parts.join("/"))
}

impl Files {
    /// What is at `path` of what was written, or one of the folders that are always there.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<Node> {
        let path = tidy(path);
        if FOLDERS.contains(&path.as_str()) {
            return Some(Node::folder());
        }
        self.written.get(path.as_str()).cloned()
    }

    /// Writes a file, and the folders above it, as `adbd` does.
    ///
    /// # Errors
    /// The path is read-only or a folder, or the card is full.
    pub fn put(&mut self, path: &str, node: Node) -> Result<(), FileError> {
        let path = tidy(path);
        if !is_writable(&path) {
            return Err(FileError::ReadOnly);
        }
        let old = self.get(&path);
        if old.as_ref().is_some_and(|old| old.is_folder() && !node.is_folder()) {
            return Err(FileError::Folder);
        }
        let old = old.map_or(0, |old| old.content.len());
        if self.bytes - old + node.content.len() > KEPT {
            return Err(FileError::NoSpace);
        }
        for (at, _) in path.match_indices('/').skip(1) {
            let folder = &path[..at];
            if !FOLDERS.contains(&folder) {
                self.written.entry(folder.into()).or_insert_with(Node::folder);
            }
        }
        self.bytes = self.bytes - old + node.content.len();
        self.written.insert(path.into(), node);
        Ok(())
    }

    /// Removes a file, or a folder with all in it; whether there was one.
    ///
    /// # Errors
    /// The path is read-only.
    pub fn remove(&mut self, path: &str) -> Result<bool, FileError> {
        let path = tidy(path);
        if !is_writable(&path) {
            return Err(FileError::ReadOnly);
        }
        let below = format!("{path}/");
        let gone: Vec<Box<str>> =
            self.written.keys().filter(|key| ***key == *path || key.starts_with(&below)).cloned().collect();
        for key in &gone {
            self.bytes -= self.written.remove(key).map_or(0, |node| node.content.len());
        }
        Ok(!gone.is_empty())
    }

    /// Names in a folder with what they are, sorted.
    #[must_use]
    pub fn list(&self, path: &str) -> Vec<(String, Node)> {
        let folder = tidy(path);
        let below = if folder == "/" { folder } else { format!("{folder}/") };
        let direct = |path: &str| {
            path.strip_prefix(&below).filter(|name| !name.is_empty() && !name.contains('/')).map(str::to_owned)
        };
        let fixed = FOLDERS.iter().filter_map(|path| Some((direct(path)?, Node::folder())));
        let written = self.written.iter().filter_map(|(path, node)| Some((direct(path)?, node.clone())));
        fixed.chain(written).collect::<BTreeMap<_, _>>().into_iter().collect()
    }

    /// Bytes that were written.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }
}
