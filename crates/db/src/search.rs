//! Substring search that does not scan: a trigram index on both engines.
//!
//! A searchable table `t` has a table `t_search`: on SQLite a contentless FTS5 table with the trigram tokenizer, on
//! PostgreSQL a plain one with a `pg_trgm` GIN index. Both contain the same *document* per row: the searchable fields
//! in lower case and, because Chinese names are shorter than three characters, each Han character and each pair of them
//! again as a word of its own.
//!
//! The PostgreSQL database needs a UTF-8 locale other than plain `C`: under `C` the extension does not recognize
//! Chinese characters, and searches for them scan.

use std::collections::BTreeMap;

use sea_orm::sea_query::{Expr, SimpleExpr};
use sea_orm::{ConnectionTrait, DbBackend, DbErr};

use crate::sql;

/// Separates fields and short words; no field contains it.
const MARK: char = '\u{1f}';

/// Whether a letter of a field goes into the document. PostgreSQL takes NUL nowhere.
const fn is_kept(letter: char) -> bool {
    letter != MARK && letter != '\0'
}

/// Rows in one statement.
const ROWS: usize = 500;

/// The document for a row with these searchable fields.
#[must_use]
pub fn document(fields: &[&str]) -> String {
    let mut text = String::new();
    for field in fields {
        text.push(MARK);
        text.extend(field.chars().filter(|c| is_kept(*c)).flat_map(char::to_lowercase));
    }
    for field in fields {
        let letters: Vec<char> = field.chars().collect();
        for (at, letter) in letters.iter().enumerate() {
            if !is_han(*letter) {
                continue;
            }
            text.push(MARK);
            text.push(*letter);
            if let Some(next) = letters.get(at + 1).filter(|next| is_han(**next)) {
                text.push(MARK);
                text.extend([letter, next]);
            }
        }
    }
    text.push(MARK);
    text
}

