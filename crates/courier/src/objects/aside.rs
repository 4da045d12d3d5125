//! Objects restored from a backup: staged first, then moved to their final place, and removed again on failure.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use aws_lc_rs::digest;
use bytes::Bytes;
use object_store::ObjectStoreExt as _;

use super::{ObjectError, ObjectKey, Objects, PIECE, Place, Stored, make_folder};

/// The staging folder inside the object folder (and therefore on the same disk). It is not part of any key.
const STAGING: &str = ".restoring";

/// Objects with their original keys, being restored into a storage.
///
/// In a folder they become visible with [`Aside::publish`]. A bucket has no staging area: there they are visible at
/// once, under keys that no row refers to yet. [`Aside::give_up`] removes the restored objects, and nothing else.
#[derive(Debug)]
pub struct Aside {
    to: To,
    /// Objects that were not there before.
    brought: Vec<ObjectKey>,
    /// Folders that were not there before.
    folders: Vec<PathBuf>,
}

#[derive(Debug)]
enum To {
    Folder { root: PathBuf, is_new: bool },
    Bucket(Objects),
}

impl Aside {
    /// Starts, and removes what a killed run has staged.
    ///
    /// # Errors
    /// When the folder cannot be created or the settings are malformed.
    pub fn begin(place: &Place) -> Result<Self, ObjectError> {
        let to = match place {
            Place::Folder(root) => {
                let is_new = !root.exists();
                let staging = root.join(STAGING);
                remove_tree(&staging)
                    .and_then(|()| make_folder(&staging))
                    .map_err(|cause| ObjectError::Folder { path: staging.clone(), cause })?;
                To::Folder { root: root.clone(), is_new }
            }
            Place::S3(_) => To::Bucket(Objects::open(place)?),
        };
        Ok(Self { to, brought: Vec::new(), folders: Vec::new() })
    }

    /// Adds an object. An object of the same key and size in a bucket is kept; in a folder it is replaced by the same
    /// object.
    ///
    /// # Errors
    /// When it cannot be read or stored.
    pub async fn put(&mut self, key: &ObjectKey, from: &mut (impl Read + Send)) -> Result<Stored, ObjectError> {
        match &self.to {
            To::Folder { root, .. } => put_file(&root.join(STAGING).join(key.as_str()), key, from),
            To::Bucket(objects) => {
                let found = match objects.store.head(&key.path()).await {
                    Ok(meta) => Some(meta.size),
                    Err(object_store::Error::NotFound { .. }) => None,
                    Err(error) => return Err(error.into()),
                };
                if let Some(size) = found {
                    let stored = measure(key, from)?;
                    return if stored.size == size { Ok(stored) } else { Err(ObjectError::Taken(key.clone())) };
                }
                self.brought.push(key.clone());
                let mut incoming = objects.incoming(key.clone());
                loop {
                    let mut piece = Vec::with_capacity(PIECE);
                    if from.by_ref().take(PIECE as u64).read_to_end(&mut piece)? == 0 {
                        return incoming.finish().await;
                    }
                    incoming.write(Bytes::from(piece)).await?;
                }
            }
        }
    }

    /// Moves everything to its final place, by rename.
    ///
    /// # Errors
    /// When the folder refuses; then [`Aside::give_up`].
    pub fn publish(&mut self) -> Result<(), ObjectError> {
        let To::Folder { root, .. } = &self.to else { return Ok(()) };
        let published = publish(root, &mut self.brought, &mut self.folders);
        published.map_err(|cause| ObjectError::Folder { path: root.clone(), cause })
    }

    /// Removes everything that was restored or staged.
    ///
    /// # Errors
    /// When the storage refuses; the rest is removed nevertheless.
    pub async fn give_up(self) -> Result<(), ObjectError> {
        let mut outcome = Ok(());
        match self.to {
            To::Folder { root, is_new } => {
                let fault = |cause| ObjectError::Folder { path: root.clone(), cause };
                outcome = remove_tree(&root.join(STAGING)).map_err(fault);
                for key in &self.brought {
                    let path = root.join(key.as_str());
                    outcome = outcome.and(remove_file(&path).map_err(fault));
                }
                // Only empty folders are removed.
                for folder in &self.folders {
                    _ = fs::remove_dir(folder);
                }
                if is_new {
                    _ = fs::remove_dir(&root);
                }
            }
            To::Bucket(objects) => {
                for key in &self.brought {
                    outcome = outcome.and(objects.delete(key).await);
                }
            }
        }
        outcome
    }
}

fn put_file(path: &Path, key: &ObjectKey, from: &mut impl Read) -> Result<Stored, ObjectError> {
    if let Some(folder) = path.parent() {
        make_folder(folder)?;
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    let stored = copy(key, from, |piece| file.write_all(piece))?;
    file.sync_all()?;
    Ok(stored)
}

/// Size and hash of an existing object.
fn measure(key: &ObjectKey, from: &mut impl Read) -> Result<Stored, ObjectError> {
    Ok(copy(key, from, |_| Ok(()))?)
}

fn copy(key: &ObjectKey, from: &mut impl Read, mut write: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<Stored> {
    let (mut hash, mut size) = (digest::Context::new(&digest::SHA256), 0);
    let mut piece = vec![0; PIECE];
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok(Stored { key: key.clone(), size, sha256: hex::encode(hash.finish()) });
        }
        hash.update(&piece[..read]);
        write(&piece[..read])?;
        size += read as u64;
    }
}

fn publish(root: &Path, brought: &mut Vec<ObjectKey>, folders: &mut Vec<PathBuf>) -> io::Result<()> {
    let staging = root.join(STAGING);
    for folder in fs::read_dir(&staging)? {
        let folder = folder?;
        let target = root.join(folder.file_name());
        if !target.exists() {
            folders.push(target.clone());
        }
        make_folder(&target)?;
        for entry in fs::read_dir(folder.path())? {
            let entry = entry?;
            let (from, to) = (entry.path(), target.join(entry.file_name()));
            let key = format!("{}/{}", folder.file_name().display(), entry.file_name().display()).parse();
            let is_new = !to.exists();
            fs::rename(&from, &to)?;
            if let Ok(key) = key
                && is_new
            {
                brought.push(key);
            }
        }
        File::open(&target)?.sync_all()?;
    }
    remove_tree(&staging)?;
    File::open(root)?.sync_all()
}

fn remove_tree(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_dir_all(path))
}

fn remove_file(path: &Path) -> io::Result<()> {
    absent_is_fine(fs::remove_file(path))
}

fn absent_is_fine(outcome: io::Result<()>) -> io::Result<()> {
    outcome.or_else(|error| if error.kind() == io::ErrorKind::NotFound { Ok(()) } else { Err(error) })
}
