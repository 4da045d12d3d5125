//! The password of a BMC goes where it was entered for, and nowhere else.

use std::sync::atomic::{AtomicBool, Ordering};

use fleet::operation::{claim, record_results};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::operation::OPERATIONS;
use testroom::site::{CARDS, HOSTS, ROOMS};
use wire::{Act, Outcome};

use super::{result, up};

const BMCS: &str = "/api/fleet/v1/bmcs";

fn power_on(cards: &[i64]) -> Value {
    json!({ "selection": { "ids": cards }, "act": { "kind": "powerOn" } })
}

/// The mapping of the cards of [`up`].
fn ranges() -> Value {
    json!([{ "startSlot": 1, "endSlot": 8, "startIp": "10.1.0.1", "endIp": "10.1.0.8" }])
}

db_test! {
    async fn nothing_but_its_own_change_moves_a_bmc_or_takes_its_password_along(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let there = clerk.post(ROOMS, json!({ "name": "别处", "city": "杭州" })).await.data()["id"].clone();
        let frame = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data()["frameId"].clone();
        let host = json!({ "frameId": frame, "slot": 3, "name": "blade-3", "positions": 4, "bladeAddress": "10.1.9.3" });
        let host_url = format!("{HOSTS}/{}", clerk.post(HOSTS, host.clone()).await.data()["id"]);
        let body = json!({ "roomId": session.room, "hostId": host_url.rsplit('/').next().unwrap().parse::<i64>().unwrap(),
            "address": "10.9.0.1", "username": "root", "password": "Sup3r-secret", "ranges": ranges() });
        clerk.post(BMCS, body).await.data();
        let is_as_entered = async |after: &str| {
            let row = clerk.get(BMCS).await.data()["list"][0].clone();
            assert_eq!((&row["roomId"], &row["address"], &row["port"]), (&json!(session.room), &json!("10.9.0.1"), &json!(443)), "{after}");
            assert_eq!(row["password"]["set"], true, "{after}");
        };
        let card = |index: usize| format!("{CARDS}/{}/move", cards[index]);
        clerk.post(&card(0), json!({ "roomId": there })).await.data();
        is_as_entered("a card has moved to another room").await;
        clerk.post(&card(1), json!({ "roomId": session.room, "intranetIp": "10.1.7.7" })).await.data();
        is_as_entered("a card has another address").await;
        let mut moved = host;
        moved["bladeAddress"] = "10.1.9.33".into();
        clerk.put(&host_url, moved).await.data();
        is_as_entered("its blade has another address").await;
        clerk.put(&format!("{ROOMS}/{}", session.room), json!({ "name": "新名", "city": "杭州" })).await.data();
        is_as_entered("its room has another name").await;
        clerk.delete(&host_url, json!({})).await.data();
        is_as_entered("its blade is gone").await;

        // Cards that have left do not bring it along, and those that stayed still have it.
        let made = clerk.post(OPERATIONS, power_on(&cards[..3])).await.data();
        let given = claim(&app.app, &session).await.unwrap();
        let tasks = clerk.get(&format!("{OPERATIONS}/{}/tasks?pageSize=10", made["id"])).await.data();
        for task in tasks["list"].as_array().unwrap() {
            let expected = if task["target"]["id"] == cards[2] { "" } else { "no_bmc" };
            assert_eq!(task["code"], expected, "{task}");
        }
        let [task] = &given[..] else { panic!("{given:?}") };
        let Act::Power { bmc, .. } = &task.act else { panic!("{task:?}") };
        assert_eq!((task.card, bmc.url.as_str(), bmc.password.as_str()), (cards[2], "https://10.9.0.1:443", "Sup3r-secret"));
    }

    async fn a_bmc_that_is_moved_while_an_agent_asks_for_work_keeps_address_and_password_together(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let body = |number: u8| {
            json!({ "roomId": session.room, "address": format!("10.9.0.{number}"), "username": "root",
                "password": format!("Sup3r-secret-{number}"), "ranges": ranges() })
        };
        let url = format!("{BMCS}/{}", clerk.post(BMCS, body(1)).await.data()["id"]);
        let is_over = AtomicBool::new(false);
        let moves = async {
            for turn in 0..60 {
                app.app.clock.advance_seconds(1);
                clerk.put(&url, body(1 + (turn + 1) % 2)).await.data();
            }
            is_over.store(true, Ordering::Relaxed);
        };
        let acts = async {
            let mut sent = 0;
            while !is_over.load(Ordering::Relaxed) {
                clerk.post(OPERATIONS, power_on(&cards[..1])).await.data();
                for task in claim(&app.app, &session).await.unwrap() {
                    let Act::Power { bmc, .. } = &task.act else { panic!("{task:?}") };
                    let number = bmc.url.trim_start_matches("https://10.9.0.").trim_end_matches(":443");
                    assert_eq!(bmc.password, format!("Sup3r-secret-{number}"), "it went to {}", bmc.url);
                    sent += 1;
                    record_results(&app.app, &session, &[result(task.key, Outcome::Succeeded)]).await.unwrap();
                }
            }
            sent
        };
        let ((), sent) = tokio::join!(moves, acts);
        assert!(sent > 0, "no agent was told a password");
    }
}
