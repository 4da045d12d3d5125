//! The log of calls: written in batches, shown, given as a file, pruned.

use std::time::Duration;

use open::{PruneCalls, flush, prune};
use queue::Creator;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::{APPS, CALLS, SELF, application, ask, clerk, form, headed, now};

async fn listed(clerk: &Caller<'_>, filter: &str) -> (u64, Vec<Value>) {
    let page = clerk.get(&format!("{CALLS}?{filter}")).await.data();
    (page["total"].as_u64().unwrap(), page["list"].as_array().unwrap().clone())
}

db_test! {
    async fn what_was_called_is_seen_and_given_as_a_file(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (one, other) = (application(&clerk, form("后台", 1)).await, application(&clerk, form("代理", 2)).await);
        ask(&app, &one, SELF).await.data();
        ask(&app, &one, "/open/v1/phones/17").await;
        ask(&app, &other, "/open/v1/phones?limit=900").await;
        headed(app.anybody(), &one.code, now(&app), "00").get(SELF).await;
        // Nobody has this key: there is no log that it belongs to.
        headed(app.anybody(), "SKY0000000000000000000A", now(&app), "00").get(SELF).await;
        assert_eq!(listed(&clerk, "").await.0, 0, "it costs no call a transaction");
        flush(&app.app).await.unwrap();
        flush(&app.app).await.unwrap();

        let (total, rows) = listed(&clerk, "").await;
        assert_eq!(total, 4, "each once");
        let told = |row: &Value| {
            let text = |field: &str| row[field].as_str().unwrap().to_owned();
            (text("path"), row["status"].as_i64().unwrap(), text("code"))
        };
        assert_eq!(
            rows.iter().map(told).collect::<Vec<_>>(),
            [
                (SELF.to_owned(), 401, "signature".to_owned()),
                ("/open/v1/phones".to_owned(), 400, "invalid".to_owned()),
                ("/open/v1/phones/{id}".to_owned(), 404, "not_found".to_owned()),
                (SELF.to_owned(), 200, String::new()),
            ]
        );
        assert_eq!((&rows[3]["app"]["name"], &rows[3]["keyCode"]), (&json!("后台"), &json!(one.code)));
        assert_eq!((&rows[3]["ip"], &rows[3]["method"], &rows[3]["outcome"]), (&json!("127.0.0.1"), &json!("GET"), &json!(1)));
        for (filter, total) in [
            (format!("appId={}", one.app), 3),
            (format!("appId={}&outcome=2", one.app), 2),
            (format!("appId={}&outcome=1", other.app), 0),
            ("outcome=1".to_owned(), 1),
            ("outcome=2".to_owned(), 3),
            ("outcome=3".to_owned(), 0),
            ("keyWord=phones".to_owned(), 2),
            ("keyWord=not_found".to_owned(), 1),
            ("startTime=2099-01-01T00:00:00Z".to_owned(), 0),
            ("endTime=2099-01-01T00:00:00Z&outcome=2".to_owned(), 3),
            ("appId=9223372036854775807".to_owned(), 0),
        ] {
            let (kept, rows) = listed(&clerk, &filter).await;
            assert_eq!((kept, rows.len() as u64), (total, total), "{filter}");
        }
        let file = clerk.get(&format!("{CALLS}/file?format=csv&appId={}", one.app)).await.table();
        assert_eq!((file.len(), file[3][3].as_str()), (4, SELF), "{file:?}");

        // Only what was let in counts, and a key is used to the minute.
        let seen = clerk.get(&format!("{APPS}/{}", one.app)).await.data();
        assert_eq!(seen["calls"], 2);
        let used = seen["keys"][0]["lastUsedAt"].as_str().unwrap();
        assert!(used.ends_with(":00.000Z"), "{used}");

        // What it called outlives it.
        clerk.delete(&format!("{APPS}/{}", other.app), json!({})).await.data();
        let (_, rows) = listed(&clerk, &format!("appId={}", other.app)).await;
        assert_eq!(rows[0]["app"], json!({ "id": other.app, "name": null }));
    }

    async fn the_program_writes_it_by_itself_and_to_the_end(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let work = app.work().await;
        ask(&app, &key, SELF).await.data();
        for _ in 0..100 {
            if listed(&clerk, "").await.0 == 1 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        assert_eq!(listed(&clerk, "").await.0, 1);
        ask(&app, &key, SELF).await.data();
        work.stop().await;
        assert_eq!(listed(&clerk, "").await.0, 2, "what is noted when it stops is written");
    }

    async fn it_is_bounded_in_time_and_in_length(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (one, other) = (application(&clerk, form("后台", 1)).await, application(&clerk, form("代理", 2)).await);
        for _ in 0..6 {
            ask(&app, &one, SELF).await.data();
            ask(&app, &other, "/open/v1/phones/17").await;
        }
        flush(&app.app).await.unwrap();
        let long_ago = app.app.clock.now().plus_seconds(-86_400);
        assert_eq!(prune(&app.app, long_ago, 100).await.unwrap(), 0);
        assert_eq!(prune(&app.app, long_ago, 10).await.unwrap(), 2, "the oldest go first");
        let counts = async || {
            let of = async |filter: String| listed(&clerk, &filter).await.0;
            (of(String::new()).await, of(format!("appId={}", one.app)).await, of("outcome=2".to_owned()).await)
        };
        assert_eq!(counts().await, (10, 5, 5), "and the counters follow");

        app.app.clock.advance_seconds(15 * 86_400);
        let clerk_now = clerk.clone().again().await;
        let tx = app.app.db.begin_write().await.unwrap();
        let by = Creator::operator(clerk_now.operator.unwrap(), "clerk");
        let task = app.app.queue.enqueue(&tx, &PruneCalls {}, &by).await.unwrap();
        tx.commit().await.unwrap();
        let work = app.work().await;
        assert_eq!(clerk_now.finished(&task.0).await["state"], "succeeded");
        work.stop().await;
        assert_eq!(listed(&clerk_now, "").await.0, 0);
    }
}
