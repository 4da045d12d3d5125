//! Kept counters against what they count.

use db::kept::{BLOCK_SIZE, List, Packed};
use sea_orm_migration::sea_orm::{ConnectionTrait, Statement};

/// Asserts that the counters of these lists are what a count of their tables says, in all and by block or by word.
pub async fn check(db: &impl ConnectionTrait, lists: impl IntoIterator<Item = &Packed>) {
    let read = async |text: String| -> Vec<(String, String, String)> {
        let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap();
        rows.iter().map(|row| row.try_get_many_by_index().unwrap()).collect()
    };
    for packed in lists {
        let (Packed { list: List(list), table, .. }, cell) = (packed, packed.cell());
        // Where they are kept under which key; what that is of a row; which rows are counted, and in which counters.
        let kept = match packed.word {
            Some(word) => vec![("kept_word", "word", word.to_owned(), format!("{word} <> ''"), "1 = 1")],
            None => vec![
                ("kept_count", "block", "-1".to_owned(), "1 = 1".to_owned(), "block = -1"),
                ("kept_count", "block", format!("id / {BLOCK_SIZE}"), "1 = 1".to_owned(), "block >= 0"),
            ],
        };
        for (counters, key, said, rows, blocks) in kept {
            let counted = format!(
                "SELECT CAST(k AS TEXT), CAST(c AS TEXT), CAST(COUNT(*) AS TEXT) \
                 FROM (SELECT {said} AS k, {cell} AS c FROM {table} WHERE {rows}) AS t GROUP BY k, c ORDER BY k, c"
            );
            let told = format!(
                "SELECT CAST({key} AS TEXT), CAST(cell AS TEXT), CAST(n AS TEXT) FROM {counters} \
                 WHERE list = {list} AND n <> 0 AND {blocks} ORDER BY {key}, cell"
            );
            assert_eq!(read(counted).await, read(told).await, "list {list} of {table} by {said}");
        }
    }
}
