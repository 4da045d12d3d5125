//! Kept counters: totals, and where a deep page of a long list begins.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use db::kept::{self, BLOCK_SIZE, Cells, Field, List, Place, Start, counted_anew};
use sea_orm_migration::sea_orm::{ConnectionTrait as _, Statement};
use testkit::{TestDb, db_test};

const LIST: List = List(90);
const KIND: Field = Field::new(0, 2, "id % 4");
/// Every third of them has a row, in one of four cells; the ids are of some runs of blocks.
const IDS: i64 = 300_000;

fn rows() -> impl Iterator<Item = Place> {
    (1..IDS).step_by(3).map(|id| Place { cell: i32::try_from(id % 4).unwrap(), id })
}

async fn counters(db: &TestDb) -> Vec<(i64, i64, i64)> {
    let text =
        "SELECT block, CAST(cell AS BIGINT) AS cell, n FROM kept_count WHERE list = 90 AND n <> 0 ORDER BY block, cell";
    let rows = db.read().query_all_raw(Statement::from_string(db.backend(), text)).await.unwrap();
    rows.iter().map(|row| row.try_get_many_by_index().unwrap()).collect()
}

#[test]
fn a_field_finds_its_values_and_none_that_it_cannot_have() {
    const STATE: Field = Field::new(3, 4, "state");
    let cell = KIND.put(2) | STATE.put(9);
    assert_eq!((cell, KIND.get(cell), STATE.get(cell), STATE.code(cell)), (2 + 9 * 8, 2, 9, 9));
    assert!(STATE.is(9).has(cell) && KIND.one_of([1, 2]).has(cell) && !KIND.is(3).has(cell));
    assert!(STATE.holds(15) && !STATE.holds(16) && !STATE.holds(-1));
    // 25 has the lowest bits of 9.
    for value in [25, -7, i64::MAX] {
        assert!(!STATE.is(value).has(cell), "{value}");
    }
    // What does not fit leaves the others as they are.
    assert_eq!(KIND.get(KIND.put(2) | STATE.put(i64::MAX)), 2);
}

db_test! {
    async fn a_deep_page_begins_where_all_rows_before_it_end(db) {
        let mut tx = db.begin_write().await.unwrap();
        for row in rows() {
            tx.counts().moved(LIST, None, Some(row));
        }
        // Those of one whole block are gone again.
        let gone = 20 * BLOCK_SIZE..21 * BLOCK_SIZE;
        for row in rows().filter(|row| gone.contains(&row.id)) {
            tx.counts().moved(LIST, Some(row), None);
        }
        tx.commit().await.unwrap();

        for wanted in [vec![0, 1, 2, 3], vec![2], vec![1, 3]] {
            let parts = [KIND.one_of(wanted.clone())];
            let cells = Cells::With(&parts);
            let is_one = |row: &Place| wanted.contains(&row.cell) && !gone.contains(&row.id);
            let mut ids: Vec<i64> = rows().filter(is_one).map(|row| row.id).collect();
            assert_eq!(kept::total(db.read(), LIST, cells).await.unwrap(), ids.len() as u64);
            for descending in [false, true] {
                for offset in [0, 1, 1365, 1366, 21_845, 21_846, 30_000, ids.len() / 2, ids.len() - 1] {
                    let found = kept::seek(db.read(), LIST, cells, offset as u64, descending).await.unwrap();
                    if offset >= ids.len() {
                        assert_eq!(found, None);
                        continue;
                    }
                    let Start { bound, skip } = found.unwrap();
                    let mut from = ids.iter().filter(|id| if descending { **id <= bound } else { **id >= bound });
                    let first = from.nth(usize::try_from(skip).unwrap());
                    assert_eq!(first, Some(&ids[offset]), "{wanted:?}, {offset}, {descending}");
                    assert!(skip < BLOCK_SIZE.unsigned_abs());
                }
                ids.reverse();
            }
            assert_eq!(kept::seek(db.read(), LIST, cells, ids.len() as u64, true).await.unwrap(), None);
        }
    }

    async fn what_is_counted_anew_is_what_was_kept(db) {
        let mut tx = db.begin_write().await.unwrap();
        for row in rows() {
            tx.counts().moved(LIST, None, Some(row));
        }
        tx.commit().await.unwrap();
        let kept = counters(&db).await;
        assert!(kept.iter().any(|(block, ..)| *block < -2), "{kept:?}");

        let table = format!(
            "(WITH RECURSIVE n(id) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT id + 3 FROM n WHERE id + 3 < {IDS}) SELECT id FROM n) AS rows"
        );
        let tx = db.begin_write().await.unwrap();
        for text in counted_anew(LIST, &table, "id % 4") {
            tx.execute_unprepared(&text).await.unwrap();
        }
        tx.commit().await.unwrap();
        assert_eq!(counters(&db).await, kept);
    }

    async fn what_has_names_is_counted_by_them(db) {
        let mut tx = db.begin_write().await.unwrap();
        for (word, cell) in [("a", 1), ("a", 2), ("a", 2), ("b", 1), ("", 1)] {
            tx.counts().renamed(LIST, None, Some((word, cell)));
        }
        tx.commit().await.unwrap();
        let counted = async |word: &str, wanted: Vec<i32>| {
            let parts = [KIND.one_of(wanted)];
            kept::total_of_word(db.read(), LIST, word, Cells::With(&parts)).await.unwrap()
        };
        assert_eq!((counted("a", vec![1, 2]).await, counted("a", vec![2]).await, counted("b", vec![1]).await), (3, 2, 1));
        assert_eq!(kept::total_of_word(db.read(), LIST, "", Cells::All).await.unwrap(), 0);

        // One goes over, one comes back to no name, one stays what it is.
        let mut tx = db.begin_write().await.unwrap();
        tx.counts().renamed(LIST, Some(("a", 2)), Some(("b", 2)));
        tx.counts().renamed(LIST, Some(("a", 2)), Some(("", 2)));
        tx.counts().renamed(LIST, Some(("a", 1)), Some(("a", 1)));
        tx.commit().await.unwrap();
        assert_eq!((counted("a", vec![1, 2]).await, counted("b", vec![1, 2]).await, counted("c", vec![1]).await), (1, 2, 0));
    }
}
