//! What stands beside the rows of a table where they are shown, such as the names of what they refer to, read by one
//! statement: each further question is a way there and back.

use std::collections::HashMap;
use std::hash::Hash;

use sea_orm::{ConnectionTrait, DbErr, FromQueryResult, ModelTrait, QueryResult, Value};

use crate::sql;

/// What stands beside a row. Its own fields have other names than the columns of the row.
pub trait Beside: FromQueryResult + Send + Sized {
    /// The row.
    type Row: FromQueryResult + ModelTrait;
    /// What tells rows apart.
    type Id: Copy + Eq + Hash + Into<Value>;
    /// The table of the rows.
    const TABLE: &str;

    /// What is read, and from where: what comes between `SELECT table.id,` and `WHERE table.id`. A row that is there is
    /// found, whatever else is not.
    fn text() -> impl std::fmt::Display;

    /// The row that it stands beside.
    fn id(&self) -> Self::Id;
}

async fn read<B: Beside>(
    db: &impl ConnectionTrait,
    own: &str,
    ids: impl ExactSizeIterator<Item = B::Id>,
) -> Result<Vec<QueryResult>, DbErr> {
    let text = format!("SELECT {table}.{own}, {} WHERE {table}.id", B::text(), table = B::TABLE);
    db.query_all_raw(sql::of_ids(db.get_database_backend(), text, ids)).await
}

/// What stands beside these rows of one page, of which there are some. One that has gone meanwhile is not among them.
///
/// # Errors
/// When the read fails.
pub async fn beside<B: Beside>(
    db: &impl ConnectionTrait,
    rows: impl ExactSizeIterator<Item = B::Id>,
) -> Result<HashMap<B::Id, B>, DbErr> {
    let one = |row: &QueryResult| B::from_query_result(row, "").map(|beside| (beside.id(), beside));
    read::<B>(db, "id", rows).await?.iter().map(one).collect()
}

/// A row with what stands beside it, if it exists.
///
/// # Errors
/// When the read fails.
pub async fn whole<B: Beside>(db: &impl ConnectionTrait, id: B::Id) -> Result<Option<(B::Row, B)>, DbErr> {
    let rows = read::<B>(db, "*", std::iter::once(id)).await?;
    let both = |row: &QueryResult| Ok((B::Row::from_query_result(row, "")?, B::from_query_result(row, "")?));
    rows.first().map(both).transpose()
}
