//! Making a backup.

use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Read, Write};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use aws_lc_rs::digest;
use base::domain::Table;
use courier::{ObjectKey, Place};
use db::Db;
use futures::TryStreamExt as _;
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DatabaseTransaction, QueryResult, Statement, StreamTrait as _};
use serde_json::{Map, Value};
use vault::{SealWriter, Vault};
use zip::ZipWriter;
use zip::write::{SimpleFileOptions, StreamWriter};

use super::tables::{self, Column, Kind};
use super::trailer::{self, Closing};
use super::{FORMAT, FileEntry, Header, MAGIC, MANIFEST, Manifest, PURPOSE, TableEntry, object_file, table_file};

type Zip = ZipWriter<StreamWriter<Body>>;

/// The destination of the zip.
enum Body {
    Plain(Closing<BufWriter<File>>),
    Sealed(Box<SealWriter<Closing<BufWriter<File>>>>),
}

impl Write for Body {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Self::Plain(file) => file.write(bytes),
            Self::Sealed(stream) => stream.write(bytes),
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self {
            Self::Plain(file) => file.flush(),
            Self::Sealed(stream) => stream.flush(),
        }
    }
}

/// Writes a backup of `db` and of the files in `objects` to `to`, which must not exist yet; sealed with `vault`, or plain
/// without one.
///
/// It is written under another name first: a file with the final name is a complete backup. Only its owner can read it.
///
/// # Errors
/// When a read or a write fails; then nothing is left.
pub async fn backup(
    db: &Db,
    objects: &Place,
    to: &Path,
    vault: Option<&Vault>,
    now: UtcTime,
) -> anyhow::Result<Manifest> {
    anyhow::ensure!(!to.exists(), "{} exists already; a backup never overwrites", to.display());
    let mut partial = to.as_os_str().to_owned();
    partial.push(".partial");
    let partial = PathBuf::from(partial);
    let made = write(db, objects, &partial, vault, now).await;
    let done = made.and_then(|manifest| {
        std::fs::rename(&partial, to)?;
        let folder = to.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()?;
        Ok(manifest)
    });
    if done.is_err() {
        // The original error was reported; a missing file is the desired state.
        _ = std::fs::remove_file(&partial);
    }
    done
}

async fn write(
    db: &Db,
    objects: &Place,
    partial: &Path,
    vault: Option<&Vault>,
    now: UtcTime,
) -> anyhow::Result<Manifest> {
    // Not into a file that somebody else has created, which may be readable by others.
    _ = std::fs::remove_file(partial);
    let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(partial);
    let file = file.with_context(|| format!("cannot write {}", partial.display()))?;
    let mut zip = ZipWriter::new_stream(begin(file, vault, now)?);
    if vault.is_none() {
        zip.set_raw_comment(Box::new([0; trailer::LENGTH]))?;
    }

    // One snapshot for all tables, while the server continues to write.
    let snapshot = db.read().snapshot().await?;
    let mut entries = Vec::new();
    let mut wanted = BTreeSet::new();
    for (table, order) in tables::kept() {
        let entry = write_table(&snapshot, &mut zip, *table, order, &mut wanted).await;
        entries.push(entry.with_context(|| format!("table {}", table.name))?);
    }
    snapshot.rollback().await?;

    let (files, is_bucket) = match objects {
        Place::Folder(folder) => (write_files(&mut zip, folder)?, false),
        Place::S3(_) => (Vec::new(), true),
    };
    for file in &files {
        wanted.remove(&file.key);
    }
    let missing = if is_bucket { Vec::new() } else { wanted.into_iter().collect() };
    let manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema: tables::schema(),
        made_at: now,
        tables: entries,
        is_bucket,
        files,
        missing,
    };
    zip.start_file(MANIFEST, options())?;
    serde_json::to_writer_pretty(&mut zip, &manifest)?;
    let file = match zip.finish()?.into_inner() {
        Body::Plain(closing) => closing.finish(true)?,
        Body::Sealed(stream) => stream.finish()?.finish(false)?,
    };
    file.into_inner().map_err(|error| error.into_error())?.sync_all()?;
    Ok(manifest)
}

/// What comes before the zip.
fn begin(file: File, vault: Option<&Vault>, now: UtcTime) -> anyhow::Result<Body> {
    let mut closing = Closing::new(BufWriter::new(file));
    let Some(vault) = vault else { return Ok(Body::Plain(closing)) };
    let head = vault.new_stream(PURPOSE);
    let header = Header {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        made_at: now,
        key_id: head.key_id,
        salt: hex::encode(head.salt),
        key_check: hex::encode(head.check),
    };
    let bound = [MAGIC, serde_json::to_string(&header)?.as_bytes(), b"\n"].concat();
    closing.write_all(&bound)?;
    let key = vault.stream_key(PURPOSE, &head, &bound)?;
    Ok(Body::Sealed(Box::new(SealWriter::new(closing, key))))
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated).large_file(true)
}

