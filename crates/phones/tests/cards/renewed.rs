//! Copies that renew others, with a test that acts as the agent: a phone that stays on its card is copied again while it goes on.

use entity::SagaId;
use entity::backup::BackupState;
use kernel::time::UtcTime;
use phones::{PrunedOf, prune_sagas, saga_round};
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::phone::PHONES;

use super::by_rule::run;
use super::copy_steps::{last, made};
use super::live_steps::{begun, is_done, later, marked};
use super::lost_steps::{is_backed_up, lose};
use super::put_on::row;

const HOUR: i64 = 3_600;
const NODES: &str = "/api/storage/v1/nodes";

/// Gives the only node another plan.
async fn plan(clerk: &Caller<'_>, strategy: i64, cycle: Value) -> Answer {
    let node = clerk.get(NODES).await.data()["list"][0].clone();
    let agents: Vec<Value> = node["agents"].as_array().unwrap().iter().map(|one| one["agent"]["id"].clone()).collect();
    let body = json!({ "name": node["name"], "city": node["city"], "place": node["place"], "agents": agents, "capacity": 9,
        "unit": "gb", "partitions": 2, "strategy": strategy, "cycle": cycle, "version": node["version"] });
    clerk.put(&format!("{NODES}/{}", node["id"]), body).await
}

/// The next copy that the console makes by itself is made, of this phone.
async fn is_copied(app: &TestApp, hand: &mut Hand, phone: i64, snapshot: char) {
    let packages = hand.step(app).await;
    assert_eq!(
        (&packages["act"]["kind"], &packages["mark"]["phone"]),
        (&json!("packages"), &json!(phone)),
        "{packages}"
    );
    is_done(hand, &packages, "of these").await;
    let copy = hand.step(app).await;
    assert_eq!((&copy["act"]["kind"], &copy["act"]["live"]), (&json!("copy"), &json!(true)), "{copy}");
    let mut told: Value = serde_json::from_str(&made(snapshot)).unwrap();
    told["still"] = json!("");
    is_done(hand, &copy, &told.to_string()).await;
    hand.does(app, "verify").await;
    let copy = last(app).await;
    assert_eq!((copy.state, copy.is_live, copy.phone_id.0), (BackupState::Verified, true, phone));
}

