//! Writing the rows of a backup into a database.

use std::io::BufRead as _;

use anyhow::{Context as _, bail, ensure};
use aws_lc_rs::digest;
use base::domain::Table;
use db::{WriteTx, sql};
use migration::{Migrator, MigratorTrait as _};
use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use serde_json::{Map, Value};

use super::tables::{self, Column, Kind};
use super::{Archive, table_file};
use crate::domains;

/// Rows in one insert; twenty columns of them stay below both engines' limit of parameters.
const ROWS: usize = 500;

/// Creates the schema and inserts every row of the backup, all in `tx`; then counts the rows.
///
/// # Errors
/// When the database refuses, or does not contain in the end what the backup lists.
pub async fn fill(tx: &WriteTx, archive: &mut Archive) -> anyhow::Result<()> {
    Migrator::up(tx.bare(), None).await.context("could not create the schema")?;
    // A phone refers to its copy, and the copy to its phone: neither is first.
    sql::defer_references(&**tx).await?;
    for (Table { name, .. }, _) in tables::kept() {
        read_table(tx, archive, name).await.with_context(|| format!("table {name}"))?;
    }
    for domain in domains::all() {
        (domain.reindex)(tx).await.with_context(|| format!("search documents of {}", domain.name))?;
    }
    for entry in archive.manifest().tables() {
        let found = count(tx, &entry.name).await.with_context(|| format!("table {}", entry.name))?;
        ensure!(found == entry.rows, "table {} has {found} rows now, and {} in the backup", entry.name, entry.rows);
    }
    Ok(())
}

async fn count(tx: &WriteTx, table: &str) -> anyhow::Result<u64> {
    let text = format!("SELECT CAST(count(*) AS BIGINT) AS n FROM {table}");
    let row = tx.query_one_raw(Statement::from_string(tx.get_database_backend(), text)).await?;
    Ok(row.context("no answer")?.try_get::<i64>("", "n")?.try_into()?)
}

async fn read_table(tx: &WriteTx, archive: &mut Archive, table: &str) -> anyhow::Result<()> {
    let Some(entry) = archive.manifest().tables().iter().find(|entry| entry.name == table).cloned() else {
        bail!("it is not in the backup")
    };
    let columns = tables::columns(&**tx, table).await?;
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut rows: Vec<Map<String, Value>> = Vec::with_capacity(ROWS);
    let mut reader = std::io::BufReader::new(archive.zip.by_name(&table_file(table))?);
    let mut line = String::new();
    loop {
        line.clear();
        let length = reader.read_line(&mut line)?;
        if length > 0 {
            hash.update(line.as_bytes());
            rows.push(serde_json::from_str(&line)?);
        }
        if rows.len() == ROWS || (length == 0 && !rows.is_empty()) {
            insert(tx, table, &columns, &rows).await?;
            rows.clear();
        }
        if length == 0 {
            break;
        }
    }
    // It was checked before; somebody may have written to the file since.
    ensure!(hex::encode(hash.finish()) == entry.sha256, "its rows were modified while they were read");
    if tx.get_database_backend() == DbBackend::Postgres
        && columns.iter().any(|column| column.name == "id" && column.kind == Kind::Whole)
    {
        // The next row must not get an id that is taken. Tables without a sequence return NULL.
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

/// Value groups; PostgreSQL needs to know that every whole number is a `BIGINT`.
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
    let unfit = || format!("column {} cannot hold {json}", column.name);
    Ok(match column.kind {
        Kind::Whole => if json.is_null() { None } else { Some(json.as_i64().with_context(unfit)?) }.into(),
        Kind::Text => if json.is_null() { None } else { Some(json.as_str().with_context(unfit)?.to_owned()) }.into(),
        Kind::Flag => if json.is_null() { None } else { Some(json.as_bool().with_context(unfit)?) }.into(),
        Kind::Bytes => {
            if json.is_null() { None } else { Some(hex::decode(json.as_str().with_context(unfit)?)?) }.into()
        }
    })
}
