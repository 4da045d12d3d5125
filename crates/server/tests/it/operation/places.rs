//! The tasks of an operation where their cards are, and what ended last.

use fleet::operation::{claim, record_results};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::room::until;
use wire::{Effect, Outcome, Reason};

use super::{result, up};

fn numbers(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|value| value.as_i64().unwrap()).collect()
}

db_test! {
    async fn tasks_are_told_by_frame_host_and_position_and_the_last_results_first(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let body = json!({ "selection": { "filter": { "roomId": session.room, "networkStatus": 1 } },
            "act": { "kind": "shell", "script": "id" }, "options": { "stopAtPercent": 100 } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let id = &made["id"];
        until("it is written down", async || get(&clerk, id).await["state"] == 4).await;
        let begun = get(&clerk, id).await;
        assert_eq!(begun["chosen"]["words"], "机房 机房 1 · 网络状态 在线");
        assert_eq!(begun["chosen"]["filter"]["networkStatus"], 1);

        let mut given = claim(&app.app, &session).await.unwrap();
        given.sort_by_key(|task| task.key.task);
        let refused = Outcome::Failed { code: Reason::AdbRefused.into(), reason: "closed".into(), effect: Effect::NeverBegan };
        for (at, task) in given.iter().take(3).enumerate() {
            app.app.clock.advance_seconds(1);
            let outcome = if at == 1 { refused.clone() } else { Outcome::Succeeded };
            record_results(&app.app, &session, &[result(task.key, outcome)]).await.unwrap();
        }

        let places = clerk.get(&format!("{OPERATIONS}/{id}/places")).await.data();
        assert_eq!(places["codes"], json!(["adb_refused"]));
        let frame = &places["frames"][0];
        assert_eq!((&frame["name"], &frame["room"]), (&json!("A-01"), &json!("机房 1")));
        let running = given.len() as i64 - 3;
        let counts = json!({ "pending": 8 - given.len(), "running": running, "succeeded": 2, "failed": 1, "other": 0 });
        assert_eq!(frame["counts"], counts);
        let hosts = frame["hosts"].as_array().unwrap();
        assert_eq!(hosts.iter().map(|host| host["name"].as_str().unwrap()).collect::<Vec<_>>(), ["blade-1", "blade-2"]);
        let told: Vec<i64> = hosts.iter().flat_map(|host| numbers(&host["cards"])).collect();
        assert_eq!(told, cards, "every card once");
        for host in hosts {
            assert_eq!(numbers(&host["positions"]), [1, 2, 3, 4]);
        }
        let states: Vec<i64> = hosts.iter().flat_map(|host| numbers(&host["states"])).collect();
        assert_eq!((states.iter().filter(|state| **state == 3).count(), states.iter().filter(|state| **state == 4).count()), (2, 1));
        let failed = states.iter().position(|state| *state == 4).unwrap();
        let reasons: Vec<i64> = hosts.iter().flat_map(|host| numbers(&host["reasons"])).collect();
        assert_eq!(reasons.iter().sum::<i64>(), 1);
        assert_eq!(reasons[failed], 1, "the place of its code, plus one");

        let results = format!("{OPERATIONS}/{id}/results");
        let last = clerk.get(&results).await.data();
        let of = |row: &Value| row["id"].as_i64().unwrap();
        let order: Vec<i64> = last.as_array().unwrap().iter().map(of).collect();
        assert_eq!(order, given.iter().take(3).rev().map(|task| task.key.task).collect::<Vec<_>>());
        let failed = clerk.get(&format!("{results}?state=4")).await.data();
        assert_eq!((failed.as_array().unwrap().len(), &failed[0]["code"]), (1, &json!("adb_refused")));
        assert_eq!(clerk.get(&format!("{results}?code={}", "x".repeat(65))).await.brief().0, 400);
        for call in ["places", "results"] {
            assert_eq!(clerk.get(&format!("{OPERATIONS}/999999/{call}")).await.brief(), (404, 4004));
        }

        // A card that has left its host is told there, without a position; one that was deleted as well.
        clerk.post(&format!("/api/fleet/v1/cards/{}/move", cards[3]), json!({ "roomId": session.room, "reason": "备件" })).await.data();
        let places = clerk.get(&format!("{OPERATIONS}/{id}/places")).await.data();
        let first = &places["frames"][0]["hosts"][0];
        assert_eq!((numbers(&first["cards"]), numbers(&first["positions"])), (cards[..4].to_vec(), vec![1, 2, 3, 0]));
    }

    async fn a_retry_keeps_the_time_at_which_it_began(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let body = json!({ "selection": { "ids": [cards[0]] }, "act": { "kind": "shell", "script": "id" },
            "options": { "stopAtPercent": 100 } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let id = &made["id"];
        until("it is written down", async || get(&clerk, id).await["state"] == 4).await;
        assert_eq!(get(&clerk, id).await["chosen"]["words"], "1 张指定的卡");
        let began = get(&clerk, id).await["startedAt"].clone();
        let given = claim(&app.app, &session).await.unwrap();
        let refused = Outcome::Failed { code: Reason::AdbRefused.into(), reason: String::new(), effect: Effect::NeverBegan };
        record_results(&app.app, &session, &[result(given[0].key, refused)]).await.unwrap();
        assert_eq!(get(&clerk, id).await["state"], 7);
        app.app.clock.advance_seconds(60);
        clerk.post(&format!("{OPERATIONS}/{id}/retry"), json!({ "effect": 1 })).await.data();
        let again = get(&clerk, id).await;
        assert_eq!((&again["state"], &again["startedAt"], &again["finishedAt"]), (&json!(4), &began, &Value::Null));
    }
}
