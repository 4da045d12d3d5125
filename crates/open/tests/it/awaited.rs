//! Applications are told when a phone is there for which somebody waits, and when it does not come; and the receiver of the page
//! understands what they are told.

use std::process::Stdio;
use std::time::Duration;

use http::Method;
use open::deliver;
use phones::connect::round;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdout, Command};

use super::client::blocks;
use super::connect::{Scene, connect, path as connecting, poll, scene};
use super::hooks::{ALL, hook, path, secret};
use super::receiver::Receiver;
use super::{Key, act, application, clerk, form};

/// Has an application told of everything.
async fn hears(clerk: &Caller<'_>, key: &Key) -> Receiver {
    let receiver = Receiver::start().await;
    hook(clerk, key.app, &receiver.url, &ALL).await;
    receiver
}

async fn all_told(app: &TestApp) {
    while deliver(&app.app).await.unwrap() > 0 {}
}

/// The receiver of the page, where it listens, and what it prints.
async fn page_receiver(key: &str, secret: &str) -> (Child, String, Lines<BufReader<ChildStdout>>) {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/examples/open_receiver.py");
    let mut receiver = Command::new("python3")
        .args([program, "0"])
        .env("SKY_HOOK_KEY", key)
        .env("SKY_HOOK_SECRET", secret)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut says = BufReader::new(receiver.stderr.take().unwrap()).lines();
    let url = says.next_line().await.unwrap().unwrap();
    let told = BufReader::new(receiver.stdout.take().unwrap()).lines();
    (receiver, url, told)
}

db_test! {
    async fn whoever_waits_is_told_that_the_phone_is_there_and_others_only_that_it_is_on(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, .. } = scene(&app, &clerk, 1).await;
        let other = application(&clerk, form("运营", 1)).await;
        let (asker, looker) = (hears(&clerk, &key).await, hears(&clerk, &other).await);
        connect(&app, &key, phone).await.data();
        all_told(&app).await;
        assert!(asker.heard().is_empty(), "it waits");
        hand.is_put_on(&app).await;
        all_told(&app).await;
        let of = |kind: &str| (kind.to_owned(), phone.to_string());
        assert_eq!(asker.told(), [of("phone.on"), of("connect.ready")]);
        assert_eq!(looker.told(), [of("phone.on")]);
        let ready = asker.heard()[1].event();
        assert_eq!((&ready["data"]["useType"], &ready["data"]["code"]), (&json!(1), &Value::Null), "{ready}");
    }

    async fn whoever_waits_in_vain_is_told_why(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { phone, key, .. } = scene(&app, &clerk, 0).await;
        let later = application(&clerk, form("小程序", 1)).await;
        let (first, second) = (hears(&clerk, &key).await, hears(&clerk, &later).await);
        connect(&app, &key, phone).await.data();
        connect(&app, &later, phone).await.data();
        all_told(&app).await;
        assert_eq!(first.types(), ["connect.failed"]);
        assert_eq!(first.heard()[0].event()["data"]["code"], "taken_over");
        assert!(second.heard().is_empty());

        // It asks again and again, and waits for as long as it may: half an hour.
        for _ in 0..62 {
            app.app.clock.advance_seconds(29);
            poll(&app, &later, phone).await;
            round(&app.app).await.unwrap();
        }
        app.app.clock.advance_seconds(15);
        poll(&app, &later, phone).await;
        round(&app.app).await.unwrap();
        all_told(&app).await;
        assert_eq!(second.types(), ["connect.failed"]);
        assert_eq!(second.heard()[0].event()["data"]["code"], "queue_timeout");
        // Who leaves by himself is told nothing.
        connect(&app, &later, phone).await.data();
        act(&app, &later, Method::DELETE, &connecting(phone), Value::Null).await.data();
        all_told(&app).await;
        assert_eq!((first.heard().len(), second.heard().len()), (1, 1));
    }

    async fn the_receiver_of_the_page_takes_what_is_genuine_once_and_nothing_else(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let made = secret(&clerk, key.app).await;
        let (_receiver, url, mut told) = page_receiver(&made.code, &made.secret).await;
        let to = json!({ "url": format!("{url}sky?team=7&at=%20x"), "events": ALL, "enabled": true });
        clerk.put(&path(key.app), to).await.data();
        clerk.post(&format!("{}/test", path(key.app)), json!({})).await.data();
        all_told(&app).await;
        let event: Value = serde_json::from_str(&told.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!((&event["type"], &event["data"]), (&json!("test"), &json!({})));
        let last = async || {
            let page = clerk.get("/api/platform/v1/open-deliveries").await.data();
            let row = &page["list"][0];
            (row["state"].as_i64().unwrap(), row["status"].as_i64().unwrap())
        };
        assert_eq!(last().await, (2, 204));
        // Sent again it is taken, and told of no more.
        let all = json!({ "selection": { "filter": {} } });
        clerk.post("/api/platform/v1/open-deliveries/replay", all).await.data();
        all_told(&app).await;
        assert_eq!(last().await, (2, 204));
        // A secret that it does not know opens nothing.
        clerk.post(&format!("{}/secret", path(key.app)), json!({})).await.data();
        clerk.post(&format!("{}/test", path(key.app)), json!({})).await.data();
        all_told(&app).await;
        assert_eq!(last().await, (3, 401));
        // The command of the page reaches it as well.
        let sent = Command::new("bash")
            .args(["-c", blocks("sh")[2]])
            .env("SKY_HOOK_KEY", &made.code)
            .env("SKY_HOOK_SECRET", &made.secret)
            .env("SKY_HOOK_URL", url.trim_end_matches('/'))
            .output()
            .await
            .unwrap();
        assert!(sent.status.success(), "{sent:?}");
        let event: Value = serde_json::from_str(&told.next_line().await.unwrap().unwrap()).unwrap();
        assert_eq!(event["id"], "0".repeat(32));
        let more = tokio::time::timeout(Duration::from_millis(300), told.next_line()).await;
        assert!(more.is_err(), "{more:?}");
    }
}
