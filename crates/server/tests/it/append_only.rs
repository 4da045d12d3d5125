//! What is only ever added to cannot be changed in any way that the engine knows, by whichever program.
//!
//! The tables are those that their domains call append-only. The database's own list, of those that refuse a deletion, has
//! to be the same on each engine: nobody writes triggers for one and forgets the other, or the word in the domain. And
//! who forgets both, the word and the triggers, is found by the sources: a table that no code changes is one of them.

use std::path::Path;

use base::domain::Table;
use sea_orm::{ConnectOptions, ConnectionTrait as _, Database, DatabaseConnection, DbBackend, QueryResult, Statement};
use server::domains;
use testkit::{TestDb, db_test};

use crate::architecture::{crates, sources};

/// Tables that no code changes, and that are not append-only all the same.
const EXCUSED: [(&str, &str); 2] = [
    ("card_busy", "triggers take a row away, when what kept the card busy is over"),
    ("card_model", "names that cards refer to, and not what has happened"),
];

/// Crates whose code writes no row of a console that serves.
const NOT_THE_CONSOLE: [&str; 10] =
    ["agent", "bench", "crowd", "entity", "migration", "sim", "testapp", "testkit", "testroom", "wire"];

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

/// What the database says to who changes a row of `table`.
async fn message(connection: &DatabaseConnection, table: &str) -> String {
    let sql = if is_sqlite(connection) {
        format!(
            "SELECT sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = '{table}' AND sql LIKE '%BEFORE DELETE%'"
        )
    } else {
        format!(
            "SELECT p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid \
             WHERE NOT t.tgisinternal AND t.tgtype & 10 = 10 AND t.tgrelid = '{table}'::regclass"
        )
    };
    let trigger = texts(connection, &sql).await.concat().concat();
    trigger.split('\'').nth(1).expect("a trigger raises a text in quotes").to_owned()
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

/// The columns of each key that rows have beside the primary one.
async fn other_keys(connection: &DatabaseConnection, table: &str) -> Vec<String> {
    let sql = if is_sqlite(connection) {
        format!(
            "SELECT group_concat(c.name, ', ') FROM pragma_index_list('{table}') AS i, pragma_index_info(i.name) AS c \
             WHERE i.\"unique\" = 1 AND i.origin <> 'pk' GROUP BY i.name"
        )
    } else {
        format!(
            "SELECT string_agg(a.attname::text, ', ') \
             FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) \
             WHERE i.indrelid = '{table}'::regclass AND i.indisunique AND NOT i.indisprimary GROUP BY i.indexrelid"
        )
    };
    texts(connection, &sql).await.concat()
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
        // Without the word, a table that others refer to is refused before its triggers are asked.
        all.push(format!("TRUNCATE {table} CASCADE"));
    }
    all
}

/// Statements that come into the way of a row by another of its keys, with a primary key that is not there yet.
fn by_other_key(is_sqlite: bool, table: &str, columns: &[Column], key: &str) -> Vec<String> {
    let names = list(columns, |column| &column.name);
    let is_in_key = |column: &Column| key.split(", ").any(|name| name == column.name);
    let values = list(columns, |column| if is_in_key(column) { &column.value } else { &column.other });
    let changed = columns.iter().find(|column| !column.is_key && !is_in_key(column)).unwrap_or(&columns[0]);
    let update = format!("DO UPDATE SET {} = {}", changed.name, changed.other);
    let mut all = vec![format!("INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT ({key}) {update}")];
    if is_sqlite {
        all.extend([
            format!("REPLACE INTO {table} ({names}) VALUES ({values})"),
            format!("INSERT OR REPLACE INTO {table} ({names}) SELECT {values}"),
            format!("INSERT INTO {table} ({names}) VALUES ({values}) ON CONFLICT {update}"),
        ]);
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
            for key in other_keys(&stranger, table).await {
                attacks.extend(by_other_key(is_sqlite, table, &columns, &key));
            }
            // Whatever else may be wrong with a statement is no reason that holds for the next one.
            let message = message(&stranger, table).await;
            for attack in attacks {
                let refused = stranger.execute_unprepared(&attack).await.err().map(|error| error.to_string());
                assert!(refused.as_ref().is_some_and(|error| error.contains(&message)), "{attack}: {refused:?}");
                assert_eq!(texts(&stranger, &select).await, before, "{attack}");
            }
        }
        stranger.close().await.unwrap();
    }
}

