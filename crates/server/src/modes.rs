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

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "these are tests")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::{narrow, tighten};
    use base::config::Config;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn what_others_could_read_is_taken_from_them() {
        let folder = tempfile::tempdir().unwrap();
        let files =
            ["skyrack.db", "skyrack.db-wal", "audit.anchor", "skyrack.lock"].map(|name| folder.path().join(name));
        for file in &files {
            fs::write(file, "").unwrap();
            set(file, 0o644);
        }
        fs::create_dir(folder.path().join("objects")).unwrap();
        set(&folder.path().join("objects"), 0o755);
        set(folder.path(), 0o755);
        tighten(&Config { data_dir: folder.path().to_owned(), ..Config::default() });
        assert_eq!(files.map(|file| mode(&file)), [0o600; 4]);
        assert_eq!([mode(folder.path()), mode(&folder.path().join("objects"))], [0o700; 2]);
    }

    #[test]
    fn a_folder_of_everybodys_stays_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        set(folder.path(), 0o1777);
        narrow(folder.path()).unwrap_err();
        assert_eq!(mode(folder.path()), 0o1777);
        assert_eq!(narrow(&folder.path().join("nothing")).unwrap(), None);
    }
}