db_test! {
    async fn a_phone_that_stays_is_copied_again_once_its_newest_copy_is_a_day_old(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        app.app.clock.advance_seconds(HOUR + 1);
        is_copied(&app, &mut hand, phones[0], 'a').await;
        later(&app, 23 * HOUR).await;
        assert_eq!(begun(&app).await.len(), 1, "not before a day");
        app.app.clock.advance_seconds(HOUR);
        is_copied(&app, &mut hand, phones[0], 'b').await;
        later(&app, 23 * HOUR).await;
        assert_eq!(begun(&app).await.len(), 2, "once a day");
        assert_eq!(row(&app, phones[0]).await.kept_id, None, "it does not live by such a copy");
    }

    async fn how_old_a_copy_may_be_is_said_of_its_node_and_may_be_no_matter(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        let made = clerk.get(NODES).await.data()["list"][0].clone();
        assert_eq!((&made["strategy"], &made["cycle"]), (&json!(2), &json!(1)), "each day, if nobody says otherwise");
        for (strategy, cycle, said) in [
            (2, json!(0), "cycle integer.range"),
            (2, json!(31), "cycle integer.range"),
            (3, json!(10), "cycle choice.unknown"),
        ] {
            assert_eq!(plan(&clerk, strategy, cycle).await.errors(), [said]);
        }
        let at_take_off = plan(&clerk, 1, json!(5)).await.data();
        assert_eq!(at_take_off["cycle"], Value::Null, "it has none");
        app.app.clock.advance_seconds(HOUR + 1);
        is_copied(&app, &mut hand, phones[0], 'a').await;
        later(&app, 50 * HOUR).await;
        assert_eq!(begun(&app).await.len(), 1, "never again");
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        plan(&clerk, 2, json!(3)).await.data();
        later(&app, 60).await;
        assert_eq!(begun(&app).await.len(), 1);
        plan(&clerk, 2, json!(2)).await.data();
        app.app.clock.advance_seconds(60);
        is_copied(&app, &mut hand, phones[0], 'b').await;

        let clerk = app.signed_in("third", clerk.group.unwrap()).await;
        assert_eq!(plan(&clerk, 3, Value::Null).await.data()["cycle"], 7);
        later(&app, 6 * 24 * HOUR).await;
        assert_eq!(begun(&app).await.len(), 2, "not before a week");
        app.app.clock.advance_seconds(24 * HOUR + 60);
        is_copied(&app, &mut hand, phones[0], 'c').await;
    }

    async fn a_node_for_copies_by_hand_gets_none_that_nobody_has_asked_for(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 2)).await;
        plan(&clerk, 4, Value::Null).await.data();
        later(&app, HOUR + 1).await;
        assert_eq!(begun(&app).await.len(), 0, "nor the first one");
        let clerk = clerk.again().await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        run(&app, "UPDATE backup SET damage = 'copy_damaged'").await;
        run(&app, "UPDATE phone SET kept_id = NULL").await;
        later(&app, 2 * HOUR).await;
        assert_eq!(begun(&app).await.len(), 1, "only what a person has asked for");
        let clerk = clerk.again().await;
        plan(&clerk, 1, Value::Null).await.data();
        later(&app, 60).await;
        // Both have no whole copy, and who was never tried goes first.
        let of: Vec<i64> = begun(&app).await.iter().skip(1).map(|saga| saga.phone_id.0).collect();
        assert_eq!(of, [phones[1], phones[0]]);
    }

    async fn first_copies_go_before_those_that_renew_one_of_whatever_kind(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 4)).await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        // Its agent would not copy those that go on.
        hand.speaks(&app, wire::RETURNS).await;
        later(&app, 25 * HOUR).await;
        hand.speaks(&app, wire::LIVE).await;
        app.app.clock.advance_seconds(60);
        saga_round(&app.app).await.unwrap();
        let of = async || begun(&app).await.iter().filter(|saga| saga.operation_id.is_none()).map(|saga| saga.phone_id.0).collect::<Vec<_>>();
        assert_eq!(of().await, phones[1..3], "two at once, and one that has a copy waits");
        // Both are over, and the next two begin.
        for _ in 0..2 {
            hand.fails(&app, "packages", "locked", "neverBegan").await;
        }
        later(&app, 60).await;
        assert_eq!(of().await, [phones[1], phones[2], phones[3], phones[0]]);
    }

    async fn what_the_next_copy_is_compared_by_is_kept_as_long_as_the_phone_is_there(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        app.app.clock.advance_seconds(24 * HOUR + 60);
        is_copied(&app, &mut hand, phones[0], 'b').await;
        run(&app, "UPDATE saga SET ended_at = 1 WHERE ended_at IS NOT NULL").await;
        let removed = prune_sagas(&app.app, PrunedOf::Others, UtcTime(2), SagaId(0)).await.unwrap();
        assert_eq!(removed.map(|(removed, _)| removed), Some(1), "the one that made a copy of a phone that went on");
        let left = begun(&app).await;
        assert!(left.len() == 1 && left[0].operation_id.is_some());
        run(&app, "UPDATE backup SET is_live = TRUE").await;
        assert!(prune_sagas(&app.app, PrunedOf::Others, UtcTime(2), SagaId(0)).await.unwrap().is_some());
    }

    async fn a_phone_whose_card_is_lost_goes_on_with_the_newest_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(marked(&app, &clerk, 1)).await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        app.app.clock.advance_seconds(24 * HOUR + 60);
        is_copied(&app, &mut hand, phones[0], 'b').await;
        let clerk = app.signed_in("second", clerk.group.unwrap()).await;
        lose(&app, &mut hand, &clerk, phones[0]).await;
        let sagas = clerk.get(&format!("{PHONES}/{}/sagas", phones[0])).await.data();
        assert_eq!((&sagas[0]["code"], &sagas[0]["copyAt"]), (&json!("card_lost"), &json!(last(&app).await.began_at)), "{sagas}");
    }
}
