//! Operations on cards: what is skipped, what is done once, and the result. Agents and cards are real, the
//! cards simulated.

mod approval;
mod bmc_password;
mod card_files;
mod effect;
mod expired;
mod fair;
pub mod files;
mod folders;
mod gone;
mod hung_up;
mod places;
mod plug;
mod record_acts;
pub mod second_look;
mod stray;
mod together;
mod withheld;

use std::collections::HashSet;
use std::sync::Arc;

use entity::operation_task;
use fleet::Session;
use fleet::operation::{Returned, claim, record_results, resume, round};
use parking_lot::Mutex;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, done, get};
use testroom::room::{console, hurry, joined, run_agent, simulated, until, until_online};
use testroom::site::{CARDS, fill, settings, site};
use wire::{Key, Outcome, Reason, TaskResult};

use crate::fleet::state;

/// The cards of a site, as an agent's reports have brought them up.
pub async fn up(app: &TestApp, clerk: &Caller<'_>) -> (Session, Vec<i64>) {
    let here = site(clerk, 1).await;
    let cards = fill(clerk, &here).await;
    let session = state::agent(app, clerk, &here).await;
    for _ in 0..2 {
        state::report(app, &session, &cards).await;
    }
    (session, cards)
}

fn result(key: Key, outcome: Outcome) -> TaskResult {
    TaskResult {
        key,
        outcome,
        output: "out\0put".into(),
        truncated: false,
        exit: Some(0),
        has_file: false,
        certificate: None,
        millis: 5,
    }
}

fn shell(ids: &[i64]) -> Value {
    json!({ "selection": { "ids": ids }, "act": { "kind": "shell", "script": "id" } })
}

