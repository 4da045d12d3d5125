//! Users are told before their phones expire: once for each expiry, as many days before as the rules say.

use phones::{notice, pass};
use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

use super::connects::application;
use super::{DAY, PHONES, make, world};

const RULES: &str = "/api/phone/v1/rules";

async fn run(app: &TestApp, statement: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(statement).await.unwrap();
    tx.commit().await.unwrap();
}

/// What applications are told, oldest first: event and phone.
async fn told(app: &TestApp) -> Vec<(i16, String)> {
    let db = app.app.db.read();
    let text = "SELECT kind, object FROM webhook_delivery ORDER BY id";
    let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap();
    rows.iter().map(|row| (row.try_get_by_index(0).unwrap(), row.try_get_by_index(1).unwrap())).collect()
}

/// The company's application is told of everything.
async fn hook(app: &TestApp, clerk: &testapp::Caller<'_>) {
    let by = application(clerk).await;
    let row = format!("({}, 'https://hooks.example.com/', 4094, 'SKYH1', TRUE, 0, 0)", by.0);
    run(
        app,
        &format!(
            "INSERT INTO webhook (app_id, url, events, key_code, is_enabled, created_at, updated_at) VALUES {row}"
        ),
    )
    .await;
}

db_test! {
    async fn a_user_is_told_once_of_an_expiry_and_again_of_the_next_one(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let here = world(&clerk).await;
        hook(&app, &clerk).await;
        let ids = make(&clerk, &app, here, 30, 3).await;
        // One phone's own rule says ten days, all others three.
        let own = json!({ "scope": 5, "phoneId": ids[0], "version": 0, "values": { "expiryNotice": 10 } });
        clerk.put(RULES, own).await.data();
        let notices = async || notice(&app.app).await.unwrap();
        assert_eq!(notices().await, 0);
        app.app.clock.advance_seconds(20 * DAY - 60);
        assert_eq!(notices().await, 0, "ten days and a minute before");
        app.app.clock.advance_seconds(60);
        assert_eq!((notices().await, notices().await), (1, 0), "once");
        assert_eq!(told(&app).await, [(4, format!("phone.{}", ids[0]))]);
        app.app.clock.advance_seconds(7 * DAY - 60);
        assert_eq!(notices().await, 0, "three days and a minute before");
        // Whose phone is frozen has other worries.
        run(&app, &format!("UPDATE phone SET life = 3, frozen_reason = 'x' WHERE id = {}", ids[2])).await;
        app.app.clock.advance_seconds(60);
        assert_eq!((notices().await, notices().await), (1, 0));
        assert_eq!(told(&app).await[1..], [(4, format!("phone.{}", ids[1]))]);

        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        clerk.post(&format!("{PHONES}/renew"), json!({ "selection": { "ids": [ids[1]] }, "days": 30 })).await.data();
        assert_eq!(notices().await, 0, "its expiry is another one now");
        app.app.clock.advance_seconds(3 * DAY);
        pass(&app.app).await.unwrap();
        assert_eq!(notices().await, 0, "what has expired does not expire soon");
        // The frozen one has expired as well: time goes on for it.
        assert_eq!(told(&app).await[2..], [(5, format!("phone.{}", ids[0])), (5, format!("phone.{}", ids[2]))]);
        app.app.clock.advance_seconds(27 * DAY);
        assert_eq!((notices().await, notices().await), (1, 0), "three days before the next one");
        let last = told(&app).await.pop().unwrap();
        assert_eq!(last, (4, format!("phone.{}", ids[1])));
    }

    async fn a_thousand_are_told_in_steps_and_whoever_is_killed_in_between_goes_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &testapp::CODES).await;
        let here = world(&clerk).await;
        hook(&app, &clerk).await;
        make(&clerk, &app, here, 2, 1_201).await;
        assert_eq!(notice(&app.app).await.unwrap(), 1_201);
        assert_eq!(notice(&app.app).await.unwrap(), 0);
        let all = told(&app).await;
        let phones: std::collections::BTreeSet<&String> = all.iter().map(|(_, phone)| phone).collect();
        assert_eq!((all.len(), phones.len()), (1_201, 1_201));
        // As if it had been killed before the last step.
        run(&app, "DELETE FROM expiry_notice WHERE phone_id > 1000").await;
        run(&app, "DELETE FROM webhook_delivery WHERE id > 1000").await;
        assert_eq!((notice(&app.app).await.unwrap(), told(&app).await.len()), (201, 1_201));
    }
}
