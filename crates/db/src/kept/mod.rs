//! Kept counters: how many rows of a list are in each *cell*, in total and per block of ids.
//!
//! `count(*)` over a million rows costs PostgreSQL 58 ms and `OFFSET 500000` 400 ms
//! (PERFORMANCE.md). A list whose usual filters have few values packs them into one small number,
//! its cell; every write moves its row between cells in the same transaction. Then
//!
//! * a total is the sum of a handful of rows, exact, also with filters;
//! * a deep page is found by adding up blocks of [`BLOCK_SIZE`] ids, first by runs of them, and costs a seek.
//!
//! What has names instead of few values, such as the image of a phone, is counted by *word*: in total alone.

mod cells;

use std::collections::BTreeMap;

use cells::scope;
pub use cells::{Cells, Field, Packed, Part, counted_anew};
use sea_orm::{ConnectionTrait, DbErr, Value};

use crate::sql;

/// Ids per block.
pub const BLOCK_SIZE: i64 = 4096;
/// The block that stands for the whole list.
const WHOLE: i64 = -1;
/// Blocks in a run of blocks: a million ids are 16 runs of 16.
const RUN: i64 = 16;

/// The block that stands for the run in which this one is.
const fn run_of(block: i64) -> i64 {
    WHOLE - 1 - block.div_euclid(RUN)
}

/// A list that keeps counters. The numbers are stored: never reuse one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct List(pub i16);

/// A row's place in the counters: its cell and its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The packed values of the list's usual filters.
    pub cell: i32,
    /// The row's id; it decides the block.
    pub id: i64,
}

/// A row's place in counters by word: the word, of at most 64 characters, and a cell as above. An empty word is not counted.
pub type Named<'a> = (&'a str, i32);

/// Changes of counters that a transaction collects and writes once.
#[derive(Clone, Debug, Default)]
pub struct Deltas {
    cells: BTreeMap<(List, i64, i32), i64>,
    words: BTreeMap<(List, String, i32), i64>,
}

impl Deltas {
    /// A row was added (`from` is none), removed (`to` is none) or changed its cell.
    pub fn moved(&mut self, list: List, from: Option<Place>, to: Option<Place>) {
        if from == to {
            return;
        }
        for (place, change) in [(from, -1), (to, 1)] {
            if let Some(Place { cell, id }) = place {
                let block = id.div_euclid(BLOCK_SIZE);
                for block in [WHOLE, run_of(block), block] {
                    *self.cells.entry((list, block, cell)).or_default() += change;
                }
            }
        }
    }

    /// A row that is counted by word was added (`from` is none), or changed its word or its cell.
    pub fn renamed(&mut self, list: List, from: Option<Named<'_>>, to: Option<Named<'_>>) {
        if from == to {
            return;
        }
        for (named, change) in [(from, -1), (to, 1)] {
            if let Some((word, cell)) = named.filter(|(word, _)| !word.is_empty()) {
                *self.words.entry((list, word.to_owned(), cell)).or_default() += change;
            }
        }
    }

    /// A row was added to or removed from a counter that is kept under the list's own key, such as a host's id, instead
    /// of a block of ids.
    pub fn add(&mut self, list: List, key: i64, cell: i32, change: i64) {
        *self.cells.entry((list, key, cell)).or_default() += change;
    }

    pub(crate) fn merge(&mut self, other: Self) {
        let Self { cells, words } = other;
        for (key, change) in cells {
            *self.cells.entry(key).or_default() += change;
        }
        for (key, change) in words {
            *self.words.entry(key).or_default() += change;
        }
    }
}

/// Writes the collected changes inside the caller's transaction.
pub(crate) async fn flush(db: &impl ConnectionTrait, deltas: Deltas) -> Result<(), DbErr> {
    let Deltas { cells, words } = deltas;
    let row = |((list, block, cell), change): ((List, i64, i32), i64)| -> Option<[Value; 4]> {
        (change != 0).then(|| [list.0.into(), block.into(), cell.into(), change.into()])
    };
    let (insert, or) = (
        "INSERT INTO kept_count (list, block, cell, n)",
        "ON CONFLICT (list, block, cell) DO UPDATE SET n = kept_count.n + excluded.n",
    );
    write(db, (insert, or), cells.into_iter().filter_map(row).collect()).await?;
    let row = |((list, word, cell), change): ((List, String, i32), i64)| -> Option<[Value; 4]> {
        (change != 0).then(|| [list.0.into(), word.into(), cell.into(), change.into()])
    };
    let (insert, or) = (
        "INSERT INTO kept_word (list, word, cell, n)",
        "ON CONFLICT (list, word, cell) DO UPDATE SET n = kept_word.n + excluded.n",
    );
    write(db, (insert, or), words.into_iter().filter_map(row).collect()).await
}

