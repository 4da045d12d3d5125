//! Kept counters: how many rows of a list fall in each *cell*, in all and per block of ids.
//!
//! `count(*)` over a million rows costs PostgreSQL 58 ms and `OFFSET 500000` 400 ms
//! (PERFORMANCE.md). A list whose usual filters have few values packs them into one small number,
//! its cell; every write moves its row between cells in the same transaction. Then
//!
//! * a total is the sum of a handful of rows, exact, also with filters;
//! * a deep page is found by adding up blocks of [`BLOCK_SIZE`] ids, and costs a seek.

use std::collections::BTreeMap;

use sea_orm::{ConnectionTrait, DbErr, Value};

use crate::sql;

/// Ids per block.
pub const BLOCK_SIZE: i64 = 4096;
/// The block that stands for the whole list.
const WHOLE: i64 = -1;

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

/// Changes of counters that a transaction gathers and writes once.
#[derive(Debug, Default)]
pub struct Deltas(BTreeMap<(List, i64, i32), i64>);

impl Deltas {
    /// A row came (`from` is none), went (`to` is none) or changed its cell.
    pub fn moved(&mut self, list: List, from: Option<Place>, to: Option<Place>) {
        if from == to {
            return;
        }
        for (place, change) in [(from, -1), (to, 1)] {
            if let Some(Place { cell, id }) = place {
                *self.0.entry((list, WHOLE, cell)).or_default() += change;
                *self.0.entry((list, id.div_euclid(BLOCK_SIZE), cell)).or_default() += change;
            }
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for (key, change) in other.0 {
            *self.0.entry(key).or_default() += change;
        }
    }
}

/// Writes the gathered changes inside the caller's transaction.
pub(crate) async fn flush(db: &impl ConnectionTrait, deltas: Deltas) -> Result<(), DbErr> {
    const ROWS: usize = 200;
    let changes: Vec<_> = deltas.0.into_iter().filter(|(_, change)| *change != 0).collect();
    for chunk in changes.chunks(ROWS) {
        let values = chunk.iter().flat_map(|((list, block, cell), change)| -> [Value; 4] {
            [list.0.into(), (*block).into(), (*cell).into(), (*change).into()]
        });
        let text = format!(
            "INSERT INTO kept_count (list, block, cell, n) VALUES {} \
             ON CONFLICT (list, block, cell) DO UPDATE SET n = kept_count.n + excluded.n",
            sql::value_groups(chunk.len(), 4)
        );
        db.execute_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    }
    Ok(())
}

/// How many rows of `list` lie in `cells`; `None` means all cells.
///
/// # Errors
/// When the read fails.
pub async fn total(db: &impl ConnectionTrait, list: List, cells: Option<&[i32]>) -> Result<u64, DbErr> {
    let (filter, values) = scope(list, cells);
    let text = format!(
        "SELECT CAST(COALESCE(SUM(n), 0) AS BIGINT) AS n FROM kept_count WHERE list = $1 AND block = -1{filter}"
    );
    let row = db.query_one_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    let n: i64 = row.map_or(Ok(0), |row| row.try_get("", "n"))?;
    Ok(u64::try_from(n).unwrap_or(0))
}

/// Where a page begins: an id to start from, and how many matching rows to skip from there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// Ascending: rows with `id >= bound`; descending: rows with `id <= bound`.
    pub bound: i64,
    /// Matching rows between the bound and the page; less than a block.
    pub skip: u64,
}

/// Finds the block in which the row number `offset` (from 0, in id order) lies.
///
/// `None` when the list has no such row.
///
/// # Errors
/// When the read fails.
pub async fn seek(
    db: &impl ConnectionTrait,
    list: List,
    cells: Option<&[i32]>,
    offset: u64,
    descending: bool,
) -> Result<Option<Start>, DbErr> {
    let (filter, values) = scope(list, cells);
    let order = if descending { "DESC" } else { "ASC" };
    let text = format!(
        "SELECT block, CAST(SUM(n) AS BIGINT) AS n FROM kept_count WHERE list = $1 AND block >= 0{filter} \
         GROUP BY block ORDER BY block {order}"
    );
    let rows = db.query_all_raw(sql::statement(db.get_database_backend(), text, values)).await?;
    let mut before = 0_u64;
    for row in rows {
        let block: i64 = row.try_get_by_index(0)?;
        let n = u64::try_from(row.try_get_by_index::<i64>(1)?).unwrap_or(0);
        if before + n > offset {
            let bound = if descending { (block + 1) * BLOCK_SIZE - 1 } else { block * BLOCK_SIZE };
            return Ok(Some(Start { bound, skip: offset - before }));
        }
        before += n;
    }
    Ok(None)
}

fn scope(list: List, cells: Option<&[i32]>) -> (String, Vec<Value>) {
    let mut values: Vec<Value> = vec![list.0.into()];
    let filter = cells.map_or_else(String::new, |cells| {
        values.extend(cells.iter().map(|cell| Value::from(*cell)));
        format!(" AND cell IN ({})", sql::placeholders(2, cells.len()))
    });
    (filter, values)
}
