//! Rooms whose cards run several images, with a test that acts as the agent: what was copied comes on a card of its own image, or of
//! one that takes its phones, so that is what is wiped for it, and who leaves for it.

use entity::card::Occupancy;
use entity::phone::UseType;
use entity::phone_session::SessionEnd;
use entity::rule_value::RuleField;
use phones::saga_round;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::{PHONES, put_on};
use testroom::room::{say, until};

use super::apps::next_phone;
use super::back_steps::left;
use super::by_rule::{rule, run, whys};
use super::connect_steps::{application, connects};
use super::copy_steps::last;
use super::lost_steps::{passes, stands};
use super::put_on::{card, row};
use super::reserve::waits;
use super::restore_steps::{copied, restore};

const IMAGES: &str = "/api/fleet/v1/images";

/// All copies were made with this image.
pub async fn made_with(app: &TestApp, image: &str) {
    let manifest = json!({ "version": 1, "image": image, "later": [] });
    run(app, &format!("UPDATE backup SET manifest = '{manifest}'")).await;
}

/// The second and the third card run another image.
async fn others_are_flashed(app: &TestApp, hand: &mut Hand) {
    let seen = [2, 3].map(|at| json!({ "address": format!("10.1.0.{at}:5555"), "serial": format!("SN{at}"),
        "manufacturer": "瑞芯", "model": "RK3399-Card", "board": "RK_3399", "fingerprint": "another/image", "mark": "-" }));
    let before = card(app, hand.cards[0]).await.image_id;
    say(&mut hand.socket, &json!({ "type": "sightings", "cards": seen })).await;
    for at in [1, 2] {
        let id = hand.cards[at];
        until("it has said so", async || card(app, id).await.image_id != before).await;
    }
}

/// All copies were made with a third image, which no card runs, and whose phones come on cards of this one; where that is written
/// down.
pub async fn made_with_a_third(app: &TestApp, clerk: &Caller<'_>, to: &str) -> String {
    run(app, "INSERT INTO image_known (board, fingerprint, found_at) VALUES ('RK_3399', 'a/third/image', 0)").await;
    made_with(app, "a/third/image").await;
    takes(clerk, "a/third/image", to).await
}

/// From now on an image takes phones of another one; where that is written down.
pub async fn takes(clerk: &Caller<'_>, from: &str, to: &str) -> String {
    let list = clerk.get(IMAGES).await.data()["list"].clone();
    let id = |fingerprint: &str| {
        let found = list.as_array().unwrap().iter().find(|image| image["fingerprint"] == fingerprint);
        found.unwrap()["id"].clone()
    };
    let body = json!({ "toId": id(to), "reason": "已在实机上验证" });
    let made = clerk.post(&format!("{IMAGES}/{}/pairs", id(from)), body).await.data();
    format!("/api/fleet/v1/pairs/{}", made["id"])
}

/// So many put-ons from this copy wait, and nothing was done for them yet.
async fn wait_for(app: &TestApp, clerk: &Caller<'_>, copy: i64, like: i64, count: i64) {
    let row = row(app, like).await;
    let many = json!({ "userId": row.user_id, "plan": 2, "roomId": row.room_id.0, "diskGb": 1, "count": count,
        "expiresAt": app.app.clock.now().plus_seconds(86_400) });
    let first = clerk.post(PHONES, many).await.data()["firstId"].as_i64().unwrap();
    put_on(clerk, &(first..first + count).collect::<Vec<_>>()).await;
    fleet::operation::round(&app.app).await.unwrap();
    run(app, &format!("UPDATE saga SET backup_id = {copy} WHERE kind = 1 AND state = 1")).await;
}

/// Another phone like this one is to come with the last copy. It can do nothing with the cards that are clean, and the sealed one is
/// wiped for it; the check of the card on which it comes.
async fn wiped_for_another(app: &TestApp, clerk: &Caller<'_>, hand: &mut Hand, like: i64, sealed: i64) -> Value {
    let blank = next_phone(app, clerk, like).await;
    let copy = last(app).await.id.0;
    restore(app, clerk, copy, blank).await;
    saga_round(&app.app).await.unwrap();
    assert_eq!(stands(clerk, blank).await, waits("no_card_of_image"));
    assert_eq!(card(app, sealed).await.occupancy, Occupancy::Wiping);
    hand.does(app, "clear").await;
    hand.says(app, "prove", "boot-2").await;
    hand.does(app, "markClean").await;
    hand.does(app, "check").await
}

/// Somebody waits for this phone, which is to come with this copy, and who is idle for a minute may have to leave for it.
async fn is_wanted(app: &TestApp, clerk: &Caller<'_>, phone: i64, copy: i64) {
    connects(app, application(clerk).await, phone).await;
    run(app, &format!("UPDATE saga SET backup_id = {copy} WHERE kind = 1 AND state = 1")).await;
    rule(app, RuleField::ReconnectGrace, 1).await;
    saga_round(&app.app).await.unwrap();
}

