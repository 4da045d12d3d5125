//! What is only ever added to cannot be changed in any way that the engine knows, by whichever program.
//!
//! The tables are those that their domains call append-only. The database's own list, of those that refuse a deletion, has
//! to be the same on each engine: nobody writes triggers for one and forgets the other, or the word in the domain.

use base::domain::Table;
use sea_orm::{ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, QueryResult, Statement};
use server::domains;
use testkit::{TestDb, db_test};

/// A column: its name, a value for it as text of SQL and another one, which no other column has, and whether it is in the
/// primary key.
struct Column {
    name: String,
    value: String,
    other: String,
    is_key: bool,
}

fn is_sqlite(connection: &DatabaseConnection) -> bool {
    connection.get_database_backend() == DbBackend::Sqlite
}

/// A connection as a stranger would make it: none of our settings, and references are not looked at.
async fn stranger(db: &TestDb) -> DatabaseConnection {
    let mut options = ConnectOptions::new(db.url().to_owned());
    options.max_connections(1);
    let connection = Database::connect(options).await.unwrap();
    if is_sqlite(&connection) {
        connection.execute_unprepared("PRAGMA foreign_keys = OFF").await.unwrap();
    }
    connection
}

async fn texts(connection: &DatabaseConnection, sql: &str) -> Vec<Vec<String>> {
    let statement = Statement::from_string(connection.get_database_backend(), sql);
    let rows = connection.query_all_raw(statement).await.unwrap();
    let columns = |row: &QueryResult| {
        (0..row.column_names().len()).map(|at| row.try_get_by_index::<String>(at).unwrap()).collect()
    };
    rows.iter().map(columns).collect()
}

/// The tables that are called append-only, in the order of their names.
fn append_only() -> Vec<&'static str> {
    let tables = domains::all().iter().flat_map(|domain| domain.tables);
    let mut names: Vec<_> =
        tables.filter(|Table { is_append_only, .. }| *is_append_only).map(|table| table.name).collect();
    names.sort_unstable();
    names
}

/// Those that refuse a deletion, as the database tells.
async fn refusing(connection: &DatabaseConnection) -> Vec<String> {
    let sql = if is_sqlite(connection) {
        "SELECT DISTINCT tbl_name FROM sqlite_master WHERE type = 'trigger' AND sql LIKE '%BEFORE DELETE%' ORDER BY 1"
    } else {
        // 2 is BEFORE, 8 is DELETE.
        "SELECT DISTINCT tgrelid::regclass::text FROM pg_trigger WHERE NOT tgisinternal AND tgtype & 10 = 10 ORDER BY 1"
    };
    texts(connection, sql).await.into_iter().flatten().collect()
}

async fn columns(connection: &DatabaseConnection, table: &str) -> Vec<Column> {
    let is_sqlite = is_sqlite(connection);
    let sql = if is_sqlite {
        format!(
            "SELECT name, lower(type), CASE WHEN pk > 0 THEN 'key' ELSE '' END FROM pragma_table_info('{table}') ORDER BY cid"
        )
    } else {
        format!(
            "SELECT a.attname::text, format_type(a.atttypid, NULL), CASE WHEN a.attnum = ANY (i.indkey) THEN 'key' ELSE '' END \
             FROM pg_attribute a JOIN pg_index i ON i.indrelid = a.attrelid AND i.indisprimary \
             WHERE a.attrelid = '{table}'::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
        )
    };
    let column = |(at, told): (usize, Vec<String>)| {
        let (value, other) = match told[1].as_str() {
            "blob" | "bytea" if is_sqlite => ("x'01'", "x'02'"),
            "blob" | "bytea" => ("'\\x01'", "'\\x02'"),
            kind if kind.contains("char") || kind == "text" => ("'a@'", "'b@'"),
            "boolean" => ("FALSE", "TRUE"),
            _ => ("1", "2"),
        };
        // Two names in a row may have to differ.
        let own = |text: &str| text.replace('@', &at.to_string());
        Column { name: told[0].clone(), value: own(value), other: own(other), is_key: told[2] == "key" }
    };
    texts(connection, &sql).await.into_iter().enumerate().map(column).collect()
}

