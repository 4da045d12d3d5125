//! Restoring a backup: everything is checked, then staged, then moved into place.
//!
//! SQLite: rows go into a new database file next to the target, files into a folder next to theirs. Files are renamed
//! first, the database last: until then the console is empty, and the restore can be repeated. From that rename on the
//! new state stands, and nothing that fails later takes a part of it back.
//!
//! PostgreSQL: schema and rows are one transaction; files are moved into place just before it is committed, and removed
//! again if it is not.

use std::fs::{self, File};
use std::io;
use std::mem::ManuallyDrop;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use courier::{Aside, ObjectKey, Place};
use db::journal::{self, Broken};
use db::{Db, Settings};
use rustix::fs::{FlockOperation, flock};
use sea_orm::{ConnectionTrait as _, DbBackend, Statement};

use super::rows::fill;
use super::{Archive, FileEntry, object_file};

/// The suffix of a new SQLite file until it is complete.
const ASIDE: &str = ".restoring";
/// Files that SQLite keeps next to a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// The target of a restore.
#[derive(Clone, Debug)]
pub struct Target {
    /// The database's address; it must not exist yet, or be empty.
    pub url: String,
    /// Where files are kept.
    pub objects: Place,
}

/// What was restored.
#[derive(Debug)]
pub struct Restored {
    /// Rows in all tables, as many as the backup lists.
    pub rows: u64,
    /// Files, as many as the backup lists.
    pub files: u64,
    /// Operation log entries, or where its chain is broken.
    pub log: Result<u64, Broken>,
    /// The new SQLite file, which was locked before it was put in place: whoever had the lock of the file that was there
    /// has none of this one. Never closed, for the reason that `alone` gives.
    pub held: Option<ManuallyDrop<File>>,
    /// Everything is in place, but the disk did not confirm the last step: after a power cut the database may be empty
    /// again.
    pub unconfirmed: Option<io::Error>,
}

/// Restores a backup to `target`.
///
/// # Errors
/// When the backup is incomplete, is of another version, the target is not empty, or anything cannot be written. Then
/// nothing is left behind.
pub async fn restore(archive: &mut Archive, target: &Target) -> anyhow::Result<Restored> {
    archive.check_for_restore()?;
    match db::sqlite_file(&target.url) {
        Some(file) => into_sqlite(archive, target, &file).await,
        None => into_postgres(archive, target).await,
    }
}

