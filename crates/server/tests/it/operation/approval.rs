//! What one operator may do alone, in however many pieces, and what resuming others' operations needs.

use fleet::Session;
use fleet::operation::{claim, record_results, round};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{another, phone};
use testroom::site::settings;
use wire::{Effect, Outcome, Reason};

use super::second_look::put_on;
use super::{result, shell, up};

const PHONES: &str = "/api/phone/v1/phones";

async fn begin(clerk: &Caller<'_>, cards: &[i64]) -> Value {
    clerk.post(OPERATIONS, shell(cards)).await.data()
}

/// The room's agent does all that it may, with one outcome; returns how many tasks that were.
async fn carry_out(app: &TestApp, session: &Session, outcome: &Outcome) -> usize {
    let mut count = 0;
    loop {
        let given = claim(&app.app, session).await.unwrap();
        if given.is_empty() {
            return count;
        }
        count += given.len();
        let said: Vec<_> = given.iter().map(|task| result(task.key, outcome.clone())).collect();
        record_results(&app.app, session, &said).await.unwrap();
    }
}

fn refused() -> Outcome {
    Outcome::failed(Reason::AdbRefused, "").with(Effect::NeverBegan)
}

/// A room of eight cards, of which one operator may do four within five minutes.
async fn four_alone(app: &TestApp, clerk: &Caller<'_>) -> (Session, Vec<i64>) {
    let made = up(app, clerk).await;
    settings(clerk, "approvalAbove", 4).await;
    settings(clerk, "approvalMinutes", 5).await;
    made
}

/// What an operation is asked for, as HTTP status and code.
async fn asked(clerk: &Caller<'_>, made: &Value, act: &str) -> (u16, i64) {
    clerk.post(&format!("{OPERATIONS}/{}/{act}", made["id"]), json!({})).await.brief()
}

async fn reboot(clerk: &Caller<'_>, cards: &[i64]) -> Value {
    let body = json!({ "selection": { "ids": cards }, "act": { "kind": "reboot" }, "options": { "reason": "x" } });
    clerk.post(OPERATIONS, body).await.data()
}

