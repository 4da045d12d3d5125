//! Phones whose cards are lost, with a test that acts as the agent: they go on when these are back, or when somebody has
//! decided, and never run twice.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use entity::backup::{self, BackupState};
use entity::card::{Lifecycle, NetworkStatus, Occupancy};
use entity::phone::UseType;
use entity::placement::{self, Role};
use entity::saga::{self, SagaKind, SagaState};
use entity::{loss, phone};
use phones::saga_round;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};
use testroom::room::say;

use super::cleared::{profile, try_out};
use super::copy_steps::{back_up, last, made, on};
use super::off_steps::{clearing, take_off};
use super::put_on::{card, roles, row};
use super::quarantine_steps::wipe_left;

/// How long a card has to be silent.
pub const PATIENCE: i64 = 600;
/// Between two looks.
pub const PACE: i64 = 5;

/// Batches of reports have numbers that rise.
static BATCH: AtomicU64 = AtomicU64::new(10);

/// The agent finds a card so, often enough to count.
pub async fn is_found(hand: &mut Hand, card: i64, is_up: bool) {
    let probe = json!({ "reached": is_up, "tcpOpen": is_up, "adbAnswers": is_up, "booted": is_up });
    for _ in 0..3 {
        let batch = json!({ "type": "reports", "seq": BATCH.fetch_add(1, Relaxed), "reports": [{ "card": card, "probe": probe }] });
        say(&mut hand.socket, &batch).await;
        hand.hear("taken").await;
    }
}

/// The BMC says that a card has no power.
async fn is_off(hand: &mut Hand, card: i64) {
    let batch =
        json!({ "type": "reports", "seq": BATCH.fetch_add(1, Relaxed), "reports": [{ "card": card, "power": "off" }] });
    say(&mut hand.socket, &batch).await;
    hand.hear("taken").await;
}

/// Some time passes, and the console looks.
pub async fn passes(app: &TestApp, seconds: i64) {
    app.app.clock.advance_seconds(seconds);
    saga_round(&app.app).await.unwrap();
}

/// The card of a phone does not answer for so long that it is lost; its id.
pub async fn lose(app: &TestApp, hand: &mut Hand, clerk: &Caller<'_>, phone: i64) -> i64 {
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
    let id = seen["card"]["id"].as_i64().unwrap();
    is_found(hand, id, false).await;
    assert_eq!(card(app, id).await.network_status, NetworkStatus::Offline);
    passes(app, PACE).await;
    passes(app, PATIENCE).await;
    id
}

/// What is said of a phone: what is being done to it, whether that waits for a person, and why.
pub async fn stands(clerk: &Caller<'_>, phone: i64) -> (Value, Value, Value) {
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"].clone();
    (seen["kind"].clone(), seen["state"].clone(), seen["code"].clone())
}

pub fn held(code: &str) -> (Value, Value, Value) {
    (json!(SagaKind::Lost.code()), json!(SagaState::Held.code()), json!(code))
}

pub fn nothing() -> (Value, Value, Value) {
    (Value::Null, Value::Null, Value::Null)
}

/// A copy of the phone is made and read back.
pub async fn is_backed_up(app: &TestApp, hand: &mut Hand, clerk: &Caller<'_>, phone: i64) {
    back_up(app, clerk, &[phone]).await;
    hand.does(app, "packages").await;
    hand.says(app, "stop", "boot-1").await;
    hand.says(app, "copy", &made('a')).await;
    hand.does(app, "start").await;
    hand.does(app, "verify").await;
    assert_eq!(row(app, phone).await.kept_id, Some(last(app).await.id));
}

/// Begins an act on a phone; the operation, and why its only task did not succeed.
pub async fn ask(clerk: &Caller<'_>, act: &str, mut body: Value, phone: i64) -> (Value, Value) {
    body["selection"] = json!({ "ids": [phone] });
    let made = clerk.post(&format!("{PHONES}/{act}"), body).await.data();
    let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?pageSize=9", made["id"])).await.data();
    (made["id"].clone(), tasks["list"][0]["code"].clone())
}

