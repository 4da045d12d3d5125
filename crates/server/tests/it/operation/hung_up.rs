//! Callers who hang up in the middle: an act that they asked for is done to its end, with all that follows a commit; what only reads
//! ends with them.

use std::time::Duration;

use axum::body::Body;
use fleet::operation::Operations;
use http::Method;
use sea_orm::{ConnectionTrait as _, DbBackend};
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::room::until;

use super::{shell, up};

/// Until a handler has come to its transaction, with much to spare.
const A_WHILE: Duration = Duration::from_millis(300);

db_test! {
    async fn an_act_whose_caller_hangs_up_is_done_and_its_room_woken(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        clerk.post(&format!("{OPERATIONS}/{}/pause", made["id"]), json!({})).await.data();
        let woken = || app.app.part::<Operations>().wakes(session.room);
        let before = woken();

        // Its turn to write has not come when its caller hangs up.
        let other = app.app.db.begin_write().await.unwrap();
        let path = format!("{OPERATIONS}/{}/resume", made["id"]);
        let asked = clerk.begin(Method::POST, &path, "application/json", Body::from("{}"));
        assert!(tokio::time::timeout(A_WHILE, asked).await.is_err(), "it was answered before it could write");
        drop(other);

        until("the operation goes on", async || get(&clerk, &made["id"]).await["state"] == 4).await;
        until("the room is woken", async || woken().all > before.all).await;
    }

    async fn a_page_that_is_asked_for_by_post_ends_with_its_caller(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        // All connections for reading have something to do for longer than anybody here waits.
        let long = if app.app.db.backend() == DbBackend::Postgres {
            "SELECT pg_sleep(3)"
        } else {
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000000) SELECT count(*) FROM n"
        };
        for _ in 0..testkit::READERS {
            let app = app.app.clone();
            tokio::spawn(async move { app.db.read().execute_unprepared(long).await.unwrap() });
        }
        tokio::time::sleep(A_WHILE / 3).await;
        let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        let before = alive();
        let page = Body::from(r#"{"pageNum":1,"pageSize":10}"#);
        let asked = clerk.begin(Method::POST, "/api/user/v5/user/getPageUserInfo", "application/json", page);
        assert!(tokio::time::timeout(A_WHILE, asked).await.is_err(), "it was answered without a reader");
        assert_eq!(alive(), before, "nobody reads on for somebody who is gone");
    }
}
