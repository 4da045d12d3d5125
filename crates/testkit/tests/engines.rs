//! The kit itself: each test gets its own migrated database, on the requested engine.

#![expect(clippy::unwrap_used, reason = "this is a test")]

use db::Reads;
use sea_orm_migration::sea_orm::{ConnectionTrait as _, DbBackend, Statement};

testkit::db_test! {
    async fn a_database_is_migrated_and_empty(db) {
        let tx = db.begin_write().await.unwrap();
        let inserted = tx.execute_unprepared("INSERT INTO kept_count (list, block, cell, n) VALUES (1, 1, 1, 1)").await;
        // A second run on a shared database would break the primary key.
        assert_eq!(inserted.unwrap().rows_affected(), 1);
        tx.commit().await.unwrap();
    }

    async fn a_database_is_reached_from_elsewhere(db) {
        let other = db.reopen().await;
        assert_eq!(other.backend(), db.backend());
        assert!(db.folder().is_dir());
    }

    async fn what_is_looked_up_by_number_is_planned_once_and_what_is_searched_for_its_values(db) {
        let mode = async |reads: &Reads| -> String {
            let asked = Statement::from_string(db.backend(), "SHOW plan_cache_mode");
            reads.query_one_raw(asked).await.unwrap().unwrap().try_get_by_index(0).unwrap()
        };
        if db.backend() == DbBackend::Postgres {
            assert_eq!(mode(db.lookups()).await, "auto");
            assert_eq!(mode(db.read()).await, "force_custom_plan");
        }
        for reads in [db.lookups(), db.read()] {
            let written = reads.execute_unprepared("INSERT INTO kept_count (list, block, cell, n) VALUES (1, 1, 1, 1)").await;
            assert!(written.is_err(), "written past the lane");
        }
    }

    async fn a_row_of_its_own_table_that_a_row_names_is_found_by_an_index(db) {
        // Otherwise SQLite looks through the whole table at each row of a restore, whose references wait for its end.
        if db.backend() != DbBackend::Sqlite {
            return;
        }
        let own = "SELECT t.name || '.' || f.\"from\" FROM sqlite_master t JOIN pragma_foreign_key_list(t.name) f
            WHERE t.type = 'table' AND f.\"table\" = t.name AND NOT EXISTS (SELECT 1 FROM pragma_index_list(t.name) i
            JOIN pragma_index_info(i.name) c WHERE c.seqno = 0 AND c.name = f.\"from\")";
        let rows = db.read().query_all_raw(Statement::from_string(db.backend(), own)).await.unwrap();
        let unindexed: Vec<String> = rows.iter().map(|row| row.try_get_by_index(0).unwrap()).collect();
        assert_eq!(unindexed, Vec::<String>::new());
    }
}