async fn into_sqlite(archive: &mut Archive, target: &Target, file: &Path) -> anyhow::Result<Restored> {
    // One without content is just created, by the lock of whoever restores; to open it would make a database of it.
    if fs::metadata(file).is_ok_and(|found| found.len() > 0) {
        let db = connect(&target.url).await?;
        let empty = is_empty(&db).await;
        db.close().await?;
        ensure!(empty?, NOT_EMPTY);
        ensure!(!beside(file, "-wal").exists(), "another program uses {}: stop it first", file.display());
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let aside = beside(file, ASIDE);
    // A killed run may have left one.
    remove_database(&aside)?;
    let mut objects = Aside::begin(&target.objects)?;
    let done = async {
        let restored = put_aside(archive, &aside, &target.url, &mut objects).await?;
        objects.publish()?;
        // The old one is empty; its side files must not end up next to the new one.
        BESIDE.iter().try_for_each(|end| remove(&beside(file, end)))?;
        fs::rename(&aside, file)?;
        anyhow::Ok(restored)
    }
    .await;
    match done {
        Ok(restored) => {
            let unconfirmed = File::open(folder).and_then(|folder| folder.sync_all()).err();
            Ok(Restored { unconfirmed, ..restored })
        }
        Err(refused) => {
            tidy_up(objects.give_up().await.map_err(anyhow::Error::from));
            tidy_up(remove_database(&aside));
            Err(refused)
        }
    }
}

/// Fills a new database file and closes it, so that all of its data is in that one file.
async fn put_aside(archive: &mut Archive, aside: &Path, url: &str, objects: &mut Aside) -> anyhow::Result<Restored> {
    let files = put_files(archive, objects).await?;
    let (path, options) = url.split_once('?').map_or((url, String::new()), |(path, rest)| (path, format!("?{rest}")));
    let db = connect(&format!("{path}{ASIDE}{options}")).await?;
    db.set_aside();
    fs::set_permissions(aside, fs::Permissions::from_mode(0o600))?;
    let filled = async {
        let tx = db.begin_write().await?;
        fill(&tx, archive).await?;
        tx.commit().await?;
        anyhow::Ok(journal::verify(db.read()).await?)
    }
    .await;
    db.close().await?;
    let log = filled?;
    ensure!(!beside(aside, "-wal").exists(), "the new database could not be closed");
    let new = File::open(aside)?;
    new.sync_all()?;
    flock(&new, FlockOperation::NonBlockingLockExclusive).context("the new database could not be locked")?;
    let held = Some(ManuallyDrop::new(new));
    Ok(Restored { rows: archive.manifest().rows(), files, log, held, unconfirmed: None })
}

async fn into_postgres(archive: &mut Archive, target: &Target) -> anyhow::Result<Restored> {
    let db = connect(&target.url).await?;
    let outcome = fill_postgres(archive, target, &db).await;
    // What was committed stands, however its connections end.
    if let Err(error) = db.close().await {
        eprintln!("skyrack: the connections to the database could not be closed: {error}");
    }
    outcome
}

async fn fill_postgres(archive: &mut Archive, target: &Target, db: &Db) -> anyhow::Result<Restored> {
    ensure!(is_empty(db).await?, NOT_EMPTY);
    let mut objects = Aside::begin(&target.objects)?;
    let prepared = async {
        let files = put_files(archive, &mut objects).await?;
        let tx = db.begin_write().await?;
        fill(&tx, archive).await?;
        let log = journal::verify(&*tx).await?;
        objects.publish()?;
        let rows = archive.manifest().rows();
        anyhow::Ok((tx, Restored { rows, files, log, held: None, unconfirmed: None }))
    }
    .await;
    let refused = match prepared {
        Err(refused) => refused,
        Ok((tx, restored)) => match tx.commit().await {
            Ok(()) => return Ok(restored),
            // A commit without an answer may have succeeded, and then its files must stay.
            Err(refused) if !is_empty(db).await.unwrap_or(false) => {
                bail!(
                    "{refused}; it is unknown whether the rows were committed, so the files stay: run the restore again"
                )
            }
            Err(refused) => refused.into(),
        },
    };
    tidy_up(objects.give_up().await.map_err(anyhow::Error::from));
    Err(refused)
}

const NOT_EMPTY: &str = "the database is not empty; a restore never overwrites";

async fn connect(url: &str) -> anyhow::Result<Db> {
    Ok(db::connect(&Settings { url: url.to_owned(), readers: 2 }).await?)
}

/// Whether the database has not been used yet. It may have no schema.
async fn is_empty(db: &Db) -> anyhow::Result<bool> {
    let backend = db.backend();
    for table in ["operator", "client_user"] {
        let known = if backend == DbBackend::Sqlite {
            format!("SELECT 1 AS n FROM sqlite_master WHERE type = 'table' AND name = '{table}'")
        } else {
            format!(
                "SELECT 1 AS n FROM information_schema.tables \
                 WHERE table_schema = current_schema() AND table_name = '{table}'"
            )
        };
        if db.read().query_one_raw(Statement::from_string(backend, known)).await?.is_none() {
            continue;
        }
        let row = format!("SELECT 1 AS n FROM {table} LIMIT 1");
        if db.read().query_one_raw(Statement::from_string(backend, row)).await?.is_some() {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Stages every file of the backup and returns their number.
async fn put_files(archive: &mut Archive, objects: &mut Aside) -> anyhow::Result<u64> {
    let files = archive.manifest().files.clone();
    for FileEntry { key, size, sha256 } in &files {
        let name: ObjectKey = key.parse().with_context(|| format!("file {key}"))?;
        let mut entry = archive.zip.by_name(&object_file(key)).with_context(|| format!("file {key}"))?;
        let stored = objects.put(&name, &mut entry).await.with_context(|| format!("file {key}"))?;
        ensure!(stored.size == *size && stored.sha256 == *sha256, "file {key} was modified while it was read");
    }
    Ok(files.len() as u64)
}

fn beside(file: &Path, end: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(end);
    PathBuf::from(name)
}

fn remove_database(file: &Path) -> anyhow::Result<()> {
    for end in BESIDE {
        remove(&beside(file, end))?;
    }
    remove(file).with_context(|| format!("cannot remove {}", file.display()))
}

fn remove(file: &Path) -> anyhow::Result<()> {
    match fs::remove_file(file) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error.into()),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Reports what could not be cleaned up; the reason of the failure is reported separately.
fn tidy_up(outcome: anyhow::Result<()>) {
    if let Err(error) = outcome {
        eprintln!("skyrack: staged files could not be removed: {error:#}");
    }
}
