//! Damage is found, kept and shown.

use std::io::{Seek as _, SeekFrom, Write as _};

use db::integrity::{failed_checksums, inspect};
use kernel::time::UtcTime;
use platform::general::check_integrity;
use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use serde_json::json;
use testapp::TestApp;
use testkit::{Engine, TestDb, db_test};

const DASHBOARD: &str = "/api/general/v1/dashboard";

async fn number(db: &TestDb, sql: &str) -> u64 {
    let row = db.read().query_one_raw(Statement::from_string(db.backend(), sql)).await.unwrap().unwrap();
    row.try_get::<i64>("", "v").unwrap().try_into().unwrap()
}

db_test! {
    async fn what_was_found_is_kept_and_shown(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["dashboard:view", "clientUser:create"]).await;
        assert_eq!(clerk.get(DASHBOARD).await.data()["integrity"], json!(null), "nobody has looked yet");
        clerk.post("/api/user/v1/client-users", json!({ "name": "张三", "phone": "13800000001" })).await.data();
        app.app.anchors.drop_one(&app.app.db, app.app.clock.now()).await.unwrap();
        for is_thorough in [false, true] {
            check_integrity(&app.app, is_thorough).await.unwrap();
            let shown = clerk.get(DASHBOARD).await.data()["integrity"].clone();
            assert_eq!((&shown["ok"], &shown["problems"], &shown["thorough"]), (&json!(true), &json!([]), &json!(is_thorough)));
            assert_eq!((&shown["logLines"], &shown["anchors"]), (&json!(1), &json!(1)));
            assert!(shown["checkedAt"].is_string() && shown["milliseconds"].as_i64().unwrap() >= 0);
        }

        let open_up = if app.app.db.backend() == DbBackend::Sqlite {
            "DROP TRIGGER operation_log_no_update"
        } else {
            "DROP TRIGGER operation_log_no_change ON operation_log"
        };
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared(open_up).await.unwrap();
        tx.execute_unprepared("UPDATE operation_log SET operator_name = 'nobody'").await.unwrap();
        tx.commit().await.unwrap();
        assert!(!check_integrity(&app.app, false).await.unwrap().ok);
        let shown = clerk.get(DASHBOARD).await.data()["integrity"].clone();
        assert_eq!((&shown["ok"], &shown["problems"]), (&json!(false), &json!(["操作日志第 1 条：它的内容被修改过"])));
        let shown = clerk.clone().lang("en").get(DASHBOARD).await.data()["integrity"].clone();
        assert_eq!(shown["problems"], json!(["Operation log entry 1: Its content was modified"]));
    }

    async fn only_the_last_hundred_results_stay(db) {
        let app = TestApp::new(db).await;
        let row = "INSERT INTO integrity_check (begun_at, took_ms, is_thorough, problems, log_lines, anchors) VALUES (0, 0, FALSE, '[]', 0, 0)";
        let tx = app.app.db.begin_write().await.unwrap();
        for _ in 0..120 {
            tx.execute_unprepared(row).await.unwrap();
        }
        tx.commit().await.unwrap();
        check_integrity(&app.app, false).await.unwrap();
        assert_eq!(number(&app.db, "SELECT CAST(count(*) AS BIGINT) AS v FROM integrity_check").await, 100);
    }
}

/// Overwrites where `setting` begins.
#[test]
fn a_damaged_page_of_sqlite_is_found() {
    testkit::run(Engine::Sqlite, |db| async move {
        assert_eq!(inspect(&db, true, None).await.unwrap(), Vec::<String>::new());
        let size = number(&db, "SELECT page_size AS v FROM pragma_page_size").await;
        let root =
            number(&db, "SELECT rootpage AS v FROM sqlite_master WHERE type = 'table' AND name = 'setting'").await;
        db.close().await;
        let mut file = std::fs::OpenOptions::new().write(true).open(db.folder().join("test.db")).unwrap();
        file.seek(SeekFrom::Start((root - 1) * size)).unwrap();
        file.write_all(&[0xff; 512]).unwrap();
        drop(file);
        let db = db.opened().await;
        for is_thorough in [false, true] {
            let found = inspect(&db, is_thorough, None).await.unwrap();
            assert!(!found.is_empty(), "thorough: {is_thorough}");
        }
        assert!(inspect(&db, false, None).await.unwrap()[0].starts_with("setting: "));
    });
}

