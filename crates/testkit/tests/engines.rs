//! The kit itself: each test gets its own migrated database, on the requested engine.

#![expect(clippy::unwrap_used, reason = "this is a test")]

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
}

use sea_orm_migration::sea_orm::ConnectionTrait as _;
