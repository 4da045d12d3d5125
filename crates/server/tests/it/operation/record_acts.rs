//! Operations that change the records: the console does them, not an agent.

use fleet::operation::{claim, record_results, round};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::site::{CARDS, FRAMES, HOSTS, ROOMS, fill, kind, settings, site};
use wire::{Outcome, TaskResult};

use super::{result, shell, up};
use crate::fleet::state;

/// Lets the scheduler do an operation, and returns its outcome.
async fn done(app: &TestApp, clerk: &Caller<'_>, made: &Value) -> Value {
    while round(&app.app).await.unwrap() {}
    get(clerk, &made["id"]).await
}

fn reasons(ended: &Value) -> Vec<(&str, i64)> {
    let groups = ended["reasons"].as_array().unwrap();
    groups.iter().map(|group| (group["code"].as_str().unwrap(), group["count"].as_i64().unwrap())).collect()
}

db_test! {
    async fn cards_are_drained_maintained_and_returned(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let there = site(&clerk, 2).await;
        fill(&clerk, &there).await;
        let work = json!({ "state": 3, "reason": "换电源" });
        clerk.post(&format!("{ROOMS}/{}/maintenance", there.room), work).await.data();
        assert_eq!(
            clerk.post(OPERATIONS, json!({ "selection": { "filter": {} }, "act": { "kind": "drain" } })).await.errors(),
            ["options.reason required"]
        );
        let ago = json!({ "selection": { "filter": {} }, "act": { "kind": "maintain", "until": "2020-01-01T00:00:00Z" }, "options": { "reason": "x" } });
        assert_eq!(clerk.post(OPERATIONS, ago).await.errors(), ["act.until time.notAfterNow"]);

        let body = json!({ "selection": { "filter": {} }, "act": { "kind": "drain" }, "options": { "reason": "换硬盘" } });
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!((&made["kind"], &made["total"]), (&json!(15), &json!(16)), "{made}");
        assert!(claim(&app.app, &session).await.unwrap().is_empty(), "it is nothing for agents");
        let ended = done(&app, &clerk, &made).await;
        assert_eq!((&ended["state"], &ended["succeeded"], &ended["skipped"]), (&json!(7), &json!(8), &json!(8)), "{ended}");
        assert_eq!(reasons(&ended), [("place_maintained", 8)]);
        let card = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data();
        assert_eq!((&card["maintenance"]["state"], &card["maintenance"]["reason"]), (&json!(2), &json!("换硬盘")), "{card}");
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| *line == "admin operation_books_run 0").count(), 1, "{trail:?}");

        let body = json!({ "selection": { "ids": cards[..3] }, "act": { "kind": "return" } });
        let made = clerk.post(OPERATIONS, body.clone()).await.data();
        let ended = done(&app, &clerk, &made).await;
        assert_eq!(ended["succeeded"], 3);
        let preview = json!({ "selection": { "ids": cards }, "kind": 17 });
        let seen = clerk.post(&format!("{OPERATIONS}/preview"), preview).await.data();
        assert_eq!((&seen["willRun"], &seen["leftOut"][0]["code"]), (&json!(5), &json!("already_so")), "{seen}");
        let made = clerk.post(OPERATIONS, body).await.data();
        assert_eq!((&made["state"], &made["skipped"]), (&json!(7), &json!(3)), "nothing to be done is done at once");
    }

    async fn flags_are_set_where_they_differ_and_a_pause_holds(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        assert_eq!(clerk.post(OPERATIONS, json!({ "selection": { "ids": cards }, "act": { "kind": "setFlags" } })).await.errors(), ["act.assignable required"]);
        let before = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data()["isAssignable"].as_bool().unwrap();
        // One that begins at once has ended when it is answered, so few are they.
        let body = json!({ "selection": { "ids": cards[..2] }, "act": { "kind": "setFlags", "assignable": before } });
        assert_eq!(clerk.post(OPERATIONS, body).await.data()["skipped"], 2);
        let soon = app.app.clock.now().plus_seconds(60);
        let body = json!({
            "selection": { "ids": cards[..2] },
            "act": { "kind": "setFlags", "assignable": !before },
            "options": { "notBefore": soon },
        });
        let made = clerk.post(OPERATIONS, body).await.data();
        app.app.clock.advance_seconds(61);
        // Its time has come; nothing is done yet.
        round(&app.app).await.unwrap();
        clerk.post(&format!("{OPERATIONS}/{}/pause", made["id"]), json!({})).await.data();
        assert_eq!(done(&app, &clerk, &made).await["pending"], 2);
        clerk.post(&format!("{OPERATIONS}/{}/resume", made["id"]), json!({})).await.data();
        assert_eq!(done(&app, &clerk, &made).await["succeeded"], 2);
        let made = clerk.post(OPERATIONS, json!({ "selection": { "ids": cards }, "act": { "kind": "setFlags", "assignable": !before } })).await.data();
        assert_eq!((&made["succeeded"], &made["skipped"]), (&json!(6), &json!(2)), "{made}");
        let page = clerk.get(&format!("{CARDS}?isAssignable={}", !before)).await.data();
        assert_eq!(page["total"], 8);
    }

    async fn cards_move_to_a_frame_as_long_as_it_has_positions(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        let room = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data()["roomId"].clone();
        let frame = clerk.post(FRAMES, json!({ "roomId": room, "name": "B-01", "slots": 4 })).await.data();
        let host = async |slot: i64| {
            let body = json!({ "frameId": frame["id"], "slot": slot, "name": format!("new-{slot}"), "positions": 3 });
            clerk.post(HOSTS, body).await.data();
        };
        host(2).await;
        state::set_occupancy(&app, cards[0], entity::card::Occupancy::InUse).await;
        assert_eq!(
            clerk.post(OPERATIONS, json!({ "selection": { "ids": cards }, "act": { "kind": "move", "frameId": 999 } })).await.errors(),
            ["act.frameId reference.unknown"]
        );
        let body = json!({ "selection": { "ids": cards }, "act": { "kind": "move", "frameId": frame["id"] }, "options": { "stopAtPercent": 100 } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let ended = done(&app, &clerk, &made).await;
        assert_eq!((&ended["succeeded"], &ended["skipped"], &ended["failed"]), (&json!(3), &json!(1), &json!(4)), "{ended}");
        let mut why = reasons(&ended);
        why.sort_unstable();
        assert_eq!(why, [("busy", 1), ("no_position", 4)]);
        let moved = clerk.get(&format!("{CARDS}?frameId={}", frame["id"])).await.data();
        let mut places: Vec<i64> = moved["list"].as_array().unwrap().iter().map(|card| card["position"].as_i64().unwrap()).collect();
        places.sort_unstable();
        assert_eq!(places, [1, 2, 3]);

        // There is room now: what failed is tried again.
        host(1).await;
        clerk.post(&format!("{OPERATIONS}/{}/retry", made["id"]), json!({ "code": "no_position" })).await.data();
        let ended = done(&app, &clerk, &made).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(6), &json!(1)), "{ended}");
    }

    async fn a_place_that_does_not_take_a_card_holds_no_other_up(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (_, cards) = up(&app, &clerk).await;
        // The same addresses in another room: the first card's is taken there.
        let there = site(&clerk, 2).await;
        let card = clerk.get(&format!("{CARDS}/{}", cards[0])).await.data();
        let body = kind(json!({ "roomId": there.room, "intranetIp": card["intranetIp"], "adbPort": card["adbPort"] }));
        clerk.post(CARDS, body).await.data();
        let body = json!({ "selection": { "ids": cards[..3] }, "act": { "kind": "move", "frameId": there.frame }, "options": { "stopAtPercent": 100 } });
        let made = clerk.post(OPERATIONS, body).await.data();
        let ended = done(&app, &clerk, &made).await;
        assert_eq!((&ended["succeeded"], &ended["failed"]), (&json!(2), &json!(1)), "{ended}");
        assert_eq!(reasons(&ended), [("place_refused", 1)]);
    }

    async fn an_operation_has_limits_of_its_own(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let with = |name: &str, most: i64| {
            let mut body = shell(&cards);
            body["options"] = json!({ name: most });
            body
        };
        assert_eq!(clerk.post(OPERATIONS, with("perHost", 0)).await.errors(), ["options.perHost integer.range"]);
        let settled = async |given: Vec<wire::Task>| {
            let all: Vec<TaskResult> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
            record_results(&app.app, &session, &all).await.unwrap();
        };
        // Eight cards on two hosts of one frame.
        for (name, most, at_once) in [("perHost", 1, 2), ("perFrame", 3, 3), ("perRoom", 5, 5)] {
            let made = clerk.post(OPERATIONS, with(name, most)).await.data();
            assert_eq!(made[name], most);
            let given = claim(&app.app, &session).await.unwrap();
            assert_eq!(given.len(), at_once, "{name}");
            assert!(claim(&app.app, &session).await.unwrap().is_empty(), "{name}: what is under way counts");
            settled(given).await;
            while get(&clerk, &made["id"]).await["state"] != 7 {
                settled(claim(&app.app, &session).await.unwrap()).await;
            }
        }
        // One that has all it may have leaves the others room, and the settings hold as well.
        clerk.post(OPERATIONS, with("perRoom", 1)).await.data();
        clerk.post(OPERATIONS, shell(&cards)).await.data();
        settings(&clerk, "tasksPerFrame", 4).await;
        assert_eq!(claim(&app.app, &session).await.unwrap().len(), 4);
    }
}
