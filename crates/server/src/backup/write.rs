//! Making a backup.

use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::Path;

use anyhow::Context as _;
use aws_lc_rs::digest;
use db::Db;
use futures::TryStreamExt as _;
use kernel::time::UtcTime;
use sea_orm::{
    ConnectionTrait, DatabaseTransaction, IsolationLevel, QueryResult, Statement, StreamTrait as _,
    TransactionTrait as _,
};
use serde_json::{Map, Value};
use zip::write::SimpleFileOptions;

use super::tables::{self, Column, Kind, TABLES};
use super::{FORMAT, MANIFEST, Manifest, TableEntry, object_folder, table_file};

type Zip = zip::ZipWriter<BufWriter<File>>;

/// Writes a backup of `db` and of the files in `data_dir` to `to`, which must not exist yet.
///
/// It is written under another name first: a file of that name is a whole backup.
///
/// # Errors
/// When a read or a write fails; then nothing is left under that name.
pub async fn backup(db: &Db, data_dir: &Path, to: &Path, now: UtcTime) -> anyhow::Result<Manifest> {
    anyhow::ensure!(!to.exists(), "{} exists already; a backup never overwrites", to.display());
    let partial = to.with_extension("partial");
    let file = File::create(&partial).with_context(|| format!("cannot write {}", partial.display()))?;
    let mut zip = zip::ZipWriter::new(BufWriter::new(file));

    // One snapshot for all tables, while the server goes on writing.
    let level = (db.backend() == sea_orm::DbBackend::Postgres).then_some(IsolationLevel::RepeatableRead);
    let snapshot = db.read().begin_with_config(level, None).await?;
    let mut entries = Vec::new();
    for (table, order) in TABLES {
        entries.push(write_table(&snapshot, &mut zip, table, order).await.with_context(|| format!("table {table}"))?);
    }
    let schema = tables::schema(&snapshot).await?;
    snapshot.rollback().await?;

    let files = write_files(&mut zip, &object_folder(data_dir))?;
    let manifest = Manifest {
        format: FORMAT,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        schema,
        made_at: now,
        tables: entries,
        files,
    };
    zip.start_file(MANIFEST, options())?;
    serde_json::to_writer_pretty(&mut zip, &manifest)?;
    zip.finish()?.into_inner().map_err(|error| error.into_error())?.sync_all()?;
    std::fs::rename(&partial, to)?;
    Ok(manifest)
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default().compression_method(zip::CompressionMethod::Deflated).large_file(true)
}

async fn write_table(
    snapshot: &DatabaseTransaction,
    zip: &mut Zip,
    table: &str,
    order: &str,
) -> anyhow::Result<TableEntry> {
    let columns = tables::columns(snapshot, table).await?;
    let backend = ConnectionTrait::get_database_backend(snapshot);
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let sql = format!("SELECT {} FROM {table} ORDER BY {order}", names.join(", "));
    zip.start_file(table_file(table), options())?;
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut rows = 0;
    let mut stream = snapshot.stream_raw(Statement::from_string(backend, sql)).await?;
    while let Some(row) = stream.try_next().await? {
        let mut line = serde_json::to_vec(&object(&row, &columns)?)?;
        line.push(b'\n');
        hash.update(&line);
        zip.write_all(&line)?;
        rows += 1;
    }
    Ok(TableEntry { name: table.to_owned(), rows, sha256: hex::encode(hash.finish()) })
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

/// PostgreSQL tells apart three sizes of whole numbers, and each must be asked for by its own.
fn whole(row: &QueryResult, name: &str) -> anyhow::Result<Option<i64>> {
    if let Ok(value) = row.try_get::<Option<i64>>("", name) {
        return Ok(value);
    }
    if let Ok(value) = row.try_get::<Option<i32>>("", name) {
        return Ok(value.map(i64::from));
    }
    Ok(row.try_get::<Option<i16>>("", name)?.map(i64::from))
}

/// Every file below `folder`, under `objects/`.
fn write_files(zip: &mut Zip, folder: &Path) -> anyhow::Result<u64> {
    let mut files = 0;
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        if !next.exists() {
            continue;
        }
        for entry in std::fs::read_dir(&next)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.strip_prefix(folder)?.to_string_lossy().replace('\\', "/");
            // Most uploads are archives or pictures: packing them again costs time and saves nothing.
            zip.start_file(format!("objects/{name}"), options().compression_method(zip::CompressionMethod::Stored))?;
            std::io::copy(&mut File::open(&path)?, zip)?;
            files += 1;
        }
    }
    Ok(files)
}