/// Whether `text` has `phrase`, and the last word of it ends there.
fn has(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase)
        .any(|(at, _)| !text[at + phrase.len()..].starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

/// Whether a source, its words parted by one space each, changes or deletes rows of `table`.
fn changes(source: &str, table: &str) -> bool {
    let by_statement = ["UPDATE", "DELETE FROM"].iter().any(|verb| has(source, &format!("{verb} {table}")));
    let (insert, import) = (format!("INTO {table} "), format!("use entity::{table}::"));
    let mut inserts = source.split(&insert).skip(1).filter_map(|rest| rest.split(';').next());
    let by_path = [format!("{table}::Entity::update"), format!("{table}::Entity::delete")]
        .iter()
        .any(|call| source.contains(call));
    let mut imported = source.split(&import).skip(1).filter_map(|rest| rest.split(';').next());
    let bare = ["Entity::update", "Entity::delete"];
    let is_bare = |call: &&str| source.match_indices(*call).any(|(at, _)| !source[..at].ends_with(':'));
    by_statement
        || inserts.any(|insert| insert.contains("DO UPDATE"))
        || by_path
        || (imported.any(|names| has(names, "Entity")) && bare.iter().any(is_bare))
}

/// A source with its words parted by one space each, and without what continues a line of text.
fn flat(source: &str) -> String {
    source.split_whitespace().filter(|word| *word != "\\").collect::<Vec<_>>().join(" ")
}

#[test]
fn a_table_that_no_code_changes_is_append_only_or_excused() {
    let is_ours = |path: &Path| {
        let mut parts = path.strip_prefix(crates()).unwrap().components().map(|part| part.as_os_str());
        parts.next().is_some_and(|name| NOT_THE_CONSOLE.iter().all(|other| name != *other))
            && parts.next().is_some_and(|part| part == "src")
    };
    let writes =
        |text: &str| ["UPDATE", "DELETE", "Entity::update", "Entity::delete"].iter().any(|word| text.contains(word));
    let all: Vec<String> = sources(&crates())
        .iter()
        .filter(|(path, text)| is_ours(path) && writes(text))
        .map(|(_, text)| flat(text))
        .collect();
    // What backups leave out is made anew, or gone with the process.
    let tables = domains::all().iter().flat_map(|domain| domain.tables).filter(|table| table.order.is_some());
    let rest = tables.filter(|table| !table.is_append_only && !all.iter().any(|source| changes(source, table.name)));
    let mut found: Vec<_> = rest.map(|table| table.name).collect();
    found.sort_unstable();
    assert_eq!(found, EXCUSED.map(|(table, _)| table), "only ever added to: `append_only()` and triggers, or a reason");
}

#[test]
fn a_change_is_seen_in_whichever_way_it_is_written() {
    for source in [
        "\"UPDATE card SET x = 1\"",
        "\"DELETE FROM \\\n    card WHERE x\"",
        "\"INSERT INTO card (x) VALUES ($1) \\\n ON CONFLICT (x) DO UPDATE SET y = 1\";",
        "card::Entity::update_many()",
        "card::Entity::delete_by_id(id)",
        "use entity::card::{self, Column, Entity};\n Entity::update(row)",
    ] {
        assert!(changes(&flat(source), "card"), "{source}");
    }
    for source in [
        "\"UPDATE card_busy SET x = 1\"",
        "\"INSERT INTO card (x) VALUES ($1)\"; \"INSERT INTO host (x) VALUES ($1) ON CONFLICT (x) DO UPDATE\"",
        "use entity::card::{Column, Model};\n host::Entity::update(row)",
        "use entity::card::{Column, Entity};\n Entity::insert(row); host::Entity::update(row)",
        "use entity::host::{Column, Entity};\n Entity::update(row); card::Entity::find()",
    ] {
        assert!(!changes(&flat(source), "card"), "{source}");
    }
}
