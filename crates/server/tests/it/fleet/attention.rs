//! What needs an operator.

use std::slice::from_ref;

use fleet::{close_session, take};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::site::{fill, site};

use super::state::{agent, report, reports};

const ATTENTION: &str = "/api/general/v1/attention";

/// Key and urgency of all that needs the caller, in their order.
async fn keys(caller: &Caller<'_>) -> Vec<(String, bool)> {
    let found = caller.get(ATTENTION).await.data();
    let key = |item: &Value| (item["key"].as_str().unwrap().to_owned(), item["urgent"].as_bool().unwrap());
    found.as_array().unwrap().iter().map(key).collect()
}

db_test! {
    async fn what_is_wrong_is_told_at_its_cause_and_until_it_is_over(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let room = (format!("room-{}", here.room), true);
        assert_eq!(keys(&clerk).await, from_ref(&room), "nobody has ever reported");

        let session = agent(&app, &clerk, &here).await;
        for _ in 0..2 {
            report(&app, &session, &cards).await;
        }
        assert_eq!(keys(&clerk).await, []);

        // Half a host: its cards may be faulty, the host is not.
        for _ in 0..3 {
            take(&app.app, &session, &reports(&cards[..2], false)).await.unwrap().unwrap();
        }
        assert_eq!(keys(&clerk).await, []);
        app.app.clock.advance_seconds(30);
        for _ in 0..3 {
            take(&app.app, &session, &reports(&cards[..4], false)).await.unwrap().unwrap();
            report(&app, &session, &cards[4..]).await;
        }
        let host = (format!("host-{}", here.hosts[0]), true);
        assert_eq!(keys(&clerk).await, from_ref(&host));
        let told = clerk.clone().lang("en").get(ATTENTION).await.data();
        assert_eq!((&told[0]["title"], &told[0]["cause"]), (&json!("机房 1 A-01 · blade-1 is down"), &json!("Cards offline: 4")));
        assert_eq!(told[0]["path"], format!("/device/management?roomId={}&hostId={}", here.room, here.hosts[0]));
        assert!(told[0]["since"].as_str().is_some());

        // Without the agent nobody knows about the host.
        close_session(&app.app, &session).await.unwrap();
        assert_eq!(keys(&clerk).await, [room]);
    }

    async fn nobody_is_told_of_what_he_may_not_see(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        fill(&clerk, &here).await;
        assert_eq!(keys(&clerk).await.len(), 1);
        let other = app.operator("other", &["dashboard:view", "device:list", "operation:list"]).await;
        assert_eq!(keys(&other).await, []);
    }
}
