//! Locks that keep two servers from using the same data: on the data directory and next to the file of a SQLite
//! database. Of several servers on one PostgreSQL only one is active, which is handled by `duty`.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use base::config::Config;
use courier::Place;
use db::lease::{self, Active, Console};

/// Locks that no other server on this machine has; they are released with the value.
#[derive(Debug)]
pub struct Alone {
    /// The id of the installation.
    installation: String,
    _folder: File,
    _database: Option<File>,
}

impl Alone {
    /// Makes sure that no other server uses the same data directory or the same SQLite file.
    ///
    /// # Errors
    /// When another one does, or a file cannot be created.
    pub fn lock(config: &Config) -> anyhow::Result<Self> {
        let folder = &config.data_dir;
        std::fs::create_dir_all(folder).with_context(|| format!("data_dir: cannot create {}", folder.display()))?;
        let mut lock = locked(&folder.join("skyrack.lock"), || {
            format!("another server uses {}: stop it first, or give this one its own --data-dir", folder.display())
        })?;
        let database = db::sqlite_file(&config.database_url()).map(|file| lock_file(&file)).transpose()?;
        let installation = name_of(&mut lock).context("skyrack.lock")?;
        Ok(Self { installation, _folder: lock, _database: database })
    }

    /// How this server identifies itself to others on the same database.
    ///
    /// # Errors
    /// When the folder of files cannot be used.
    pub fn console(&self, config: &Config, listen: SocketAddr) -> anyhow::Result<Console> {
        let host = host_name();
        let name = if config.console_name.is_empty() { host.clone() } else { config.console_name.clone() };
        let scheme = if config.tls_cert.is_some() { "https" } else { "http" };
        let address = if listen.ip().is_unspecified() {
            format!("{scheme}://{host}:{}/", listen.port())
        } else {
            format!("{scheme}://{listen}/")
        };
        // A data directory that was copied to another machine is another installation.
        let holder = format!("{}@{host}", self.installation);
        Ok(Console { holder, name, address, files: files(&config.object_place())? })
    }
}

/// Makes sure that no server is active on the database, for commands that require that; none becomes active while the
/// value lives.
///
/// # Errors
/// When one is, or the database does not respond.
pub async fn keep_out(config: &Config) -> anyhow::Result<Option<lease::Held>> {
    let url = config.database_url();
    if url.starts_with("sqlite:") {
        return Ok(None);
    }
    match lease::keep_out(&url).await? {
        Ok(held) => Ok(Some(held)),
        Err(active) => {
            bail!("{} is active on this database: stop it first, and every other console", told(active.as_ref()))
        }
    }
}

/// The locks of this machine and of the database, if they are free; for commands that otherwise work without them.
///
/// # Errors
/// When the database does not respond, or a file cannot be created.
pub async fn locks(config: &Config) -> anyhow::Result<Option<(Alone, Option<lease::Held>)>> {
    let alone = match Alone::lock(config) {
        Ok(alone) => alone,
        Err(error) if error.is::<Taken>() => return Ok(None),
        Err(error) => return Err(error),
    };
    let url = config.database_url();
    if url.starts_with("sqlite:") {
        return Ok(Some((alone, None)));
    }
    Ok(lease::keep_out(&url).await?.ok().map(|held| (alone, Some(held))))
}

/// A lock that another process has, in words.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Taken(String);

/// A console, in words.
#[must_use]
pub fn told(active: Option<&Active>) -> String {
    active.map_or_else(
        || "another console".to_owned(),
        |Active { console, since }| {
            format!("the console {} at {} (active since {})", console.name, console.address, since.to_rfc3339())
        },
    )
}

/// The lock of a SQLite database is a file next to it: SQLite's own locks on the database would be lost when another
/// handle of this process to the same file is closed.
fn lock_file(file: &Path) -> anyhow::Result<File> {
    let file = real_path(file)?;
    let mut lock = file.clone().into_os_string();
    lock.push(".lock");
    locked(Path::new(&lock), || {
        format!(
            "another server uses {}: stop it first, or give this one a --database of its own (several \
             consoles on one database need PostgreSQL)",
            file.display()
        )
    })
}

