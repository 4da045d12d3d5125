//! What the page says is true: its client and its command line are run against a served console.

use std::path::PathBuf;
use std::process::Output;

use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::room::{Console, console};
use tokio::process::Command;

use super::connect::{REDEEM, Scene, path, scene};
use super::{Key, USERS, application, clerk, customer, form, registration, room};

/// The client of the page.
fn client() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/open_client.py")
}

async fn run(mut command: Command, served: &Console, key: &Key) -> Output {
    let url = served.url.as_str().trim_end_matches('/').to_owned();
    command
        .env("SKY_URL", url)
        .env("SKY_KEY", &key.code)
        .env("SKY_SECRET", &key.secret)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command.output().await.unwrap()
}

fn told(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// What the client prints, and whether it was served.
async fn asks(served: &Console, key: &Key, target: &str) -> (bool, Value) {
    does(served, key, &[target]).await
}

/// The same for anything that it is told to do.
async fn does(served: &Console, key: &Key, told_to: &[&str]) -> (bool, Value) {
    let mut command = Command::new("python3");
    command.arg(client()).args(told_to);
    let output = run(command, served, key).await;
    (output.status.success(), told(&output))
}

/// The receiver of the page.
fn receiver() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/examples/open_receiver.py")
}

/// The blocks of the page that are written in this language.
pub fn blocks(language: &str) -> Vec<&'static str> {
    let begins = format!("```{language}\n");
    let after = open::GUIDE.split(&begins).skip(1);
    after.map(|block| block.split("```\n").next().unwrap()).collect()
}

#[test]
fn the_page_shows_the_client_and_the_receiver_that_are_run_here() {
    assert_eq!(blocks("python"), [client(), receiver()].map(|path| std::fs::read_to_string(path).unwrap()));
    let document = serde_json::to_value(open::document()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| ["get", "post", "put", "patch", "delete"].contains(&name.as_str()))
        {
            let call = format!("`{} {path}`", method.to_uppercase());
            assert!(open::GUIDE.contains(&call), "the page does not name {call}");
        }
    }
}

