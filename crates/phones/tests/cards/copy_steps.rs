//! The steps of a copy, with a test that acts as the agent: whatever it answers, the phone goes on, and nothing is a copy
//! that was not read back.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Poll;

use axum::body::Body;
use entity::backup::{self, BackupState};
use entity::card::Occupancy;
use entity::repo;
use futures::stream;
use http::Method;
use sea_orm::{EntityTrait as _, PaginatorTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::hand::Hand;
pub use testroom::hand::made;
use testroom::operation::get;
use testroom::phone::put_on;
use testroom::room::{say, until};

use super::put_on::{card, row};

const PHONES: &str = "/api/phone/v1/phones";

/// Nobody does anything else meanwhile.
async fn are_put_on(app: &TestApp, hand: &mut Hand, phones: &[i64]) {
    for _ in 0..4 * phones.len() {
        let step = hand.step(app).await;
        hand.tell(&step, json!({ "end": "succeeded" })).await;
    }
    for phone in phones {
        until("it is on", async || row(app, *phone).await.holds_id.is_some()).await;
    }
}

/// So many more phones of the customer whose this one is, on their cards.
pub async fn others_on(app: &TestApp, clerk: &Caller<'_>, hand: &mut Hand, first: i64, count: i64) -> Vec<i64> {
    let body = json!({ "userId": row(app, first).await.user_id, "plan": 2, "roomId": hand.room, "diskGb": 1, "count": count,
        "expiresAt": app.app.clock.now().plus_seconds(86_400) });
    let next = clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap();
    let phones: Vec<i64> = (next..next + count).collect();
    put_on(clerk, &phones).await;
    are_put_on(app, hand, &phones).await;
    phones
}

/// A hand with phones that are on its cards, and a storage node that it reaches, as it says. No phone leaves for being idle.
pub async fn on(app: &TestApp, clerk: &Caller<'_>, count: i64) -> (Hand, Vec<i64>) {
    let (mut hand, first, _) = Hand::asked(app, clerk, 8).await;
    let mut phones = vec![first];
    are_put_on(app, &mut hand, &phones).await;
    if count > 1 {
        phones.extend(others_on(app, clerk, &mut hand, first, count - 1).await);
    }
    hand.stores(app, clerk, wire::PROTOCOL).await;
    (hand, phones)
}

pub async fn back_up(app: &TestApp, clerk: &Caller<'_>, phones: &[i64]) -> Value {
    let made = clerk.post(&format!("{PHONES}/back-up"), json!({ "selection": { "ids": phones } })).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    made["id"].clone()
}

/// The copy that was begun last.
pub async fn last(app: &TestApp) -> backup::Model {
    let select = backup::Entity::find().order_by_desc(backup::Column::Id);
    select.one(app.app.db.read()).await.unwrap().unwrap()
}

/// The operation has failed for this, and the phone is as it was.
async fn failed(app: &TestApp, clerk: &Caller<'_>, operation: &Value, phone: i64, code: &str) {
    fleet::operation::round(&app.app).await.unwrap();
    let ended = get(clerk, operation).await;
    assert_eq!((&ended["failed"], &ended["running"]), (&json!(1), &json!(0)), "{ended}");
    let copy = last(app).await;
    assert_eq!((copy.state, &*copy.code), (BackupState::Failed, code));
    let seen = clerk.get(&format!("{PHONES}/{phone}")).await.data();
    assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(1), &Value::Null), "{seen}");
    assert_eq!(card(app, seen["card"]["id"].as_i64().unwrap()).await.occupancy, Occupancy::InUse);
}

