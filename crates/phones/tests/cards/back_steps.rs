//! What becomes of cards that phones have left, with a test that acts as the agent: they stay as they are until somebody needs
//! them, and their phones come back to them within seconds.

use entity::backup;
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::placement::{self, Role};
use entity::saga::{self, SagaKind, SagaState};
use entity::saga_step::StepName;
use phones::connect::Seen;
use sea_orm::{ActiveValue::Set, EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::put_on;

use super::apps::next_phone;
use super::cleared::{profile, try_out};
use super::connect_steps::{application, connects};
use super::copy_steps::{last, on};
use super::lost_steps::is_found;
use super::off_steps::{clearing, goes_off, take_off};
use super::put_on::{card, roles, row};
use super::quarantine_steps::wipe_left;

/// A hand of eight cards, and a phone that has left the one with this id.
pub async fn left(app: &TestApp, clerk: &Caller<'_>) -> (Hand, i64, i64) {
    let (mut hand, phones) = Box::pin(on(app, clerk, 1)).await;
    let tried = profile(app, hand.cards[0]).await;
    try_out(clerk, tried).await;
    take_off(app, clerk, phones[0]).await;
    let id = goes_off(app, &mut hand, "boot-1", 'a').await;
    phones::saga_round(&app.app).await.unwrap();
    assert_eq!((card(app, id).await.occupancy, roles(app).await), (Occupancy::Sealed, vec![Role::Outgoing]));
    assert_eq!((clearing(app).await.state, row(app, phones[0]).await.use_type), (SagaState::Waiting, UseType::Off));
    (hand, phones[0], id)
}

async fn comes(app: &TestApp, clerk: &Caller<'_>, phone: i64) -> Value {
    let made = put_on(clerk, &[phone]).await;
    fleet::operation::round(&app.app).await.unwrap();
    made["id"].clone()
}

/// The sagas that clear cards, oldest first.
async fn clearings(app: &TestApp) -> Vec<(SagaState, String)> {
    let all = saga::Entity::find().order_by_asc(saga::Column::Id).all(app.app.db.read()).await.unwrap();
    all.into_iter().filter(|saga| saga.kind == SagaKind::Clear).map(|saga| (saga.state, saga.code)).collect()
}

/// The phone comes on another card than this, with its copy.
async fn comes_elsewhere(app: &TestApp, hand: &mut Hand, than: i64) {
    assert_ne!(hand.comes_with_copy(app).await, than);
}

db_test! {
    async fn a_phone_comes_back_to_the_card_that_it_has_left(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        let before = row(&app, phone).await;
        let operation = comes(&app, &clerk, phone).await;
        let start = hand.does(&app, "start").await;
        assert_eq!((&start["card"], &start["act"]["bootId"]), (&json!(id), &json!("boot-1")), "{start}");
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Restoring);
        hand.does(&app, "health").await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(testroom::operation::get(&clerk, &operation).await["succeeded"], 1);
        let back = row(&app, phone).await;
        assert_eq!((back.use_type, back.kept_id, back.used_bytes), (UseType::On, before.kept_id, before.used_bytes));
        assert_eq!(back.endpoint_rev, before.endpoint_rev + 1);
        assert_eq!((card(&app, id).await.occupancy, roles(&app).await), (Occupancy::InUse, vec![Role::Holds]));
        assert_eq!(clearings(&app).await, [(SagaState::Cancelled, String::new())]);
        assert_eq!(last(&app).await.restores, 0, "nothing was restored");
    }

    async fn one_whose_apps_have_run_since_waits_for_a_person_and_the_phone_comes_elsewhere(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        comes(&app, &clerk, phone).await;
        hand.fails(&app, "start", "apps_ran", "neverBegan").await;
        comes_elsewhere(&app, &mut hand, id).await;
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
        assert_eq!(clearings(&app).await, [(SagaState::Cancelled, String::new()), (SagaState::Held, "apps_ran".to_owned())]);
        let stay = placement::Entity::find().order_by_asc(placement::Column::Id).one(app.app.db.read()).await.unwrap().unwrap();
        assert!(stay.is_quarantined);
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Wiping);
        wipe_left(&app, clerk.group.unwrap(), phone).await;
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["card"], &wipe["act"]["bootId"]), (&json!(id), &Value::Null), "{wipe}");
    }

    async fn one_that_is_away_stays_as_it_is_until_the_phone_is_elsewhere(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        comes(&app, &clerk, phone).await;
        for _ in 0..3 {
            hand.fails(&app, "start", "adb_unreachable", "neverBegan").await;
            app.app.clock.advance_seconds(15);
        }
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Sealed, "nothing has run there");
        comes_elsewhere(&app, &mut hand, id).await;
        // It does not come back there any more.
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["card"], &wipe["act"]["bootId"]), (&json!(id), &json!("boot-1")), "{wipe}");
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Wiping);
    }

    async fn one_on_which_android_has_started_but_is_not_well_waits_for_a_person(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        comes(&app, &clerk, phone).await;
        hand.does(&app, "start").await;
        hand.fails(&app, "health", "unhealthy", "neverBegan").await;
        comes_elsewhere(&app, &mut hand, id).await;
        assert_eq!(clearing(&app).await.state, SagaState::Held);
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
    }

    async fn a_card_is_wiped_for_who_needs_it_and_its_phone_comes_elsewhere(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        // Two are free: that is enough until somebody waits for a third one.
        hand.keep(&clerk, 3).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Sealed);
        let other = next_phone(&app, &clerk, phone).await;
        comes(&app, &clerk, other).await;
        // With one that is left, the sealed one is wiped.
        let mut kinds = Vec::new();
        for _ in 0..2 {
            let step = hand.step(&app).await;
            kinds.push(step["act"]["kind"].as_str().unwrap().to_owned());
            hand.tell(&step, json!({ "end": "succeeded" })).await;
        }
        kinds.sort();
        assert_eq!(kinds, ["check", "clear"]);
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Wiping);
        // Its phone comes back now: to the card that is left.
        comes(&app, &clerk, phone).await;
        phones::saga_round(&app.app).await.unwrap();
        let all = saga::Entity::find().order_by_desc(saga::Column::Id).one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!((all.kind, all.backup_id.is_some()), (SagaKind::PutOn, true), "with its copy");
    }

    async fn who_waits_for_a_sealed_card_is_not_told_of_a_put_on_alone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phone, _) = Box::pin(left(&app, &clerk)).await;
        let next = next_phone(&app, &clerk, phone).await;
        let by = application(&clerk).await;
        hand.keep(&clerk, 2).await;
        let seen = connects(&app, by, next).await.0;
        assert!(matches!(seen, Seen::Queued { position: Some(1), wait: Some(_), .. }), "one is clean: {seen:?}");
        hand.keep(&clerk, 1).await;
        // Until the pool is read anew.
        app.app.clock.advance_seconds(6);
        let seen = connects(&app, by, next).await.0;
        assert!(matches!(seen, Seen::Queued { position: Some(1), wait: None, .. }), "nobody has seen a wipe yet: {seen:?}");
    }

    async fn a_card_out_of_reach_is_not_wiped_for_anybody_and_keeps_no_other_from_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let mut sealed = Vec::new();
        for (phone, snapshot) in phones.iter().zip(['a', 'b']) {
            take_off(&app, &clerk, *phone).await;
            sealed.push(goes_off(&app, &mut hand, "boot-1", snapshot).await);
            phones::saga_round(&app.app).await.unwrap();
        }
        let waits = (SagaState::Waiting, String::new());
        assert_eq!(clearings(&app).await, [waits.clone(), waits.clone()]);
        // Two clean ones are wanted and none is left; the card that was left first has gone.
        is_found(&mut hand, sealed[0], false).await;
        hand.keep(&clerk, 2).await;
        phones::saga_round(&app.app).await.unwrap();
        let runs = (SagaState::Running, String::new());
        assert_eq!(clearings(&app).await, [waits, runs.clone()]);
        // It is back, and the other one goes in the middle of it: nobody waits for that one.
        is_found(&mut hand, sealed[0], true).await;
        is_found(&mut hand, sealed[1], false).await;
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(clearings(&app).await, [runs.clone(), runs]);
    }

    async fn what_may_be_all_that_is_left_of_a_phone_is_not_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        let tx = app.app.db.begin_write().await.unwrap();
        let damage = Set("a pack is gone".to_owned());
        let change = backup::ActiveModel { id: Set(last(&app).await.id), damage, ..Default::default() };
        backup::Entity::update(change).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        hand.keep(&clerk, 1).await;
        for _ in 0..2 {
            phones::saga_round(&app.app).await.unwrap();
            assert_eq!(clearings(&app).await, [(SagaState::Waiting, "copy_damaged".to_owned())]);
        }
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Sealed);
        // It comes back to what it has left, though its copy brings it back on no other card.
        comes(&app, &clerk, phone).await;
        hand.does(&app, "start").await;
        hand.does(&app, "health").await;
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
    }

    async fn a_card_that_was_retired_is_not_wiped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, _, id) = Box::pin(left(&app, &clerk)).await;
        let body = json!({ "selection": { "ids": [id] }, "reason": "损坏" });
        clerk.post("/api/fleet/v1/cards/retire", body).await.data();
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(clearings(&app).await, [(SagaState::Done, String::new())]);
        assert_eq!((card(&app, id).await.occupancy, roles(&app).await), (Occupancy::Free, vec![Role::Ended]));
    }

    async fn a_phone_that_did_not_come_back_is_cleared_from_the_next_card_as_any_other(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        comes(&app, &clerk, phone).await;
        hand.fails(&app, "start", "apps_ran", "neverBegan").await;
        hand.does(&app, "check").await;
        let next = hand.fails(&app, "claim", "device_fail", "proved").await["card"].as_i64().unwrap();
        assert_ne!(next, id);
        let all = saga::Entity::find().order_by_desc(saga::Column::Id).all(app.app.db.read()).await.unwrap();
        let newest = all.into_iter().find(|saga| saga.kind == SagaKind::Clear).unwrap();
        assert_eq!((newest.step, newest.state, &*newest.proof), (StepName::Unclaim, SagaState::Running, ""));
        assert_eq!(card(&app, next).await.occupancy, Occupancy::Wiping);
    }

    async fn an_agent_that_would_not_look_is_not_asked(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        hand.speaks(&app, wire::RESTORES).await;
        comes(&app, &clerk, phone).await;
        assert_ne!(hand.does(&app, "check").await["card"], id);
    }
}
