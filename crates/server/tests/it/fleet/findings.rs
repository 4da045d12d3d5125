//! Where the books and the rooms differ, and how either is put right.

use kernel::ip4::Ip4;
use serde_json::{Value, json};
use server::domains::fleet::{ModelName, Sighting, sighted};
use testkit::db_test;

use super::state::agent;
use super::{CARDS, fill, kind, site};
use crate::support::{Caller, TestApp};

const FINDINGS: &str = "/api/fleet/v1/findings";

fn sighting(serial: &str, ip: &str, model: &str) -> Sighting {
    let model = ModelName { manufacturer: "瑞芯".to_owned(), model: model.to_owned(), board: "RK_3399".to_owned() };
    Sighting { serial: serial.to_owned(), ip: ip.parse::<Ip4>().unwrap(), port: 5555, model }
}

/// `kind serial`, oldest first.
async fn findings(clerk: &Caller<'_>) -> Vec<String> {
    let page = clerk.get(FINDINGS).await.data();
    page["list"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .map(|row| format!("{} {}", row["kind"], row["serial"].as_str().unwrap()))
        .collect()
}

async fn fix(clerk: &Caller<'_>, kind: i64, body: Value) -> Value {
    let page = clerk.get(&format!("{FINDINGS}?kind={kind}")).await.data();
    clerk.post(&format!("{FINDINGS}/{}/fix", page["list"][0]["id"]), body).await.data()
}

db_test! {
    async fn every_difference_is_found_and_put_right(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        let good = |n: usize| sighting(&format!("SN{n}"), &format!("10.1.0.{n}"), "RK3399-Card");
        let all: Vec<Sighting> = (1..=8).map(good).collect();
        sighted(&app.app, &session, &all, true).await.unwrap();
        assert_eq!(findings(&clerk).await, Vec::<String>::new(), "cards without serials learn them");
        assert_eq!(clerk.get(&format!("{CARDS}?keyWord=SN8")).await.data()["total"], 1);

        let ghost = clerk.post(CARDS, kind(json!({ "roomId": here.room, "intranetIp": "10.1.1.1", "serial": "GHOST" }))).await.data();
        clerk.post(&format!("{CARDS}/retire"), json!({ "selection": { "ids": [ghost["id"]] }, "reason": "丢失" })).await.data();
        let seen = [
            sighting("SN1", "10.1.0.1", "RK3399-Card"),
            sighting("SN2", "10.1.0.2", "RK3399-Pro"),
            sighting("SN3", "10.1.0.33", "RK3399-Card"),
            sighting("OTHER", "10.1.0.4", "RK3399-Card"),
            sighting("FRESH", "10.1.0.99", "RK3399-Card"),
            sighting("GHOST", "10.1.1.1", "RK3399-Card"),
            good(5), good(6), good(7),
        ];
        for _ in 0..2 {
            sighted(&app.app, &session, &seen, true).await.unwrap();
            let mut found = findings(&clerk).await;
            found.sort_unstable();
            assert_eq!(found, ["1 FRESH", "2 SN8", "3 SN3", "4 OTHER", "5 SN2", "6 GHOST"]);
        }

        assert_eq!(fix(&clerk, 5, json!({})).await["model"], "RK3399-Pro");
        assert_eq!(fix(&clerk, 3, json!({})).await["intranetIp"], "10.1.0.33");
        let lost = fix(&clerk, 2, json!({})).await;
        assert_eq!((&lost["lifecycle"], &lost["faultReason"], &lost["runStatus"]), (&json!(4), &json!("missing"), &json!(4)));
        let other = fix(&clerk, 4, json!({})).await;
        assert_eq!((&other["serial"], &other["hostId"], &other["position"]), (&json!("OTHER"), &json!(here.hosts[0]), &json!(4)));
        assert_eq!(clerk.get(&format!("{CARDS}/{}", cards[3])).await.data()["lifecycle"], 5);
        assert_eq!(fix(&clerk, 6, json!({})).await["lifecycle"], 3);
        let page = clerk.get(&format!("{FINDINGS}?kind=1")).await.data();
        let url = format!("{FINDINGS}/{}", page["list"][0]["id"]);
        let busy = clerk.post(&format!("{url}/fix"), json!({ "hostId": here.hosts[1], "position": 4 })).await;
        assert_eq!(busy.errors(), ["position taken"], "a missing card keeps its position");
        clerk.post(&format!("{url}/ignore"), json!({ "ignored": true })).await.data();
        assert_eq!(findings(&clerk).await, Vec::<String>::new());
        assert_eq!(clerk.get(&format!("{FINDINGS}?ignored=true")).await.data()["total"], 1);
        let fresh = clerk.post(&format!("{url}/fix"), json!({})).await.data();
        assert_eq!((&fresh["lifecycle"], &fresh["hostId"]), (&json!(3), &Value::Null));
        assert_eq!(clerk.post(&format!("{url}/fix"), json!({})).await.brief(), (404, 4004));
    }
}
