//! File permissions: only this process's user can read what it stores.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use base::config::Config;
use rustix::fs::Mode;

const OTHERS: u32 = 0o077;
/// A shared folder, such as `/tmp`.
const STICKY: u32 = 0o1000;

/// From now on nothing that this process creates can be read by others: files are 0600, folders 0700.
pub fn keep_to_ourselves() {
    rustix::process::umask(Mode::RWXG | Mode::RWXO);
}

/// Removes others' access to files of earlier versions or other origin; if that is impossible, it is logged.
pub fn tighten(config: &Config) {
    for path in kept(config) {
        match narrow(&path) {
            Ok(None) => {}
            Ok(Some(was)) => tracing::warn!(
                path = %path.display(),
                was = format!("{was:03o}"),
                "others could read this; now only the server's user can"
            ),
            Err(error) => tracing::warn!(
                path = %path.display(),
                %error,
                "readable by others, and the server cannot change it: set mode 600 (folders 700)"
            ),
        }
    }
}

/// What must be private. The master key is checked where it is read.
fn kept(config: &Config) -> Vec<PathBuf> {
    let mut paths = vec![config.data_dir.clone(), config.anchor_file(), config.data_dir.join("skyrack.lock")];
    if let courier::Place::Folder(objects) = config.object_place() {
        paths.push(objects);
    }
    if let Some(file) = db::sqlite_file(&config.database_url()) {
        for end in ["", "-wal", "-shm"] {
            let mut name = file.as_os_str().to_owned();
            name.push(end);
            paths.push(PathBuf::from(name));
        }
    }
    paths
}

/// Removes all access of others to `path`; returns its previous mode, if there was any.
fn narrow(path: &Path) -> io::Result<Option<u32>> {
    let found = match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        found => found?,
    };
    let mode = found.permissions().mode();
    if mode & OTHERS == 0 {
        return Ok(None);
    }
    if mode & STICKY != 0 || found.uid() != rustix::process::geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it belongs to another user"));
    }
    fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o700))?;
    Ok(Some(mode & 0o777))
}
