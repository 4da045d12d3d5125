//! Which tables a backup contains, parents before children, and their columns.

use base::domain::Table;
use migration::{Migrator, MigratorTrait as _};
use sea_orm::{ConnectionTrait, DbBackend, DbErr, Statement};

use crate::domains;

/// The tables of all domains, in the order of restoring.
pub fn all() -> impl Iterator<Item = &'static Table> {
    domains::all().iter().flat_map(|domain| domain.tables)
}

/// Those in a backup, each with the order of its rows.
pub fn kept() -> impl Iterator<Item = (&'static Table, &'static str)> {
    all().filter_map(|table| Some((table, table.order?)))
}

/// The type of a column, as far as a backup needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Whole,
    Text,
    Flag,
    Bytes,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    pub name: String,
    pub kind: Kind,
}

/// The columns of `table`, in a fixed order.
pub async fn columns(db: &impl ConnectionTrait, table: &str) -> Result<Vec<Column>, DbErr> {
    let backend = db.get_database_backend();
    let sql = if backend == DbBackend::Sqlite {
        format!("SELECT name, lower(type) AS type FROM pragma_table_info('{table}') ORDER BY name")
    } else {
        format!(
            "SELECT column_name AS name, data_type AS type FROM information_schema.columns \
             WHERE table_schema = current_schema() AND table_name = '{table}' ORDER BY column_name COLLATE \"C\""
        )
    };
    let rows = db.query_all_raw(Statement::from_string(backend, sql)).await?;
    rows.into_iter()
        .map(|row| Ok(Column { name: row.try_get("", "name")?, kind: kind(&row.try_get::<String>("", "type")?) }))
        .collect()
}

fn kind(declared: &str) -> Kind {
    if declared.contains("bool") {
        Kind::Flag
    } else if declared.contains("int") {
        Kind::Whole
    } else if declared.contains("blob") || declared.contains("bytea") {
        Kind::Bytes
    } else {
        Kind::Text
    }
}

/// The newest migration of this version.
pub fn schema() -> String {
    Migrator::migrations().last().map(|change| change.name().to_owned()).unwrap_or_default()
}
