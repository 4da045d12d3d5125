//! Whether the engine finds its own files intact.

use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbBackend, DbErr, RuntimeErr, Statement};

use crate::Db;

/// The largest number of findings of one check; with more, the database is lost anyway.
const MOST: usize = 100;

/// Checks for damage and returns the findings, in the engine's words. It only reads, and blocks nobody.
///
/// SQLite: each table's pages and rows; with `is_thorough` every page of the file, every index against its table, and
/// foreign keys. PostgreSQL: invalid indexes and failed checksums; with the extension `amcheck` the structure of every
/// index (`is_thorough`: every row in it, and every table), without it every table is read to its end (`is_thorough`),
/// which verifies checksums. PostgreSQL counts failed checksums for ever; those before `since`, the last time
/// everything was read, are not reported again: a page that is still damaged has failed again since.
///
/// # Errors
/// When the database does not respond. A report of damage is a finding.
pub async fn inspect(db: &Db, is_thorough: bool, since: Option<UtcTime>) -> Result<Vec<String>, DbErr> {
    let mut found = Findings { db, found: Vec::new() };
    if db.backend() == DbBackend::Sqlite {
        found.sqlite(is_thorough).await?;
    } else {
        found.postgres(is_thorough, since).await?;
    }
    found.found.truncate(MOST);
    Ok(found.found)
}

struct Findings<'a> {
    db: &'a Db,
    found: Vec<String>,
}

impl Findings<'_> {
    async fn sqlite(&mut self, is_thorough: bool) -> Result<(), DbErr> {
        if is_thorough {
            // A hundred findings at most by default; a number as its argument would be taken as a table's name.
            self.complaints("", "SELECT integrity_check AS v FROM pragma_integrity_check").await?;
            let keys = "SELECT \"table\" || ': row ' || coalesce(rowid, 0) || ' refers to a row of ' || parent || ' that is not there' AS v \
                        FROM pragma_foreign_key_check LIMIT 100";
            return self.complaints("", keys).await;
        }
        // One table at a time, so that a server that shuts down does not wait for all of them.
        for table in self.texts("SELECT name AS v FROM sqlite_master WHERE type = 'table' ORDER BY name").await? {
            let name = table.replace('\'', "''");
            self.complaints(&table, &format!("SELECT quick_check AS v FROM pragma_quick_check('{name}')")).await?;
        }
        Ok(())
    }

    async fn postgres(&mut self, is_thorough: bool, since: Option<UtcTime>) -> Result<(), DbErr> {
        let invalid = "SELECT 'index ' || c.relname || ' is not valid' AS v FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
                       WHERE c.relnamespace = current_schema()::regnamespace AND NOT i.indisvalid ORDER BY 1";
        self.complaints("", invalid).await?;
        self.complaints("", &failed_checksums("pg_stat_database", since)).await?;
        if self.may_call("bt_index_check").await? {
            // It refuses invalid indexes; those were reported above.
            let indexes = "SELECT c.oid::regclass::text AS v FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid \
                           JOIN pg_am a ON a.oid = c.relam \
                           WHERE c.relnamespace = current_schema()::regnamespace AND i.indisvalid AND a.amname = 'btree' \
                           ORDER BY 1";
            for index in self.texts(indexes).await? {
                let check = format!("SELECT NULL::text AS v FROM bt_index_check('{index}'::regclass, {is_thorough})");
                self.complaints(&index, &check).await?;
            }
        }
        if is_thorough {
            // From PostgreSQL 14 on, `amcheck` checks tables as well.
            let knows_tables = self.may_call("verify_heapam").await?;
            let tables = "SELECT c.oid::regclass::text AS v FROM pg_class c \
                          WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' ORDER BY 1";
            for table in self.texts(tables).await? {
                let check = if knows_tables {
                    format!(
                        "SELECT 'page ' || blkno || ': ' || msg AS v FROM verify_heapam('{table}'::regclass) LIMIT 100"
                    )
                } else {
                    format!("SELECT NULL::text AS v FROM (SELECT count(*) FROM {table}) AS rows")
                };
                self.complaints(&table, &check).await?;
            }
        }
        Ok(())
    }

    /// Whether a function of an extension is there, and this user may call it.
    async fn may_call(&self, function: &str) -> Result<bool, DbErr> {
        let known = format!(
            "SELECT proname::text AS v FROM pg_proc WHERE proname = '{function}' AND pg_function_is_visible(oid) \
             AND has_function_privilege(oid, 'execute') LIMIT 1"
        );
        Ok(!self.texts(&known).await?.is_empty())
    }

    /// Records every line of the result of `sql`, except `ok` and empty ones.
    async fn complaints(&mut self, about: &str, sql: &str) -> Result<(), DbErr> {
        let lines = match self.texts(sql).await {
            Ok(lines) => lines,
            Err(error) if says_damage(&error) => vec![error.to_string()],
            Err(error) => return Err(error),
        };
        let before = if about.is_empty() { String::new() } else { format!("{about}: ") };
        self.found.extend(lines.into_iter().filter(|line| line != "ok").map(|line| format!("{before}{line}")));
        Ok(())
    }

    async fn texts(&self, sql: &str) -> Result<Vec<String>, DbErr> {
        let rows = self.db.read().query_all_raw(Statement::from_string(self.db.backend(), sql)).await?;
        rows.iter().filter_map(|row| row.try_get::<Option<String>>("", "v").transpose()).collect()
    }
}

/// The statement for failed checksums, with the time of the last one. `statistics` is `pg_stat_database`, or a test's
/// replacement.
#[must_use]
pub fn failed_checksums(statistics: &str, since: Option<UtcTime>) -> String {
    let since = since.map_or(i64::MIN, UtcTime::millis);
    format!(
        "SELECT checksum_failures || ' pages had another checksum than was written, the last one at ' || \
         to_char(checksum_last_failure AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC' AS v FROM {statistics} \
         WHERE datname = current_database() AND checksum_failures > 0 \
         AND CAST(extract(epoch FROM checksum_last_failure) * 1000 AS BIGINT) >= {since}"
    )
}

/// Whether a statement failed because the data it read is damaged: SQLite's `SQLITE_CORRUPT` and `SQLITE_NOTADB` with
/// their extended codes, PostgreSQL's class XX.
fn says_damage(error: &DbErr) -> bool {
    let (DbErr::Query(RuntimeErr::SqlxError(cause)) | DbErr::Exec(RuntimeErr::SqlxError(cause))) = error else {
        return false;
    };
    let Some(code) = cause.as_database_error().and_then(|cause| cause.code()) else { return false };
    match code.parse::<u32>() {
        Ok(number) if code.len() < 5 => matches!(number & 0xff, 11 | 26),
        Ok(_) | Err(_) => code.starts_with("XX"),
    }
}
