//! The write lane after a failure: what was acknowledged is there, what was refused is not, and the next writer
//! succeeds.

#![expect(clippy::unwrap_used, reason = "this is a test")]

mod lost;

use std::sync::Arc;
use std::time::Duration;

use db::kept::List;
use db::{Db, Trouble, WriteTx};
use sea_orm_migration::sea_orm::{ConnectionTrait as _, DbBackend, DbErr, RuntimeErr, Statement};
use testkit::TestDb;
use tokio::time::timeout;

/// Writes a row of a table that belongs to this test only.
async fn note(tx: &WriteTx, n: i64) -> Result<(), DbErr> {
    let backend = tx.get_database_backend();
    let sql = format!("INSERT INTO kept_count (list, block, cell, n) VALUES (9, {n}, 1, {n})");
    tx.execute_raw(Statement::from_string(backend, sql)).await.map(|_| ())
}

async fn write(db: &Db, n: i64) -> Result<(), DbErr> {
    let tx = db.begin_write().await?;
    note(&tx, n).await?;
    tx.commit().await
}

async fn there(db: &Db) -> Vec<i64> {
    blocks(db, 9).await
}

async fn blocks(db: &Db, list: i16) -> Vec<i64> {
    let sql = format!("SELECT block FROM kept_count WHERE list = {list} ORDER BY block");
    let rows = db.read().query_all_raw(Statement::from_string(db.backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get("", "block").unwrap()).collect()
}

/// Allows the writer's SQLite connection no more pages, as a full disk would.
async fn fill(tx: &WriteTx) -> Result<(), DbErr> {
    tx.execute_unprepared("PRAGMA max_page_count = 1").await?;
    let sql = "INSERT INTO kept_count (list, block, cell, n)
               WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 200000)
               SELECT 8, i, 1, 1 FROM k";
    tx.execute_raw(Statement::from_string(tx.get_database_backend(), sql)).await.map(|_| ())
}

/// Takes a while, and fails then: there is a row `n` already.
async fn fail_late(tx: &WriteTx, n: i64) -> Result<(), DbErr> {
    let takes = if tx.get_database_backend() == DbBackend::Sqlite {
        "WITH RECURSIVE k(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM k WHERE i < 400000) SELECT MAX(i) AS i FROM k"
    } else {
        "SELECT 1 AS i FROM pg_sleep(0.05)"
    };
    let sql =
        format!("INSERT INTO kept_count (list, block, cell, n) SELECT 9, {n}, 1, takes.i FROM ({takes}) AS takes");
    tx.execute_unprepared(&sql).await.map(|_| ())
}

/// Makes SQLite roll back the whole transaction by itself, as it does when a disk fails in the middle of a statement.
/// There is a row `n` already.
async fn be_undone(tx: &WriteTx, n: i64) -> Result<(), DbErr> {
    let sql = format!("INSERT OR ROLLBACK INTO kept_count (list, block, cell, n) VALUES (9, {n}, 1, 1)");
    tx.execute_raw(Statement::from_string(tx.get_database_backend(), sql)).await.map(|_| ())
}