db_test! {
    async fn whatever_becomes_of_a_copy_its_phone_goes_on(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let phone = phones[0];

        // Nothing was done yet.
        let asked = back_up(&app, &clerk, &phones).await;
        hand.does(&app, "packages").await;
        hand.fails(&app, "stop", "wrong_store", "neverBegan").await;
        failed(&app, &clerk, &asked, phone, "wrong_store").await;

        // Nobody knows whether it was stopped: it is started.
        let asked = back_up(&app, &clerk, &phones).await;
        hand.does(&app, "packages").await;
        hand.fails(&app, "stop", "adb_closed", "unknown").await;
        hand.does(&app, "start").await;
        failed(&app, &clerk, &asked, phone, "adb_closed").await;

        // The store is full.
        app.app.clock.advance_seconds(2);
        let asked = back_up(&app, &clerk, &phones).await;
        hand.says(&app, "packages", "of these").await;
        hand.says(&app, "stop", "boot-1").await;
        let order = hand.fails(&app, "copy", "store_full", "neverBegan").await["act"].clone();
        assert_eq!((&order["isNew"], &order["bootId"], &order["parent"]), (&json!(true), &json!("boot-1"), &Value::Null), "{order}");
        assert_eq!(order["repair"], true, "the tries before may have left something");
        assert_eq!(order["alone"], true, "what has its time is of a try of its own");
        hand.does(&app, "start").await;
        failed(&app, &clerk, &asked, phone, "store_full").await;
        assert_eq!(repo::Entity::find().count(app.app.db.read()).await.unwrap(), 1);

        // What is said of the copy makes no sense: what lies there is left alone from now on.
        let asked = back_up(&app, &clerk, &phones).await;
        hand.says(&app, "packages", "of these").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", "{\"snapshot\":\"../../etc\"}").await;
        hand.does(&app, "start").await;
        failed(&app, &clerk, &asked, phone, "repo_damaged").await;

        // It is made, and cannot be read back.
        let asked = back_up(&app, &clerk, &phones).await;
        hand.says(&app, "packages", "of these").await;
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &made('a')).await;
        hand.does(&app, "start").await;
        let order = hand.fails(&app, "verify", "copy_damaged", "neverBegan").await["act"].clone();
        assert_eq!((&order["whole"], &order["snapshot"]), (&json!(false), &json!("a".repeat(64))), "{order}");
        failed(&app, &clerk, &asked, phone, "copy_damaged").await;
        assert_eq!(row(&app, phone).await.kept_id, None);

        // It goes, in a repository of its own.
        let asked = back_up(&app, &clerk, &phones).await;
        hand.says(&app, "packages", "of these").await;
        hand.says(&app, "stop", "boot-1").await;
        let step = hand.step(&app).await;
        assert_eq!((&step["act"]["isNew"], &step["act"]["repair"]), (&json!(true), &json!(false)), "{step}");
        let result = json!({ "book": "phone", "task": step["task"], "attempt": 1, "outcome": { "end": "succeeded" }, "output": made('b') });
        // Twice, and once more after it has gone on.
        say(&mut hand.socket, &json!({ "type": "results", "results": [result, result] })).await;
        hand.hear("kept").await;
        hand.does(&app, "start").await;
        say(&mut hand.socket, &json!({ "type": "results", "results": [result] })).await;
        hand.hear("kept").await;
        hand.does(&app, "verify").await;
        fleet::operation::round(&app.app).await.unwrap();
        assert_eq!(get(&clerk, &asked).await["succeeded"], 1);
        let kept = last(&app).await;
        assert_eq!((kept.state, kept.files, kept.bytes), (BackupState::Verified, 3, 4_000));
        assert_eq!(row(&app, phone).await.kept_id, Some(kept.id));
        assert_eq!(repo::Entity::find().count(app.app.db.read()).await.unwrap(), 3);

        // Two who press at once.
        let path = format!("/api/storage/v1/backups/{}/verify", kept.id);
        assert_eq!(clerk.post(&path, json!({})).await.brief(), (200, 0));
        assert_eq!(clerk.post(&path, json!({})).await.brief(), (409, 4009));
        assert_eq!(clerk.get(&format!("/api/storage/v1/backups/{}", kept.id)).await.data()["isVerifying"], true);
        let order = hand.does(&app, "verify").await["act"].clone();
        assert_eq!((&order["whole"], &order["bytes"]), (&json!(true), &json!(4_000)), "{order}");

        // The next one is compared with it.
        back_up(&app, &clerk, &phones).await;
        hand.says(&app, "packages", "of these").await;
        hand.says(&app, "stop", "boot-2").await;
        let order = hand.fails(&app, "copy", "repo_damaged", "neverBegan").await["act"].clone();
        assert_eq!((&order["isNew"], &order["repair"], &order["parent"]), (&json!(false), &json!(false), &json!("b".repeat(64))), "{order}");
        // The repository is said to be damaged: what the phone lives by is read, all of it. The phone is not in its way.
        let kinds = [hand.step(&app).await, hand.step(&app).await];
        let verify = kinds.iter().find(|step| step["act"]["kind"] == "verify").unwrap();
        assert_eq!((&verify["act"]["whole"], &verify["act"]["bytes"]), (&json!(true), &json!(4_000)), "{verify}");
        assert_eq!(verify["mark"], Value::Null);
        for step in &kinds {
            hand.tell(step, json!({ "end": "succeeded" })).await;
        }
        assert_eq!(row(&app, phone).await.kept_id, Some(kept.id));
        assert!(last(&app).await.state == BackupState::Failed);
    }

    async fn four_phones_of_a_room_are_stopped_at_once_and_no_more(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = on(&app, &clerk, 6).await;
        back_up(&app, &clerk, &phones).await;
        let mut given = Vec::new();
        for _ in 0..4 {
            given.push(hand.step(&app).await);
        }
        assert!(given.iter().all(|step| step["act"]["kind"] == "packages"));
        phones::saga_round(&app.app).await.unwrap();
        assert_eq!(backup::Entity::find().count(app.app.db.read()).await.unwrap(), 4);
        let list = clerk.get(&format!("{PHONES}?pageSize=10")).await.data();
        let waiting = list["list"].as_array().unwrap().iter().filter_map(|phone| phone["underWay"]["position"].as_i64());
        let mut places: Vec<i64> = waiting.collect();
        places.sort_unstable();
        assert_eq!(places, [1, 2]);
        // A phone that goes on, whose copy is read back, makes place for the next.
        hand.tell(&given[0], json!({ "end": "failed", "code": "locked", "reason": "", "effect": "neverBegan" })).await;
        assert_eq!(hand.step(&app).await["act"]["kind"], "packages");
        assert_eq!(backup::Entity::find().count(app.app.db.read()).await.unwrap(), 5);
    }

    async fn keys_are_for_who_has_the_step_and_for_as_long(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        back_up(&app, &clerk, &phones).await;
        let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
        let stranger = app.anybody().token("Bearer skyagent_of-nobody");
        let at = |step: &Value, what: &str| format!("/agent/v1/tasks/phone/{}/1/{what}", step["task"]);
        let paper = json!({ "manifest": { "version": 1, "packages": [{ "name": "com.game\u{7}", "isOwn": true }] }, "packs": ["../x", "a".repeat(64)] });
        let put = async |path: String, body: Body| agent.send(Method::PUT, &path, "application/json", body).await.http.as_u16();

        let packages = hand.step(&app).await;
        let before = agent.get(&at(&packages, "keys")).await.json();
        assert_eq!((&before["key"], &before["packages"]), (&json!(""), &json!([])), "nothing is known yet: {before}");
        assert_eq!(put(at(&packages, "paper"), Body::from(paper.to_string())).await, 204);
        for (body, code) in [(Body::from("{"), 400), (Body::from("[]"), 400), (Body::from(vec![b' '; 5 << 20]), 413)] {
            assert_eq!(put(at(&packages, "paper"), body).await, code);
        }
        let other = at(&packages, "paper").replace("/1/paper", "/2/paper");
        assert_eq!(put(other, Body::from(paper.to_string())).await, 404);
        assert_eq!(put("/agent/v1/tasks/phone/x/1/paper".to_owned(), Body::from(paper.to_string())).await, 400);
        assert_eq!(stranger.send(Method::PUT, &at(&packages, "paper"), "application/json", Body::from(paper.to_string())).await.http, 401);
        assert!(last(&app).await.packs.is_empty(), "before it is copied nothing was written");

        hand.tell(&packages, json!({ "end": "succeeded" })).await;
        assert_eq!(put(at(&packages, "paper"), Body::from(paper.to_string())).await, 404, "it is over");
        let stop = hand.step(&app).await;
        assert_eq!(agent.get(&at(&stop, "keys")).await.http, 404, "a phone is stopped without keys");
        assert_eq!(put(at(&stop, "paper"), Body::from(paper.to_string())).await, 404, "and says nothing before");
        hand.tell(&stop, json!({ "end": "succeeded" })).await;
        let copy = hand.step(&app).await;
        let keys = agent.get(&at(&copy, "keys")).await;
        assert_eq!((keys.http.as_u16(), keys.headers["cache-control"].to_str().unwrap()), (200, "no-store"));
        let keys = keys.json();
        assert_eq!((keys["key"].as_str().unwrap().len(), &keys["manifest"]["packages"][0]["name"]), (128, &json!("com.game")), "{keys}");
        assert_eq!(stranger.get(&at(&copy, "keys")).await.http, 401);
        assert_eq!(clerk.get(&at(&copy, "keys")).await.http, 401, "people have another door");
        assert!(!copy.to_string().contains(keys["key"].as_str().unwrap()), "no journal has it");
        assert_eq!(put(at(&copy, "paper"), Body::from(paper.to_string())).await, 204);
        assert_eq!(last(&app).await.packs, "a".repeat(64), "what is no pack is none");
        hand.tell(&copy, json!({ "end": "failed", "code": "store_full", "reason": "", "effect": "neverBegan" })).await;
        assert_eq!(agent.get(&at(&copy, "keys")).await.http, 404);
    }

    async fn each_try_that_is_given_keys_leaves_one_line_in_the_log(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        let (credential, agent) = (hand.identity.credential.clone(), hand.identity.agent.to_string());
        let asks = async |step: &Value| {
            let agent = app.anybody().token(format!("Bearer {credential}"));
            agent.get(&format!("/agent/v1/tasks/phone/{}/1/keys", step["task"])).await.json()
        };
        let lines = async |kind: &str, id: &str| {
            let all = json!({ "objectKind": kind, "objectId": id, "action": "phone_keys_given" });
            clerk.post("/api/user/v1/operation/log/list", all).await.data()["list"].as_array().unwrap().clone()
        };
        let phone = phones[0].to_string();

        back_up(&app, &clerk, &phones).await;
        let packages = hand.step(&app).await;
        assert_eq!(asks(&packages).await["packages"], json!([]));
        assert!(lines("phone", &phone).await.is_empty(), "nothing can be opened with that");
        hand.tell(&packages, json!({ "end": "succeeded" })).await;
        hand.says(&app, "stop", "boot-1").await;
        let copy = hand.step(&app).await;
        let (keys, again) = (asks(&copy).await, asks(&copy).await);
        // It is sealed anew each time.
        assert_eq!((&keys["key"], &keys["recovery"]), (&again["key"], &again["recovery"]));
        let told = lines("phone", &phone).await;
        assert_eq!((told.len(), lines("roomAgent", &agent).await.len()), (1, 1), "{told:?}");
        let (line, id) = (&told[0], last(&app).await.id);
        assert_eq!((&line["operatorName"], &line["actionName"]), (&json!("room agent"), &json!("向机房代理发放备份密钥")), "{line}");
        assert!(line["message"].as_str().unwrap().starts_with(&format!("backup {id}, Copy, try 1, to ")), "{line}");
        assert!(!told[0].to_string().contains(keys["key"].as_str().unwrap()));

        // Each further try is one more: the copy is read back, and another one is made.
        hand.tell(&copy, json!({ "end": "failed", "code": "store_full", "reason": "", "effect": "neverBegan" })).await;
        hand.does(&app, "start").await;
        asks(&copy).await;
        assert_eq!(lines("phone", &phone).await.len(), 1, "it is over");
        back_up(&app, &clerk, &phones).await;
        hand.says(&app, "packages", "of these").await;
        hand.says(&app, "stop", "boot-1").await;
        let copy = hand.step(&app).await;
        asks(&copy).await;
        assert_eq!(lines("phone", &phone).await.len(), 2);
    }

    async fn a_paper_is_read_where_a_step_waits_for_it_and_no_more_of_it_than_can_be_true(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (mut hand, phones) = Box::pin(on(&app, &clerk, 1)).await;
        back_up(&app, &clerk, &phones).await;
        let agent = app.anybody().token(format!("Bearer {}", hand.identity.credential));
        let put = async |path: &str, body: Body| agent.send(Method::PUT, path, "application/json", body).await;
        let is_read = Arc::new(AtomicBool::default());
        let watched = || {
            let is_read = Arc::clone(&is_read);
            Body::from_stream(stream::once(async move {
                is_read.store(true, Relaxed);
                Ok::<_, Infallible>("{}")
            }))
        };

        let stop = hand.step(&app).await;
        let paper = format!("/agent/v1/tasks/phone/{}/1/paper", stop["task"]);
        for nobodys in [paper.replace("/1/paper", "/2/paper"), "/agent/v1/tasks/phone/999999/1/paper".to_owned()] {
            assert_eq!(put(&nobodys, watched()).await.http, 404);
        }
        assert!(!is_read.load(Relaxed), "nobody waits for it");
        assert_eq!(put(&paper, watched()).await.http, 400);
        assert!(is_read.load(Relaxed));

        let told = |packages: usize, name: usize, packs: usize| {
            let packages = vec![json!({ "name": "a".repeat(name) }); packages];
            json!({ "manifest": { "version": 1, "packages": packages }, "packs": vec![""; packs] }).to_string()
        };
        for (packages, name, packs, http) in
            [(5_000, 1, 0, 204), (5_001, 1, 0, 400), (1, 1_024, 0, 204), (1, 1_025, 0, 400), (1, 1, 65_536, 204), (1, 1, 65_537, 400)]
        {
            let answer = put(&paper, Body::from(told(packages, name, packs))).await;
            assert_eq!(answer.http, http, "{packages} packages, names of {name}, {packs} packs");
        }

        for (what, body) in [
            ("lists that nest without end", "[".repeat(4 << 20)),
            ("maps that nest without end", "{\"manifest\":".repeat(300_000)),
            ("a list of what nobody knows, and no more", format!("{{\"x\":[{}0]}}", "0,".repeat(2_000_000))),
            ("a number that is none", r#"{"manifest":{"version":1e400,"packages":[]}}"#.to_owned()),
        ] {
            assert_eq!(put(&paper, Body::from(body)).await.http, 400, "{what}");
        }
        let nul = json!({ "manifest": { "version": 1, "phone": "\0", "packages": [{ "name": "a\0b" }] }, "packs": ["\0"] });
        assert_eq!(put(&paper, Body::from(nul.to_string())).await.http, 204, "no database has to know it");

        // However many requests it sends, of a try one is held in memory.
        let (rest, _) = tokio::sync::watch::channel(false);
        let slow = || {
            let (mut later, whole) = (rest.subscribe(), told(1, 1, 0));
            Body::from_stream(stream::once(async move {
                _ = later.wait_for(|comes| *comes).await;
                Ok::<_, Infallible>(whole)
            }))
        };
        let mut first = Box::pin(put(&paper, slow()));
        let busy = loop {
            if let Poll::Ready(refused) = futures::poll!(&mut first) {
                // The second one was faster.
                assert_eq!(refused.http, 429);
                first = Box::pin(put(&paper, slow()));
                continue;
            }
            let second = put(&paper, Body::from(told(1, 1, 0))).await;
            if second.http == 429 {
                break second;
            }
        };
        assert_eq!(busy.headers["retry-after"], "1");
        rest.send(true).unwrap();
        assert_eq!(first.await.http, 204);
        assert_eq!(put(&paper, Body::from(told(1, 1, 0))).await.http, 204, "its turn is over");
    }
}
