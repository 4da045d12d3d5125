//! Tickets: each opens one phone, once, at a gateway of its room. Whatever is wrong with one is answered alike.

use http::Method;
use kernel::time::UtcTime;
use serde_json::{Value, json};
use testapp::{Answer, TestApp};
use testkit::db_test;

use super::connect::{ADDRESSES, REDEEM, Scene, connect, gateway, leave, poll, scene};
use super::streams::orders;
use super::{APPS, Act, Key, act, application, clerk, form, is, nonce, room, run};

/// A moment that an answer tells.
fn moment(answer: &Value, field: &str) -> UtcTime {
    UtcTime::parse_rfc3339(answer[field].as_str().unwrap()).unwrap()
}

async fn redeem(app: &TestApp, door: &Key, ticket: &Value, gateway: &str) -> Answer {
    act(app, door, Method::POST, REDEEM, json!({ "ticket": ticket, "gateway": gateway })).await
}

db_test! {
    async fn a_ticket_is_good_once_for_a_minute_at_a_gateway_of_the_room(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, door } = scene(&app, &clerk, 1).await;
        let elsewhere = room(&clerk).await;
        gateway(&clerk, "gw-2", json!(elsewhere)).await;
        connect(&app, &key, phone).await.data();
        hand.is_put_on(&app).await;
        let drawn = async || poll(&app, &key, phone).await["ticket"].clone();
        let mut refused = Vec::new();

        let first = drawn().await;
        refused.push(redeem(&app, &door, &json!("x".repeat(43)), "gw-1").await);
        refused.push(redeem(&app, &door, &first, "gw-2").await);
        refused.push(redeem(&app, &door, &first, "gw-3").await);
        // None of that has used it up; the next one that is drawn does.
        let second = drawn().await;
        refused.push(redeem(&app, &door, &first, "gw-1").await);
        let sent = Act::new(Method::POST, REDEEM, json!({ "ticket": second, "gateway": "gw-1" }), "redeem-1");
        let opened = sent.by(&app, &door).await;
        assert_eq!(opened.data()["phoneId"], json!(phone.to_string()));
        let again = Act { nonce: nonce(), ..sent.clone() }.by(&app, &door).await;
        assert_eq!(opened.bytes, again.bytes, "whoever has not heard the answer asks again with the same key");
        refused.push(redeem(&app, &door, &second, "gw-1").await);

        let late = drawn().await;
        app.app.clock.advance_seconds(60);
        refused.push(redeem(&app, &door, &late, "gw-1").await);
        let in_time = drawn().await;
        app.app.clock.advance_seconds(30);
        let id = clerk.get(&format!("{ADDRESSES}?keyWord=gw-1")).await.data()["list"][0]["id"].to_string();
        assert_eq!(redeem(&app, &door, &in_time, &id).await.status(), 0, "a gateway may be named by its id");

        let left = drawn().await;
        leave(&app, &key, phone).await;
        refused.push(redeem(&app, &door, &left, "gw-1").await);
        for (at, answer) in refused.iter().enumerate() {
            assert!(is(answer, 404, "ticket_unknown"), "{at}: {}", answer.json());
            assert_eq!(answer.bytes, refused[0].bytes, "{at}: one answer for all");
        }
    }

    async fn a_gateway_is_told_the_port_of_the_card_and_until_when_it_may_be_used(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, door } = scene(&app, &clerk, 1).await;
        let half_an_hour = "INSERT INTO rule_value (scope, id, field, value, at, by_name) VALUES (1, 0, 3, 30, 0, '')";
        run(&app, half_an_hour).await;
        connect(&app, &key, phone).await.data();
        hand.is_put_on(&app).await;
        let drawn = async || poll(&app, &key, phone).await["ticket"].clone();
        // Cards of one box may differ in their ports alone.
        run(&app, &format!("UPDATE card SET adb_port = 5601 WHERE id = {}", hand.cards[0])).await;
        let began = app.app.clock.now();
        let opened = redeem(&app, &door, &drawn().await, "gw-1").await.data();
        let took = app.app.clock.now().seconds_since(began) + 1;
        assert_eq!((&opened["cardAddress"], &opened["cardPort"]), (&json!("10.1.0.1"), &json!(5601)), "{opened}");
        let until = moment(&opened, "until");
        assert_eq!(opened["untilCode"], "longest_session", "{opened}");
        assert!((1800..=1800 + took).contains(&until.seconds_since(began)), "{opened}");
        assert_eq!(until.seconds_since(moment(&opened, "warnAt")), 300, "{opened}");

        let expires = began.plus_seconds(900);
        run(&app, &format!("UPDATE phone SET expires_at = {} WHERE id = {phone}", expires.millis())).await;
        let opened = redeem(&app, &door, &drawn().await, "gw-1").await.data();
        assert_eq!((moment(&opened, "until"), &opened["untilCode"]), (expires, &json!("phone_expired")), "{opened}");

        // The rules became stricter a moment ago: whoever is let in still is warned for five minutes.
        let ticket = drawn().await;
        run(&app, "UPDATE rule_value SET value = 1 WHERE field = 3").await;
        let asked = app.app.clock.now();
        let opened = redeem(&app, &door, &ticket, "gw-1").await.data();
        assert_eq!(opened["untilCode"], "longest_session", "{opened}");
        let (until, warn_at) = (moment(&opened, "until"), moment(&opened, "warnAt"));
        assert_eq!(until.seconds_since(warn_at), 300, "{opened}");
        assert!((asked..=app.app.clock.now()).contains(&warn_at), "at once: {opened}");
        let stream = opened["streamId"].as_str().unwrap();
        assert_eq!(orders(&app, &door, &[stream]).await, [format!("{stream} warn -")]);
    }

    async fn whoever_was_shut_out_meanwhile_is_not_let_in(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, door } = scene(&app, &clerk, 1).await;
        connect(&app, &key, phone).await.data();
        hand.is_put_on(&app).await;
        let ticket = poll(&app, &key, phone).await["ticket"].clone();
        let user = clerk.get(&format!("/api/phone/v1/phones/{phone}")).await.data()["user"]["id"].clone();
        let status = async |status: i64| {
            let body = json!({ "selection": { "ids": [user] }, "status": status, "reason": "风控" });
            clerk.post("/api/user/v1/client-users/status", body).await.data()
        };
        let enabled = async |on: bool| {
            clerk.post(&format!("{APPS}/{}/enabled", key.app), json!({ "enabled": on })).await.data();
        };
        status(2).await;
        assert!(is(&redeem(&app, &door, &ticket, "gw-1").await, 404, "ticket_unknown"), "the customer");
        status(1).await;
        enabled(false).await;
        assert!(is(&redeem(&app, &door, &ticket, "gw-1").await, 404, "ticket_unknown"), "the application");
        enabled(true).await;
        let gateways = clerk.get(&format!("{ADDRESSES}?keyWord=gw-1")).await.data()["list"].clone();
        let there = format!("{ADDRESSES}/{}/enabled", gateways[0]["id"]);
        clerk.post(&there, json!({ "enabled": false })).await.data();
        assert!(is(&redeem(&app, &door, &ticket, "gw-1").await, 404, "ticket_unknown"), "the gateway");
        clerk.post(&there, json!({ "enabled": true })).await.data();
        assert_eq!(redeem(&app, &door, &ticket, "gw-1").await.status(), 0, "none of them has used it up");
    }

    async fn only_a_gateway_redeems_and_a_partners_only_for_its_own(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, .. } = scene(&app, &clerk, 1).await;
        connect(&app, &key, phone).await.data();
        hand.is_put_on(&app).await;
        let ticket = poll(&app, &key, phone).await["ticket"].clone();
        assert!(is(&redeem(&app, &key, &ticket, "gw-1").await, 403, "scope_missing"));
        let mut partner = form("伙伴", 3);
        partner["scopes"] = json!(["gateway", "phone"]);
        let partner = application(&clerk, partner).await;
        assert!(is(&redeem(&app, &partner, &ticket, "gw-1").await, 404, "ticket_unknown"));
        assert!(is(&connect(&app, &partner, phone).await, 404, "not_found"), "it is somebody else's");
        let wrong = redeem(&app, &partner, &json!(""), "").await;
        assert_eq!((wrong.brief(), wrong.errors().len()), ((400, 4000), 2), "{:?}", wrong.errors());
    }
}
