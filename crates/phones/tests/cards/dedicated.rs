//! Cards that a phone has for itself, and phones that come on them, with a test that acts as the agent: who comes on which card, that
//! no rule takes anybody off one, and what becomes of who waits or is there when that is changed.

use entity::card::Occupancy;
use entity::phone::{PhonePool, UseType};
use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use entity::saga::{self, SagaState};
use entity::{PhoneId, phone};
use phones::connect::Seen;
use phones::saga_round;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::{PHONES, phone as new_phone};

use super::apps::next_phone;
use super::back_steps::left;
use super::by_rule::{begun, fifth_waits, rule, run, short, whys};
use super::cleared::{profile, try_out};
use super::connect_steps::{application, connects};
use super::copied::BACKUPS;
use super::copy_steps::{last, on};
use super::image_steps::made_with;
use super::lost_steps::{is_backed_up, passes, stands};
use super::off_steps::{goes_off, take_off};
use super::put_on::{card, row};
use super::reserve::{put, ten, waits};
use super::stream_steps::uses;

const MINUTE: i64 = 60;
const HOUR: i64 = 3_600;

/// Phones share these cards from now on, or do not.
pub async fn overcommit(clerk: &Caller<'_>, cards: &[i64], is_so: bool) {
    let body = json!({ "selection": { "ids": cards }, "overcommit": is_so });
    clerk.post("/api/fleet/v1/cards/flags", body).await.data();
}

/// A phone comes on such cards from now on.
pub async fn comes_on(app: &TestApp, clerk: &Caller<'_>, phone: i64, pool: PhonePool) {
    let phone::Model { name, room_id, disk_gb, remark, .. } = row(app, phone).await;
    let body = json!({ "name": name, "roomId": room_id, "diskGb": disk_gb, "remark": remark, "pool": pool });
    clerk.put(&format!("{PHONES}/{phone}"), body).await.data();
}

/// A phone of the same user that comes on cards that it has for itself.
async fn dedicated(app: &TestApp, clerk: &Caller<'_>, first: i64) -> i64 {
    let phone = next_phone(app, clerk, first).await;
    comes_on(app, clerk, phone, PhonePool::Dedicated).await;
    phone
}

/// The card that a phone is on, and whether it is said that no rule takes it off.
async fn place(clerk: &Caller<'_>, phone: i64) -> (i64, bool) {
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
    (seen["card"]["id"].as_i64().unwrap_or(0), seen["isGuaranteed"].as_bool().unwrap())
}

/// The newest saga of a phone.
async fn newest(app: &TestApp, phone: i64) -> saga::Model {
    let all = saga::Entity::find().filter(saga::Column::PhoneId.eq(PhoneId(phone)));
    all.order_by_desc(saga::Column::Id).one(app.app.db.read()).await.unwrap().unwrap()
}

/// Phones that are to be put on are, all at once.
async fn are_put_on(app: &TestApp, hand: &mut Hand, count: usize) {
    for _ in 0..4 * count {
        let step = hand.step(app).await;
        hand.tell(&step, json!({ "end": "succeeded" })).await;
    }
}

