//! How many phones are copied at once, with a test that acts as the agent: as many as it has places for, and four of a host.

use entity::backup;
use entity::saga::SagaState;
use sea_orm::{EntityTrait as _, PaginatorTrait as _};
use serde_json::json;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::room::{dial, hear, hello, say, until};

use super::by_rule::run;
use super::copy_steps::{back_up, on, others_on};
use super::live_steps::{begun, later, marked};
use super::off_steps::clearing;
use super::quarantine_steps::{ran, says_whose};

/// The agent connects anew, and has so many places.
async fn has_places(app: &TestApp, hand: &mut Hand, places: u32) {
    hand.socket = dial(&hand.console, &hand.identity.credential).await.unwrap();
    let mut greeting = hello(wire::PROTOCOL);
    greeting["places"] = places.into();
    say(&mut hand.socket, &greeting).await;
    hear(&mut hand.socket, "welcome").await;
    let there = || app.app.part::<fleet::Connections>().that_copy(entity::RoomId(hand.room)).len();
    until("the connection before is closed", async || there() == 1).await;
}

/// All cards stand on one host.
async fn on_one_host(app: &TestApp) {
    let first = "(SELECT MIN(id) FROM host)";
    run(app, &format!("UPDATE card SET position = position + 100, host_id = {first} WHERE host_id <> {first}")).await;
}

/// A card in quarantine, and four other phones on cards of the same host. Its agent has places for all.
async fn beside_quarantine(app: &TestApp, clerk: &Caller<'_>) -> (Hand, Vec<i64>) {
    let (mut hand, phone, _) = ran(app, clerk).await;
    let others = others_on(app, clerk, &mut hand, phone, 4).await;
    has_places(app, &mut hand, 8).await;
    on_one_host(app).await;
    (hand, others)
}

async fn copies(app: &TestApp) -> u64 {
    backup::Entity::find().count(app.app.db.read()).await.unwrap()
}

db_test! {
    async fn as_many_phones_are_stopped_at_once_as_agents_have_places_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 6)).await;
        has_places(&app, &mut hand, 3).await;
        back_up(&app, &clerk, &phones).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(copies(&app).await, 6, "two for each place");
    }

    async fn four_of_a_host_are_copied_at_once_and_no_more(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 6)).await;
        has_places(&app, &mut hand, 8).await;
        on_one_host(&app).await;
        back_up(&app, &clerk, &phones).await;
        for _ in 0..2 {
            phones::saga_round(&app.app).await.unwrap();
            assert_eq!(copies(&app).await, 4);
        }
        let step = hand.step(&app).await;
        hand.tell(&step, json!({ "end": "failed", "code": "locked", "reason": "", "effect": "neverBegan" })).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(copies(&app).await, 5, "the next one has its turn");
    }

    async fn as_many_phones_are_copied_while_they_go_on_as_agents_have_places_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _) = Box::pin(marked(&app, &clerk, 6)).await;
        has_places(&app, &mut hand, 5).await;
        later(&app, 3_600 + 60).await;
        assert_eq!(begun(&app).await.len(), 5);
    }

    async fn of_a_host_four_are_copied_while_they_go_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, _) = Box::pin(marked(&app, &clerk, 6)).await;
        has_places(&app, &mut hand, 5).await;
        on_one_host(&app).await;
        later(&app, 3_600 + 60).await;
        assert_eq!(begun(&app).await.len(), 4);
    }

    async fn what_is_copied_from_quarantine_is_one_of_the_four_of_its_host(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, others) = Box::pin(beside_quarantine(&app, &clerk)).await;
        says_whose(&app).await;
        let start = hand.step(&app).await;
        assert_eq!((&start["act"]["kind"], clearing(&app).await.state), (&json!("start"), SagaState::Running));
        let before = copies(&app).await;
        back_up(&app, &clerk, &others).await;
        for _ in 0..2 {
            phones::saga_round(&app.app).await.unwrap();
            assert_eq!(copies(&app).await, before + 3);
        }
        hand.tell(&start, json!({ "end": "failed", "code": "locked", "reason": "", "effect": "neverBegan" })).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(copies(&app).await, before + 4, "the next one has its turn");
    }

    async fn what_is_in_quarantine_is_not_copied_beside_four_of_its_host(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, others) = Box::pin(beside_quarantine(&app, &clerk)).await;
        let before = copies(&app).await;
        back_up(&app, &clerk, &others).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(copies(&app).await, before + 4);
        says_whose(&app).await;
        for _ in 0..2 {
            phones::saga_round(&app.app).await.unwrap();
            assert_eq!(clearing(&app).await.state, SagaState::Held, "its host carries no more");
        }
        let step = hand.step(&app).await;
        hand.tell(&step, json!({ "end": "failed", "code": "locked", "reason": "", "effect": "neverBegan" })).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(clearing(&app).await.state, SagaState::Running);
    }
}
