//! A BMC checked by a real agent, in a simulated room.

use std::net::Ipv4Addr;

use fleet::Fleet;
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;
use testroom::room::{console, joined, run_agent, simulated, until};
use url::Url;

db_test! {
    async fn a_bmc_is_asked_how_it_is(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let console = console(&app).await;
        let (room, here) = simulated(&clerk, 23, 8).await;
        let url = Url::parse(&room.bmcs[0].url()).unwrap();
        let first = Ipv4Addr::new(127, 64 + 23, 0, 1);
        let last = Ipv4Addr::new(127, 64 + 23, 0, 8);
        let body = |password: &str| json!({ "roomId": here.room, "address": "127.0.0.1", "port": url.port().unwrap(),
            "username": "admin", "password": password,
            "ranges": [{ "startSlot": 1, "endSlot": 8, "startIp": first, "endIp": last }] });
        let made = clerk.post("/api/fleet/v1/bmcs", body("")).await.data();
        let path = format!("/api/fleet/v1/bmcs/{}", made["id"]);
        let check = format!("{path}/check");
        let kept = async || clerk.get("/api/fleet/v1/bmcs").await.data()["list"][0].clone();
        let of_state = async |state: i64| clerk.get(&format!("/api/fleet/v1/bmcs?state={state}")).await.data()["total"].clone();
        assert_eq!((&made["state"], &made["stateSince"]), (&json!(1), &json!(null)), "never asked");
        assert_eq!(clerk.post(&check, json!({})).await.status(), 4009, "it has no password");
        clerk.put(&path, body("wrong")).await.data();
        assert_eq!(clerk.post(&check, json!({})).await.status(), 4009, "no agent is there");

        let folder = tempfile::tempdir().unwrap();
        let _agent = run_agent(joined(&app, &clerk, &console, here.room).await, folder.path()).await;
        until("the agent is there", || async { app.app.part::<Fleet>().agents_in(entity::RoomId(here.room)) == 1 }).await;
        let refused = clerk.post(&check, json!({})).await.data();
        assert_eq!((&refused["isOk"], &refused["code"]), (&json!(false), &json!("bmc_auth_refused")));
        assert_eq!(refused["reason"], "BMC 账号或密码错误");
        assert_eq!(refused["isNewCertificate"], true, "who it is was seen before it refused");

        let row = kept().await;
        assert_eq!((&row["state"], &row["stateReason"]), (&json!(3), &json!("BMC 账号或密码错误")));
        assert_eq!(row["stateSince"], row["askedAt"]);
        assert_eq!((of_state(3).await, of_state(2).await), (json!(1), json!(0)));
        let since = row["stateSince"].clone();
        clerk.post(&check, json!({})).await.data();
        assert_eq!(kept().await["stateSince"], since, "it is refused as before");

        clerk.put(&path, body("simulated")).await.data();
        assert_eq!(kept().await["state"], 1, "it has another password: what was known no longer holds");
        let seen = clerk.post(&check, json!({})).await.data();
        assert_eq!((&seen["isOk"], &seen["isNewCertificate"]), (&json!(true), &json!(false)), "{seen}");
        assert_eq!(seen["certificate"], room.bmcs[0].fingerprint());
        let slots = seen["slots"].as_array().unwrap();
        assert_eq!(slots.len(), 8);
        assert_eq!((&slots[2]["slot"], &slots[2]["power"], &slots[2]["card"]["intranetIp"]), (&json!(3), &json!(1), &json!("127.87.0.3")));
        assert!(seen["sensors"].as_array().unwrap().iter().any(|sensor| sensor["kind"] == "temperature" && sensor["reading"].as_f64() > Some(0.0)));
        let row = kept().await;
        assert_eq!(row["certificate"], room.bmcs[0].fingerprint());
        assert_eq!((&row["state"], &row["stateReason"]), (&json!(2), &json!("")));
        assert_eq!(clerk.post("/api/fleet/v1/bmcs/999/check", json!({})).await.status(), 4004);
    }
}