db_test! {
    async fn an_operation_in_pieces_needs_the_second_operator_that_the_whole_needs(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let at_once = tokio::join!(reboot(&clerk, &cards[..4]), reboot(&clerk, &cards[2..6]), reboot(&clerk, &cards[4..]));
        let mut states = [&at_once.0, &at_once.1, &at_once.2].map(|made| made["state"].as_i64().unwrap());
        states.sort_unstable();
        assert_eq!(states, [2, 2, 4], "one may begin, the others wait");

        assert_eq!(begin(&clerk, &cards[..1]).await["state"], 2, "a script is one piece more");
        let ask = json!({ "selection": { "ids": cards[..1] }, "kind": 5 });
        assert_eq!(clerk.post(&format!("{OPERATIONS}/preview"), ask.clone()).await.data()["needsApproval"], true);
        let other = app.operator("other", &["device:shell", "device:list", "operation:list"]).await;
        assert_eq!(begin(&other, &cards[..4]).await["state"], 4, "each operator has a count of his own");
        let picture = json!({ "selection": { "ids": cards }, "act": { "kind": "screenshot" } });
        assert_eq!(clerk.post(OPERATIONS, picture).await.data()["state"], 4);

        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 16);
        app.app.clock.advance_seconds(301);
        assert_eq!(clerk.post(&format!("{OPERATIONS}/preview"), ask).await.data()["needsApproval"], false);
        assert_eq!(begin(&clerk, &cards[..2]).await["state"], 4);
        assert_eq!(begin(&clerk, &cards[..2]).await["state"], 4);
        assert_eq!(begin(&clerk, &cards[..1]).await["state"], 2);
        carry_out(&app, &session, &Outcome::Succeeded).await;
        // Kept for one moment, in pieces that were begun one after the other.
        app.app.clock.advance_seconds(301);
        let soon = app.app.clock.now().plus_seconds(900);
        let mut later = Vec::new();
        for piece in cards.chunks(4) {
            let mut body = shell(piece);
            body["options"] = json!({ "notBefore": soon });
            later.push(clerk.post(OPERATIONS, body).await.data());
            app.app.clock.advance_seconds(301);
        }
        assert_eq!(later.iter().map(|made| made["state"].clone()).collect::<Vec<_>>(), [json!(3), json!(3)]);
        app.app.clock.advance_seconds(900);
        round(&app.app).await.unwrap();
        let mut states = Vec::new();
        for made in &later {
            states.push(get(&clerk, &made["id"]).await["state"].clone());
        }
        assert_eq!(states, [json!(4), json!(2)]);
    }

    async fn who_goes_on_with_an_act_or_tries_it_again_needs_its_right(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = begin(&clerk, &cards).await;
        let path = |act: &str| format!("{OPERATIONS}/{}/{act}", made["id"]);
        let control = app.operator("control", &["operation:list", "operation:control"]).await;
        let both = app.operator("both", &["operation:list", "operation:control", "device:shell"]).await;
        control.post(&path("pause"), json!({})).await.data();
        assert_eq!(control.post(&path("resume"), json!({})).await.brief(), (200, 4003));
        assert_eq!(get(&clerk, &made["id"]).await["state"], 5);
        both.post(&path("resume"), json!({})).await.data();
        carry_out(&app, &session, &refused()).await;
        assert_eq!(control.post(&path("retry"), json!({})).await.brief(), (200, 4003));
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 0);
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"control operation_retry 4003".to_owned()), "{trail:?}");
        assert!(trail.contains(&"control operation_go_on 4003".to_owned()), "{trail:?}");
        both.post(&path("retry"), json!({})).await.data();
        assert_eq!(get(&clerk, &made["id"]).await["pending"], 8);
        // What failed once does not become more than one may do alone by being tried again, nor does it get around it.
        clerk.post(&path("cancel"), json!({})).await.data();
        settings(&clerk, "approvalAbove", 4).await;
        settings(&clerk, "approvalMinutes", 5).await;
        app.app.clock.advance_seconds(301);
        let first = begin(&clerk, &cards[..4]).await;
        carry_out(&app, &session, &refused()).await;
        app.app.clock.advance_seconds(301);
        let second = begin(&clerk, &cards[4..]).await;
        assert_eq!((&first["state"], &second["state"]), (&json!(4), &json!(4)));
        carry_out(&app, &session, &Outcome::Succeeded).await;
        let again = clerk.post(&format!("{OPERATIONS}/{}/retry", first["id"]), json!({})).await;
        assert_eq!(again.brief(), (409, 4009), "four more within some minutes");
        app.app.clock.advance_seconds(301);
        clerk.post(&format!("{OPERATIONS}/{}/retry", first["id"]), json!({})).await.data();
    }

    async fn a_retry_counts_for_whoever_asks_for_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let codes = ["device:shell", "device:list", "operation:list", "operation:control"];
        let other = app.operator("other", &codes).await;
        let first = begin(&clerk, &cards[..4]).await;
        assert_eq!(carry_out(&app, &session, &refused()).await, 4);
        assert_eq!(asked(&clerk, &first, "retry").await, (200, 0), "the same cards again are not more cards");
        assert_eq!(carry_out(&app, &session, &refused()).await, 4);
        let second = begin(&other, &cards[4..6]).await;
        assert_eq!(second["state"], 4);
        assert_eq!(asked(&other, &first, "retry").await, (409, 4009), "two that may begin at any moment, and four");
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 2);
        assert_eq!(asked(&other, &first, "retry").await, (409, 4009), "two that have begun, and four");
        app.app.clock.advance_seconds(301);
        assert_eq!(asked(&other, &first, "retry").await, (200, 0));
        assert_eq!(begin(&other, &cards[7..]).await["state"], 2, "four that may begin, and one");
        assert_eq!(begin(&clerk, &cards[4..]).await["state"], 4, "they are not his");
    }

    async fn what_another_retries_stays_counted_for_who_let_it_begin_first(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let other = app.operator("other", &["device:shell", "operation:list", "operation:control"]).await;
        let first = begin(&clerk, &cards[..4]).await;
        assert_eq!(carry_out(&app, &session, &refused()).await, 4);
        assert_eq!(asked(&other, &first, "retry").await, (200, 0));
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 4);
        assert_eq!(reboot(&clerk, &cards[4..5]).await["state"], 2, "it was he who let four begin, a moment ago");
        app.app.clock.advance_seconds(301);
        assert_eq!(reboot(&clerk, &cards[4..5]).await["state"], 4);
    }

    async fn an_approval_covers_one_attempt_of_each_task(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let codes =
            ["dashboard:view", "device:shell", "device:list", "operation:list", "operation:control", "operation:approve"];
        let second = app.operator("second", &codes).await;
        let made = begin(&clerk, &cards).await;
        let path = |act: &str| format!("{OPERATIONS}/{}/{act}", made["id"]);
        second.post(&path("approve"), json!({ "approved": true })).await.data();
        let cut_off = Outcome::failed(Reason::Interrupted, "").with(Effect::Unknown);
        assert_eq!(carry_out(&app, &session, &cut_off).await, 8);
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["state"], &ended["failed"]), (&json!(7), &json!(8)));

        // Whoever retries them, now or at any time: it is as much as the first attempt was.
        app.app.clock.advance_seconds(3_600);
        let (clerk, second) = (clerk.again().await, second.again().await);
        for who in [&clerk, &second] {
            let answer = who.post(&path("retry"), json!({ "confirmed": true })).await;
            assert_eq!(answer.brief(), (409, 4009));
            let again = get(who, &made["id"]).await;
            assert_eq!((&again["pending"], &again["retryNeedsApproval"]), (&json!(0), &json!(true)));
        }
        let ask = json!({ "confirmed": true, "askApproval": true });
        let asked = clerk.post(&path("retry"), ask.clone()).await.data();
        assert_eq!((&asked["state"], &asked["pending"], &asked["failed"]), (&json!(2), &json!(0), &json!(8)));
        assert_eq!((&asked["retryAsked"]["by"], &asked["retryAsked"]["count"]), (&json!("admin"), &json!(8)));
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 0, "nothing begins before it is approved");
        let told = second.get("/api/general/v1/attention").await.data();
        assert!(told.to_string().contains("admin 申请重试"), "{told}");
        assert_eq!(clerk.post(&path("approve"), json!({ "approved": true })).await.brief(), (409, 4009), "his own");

        // Rejected or withdrawn it leaves everything as it was.
        for (who, act, body) in [(&second, "approve", json!({ "approved": false })), (&clerk, "cancel", json!({}))] {
            let after = who.post(&path(act), body).await.data();
            for field in ["state", "failed", "cancelled", "finishedAt", "expiresAt", "retryAsked"] {
                assert_eq!(after[field], ended[field], "{act}: {field}");
            }
            assert_eq!(clerk.post(&path("retry"), ask.clone()).await.data()["state"], 2);
        }
        // So it is if nobody decides in time.
        app.app.clock.advance_seconds(200_000);
        let (clerk, second) = (clerk.again().await, second.again().await);
        round(&app.app).await.unwrap();
        let late = get(&clerk, &made["id"]).await;
        for field in ["state", "failed", "finishedAt", "expiresAt", "retryAsked"] {
            assert_eq!(late[field], ended[field], "{field}");
        }

        second.post(&path("retry"), ask.clone()).await.data();
        assert_eq!(second.post(&path("approve"), json!({ "approved": true })).await.brief(), (409, 4009), "his own");
        let approved = clerk.post(&path("approve"), json!({ "approved": true })).await.data();
        assert_eq!((&approved["state"], &approved["pending"], &approved["approvedBy"]), (&json!(4), &json!(8), &json!("admin")));
        assert_eq!(carry_out(&app, &session, &cut_off).await, 8);
        assert_eq!(begin(&second, &cards[..4]).await["state"], 4, "what was approved does not count");
        assert_eq!(second.post(&path("retry"), json!({ "confirmed": true })).await.brief(), (409, 4009), "once");
    }

    async fn a_few_tasks_of_an_approved_operation_are_retried_alone_and_count(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let second = app.operator("second", &["operation:approve"]).await;
        let made = begin(&clerk, &cards).await;
        let path = |act: &str| format!("{OPERATIONS}/{}/{act}", made["id"]);
        second.post(&path("approve"), json!({ "approved": true })).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        let timeout = Outcome::failed(Reason::AdbTimeout, "").with(Effect::NeverBegan);
        let said = given.iter().enumerate();
        let said: Vec<_> =
            said.map(|(at, task)| result(task.key, if at < 3 { refused() } else { timeout.clone() })).collect();
        record_results(&app.app, &session, &said).await.unwrap();

        clerk.post(&path("retry"), json!({ "code": "adb_refused" })).await.data();
        assert_eq!(begin(&clerk, &cards[..2]).await["state"], 2, "three that may begin at any moment, and two");
        clerk.post(&path("pause"), json!({})).await.data();
        clerk.post(&path("resume"), json!({})).await.data();
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 3);
        assert_eq!(begin(&clerk, &cards[..2]).await["state"], 2, "three that have begun, and two");
        let more = json!({ "code": "adb_timeout", "askApproval": true });
        assert_eq!(clerk.post(&path("retry"), more).await.data()["state"], 2, "five more");
    }

    async fn what_is_paused_counts_when_it_goes_on_and_for_who_lets_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let codes = ["device:shell", "device:reboot", "operation:list", "operation:control"];
        let other = app.operator("other", &codes).await;
        let first = begin(&clerk, &cards[..4]).await;
        assert_eq!(asked(&clerk, &first, "pause").await, (200, 0));
        app.app.clock.advance_seconds(301);
        let second = reboot(&clerk, &cards[4..]).await;
        assert_eq!(second["state"], 4, "nothing of the first begins");
        assert_eq!(asked(&clerk, &first, "resume").await, (409, 4009));
        assert_eq!(get(&clerk, &first["id"]).await["state"], 5);
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 4);
        assert_eq!(asked(&clerk, &first, "resume").await, (409, 4009), "the others have begun a moment ago");
        assert_eq!(asked(&other, &first, "resume").await, (200, 0), "another may, and answers for them");
        assert_eq!(begin(&other, &cards[7..]).await["state"], 2);
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 4);
        app.app.clock.advance_seconds(301);
        assert_eq!(begin(&other, &cards[4..]).await["state"], 4);
    }

    async fn tasks_count_when_they_begin_however_long_they_have_waited(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let first = begin(&clerk, &cards[..4]).await;
        app.app.clock.advance_seconds(301);
        assert_eq!(begin(&clerk, &cards[4..5]).await["state"], 2, "four may begin at any moment");
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 4);
        assert_eq!(get(&clerk, &first["id"]).await["succeeded"], 4);
        app.app.clock.advance_seconds(200);
        assert_eq!(begin(&clerk, &cards[4..5]).await["state"], 2, "four began 200 seconds ago");
        app.app.clock.advance_seconds(101);
        assert_eq!(begin(&clerk, &cards[4..]).await["state"], 4);
    }

    async fn what_is_done_to_phones_counts_with_what_is_done_to_cards(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = four_alone(&app, &clerk).await;
        let phones = [phone(&app, &clerk, session.room.0).await, another(&app, &clerk, session.room.0).await];
        put_on(&app, phones[0], cards[0]).await;
        put_on(&app, phones[1], cards[1]).await;
        assert_eq!(begin(&clerk, &cards[4..7]).await["state"], 4);
        assert_eq!(carry_out(&app, &session, &Outcome::Succeeded).await, 3);

        let act = json!({ "selection": { "ids": phones }, "act": { "kind": "restart" } });
        assert_eq!(clerk.post(&format!("{PHONES}/preview"), act).await.data()["needsApproval"], true);
        for act in ["restart", "back-up"] {
            let both = clerk.post(&format!("{PHONES}/{act}"), json!({ "selection": { "ids": phones } })).await.data();
            assert_eq!((&both["state"], &both["pending"]), (&json!(2), &json!(2)), "{act}: two more than three are too many");
        }
        let profile = json!({ "selection": { "ids": cards[2..4] }, "act": { "kind": "profile" } });
        assert_eq!(clerk.post(OPERATIONS, profile).await.data()["state"], 2, "so are two cards that are read");
        let one = clerk.post(&format!("{PHONES}/restart"), json!({ "selection": { "ids": phones[..1] } })).await.data();
        assert_eq!((&one["state"], &one["running"]), (&json!(4), &json!(1)), "{one}");
        assert_eq!(begin(&clerk, &cards[7..]).await["state"], 2, "and the phone counts for cards");
        app.app.clock.advance_seconds(301);
        assert_eq!(begin(&clerk, &cards[7..]).await["state"], 4);
    }

    async fn the_kind_decides_which_permission_is_needed_and_what_the_log_calls_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        let shells = app.operator("shells", &["device:shell"]).await;
        let of = |act: Value| json!({ "selection": { "ids": cards }, "act": act });
        shells.post(OPERATIONS, shell(&cards)).await.data();
        assert_eq!(shells.post(OPERATIONS, of(json!({ "kind": "wipe" }))).await.brief(), (200, 4003));
        let trail = app.audit_trail().await;
        assert!(trail.ends_with(&["shells operation_shell 0".to_owned(), "shells operation_reset 4003".to_owned()]), "{trail:?}");

        // What is wrong with a body is told only to those who may send a better one.
        for (act, wrong) in [
            (json!({ "kind": "shell" }), "act.script required"),
            (json!({ "kind": "shell", "script": " " }), "act.script required"),
            (json!({ "kind": "shell", "script": "id", "order": "on" }), "act.order field.unknown"),
            (json!({ "kind": "reboot", "script": "id" }), "act.script field.unknown"),
            (json!({ "script": "id" }), "act.kind required"),
        ] {
            assert_eq!(shells.post(OPERATIONS, of(act.clone())).await.errors(), [wrong], "{act}");
        }
        assert_eq!(shells.post(OPERATIONS, of(json!({ "kind": "dance" }))).await.brief(), (400, 4000));
        assert_eq!(shells.post(OPERATIONS, json!({})).await.brief(), (400, 4000));
        let none = app.operator("none", &["device:list"]).await;
        assert_eq!(none.post(OPERATIONS, json!({})).await.brief(), (200, 4003));
    }
}
