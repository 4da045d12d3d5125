//! A plug is pulled on a whole frame.

use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, done, get};
use testroom::room::{console, hurry, joined, run_agent, simulated, until};
use testroom::site::{CARDS, FRAMES, HOSTS};

/// How many cards of a frame stand so.
async fn count(clerk: &Caller<'_>, frame: i64, network: u8) -> i64 {
    let path = format!("{CARDS}?frameId={frame}&networkStatus={network}");
    clerk.get(&path).await.data()["total"].as_i64().unwrap()
}

fn codes(ended: &Value) -> Vec<&str> {
    ended["reasons"].as_array().unwrap().iter().map(|group| group["code"].as_str().unwrap()).collect()
}

db_test! {
    async fn a_frame_without_power_delays_no_other_and_comes_back(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        hurry(&clerk).await;
        let console = console(&app).await;
        let (room, site) = simulated(&clerk, 25, 32).await;
        let body = json!({ "roomId": site.room, "name": "S-02", "slots": 2 });
        let other = clerk.post(FRAMES, body).await.data()["id"].as_i64().unwrap();
        for slot in 1..=2 {
            let body = json!({ "frameId": other, "slot": slot, "name": format!("other-{slot}"), "positions": 8 });
            clerk.post(HOSTS, body).await.data();
        }
        let cards = clerk.get(&format!("{CARDS}?sort=id&order=asc&pageSize=50")).await.data();
        let ids: Vec<&Value> = cards["list"].as_array().unwrap().iter().map(|card| &card["id"]).collect();
        let body = json!({ "selection": { "ids": ids[16..] }, "act": { "kind": "move", "frameId": other } });
        let moved = clerk.post(OPERATIONS, body).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(done(&clerk, &moved["id"]).await["succeeded"], 16);
        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(joined(&app, &clerk, &console, site.room).await, folder.path()).await;
        until("all cards are online", async || {
            count(&clerk, site.frame, 1).await == 16 && count(&clerk, other, 1).await == 16
        }).await;

        // Half of them refuse, as a switch in between says for them; the others never say a word.
        for (number, card) in room.cards.iter().enumerate().take(16) {
            if number < 8 {
                card.power(false);
            } else {
                room.set_fault(number, sim::Fault::Silent, true);
            }
        }
        let all = json!({ "filter": { "roomId": site.room } });
        let run = async |script: &str| {
            let body = json!({ "selection": all, "act": { "kind": "shell", "script": script }, "options": { "seconds": 5, "stopAtPercent": 100 } });
            clerk.post(OPERATIONS, body).await.data()["id"].clone()
        };
        let first = run("effect pulled").await;
        until("the other frame is done", async || get(&clerk, &first).await["succeeded"] == 16).await;
        let early = get(&clerk, &first).await;
        assert!(early["running"].as_i64() > Some(0), "the living waited for the dead: {early}");
        let whole = done(&clerk, &first).await;
        assert_eq!((&whole["succeeded"], &whole["failed"]), (&json!(16), &json!(16)), "{whole}");
        assert!(codes(&whole).iter().all(|code| ["adb_refused", "adb_timeout", "adb_closed"].contains(code)), "{whole}");
        let ran = |number: usize| room.cards[number].state().effects.get("effect:pulled").copied();
        assert!((0..16).all(|number| ran(number).is_none()) && (16..32).all(|number| ran(number) == Some(1)));

        // Its state follows; the other frame is looked at as often as before.
        until("the frame is seen to be gone", async || {
            assert_eq!(count(&clerk, other, 1).await, 16, "a neighbour was lost");
            count(&clerk, site.frame, 1).await == 0
        }).await;
        assert_eq!(count(&clerk, site.frame, 3).await, 8, "those that refuse are offline");
        let looks = |number: usize| room.cards[number].state().effects.get("run:true").copied().unwrap_or(0);
        let before: Vec<u64> = (16..32).map(looks).collect();
        until("each of the living is looked at twice more", async || {
            (16..32).zip(&before).all(|(number, before)| looks(number) >= before + 2)
        }).await;
        let left_out = run("effect later").await;
        let ended = done(&clerk, &left_out).await;
        assert_eq!((&ended["succeeded"], &ended["total"]), (&json!(16), &json!(32)), "{ended}");
        assert!(codes(&ended).contains(&"offline"), "{ended}");

        for (number, card) in room.cards.iter().enumerate().take(16) {
            card.power(true);
            room.set_fault(number, sim::Fault::Silent, false);
        }
        until("the frame is back", async || count(&clerk, site.frame, 1).await == 16).await;
        let ended = run("effect back").await;
        assert_eq!(done(&clerk, &ended).await["succeeded"], 32);
    }
}