db_test! {
    async fn an_operation_goes_from_the_button_to_the_cards_and_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 5, 16).await;
        let identity = joined(&app, &clerk, &console, site.room).await;
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(identity, folder.path()).await;
        until_online(&clerk, 16).await;
        room.set_fault(2, "no_space".parse().unwrap(), true);

        let all = json!({ "filter": { "roomId": site.room } });
        let body = json!({ "selection": all, "act": { "kind": "shell", "script": "effect once; echo hello" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!((&made["total"], &made["state"]), (&json!(16), &json!(4)));
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(16), &json!(0)), "{ended}");
        for card in room.cards.iter() {
            assert_eq!(card.state().effects.get("effect:once"), Some(&1));
        }
        let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?pageSize=20", made["id"])).await.data();
        assert_eq!(tasks["list"][0]["output"], "once\nhello");
        let file = clerk.get(&format!("{OPERATIONS}/{}/tasks/file?format=csv&state=3", made["id"])).await;
        let text = String::from_utf8(file.bytes).unwrap();
        assert_eq!((text.matches("hello").count(), text.matches("成功").count()), (16, 16), "{text}");

        let body = json!({ "selection": all, "act": { "kind": "reboot" }, "options": { "reason": "升级内核" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!(ended["succeeded"], 16, "{ended}");
        assert!(room.cards.iter().all(|card| card.boots() == 2));

        // What fails says why, in groups, and is tried again alone.
        let body = json!({ "selection": all, "act": { "kind": "shell", "script": "if_nothing" }, "options": { "stopAtPercent": 100 } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let ended = done(&clerk, &made["id"]).await;
        assert_eq!((&ended["reasons"][0]["code"], &ended["reasons"][0]["count"]), (&json!("exit_code"), &ended["failed"]));
        let retried = format!("{OPERATIONS}/{}/retry", made["id"]);
        assert_eq!(clerk.post(&retried, json!({ "code": "no_space" })).await.brief(), (409, 4009));
        assert_eq!(clerk.post(&retried, json!({ "code": "exit_code" })).await.brief(), (409, 4009), "they have run");
        clerk.post(&retried, json!({ "code": "exit_code", "confirmed": true })).await.data();
        done(&clerk, &made["id"]).await;
        let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?state=4", made["id"])).await.data();
        assert_eq!(tasks["list"][0]["attempt"], 2);

        let one = json!({ "ids": [tasks["list"][0]["target"]["id"]] });
        let made = clerk.post(OPERATIONS, json!({ "selection": one, "act": { "kind": "screenshot" } })).await.data();
        done(&clerk, &made["id"]).await;
        let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks", made["id"])).await.data();
        assert_eq!(tasks["list"][0]["hasFile"], true, "{tasks}");
        let file = clerk.get(&format!("/api/operation/v1/tasks/{}/file", tasks["list"][0]["id"])).await;
        assert!(file.bytes.starts_with(b"\x89PNG"));
    }

    async fn whoever_writes_the_cards_down_writes_each_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        let looking = app.app.clone();
        let rounds = tokio::spawn(async move {
            loop {
                round(&looking).await.unwrap();
            }
        });
        for _ in 0..30 {
            let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
            until("it is written down", async || get(&clerk, &made["id"]).await["state"] != 1).await;
            let there = get(&clerk, &made["id"]).await;
            assert_eq!((&there["total"], &there["pending"]), (&json!(8), &json!(8)), "{there}");
        }
        rounds.abort();
    }

    async fn what_cannot_be_done_is_skipped_with_a_reason(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, mut cards) = up(&app, &clerk).await;
        state::set_occupancy(&app, cards[0], entity::card::Occupancy::InUse).await;
        clerk.post(&format!("{CARDS}/retire"), json!({ "selection": { "ids": [cards[1]] }, "reason": "坏" })).await.data();
        let there = site(&clerk, 2).await;
        cards.extend(fill(&clerk, &there).await);

        let ask = json!({ "selection": { "ids": cards }, "kind": 1 });
        let of_phones = json!({ "selection": { "filter": {} }, "kind": 36 });
        assert_eq!(clerk.post(&format!("{OPERATIONS}/preview"), of_phones).await.errors(), ["kind choice.unknown"]);
        let preview = clerk.post(&format!("{OPERATIONS}/preview"), ask).await.data();
        assert_eq!((&preview["total"], &preview["willRun"]), (&json!(16), &json!(6)), "{preview}");
        let codes: Vec<&str> = preview["leftOut"].as_array().unwrap().iter().filter_map(|group| group["code"].as_str()).collect();
        assert_eq!(codes, ["busy", "offline", "retired"]);

        let bare = json!({ "selection": { "ids": cards }, "act": { "kind": "reboot" } });
        let refused = clerk.post(OPERATIONS, bare).await;
        assert_eq!(refused.errors(), ["options.reason required"], "a reason is wanted");
        let body = json!({ "selection": { "ids": cards }, "act": { "kind": "reboot" }, "options": { "reason": "x", "force": true } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(
            (&made["pending"], &made["usersHit"], &made["skipped"], &made["incompatible"]),
            (&json!(7), &json!(1), &json!(8), &json!(1))
        );
        let power = json!({ "selection": { "ids": cards }, "act": { "kind": "powerOn" } });
        let made = clerk.post(OPERATIONS, power).await.data();
        assert_eq!((&made["state"], &made["incompatible"]), (&json!(7), &json!(16)), "no BMC powers any of them");
    }

    async fn agents_of_one_room_that_ask_at_once_never_get_two_things_for_a_card(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        for _ in 0..100 {
            clerk.post(OPERATIONS, shell(&cards)).await.data();
        }
        // What each is executing. A card is removed before the console is told: then it may be claimed again.
        let in_hand = Arc::new(Mutex::new(HashSet::new()));
        let asks = (0..4).map(|_| {
            let (app, session, in_hand) = (app.app.clone(), session.clone(), Arc::clone(&in_hand));
            tokio::spawn(async move {
                for _ in 0..150 {
                    let given = claim(&app, &session).await.unwrap();
                    for task in &given {
                        assert!(in_hand.lock().insert(task.card), "a card has two things in hand");
                    }
                    for task in &given {
                        in_hand.lock().remove(&task.card);
                        record_results(&app, &session, &[result(task.key, Outcome::Succeeded)]).await.unwrap();
                    }
                }
            })
        });
        for asked in asks.collect::<Vec<_>>() {
            asked.await.unwrap();
        }
    }

    async fn a_task_is_claimed_once_and_an_older_attempt_or_another_agent_changes_nothing(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 8);
        assert!(claim(&app.app, &session).await.unwrap().is_empty(), "nothing is given twice");
        let second = clerk.post(OPERATIONS, shell(&cards[..1])).await.data();
        assert!(claim(&app.app, &session).await.unwrap().is_empty(), "one task at a time works on a card");

        // The agent lost its connection before five of them arrived.
        let held: Vec<wire::Held> = given[..3].iter().map(|task| wire::Held { key: task.key, has_ended: false }).collect();
        assert_eq!(resume(&app.app, &session, &held).await.unwrap(), Some(Returned::default()));
        let again = claim(&app.app, &session).await.unwrap();
        assert_eq!(again.len(), 5);
        assert!(again.iter().all(|task| task.key.attempt == 2));
        let late: Vec<TaskResult> = given[3..].iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
        assert_eq!(record_results(&app.app, &session, &late).await.unwrap().len(), 5, "an older try may be forgotten");
        assert_eq!(get(&clerk, &made["id"]).await["succeeded"], 0, "and counts for nothing");

        let there = site(&clerk, 2).await;
        let stranger = state::agent(&app, &clerk, &there).await;
        let all: Vec<TaskResult> = given[..3].iter().chain(&again).map(|task| result(task.key, Outcome::Succeeded)).collect();
        record_results(&app.app, &stranger, &all).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["succeeded"], 0, "an agent of another room has no say");
        for _ in 0..2 {
            record_results(&app.app, &session, &all).await.unwrap();
        }
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["succeeded"], &ended["running"], &ended["state"]), (&json!(8), &json!(0), &json!(7)));
        let select = operation_task::Entity::find().order_by_asc(operation_task::Column::Id);
        let row = select.one(app.app.db.read()).await.unwrap().unwrap();
        assert_eq!(row.output, "output", "what no column takes is left out");
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 1, "now it is the turn of the next operation");
        assert_eq!(get(&clerk, &second["id"]).await["running"], 1);
    }

    async fn it_pauses_stops_goes_on_and_ends_as_it_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let path = |made: &Value, act: &str| format!("{OPERATIONS}/{}/{act}", made["id"]);

        let made = clerk.post(OPERATIONS, shell(&cards)).await.data();
        assert_eq!(clerk.post(&path(&made, "pause"), json!({})).await.data()["state"], 5);
        assert!(claim(&app.app, &session).await.unwrap().is_empty());
        assert_eq!(clerk.post(&path(&made, "pause"), json!({})).await.brief(), (409, 4009));
        clerk.post(&path(&made, "resume"), json!({})).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        let stopped = clerk.post(&path(&made, "cancel"), json!({})).await.data();
        assert_eq!((&stopped["state"], &stopped["running"]), (&json!(6), &json!(8)));
        let all: Vec<TaskResult> = given.iter().map(|task| result(task.key, Outcome::Cancelled)).collect();
        record_results(&app.app, &session, &all).await.unwrap();
        let ended = get(&clerk, &made["id"]).await;
        assert_eq!((&ended["state"], &ended["cancelled"]), (&json!(8), &json!(8)));

        // Too many fail: it pauses automatically.
        let mut body = shell(&cards);
        body["options"] = json!({ "stopAtPercent": 10 });
        let made = clerk.post(OPERATIONS, body).await.data();
        settings(&clerk, "tasksPerRoom", 2).await;
        let given = claim(&app.app, &session).await.unwrap();
        assert_eq!(given.len(), 2, "never more than the settings allow");
        let bad: Vec<TaskResult> = given.iter().map(|task| result(task.key, Outcome::failed(Reason::NoSpace, "full"))).collect();
        record_results(&app.app, &session, &bad).await.unwrap();
        let paused = get(&clerk, &made["id"]).await;
        assert_eq!((&paused["state"], &paused["failed"]), (&json!(5), &json!(2)));
        assert!(!paused["why"].as_str().unwrap().is_empty());
        assert_eq!(paused["reasons"][0]["code"], "no_space");
        clerk.post(&path(&made, "cancel"), json!({})).await.data();

        // One whose time has not come, and one whose time is over.
        let soon = app.app.clock.now().plus_seconds(600);
        let mut body = shell(&cards);
        body["options"] = json!({ "notBefore": soon, "expiresAt": soon.plus_seconds(600) });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(made["state"], 3);
        round(&app.app).await.unwrap();
        assert!(claim(&app.app, &session).await.unwrap().is_empty());
        app.app.clock.advance_seconds(601);
        round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &made["id"]).await["state"], 4);
        let given = claim(&app.app, &session).await.unwrap();
        app.app.clock.advance_seconds(600);
        round(&app.app).await.unwrap();
        let open = get(&clerk, &made["id"]).await;
        assert_eq!((&open["expired"], &open["running"], &open["state"]), (&json!(6), &json!(2), &json!(4)), "what runs comes to its end");
        record_results(&app.app, &session, &[result(given[0].key, Outcome::Succeeded)]).await.unwrap();
        fleet::close_session(&app.app, &session).await.unwrap();
        app.app.clock.advance_seconds(600);
        round(&app.app).await.unwrap();
        let ended = get(&clerk, &made["id"]).await;
        let told = ["succeeded", "expired", "failed", "state"].map(|field| ended[field].as_i64().unwrap());
        assert_eq!(told, [1, 6, 1, 9], "its agent is gone, and most of it has expired");
    }

    async fn many_cards_need_a_second_operator(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        settings(&clerk, "approvalAbove", 5).await;
        let body = json!({ "selection": { "ids": cards }, "act": { "kind": "factoryReset" }, "options": { "reason": "退租" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!(made["state"], 2);
        assert!(claim(&app.app, &session).await.unwrap().is_empty());
        let path = format!("{OPERATIONS}/{}/approve", made["id"]);
        assert_eq!(clerk.post(&path, json!({ "approved": true })).await.brief(), (409, 4009), "not the one who began it");
        let other = app.operator("second", &["operation:list", "operation:approve"]).await;
        let agreed = other.post(&path, json!({ "approved": true })).await.data();
        assert_eq!((&agreed["state"], &agreed["approvedBy"]), (&json!(4), &json!("second")));
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 8);
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"second operation_approve 0".to_owned()), "{trail:?}");
    }
}
