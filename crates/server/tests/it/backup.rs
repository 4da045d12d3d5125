//! A backup holds everything, is the same for both engines, and a damaged one is refused.

use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait as _, DbBackend, Statement};
use serde_json::json;
use server::backup::{SKIPPED, TABLES, backup, restore};
use testkit::{Engine, TestDb, db_test};

use crate::support::TestApp;

const LIST: &str = "/api/user/v5/user/getPageUserInfo";

db_test! {
    async fn a_backup_restores_on_either_engine(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await;
        for (name, phone) in [("张三丰", "13800000001"), ("李小龙", "13800000002")] {
            clerk.post("/api/user/v1/client-users", json!({ "name": name, "phone": phone })).await.data();
        }
        let file = app.db.folder().join("company.zip");
        backup(&app.app.db, app.db.folder(), &file, UtcTime(0)).await.unwrap();

        for engine in [Engine::Sqlite, Engine::Postgres] {
            let Some(fresh) = TestDb::fresh(engine).await else { continue };
            restore(&fresh, fresh.folder(), &file).await.unwrap();
            assert_eq!(db::journal::verify(fresh.read()).await.unwrap(), Ok(2));
            // The master key is not in a backup: it is brought along by itself.
            std::fs::copy(app.db.folder().join("master.key"), fresh.folder().join("master.key")).unwrap();
            let again = TestApp::new(fresh).await;
            let other = again.operator("other", &["clientUser:list", "clientUser:create"]).await;
            let page = other.post(LIST, json!({ "keyWord": "小龙" })).await.data();
            assert_eq!((&page["total"], &page["list"][0]["phone"]), (&json!(1), &json!("13800000002")));
            let next = other.post("/api/user/v1/client-users", json!({ "name": "新人" })).await.data();
            assert_eq!(next["id"], 3, "the next id follows the restored ones");
        }
    }

    async fn a_damaged_backup_and_a_full_database_are_refused(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:create"]).await;
        clerk.post("/api/user/v1/client-users", json!({ "name": "张三" })).await.data();
        let file = app.db.folder().join("company.zip");
        backup(&app.app.db, app.db.folder(), &file, UtcTime(0)).await.unwrap();

        let full = restore(&app.app.db, app.db.folder(), &file).await.unwrap_err().to_string();
        assert!(full.contains("not empty"), "{full}");
        let mut bytes = std::fs::read(&file).unwrap();
        // Inside the rows of a table that has some, right behind the name of its entry.
        let name = b"tables/menu.jsonl";
        let rows = bytes.windows(name.len()).position(|part| part == name).unwrap() + name.len();
        bytes[rows + 60] ^= 0x40;
        let broken = app.db.folder().join("broken.zip");
        std::fs::write(&broken, bytes).unwrap();
        let Some(fresh) = TestDb::fresh(Engine::Sqlite).await else { return };
        assert!(restore(&fresh, fresh.folder(), &broken).await.is_err());
        let left = entity_count(&fresh).await;
        assert_eq!(left, 0, "a refused restore left rows behind");
    }

    async fn every_table_is_backed_up_or_left_out_on_purpose(db) {
        let backend = db.backend();
        let sql = if backend == DbBackend::Sqlite {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        } else {
            "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'"
        };
        for row in db.read().query_all_raw(Statement::from_string(backend, sql)).await.unwrap() {
            let name: String = row.try_get("", "name").unwrap();
            let known = TABLES.iter().any(|(table, _)| *table == name) || SKIPPED.iter().any(|table| name.starts_with(table));
            assert!(known, "{name} is in no list of backup/tables.rs");
        }
    }
}

async fn entity_count(db: &TestDb) -> i64 {
    let statement = Statement::from_string(db.backend(), "SELECT CAST(count(*) AS BIGINT) AS n FROM client_user");
    db.read().query_one_raw(statement).await.unwrap().unwrap().try_get("", "n").unwrap()
}
