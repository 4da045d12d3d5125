//! Take-offs that cannot read their cards, or whose store is away, with a test that acts as the agent: the phone goes on, and they
//! are tried again by themselves, ever less often, or at a person's word.

use entity::card::{NetworkStatus, Occupancy};
use entity::phone::UseType;
use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use entity::saga::{self, SagaKind, SagaState};
use phones::connect::Seen;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};
use testroom::site::settings;

use super::apps::next_phone;
use super::by_rule::{begun, rule, run};
use super::cleared::{profile, try_out};
use super::connect_steps::{application, connects};
use super::copy_steps::{last, made, on};
use super::lost_steps::{held as lost, is_found, nothing, passes, stands};
use super::off_steps::{goes_off, is_copied, take_off};
use super::put_on::{card, row};

/// A test takes some time by itself: so many seconds before a moment it is far enough from it.
const SOME: i64 = 30;

/// The newest take-off.
pub async fn leaves(app: &TestApp) -> saga::Model {
    let all = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::TakeOff)).order_by_desc(saga::Column::Id);
    all.one(app.app.db.read()).await.unwrap().unwrap()
}

/// The take-off of a phone is held for this, and the phone is where it was.
pub async fn is_held(app: &TestApp, phone: i64, code: &str) -> saga::Model {
    let saga = leaves(app).await;
    assert_eq!((saga.state, &*saga.code, saga.phone_id.0), (SagaState::Held, code, phone));
    assert_eq!(row(app, phone).await.use_type, UseType::On);
    saga
}

/// A person says that it goes on.
async fn go_on(clerk: &Caller<'_>, saga: &saga::Model) -> Value {
    clerk.post(&format!("/api/phone/v1/sagas/{}/retry", saga.id), json!({})).await.json()
}

/// A person says that its phone stays.
async fn stay(clerk: &Caller<'_>, saga: &saga::Model) -> Value {
    clerk.post(&format!("/api/phone/v1/sagas/{}/stay", saga.id), json!({})).await.json()
}

/// The card of a phone; it has nothing done to it.
async fn its_card(app: &TestApp, clerk: &Caller<'_>, phone: i64) -> i64 {
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
    let id = seen["card"]["id"].as_i64().unwrap();
    assert_eq!(card(app, id).await.occupancy, Occupancy::InUse);
    id
}

/// A phone whose take-off is held.
async fn locked(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64, Value) {
    let (mut hand, phones) = Box::pin(on(app, clerk, 1)).await;
    let asked = take_off(app, clerk, phones[0]).await;
    hand.fails(app, "packages", "locked", "neverBegan").await;
    is_held(app, phones[0], "locked").await;
    (hand, phones[0], asked)
}

