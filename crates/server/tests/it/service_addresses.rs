//! The address book of gateways and services.

use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::site::{ROOMS, site};
use tokio::net::TcpListener;

const ADDRESSES: &str = "/api/platform/v1/service-addresses";

fn gateway(name: &str, room: &Value, port: u16) -> Value {
    json!({ "name": name, "roomId": room, "kind": 1, "host": "127.0.0.1", "port": port, "weight": 10 })
}

/// A gateway at a host.
fn at(name: &str, room: &Value, host: &str) -> Value {
    json!({ "name": name, "roomId": room, "kind": 1, "host": host, "port": 8443, "weight": 10 })
}

async fn made(clerk: &Caller<'_>, body: Value) -> String {
    let made = clerk.post(ADDRESSES, body).await.data();
    assert_eq!((&made["enabled"], &made["reached"], &made["checkedAt"]), (&json!(true), &json!(1), &Value::Null));
    format!("{ADDRESSES}/{}", made["id"])
}

/// The names of a list.
async fn names(clerk: &Caller<'_>, question: &str) -> Vec<String> {
    let list = clerk.get(&format!("{ADDRESSES}?sort=name&order=asc&{question}")).await.data()["list"].clone();
    list.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

db_test! {
    async fn an_address_is_entered_tried_changed_and_given_up(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let room = json!(site(&clerk, 1).await.room);
        let heard = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = heard.local_addr().unwrap().port();
        let open = made(&clerk, gateway("a", &room, port)).await;
        let all = made(&clerk, gateway("b", &Value::Null, 8443)).await;
        assert_eq!(clerk.get(&open).await.data()["room"]["name"], "机房 1");
        assert_eq!(names(&clerk, &format!("roomId={room}")).await, ["a"]);

        let checked = clerk.post(&format!("{open}/check"), json!({})).await.data();
        assert_eq!((&checked["reached"], checked["checkedAt"].is_string()), (&json!(2), true), "{checked}");
        assert_eq!(names(&clerk, "reached=2").await, ["a"]);
        // Its name says nothing of where it is; its port does.
        let renamed = clerk.put(&open, gateway("c", &room, port)).await.data();
        assert_eq!((&renamed["reached"], &renamed["checkedAt"]), (&json!(2), &checked["checkedAt"]));
        let moved = clerk.put(&open, gateway("c", &room, 1)).await.data();
        assert_eq!((&moved["reached"], &moved["checkedAt"]), (&json!(1), &Value::Null));
        clerk.put(&open, gateway("c", &room, port)).await.data();
        drop(heard);
        assert_eq!(clerk.post(&format!("{open}/check"), json!({})).await.data()["reached"], 3, "nobody answers there");

        assert_eq!(clerk.post(&format!("{all}/enabled"), json!({ "enabled": false })).await.data()["enabled"], false);
        assert_eq!(names(&clerk, "enabled=false").await, ["b"]);
        let nowhere = clerk.post(ADDRESSES, gateway("d", &json!(987_654), 1)).await;
        assert_eq!((nowhere.brief(), nowhere.errors()), ((400, 4000), vec!["roomId reference.unknown".to_owned()]));
        let wrong = json!({ "name": " ", "kind": 1, "host": "", "port": 0, "weight": 101 });
        let wrong = clerk.post(ADDRESSES, wrong).await;
        assert_eq!((wrong.brief(), wrong.errors().len()), ((400, 4000), 4), "{:?}", wrong.errors());
        clerk.delete(&all, json!({})).await.data();
        assert_eq!(clerk.get(&all).await.brief(), (404, 4004));
    }

    async fn nobody_is_sent_where_the_console_connects_to_nothing_else(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = app.admin().await;
        // What is refused everywhere is so in the networks of a room as well.
        let nets = ["10.9.0.0/16", "127.0.0.0/8"];
        let room = clerk.post(ROOMS, json!({ "name": "机房", "city": "杭州", "managementNets": nets })).await.data()["id"].clone();
        let everywhere = Value::Null;
        let good = made(&clerk, at("good", &room, "10.9.1.2")).await;
        for (host, room) in [("gw.example.com", &everywhere), ("203.0.113.7", &room), ("2001:db8::7", &everywhere)] {
            made(&clerk, at(host, room, host)).await;
        }
        for (host, room, why) in [
            ("127.0.0.1", &everywhere, "address.refused"),
            ("127.0.0.1", &room, "address.refused"),
            ("::1", &everywhere, "address.refused"),
            ("::ffff:127.0.0.1", &room, "address.refused"),
            ("localhost", &everywhere, "address.refused"),
            ("gw.localhost", &room, "address.refused"),
            ("169.254.169.254", &everywhere, "address.refused"),
            ("224.0.0.1", &room, "address.refused"),
            ("0.0.0.0", &everywhere, "address.refused"),
            ("10.9.1.2", &everywhere, "address.private"),
            ("10.8.1.2", &room, "address.private"),
            ("192.168.1.9", &everywhere, "address.private"),
            ("fd00::7", &room, "address.private"),
            ("http://gw.example.com", &everywhere, "host.format"),
            ("gw.example.com/x", &room, "host.format"),
            ("gw example.com", &everywhere, "host.format"),
            ("2130706433", &room, "host.format"),
        ] {
            let told = vec![format!("host {why}")];
            let refused = clerk.post(ADDRESSES, at("new", room, host)).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), told.clone()), "{host}");
            let refused = clerk.put(&good, at("good", room, host)).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), told), "{host}");
        }
        // In the networks of one room, it is in no other's.
        assert_eq!(clerk.put(&good, at("good", &everywhere, "10.9.1.2")).await.errors(), ["host address.private"]);
        assert_eq!(names(&clerk, "pageSize=9").await, ["2001:db8::7", "203.0.113.7", "good", "gw.example.com"]);
    }

    async fn what_was_entered_before_the_rule_is_not_connected_to_and_told_so(db) {
        let app = TestApp::with(db, |config| config.allow_outbound.clear()).await;
        let clerk = app.admin().await;
        let heard = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = heard.local_addr().unwrap().port();
        let there = made(&clerk, at("a", &Value::Null, "gw.example.com")).await;
        for host in ["127.0.0.1", "localhost", "10.255.255.1"] {
            let tx = app.app.db.begin_write().await.unwrap();
            tx.execute_unprepared(&format!("UPDATE service_address SET host = '{host}', port = {port}")).await.unwrap();
            tx.commit().await.unwrap();
            assert_eq!(clerk.post(&format!("{there}/check"), json!({})).await.data()["reached"], 4, "{host}");
        }
        assert_eq!(names(&clerk, "reached=4").await, ["a"]);
    }

    async fn a_room_with_addresses_stays(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let room = clerk.post(ROOMS, json!({ "name": "机房", "city": "杭州" })).await.data()["id"].clone();
        let there = made(&clerk, gateway("a", &room, 1)).await;
        let refused = clerk.delete(&format!("{ROOMS}/{room}"), json!({})).await;
        assert_eq!(refused.brief(), (409, 4009), "{}", refused.json());
        clerk.delete(&there, json!({})).await.data();
        clerk.delete(&format!("{ROOMS}/{room}"), json!({})).await.data();
    }

    async fn the_demos_customers_have_one_gateway_for_every_room(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        for _ in 0..2 {
            platform::make_demo_gateway(&app.app).await.unwrap();
        }
        let list = clerk.get(ADDRESSES).await.data();
        let row = &list["list"][0];
        assert_eq!((&list["total"], &row["kind"], &row["room"]), (&json!(1), &json!(1), &Value::Null), "{list}");
    }
}
