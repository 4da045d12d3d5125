//! Streams: a gateway says which it has, and is told what to do with them; nothing is written by that.

use entity::{connect as connect_row, operation_log, phone, phone_session};
use http::Method;
use kernel::time::UtcTime;
use open::flush;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;
use testroom::phone::PHONES;

use super::connect::{REDEEM, Scene, connect, leave, poll, scene};
use super::{Act, Key, act, application, clerk, form, is, run, text_of};

pub const BEATS: &str = "/open/v1/streams/heartbeats";
const ENDED: &str = "/open/v1/streams/ended";
const SESSIONS: &str = "/api/phone/v1/sessions";

/// A scene in which a phone is on its card, and the stream that somebody has of it.
pub async fn playing(app: &TestApp, clerk: &Caller<'_>) -> (Scene, String) {
    playing_on(app, clerk, 1).await
}

/// The same with so many cards for phones.
pub async fn playing_on(app: &TestApp, clerk: &Caller<'_>, cards: usize) -> (Scene, String) {
    let mut scene = scene(app, clerk, cards).await;
    connect(app, &scene.key, scene.phone).await.data();
    app.app.clock.advance_seconds(20);
    Box::pin(scene.hand.is_put_on(app)).await;
    let stream = opens(app, &scene.key, &scene.door, scene.phone).await;
    (scene, stream)
}

/// The stream that begins with the ticket of an application.
async fn opens(app: &TestApp, key: &Key, door: &Key, phone: i64) -> String {
    let ticket = poll(app, key, phone).await["ticket"].clone();
    let opened = act(app, door, Method::POST, REDEEM, json!({ "ticket": ticket, "gateway": "gw-1" })).await.data();
    opened["streamId"].as_str().unwrap().to_owned()
}

/// A heartbeat, as the page has it: without an `Idempotency-Key`.
async fn beats(app: &TestApp, door: &Key, streams: Value) -> Answer {
    Act::new(Method::POST, BEATS, json!({ "streams": streams }), "").by(app, door).await
}

/// What a gateway is told that has these streams: `stream order code`.
pub async fn orders(app: &TestApp, door: &Key, streams: &[&str]) -> Vec<String> {
    let told = beats(app, door, json!(streams)).await.data();
    assert_eq!(told["nextSeconds"], 10, "{told}");
    let text = |order: &Value, field: &str| order[field].as_str().unwrap_or("-").to_owned();
    let said = |order: &Value| ["streamId", "order", "code"].map(|field| text(order, field)).join(" ");
    told["orders"].as_array().unwrap().iter().map(said).collect()
}

/// How many streams end by what a gateway tells.
async fn ends(app: &TestApp, door: &Key, streams: Value) -> Value {
    act(app, door, Method::POST, ENDED, json!({ "streams": streams })).await.data()["ended"].clone()
}

/// The stays, newest first.
async fn sessions(clerk: &Caller<'_>) -> Vec<Value> {
    clerk.get(SESSIONS).await.data()["list"].as_array().unwrap().clone()
}

/// The only stay.
async fn session(clerk: &Caller<'_>) -> Value {
    let all = sessions(clerk).await;
    assert_eq!(all.len(), 1, "{all:?}");
    all[0].clone()
}

/// What the operation log tells of an object, newest first: `what it is called, by whom` of what gateways and applications do.
async fn history(clerk: &Caller<'_>, kind: &str, id: i64) -> Vec<String> {
    let asked = json!({ "objectKind": kind, "objectId": id.to_string() });
    let lines = clerk.clone().lang("en").post("/api/user/v1/operation/log/list", asked).await.data()["list"].clone();
    let text = |line: &Value, field: &str| line[field].as_str().unwrap_or("-").to_owned();
    let told = |line: &Value| ["actionName", "operatorName"].map(|field| text(line, field)).join(", ");
    lines.as_array().unwrap().iter().map(told).filter(|line| line.contains("Open API · ")).collect()
}

fn seconds(row: &Value, field: &str) -> i64 {
    row[field].as_i64().unwrap_or_else(|| panic!("{field}: {row}"))
}

