//! Rooms whose cards run several images, with a test that acts as the agent: what was copied comes on a card of its own image
//! alone, so that is what is wiped for it, and who leaves for it.

use entity::card::Occupancy;
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
use super::restore_steps::{copied, restore};

/// All copies were made with this image.
async fn made_with(app: &TestApp, image: &str) {
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

/// What is said of a put-on that waits for this reason.
fn waits(code: &str) -> (Value, Value, Value) {
    (json!(1), json!(1), json!(code))
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
        let blank = next_phone(&app, &clerk, phone).await;
        let copy = last(&app).await.id.0;
        restore(&app, &clerk, copy, blank).await;
        saga_round(&app.app).await.unwrap();
        assert_eq!(stands(&clerk, blank).await, waits("no_card_of_image"));
        assert_eq!(card(&app, sealed).await.occupancy, Occupancy::Wiping);
        hand.does(&app, "clear").await;
        hand.says(&app, "prove", "boot-2").await;
        hand.does(&app, "markClean").await;
        assert_eq!(hand.does(&app, "check").await["card"], sealed);
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
        connects(&app, application(&clerk).await, blank).await;
        run(&app, &format!("UPDATE saga SET backup_id = {copy} WHERE kind = 1 AND state = 1")).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        saga_round(&app.app).await.unwrap();
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
        connects(&app, application(&clerk).await, blank).await;
        run(&app, &format!("UPDATE saga SET backup_id = {copy} WHERE kind = 1 AND state = 1")).await;
        rule(&app, RuleField::ReconnectGrace, 1).await;
        saga_round(&app.app).await.unwrap();
        passes(&app, 120).await;
        passes(&app, 15).await;
        assert!(whys(&app).await.is_empty());
    }
}