async fn write_table(
    snapshot: &DatabaseTransaction,
    zip: &mut Zip,
    Table { name: table, file: keys, .. }: Table,
    order: &str,
    wanted: &mut BTreeSet<String>,
) -> anyhow::Result<TableEntry> {
    let columns = tables::columns(snapshot, table).await?;
    let backend = ConnectionTrait::get_database_backend(snapshot);
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let sql = format!("SELECT {} FROM {table} ORDER BY {order}", names.join(", "));
    zip.start_file(table_file(table), options())?;
    let mut hash = digest::Context::new(&digest::SHA256);
    let (mut rows, mut size) = (0, 0);
    let mut stream = snapshot.stream_raw(Statement::from_string(backend, sql)).await?;
    while let Some(row) = stream.try_next().await? {
        let row = object(&row, &columns)?;
        let key = keys.and_then(|column| row.get(column)?.as_str()).filter(|key| !key.is_empty());
        wanted.extend(key.map(str::to_owned));
        let mut line = serde_json::to_vec(&row)?;
        line.push(b'\n');
        hash.update(&line);
        zip.write_all(&line)?;
        rows += 1;
        size += line.len() as u64;
    }
    Ok(TableEntry { name: table.to_owned(), rows, size, sha256: hex::encode(hash.finish()) })
}

fn object(row: &QueryResult, columns: &[Column]) -> anyhow::Result<Map<String, Value>> {
    let mut object = Map::new();
    for Column { name, kind } in columns {
        let value = match kind {
            Kind::Whole => whole(row, name)?.map(Value::from),
            Kind::Text => row.try_get::<Option<String>>("", name)?.map(Value::from),
            Kind::Flag => row.try_get::<Option<bool>>("", name)?.map(Value::from),
            Kind::Bytes => row.try_get::<Option<Vec<u8>>>("", name)?.map(hex::encode).map(Value::from),
        };
        object.insert(name.clone(), value.unwrap_or(Value::Null));
    }
    Ok(object)
}

/// PostgreSQL has three sizes of whole numbers, and each must be read as its own type.
fn whole(row: &QueryResult, name: &str) -> anyhow::Result<Option<i64>> {
    if let Ok(value) = row.try_get::<Option<i64>>("", name) {
        return Ok(value);
    }
    if let Ok(value) = row.try_get::<Option<i32>>("", name) {
        return Ok(value.map(i64::from));
    }
    Ok(row.try_get::<Option<i16>>("", name)?.map(i64::from))
}

/// Every object in `folder`. An upload in progress has no key yet, and a deleted object is skipped.
fn write_files(zip: &mut Zip, folder: &Path) -> anyhow::Result<Vec<FileEntry>> {
    // Most uploads are archives or pictures: compressing them again costs time and saves nothing.
    let stored = options().compression_method(zip::CompressionMethod::Stored);
    let mut entries = Vec::new();
    for key in keys_below(folder)? {
        let mut file = match File::open(folder.join(key.as_str())) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error).with_context(|| format!("cannot read the file {key}")),
        };
        zip.start_file(object_file(key.as_str()), stored)?;
        let (size, sha256) = copy(&mut file, zip).with_context(|| format!("file {key}"))?;
        entries.push(FileEntry { key: key.as_str().to_owned(), size, sha256 });
    }
    Ok(entries)
}

fn keys_below(folder: &Path) -> anyhow::Result<Vec<ObjectKey>> {
    let mut keys = Vec::new();
    if !folder.exists() {
        return Ok(keys);
    }
    for group in std::fs::read_dir(folder)? {
        let group = group?;
        if !group.file_type()?.is_dir() {
            continue;
        }
        for entry in std::fs::read_dir(group.path())? {
            let name = format!("{}/{}", group.file_name().display(), entry?.file_name().display());
            keys.extend(name.parse::<ObjectKey>().ok());
        }
    }
    keys.sort_unstable_by(|a, b| a.as_str().cmp(b.as_str()));
    Ok(keys)
}

fn copy(from: &mut impl Read, to: &mut impl Write) -> std::io::Result<(u64, String)> {
    let (mut hash, mut size) = (digest::Context::new(&digest::SHA256), 0);
    let mut piece = vec![0; 1 << 18];
    loop {
        let read = from.read(&mut piece)?;
        if read == 0 {
            return Ok((size, hex::encode(hash.finish())));
        }
        hash.update(&piece[..read]);
        to.write_all(&piece[..read])?;
        size += read as u64;
    }
}
