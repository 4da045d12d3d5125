//! Values that records have already.

use std::collections::HashSet;

use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait, QueryFilter as _, QuerySelect as _};

use super::row::Row;

/// Values in one statement: engines limit them.
const VALUES: usize = 500;

/// Which of the texts that `rows` have under `key` records of `E` have in `column`.
///
/// # Errors
/// When a read fails.
pub async fn taken<E: EntityTrait>(
    db: &impl ConnectionTrait,
    column: E::Column,
    rows: &[&Row],
    key: &str,
) -> Result<HashSet<String>, DbErr> {
    let mut values: Vec<&str> = rows.iter().filter_map(|row| row.given(key)).collect();
    // In key order, as the index is.
    values.sort_unstable();
    let mut taken = HashSet::new();
    for values in values.chunks(VALUES) {
        let found: Vec<String> = E::find()
            .select_only()
            .column(column)
            .filter(column.is_in(values.iter().copied()))
            // Indexes leave empty texts out where those need not be unique; saying so lets them be used.
            .filter(column.ne(""))
            .into_tuple()
            .all(db)
            .await?;
        taken.extend(found);
    }
    Ok(taken)
}