fn list<'a>(columns: impl IntoIterator<Item = &'a Column>, of: impl Fn(&'a Column) -> &'a str) -> String {
    columns.into_iter().map(of).collect::<Vec<_>>().join(", ")
}

/// Every statement that could change a row, or take it away.
fn attacks(is_sqlite: bool, table: &str, columns: &[Column]) -> Vec<String> {
    let names = list(columns, |column| &column.name);
    let changed = list(columns, |column| if column.is_key { &column.value } else { &column.other });
    let key = list(columns.iter().filter(|column| column.is_key), |column| &column.name);
    // Of a table whose columns are all in its key, the key itself.
    let target = columns.iter().find(|column| !column.is_key).unwrap_or(&columns[0]);
    let (column, other) = (&target.name, &target.other);
    let mut all = vec![
        format!("UPDATE {table} SET {column} = {other}"),
        format!("DELETE FROM {table}"),
        format!("DELETE FROM {table} WHERE {column} = {}", target.value),
        format!(
            "INSERT INTO {table} ({names}) VALUES ({changed}) ON CONFLICT ({key}) DO UPDATE SET {column} = {other}"
        ),
    ];
    if is_sqlite {
        all.extend([
            format!("REPLACE INTO {table} ({names}) VALUES ({changed})"),
            format!("INSERT OR REPLACE INTO {table} ({names}) SELECT {changed}"),
            format!("UPDATE OR REPLACE {table} SET {column} = {other}"),
            format!("INSERT INTO {table} ({names}) VALUES ({changed}) ON CONFLICT DO UPDATE SET {column} = {other}"),
        ]);
    } else {
        all.extend([format!("TRUNCATE {table}"), format!("TRUNCATE {table} CASCADE")]);
    }
    all
}

/// Whether SQLite numbers the rows of a table beside its key: not if it has none (`WITHOUT ROWID`), or the key is it.
async fn has_row_numbers(connection: &DatabaseConnection, table: &str) -> bool {
    let alias =
        format!("SELECT name FROM pragma_table_info('{table}') WHERE pk > 0 AND type = 'INTEGER' COLLATE NOCASE");
    let is_there = connection.execute_unprepared(&format!("SELECT rowid FROM {table}")).await.is_ok();
    is_there && texts(connection, &alias).await.is_empty()
}

/// Statements that take away a row by SQLite's own number of it, with a key that is not there yet.
fn by_row_number(table: &str, columns: &[Column]) -> Vec<String> {
    let names = list(columns, |column| &column.name);
    let others = list(columns, |column| &column.other);
    let replace = |number| format!("REPLACE INTO {table} ({number}, {names}) SELECT rowid, {others} FROM {table}");
    ["rowid", "oid", "_rowid_"].map(replace).to_vec()
}

db_test! {
    async fn no_statement_changes_what_is_only_added_to(db) {
        let stranger = stranger(&db).await;
        let is_sqlite = is_sqlite(&stranger);
        let tables = append_only();
        assert_eq!(refusing(&stranger).await, tables, "the database refuses deletions, and domains call append-only");
        for table in tables {
            let columns = columns(&stranger, table).await;
            let names = list(&columns, |column| &column.name);
            let values = list(&columns, |column| &column.value);
            let insert = format!("INSERT INTO {table} ({names}) VALUES ({values})");
            // The row refers to nothing; the triggers are on again for what follows.
            let alone = if is_sqlite {
                insert
            } else {
                format!("SET session_replication_role = replica; {insert}; SET session_replication_role = origin")
            };
            stranger.execute_unprepared(&alone).await.unwrap();
            let shown: Vec<String> = columns
                .iter()
                .map(|column| if is_sqlite { format!("quote({})", column.name) } else { format!("{}::text", column.name) })
                .collect();
            let select = format!("SELECT {} FROM {table}", shown.join(", "));
            let before = texts(&stranger, &select).await;
            assert_eq!(before.len(), 1);
            let mut attacks = attacks(is_sqlite, table, &columns);
            if is_sqlite && has_row_numbers(&stranger, table).await {
                attacks.extend(by_row_number(table, &columns));
            }
            for attack in attacks {
                assert!(stranger.execute_unprepared(&attack).await.is_err(), "{attack} is taken");
                assert_eq!(texts(&stranger, &select).await, before, "{attack}");
            }
        }
        stranger.close().await.unwrap();
    }
}
