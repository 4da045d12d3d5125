//! Locks that keep two servers from using the same data: on the data directory, on a SQLite database and next to it. Of
//! several servers on one PostgreSQL only one is active, which is handled by `duty`.

mod holder;
mod lock;

use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::mem::ManuallyDrop;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use base::config::Config;
use courier::Place;
use db::lease::{self, Active, Console};
use kernel::clock::Clock;

use holder::{Holder, host_name, named};
use lock::Lock;

/// In the lock of a folder the holder is written after the id of the installation.
const ID: u64 = 36;

/// Locks that no other server on this machine has; they are released with the process.
#[derive(Debug)]
pub struct Alone {
    /// The id of the installation.
    installation: String,
    holder: Holder,
    folder: Lock,
    /// The data directory, if it was created for the lock.
    new_folder: Option<PathBuf>,
    database: Option<Database>,
}

/// The locks of a SQLite database.
#[derive(Debug)]
struct Database {
    /// The file next to it. What older versions look for, and where the holder is written if the file system has no
    /// attributes.
    beside: Lock,
    /// The database's own file, whichever name it was opened by: a hard or symbolic link, another data directory, and a
    /// removed `.lock` are the same file.
    ///
    /// SQLite's own locks on it are of the other kind (POSIX, `fcntl`), which neither see this one nor are seen by it.
    /// But those belong to the process, and are lost as soon as *any* of its handles to the file is closed
    /// (sqlite.org/howtocorrupt.html, 2.2). So this handle is opened once, before SQLite opens its own, and never closed.
    itself: ManuallyDrop<Lock>,
}

impl Alone {
    /// Makes sure that no other server uses the same data directory or the same SQLite file.
    ///
    /// # Errors
    /// When another one does, or a file cannot be created. Then nothing is left that was not there.
    pub fn lock(config: &Config) -> anyhow::Result<Self> {
        let path = &config.data_dir;
        let new_folder = (!path.exists()).then(|| path.clone());
        fs::create_dir_all(path).with_context(|| format!("data_dir: cannot create {}", path.display()))?;
        let mut folder = lock_folder(path)?;
        let locked = db::sqlite_file(&config.database_url()).map(|file| Database::lock(&file)).transpose();
        let ready = locked.and_then(|database| match name_of(&mut folder.file).context("cannot write skyrack.lock") {
            Ok(installation) => Ok((database, installation)),
            Err(error) => {
                database.iter().for_each(Database::remove_new);
                Err(error)
            }
        });
        let (database, installation) = match ready {
            Ok(ready) => ready,
            Err(error) => {
                tidy(&folder, new_folder.as_deref());
                return Err(error);
            }
        };
        let holder = Holder {
            pid: std::process::id(),
            host: host_name(),
            data_dir: absolute(path),
            database: db::place_of(&config.database_url()),
            address: None,
            since: Clock::default().now().to_rfc3339(),
        };
        let alone = Self { installation, holder, folder, new_folder, database };
        alone.tell(&alone.holder);
        Ok(alone)
    }

    /// Others that find the locks taken hear that this process is the console at `listen`.
    pub fn serves_at(&self, config: &Config, listen: SocketAddr) {
        self.tell(&Holder { address: Some(address(config, listen)), ..self.holder.clone() });
    }

    /// Removes what the locks have created, if nothing else was put there: for a command that changed nothing after all.
    pub fn undo(self) {
        self.database.iter().for_each(Database::remove_new);
        tidy(&self.folder, self.new_folder.as_deref());
    }

    /// Where it cannot be written, the locks hold all the same.
    fn tell(&self, holder: &Holder) {
        let mut outcome = holder.write_into(&self.folder.file, ID);
        if let Some(Database { beside, itself }) = &self.database {
            outcome = outcome.and(holder.write_into(&beside.file, 0)).and(match holder.attach_to(&itself.file) {
                Err(error) if error.kind() == std::io::ErrorKind::Unsupported => Ok(()),
                told => told,
            });
        }
        if let Err(error) = outcome {
            tracing::warn!(%error, "others that find the database in use cannot be told by whom");
        }
    }

    /// How this server identifies itself to others on the same database.
    ///
    /// # Errors
    /// When the folder of files cannot be used.
    pub fn console(&self, config: &Config, listen: SocketAddr) -> anyhow::Result<Console> {
        let host = host_name();
        let name = if config.console_name.is_empty() { host.clone() } else { config.console_name.clone() };
        let address = address(config, listen);
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
            bail!(
                "another server uses the database {}, {}: stop it first, and every other console",
                db::place_of(&url),
                told(active.as_ref())
            )
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
        || "a console that is starting, or a command".to_owned(),
        |Active { console, since }| {
            let host = console.holder.rsplit_once('@').map_or("another machine", |(_, host)| host);
            let Console { name, address, .. } = console;
            format!("the console {name} at {address} (on {host}, active since {})", since.to_rfc3339())
        },
    )
}

fn lock_folder(folder: &Path) -> anyhow::Result<Lock> {
    let path = folder.join("skyrack.lock");
    taken(&path)?.map_err(|file| {
        let who = named(|| Holder::of_lock(&file, ID));
        let folder = folder.display();
        Taken(format!("another server uses {folder}, {who}: stop it first, or give this one its own --data-dir")).into()
    })
}

impl Database {
    fn lock(file: &Path) -> anyhow::Result<Self> {
        let file = real_path(file)?;
        let refusal = |who: String| -> anyhow::Error {
            Taken(format!(
                "another server uses the database {}, {who}: stop it first, or give this one a --database of its own \
                 (several consoles on one database need PostgreSQL)",
                file.display()
            ))
            .into()
        };
        let mut name = file.clone().into_os_string();
        name.push(".lock");
        let beside = taken(Path::new(&name))?.map_err(|lock| refusal(named(|| Holder::of_lock(&lock, 0))))?;
        let itself = match taken(&file) {
            Ok(Ok(itself)) => ManuallyDrop::new(itself),
            Ok(Err(database)) => {
                beside.remove_new();
                return Err(refusal(named(|| Holder::of_database(&database))));
            }
            Err(error) => {
                beside.remove_new();
                return Err(error);
            }
        };
        Ok(Self { beside, itself })
    }

    fn remove_new(&self) {
        self.itself.remove_new();
        self.beside.remove_new();
    }
}

fn taken(path: &Path) -> anyhow::Result<Result<Lock, File>> {
    Lock::take(path).with_context(|| format!("cannot lock {}", path.display()))
}

/// Removes a lock that was created for nothing, while it is held, and its folder.
fn tidy(folder: &Lock, new_folder: Option<&Path>) {
    folder.remove_new();
    // Only an empty one is removed.
    _ = new_folder.map(fs::remove_dir);
}

/// The address that people use for a console that listens at `listen`.
fn address(config: &Config, listen: SocketAddr) -> String {
    let scheme = if config.tls_cert.is_some() { "https" } else { "http" };
    if listen.ip().is_unspecified() {
        format!("{scheme}://{}:{}/", host_name(), listen.port())
    } else {
        format!("{scheme}://{listen}/")
    }
}

fn absolute(path: &Path) -> String {
    path.canonicalize().unwrap_or_else(|_| path.to_owned()).display().to_string()
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

/// The id at the start of a file, which is generated if it has none.
fn name_of(file: &mut File) -> anyhow::Result<String> {
    let mut text = Vec::new();
    file.take(ID).read_to_end(&mut text)?;
    if let Ok(id) = uuid::Uuid::try_parse_ascii(&text) {
        return Ok(id.to_string());
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