/// Whether the stays are set aside, oldest first.
pub async fn quarantined(app: &TestApp) -> Vec<bool> {
    let rows = placement::Entity::find().order_by_asc(placement::Column::Id).all(app.app.db.read()).await.unwrap();
    rows.into_iter().map(|row| row.is_quarantined).collect()
}

db_test! {
    async fn a_phone_goes_on_with_its_copy_once_somebody_answers_for_its_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let before = row(&app, phone).await;
        let (_, why) = ask(&clerk, "accept-copy", json!({}), phone).await;
        assert_eq!(why, "card_not_lost", "it is there");

        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        let id = seen["card"]["id"].as_i64().unwrap();
        is_found(&mut hand, id, false).await;
        passes(&app, PACE).await;
        passes(&app, PATIENCE - PACE).await;
        assert_eq!(stands(&clerk, phone).await, nothing(), "it may only be restarting");
        passes(&app, PACE).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost"));
        passes(&app, PATIENCE).await;
        let sagas = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
        let told: Vec<&Value> = sagas.as_array().unwrap().iter().filter(|saga| saga["kind"] == 9).collect();
        assert_eq!(told.len(), 1, "once");
        assert_eq!(told[0]["copyAt"], json!(last(&app).await.began_at));
        let list = clerk.get(&format!("{PHONES}?held=true")).await.data();
        assert_eq!((&list["total"], &list["list"][0]["id"]), (&json!(1), &json!(phone)));
        assert_eq!(clerk.get(&format!("{PHONES}?held=false")).await.data()["total"], 0);
        assert_eq!(clerk.get(&format!("{PHONES}/counts")).await.data()["held"], 1);
        let concerns = clerk.get("/api/general/v1/attention").await.data();
        assert!(concerns.to_string().contains("/cloudPhone/list?held=true"), "{concerns}");

        // Nothing else is done to it, and its card is nobody else's.
        assert_eq!(ask(&clerk, "restart", json!({}), phone).await.1, "phone_under_way");
        let fresh = app.signed_in("fresh", clerk.group.unwrap()).await;
        assert_eq!(ask(&fresh, "give-up", json!({ "reason": "x" }), phone).await.1, "copy_there");
        let limited = app.operator("limited", &["phone:list", "phone:putOn"]).await;
        let body = json!({ "selection": { "ids": [phone] }, "answeredFor": true, "reason": "x" });
        assert_eq!(limited.post(&format!("{PHONES}/accept-copy"), body).await.status(), 4003);

        // Nobody knows that the card is off: it would run twice.
        assert_eq!(ask(&clerk, "accept-copy", json!({ "reason": "looked at" }), phone).await.1, "card_not_off");
        let body = json!({ "selection": { "ids": [phone] }, "answeredFor": true });
        assert!(clerk.post(&format!("{PHONES}/accept-copy"), body).await.errors()[0].starts_with("reason"));
        let act = json!({ "kind": "acceptCopy", "answeredFor": false });
        let body = json!({ "selection": { "ids": [phone] }, "act": act });
        let judged = clerk.post(&format!("{PHONES}/preview"), body).await.data();
        assert_eq!((&judged["willRun"], &judged["leftOut"][0]["code"]), (&json!(0), &json!("card_not_off")), "{judged}");
        // Whoever names a copy means that one.
        let other = before.kept_id.unwrap().0 + 1;
        let body = json!({ "selection": { "ids": [phone] }, "answeredFor": true, "reason": "x", "backupId": other });
        assert_eq!(clerk.post(&format!("{PHONES}/accept-copy"), body).await.brief(), (409, 4009));
        assert_eq!(stands(&clerk, phone).await, held("card_lost"));
        let answer = json!({ "answeredFor": true, "reason": "pulled out by hand", "backupId": before.kept_id });
        let (operation, _) = ask(&clerk, "accept-copy", answer, phone).await;
        let gone = row(&app, phone).await;
        assert_eq!((gone.use_type, gone.holds_id, gone.kept_id), (UseType::Off, None, before.kept_id));
        assert_eq!(gone.endpoint_rev, before.endpoint_rev + 1, "whoever was connected is not any more");
        assert_eq!((roles(&app).await, quarantined(&app).await), (vec![Role::Outgoing], vec![true]));
        assert_eq!(card(&app, id).await.occupancy, Occupancy::Wiping);
        let waits = clearing(&app).await;
        assert_eq!((waits.state, &*waits.code, waits.locks_phone), (SagaState::Held, "card_away", false));
        assert!(app.audit_trail().await.contains(&"admin phone_copy_accepted 0".to_owned()));
        assert_ne!(hand.comes_with_copy(&app).await, id);
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &operation).await["succeeded"], 1);
        assert_eq!(roles(&app).await, [Role::Outgoing, Role::Holds]);

        // The card is back after all: what runs there is stopped, and what is on it stays for a person.
        is_found(&mut hand, id, true).await;
        app.app.clock.advance_seconds(PACE);
        let halt = hand.does(&app, "halt").await;
        assert_eq!(halt["card"], id, "{halt}");
        assert_eq!((clearing(&app).await.state, &*clearing(&app).await.code), (SagaState::Held, "card_was_lost"));
        passes(&app, PATIENCE).await;
        assert_eq!(clearing(&app).await.state, SagaState::Held, "once is enough");
        // It restarts.
        is_found(&mut hand, id, false).await;
        passes(&app, PACE).await;
        is_found(&mut hand, id, true).await;
        app.app.clock.advance_seconds(PACE);
        hand.fails(&app, "halt", "adb_closed", "unknown").await;
        assert_eq!(&*clearing(&app).await.code, "card_away");
        passes(&app, 590).await;
        assert_eq!(clearing(&app).await.state, SagaState::Held, "not at once, and later each time");
        app.app.clock.advance_seconds(20);
        hand.does(&app, "halt").await;
        assert_eq!(&*clearing(&app).await.code, "card_was_lost");
        assert_eq!((card(&app, id).await.occupancy, row(&app, phone).await.use_type), (Occupancy::Wiping, UseType::On));
    }

    async fn a_card_without_power_needs_nobody_who_answers_for_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        is_backed_up(&app, &mut hand, &clerk, phones[0]).await;
        let id = lose(&app, &mut hand, &clerk, phones[0]).await;
        is_off(&mut hand, id).await;
        let tx = app.app.db.begin_write().await.unwrap();
        // Nobody may use it just now: it only goes off the card.
        let frozen = phone::ActiveModel { id: Set(entity::PhoneId(phones[0])), life: Set(phone::Life::Frozen), ..Default::default() };
        phone::Entity::update(frozen).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let (operation, why) = ask(&clerk, "accept-copy", json!({}), phones[0]).await;
        assert_eq!((get(&clerk, &operation).await["succeeded"].clone(), why), (json!(1), json!("")));
        let gone = row(&app, phones[0]).await;
        assert_eq!((gone.use_type, gone.kept_id.is_some()), (UseType::Off, true));
        assert_eq!(stands(&clerk, phones[0]).await, nothing());
        // The card goes to the scrap, once two have said that nobody needs what is on it.
        let retire = async || {
            let body = json!({ "selection": { "ids": [id] }, "reason": "burnt" });
            clerk.post("/api/fleet/v1/cards/retire", body).await.data();
            card(&app, id).await.lifecycle
        };
        assert_eq!(retire().await, Lifecycle::Registered);
        wipe_left(&app, clerk.group.unwrap(), phones[0]).await;
        assert_eq!((quarantined(&app).await, &*clearing(&app).await.code), (vec![false], "card_away"), "if it is back it is stopped first");
        assert_eq!(retire().await, Lifecycle::Retired);
        passes(&app, PACE).await;
        assert_eq!((roles(&app).await, clearing(&app).await.state), (vec![Role::Ended], SagaState::Done));
    }

    async fn a_card_that_was_switched_on_by_hand_is_not_off(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        let id = seen["card"]["id"].as_i64().unwrap();
        // Somebody has had it switched off once, and has switched it on himself.
        is_off(&mut hand, id).await;
        is_found(&mut hand, id, false).await;
        is_found(&mut hand, id, true).await;
        lose(&app, &mut hand, &clerk, phone).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost"));
        assert_eq!(ask(&clerk, "accept-copy", json!({}), phone).await.1, "card_not_off");

        // Seconds before it is looked at it is back: it is not thrown back to its copy.
        is_found(&mut hand, id, true).await;
        let answer = json!({ "answeredFor": true, "reason": "x" });
        assert_eq!(ask(&clerk, "accept-copy", answer, phone).await.1, "phone_under_way");
    }

    async fn a_copy_that_nobody_has_read_is_read_before_anything_is_given_up(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE phone SET kept_id = NULL").await.unwrap();
        let unread = backup::ActiveModel { id: Set(last(&app).await.id), state: Set(BackupState::Uploaded), ..Default::default() };
        backup::Entity::update(unread).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        lose(&app, &mut hand, &clerk, phone).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost_no_copy"));
        let fresh = app.signed_in("fresh", clerk.group.unwrap()).await;
        assert_eq!(ask(&fresh, "give-up", json!({ "reason": "x" }), phone).await.1, "copy_unread");
        // It is being read already; then the phone can go on with it.
        hand.does(&app, "verify").await;
        passes(&app, PACE).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost"));
        let told = clerk.get(&format!("{PHONES}/{phone}/sagas")).await.data();
        let lost = told.as_array().unwrap().iter().find(|saga| saga["kind"] == 9).unwrap();
        assert_eq!(lost["copyAt"], json!(last(&app).await.began_at));
    }

    async fn what_nobody_needs_is_wiped_once_it_was_stopped(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let tried = profile(&app, hand.cards[0]).await;
        try_out(&clerk, tried).await;
        let id = lose(&app, &mut hand, &clerk, phone).await;
        ask(&clerk, "accept-copy", json!({ "answeredFor": true, "reason": "x" }), phone).await;
        hand.comes_with_copy(&app).await;
        wipe_left(&app, clerk.group.unwrap(), phone).await;
        assert_eq!(clearing(&app).await.state, SagaState::Held, "it is not there yet");

        // An agent of before does not know how to stop it.
        hand.speaks(&app, wire::RETURNS).await;
        is_found(&mut hand, id, true).await;
        passes(&app, PACE).await;
        assert_eq!((clearing(&app).await.state, &*clearing(&app).await.code), (SagaState::Held, "agent_too_old"));
        hand.speaks(&app, wire::PROTOCOL).await;
        app.app.clock.advance_seconds(PACE);
        assert_eq!(hand.does(&app, "halt").await["card"], id);
        let wipe = hand.does(&app, "clear").await;
        assert_eq!((&wipe["card"], &wipe["act"]["bootId"]), (&json!(id), &Value::Null), "{wipe}");
    }

    async fn a_card_that_is_back_has_its_phone_again(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let before = row(&app, phone).await;
        let id = lose(&app, &mut hand, &clerk, phone).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost_no_copy"));
        assert_eq!(ask(&clerk, "accept-copy", json!({ "answeredFor": true, "reason": "x" }), phone).await.1, "card_lost_no_copy");

        // Another card is there in its place.
        is_found(&mut hand, id, true).await;
        app.app.clock.advance_seconds(PACE);
        let start = hand.fails(&app, "start", "not_ours", "neverBegan").await;
        assert_eq!((&start["card"], &start["act"]["bootId"]), (&json!(id), &Value::Null), "{start}");
        assert_eq!(stands(&clerk, phone).await, held("not_ours"));
        passes(&app, 290).await;
        assert_eq!(stands(&clerk, phone).await, held("not_ours"));
        // While an agent looks, nobody decides.
        app.app.clock.advance_seconds(20);
        let looks = hand.step(&app).await;
        assert_eq!(looks["act"]["kind"], "start", "{looks}");
        let fresh = app.signed_in("fresh", clerk.group.unwrap()).await;
        assert_eq!(ask(&fresh, "give-up", json!({ "reason": "x" }), phone).await.1, "phone_under_way");
        hand.tell(&looks, json!({ "end": "succeeded" })).await;
        assert_eq!(stands(&clerk, phone).await, nothing());
        let after = row(&app, phone).await;
        assert_eq!((after.holds_id, after.endpoint_rev), (before.holds_id, before.endpoint_rev), "nothing has changed");
        assert_eq!((card(&app, id).await.occupancy, roles(&app).await), (Occupancy::InUse, vec![Role::Holds]));
        passes(&app, PATIENCE).await;
        assert_eq!(stands(&clerk, phone).await, nothing());
    }

    async fn a_copy_that_was_made_while_the_phone_went_on_is_better_than_none(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE phone SET kept_id = NULL").await.unwrap();
        tx.execute_unprepared("UPDATE backup SET is_live = TRUE").await.unwrap();
        tx.commit().await.unwrap();
        lose(&app, &mut hand, &clerk, phone).await;
        assert_eq!(stands(&clerk, phone).await, held("card_lost"));
        let fresh = app.signed_in("fresh", clerk.group.unwrap()).await;
        assert_eq!(ask(&fresh, "give-up", json!({ "reason": "x" }), phone).await.1, "copy_there");
        ask(&clerk, "accept-copy", json!({ "answeredFor": true, "reason": "burnt" }), phone).await;
        let copy = last(&app).await.id;
        assert_eq!(row(&app, phone).await.kept_id, Some(copy), "it lives by it from now on");
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        let restore = hand.does(&app, "restore").await;
        assert_eq!(restore["act"]["snapshot"], "a".repeat(64), "{restore}");
    }

    async fn a_room_without_an_agent_has_lost_no_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let seen = clerk.get(&format!("{PHONES}/{}", phones[0])).await.data();
        is_found(&mut hand, seen["card"]["id"].as_i64().unwrap(), false).await;
        passes(&app, PACE).await;
        hand.socket.close(None).await.unwrap();
        testroom::room::until("the agent is gone", async || {
            app.app.part::<fleet::Connections>().rooms().is_empty()
        })
        .await;
        passes(&app, PATIENCE).await;
        passes(&app, PATIENCE).await;
        assert_eq!(stands(&clerk, phones[0]).await, nothing(), "nobody knows");
    }

    async fn what_has_no_copy_is_given_up_by_two(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 2)).await;
        let phone = phones[0];
        let id = lose(&app, &mut hand, &clerk, phone).await;
        let fresh = app.signed_in("first", clerk.group.unwrap()).await;
        let body = json!({ "selection": { "ids": [phone] }, "reason": "" });
        assert!(fresh.post(&format!("{PHONES}/give-up"), body).await.errors()[0].starts_with("reason"));
        let body = json!({ "selection": { "ids": [phone] }, "act": { "kind": "giveUp" } });
        let judged = fresh.post(&format!("{PHONES}/preview"), body).await.data();
        assert_eq!((&judged["willRun"], &judged["needsApproval"]), (&json!(1), &json!(true)), "{judged}");
        let (operation, _) = ask(&fresh, "give-up", json!({ "reason": "burnt" }), phone).await;
        assert_eq!(get(&fresh, &operation).await["state"], 2, "one alone does not");
        let approve = format!("{OPERATIONS}/{operation}/approve");
        assert_eq!(fresh.post(&approve, json!({ "approved": true })).await.http, 409, "nor his own word twice");
        assert_eq!(row(&app, phone).await.use_type, UseType::On);
        let approver = app.operator("approver", &["operation:list", "operation:approve"]).await;
        assert_eq!(approver.post(&approve, json!({ "approved": true })).await.status(), 4003, "it takes the right to give up");
        let second = app.signed_in("second", clerk.group.unwrap()).await;
        app.app.clock.advance_seconds(601);
        assert_eq!(second.post(&approve, json!({ "approved": true })).await.status(), 4011, "and a fresh proof");
        let second = app.signed_in("third", clerk.group.unwrap()).await;
        second.post(&approve, json!({ "approved": true })).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&fresh, &operation).await["succeeded"], 1);
        let gone = row(&app, phone).await;
        assert_eq!((gone.use_type, gone.is_blank, gone.holds_id, gone.kept_id), (UseType::Off, true, None, None));
        let rows = loss::Entity::find().all(app.app.db.read()).await.unwrap();
        assert_eq!(rows.len(), 1);
        assert_eq!((&*rows[0].created_by, &*rows[0].approved_by, &*rows[0].reason), ("first", "third", "burnt"));
        let (clear, all) = (clearing(&app).await, quarantined(&app).await);
        assert_eq!((clear.state, &*clear.code, all.iter().filter(|one| **one).count()), (SagaState::Held, "card_away", 1));

        // It can be used again, and the card that is back is not taken for its own.
        put_on(&clerk, &[phone]).await;
        fleet::operation::round(&app.app).await.unwrap();
        for kind in ["check", "claim", "boot", "health"] {
            assert_ne!(hand.does(&app, kind).await["card"], id);
        }
        is_found(&mut hand, id, true).await;
        app.app.clock.advance_seconds(PACE);
        assert_eq!(hand.does(&app, "halt").await["card"], id);
        assert_eq!(&*clearing(&app).await.code, "loss_is_back");

        // The database itself lets no other phone be as new, whoever asks.
        let tx = app.app.db.begin_write().await.unwrap();
        let sql = format!("UPDATE phone SET is_blank = TRUE WHERE id = {}", phones[1]);
        let refused = tx.execute_unprepared(&sql).await.unwrap_err().to_string();
        assert!(refused.contains("only if two operators have recorded its loss"), "{refused}");
    }

    async fn a_phone_that_was_being_taken_off_is_decided_about_as_well(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        is_backed_up(&app, &mut hand, &clerk, phone).await;
        take_off(&app, &clerk, phone).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        let id = seen["card"]["id"].as_i64().unwrap();
        is_found(&mut hand, id, false).await;
        passes(&app, PACE).await;
        passes(&app, PATIENCE).await;
        // Another card would have been put there.
        hand.fails(&app, "copy", "wrong_card", "neverBegan").await;
        hand.fails(&app, "start", "wrong_card", "neverBegan").await;
        assert_eq!(stands(&clerk, phone).await, held("wrong_card"), "it has failed, and nobody is sent there");
        passes(&app, PACE).await;
        passes(&app, PATIENCE).await;
        assert_eq!(stands(&clerk, phone).await, held("wrong_card"));
        // Android was stopped on it: it is started.
        is_found(&mut hand, id, true).await;
        app.app.clock.advance_seconds(PACE);
        hand.does(&app, "start").await;
        assert_eq!(stands(&clerk, phone).await, nothing());
        let kinds = saga::Entity::find().all(app.app.db.read()).await.unwrap();
        assert!(kinds.iter().all(|saga| saga.state.is_over()), "{kinds:?}");
    }

    async fn a_phone_that_could_not_be_started_again_for_minutes_is_started_once_its_card_is_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];
        let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
        let id = seen["card"]["id"].as_i64().unwrap();
        back_up(&app, &clerk, &phones).await;
        hand.does(&app, "packages").await;
        hand.says(&app, "stop", "boot-1").await;
        is_found(&mut hand, id, false).await;
        hand.fails(&app, "copy", "adb_closed", "unknown").await;
        for wait in [5, 15, 30, 60, 120, 300, 0] {
            hand.fails(&app, "start", "adb_unreachable", "neverBegan").await;
            app.app.clock.advance_seconds(wait);
        }
        // Android is stopped on it: nobody is sent there, and what it would go on with elsewhere is said at once.
        assert_eq!(stands(&clerk, phone).await, held("card_lost_no_copy"));
        is_found(&mut hand, id, true).await;
        passes(&app, PACE).await;
        hand.does(&app, "start").await;
        assert_eq!(stands(&clerk, phone).await, nothing());
    }
}
