//! Restoring a backup.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Read as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use aws_lc_rs::digest;
use db::{Db, WriteTx, search, sql};
use entity::{card, client_user, operator};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait as _, DbBackend, EntityTrait as _, QueryFilter as _, QueryOrder as _,
    QuerySelect as _, Statement,
};
use serde_json::{Map, Value};
use zip::ZipArchive;

use super::tables::{self, Column, Kind, TABLES};
use super::{FORMAT, MANIFEST, Manifest, object_folder, table_file};
use crate::domains::{client_user as customers, fleet};

/// Rows in one insert; twenty columns of them stay below both engines' limit of parameters.
const ROWS: usize = 500;

/// Puts the backup `from` into `db`, which must be migrated and hold nothing, and its files below
/// `data_dir`. Rows come in one transaction: all of them, or none.
///
/// # Errors
/// When the file is not a whole backup, follows another schema, or the database is not empty.
pub async fn restore(db: &Db, data_dir: &Path, from: &Path) -> anyhow::Result<Manifest> {
    let file = File::open(from).with_context(|| format!("cannot read {}", from.display()))?;
    let mut zip =
        ZipArchive::new(BufReader::new(file)).with_context(|| format!("{} is not a backup", from.display()))?;
    let manifest: Manifest = serde_json::from_reader(zip.by_name(MANIFEST).context("the backup has no manifest")?)
        .context("the manifest can not be read")?;
    ensure!(manifest.format == FORMAT, "the backup has format {}, this version reads {FORMAT}", manifest.format);
    let schema = tables::schema(db.read()).await?;
    ensure!(
        manifest.schema == schema,
        "the backup follows the schema {}, this version has {schema}: restore it with Skyrack {} and upgrade then",
        manifest.schema,
        manifest.version
    );
    ensure!(
        operator::Entity::find().one(db.read()).await?.is_none()
            && client_user::Entity::find().one(db.read()).await?.is_none(),
        "the database is not empty; a restore never overwrites"
    );
    let tx = db.begin_write().await?;
    for (table, _) in TABLES {
        read_table(&tx, &mut zip, &manifest, table).await.with_context(|| format!("table {table}"))?;
    }
    index_customers(&tx).await?;
    index_cards(&tx).await?;
    tx.commit().await?;
    read_files(&mut zip, &object_folder(data_dir))?;
    Ok(manifest)
}

async fn read_table(
    tx: &WriteTx,
    zip: &mut ZipArchive<BufReader<File>>,
    manifest: &Manifest,
    table: &str,
) -> anyhow::Result<()> {
    let Some(entry) = manifest.tables.iter().find(|entry| entry.name == table) else {
        bail!("it is not in the backup")
    };
    let columns = tables::columns(&**tx, table).await?;
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut rows: Vec<Map<String, Value>> = Vec::with_capacity(ROWS);
    let mut count = 0;
    let mut reader = BufReader::new(zip.by_name(&table_file(table))?);
    let mut line = String::new();
    loop {
        line.clear();
        let length = reader.read_line(&mut line)?;
        if length > 0 {
            hash.update(line.as_bytes());
            rows.push(serde_json::from_str(&line)?);
            count += 1;
        }
        if rows.len() == ROWS || (length == 0 && !rows.is_empty()) {
            insert(tx, table, &columns, &rows).await?;
            rows.clear();
        }
        if length == 0 {
            break;
        }
    }
    ensure!(
        count == entry.rows && hex::encode(hash.finish()) == entry.sha256,
        "its rows are not those that were backed up: the file is damaged"
    );
    if tx.get_database_backend() == DbBackend::Postgres
        && columns.iter().any(|column| column.name == "id" && column.kind == Kind::Whole)
    {
        // The next row must not get an id that is taken. Tables without a sequence answer NULL.
        let text = format!(
            "SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest((SELECT max(id) FROM {table}), 1))"
        );
        tx.execute_raw(Statement::from_string(DbBackend::Postgres, text)).await?;
    }
    Ok(())
}

