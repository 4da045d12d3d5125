//! Differences between the records and the rooms, and how they are resolved.

use fleet::{ModelName, Sighting, sighted};
use kernel::ip4::Ip4;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::site::{CARDS, fill, kind, site};

use super::state::agent;

pub const FINDINGS: &str = "/api/fleet/v1/findings";

pub fn sighting(serial: &str, ip: &str, model: &str) -> Sighting {
    let model = ModelName { manufacturer: "瑞芯".to_owned(), model: model.to_owned(), board: "RK_3399".to_owned() };
    Sighting {
        serial: serial.to_owned(),
        ip: ip.parse::<Ip4>().unwrap(),
        port: 5555,
        model,
        fingerprint: String::new(),
        mark: None,
    }
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
    async fn each_filter_of_the_list_leaves_out_what_is_not_meant(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (here, there) = (site(&clerk, 1).await, site(&clerk, 2).await);
        for (place, serial, ip) in [(&here, "AAA1", "10.1.7.1"), (&here, "AAA2", "10.1.8.2"), (&there, "BBB1", "10.2.7.1")] {
            let session = agent(&app, &clerk, place).await;
            sighted(&app.app, &session, &[sighting(serial, ip, "RK3399-Card")], false).await.unwrap();
        }
        let named = async |filter: String| {
            let page = clerk.get(&format!("{FINDINGS}?{filter}&sort=serial&order=asc")).await.data();
            let rows = page["list"].as_array().unwrap().clone();
            assert_eq!(page["total"], rows.len(), "{filter}");
            let table = clerk.get(&format!("{FINDINGS}/file?format=csv&{filter}")).await.table();
            assert_eq!(table.len(), rows.len() + 1, "the file has the same filters: {filter}");
            rows.iter().map(|row| row["serial"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(named(String::new()).await, "AAA1 AAA2 BBB1");
        assert_eq!(named("keyWord=AAA".to_owned()).await, "AAA1 AAA2");
        assert_eq!(named("keyWord=10.1.7".to_owned()).await, "AAA1");
        assert_eq!(named(format!("roomId={}", there.room)).await, "BBB1");
        assert_eq!(named("roomId=999999".to_owned()).await, "");
        assert_eq!(named("kind=1".to_owned()).await, "AAA1 AAA2 BBB1");
        assert_eq!(named("kind=2".to_owned()).await, "");
        let page = clerk.get(&format!("{FINDINGS}?keyWord=AAA2")).await.data();
        clerk.post(&format!("{FINDINGS}/{}/ignore", page["list"][0]["id"]), json!({ "ignored": true })).await.data();
        assert_eq!(named(String::new()).await, "AAA1 BBB1");
        assert_eq!(named("ignored=false".to_owned()).await, "AAA1 BBB1");
        assert_eq!(named("ignored=true".to_owned()).await, "AAA2");
        assert_eq!(named(format!("ignored=true&roomId={}&kind=1&keyWord=AAA", there.room)).await, "");
        assert_eq!(named(format!("ignored=true&roomId={}&kind=1&keyWord=AAA", here.room)).await, "AAA2");
    }

    async fn a_new_card_has_its_place_proposed(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let session = agent(&app, &clerk, &here).await;
        let sight = |n: usize| sighting(&format!("SN{n}"), &format!("10.1.0.{n}"), "RK3399-Card");
        let proposed = async |n: usize| {
            let page = clerk.get(&format!("{FINDINGS}?keyWord=SN{n}")).await.data();
            page["list"][0]["proposal"].clone()
        };
        sighted(&app.app, &session, &[sight(3), sight(4)], false).await.unwrap();
        assert_eq!(proposed(3).await, Value::Null, "nothing tells where it is");

        let host = here.hosts[0];
        let card = json!({ "roomId": here.room, "hostId": host, "position": 1, "intranetIp": "10.1.0.1", "adbPort": 5555 });
        clerk.post(CARDS, kind(card)).await.data();
        let place = proposed(3).await;
        assert_eq!((&place["host"]["id"], &place["position"], &place["basis"]), (&json!(host), &json!(3), &json!("neighbours")));
        let page = clerk.get(&format!("{FINDINGS}?sort=serial&order=asc")).await.data();
        assert_eq!((&page["list"][0]["proposal"]["position"], &page["list"][1]["proposal"]["position"]), (&json!(3), &json!(4)));
        let file = clerk.get(&format!("{FINDINGS}/file?format=csv&keyWord=SN3")).await.table();
        assert!(file[1].iter().any(|cell| cell.ends_with(" / 3")), "{file:?}");

        // The mapping of a BMC counts slots from 0 and knows better than the neighbours.
        let bmc = json!({ "roomId": here.room, "hostId": host, "address": "10.1.9.1", "ranges":
            [{ "startSlot": 0, "endSlot": 7, "startIp": "10.1.0.1", "endIp": "10.1.0.8" }] });
        clerk.post("/api/fleet/v1/bmcs", bmc).await.data();
        let place = proposed(4).await;
        assert_eq!((&place["host"]["id"], &place["position"], &place["basis"]), (&json!(host), &json!(4), &json!("bmc")));

        // Taken positions are proposed to nobody.
        fix(&clerk, 1, json!({ "hostId": host, "position": 3 })).await;
        let left = clerk.get(FINDINGS).await.data();
        assert_eq!(left["total"], 1);
        assert_ne!(left["list"][0]["proposal"]["position"], 3);
        let far = sighting("SN200", "10.1.0.200", "RK3399-Card");
        sighted(&app.app, &session, &[far], false).await.unwrap();
        assert_eq!(proposed(200).await, Value::Null, "no recorded card is near");
    }

    async fn a_card_of_another_model_than_recorded_says_its_serial_and_a_second_one_is_told_at_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let cards = fill(&clerk, &here).await;
        let session = agent(&app, &clerk, &here).await;
        let seen = [
            sighting("SN1", "10.1.0.1", "RK3399-Pro"),
            sighting("TWIN1", "10.1.0.1", "RK3399-Pro"),
            sighting("SN2", "10.1.0.2", "RK3399-Card"),
            sighting("TWIN2", "10.1.0.2", "RK3399-Card"),
        ];
        for _ in 0..2 {
            sighted(&app.app, &session, &seen, false).await.unwrap();
            let mut found = findings(&clerk).await;
            found.sort_unstable();
            assert_eq!(found, ["4 TWIN1", "4 TWIN2", "5 SN1"]);
            for (id, serial) in cards.iter().zip(["SN1", "SN2"]) {
                let card = clerk.get(&format!("{CARDS}/{id}")).await.data();
                assert_eq!((&card["serial"], &card["model"]), (&json!(serial), &json!("RK3399-Card")));
            }
        }
        let mended = fix(&clerk, 5, json!({})).await;
        assert_eq!((&mended["serial"], &mended["model"]), (&json!("SN1"), &json!("RK3399-Pro")));
    }

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

db_test! {
    async fn a_new_card_whose_outside_address_another_has_is_refused_by_name(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let body = kind(json!({ "roomId": here.room, "intranetIp": "10.1.7.7", "adbPort": 5555,
            "extranetIp": "203.0.113.1", "extranetPort": 20003 }));
        let holder = clerk.post(CARDS, body).await.data()["id"].clone();
        let session = agent(&app, &clerk, &here).await;
        sighted(&app.app, &session, &[sighting("AAA1", "10.1.0.3", "RK3399-Card")], false).await.unwrap();
        let page = clerk.get(&format!("{FINDINGS}?kind=1")).await.data();
        let url = format!("{FINDINGS}/{}/fix", page["list"][0]["id"]);
        let refused = clerk.post(&url, json!({})).await;
        let said = refused.json()["msg"].as_str().unwrap().to_owned();
        assert!(said.contains("203.0.113.1:20003") && said.contains(&format!("#{holder}")), "{said}");
        assert_eq!(clerk.get(&format!("{CARDS}?keyWord=AAA1")).await.data()["total"], 0, "nothing half done");
    }
}