/// How many rows each table has that a heartbeat could write, and what stands in those of the stream.
async fn written(app: &TestApp) -> Vec<String> {
    let mut all = Vec::new();
    for table in
        ["open_act", "open_nonce", "open_call", "operation_log", "connect", "phone_session", "saga", "saga_step"]
    {
        all.push(text_of(app, &format!("SELECT CAST(COUNT(*) AS TEXT) FROM {table}")).await);
    }
    let db = app.app.db.read();
    all.push(format!("{:?}", connect_row::Entity::find().all(db).await.unwrap()));
    all.push(format!("{:?}", phone_session::Entity::find().all(db).await.unwrap()));
    all.push(format!("{:?}", phone::Entity::find().all(db).await.unwrap()));
    all
}

db_test! {
    async fn a_ticket_begins_a_use_which_ends_when_the_gateway_says_so(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        let row = session(&clerk).await;
        assert_eq!((&row["phone"]["id"], &row["app"]["name"]), (&json!(scene.phone), &json!("后台")), "{row}");
        assert_eq!((&row["gateway"], &row["streams"], &row["streamedS"]), (&json!("gw-1"), &json!(1), &json!(0)));
        assert_eq!((&row["endedAt"], &row["why"], &row["onS"]), (&Value::Null, &Value::Null, &Value::Null), "it is there");
        assert!(row["streamAt"] == row["firstStreamAt"] && (0..100).contains(&seconds(&row, "silentS")), "{row}");
        assert!((20..300).contains(&seconds(&row, "waitS")), "from asking to being there: {row}");
        assert!(orders(&app, &scene.door, &[&stream]).await.is_empty());

        app.app.clock.advance_seconds(100);
        let used = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data()["lastUsedAt"].clone();
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream }])).await, 1);
        let row = session(&clerk).await;
        assert_eq!((&row["streamAt"], &row["endedAt"], &row["silentS"]), (&Value::Null, &Value::Null, &Value::Null), "{row}");
        assert!((100..300).contains(&seconds(&row, "streamedS")), "{row}");
        let page = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data();
        assert_eq!((&page["connect"], &page["lastUsedAt"]), (&Value::Null, &row["lastStreamAt"]));
        assert_ne!(page["lastUsedAt"], used);
        assert_eq!(poll(&app, &scene.key, scene.phone).await, Value::Null, "nobody connects any more");
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream }])).await, 0, "it has ended");
        assert_eq!(seconds(&session(&clerk).await, "streamedS"), seconds(&row, "streamedS"));
        assert_eq!(orders(&app, &scene.door, &[&stream]).await, [format!("{stream} end left")]);
    }

    async fn heartbeats_write_nothing_and_those_that_are_refused_are_in_the_log(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        flush(&app.app).await.unwrap();
        let before = written(&app).await;
        for _ in 0..3 {
            assert!(orders(&app, &scene.door, &[&stream]).await.is_empty());
            assert_eq!(orders(&app, &scene.door, &["999999.1"]).await, ["999999.1 end stream_unknown"]);
            app.app.clock.advance_seconds(10);
        }
        flush(&app.app).await.unwrap();
        assert_eq!(written(&app).await, before);

        let many = vec![stream.as_str(); 501];
        for (streams, error) in [
            (json!(many), "streams list.tooMany"),
            (json!(["x"]), "streams[0] type.wrong"),
            (json!([stream, "7.0"]), "streams[1] type.wrong"),
        ] {
            let refused = beats(&app, &scene.door, streams).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec![error.to_owned()]));
        }
        let ended = json!({ "streams": [{ "streamId": stream }, { "streamId": "7" }] });
        let refused = act(&app, &scene.door, Method::POST, ENDED, ended).await;
        assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["streams[1].streamId type.wrong".to_owned()]));
        let whole = vec![stream.as_str(); 500];
        assert_eq!(beats(&app, &scene.door, json!(whole)).await.status(), 0, "500 are taken");
        assert!(is(&beats(&app, &scene.key, json!([stream])).await, 403, "scope_missing"));
        flush(&app.app).await.unwrap();
        let logged = clerk.get("/api/platform/v1/open-calls?keyWord=heartbeats").await.data();
        assert_eq!(logged["total"], 4, "{logged}");
    }

    async fn a_restart_of_the_console_throws_nobody_out(db) {
        let app = TestApp::new(db).await;
        let (scene, stream) = {
            let clerk = clerk(&app).await;
            Box::pin(playing(&app, &clerk)).await
        };
        let app = app.restarted().await;
        let open = "SELECT CAST(COUNT(*) AS TEXT) FROM phone_session s JOIN connect c ON c.phone_id = s.phone_id \
                    WHERE s.stream_at IS NOT NULL AND c.stream_at IS NOT NULL AND c.state = 3";
        assert_eq!(text_of(&app, open).await, "1", "the stream is open still");
        assert!(orders(&app, &scene.door, &[&stream]).await.is_empty());
        app.app.clock.advance_seconds(3600);
        phones::connect::round(&app.app).await.unwrap();
        assert!(orders(&app, &scene.door, &[&stream]).await.is_empty(), "nor does an hour of silence");
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream }])).await, 1);

        // As after a restore, which brings back who used a phone, and not who connects: nobody can say when it ended.
        connect(&app, &scene.key, scene.phone).await.data();
        opens(&app, &scene.key, &scene.door, scene.phone).await;
        run(&app, "DELETE FROM connect").await;
        let app = app.restarted().await;
        let left = "SELECT CAST(COUNT(*) AS TEXT) FROM phone_session WHERE stream_at IS NOT NULL";
        assert_eq!(text_of(&app, left).await, "0");
        let counted = "SELECT CAST(SUM(n) AS TEXT) FROM kept_count WHERE list = 21 AND block = -1 AND cell % 2 = 1";
        assert_eq!(text_of(&app, counted).await, "0");
    }

    async fn who_leaves_ends_the_stream_at_the_next_heartbeat(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        app.app.clock.advance_seconds(40);
        leave(&app, &scene.key, scene.phone).await;
        let row = session(&clerk).await;
        assert_eq!((&row["streamAt"], &row["streams"]), (&Value::Null, &json!(1)), "{row}");
        assert!((40..300).contains(&seconds(&row, "streamedS")), "{row}");
        let page = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data();
        assert_eq!((&page["lastUsedAt"], &page["useType"]), (&row["lastStreamAt"], &json!(1)));
        let told = beats(&app, &scene.door, json!([stream])).await.data()["orders"].clone();
        let words = json!([{ "streamId": stream, "order": "end", "endsAt": null, "code": "left", "msg": "用户已离开" }]);
        assert_eq!(told, words);
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream }])).await, 0);
    }

    async fn who_takes_over_ends_the_stream_of_before_and_not_the_other_way_round(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, old) = Box::pin(playing(&app, &clerk)).await;
        let later = application(&clerk, form("小程序", 1)).await;
        app.app.clock.advance_seconds(30);
        connect(&app, &later, scene.phone).await.data();
        assert_eq!(session(&clerk).await["streamAt"], Value::Null, "nobody uses it until the ticket is redeemed");
        assert_eq!(orders(&app, &scene.door, &[&old]).await, [format!("{old} end taken_over")]);
        let new = opens(&app, &later, &scene.door, scene.phone).await;
        assert_eq!(orders(&app, &scene.door, &[&new, &old]).await, [format!("{old} end taken_over")]);
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": old }])).await, 0, "late, and of no stream that is open");
        let row = session(&clerk).await;
        assert_eq!((&row["app"]["name"], &row["streams"], row["streamAt"].is_string()), (&json!("小程序"), &json!(2), true));
        assert!(orders(&app, &scene.door, &[&new]).await.is_empty());
        // One of before, in the same call, takes nothing away from it.
        let stale = format!("{}.{}", new.split('.').next().unwrap(), 7);
        let both = json!([{ "streamId": new }, { "streamId": stale }]);
        assert_eq!(ends(&app, &scene.door, both).await, 1);
    }

    async fn tickets_that_are_redeemed_and_who_takes_over_are_in_the_operation_log(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, first) = Box::pin(playing(&app, &clerk)).await;
        let redeemed = "A gateway redeems a ticket, Open API · 网关";
        let on = "A phone is on its card, Open API · 后台";
        assert_eq!(history(&clerk, "phone", scene.phone).await, [redeemed, on], "connecting alone leaves no line");
        connect(&app, &scene.key, scene.phone).await.data();
        let second = opens(&app, &scene.key, &scene.door, scene.phone).await;
        let over = "A gateway redeems a ticket, which ends the stream before, Open API · 网关";
        assert_eq!(history(&clerk, "phone", scene.phone).await, [over, redeemed, on]);
        let line = operation_log::Entity::find().order_by_desc(operation_log::Column::Id).one(app.app.db.read());
        let line = line.await.unwrap().unwrap();
        let told = |text: Option<String>| serde_json::from_str::<Value>(&text.unwrap()).unwrap();
        assert_eq!(told(line.before), json!({ "streamId": first, "gateway": "gw-1", "takesOver": false }));
        assert_eq!(told(line.after), json!({ "streamId": second, "gateway": "gw-1", "takesOver": true }));

        assert!(orders(&app, &scene.door, &[&second]).await.is_empty());
        let later = application(&clerk, form("小程序", 1)).await;
        connect(&app, &later, scene.phone).await.data();
        let taken = "An application takes over a phone from another one, Open API · 小程序";
        assert_eq!(history(&clerk, "phone", scene.phone).await, [taken, over, redeemed, on], "heartbeats leave none");
        for key in [&scene.key, &later] {
            assert_eq!(history(&clerk, "openApp", key.app).await, [taken], "both hear of it");
        }
        assert_eq!(history(&clerk, "openApp", scene.door.app).await, [over, redeemed]);
    }

    async fn who_connects_anew_goes_on_until_another_ticket_is_redeemed(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, first) = Box::pin(playing(&app, &clerk)).await;
        let state = async || {
            let page = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data();
            page["connect"]["state"].clone()
        };
        assert_eq!(connect(&app, &scene.key, scene.phone).await.data()["state"], "ready");
        assert_eq!((state().await, orders(&app, &scene.door, &[&first]).await), (json!(2), Vec::new()));
        // The ticket is good for a minute, and the place is kept for five.
        app.app.clock.advance_seconds(60 + 60 + 300 + 10);
        phones::connect::round(&app.app).await.unwrap();
        assert_eq!((state().await, orders(&app, &scene.door, &[&first]).await), (json!(3), Vec::new()), "it is there still");
        assert!(session(&clerk).await["streamAt"].is_string());

        connect(&app, &scene.key, scene.phone).await.data();
        let second = opens(&app, &scene.key, &scene.door, scene.phone).await;
        assert_ne!(first, second);
        assert_eq!(orders(&app, &scene.door, &[&first, &second]).await, [format!("{first} end taken_over")]);
        let row = session(&clerk).await;
        assert!(seconds(&row, "streamedS") >= 430 && row["streams"] == 2, "{row}");

        // A stream that ends while its application connects anew leaves that alone.
        connect(&app, &scene.key, scene.phone).await.data();
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": second }])).await, 1);
        assert_eq!((state().await, &session(&clerk).await["streamAt"]), (json!(2), &Value::Null));
        let third = opens(&app, &scene.key, &scene.door, scene.phone).await;
        assert!(orders(&app, &scene.door, &[&third]).await.is_empty());
        // So does one that has only drawn another ticket by then.
        let ticket = poll(&app, &scene.key, scene.phone).await["ticket"].clone();
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": third }])).await, 1);
        let redeem = json!({ "ticket": ticket, "gateway": "gw-1" });
        assert_eq!(act(&app, &scene.door, Method::POST, REDEEM, redeem).await.status(), 0);
    }

    async fn what_a_gateway_may_not_see_it_does_not_end(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        let mut partner = form("伙伴", 3);
        partner["scopes"] = json!(["gateway"]);
        let partner = application(&clerk, partner).await;
        assert_eq!(orders(&app, &partner, &[&stream]).await, [format!("{stream} end stream_unknown")]);
        assert_eq!(ends(&app, &partner, json!([{ "streamId": stream }])).await, 0);
        assert!(orders(&app, &scene.door, &[&stream]).await.is_empty());
        assert!(session(&clerk).await["streamAt"].is_string());
    }

    async fn a_gateways_clock_is_not_ours(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        app.app.clock.advance_seconds(50);
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream, "at": "2001-01-01T00:00:00Z" }])).await, 1);
        let row = session(&clerk).await;
        assert_eq!((&row["streamedS"], &row["lastStreamAt"]), (&json!(0), &row["firstStreamAt"]), "before it began: {row}");

        connect(&app, &scene.key, scene.phone).await.data();
        let stream = opens(&app, &scene.key, &scene.door, scene.phone).await;
        app.app.clock.advance_seconds(50);
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream, "at": "2099-01-01T00:00:00Z" }])).await, 1);
        let row = session(&clerk).await;
        assert!((50..300).contains(&seconds(&row, "streamedS")), "in the future: {row}");
        let last = UtcTime::parse_rfc3339(row["lastStreamAt"].as_str().unwrap()).unwrap();
        assert!(last <= app.app.clock.now(), "{row}");
    }

    async fn whose_account_is_disabled_or_closed_is_ended_at_the_next_heartbeat(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        let user = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data()["user"]["id"].clone();
        let status = async |status: i64| {
            let body = json!({ "selection": { "ids": [user] }, "status": status, "reason": "风控" });
            clerk.post("/api/user/v1/client-users/status", body).await.data()
        };
        status(2).await;
        let told = beats(&app, &scene.door, json!([stream])).await.data()["orders"].clone();
        assert_eq!((&told[0]["order"], &told[0]["code"]), (&json!("end"), &json!("user_disabled")), "{told}");
        assert!(told[0]["msg"].as_str().unwrap().contains("禁用"), "{told}");
        let failed = poll(&app, &scene.key, scene.phone).await;
        assert_eq!((&failed["state"], &failed["code"]), (&json!("failed"), &json!("user_disabled")), "{failed}");
        status(1).await;
        assert!(orders(&app, &scene.door, &[&stream]).await.is_empty(), "a stream that its gateway has not ended yet");

        let asked = act(&app, &scene.key, Method::POST, &format!("/open/v1/users/{user}/closing"), json!({})).await.data();
        let done = format!("/api/user/v1/client-users/logout-requests/{}/complete", asked["id"].as_str().unwrap());
        clerk.post(&done, json!({})).await.data();
        assert_eq!(orders(&app, &scene.door, &[&stream]).await, [format!("{stream} end user_closed")]);
        phones::pass(&app.app).await.unwrap();
        let page = clerk.get(&format!("{PHONES}/{}", scene.phone)).await.data();
        assert_eq!((&page["life"], page["staysUntil"].is_string()), (&json!(5), true), "{page}");
        assert_eq!(orders(&app, &scene.door, &[&stream]).await, [format!("{stream} end user_closed")]);
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream }])).await, 1);
        assert!(is(&connect(&app, &scene.key, scene.phone).await, 409, "user_closed"));
    }

    async fn whoever_plays_is_warned_before_the_phone_expires_and_ends_then(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        let now = app.app.clock.now();
        let expires = async |seconds: i64| {
            let at = now.plus_seconds(seconds).millis();
            run(&app, &format!("UPDATE phone SET expires_at = {at} WHERE id = {}", scene.phone)).await;
        };
        expires(400).await;
        assert!(orders(&app, &scene.door, &[&stream]).await.is_empty(), "there is time");
        expires(299).await;
        let told = beats(&app, &scene.door, json!([stream])).await.data()["orders"].clone();
        assert_eq!((&told[0]["order"], &told[0]["code"]), (&json!("warn"), &Value::Null), "{told}");
        let at = UtcTime::parse_rfc3339(told[0]["endsAt"].as_str().unwrap()).unwrap();
        assert_eq!(at, now.plus_seconds(299));
        app.app.clock.advance_seconds(300);
        phones::pass(&app.app).await.unwrap();
        assert_eq!(orders(&app, &scene.door, &[&stream]).await, [format!("{stream} end phone_expired")]);
        assert_eq!(ends(&app, &scene.door, json!([{ "streamId": stream }])).await, 1);
        run(&app, &format!("UPDATE phone SET life = 3, frozen_reason = '欠费' WHERE id = {}", scene.phone)).await;
        assert_eq!(orders(&app, &scene.door, &[&stream]).await, [format!("{stream} end left")], "it is on its card still");
    }
}
