//! Whoever waits for a phone: the queue, those who come and go in it, and those who are not heard of any more. No card is there.

use base::owned::Owned;
use entity::{OpenAppId, PhoneId};
use phones::connect::{By, Seen, ask, find, leave, owned, round, seen};
use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::{id, make, world};

const RULES: &str = "/api/phone/v1/rules";

/// An application of the company.
pub async fn application(clerk: &Caller<'_>) -> OpenAppId {
    let body = json!({ "name": "后台", "owner": 1, "scopes": ["phone"], "perSecond": 5 });
    OpenAppId(id(&clerk.post("/api/platform/v1/open-apps", body).await.data()))
}

/// What is told to whoever connects to a phone; the code if that is refused.
pub async fn asks(app: &TestApp, by: OpenAppId, phone: i64) -> Result<Seen, &'static str> {
    let mut tx = app.app.db.begin_write().await.unwrap();
    let row = find(&tx, Owned::everybodys(), PhoneId(phone)).await.unwrap().unwrap();
    let asked = ask(&app.app, &mut tx, &row, By { app_id: by, name: "后台" }).await.unwrap();
    if asked.is_ok() {
        tx.commit().await.unwrap();
    }
    asked.map(|found| found.seen).map_err(|refused| refused.code)
}

async fn polls(app: &TestApp, by: OpenAppId, phone: i64) -> Seen {
    let row = owned(app.app.db.read(), Owned::everybodys(), PhoneId(phone)).await.unwrap().unwrap();
    seen(&app.app, app.app.db.read(), &row, by).await.unwrap()
}

async fn leaves(app: &TestApp, by: OpenAppId, phone: i64) {
    let mut tx = app.app.db.begin_write().await.unwrap();
    leave(&app.app, &mut tx, PhoneId(phone), by).await.unwrap();
    tx.commit().await.unwrap();
}

/// The place in the queue.
const fn place(seen: &Seen) -> Option<i64> {
    if let Seen::Queued { position, .. } = seen { *position } else { None }
}

async fn count(app: &TestApp, table: &str) -> i64 {
    let db = app.app.db.read();
    let text = format!("SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {table}");
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap().unwrap();
    row.try_get("", "n").unwrap()
}

pub async fn run(app: &TestApp, statement: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(statement).await.unwrap();
    tx.commit().await.unwrap();
}