db_test! {
    async fn going_on_counts_with_what_else_one_operator_lets_begin(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let mut held = Vec::new();
        for phone in &phones {
            take_off(&app, &clerk, *phone).await;
            hand.fails(&app, "packages", "locked", "neverBegan").await;
            held.push(is_held(&app, *phone, "locked").await);
        }
        settings(&clerk, "approvalAbove", 1).await;
        let leaver = app.operator("leaver", &["phone:retry", "phone:takeOff"]).await;
        for _ in 0..2 {
            assert_eq!(go_on(&leaver, &held[0]).await["status"], 0, "the same one twice is one");
            hand.fails(&app, "packages", "locked", "neverBegan").await;
        }
        assert_eq!(go_on(&leaver, &held[1]).await["status"], 4009, "one is all that he lets begin alone");
        is_held(&app, phones[1], "locked").await;
        settings(&clerk, "approvalAbove", 2).await;
        assert_eq!(go_on(&leaver, &held[1]).await["status"], 0);
    }

    async fn whoever_goes_on_with_it_needs_the_right_to_take_phones_off(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, _) = locked(&app, &clerk).await;
        let saga = is_held(&app, phone, "locked").await;
        let other = app.operator("other", &["phone:retry"]).await;
        assert_eq!(go_on(&other, &saga).await["status"], 4003);
        is_held(&app, phone, "locked").await;
        let leaver = app.operator("leaver", &["phone:retry", "phone:takeOff"]).await;
        assert_eq!(go_on(&leaver, &saga).await["status"], 0);
        hand.does(&app, "packages").await;
    }

    async fn it_is_tried_again_ever_less_often_until_the_card_can_be_read(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let asked = take_off(&app, &clerk, phone).await;
        let why = [("locked", 60), ("not_root", 300), ("not_covered", 1_800), ("not_readable", 3_600), ("locked", 3_600)];
        for (turn, (code, wait)) in why.into_iter().enumerate() {
            hand.fails(&app, "packages", code, "neverBegan").await;
            let saga = is_held(&app, phone, code).await;
            let clerk = app.signed_in(&format!("clerk-{turn}"), clerk.group.unwrap()).await;
            its_card(&app, &clerk, phone).await;
            assert_eq!(get(&clerk, &asked).await["running"], 1, "it is not over");
            let seen = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
            assert_eq!(seen[0]["retryAt"], json!(saga.retry_at.unwrap()), "{seen}");
            passes(&app, wait - SOME).await;
            is_held(&app, phone, code).await;
            app.app.clock.advance_seconds(SOME);
        }
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        assert_eq!((row(&app, phone).await.use_type, leaves(&app).await.state), (UseType::Off, SagaState::Done));
        let clerk = app.signed_in("last", clerk.group.unwrap()).await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &asked).await["succeeded"], 1);
    }

    async fn a_phone_that_was_stopped_goes_on_first_and_each_time_begins_anew(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.fails(&app, "copy", "not_readable", "neverBegan").await;
        assert_eq!(leaves(&app).await.state, SagaState::GoingBack);
        hand.does(&app, "start").await;
        let saga = is_held(&app, phone, "not_readable").await;
        its_card(&app, &clerk, phone).await;
        assert!(go_on(&clerk, &saga).await["status"] == 0);
        is_copied(&app, &mut hand, "boot-2", 'a').await;
        hand.does(&app, "verify").await;
        hand.fails(&app, "still", "data_changed", "neverBegan").await;
        hand.does(&app, "start").await;
        let saga = is_held(&app, phone, "data_changed").await;
        assert_eq!((saga.holds, &*last(&app).await.snapshot), (2, &*"a".repeat(64)));
        assert!(go_on(&clerk, &saga).await["status"] == 0);
        // It was tried before, and that does not count: nothing was stopped this time.
        hand.fails(&app, "packages", "not_root", "neverBegan").await;
        let saga = is_held(&app, phone, "not_root").await;
        assert!(go_on(&clerk, &saga).await["status"] == 0);
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-3").await;
        hand.says(&app, "copy", &made('b')).await;
        hand.fails(&app, "verify", "store_unreachable", "neverBegan").await;
        app.app.clock.advance_seconds(60);
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        assert_eq!(row(&app, phone).await.use_type, UseType::Off);
    }

    async fn a_person_cancels_it_and_another_may_not_go_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phone, asked) = Box::pin(locked(&app, &clerk)).await;
        let saga = leaves(&app).await;
        let limited = app.operator("limited", &["phone:list", "phone:get", "phone:takeOff"]).await;
        assert_eq!(go_on(&limited, &saga).await["status"], 4003);
        let concerns = clerk.get("/api/general/v1/attention").await.data().to_string();
        assert!(concerns.contains("\"phonesStay\"") && !concerns.contains("\"phonesLost\""), "{concerns}");
        clerk.post(&format!("{OPERATIONS}/{asked}/cancel"), json!({})).await.data();
        phones::saga_round(&app.app).await.unwrap();
        let ended = get(&clerk, &asked).await;
        assert_eq!((&ended["cancelled"], &ended["running"]), (&json!(1), &json!(0)), "{ended}");
        assert_eq!((leaves(&app).await.state, stands(&clerk, phone).await), (SagaState::Cancelled, nothing()));
        its_card(&app, &clerk, phone).await;
        assert_eq!(go_on(&clerk, &saga).await["status"], 4009, "it is over");
    }

    async fn it_is_tried_again_until_its_store_is_back_also_where_it_had_not_begun(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        run(&app, "UPDATE store_node SET state = 4").await;
        let asked = take_off(&app, &clerk, phone).await;
        phones::saga_round(&app.app).await.unwrap();
        its_card(&app, &clerk, phone).await;
        assert_eq!(get(&clerk, &asked).await["running"], 1, "it is not over");
        for (holds, wait) in [(1, 60), (2, 300), (3, 1_800), (4, 3_600)] {
            for _ in 0..2 {
                assert_eq!(is_held(&app, phone, "store_unreachable").await.holds, holds);
                passes(&app, wait / 2).await;
            }
        }
        run(&app, "UPDATE store_node SET state = 1").await;
        app.app.clock.advance_seconds(3_600);
        // It is full by then, and a little later has space.
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.fails(&app, "copy", "store_full", "neverBegan").await;
        hand.does(&app, "start").await;
        assert_eq!(is_held(&app, phone, "store_full").await.holds, 6);
        app.app.clock.advance_seconds(3_600);
        goes_off(&app, &mut hand, "boot-2", 'a').await;
        assert_eq!((row(&app, phone).await.use_type, leaves(&app).await.state), (UseType::Off, SagaState::Done));
    }

    async fn a_person_lets_a_phone_stay_whoever_wants_it_to_leave(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, asked) = Box::pin(locked(&app, &clerk)).await;
        let saga = leaves(&app).await;
        let limited = app.operator("limited", &["phone:list", "phone:get", "phone:retry"]).await;
        assert_eq!(stay(&limited, &saga).await["status"], 4003);
        assert_eq!(stay(&clerk, &saga).await["status"], 0);
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!((leaves(&app).await.state, &get(&clerk, &asked).await["cancelled"]), (SagaState::Cancelled, &json!(1)));
        assert_eq!(stay(&clerk, &saga).await["status"], 4009, "it is over");

        // A rule asks again later, and not at once.
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phone).await;
        hand.keep(&clerk, 1).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 240).await;
        connects(&app, by, next).await;
        passes(&app, 15).await;
        hand.fails(&app, "packages", "store_unreachable", "neverBegan").await;
        let saga = is_held(&app, phone, "store_unreachable").await;
        assert!(saga.operation_id.is_none() && saga.retry_at.is_some());
        assert_eq!(stay(&clerk, &saga).await["status"], 0);
        assert!(app.audit_trail().await.contains(&"admin saga_stay 0".to_owned()));
        assert_eq!(stands(&clerk, phone).await, nothing());
        passes(&app, 15).await;
        assert_eq!(begun(&app).await.len(), 1);
    }

    async fn an_operation_that_has_expired_keeps_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, asked) = Box::pin(locked(&app, &clerk)).await;
        // The hour before the operation is over.
        for _ in 0..25 {
            app.app.clock.advance_seconds(3_600);
            hand.fails(&app, "packages", "locked", "neverBegan").await;
        }
        let saga = is_held(&app, phone, "locked").await;
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &asked).await["running"], 1);
        assert!(go_on(&clerk, &saga).await["status"] == 0);
        hand.does(&app, "packages").await;
    }

    async fn whoever_wants_the_phone_has_it_and_turns_it_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, asked) = Box::pin(locked(&app, &clerk)).await;
        let by = application(&clerk).await;
        let (seen, ticket) = connects(&app, by, phone).await;
        assert!(matches!(seen, Seen::Ready(_)) && ticket.is_some(), "{seen:?}");
        phones::saga_round(&app.app).await.unwrap();
        let saga = leaves(&app).await;
        assert_eq!((saga.state, &*saga.code), (SagaState::Cancelled, "came_back"));
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &asked).await["running"], 0);

        // So does an operator who puts it on.
        take_off(&app, &clerk, phone).await;
        hand.fails(&app, "packages", "not_covered", "neverBegan").await;
        is_held(&app, phone, "not_covered").await;
        let back = put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!((leaves(&app).await.state, stands(&clerk, phone).await), (SagaState::Cancelled, nothing()));
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &back["id"]).await["succeeded"], 1);
    }

    async fn one_that_leaves_by_rule_holds_nobodys_place(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        // No other card is free.
        hand.keep(&clerk, 2).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 240).await;
        connects(&app, by, next).await;
        passes(&app, 15).await;
        assert_eq!(begun(&app).await.len(), 1);
        hand.fails(&app, "packages", "not_covered", "neverBegan").await;
        let first = begun(&app).await.remove(0);
        assert_eq!((first.state, first.cause), (SagaState::Held, Some(SessionEnd::Needed)));
        // The other one leaves for whoever waits.
        passes(&app, 15).await;
        let all = begun(&app).await;
        assert_eq!((all.len(), all[1].cause), (2, Some(SessionEnd::Needed)));
        assert_ne!(all[0].phone_id, all[1].phone_id);
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        assert_eq!(row(&app, all[1].phone_id.0).await.use_type, UseType::Off);
        assert_eq!(begun(&app).await[0].state, SagaState::Held);
    }

    async fn a_card_that_is_lost_meanwhile_is_noticed(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, asked) = Box::pin(locked(&app, &clerk)).await;
        let id = its_card(&app, &clerk, phone).await;
        is_found(&mut hand, id, false).await;
        assert_eq!(card(&app, id).await.network_status, NetworkStatus::Offline);
        passes(&app, 5).await;
        // Its time comes, and nobody can reach the card.
        passes(&app, 300).await;
        is_held(&app, phone, "locked").await;
        passes(&app, 300).await;
        assert_eq!(stands(&clerk, phone).await, lost("card_lost_no_copy"));
        let saga = leaves(&app).await;
        assert_eq!((saga.state, &*saga.code), (SagaState::Failed, "card_lost"));
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &asked).await["failed"], 1);
    }
}