/// Adds to counters, each a list, a block or a word, a cell, and by how much.
async fn write(db: &impl ConnectionTrait, (insert, or): (&str, &str), changes: Vec<[Value; 4]>) -> Result<(), DbErr> {
    const ROWS: usize = 200;
    for chunk in changes.chunks(ROWS) {
        let text = format!("{insert} VALUES {} {or}", sql::value_groups(chunk.len(), 4));
        let values = chunk.iter().flatten().cloned();
        db.execute_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// How many rows of `list` are in `cells`.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &impl ConnectionTrait, list: List, cells: Cells<'_>) -> Result<u64, DbErr> {
    let (filter, values) = scope(list, cells);
    let text = format!(
        "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM kept_count WHERE list = $1 AND block = -1{filter}"
    );
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    let n: i64 = row.map_or(Ok(0), |row| row.try_get("", "n"))?;
    Ok(u64::try_from(n).unwrap_or(0))
}

/// How many rows of `list`, which is counted by word, are under this one in `cells`.
///
/// # Errors
/// When the read fails.
pub async fn total_of_word(db: &impl ConnectionTrait, list: List, word: &str, cells: Cells<'_>) -> Result<u64, DbErr> {
    let (filter, mut values) = scope(list, cells);
    values.push(word.into());
    let text = format!(
        "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM kept_word WHERE list = $1{filter} AND word = ${}",
        values.len()
    );
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    row.map_or(Ok(0), |row| row.try_get_by_index(0)).map(count)
}

/// The cells of `list` that have rows, with their numbers.
///
/// # Errors
/// When the read fails.
pub async fn cells(db: &impl ConnectionTrait, list: List, cells: Cells<'_>) -> Result<Vec<(i32, u64)>, DbErr> {
    let (filter, values) = scope(list, cells);
    let text = format!("SELECT cell, n FROM kept_count WHERE list = $1 AND block = -1 AND n > 0{filter}");
    let rows = db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    rows.into_iter().map(|row| Ok((row.try_get_by_index(0)?, count(row.try_get_by_index(1)?)))).collect()
}

/// The cells of `list` that have rows under `keys` (see [`Deltas::add`]): key, cell, number of rows.
///
/// # Errors
/// When the read fails.
pub async fn under(db: &impl ConnectionTrait, list: List, keys: &[i64]) -> Result<Vec<(i64, i32, u64)>, DbErr> {
    const KEYS: usize = 500;
    let mut found = Vec::new();
    for chunk in keys.chunks(KEYS) {
        let text = format!(
            "SELECT block, cell, n FROM kept_count WHERE list = $1 AND n > 0 AND block IN ({})",
            sql::placeholders(2, chunk.len())
        );
        let values = std::iter::once(Value::from(list.0)).chain(chunk.iter().map(|key| Value::from(*key)));
        for row in db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await? {
            found.push((row.try_get_by_index(0)?, row.try_get_by_index(1)?, count(row.try_get_by_index(2)?)));
        }
    }
    Ok(found)
}

fn count(n: i64) -> u64 {
    u64::try_from(n).unwrap_or(0)
}

/// Where a page starts: an id to start from, and how many matching rows to skip from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Ascending: rows with `id >= bound`; descending: rows with `id <= bound`.
    pub bound: i64,
    /// Matching rows between the bound and the page; less than a block.
    pub skip: u64,
}

/// Finds the block that contains row number `offset` (from 0, in id order).
///
/// `None` when the list has no such row.
///
/// # Errors
/// When the read fails.
pub async fn seek(
    db: &impl ConnectionTrait,
    list: List,
    cells: Cells<'_>,
    offset: u64,
    descending: bool,
) -> Result<Option<Start>, DbErr> {
    // The numbers of runs go down where their ids go up.
    let Some((run, before)) = reach(db, list, cells, (i64::MIN, WHOLE - 1), !descending, offset).await? else {
        return Ok(None);
    };
    let first = (WHOLE - 1 - run) * RUN;
    let found = reach(db, list, cells, (first, first + RUN - 1), descending, offset - before).await?;
    Ok(found.map(|(block, within)| {
        let bound = if descending { (block + 1) * BLOCK_SIZE - 1 } else { block * BLOCK_SIZE };
        Start { bound, skip: offset - before - within }
    }))
}

/// The block among these that has row number `offset` of them, and how many rows are before it.
async fn reach(
    db: &impl ConnectionTrait,
    list: List,
    cells: Cells<'_>,
    (first, last): (i64, i64),
    descending: bool,
    offset: u64,
) -> Result<Option<(i64, u64)>, DbErr> {
    let (filter, mut values) = scope(list, cells);
    values.extend([Value::from(first), Value::from(last)]);
    let (order, last) = (if descending { "DESC" } else { "ASC" }, values.len());
    let text = format!(
        "SELECT block, CAST(SUM(n) AS BIGINT) AS n FROM kept_count \
         WHERE list = $1{filter} AND block BETWEEN ${} AND ${last} GROUP BY block ORDER BY block {order}",
        last - 1
    );
    let rows = db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    let mut before = 0_u64;
    for row in rows {
        let n = count(row.try_get_by_index(1)?);
        if before + n > offset {
            return Ok(Some((row.try_get_by_index(0)?, before)));
        }
        before += n;
    }
    Ok(None)
}