#[test]
fn an_index_that_lacks_a_row_is_found() {
    testkit::run(Engine::Sqlite, |db| async move {
        let tx = db.begin_write().await.unwrap();
        for sql in [
            "CREATE TABLE damaged (id INTEGER PRIMARY KEY, name TEXT NOT NULL)",
            "CREATE INDEX damaged_name ON damaged (name) WHERE id > 9",
            "INSERT INTO damaged VALUES (1, 'a'), (2, 'b')",
            "PRAGMA writable_schema = ON",
            "UPDATE sqlite_schema SET sql = 'CREATE INDEX damaged_name ON damaged (name)' WHERE name = 'damaged_name'",
        ] {
            tx.execute_unprepared(sql).await.unwrap();
        }
        tx.commit().await.unwrap();
        db.close().await;
        let db = db.opened().await;
        assert!(inspect(&db, true, None).await.unwrap().iter().any(|found| found.contains("damaged_name")));
    });
}

#[test]
fn an_invalid_index_of_postgresql_is_found_with_amcheck_and_without() {
    testkit::run(Engine::Postgres, |db| async move {
        assert_eq!(inspect(&db, true, None).await.unwrap(), Vec::<String>::new());
        let tx = db.begin_write().await.unwrap();
        tx.execute_unprepared("CREATE EXTENSION amcheck").await.unwrap();
        tx.commit().await.unwrap();
        for is_thorough in [false, true] {
            assert_eq!(inspect(&db, is_thorough, None).await.unwrap(), Vec::<String>::new());
        }
        let tx = db.begin_write().await.unwrap();
        let index = "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = (SELECT min(indexrelid) FROM pg_index \
                     WHERE indrelid = 'client_user'::regclass AND NOT indisprimary)";
        tx.execute_unprepared(index).await.unwrap();
        tx.commit().await.unwrap();
        let found = inspect(&db, false, None).await.unwrap();
        assert!(found.len() == 1 && found[0].contains("is not valid"), "{found:?}");
    });
}

/// PostgreSQL counts for ever; what the last thorough check reported is not reported again.
#[test]
fn failed_checksums_of_postgresql_are_told_with_their_time_and_not_for_ever() {
    testkit::run(Engine::Postgres, |db| async move {
        let tx = db.begin_write().await.unwrap();
        for sql in [
            "CREATE TABLE statistics (datname NAME, checksum_failures BIGINT, checksum_last_failure TIMESTAMPTZ)",
            "INSERT INTO statistics VALUES (current_database(), 3, '2026-11-22 10:00:00+00'), ('another', 9, '2026-11-22 12:00:00+00')",
        ] {
            tx.execute_unprepared(sql).await.unwrap();
        }
        tx.commit().await.unwrap();
        let told = async |since: Option<UtcTime>| {
            let rows = Statement::from_string(db.backend(), failed_checksums("statistics", since));
            let rows = db.read().query_all_raw(rows).await.unwrap();
            rows.iter().map(|row| row.try_get::<String>("", "v").unwrap()).collect::<Vec<_>>()
        };
        let words = "3 pages had another checksum than was written, the last one at 2026-11-22 10:00:00 UTC";
        let failed_at = 1_795_341_600_000;
        assert_eq!(told(None).await, [words]);
        assert_eq!(told(Some(UtcTime(failed_at))).await, [words]);
        assert_eq!(
            told(Some(UtcTime(failed_at + 1))).await,
            [""; 0],
            "everything was read since, and none failed again"
        );
        let real = Statement::from_string(db.backend(), failed_checksums("pg_stat_database", None));
        assert!(db.read().query_all_raw(real).await.unwrap().is_empty());
    });
}