db_test! {
    async fn a_sealed_card_is_wiped_for_who_can_do_nothing_with_those_that_are_clean(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, sealed) = Box::pin(left(&app, &clerk)).await;
        // Two are clean, which is as many as there should be.
        hand.keep(&clerk, 3).await;
        others_are_flashed(&app, &mut hand).await;
        made_with(&app, "an/image").await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(card(&app, sealed).await.occupancy, Occupancy::Sealed);
        let check = Box::pin(wiped_for_another(&app, &clerk, &mut hand, phone, sealed)).await;
        assert_eq!(check["card"], sealed);
    }

    async fn no_sealed_card_is_wiped_for_who_needs_another_image(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, sealed) = Box::pin(left(&app, &clerk)).await;
        hand.keep(&clerk, 3).await;
        others_are_flashed(&app, &mut hand).await;
        made_with(&app, "a/third/image").await;
        let copy = last(&app).await.id.0;
        wait_for(&app, &clerk, copy, phone, 5).await;
        for _ in 0..2 {
            saga_round(&app.app).await.unwrap();
        }
        assert_eq!(card(&app, sealed).await.occupancy, Occupancy::Sealed, "its phone may come back to it still");
    }

    async fn somebody_leaves_for_who_can_do_nothing_with_the_cards_that_are_free(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        hand.keep(&clerk, 3).await;
        others_are_flashed(&app, &mut hand).await;
        made_with(&app, "an/image").await;
        Box::pin(is_wanted(&app, &clerk, blank, copy)).await;
        assert_eq!(stands(&clerk, blank).await, waits("no_card_of_image"));
        passes(&app, 120).await;
        passes(&app, 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Needed]);
    }

    async fn nobody_leaves_for_who_needs_another_image(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        // No card is free.
        hand.keep(&clerk, 1).await;
        made_with(&app, "a/third/image").await;
        Box::pin(is_wanted(&app, &clerk, blank, copy)).await;
        passes(&app, 120).await;
        passes(&app, 15).await;
        assert!(whys(&app).await.is_empty());
    }

    async fn a_copy_comes_on_a_card_of_an_image_that_takes_its_phones(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        // One card runs the image of the copy, and has a phone; the two that are free run another one.
        hand.keep(&clerk, 3).await;
        others_are_flashed(&app, &mut hand).await;
        made_with(&app, "an/image").await;
        takes(&clerk, "another/image", "an/image").await;
        restore(&app, &clerk, copy, blank).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, blank).await, waits("no_card_of_image"), "the other way round says nothing");
        takes(&clerk, "an/image", "another/image").await;
        let check = hand.does(&app, "check").await;
        assert_eq!(check["act"]["fingerprint"], "another/image", "what the card runs: {check}");
        assert!(hand.cards[1..3].contains(&check["card"].as_i64().unwrap()), "{check}");
        for kind in ["claim", "apps", "restore", "boot", "health"] {
            hand.does(&app, kind).await;
        }
        let phone = row(&app, blank).await;
        assert_eq!((phone.use_type, &*phone.image), (UseType::On, "another/image"));
    }

    async fn a_pair_that_was_withdrawn_says_nothing_any_more(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        hand.keep(&clerk, 3).await;
        others_are_flashed(&app, &mut hand).await;
        made_with(&app, "an/image").await;
        let pair = takes(&clerk, "an/image", "another/image").await;
        clerk.delete(&pair, json!({})).await.data();
        restore(&app, &clerk, copy, blank).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, blank).await, waits("no_card_of_image"));
    }

    async fn a_sealed_card_of_such_an_image_is_wiped_for_who_needs_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phone, sealed) = Box::pin(left(&app, &clerk)).await;
        hand.keep(&clerk, 3).await;
        others_are_flashed(&app, &mut hand).await;
        // The sealed card's image takes it, and those of the clean ones do not.
        made_with_a_third(&app, &clerk, "an/image").await;
        let check = Box::pin(wiped_for_another(&app, &clerk, &mut hand, phone, sealed)).await;
        assert_eq!((&check["card"], &check["act"]["fingerprint"]), (&json!(sealed), &json!("an/image")), "{check}");
    }

    async fn somebody_leaves_such_a_card_for_who_needs_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (hand, copy, blank) = Box::pin(copied(&app, &clerk)).await;
        // No card is free.
        hand.keep(&clerk, 1).await;
        made_with_a_third(&app, &clerk, "an/image").await;
        Box::pin(is_wanted(&app, &clerk, blank, copy)).await;
        passes(&app, 120).await;
        passes(&app, 15).await;
        assert_eq!(whys(&app).await, [SessionEnd::Needed]);
    }
}