/// Lets so many writers queue up behind another one, so that each finds the next one waiting and all share a batch. What
/// each of them heard, in the order of their numbers.
async fn behind<F>(
    db: &TestDb,
    numbers: impl Iterator<Item = i64>,
    writer: impl Fn(Db, i64) -> F,
) -> Vec<Result<(), DbErr>>
where
    F: Future<Output = Result<(), DbErr>> + Send + 'static,
{
    let before = db.begin_write().await.unwrap();
    let mut queue = Vec::new();
    for n in numbers {
        queue.push(tokio::spawn(writer(db.handle(), n)));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(before);
    let mut heard = Vec::new();
    for writer in queue {
        heard.push(writer.await.unwrap());
    }
    heard
}

/// Three writers of whom the second collects what the database refuses: a document of a table that is not there. What each heard, and
/// whether they shared a batch that was committed.
async fn one_of_three_collects_in_vain(db: &TestDb, first: i64) -> (Vec<Result<(), DbErr>>, bool) {
    let commits = *db.commits().borrow();
    let heard = behind(db, first + 1..=first + 3, move |db, n| async move {
        let mut tx = db.begin_write().await?;
        note(&tx, n).await?;
        // Both are written at the end of the batch only, when nobody's rows can be told from the others' any more.
        tx.counts().add(List(7), n, 1, 1);
        if n == first + 2 {
            tx.documents().added("nothing", 1, "of this name".to_owned());
        }
        tx.commit().await
    });
    (heard.await, *db.commits().borrow() == commits + 1)
}

/// Where to begin with the numbers of a round. A batch is closed when it is some milliseconds old: on a busy machine the
/// writers of a round may not share one, and the next round tries again.
fn rounds() -> impl Iterator<Item = i64> {
    (0..200).map(|round| 10 * round)
}

/// The driver's own error, of which there is one for all who hear of it.
fn driver_error(error: DbErr) -> Arc<sqlx::Error> {
    let (DbErr::Exec(RuntimeErr::SqlxError(error))
    | DbErr::Query(RuntimeErr::SqlxError(error))
    | DbErr::Conn(RuntimeErr::SqlxError(error))) = error
    else {
        panic!("not the driver's: {error}")
    };
    error
}

testkit::db_test! {
    async fn a_search_of_a_writer_is_planned_for_its_values_and_what_comes_next_is_not(db) {
        let mode = async |tx: &WriteTx| -> Option<String> {
            let asked = Statement::from_string(tx.get_database_backend(), "SHOW plan_cache_mode");
            tx.query_one_raw(asked).await.unwrap().map(|row| row.try_get_by_index(0).unwrap())
        };
        let tx = db.begin_write().await.unwrap();
        tx.plan_by_values().await.unwrap();
        // SQLite has no such setting.
        if db.backend() == DbBackend::Postgres {
            assert_eq!(mode(&tx).await.as_deref(), Some("force_custom_plan"));
            drop(tx);
            let next = db.begin_write().await.unwrap();
            assert_eq!(mode(&next).await.as_deref(), Some("auto"));
        }
    }

    async fn a_transaction_with_a_failed_statement_is_not_committed(db) {
        write(&db, 1).await.unwrap();
        let tx = db.begin_write().await.unwrap();
        note(&tx, 2).await.unwrap();
        // If the error is ignored, PostgreSQL would report success for the COMMIT that follows, and roll back.
        _ = note(&tx, 1).await;
        assert!(tx.commit().await.is_err(), "what is not there must not be acknowledged");
        assert_eq!(there(&db).await, [1]);
        write(&db, 3).await.unwrap();
        assert_eq!(there(&db).await, [1, 3]);
    }

    async fn a_failed_writer_takes_nobody_with_him(db) {
        let mut kept = Vec::new();
        for first in rounds() {
            let commits = *db.commits().borrow();
            let heard = behind(&db, first + 1..=first + 4, move |db, n| async move {
                let tx = db.begin_write().await.unwrap();
                note(&tx, n).await.unwrap();
                match n - first {
                    // One whose statement failed, and one that gives up by itself.
                    2 => _ = note(&tx, n).await,
                    3 => return Err(DbErr::Custom("given up".to_owned())),
                    _ => {}
                }
                tx.commit().await
            });
            assert_eq!(heard.await.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, false, true]);
            kept.extend([first + 1, first + 4]);
            assert_eq!(there(&db).await, kept);
            if *db.commits().borrow() == commits + 1 {
                return;
            }
        }
        panic!("they never shared a batch, so that this proves nothing");
    }

    async fn what_a_caller_abandons_in_a_failing_statement_fails_nobody_else(db) {
        let mut kept = Vec::new();
        for first in rounds() {
            let commits = *db.commits().borrow();
            let heard = behind(&db, first + 1..=first + 3, move |db, n| async move {
                let tx = db.begin_write().await?;
                note(&tx, n).await?;
                if n == first + 2 {
                    // He goes before he hears that his own row is in the way.
                    _ = timeout(Duration::from_millis(5), fail_late(&tx, n)).await;
                    return Err(DbErr::Custom("gone".to_owned()));
                }
                tx.commit().await
            });
            assert_eq!(heard.await.iter().map(Result::is_ok).collect::<Vec<_>>(), [true, false, true]);
            kept.extend([first + 1, first + 3]);
            assert_eq!(there(&db).await, kept);
            if *db.commits().borrow() == commits + 1 {
                return;
            }
        }
        panic!("they never shared a batch, so that this proves nothing");
    }

    async fn who_commits_what_he_abandoned_hears_that_it_failed_and_nobody_else_does(db) {
        if db.backend() == DbBackend::Sqlite {
            // There a statement has failed by the time it is abandoned: it leaves no answer behind for the next one.
            return;
        }
        let mut kept = Vec::new();
        for first in rounds() {
            let commits = *db.commits().borrow();
            let heard = behind(&db, first + 1..=first + 3, move |db, n| async move {
                let tx = db.begin_write().await?;
                note(&tx, n).await?;
                if n == first + 2 {
                    _ = timeout(Duration::from_millis(5), fail_late(&tx, n)).await;
                }
                tx.commit().await
            });
            let heard: Vec<_> = heard.await.iter().map(Result::is_ok).collect();
            // Where the second is the first of a batch, nobody else's is in it when he fails; the next round tries again.
            let is_shared = *db.commits().borrow() == commits + 1 && heard[2];
            if is_shared {
                assert!(heard[0] && !heard[1], "{heard:?}");
            }
            kept.extend((first + 1..).zip(heard).filter(|(_, is_there)| *is_there).map(|(n, _)| n));
            assert_eq!(there(&db).await, kept, "what is acknowledged is there, and nothing else");
            if is_shared {
                return;
            }
        }
        panic!("they never shared a batch, so that this proves nothing");
    }

    async fn after_a_full_disk_what_is_acknowledged_is_there(db) {
        if db.backend() != DbBackend::Sqlite {
            // PostgreSQL's own disk is not tested here; losing its connection is tested below.
            return;
        }
        let tx = db.begin_write().await.unwrap();
        note(&tx, 1).await.unwrap();
        let error = fill(&tx).await.unwrap_err();
        assert_eq!(Trouble::of(&error), Some(Trouble::DiskFull), "{error}");
        assert!(tx.commit().await.is_err());
        for n in 2..20 {
            write(&db, n).await.unwrap();
        }
        // By another process, which sees only committed data.
        assert_eq!(there(&db.reopen().await).await, (2..20).collect::<Vec<_>>());
        assert_eq!(db.health().trouble(), None);
    }

    async fn what_runs_on_after_the_engine_undid_a_transaction_is_not_written(db) {
        if db.backend() != DbBackend::Sqlite {
            return;
        }
        let tx = db.begin_write().await.unwrap();
        note(&tx, 1).await.unwrap();
        assert!(be_undone(&tx, 1).await.is_err());
        // The connection is in autocommit now: without a guard this row would be committed at once and alone.
        assert!(note(&tx, 2).await.is_err());
        drop(tx);
        write(&db, 3).await.unwrap();
        assert_eq!(there(&db.reopen().await).await, [3]);
    }

    async fn a_batch_that_the_engine_undid_is_refused_as_a_whole(db) {
        if db.backend() != DbBackend::Sqlite {
            return;
        }
        let mut kept = Vec::new();
        for row in rounds() {
            let heard = behind(&db, 1..=2, move |db, n| async move {
                if n == 1 {
                    return write(&db, row).await;
                }
                let tx = db.begin_write().await.unwrap();
                be_undone(&tx, row).await
            });
            let mut heard = heard.await.into_iter();
            let (first, second) = (heard.next().unwrap(), heard.next().unwrap());
            write(&db, row + 1).await.unwrap();
            // The row of the first stands in the way of the second, if they came in this order.
            if let (Err(error), Err(_)) = (first, second) {
                assert_eq!(Trouble::of(&error), Some(Trouble::Undone), "it can be tried again: {error}");
                kept.push(row + 1);
                assert_eq!(there(&db.reopen().await).await, kept, "its row was undone with the transaction");
                return;
            }
            kept = there(&db).await;
        }
        panic!("they never shared a batch, so that this proves nothing");
    }

    async fn what_one_of_a_batch_has_collected_is_told_to_him_alone_and_fails_him_alone_the_next_time(db) {
        let undone = Some(Some(Trouble::Undone));
        let (mut kept, mut was_refused) = (Vec::new(), false);
        for first in rounds() {
            let (heard, is_shared) = one_of_three_collects_in_vain(&db, first).await;
            kept.extend((first + 1..).zip(&heard).filter(|(_, heard)| heard.is_ok()).map(|(n, _)| n));
            assert_eq!(there(&db).await, kept, "what is acknowledged is there, and nothing else");
            assert_eq!(blocks(&db, 7).await, kept, "with what was collected");
            let heard: Vec<_> = heard.into_iter().map(|heard| heard.err().map(|error| Trouble::of(&error))).collect();
            assert_eq!(heard[1], Some(None), "he hears why");
            for other in [heard[0], heard[2]] {
                assert!(other.is_none() || !was_refused && other == undone, "the others can try again, once: {heard:?}");
            }
            if was_refused && is_shared {
                return write(&db, first + 4).await.unwrap();
            }
            was_refused |= heard.contains(&undone);
        }
        panic!("they never shared a batch, so that this proves nothing");
    }

    async fn a_database_that_another_program_holds_is_busy(db) {
        let other = db.reopen().await;
        let held = other.begin_write().await.unwrap();
        if db.backend() == DbBackend::Postgres {
            held.execute_unprepared("LOCK TABLE kept_count").await.unwrap();
        }
        let error = write(&db, 1).await.expect_err("two write at once");
        assert_eq!(Trouble::of(&error), Some(Trouble::Busy), "{error}");
        if db.backend() == DbBackend::Sqlite {
            // Who queues behind one that waits in vain hears of it with him, instead of waiting as long once more.
            let (first, second, third) = tokio::join!(write(&db, 1), write(&db, 1), write(&db, 1));
            let [first, second, third] = [first, second, third].map(|heard| driver_error(heard.expect_err("it is held")));
            assert!(Arc::ptr_eq(&first, &second) && Arc::ptr_eq(&first, &third), "{first}; {second}; {third}");
        }
        drop(held);
        other.close().await.unwrap();
        write(&db, 2).await.unwrap();
        assert_eq!(there(&db).await, [2]);
    }

    async fn who_says_so_waits_longer_for_a_lock(db) {
        if db.backend() != DbBackend::Postgres {
            return;
        }
        let other = db.reopen().await;
        let held = other.begin_write().await.unwrap();
        held.execute_unprepared("LOCK TABLE kept_count").await.unwrap();
        let db = db.handle();
        let waits = tokio::spawn(async move {
            let tx = db.begin_write().await?;
            tx.wait_for_locks(Duration::from_mins(1)).await?;
            note(&tx, 1).await?;
            tx.commit().await?;
            // Others wait as long as they did.
            let tx = db.begin_write().await?;
            tx.query_one_raw(Statement::from_string(DbBackend::Postgres, "SHOW lock_timeout")).await
        });
        // Longer than any other writer would.
        tokio::time::sleep(Duration::from_secs(6)).await;
        drop(held);
        let row = waits.await.unwrap().unwrap().unwrap();
        assert_eq!(row.try_get_by_index::<String>(0).unwrap(), "5s");
    }
}