const fn is_han(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// What to look for in the document in order to find `text`; `None` if the index cannot help.
fn needle(text: &str) -> Option<String> {
    let text: String = text.chars().filter(|c| is_kept(*c)).flat_map(char::to_lowercase).collect();
    let letters = text.chars().count();
    if letters >= 3 {
        Some(text)
    } else if letters > 0 && text.chars().all(is_han) {
        Some(format!("{MARK}{text}{MARK}"))
    } else {
        None
    }
}

/// Whether the index helps to find `text`; otherwise [`contains`] scans.
#[must_use]
pub fn is_indexed(text: &str) -> bool {
    needle(text).is_some()
}

/// The condition "a searchable field of `table` contains `text`", whatever its case.
///
/// One or two letters or digits are too few for the index; then `columns` are scanned.
#[must_use]
pub fn contains(backend: DbBackend, table: &str, columns: &[&str], text: &str) -> SimpleExpr {
    match (needle(text), backend) {
        (Some(needle), DbBackend::Sqlite) => Expr::cust_with_values(
            format!("{table}.id IN (SELECT rowid FROM {table}_search WHERE {table}_search MATCH ?)"),
            [format!("\"{}\"", needle.replace('"', "\"\""))],
        ),
        (Some(needle), _) => Expr::cust_with_values(
            format!("{table}.id IN (SELECT id FROM {table}_search WHERE text LIKE $1)"),
            [format!("%{}%", escape_like(&needle))],
        ),
        (None, _) => scan(backend, table, columns, text),
    }
}

/// The same for small tables without a search index.
#[must_use]
pub fn scan(backend: DbBackend, table: &str, columns: &[&str], text: &str) -> SimpleExpr {
    let pattern = format!("%{}%", escape_like(&text.to_lowercase()));
    let mark = if backend == DbBackend::Sqlite { "?" } else { "$1" };
    columns
        .iter()
        .map(|column| {
            Expr::cust_with_values(format!("lower({table}.{column}) LIKE {mark} ESCAPE '\\'"), [pattern.clone()])
        })
        .reduce(sea_orm::ExprTrait::or)
        .unwrap_or_else(|| Expr::cust("1 = 0"))
}

/// `text` with the wildcards of LIKE taken literally.
#[must_use]
pub fn escape_like(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '\\' | '%' | '_') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Documents that a transaction collects and that are written once, with its batch.
///
/// FTS5 writes a segment of its index whenever a savepoint begins, so writing each document at once would cost
/// a batch of 64 writers 64 segments and their merging.
#[derive(Clone, Debug, Default)]
pub struct Documents(BTreeMap<(&'static str, i64), Change>);

#[derive(Clone, Debug)]
struct Change {
    text: String,
    /// The index has an older one for the row.
    replaces: bool,
}

impl Documents {
    /// A new row.
    pub fn added(&mut self, table: &'static str, id: i64, text: String) {
        self.0.insert((table, id), Change { text, replaces: false });
    }

    /// A row's searchable fields have changed.
    pub fn changed(&mut self, table: &'static str, id: i64, text: String) {
        self.0
            .entry((table, id))
            .and_modify(|change| change.text.clone_from(&text))
            .or_insert(Change { text, replaces: true });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for ((table, id), change) in other.0 {
            if change.replaces {
                self.changed(table, id, change.text);
            } else {
                self.added(table, id, change.text);
            }
        }
    }
}

/// Writes the collected documents inside the caller's transaction.
pub(crate) async fn flush(db: &impl ConnectionTrait, documents: Documents) -> Result<(), DbErr> {
    let mut tables: BTreeMap<&str, Vec<(i64, Change)>> = BTreeMap::new();
    for ((table, id), change) in documents.0 {
        tables.entry(table).or_default().push((id, change));
    }
    for (table, changes) in tables {
        let replaced: Vec<i64> = changes.iter().filter(|(_, change)| change.replaces).map(|(id, _)| *id).collect();
        remove(db, table, &replaced).await?;
        let rows: Vec<(i64, String)> = changes.into_iter().map(|(id, change)| (id, change.text)).collect();
        insert(db, table, &rows).await?;
    }
    Ok(())
}

/// Indexes new rows: `(id, document)`. For many rows at once; see [`Documents`] for single ones.
///
/// # Errors
/// When the write fails.
pub async fn insert(db: &impl ConnectionTrait, table: &str, rows: &[(i64, String)]) -> Result<(), DbErr> {
    let backend = db.get_database_backend();
    let id = id_column(backend);
    for chunk in rows.chunks(ROWS) {
        let text = format!("INSERT INTO {table}_search ({id}, text) VALUES {}", sql::value_groups(chunk.len(), 2));
        let values = chunk.iter().flat_map(|(id, document)| [(*id).into(), document.as_str().into()]);
        db.execute_raw(sql::statement(backend, text, values)).await?;
    }
    Ok(())
}

/// Rows in one step of [`reindex`].
pub const STEP: u64 = 1000;

/// Creates the documents of a whole table that has none: `after` reads those of the next [`STEP`] rows after an id, in
/// id order.
///
/// # Errors
/// When a read or a write fails.
pub async fn reindex<F>(db: &impl ConnectionTrait, table: &str, after: impl Fn(i64) -> F) -> Result<(), DbErr>
where
    F: Future<Output = Result<Vec<(i64, String)>, DbErr>>,
{
    let mut last = 0;
    loop {
        let documents = after(last).await?;
        let Some((id, _)) = documents.last() else { return Ok(()) };
        last = *id;
        insert(db, table, &documents).await?;
    }
}

async fn remove(db: &impl ConnectionTrait, table: &str, ids: &[i64]) -> Result<(), DbErr> {
    let backend = db.get_database_backend();
    for chunk in ids.chunks(ROWS) {
        let column = id_column(backend);
        let text = format!("DELETE FROM {table}_search WHERE {column} IN ({})", sql::placeholders(1, chunk.len()));
        db.execute_raw(sql::statement(backend, text, chunk.iter().map(|id| (*id).into()))).await?;
    }
    Ok(())
}

/// Replaces the document of a row whose searchable fields changed, at once.
///
/// # Errors
/// When the write fails.
pub async fn replace(db: &impl ConnectionTrait, table: &str, id: i64, document: &str) -> Result<(), DbErr> {
    remove(db, table, &[id]).await?;
    insert(db, table, &[(id, document.to_owned())]).await
}

fn id_column(backend: DbBackend) -> &'static str {
    if backend == DbBackend::Sqlite { "rowid" } else { "id" }
}
