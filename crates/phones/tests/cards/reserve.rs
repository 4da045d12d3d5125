//! Who gets no card although one is free, with a test that acts as the agent: the last ones of a pool are for phones whose card
//! has failed, and a copy that nobody can read just now needs none.

use entity::phone::UseType;
use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use phones::connect::Seen;
use phones::saga_round;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::{phone as new_phone, put_on};
use testroom::site::{CARDS, kind};

use super::apps::next_phone;
use super::by_rule::{begun, rule, run, whys};
use super::connect_steps::{application, connects};
use super::copied::BACKUPS;
use super::copy_steps::{last, on};
use super::lost_steps::{ask, is_backed_up, lose, passes, stands};
use super::off_steps::{clearing, goes_off, take_off};
use super::put_on::row;
use super::restore_steps::{copied, restore};

/// The room has ten cards, of which so many can be had: two were never reached, and the others are busy with an upgrade.
pub async fn ten(app: &TestApp, clerk: &Caller<'_>, hand: &Hand, free: usize) {
    for number in 9..=10 {
        let body = json!({ "roomId": hand.room, "intranetIp": format!("10.1.0.{number}"), "adbPort": 5555 });
        clerk.post(CARDS, kind(body)).await.data();
    }
    run(app, "UPDATE card SET lifecycle = 3, is_assignable = TRUE").await;
    leaves(app, free).await;
}

/// So many cards can be had.
async fn leaves(app: &TestApp, free: usize) {
    run(app, "UPDATE card SET is_upgrading = TRUE WHERE occupancy = 1").await;
    let some = "SELECT id FROM card WHERE network_status = 1 AND occupancy = 1 ORDER BY id";
    run(app, &format!("UPDATE card SET is_upgrading = FALSE WHERE id IN ({some} LIMIT {free})")).await;
}

/// What is said of a put-on that waits for this reason.
pub fn waits(code: &str) -> (Value, Value, Value) {
    (json!(1), json!(1), json!(code))
}

/// What the agent has found at the storage node.
async fn node_is(app: &TestApp, code: &str) {
    run(app, &format!("UPDATE store_node_agent SET code = '{code}'")).await;
}

/// Phones are asked to be put on, and get cards if there are any.
pub async fn put(app: &TestApp, clerk: &Caller<'_>, phones: &[i64]) {
    put_on(clerk, phones).await;
    fleet::operation::round(&app.app).await.unwrap();
    saga_round(&app.app).await.unwrap();
}

db_test! {
    async fn a_card_that_nothing_wipes_since_its_phone_has_no_whole_copy_is_not_free(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        take_off(&app, &clerk, phones[0]).await;
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        let copy = last(&app).await.id;
        clerk.post(&format!("{BACKUPS}/{copy}/verify"), json!({})).await.data();
        assert_eq!(clearing(&app).await.code, "");
        hand.fails(&app, "verify", "copy_damaged", "neverBegan").await;
        // Before anybody needs it.
        assert_eq!(clearing(&app).await.code, "copy_damaged");

        // Whoever waits is not told that it is free, and another phone leaves for him.
        hand.keep(&clerk, 2).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 240).await;
        let (seen, _) = connects(&app, by, next).await;
        assert!(matches!(seen, Seen::Queued { position: Some(1), .. }), "{seen:?}");
        passes(&app, 15).await;
        let leaves = begun(&app).await;
        assert_eq!((leaves.len(), leaves[0].phone_id.0, leaves[0].cause), (1, phones[1], Some(SessionEnd::Needed)));
    }

    async fn the_last_card_is_for_a_phone_whose_card_has_failed(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        ten(&app, &clerk, &hand, 2).await;
        let first = new_phone(&app, &clerk, hand.room).await;
        let second = next_phone(&app, &clerk, first).await;
        put(&app, &clerk, &[first, second]).await;
        hand.does(&app, "check").await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, second).await, waits("no_card"), "a card is free");
        // Whose card has failed gets that one.
        let failed = hand.fails(&app, "claim", "device_fail", "proved").await["card"].clone();
        let mut given = Vec::new();
        for _ in 0..2 {
            let step = hand.step(&app).await;
            given.push((step["card"] == failed, step["act"]["kind"].clone()));
            hand.tell(&step, json!({ "end": "succeeded" })).await;
        }
        given.sort_by_key(|(is_failed, _)| *is_failed);
        assert_eq!(given, [(false, json!("check")), (true, json!("unclaim"))]);
        for kind in ["claim", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert_eq!(row(&app, first).await.use_type, UseType::On);
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, second).await, waits("no_card"), "the one that failed is free again, and the last one");
        leaves(&app, 2).await;
        hand.is_put_on(&app).await;
        assert_eq!(row(&app, second).await.use_type, UseType::On);
    }

    async fn a_phone_whose_card_is_lost_goes_on_with_one_of_the_reserve(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        ten(&app, &clerk, &hand, 1).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        put(&app, &clerk, &[next]).await;
        assert_eq!(stands(&clerk, next).await, waits("no_card"));
        lose(&app, &mut hand, &clerk, phones[0]).await;
        ask(&clerk, "accept-copy", json!({ "answeredFor": true, "reason": "pulled out" }), phones[0]).await;
        hand.comes_with_copy(&app).await;
        assert_eq!(row(&app, phones[0]).await.use_type, UseType::On);
        assert_eq!(stands(&clerk, next).await, waits("no_card"), "who was there before it waits still");
    }

    async fn who_waits_is_not_promised_the_reserve_and_somebody_leaves_for_him(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        ten(&app, &clerk, &hand, 2).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        let seen = connects(&app, by, next).await.0;
        assert!(matches!(seen, Seen::Queued { position: Some(1), wait: Some(_), .. }), "one is above the reserve: {seen:?}");
        leaves(&app, 1).await;
        // Until the pool is read anew.
        app.app.clock.advance_seconds(6);
        let seen = connects(&app, by, next).await.0;
        assert!(matches!(seen, Seen::Queued { position: Some(1), wait: None, .. }), "{seen:?}");
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, next).await, waits("no_card"));
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 120).await;
        assert_eq!(whys(&app).await, [SessionEnd::Needed]);
    }

    async fn a_copy_whose_storage_node_is_away_takes_no_card_and_keeps_nobody_from_one(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        node_is(&app, "store_unreachable").await;
        restore(&app, &clerk, copy, blank).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, blank).await, waits("store_unreachable"));
        let next = next_phone(&app, &clerk, blank).await;
        put(&app, &clerk, &[next]).await;
        hand.is_put_on(&app).await;
        assert_eq!(row(&app, next).await.use_type, UseType::On, "it comes without a copy");
        assert_eq!(stands(&clerk, blank).await, waits("store_unreachable"));
        node_is(&app, "").await;
        hand.comes_with_copy(&app).await;
        assert_eq!(row(&app, blank).await.use_type, UseType::On);
    }

    async fn nobody_leaves_for_one_whose_storage_node_is_away(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        // No other card is free.
        hand.keep(&clerk, 1).await;
        node_is(&app, "store_unreachable").await;
        connects(&app, application(&clerk).await, blank).await;
        run(&app, &format!("UPDATE saga SET backup_id = {copy} WHERE kind = 1 AND state = 1")).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, blank).await, waits("store_unreachable"));
        passes(&app, 120).await;
        passes(&app, 15).await;
        assert!(whys(&app).await.is_empty());
        node_is(&app, "").await;
        passes(&app, 15).await;
        assert_eq!((stands(&clerk, blank).await, whys(&app).await), (waits("no_card"), vec![SessionEnd::Needed]));
    }
}
