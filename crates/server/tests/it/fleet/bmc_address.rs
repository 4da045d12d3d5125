//! Where a BMC may be, and what happens to its password when it is moved.

use entity::{BmcId, bmc};
use fleet::operation::claim;
use kernel::ip4::Ip4;
use sea_orm::{ActiveValue::Set, ConnectionTrait as _, EntityTrait as _};
use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::site::{ROOMS, site};

use crate::operation::up;

const BMCS: &str = "/api/fleet/v1/bmcs";
const PIN: &str = "ab12";

/// Pins a certificate, as the first visit does.
async fn pin(app: &TestApp, id: BmcId) {
    let tx = app.app.db.begin_write().await.unwrap();
    let change = bmc::ActiveModel { id: Set(id), certificate: Set(PIN.to_owned()), ..Default::default() };
    bmc::Entity::update(change).exec(&*tx).await.unwrap();
    tx.commit().await.unwrap();
}

fn merged(body: &Value, change: &Value) -> Value {
    let mut body = body.clone();
    for (field, value) in change.as_object().unwrap() {
        body[field] = value.clone();
    }
    body
}

db_test! {
    async fn a_bmc_that_is_moved_forgets_its_password(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let there = clerk.post(ROOMS, json!({ "name": "别处", "city": "杭州" })).await.data()["id"].clone();
        let body = json!({ "roomId": here.room, "address": "10.1.8.1", "port": 443, "username": "root" });
        let made = clerk.post(BMCS, merged(&body, &json!({ "password": "Sup3r-secret" }))).await.data();
        let (id, url) = (BmcId(made["id"].as_i64().unwrap()), format!("{BMCS}/{}", made["id"]));
        for (change, keeps) in [
            (json!({ "username": "admin", "remark": "换了账号" }), true),
            (json!({ "address": "10.1.8.66" }), false),
            (json!({ "port": 8443 }), false),
            (json!({ "roomId": there }), false),
            (json!({ "address": "10.1.8.66", "password": "An0ther-one" }), true),
        ] {
            clerk.put(&url, merged(&body, &json!({ "password": "Sup3r-secret" }))).await.data();
            pin(&app, id).await;
            let after = clerk.put(&url, merged(&body, &change)).await.data();
            assert_eq!(after["password"]["set"], keeps, "{change}");
            let has_moved = ["address", "port", "roomId"].iter().any(|field| change.get(field).is_some());
            assert_eq!(after["certificate"] == PIN, !has_moved, "{change}");
            let kept = fleet::bmc_password(&app.app, id).await.unwrap();
            let kept = kept.map(|secret| secret.expose_text().unwrap().to_owned());
            let expected = change["password"].as_str().unwrap_or("Sup3r-secret");
            assert_eq!(kept.as_deref(), keeps.then_some(expected), "{change}");
            if !keeps {
                assert_eq!(clerk.post(&format!("{url}/check"), json!({})).await.brief(), (409, 4009), "{change}");
            }
            clerk.put(&url, body.clone()).await.data();
        }
    }

    async fn an_address_that_leads_to_the_agents_own_machine_is_refused(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = app.admin().await;
        let here = site(&clerk, 1).await;
        let body = json!({ "roomId": here.room, "address": "10.1.8.1", "username": "root", "password": "Sup3r-secret" });
        let made = clerk.post(BMCS, body.clone()).await.data();
        let url = format!("{BMCS}/{}", made["id"]);
        for address in [
            "127.0.0.1", "127.9.9.9", "0.0.0.0", "0.1.2.3", "169.254.169.254", "169.254.0.1", "224.0.0.1",
            "239.255.255.250", "240.0.0.1", "255.255.255.255", "100.100.100.200", "168.63.129.16",
        ] {
            let body = merged(&body, &json!({ "address": address }));
            for answer in [clerk.post(BMCS, body.clone()).await, clerk.put(&url, body).await] {
                assert_eq!(answer.brief(), (400, 4000), "{address}");
                assert_eq!(answer.errors(), ["address address.refused"], "{address}");
            }
        }
        // Other notations are no addresses here at all.
        for address in ["2130706433", "0177.0.0.1", "0x7f.0.0.1", "127.1", "::ffff:127.0.0.1", "::1", "localhost", "010.1.8.1"] {
            let answer = clerk.post(BMCS, merged(&body, &json!({ "address": address }))).await;
            assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec!["address type.wrong".to_owned()]), "{address}");
        }
        // One that was saved before is not visited.
        let id = BmcId(made["id"].as_i64().unwrap());
        let tx = app.app.db.begin_write().await.unwrap();
        let old = bmc::ActiveModel { id: Set(id), address: Set(Ip4::from(0x7f00_0001)), ..Default::default() };
        bmc::Entity::update(old).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        let answer = clerk.post(&format!("{url}/check"), json!({})).await;
        assert_eq!(answer.errors(), ["address address.refused"]);
    }

    async fn a_bmc_is_in_the_management_networks_of_its_room(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let room = |nets: Value| json!({ "name": "管理网", "city": "杭州", "managementNets": nets });
        for (nets, errors) in [
            (json!(["10.9.0.0/33"]), vec!["managementNets net.bad"]),
            (json!(["10.9.0.0/16", "fd00::/8"]), vec!["managementNets net.bad"]),
            (json!(vec!["10.9.0.1"; 17]), vec!["managementNets list.tooMany"]),
        ] {
            assert_eq!(clerk.post(ROOMS, room(nets.clone())).await.errors(), errors, "{nets}");
        }
        let made = clerk.post(ROOMS, room(json!(["10.9.0.0/16", "192.168.7.4"]))).await.data();
        assert_eq!(made["managementNets"], json!(["10.9.0.0/16", "192.168.7.4"]));
        let body = |address: &str| json!({ "roomId": made["id"], "address": address, "username": "root", "password": "Sup3r-secret" });
        let outside = clerk.post(BMCS, body("10.8.0.1")).await;
        assert_eq!((outside.brief(), outside.errors()), ((400, 4000), vec!["address address.outside".to_owned()]));
        let bmc = clerk.post(BMCS, body("10.9.255.1")).await.data();
        let url = format!("{BMCS}/{}", bmc["id"]);
        assert_eq!(clerk.put(&url, body("192.168.7.5")).await.errors(), ["address address.outside"]);
        clerk.put(&url, body("192.168.7.4")).await.data();
        // The room may not be changed so that it is outside.
        let url = format!("{ROOMS}/{}", made["id"]);
        let answer = clerk.put(&url, room(json!(["10.9.0.0/16"]))).await;
        assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec!["managementNets nets.leaveOut".to_owned()]));
        clerk.put(&url, room(json!([]))).await.data();
        clerk.post(BMCS, body("10.8.0.1")).await.data();
    }

    async fn without_management_networks_a_bmc_is_in_a_private_one(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = app.admin().await;
        let room = |nets: Value| json!({ "name": "公网机房", "city": "杭州", "managementNets": nets });
        let made = clerk.post(ROOMS, room(json!([]))).await.data();
        let body = |address: &str| json!({ "roomId": made["id"], "address": address, "username": "root", "password": "Sup3r-secret" });
        for address in ["203.0.113.9", "172.32.0.1", "11.0.0.1", "100.128.0.1"] {
            let answer = clerk.post(BMCS, body(address)).await;
            assert_eq!((answer.brief(), answer.errors()), ((400, 4000), vec!["address address.notPrivate".to_owned()]), "{address}");
        }
        for address in ["10.0.0.1", "172.31.255.1", "192.168.7.4", "100.64.0.1"] {
            clerk.post(BMCS, body(address)).await.data();
        }
        // Whoever has them elsewhere says so in the room first.
        let url = format!("{ROOMS}/{}", made["id"]);
        let all = json!(["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "203.0.113.0/24"]);
        clerk.put(&url, room(all)).await.data();
        let bmc = clerk.post(BMCS, body("203.0.113.9")).await.data();
        let answer = clerk.put(&url, room(json!([]))).await;
        assert_eq!(answer.errors(), ["managementNets nets.leaveOut"]);
        // One of before the rule is not visited.
        let tx = app.app.db.begin_write().await.unwrap();
        tx.execute_unprepared("UPDATE room SET management_nets = ''").await.unwrap();
        tx.commit().await.unwrap();
        let answer = clerk.post(&format!("{BMCS}/{}/check", bmc["id"]), json!({})).await;
        assert_eq!(answer.errors(), ["address address.notPrivate"]);
    }

    async fn no_agent_is_told_a_password_for_where_nothing_may_be_connected_to(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let room = clerk.get(&format!("/api/fleet/v1/cards/{}", cards[0])).await.data()["roomId"].clone();
        let ranges = json!([{ "startSlot": 1, "endSlot": 8, "startIp": "10.1.0.1", "endIp": "10.1.0.8" }]);
        let body = json!({ "roomId": room, "address": "10.9.0.1", "username": "root", "password": "Sup3r-secret", "ranges": ranges });
        let bmc = clerk.post(BMCS, body).await.data();
        let power = json!({ "selection": { "ids": cards[..1] }, "act": { "kind": "powerOn" } });
        let ask = async || {
            let id = clerk.post("/api/operation/v1/operations", power.clone()).await.data()["id"].clone();
            let given = claim(&app.app, &session).await.unwrap();
            let tasks = clerk.get(&format!("/api/operation/v1/operations/{id}/tasks")).await.data();
            (given, tasks["list"][0]["code"].clone())
        };
        // Rows of before a rule: the room had no networks, or the address was not looked at.
        let write = async |text: String| {
            let tx = app.app.db.begin_write().await.unwrap();
            tx.execute_unprepared(&text).await.unwrap();
            tx.commit().await.unwrap();
        };
        write("UPDATE room SET management_nets = '10.8.0.0/16'".to_owned()).await;
        assert_eq!(ask().await, (Vec::new(), json!("address_refused")));
        let check = clerk.post(&format!("{BMCS}/{}/check", bmc["id"]), json!({})).await;
        assert_eq!(check.errors(), ["address address.outside"]);
        write(format!("UPDATE room SET management_nets = ''; UPDATE bmc SET address = {}", 0x7f00_0001)).await;
        assert_eq!(ask().await, (Vec::new(), json!("address_refused")));
        write(format!("UPDATE bmc SET address = {}", 0x0a09_0001)).await;
        let (given, code) = ask().await;
        assert_eq!((given.len(), code), (1, json!("")), "the rule permits it");
    }
}