/// The canonical path, whichever link is used. The file need not exist yet.
fn real_path(file: &Path) -> anyhow::Result<PathBuf> {
    if let Ok(real) = file.canonicalize() {
        return Ok(real);
    }
    let folder = file.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.canonicalize().with_context(|| format!("the database's folder {}", folder.display()))?;
    Ok(folder.join(file.file_name().context("the database's address names no file")?))
}

fn locked(path: &Path, taken: impl FnOnce() -> String) -> anyhow::Result<File> {
    let opened = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path);
    let file = opened.with_context(|| format!("cannot write {}", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Taken(taken()).into()),
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {}", path.display())),
    }
}

/// The id in a file, which is generated if it has none.
fn name_of(file: &mut File) -> anyhow::Result<String> {
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    if uuid::Uuid::parse_str(text.trim()).is_ok() {
        return Ok(text.trim().to_owned());
    }
    let name = uuid::Uuid::new_v4().to_string();
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(name.as_bytes())?;
    file.sync_all()?;
    Ok(name)
}

/// Identifies where files are. A folder contains an id, so that the same folder is recognized from two machines.
fn files(place: &Place) -> anyhow::Result<String> {
    let folder = match place {
        Place::S3(s3) => return Ok(format!("s3:{}/{}/{}", s3.endpoint, s3.region, s3.bucket)),
        Place::Folder(folder) => folder,
    };
    let name = || -> anyhow::Result<String> {
        std::fs::create_dir_all(folder)?;
        let path = folder.join(".place");
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        name_of(&mut file)
    };
    Ok(format!("folder:{}", name().with_context(|| format!("the folder of files {}", folder.display()))?))
}

fn host_name() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "localhost".to_owned() } else { name.trim().to_owned() }
}

#[cfg(test)]
mod tests {
    use courier::Place;

    use super::{Alone, files};
    use base::config::Config;

    #[test]
    fn a_database_has_one_server_whatever_its_folders_and_links() -> anyhow::Result<()> {
        let root = tempfile::tempdir()?;
        let at = |folder: &str, database: &str| Config {
            data_dir: root.path().join(folder),
            database: format!("sqlite:{}", root.path().join(database).display()),
            ..Config::default()
        };
        let first = Alone::lock(&at("a", "company.db"))?;
        let refusal = Alone::lock(&at("b", "company.db")).err().map(|error| format!("{error:#}")).unwrap_or_default();
        assert!(refusal.contains("another server uses"), "{refusal}");
        assert!(refusal.contains("stop it first"), "{refusal}");

        std::fs::write(root.path().join("company.db"), "")?;
        std::os::unix::fs::symlink(root.path().join("company.db"), root.path().join("link.db"))?;
        assert!(Alone::lock(&at("b", "link.db")).is_err(), "a link is the same file");
        assert!(Alone::lock(&at("b", "a/../company.db")).is_err(), "another way is the same file");
        assert!(Alone::lock(&at("a", "other.db")).is_err(), "a data directory has one server too");
        let other = Alone::lock(&at("b", "other.db"))?;
        assert_ne!(first.installation, other.installation);

        let before = first.installation.clone();
        drop(first);
        assert_eq!(Alone::lock(&at("a", "company.db"))?.installation, before, "it is the same installation again");
        Ok(())
    }

    #[test]
    fn a_folder_of_files_is_known_again() -> anyhow::Result<()> {
        let root = tempfile::tempdir()?;
        let of = |folder: &str| files(&Place::Folder(root.path().join(folder)));
        let first = of("one")?;
        assert_eq!(of("one")?, first);
        assert_ne!(of("two")?, first);
        std::os::unix::fs::symlink(root.path().join("one"), root.path().join("mounted"))?;
        assert_eq!(of("mounted")?, first, "a folder that both see is one place");
        Ok(())
    }
}
