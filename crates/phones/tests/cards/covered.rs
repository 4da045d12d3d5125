//! What a copy of a phone would hold, asked for by a person.

use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;
use testroom::hand::Hand;
use testroom::room::{dial, hear, hello, say, until};

use super::put_on::row;

const PHONES: &str = "/api/phone/v1/phones";

fn sum(files: u64, bytes: u64) -> Value {
    json!({ "files": files, "bytes": bytes })
}

/// What an agent says of a phone with one app.
fn told(is_covered: bool) -> Value {
    json!({ "found": "seen", "coverage": {
        "apps": [{ "package": "com.game", "amount": sum(3, 1_000) }], "moreApps": sum(0, 0), "shared": sum(2, 500),
        "packages": sum(1, 9_000), "settings": sum(1, 10), "dropped": [{ "path": "misc", "why": "bound", "amount": sum(1, 7) }],
        "uncovered": [{ "path": "odd/place", "amount": sum(1, 2_000_000) }], "uncoveredInAll": sum(1, 2_000_000),
        "isCovered": is_covered, "millis": 1_200, "newer": true } })
}

db_test! {
    async fn what_a_copy_would_hold_is_asked_of_the_card_and_told_with_what_is_in_its_way(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, id, _) = Hand::asked(&app, &clerk, 1).await;
        let path = format!("{PHONES}/{id}/coverage");
        assert_eq!(clerk.get(&path).await.status(), 4009, "it is off the machine");
        assert_eq!(clerk.get(&format!("{PHONES}/99999/coverage")).await.status(), 4004);
        hand.is_put_on(&app).await;
        until("it is on", async || row(&app, id).await.holds_id.is_some()).await;
        let old = clerk.get(&path).await;
        assert_eq!(old.status(), 4009, "its agent does not know the question: {old:?}");

        let mut agent = dial(&hand.console, &hand.identity.credential).await.unwrap();
        say(&mut agent, &hello(wire::PROTOCOL)).await;
        hear(&mut agent, "welcome").await;
        let stay = row(&app, id).await.holds_id.unwrap();
        let mut ask = async |look: Value| {
            let (answer, ()) = tokio::join!(clerk.get(&path), async {
                let asked = hear(&mut agent, "copyLook").await;
                assert_eq!(asked["mark"], json!({ "phone": id, "placement": stay }));
                assert_eq!((&asked["address"], &asked["serial"]), (&json!("10.1.0.1:5555"), &json!("SN1")));
                say(&mut agent, &json!({ "type": "copySeen", "stream": asked["stream"], "look": look })).await;
            });
            answer.data()
        };
        let fine = ask(told(true)).await;
        assert_eq!((&fine["isCovered"], &fine["code"], &fine["found"]["kept"]), (&json!(true), &json!(""), &sum(6, 1_510)));
        assert_eq!(fine["found"]["dropped"][0], json!({ "path": "misc", "why": "bound", "amount": sum(1, 7) }));
        let open = ask(told(false)).await;
        assert_eq!((&open["isCovered"], &open["code"]), (&json!(false), &json!("not_covered")));
        assert_eq!(open["reason"], "有未备份的数据，请查看备份范围");
        let locked = ask(json!({ "found": "failed", "code": "locked", "reason": "the screen" })).await;
        assert_eq!((&locked["code"], &locked["reason"], &locked["found"]), (&json!("locked"), &json!("云手机已锁屏，请先解锁"), &Value::Null));

        // One that lies, and one that is newer.
        let mut lie = told(false);
        let apps: Vec<Value> = (0..3_000).map(|n| json!({ "package": format!("a{n}\u{7}"), "amount": sum(u64::MAX, u64::MAX) })).collect();
        lie["coverage"]["apps"] = json!(apps);
        lie["coverage"]["dropped"][0]["why"] = json!("moon");
        let lied = ask(lie).await;
        assert_eq!((lied["found"]["apps"].as_array().unwrap().len(), &lied["found"]["kept"]["bytes"]), (500, &json!(i64::MAX)));
        assert_eq!((&lied["found"]["apps"][0]["package"], &lied["found"]["dropped"][0]["why"]), (&json!("a0"), &json!("other")));
        let newer = ask(json!({ "found": "failed", "code": "x".repeat(900), "reason": "" })).await;
        assert_eq!(newer["code"].as_str().unwrap().len(), 64);

        let reader = app.operator("reader", &["phone:list", "phone:get"]).await;
        assert_eq!(reader.get(&path).await.status(), 4003);
    }
}