async fn insert(tx: &WriteTx, table: &str, columns: &[Column], rows: &[Map<String, Value>]) -> anyhow::Result<()> {
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    let text = format!(
        "INSERT INTO {table} ({}) VALUES {}",
        names.join(", "),
        typed_groups(tx.get_database_backend(), columns, rows.len())
    );
    let mut values = Vec::with_capacity(rows.len() * columns.len());
    for row in rows {
        for column in columns {
            values.push(value(column, row.get(&column.name).unwrap_or(&Value::Null))?);
        }
    }
    tx.execute_raw(sql::statement(tx.get_database_backend(), text, values)).await?;
    Ok(())
}

/// Value groups; PostgreSQL is told that every whole number comes as a `BIGINT`.
fn typed_groups(backend: DbBackend, columns: &[Column], rows: usize) -> String {
    if backend == DbBackend::Sqlite {
        return sql::value_groups(rows, columns.len());
    }
    let mut at = 0;
    let mut group = || {
        let marks: Vec<String> = columns
            .iter()
            .map(|column| {
                at += 1;
                if column.kind == Kind::Whole { format!("${at}::BIGINT") } else { format!("${at}") }
            })
            .collect();
        format!("({})", marks.join(", "))
    };
    (0..rows).map(|_| group()).collect::<Vec<_>>().join(", ")
}

fn value(column: &Column, json: &Value) -> anyhow::Result<sea_orm::Value> {
    let unfit = || format!("column {} can not hold {json}", column.name);
    Ok(match column.kind {
        Kind::Whole => if json.is_null() { None } else { Some(json.as_i64().with_context(unfit)?) }.into(),
        Kind::Text => if json.is_null() { None } else { Some(json.as_str().with_context(unfit)?.to_owned()) }.into(),
        Kind::Flag => if json.is_null() { None } else { Some(json.as_bool().with_context(unfit)?) }.into(),
        Kind::Bytes => {
            if json.is_null() { None } else { Some(hex::decode(json.as_str().with_context(unfit)?)?) }.into()
        }
    })
}

/// Makes the customers' search documents anew.
async fn index_customers(tx: &WriteTx) -> anyhow::Result<()> {
    let mut after = entity::ClientUserId(0);
    loop {
        let rows = client_user::Entity::find()
            .filter(client_user::Column::Id.gt(after))
            .order_by_asc(client_user::Column::Id)
            .limit(1000)
            .all(&**tx)
            .await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.id;
        let documents: Vec<(i64, String)> =
            rows.iter().map(|row| (row.id.0, customers::search_document(row))).collect();
        search::insert(&**tx, "client_user", &documents).await?;
    }
}

/// Makes the cards' search documents anew.
async fn index_cards(tx: &WriteTx) -> anyhow::Result<()> {
    let mut after = entity::CardId(0);
    loop {
        let rows = card::Entity::find()
            .filter(card::Column::Id.gt(after))
            .order_by_asc(card::Column::Id)
            .limit(1000)
            .all(&**tx)
            .await?;
        let Some(last) = rows.last() else { return Ok(()) };
        after = last.id;
        let documents: Vec<(i64, String)> = rows.iter().map(|row| (row.id.0, fleet::search_document(row))).collect();
        search::insert(&**tx, "card", &documents).await?;
    }
}

fn read_files(zip: &mut ZipArchive<BufReader<File>>, folder: &Path) -> anyhow::Result<()> {
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at)?;
        // `enclosed_name` refuses every path that would leave the folder.
        let Some(name) = entry.enclosed_name() else { bail!("the backup names a file outside its folder") };
        let Ok(name) = name.strip_prefix("objects") else { continue };
        let target = folder.join(name);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut file = File::create(&target)?;
        std::io::copy(&mut entry.by_ref(), &mut file)?;
        file.sync_all()?;
    }
    Ok(())
}
