//! The templates of `cargo xtask new-entity`, compiled and tried: what they make of an announcement, and what the program
//! derives from it without a line by hand. `cargo xtask sample` writes the other files of this folder.

mod row;
#[rustfmt::skip]
mod slice;
#[rustfmt::skip]
mod test;

use std::sync::LazyLock;

use base::domain::Domain;
use sea_orm::ConnectionTrait as _;
use serde_json::json;
use testkit::{TestDb, db_test};

kernel::id_type! {
    /// An announcement.
    AnnouncementId;
}

/// The console's domains and the sample's.
static DOMAINS: LazyLock<Vec<Domain>> = LazyLock::new(|| [server::domains::all(), &[slice::DOMAIN]].concat());

/// Starts applications that have the sample, as the tests of an entity know them.
struct TestApp;

impl TestApp {
    #[expect(clippy::new_ret_no_self, reason = "the template's tests know it by this name")]
    async fn new(db: TestDb) -> testapp::TestApp {
        let tx = db.begin_write().await.unwrap();
        let text = db::sql::dialect(db.backend(), include_str!("announcement.sql"));
        tx.execute_unprepared(&text).await.unwrap();
        tx.commit().await.unwrap();
        testapp::TestApp::of(db, &DOMAINS, |_| {}).await
    }
}

db_test! {
    async fn what_the_template_makes_is_known_everywhere(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        admin.post("/api/sample/v1/announcements", json!({ "name": "停机公告" })).await.data();
        // In the menu and among the permissions.
        let menu = admin.get("/api/user/v1/menus/tree").await;
        assert!(String::from_utf8(menu.bytes).unwrap().contains("announcements"));
        let codes = base::domain::catalogue(&DOMAINS).codes();
        assert!(["list", "create", "update", "delete", "export"].iter().all(|act| codes.contains(&&*format!("announcement:{act}"))));
        // In the operation log, in words.
        let log = admin.clone().lang("en").get("/api/user/v1/operation/log/words").await.data();
        assert!(log.to_string().contains("Announcement"), "{log}");
        // As a file with headings.
        let file = admin.clone().lang("en").get("/api/sample/v1/announcements/file?format=csv").await.table();
        assert_eq!((file[0][0].as_str(), file[1][0].as_str()), ("Name", "停机公告"));
    }
}

db_test! {
    async fn the_demo_company_has_some_that_every_order_tells_apart(db) {
        let app = TestApp::new(db).await;
        (slice::DOMAIN.demo)(&app.app).await.unwrap();
        let rows = app.admin().await.get("/api/sample/v1/announcements?sort=createdAt&order=asc").await.data()["list"].clone();
        assert_eq!((&rows[0]["name"], &rows[1]["name"], rows.as_array().unwrap().len()), (&json!("公告一"), &json!("公告二"), 2));
        for key in ["name", "createdAt", "updatedAt"] {
            assert_ne!(rows[0][key], rows[1][key], "{key}");
        }
    }
}

#[test]
fn its_labels_and_screen_are_in_the_document() {
    let document = serde_json::to_value(base::router::document(&DOMAINS)).unwrap();
    assert_eq!(document["components"]["schemas"]["Announcement"]["x-labels"]["name"], json!(["名称", "Name"]));
    let screens = document["x-console"]["screens"].as_array().unwrap();
    assert!(screens.iter().any(|screen| screen["path"] == "/announcements"));
}