db_test! {
    async fn three_hundred_who_connect_and_leave_in_a_loop_hold_nobody_up_and_leave_nothing_behind(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phones = make(&clerk, &app, here, 30, 301).await;
        let by = application(&clerk).await;
        let (patient, others) = phones.split_first().unwrap();
        for phone in others {
            asks(&app, by, *phone).await.unwrap();
        }
        app.app.clock.advance_seconds(1);
        assert_eq!(place(&asks(&app, by, *patient).await.unwrap()), Some(301));
        for turn in 0..2 {
            app.app.clock.advance_seconds(1);
            for phone in others {
                leaves(&app, by, *phone).await;
                asks(&app, by, *phone).await.unwrap();
            }
            assert_eq!(place(&polls(&app, by, *patient).await), Some(1), "turn {turn}: whoever leaves goes to the end");
        }
        for phone in others {
            leaves(&app, by, *phone).await;
        }
        assert_eq!((count(&app, "saga").await, count(&app, "connect").await), (1, 301), "one row for each, however often");
    }

    async fn everybody_has_a_place_of_his_own_in_a_queue_longer_than_is_counted(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phones = make(&clerk, &app, here, 30, 250).await;
        let by = application(&clerk).await;
        for phone in &phones {
            asks(&app, by, *phone).await.unwrap();
        }
        app.app.clock.advance_seconds(1);
        let places = async || {
            let mut places = Vec::new();
            for phone in &phones {
                places.extend(place(&polls(&app, by, *phone).await));
            }
            places
        };
        assert_eq!(places().await, Vec::from_iter(1..=250));
        let listed = clerk.get("/api/phone/v1/phones?pageSize=100").await.data();
        let listed: Vec<i64> =
            listed["list"].as_array().unwrap().iter().filter_map(|row| row["underWay"]["position"].as_i64()).collect();
        assert_eq!(listed.len(), 100, "a page of the list");

        // Those who are counted move up at once, the others within a second; nobody has a place of those before him.
        leaves(&app, by, phones[0]).await;
        let moved = places().await;
        assert_eq!((moved.len(), moved[0], moved[98]), (249, 1, 99));
        assert!((249..=250).contains(&moved[248]), "the steady clock goes on by itself: {moved:?}");
        assert!(moved.iter().skip(100).all(|place| *place > 100), "{moved:?}");
        app.app.clock.advance_seconds(1);
        assert_eq!(places().await, Vec::from_iter(1..=249));
    }

    async fn who_is_not_heard_of_leaves_the_queue_and_keeps_the_place_for_a_while(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phones = make(&clerk, &app, here, 30, 3).await;
        let (by, silent, other, third) = (application(&clerk).await, phones[0], phones[1], phones[2]);
        asks(&app, by, silent).await.unwrap();
        app.app.clock.advance_seconds(1);
        assert_eq!(place(&asks(&app, by, other).await.unwrap()), Some(2));
        app.app.clock.advance_seconds(14);
        round(&app.app).await.unwrap();
        assert_eq!(count(&app, "saga").await, 2, "half of the time is left");
        polls(&app, by, other).await;
        app.app.clock.advance_seconds(16);
        round(&app.app).await.unwrap();
        assert_eq!((count(&app, "saga").await, place(&polls(&app, by, other).await)), (1, Some(1)));
        assert!(matches!(polls(&app, by, silent).await, Seen::Nobody), "it does not wait any more");

        // Within the grace it is where it was; whoever says goodbye is not.
        app.app.clock.advance_seconds(10);
        assert_eq!(place(&asks(&app, by, silent).await.unwrap()), Some(1));
        assert_eq!(place(&polls(&app, by, other).await), Some(2));
        leaves(&app, by, silent).await;
        assert_eq!(place(&asks(&app, by, silent).await.unwrap()), Some(2));

        // And not after it: five minutes.
        app.app.clock.advance_seconds(31);
        round(&app.app).await.unwrap();
        assert_eq!(count(&app, "saga").await, 0);
        app.app.clock.advance_seconds(301);
        asks(&app, by, third).await.unwrap();
        app.app.clock.advance_seconds(1);
        assert_eq!(place(&asks(&app, by, silent).await.unwrap()), Some(2));
    }

    async fn after_a_restart_of_the_console_everybody_has_the_whole_time_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phone = make(&clerk, &app, here, 30, 1).await[0];
        let by = application(&clerk).await;
        asks(&app, by, phone).await.unwrap();
        app.app.clock.advance_seconds(20);
        let app = app.restarted().await;
        round(&app.app).await.unwrap();
        app.app.clock.advance_seconds(15);
        round(&app.app).await.unwrap();
        assert_eq!(count(&app, "saga").await, 1, "35 seconds, of which this console has seen 15");
        assert_eq!(place(&polls(&app, by, phone).await), Some(1));
        app.app.clock.advance_seconds(31);
        round(&app.app).await.unwrap();
        assert_eq!(count(&app, "saga").await, 0);
        assert!(matches!(polls(&app, by, phone).await, Seen::Nobody));
    }

    async fn a_put_on_that_nobody_waits_for_leaves_the_queue(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phone = make(&clerk, &app, here, 30, 1).await[0];
        let by = application(&clerk).await;
        asks(&app, by, phone).await.unwrap();
        // As if the application were given up: its rows go with it.
        run(&app, "DELETE FROM connect").await;
        round(&app.app).await.unwrap();
        assert_eq!(count(&app, "saga").await, 0);
    }

    async fn a_phone_is_put_on_six_times_an_hour_at_most(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phone = make(&clerk, &app, here, 30, 1).await[0];
        let by = application(&clerk).await;
        for _ in 0..8 {
            asks(&app, by, phone).await.unwrap();
            leaves(&app, by, phone).await;
        }
        for _ in 0..6 {
            asks(&app, by, phone).await.unwrap();
            run(&app, "UPDATE saga SET state = 5, code = 'no_card', ended_at = enqueued_at WHERE state = 1").await;
            assert!(matches!(polls(&app, by, phone).await, Seen::Failed(code) if code == "no_card"));
            app.app.clock.advance_seconds(60);
        }
        assert_eq!(asks(&app, by, phone).await.unwrap_err(), "too_often");
        assert_eq!(count(&app, "saga").await, 6, "nothing is done then");
        // An hour after the first of them.
        app.app.clock.advance_seconds(3600 - 6 * 60 + 1);
        asks(&app, by, phone).await.unwrap();
    }

    async fn whoever_waits_for_longer_than_the_rules_let_him_is_told_so(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = world(&clerk).await;
        let phones = make(&clerk, &app, here, 30, 2).await;
        let rules = json!({ "scope": 5, "phoneId": phones[0], "version": 0, "values": { "queueWait": 1 } });
        clerk.put(RULES, rules).await.data();
        let by = application(&clerk).await;
        for phone in &phones {
            asks(&app, by, *phone).await.unwrap();
        }
        for (seconds, waits) in [(25, 2), (50, 2), (75, 1)] {
            app.app.clock.advance_seconds(25);
            for phone in &phones {
                polls(&app, by, *phone).await;
            }
            round(&app.app).await.unwrap();
            assert_eq!(count(&app, "saga").await, waits, "{seconds}");
        }
        assert!(matches!(polls(&app, by, phones[0]).await, Seen::Failed(code) if code == "queue_timeout"));
        assert_eq!(place(&polls(&app, by, phones[1]).await), Some(1), "for others thirty minutes hold");
        // Whoever asks again begins to wait anew.
        asks(&app, by, phones[0]).await.unwrap();
        for phone in &phones {
            polls(&app, by, *phone).await;
        }
        app.app.clock.advance_seconds(15);
        round(&app.app).await.unwrap();
        assert_eq!(count(&app, "saga").await, 2);
    }

    async fn a_full_queue_says_so(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let rules = json!({ "scope": 1, "version": 0, "values": { "queueMax": 2 } });
        clerk.put(RULES, rules).await.data();
        let here = world(&clerk).await;
        let phones = make(&clerk, &app, here, 30, 3).await;
        let by = application(&clerk).await;
        for phone in &phones[..2] {
            asks(&app, by, *phone).await.unwrap();
        }
        assert_eq!(asks(&app, by, phones[2]).await.unwrap_err(), "queue_full");
        asks(&app, by, phones[0]).await.unwrap();
        leaves(&app, by, phones[0]).await;
        assert_eq!(place(&asks(&app, by, phones[2]).await.unwrap()), Some(2));
    }
}
