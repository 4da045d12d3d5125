//! Phones that an operator takes off while somebody uses them, with a test that acts as the agent: he is warned, and ended, and only
//! then anything is done to his phone; unless it is to be at once.

use entity::saga::{SagaKind, SagaState};
use phones::saga_round;
use phones::stream::Order;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::get;
use testroom::phone::PHONES;

use super::by_rule::is_over;
use super::connect_steps::{application, connects};
use super::copy_steps::on;
use super::lost_steps::{passes, stands};
use super::off_steps::{take_off, take_off_now};
use super::onward_steps::leaves;
use super::stream_steps::{told, uses};

const MINUTE: i64 = 60;

/// In how many seconds whoever is warned is ended.
fn left(app: &TestApp, order: Order) -> i64 {
    let Order::Warn(at) = order else { panic!("he is not warned: {order:?}") };
    at.seconds_since(app.app.clock.now())
}

/// How many are warned or cut off by a take-off of a phone, as its question says.
async fn hit(clerk: &Caller<'_>, phone: i64, now: bool) -> Value {
    let body = json!({ "selection": { "ids": [phone] }, "act": { "kind": "takeOff", "now": now } });
    clerk.post(&format!("{PHONES}/preview"), body).await.data()["usersHit"].clone()
}

db_test! {
    async fn who_uses_a_phone_that_is_taken_off_is_warned_for_five_minutes_and_ended_before_it_begins(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        assert_eq!(hit(&clerk, phones[0], false).await, 0);
        let stream = uses(&app, by, phones[0]).await;
        assert_eq!([hit(&clerk, phones[0], false).await, hit(&clerk, phones[0], true).await], [1, 1]);
        assert_eq!(told(&app, stream).await, Order::GoesOn);
        take_off(&app, &clerk, phones[0]).await;
        passes(&app, 1).await;
        assert!((290..=300).contains(&left(&app, told(&app, stream).await)));
        let waits = (json!(SagaKind::TakeOff.code()), json!(SagaState::Waiting.code()), json!("user_warned"));
        assert_eq!(stands(&clerk, phones[0]).await, waits);
        for _ in 0..4 {
            passes(&app, MINUTE).await;
            left(&app, told(&app, stream).await);
        }
        passes(&app, MINUTE + 1).await;
        assert_eq!(told(&app, stream).await, Order::End("phone_off_machine"));
        assert_eq!(leaves(&app, phones[0]).await.state, SagaState::Waiting, "his gateway has a minute to end it");
        is_over(&app, stream).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(leaves(&app, phones[0]).await.state, SagaState::Running);
        hand.does(&app, "packages").await;
    }

    async fn a_gateway_that_does_not_end_it_keeps_the_phone_for_a_minute_more(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        uses(&app, by, phones[0]).await;
        take_off(&app, &clerk, phones[0]).await;
        passes(&app, 1).await;
        passes(&app, 5 * MINUTE + 30).await;
        assert_eq!(leaves(&app, phones[0]).await.state, SagaState::Waiting);
        passes(&app, 31).await;
        assert_eq!(leaves(&app, phones[0]).await.state, SagaState::Running);
        hand.does(&app, "packages").await;
    }

    async fn who_leaves_earlier_is_waited_for_no_longer_and_one_that_nobody_uses_not_at_all(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phones[0]).await;
        for phone in &phones {
            take_off(&app, &clerk, *phone).await;
        }
        passes(&app, 1).await;
        left(&app, told(&app, stream).await);
        assert_eq!([leaves(&app, phones[0]).await.state, leaves(&app, phones[1]).await.state], [SagaState::Waiting, SagaState::Running]);
        is_over(&app, stream).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(leaves(&app, phones[0]).await.state, SagaState::Running);
    }

    async fn at_once_needs_a_reason_and_warns_nobody(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phones[0]).await;
        for reason in ["", " "] {
            let body = json!({ "selection": { "ids": [phones[0]] }, "now": true, "reason": reason });
            assert_eq!(clerk.post(&format!("{PHONES}/take-off"), body).await.errors(), ["reason required"]);
        }
        assert_eq!(stands(&clerk, phones[0]).await.0, Value::Null, "nothing was begun");
        let operation = take_off_now(&app, &clerk, phones[0]).await;
        let made = get(&clerk, &operation).await;
        assert_eq!((&made["detail"], &made["reason"], &made["usersHit"]), (&json!("立即，不提醒使用者"), &json!("机房检修"), &json!(1)));
        hand.does(&app, "packages").await;
        assert_eq!(told(&app, stream).await, Order::End("phone_off_machine"));
    }

    async fn after_a_take_off_that_came_to_nothing_he_is_warned_anew(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let stream = uses(&app, by, phones[0]).await;
        take_off(&app, &clerk, phones[0]).await;
        passes(&app, 1).await;
        passes(&app, 4 * MINUTE).await;
        assert!(left(&app, told(&app, stream).await) <= MINUTE);
        // He wants to stay.
        connects(&app, by, phones[0]).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!((leaves(&app, phones[0]).await.state, told(&app, stream).await), (SagaState::Cancelled, Order::GoesOn));
        take_off(&app, &clerk, phones[0]).await;
        passes(&app, 1).await;
        assert!(left(&app, told(&app, stream).await) > 4 * MINUTE);
    }
}