db_test! {
    async fn a_client_that_is_written_from_the_page_reads_what_it_may(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let company = application(&clerk, form("后台", 1)).await;
        let agent = application(&clerk, form("代理", 2)).await;
        let room = room(&clerk).await;
        let own = customer(&app, &clerk, room, 13_800_000_001, Some(&agent)).await;
        let foreign = customer(&app, &clerk, room, 13_800_000_002, None).await;
        let served = console(&app).await;

        let (is_served, told) = asks(&served, &agent, "/open/v1/app").await;
        assert!(is_served && told["name"] == "代理", "{told}");
        let (_, told) = asks(&served, &agent, &format!("/open/v1/users?phone={}&limit=5", own.number)).await;
        assert_eq!(told["list"][0]["id"], json!(own.id.to_string()));
        let (_, told) = asks(&served, &agent, &format!("/open/v1/users/{}/phones?limit=1", own.id)).await;
        assert_eq!((told["list"].as_array().unwrap().len(), &told["next"]), (1, &json!(own.phones[0].to_string())));
        let (_, told) = asks(&served, &agent, &format!("/open/v1/phones/{}", own.phones[1])).await;
        assert_eq!(told["userId"], json!(own.id.to_string()));

        let (is_served, not_theirs) = asks(&served, &agent, &format!("/open/v1/phones/{}", foreign.phones[0])).await;
        let (_, not_there) = asks(&served, &agent, "/open/v1/phones/987654").await;
        assert!(!is_served && not_theirs == not_there && not_there["code"] == "not_found", "{not_theirs}");
        let (is_served, _) = asks(&served, &company, &format!("/open/v1/phones/{}", foreign.phones[0])).await;
        assert!(is_served);

        let wrong = Key { secret: "another".to_owned(), code: agent.code.clone(), ..agent };
        let (is_served, told) = asks(&served, &wrong, "/open/v1/app").await;
        assert!(!is_served && told["reason"] == "signature", "{told}");
        let page = app.anybody().get("/open/docs").await;
        assert_eq!(page.bytes, open::GUIDE.as_bytes());
    }

    async fn a_client_that_is_written_from_the_page_walks_a_customer_from_registration_to_closing(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let agent = application(&clerk, form("代理", 2)).await;
        let served = console(&app).await;
        let somebody = registration(13_800_000_001).to_string();

        let (is_served, made) = does(&served, &agent, &["POST", USERS, &somebody, "event-1"]).await;
        assert!(is_served && made["statusName"] == "Active", "{made}");
        let again = does(&served, &agent, &["POST", USERS, &somebody, "event-1"]).await;
        assert_eq!(again, (true, made.clone()), "sent again, it is done once");
        let other = does(&served, &agent, &["POST", USERS, &registration(13_800_000_002).to_string(), "event-1"]).await;
        assert_eq!((other.0, &other.1["code"]), (false, &json!("key_reused")));
        let (_, taken) = does(&served, &agent, &["POST", USERS, &somebody]).await;
        assert_eq!(taken["code"], "user_exists");

        let user = format!("{USERS}/{}", made["id"].as_str().unwrap());
        let sign_in = r#"{"loginMethod": 1, "clientType": 2, "deviceName": "iPhone 17", "ip": "203.0.113.8"}"#;
        let (is_served, told) = does(&served, &agent, &["POST", &format!("{user}/sign-ins"), sign_in]).await;
        assert!(is_served && told["lastLoginAt"].is_string(), "{told}");
        let (is_served, _) = does(&served, &agent, &["POST", &format!("{user}/sign-outs"), "{}"]).await;
        assert!(is_served);
        let (_, told) = does(&served, &agent, &["PATCH", &user, r#"{"name": "新名字"}"#]).await;
        assert_eq!((&told["name"], &told["phone"]), (&json!("新名字"), &json!("13800000001")));

        let closing = format!("{user}/closing");
        assert_eq!(asks(&served, &agent, &closing).await, (true, Value::Null));
        let (_, asked) = does(&served, &agent, &["POST", &closing, r#"{"reason": "用不上了"}"#]).await;
        assert_eq!((&asked["status"], &asked["statusName"], &asked["reason"]), (&json!(1), &json!("Requested"), &json!("用不上了")));
        let (_, back) = does(&served, &agent, &["DELETE", &closing]).await;
        assert_eq!((&back["id"], &back["status"]), (&asked["id"], &json!(2)));
        assert_eq!(asks(&served, &agent, &closing).await, (true, back));
        let (is_served, told) = does(&served, &agent, &["DELETE", &closing]).await;
        assert!(!is_served && told["code"] == "closing_none", "{told}");
    }

    async fn a_client_that_is_written_from_the_page_connects_waits_redeems_and_leaves(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let Scene { mut hand, phone, key, door } = scene(&app, &clerk, 1).await;
        let served = console(&app).await;
        let connect = path(phone);
        assert_eq!(asks(&served, &key, &connect).await, (true, Value::Null));
        let (is_served, told) = does(&served, &key, &["POST", &connect]).await;
        assert!(is_served && told["state"] == "queued" && told["position"] == 1, "{told}");
        let phone = phone.to_string();
        let waits = ["connect", phone.as_str()];
        let (ready, ()) = tokio::join!(does(&served, &key, &waits), hand.is_put_on(&app));
        assert!(ready.0 && ready.1["state"] == "ready" && ready.1["gateway"]["name"] == "gw-1", "{ready:?}");
        let brought = json!({ "ticket": ready.1["ticket"], "gateway": "gw-1" }).to_string();
        let (is_served, told) = does(&served, &door, &["POST", REDEEM, &brought]).await;
        assert!(is_served && told["phoneId"] == phone && told["cardAddress"] == "10.1.0.1", "{told}");
        assert_eq!((&told["cardPort"], &told["untilCode"]), (&json!(5555), &json!("longest_session")), "{told}");
        let stream = told["streamId"].as_str().unwrap().to_owned();
        assert_eq!(does(&served, &door, &["beat", &stream]).await, (true, json!([])));
        let (is_served, told) = does(&served, &door, &["POST", REDEEM, &brought]).await;
        assert!(!is_served && told["code"] == "ticket_unknown", "{told}");
        let (_, told) = does(&served, &key, &["DELETE", &connect]).await;
        assert_eq!(told["state"], "left");
        assert_eq!(asks(&served, &key, &connect).await, (true, Value::Null));
        let (_, told) = does(&served, &door, &["beat", &stream]).await;
        assert_eq!((&told[0]["order"], &told[0]["code"]), (&json!("end"), &json!("left")), "{told}");
        let ended = json!({ "streams": [{ "streamId": stream, "at": "2026-11-29T20:15:30+08:00" }] }).to_string();
        let told = does(&served, &door, &["POST", "/open/v1/streams/ended", &ended]).await;
        assert_eq!(told, (true, json!({ "ended": 0 })), "it has");

        let of_phone = |what: &str| format!("/open/v1/phones/{phone}/{what}");
        let (is_served, told) = does(&served, &key, &["POST", &of_phone("renew"), r#"{"days": 30}"#, "order-1"]).await;
        assert!(is_served && told["expiresAt"].is_string(), "{told}");
        assert_eq!(asks(&served, &key, &of_phone("backups")).await, (true, json!({ "list": [], "next": null })));
        let (is_served, told) = does(&served, &key, &["POST", &of_phone("restart")]).await;
        assert!(is_served && told["phoneId"] == phone, "{told}");
    }

    async fn the_command_line_of_the_page_works_as_it_stands(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, None).await;
        let served = console(&app).await;
        let mut command = Command::new("bash");
        command.arg("-c").arg(blocks("sh")[0]);
        let told = told(&run(command, &served, &key).await);
        assert_eq!((&told["status"], &told["data"]["list"][0]["id"]), (&json!(0), &json!(user.id.to_string())), "{told}");
        let mut command = Command::new("bash");
        command.arg("-c").arg(blocks("sh")[1]);
        let restored = self::told(&run(command, &served, &key).await);
        assert_eq!(restored["code"], "not_found", "it is signed, and there is no such phone: {restored}");
    }
}