db_test! {
    async fn phones_come_on_cards_of_their_own_pool_alone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        let shared = new_phone(&app, &clerk, hand.room).await;
        let (own, next) = (dedicated(&app, &clerk, shared).await, dedicated(&app, &clerk, shared).await);
        // The one that anybody would get first.
        overcommit(&clerk, &hand.cards[..1], false).await;
        put(&app, &clerk, &[shared, own, next]).await;
        assert_eq!(stands(&clerk, next).await, waits("no_dedicated_card"), "six others are free");
        are_put_on(&app, &mut hand, 2).await;
        assert_eq!(place(&clerk, own).await, (hand.cards[0], true));
        let (id, is_guaranteed) = place(&clerk, shared).await;
        assert!(id > hand.cards[0] && !is_guaranteed, "{id}");
        // Somebody says that another one is for such phones, too.
        overcommit(&clerk, &hand.cards[4..5], false).await;
        hand.is_put_on(&app).await;
        assert_eq!(place(&clerk, next).await, (hand.cards[4], true));
        // And the other way round.
        overcommit(&clerk, &hand.cards, false).await;
        let other = next_phone(&app, &clerk, shared).await;
        put(&app, &clerk, &[other]).await;
        assert_eq!(stands(&clerk, other).await, waits("no_card"), "five others are free");
        overcommit(&clerk, &hand.cards[7..], true).await;
        hand.is_put_on(&app).await;
        assert_eq!(place(&clerk, other).await, (hand.cards[7], false));
    }

    async fn no_rule_takes_a_phone_off_a_card_that_it_has_for_itself(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        // With the phone on it: that keeps it from now on, whatever cards it comes on the next time.
        overcommit(&clerk, &[place(&clerk, phones[0]).await.0], false).await;
        assert!(place(&clerk, phones[0]).await.1 && !place(&clerk, phones[1]).await.1);
        short(&app).await;
        for _ in 0..3 {
            passes(&app, MINUTE + 15).await;
        }
        let leaves: Vec<(i64, Option<SessionEnd>)> = begun(&app).await.iter().map(|saga| (saga.phone_id.0, saga.cause)).collect();
        assert_eq!(leaves, [(phones[1], Some(SessionEnd::Idle))]);
        // What nobody may use leaves all the same.
        let freeze = json!({ "selection": { "ids": [phones[0]] }, "reason": "风控" });
        clerk.post(&format!("{PHONES}/freeze"), freeze).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        passes(&app, 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Idle, SessionEnd::NotAllowed]);
    }

    async fn who_waits_for_a_shared_card_drives_nobody_off_a_card_of_his_own(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let next = next_phone(&app, &clerk, phones[0]).await;
        // No other card is free.
        hand.keep(&clerk, 2).await;
        // That of the one who was idle for longest.
        overcommit(&clerk, &[place(&clerk, phones[0]).await.0], false).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 2 * MINUTE).await;
        connects(&app, by, next).await;
        passes(&app, 15).await;
        let leaves = begun(&app).await;
        assert_eq!((leaves.len(), leaves[0].phone_id.0, leaves[0].cause), (1, phones[1], Some(SessionEnd::Needed)));
    }

    async fn who_waits_for_a_card_of_his_own_drives_nobody_off(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let by = application(&clerk).await;
        let own = dedicated(&app, &clerk, phones[0]).await;
        hand.keep(&clerk, 2).await;
        overcommit(&clerk, &[place(&clerk, phones[0]).await.0], false).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        passes(&app, 2 * MINUTE).await;
        connects(&app, by, own).await;
        for _ in 0..2 {
            passes(&app, 15).await;
        }
        assert_eq!(stands(&clerk, own).await, waits("no_dedicated_card"));
        assert!(whys(&app).await.is_empty(), "one is the other's own, and a shared one is none for it");
    }

    async fn a_take_off_by_rule_that_waits_for_its_turn_ends_when_the_card_is_given_to_its_phone(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, fifth) = Box::pin(fifth_waits(&app, &clerk)).await;
        overcommit(&clerk, &[place(&clerk, fifth).await.0], false).await;
        hand.fails(&app, "packages", "wrong_store", "neverBegan").await;
        saga_round(&app.app).await.unwrap();
        let over = begun(&app).await.remove(0);
        assert_eq!((over.state, &*over.code, over.cause), (SagaState::Cancelled, "guaranteed", Some(SessionEnd::Idle)));
        passes(&app, MINUTE).await;
        assert!(begun(&app).await.iter().skip(1).all(|saga| saga.phone_id.0 != fifth), "nor is it asked again");
    }

    async fn who_waits_goes_over_to_the_other_cards_with_his_rank(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        hand.keep(&clerk, 1).await;
        overcommit(&clerk, &hand.cards[..1], false).await;
        let phone = new_phone(&app, &clerk, hand.room).await;
        put(&app, &clerk, &[phone]).await;
        assert_eq!(stands(&clerk, phone).await, waits("no_card"));
        let rank = newest(&app, phone).await.rank_at;
        comes_on(&app, &clerk, phone, PhonePool::Dedicated).await;
        assert_eq!(stands(&clerk, phone).await, waits(""), "why it waits is another thing there");
        hand.is_put_on(&app).await;
        assert_eq!((place(&clerk, phone).await, newest(&app, phone).await.rank_at), ((hand.cards[0], true), rank));
        // From now on it comes on others again: it stays where it is, and is kept there by its card.
        comes_on(&app, &clerk, phone, PhonePool::Shared).await;
        assert_eq!(place(&clerk, phone).await, (hand.cards[0], true));
        short(&app).await;
        passes(&app, 2 * MINUTE).await;
        assert!(whys(&app).await.is_empty());
    }

    async fn one_whose_card_does_not_go_looks_for_another_of_its_new_pool(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        overcommit(&clerk, &hand.cards[6..], false).await;
        let phone = new_phone(&app, &clerk, hand.room).await;
        put(&app, &clerk, &[phone]).await;
        comes_on(&app, &clerk, phone, PhonePool::Dedicated).await;
        hand.fails(&app, "check", "not_ours", "neverBegan").await;
        hand.is_put_on(&app).await;
        assert_eq!(place(&clerk, phone).await, (hand.cards[6], true));
    }

    async fn each_pool_has_a_queue_and_free_cards_of_its_own(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let by = application(&clerk).await;
        let (mut places, mut waiting) = (Vec::new(), Vec::new());
        for pool in [PhonePool::Shared, PhonePool::Dedicated, PhonePool::Dedicated, PhonePool::Shared] {
            let phone = next_phone(&app, &clerk, phones[0]).await;
            comes_on(&app, &clerk, phone, pool).await;
            let Seen::Queued { position, wait, .. } = connects(&app, by, phone).await.0 else { panic!("it has a card already") };
            places.push((position, wait.is_some()));
            waiting.push(phone);
        }
        // Seven shared cards are free, and it is known how long it takes to come on one.
        assert_eq!(places, [(Some(1), true), (Some(1), false), (Some(2), false), (Some(2), true)]);
        // One that is free, and one on which it was seen how long that takes.
        overcommit(&clerk, &[place(&clerk, phones[0]).await.0, hand.cards[7]], false).await;
        // Until the pools are read anew.
        app.app.clock.advance_seconds(6);
        let mut places = Vec::new();
        for phone in &waiting[1..3] {
            let Seen::Queued { position, wait, .. } = connects(&app, by, *phone).await.0 else { panic!("it has a card already") };
            places.push((position, wait.is_some()));
        }
        assert_eq!(places, [(Some(1), true), (Some(2), false)], "six shared ones are none for them");
    }

    async fn of_cards_that_phones_have_for_themselves_none_is_kept_in_reserve(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let mut hand = Hand::take(&app, &clerk).await;
        ten(&app, &clerk, &hand, 1).await;
        run(&app, "UPDATE card SET is_overcommit = FALSE").await;
        let shared = new_phone(&app, &clerk, hand.room).await;
        let own = dedicated(&app, &clerk, shared).await;
        put(&app, &clerk, &[shared, own]).await;
        assert_eq!(stands(&clerk, shared).await, waits("no_card"));
        hand.is_put_on(&app).await;
        assert_eq!(row(&app, own).await.use_type, UseType::On, "on the last one of ten");
    }

    async fn what_a_phone_has_left_on_a_card_of_its_own_stays_until_another_one_needs_that(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        // A shared card would be wiped at once: no other is there, and some are to be clean.
        hand.keep(&clerk, 1).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        overcommit(&clerk, &hand.cards[..1], false).await;
        comes_on(&app, &clerk, phones[0], PhonePool::Dedicated).await;
        take_off(&app, &clerk, phones[0]).await;
        goes_off(&app, &mut hand, "boot-1", 'a').await;
        for _ in 0..2 {
            saga_round(&app.app).await.unwrap();
            assert_eq!(card(&app, hand.cards[0]).await.occupancy, Occupancy::Sealed);
        }
        // Nobody of the other pool has it wiped, either.
        let shared = next_phone(&app, &clerk, phones[0]).await;
        put(&app, &clerk, &[shared]).await;
        assert_eq!(card(&app, hand.cards[0]).await.occupancy, Occupancy::Sealed);
        let own = dedicated(&app, &clerk, phones[0]).await;
        put(&app, &clerk, &[own]).await;
        assert_eq!(hand.does(&app, "clear").await["card"], hand.cards[0]);
    }

    async fn a_phone_does_not_come_back_to_a_card_of_the_other_pool(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        overcommit(&clerk, &[id], false).await;
        put(&app, &clerk, &[phone]).await;
        assert_ne!(hand.comes_with_copy(&app).await, id);
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
    }

    async fn a_phone_comes_back_to_the_card_that_was_given_to_it_meanwhile(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        overcommit(&clerk, &[id], false).await;
        comes_on(&app, &clerk, phone, PhonePool::Dedicated).await;
        put(&app, &clerk, &[phone]).await;
        assert_eq!(hand.does(&app, "start").await["card"], id);
        hand.does(&app, "health").await;
        assert_eq!(place(&clerk, phone).await, (id, true));
    }

    async fn a_phone_comes_back_to_all_that_is_left_of_it_wherever_that_is(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, id) = Box::pin(left(&app, &clerk)).await;
        overcommit(&clerk, &[id], false).await;
        run(&app, "UPDATE backup SET damage = 'a pack is gone'").await;
        run(&app, "UPDATE saga SET code = 'copy_damaged' WHERE kind = 3").await;
        put(&app, &clerk, &[phone]).await;
        assert_eq!(hand.does(&app, "start").await["card"], id);
    }

    async fn a_preview_says_who_stays_on_a_card_of_his_own(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_hand, phones) = Box::pin(on(&app, &clerk, 3)).await;
        overcommit(&clerk, &[place(&clerk, phones[0]).await.0, place(&clerk, phones[1]).await.0], false).await;
        app.app.clock.advance_seconds(HOUR);
        let clerk = clerk.again().await;
        uses(&app, application(&clerk).await, phones[1]).await;
        let told = async |values: Value| {
            let body = json!({ "scope": 1, "version": 0, "values": values });
            let told = clerk.post("/api/phone/v1/rules/preview", body).await.data();
            ["leave", "inUse", "guaranteed"].map(|field| told[field].as_i64().unwrap())
        };
        assert_eq!(told(json!({ "idleMinutes": 1 })).await, [1, 0, 1], "one is used");
        assert_eq!(told(json!({ "idleMinutes": 0, "longestSession": 1 })).await, [0, 0, 1], "its use ends, and it stays");
        assert_eq!(told(json!({ "idleMinutes": 70 })).await, [0, 0, 0]);
    }

    async fn a_phone_is_not_set_back_to_what_none_of_its_own_cards_runs(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        made_with(&app, "an/image").await;
        let asks = format!("{BACKUPS}/{}/set-back", last(&app).await.id);
        comes_on(&app, &clerk, phones[0], PhonePool::Dedicated).await;
        let refused = clerk.post(&asks, json!({})).await.brief();
        assert_eq!(refused, (409, 4009), "those that phones share run it, and it comes on none of them");
        overcommit(&clerk, &hand.cards[4..5], false).await;
        clerk.post(&asks, json!({})).await.data();
    }
}
