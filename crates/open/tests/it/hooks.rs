//! Applications are told by themselves: whom, signed how, how often, in which order, and what a person does about it.

use std::collections::BTreeSet;
use std::time::Duration;

use base::outbox::{self, News, To};
use entity::webhook::HookEvent;
use open::{deliver, prune_deliveries};
use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::phone::PHONES;

use super::receiver::{Heard, Receiver, Says};
use super::{APPS, Key, application, clerk, customer, form, id, room, run, text_of};

pub const DELIVERIES: &str = "/api/platform/v1/open-deliveries";
pub const DOOR: &str = "/api/platform/v1/settings/open-door";
/// Every event but the test.
pub const ALL: [i64; 10] = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11];

/// What verifies what an application is told.
pub struct Hook {
    pub code: String,
    pub secret: String,
}

/// Changes the settings of the door.
pub async fn set_door(clerk: &Caller<'_>, field: &str, value: Value) -> testapp::Answer {
    let mut document = clerk.get(DOOR).await.data();
    document[field] = value;
    for said in ["updatedAt", "updatedBy"] {
        document.as_object_mut().unwrap().remove(said);
    }
    clerk.put(DOOR, document).await
}

pub fn path(app: i64) -> String {
    format!("{APPS}/{app}/webhook")
}

/// Has an application told of these events there.
pub async fn hook(clerk: &Caller<'_>, app: i64, url: &str, events: &[i64]) -> Hook {
    let made = secret(clerk, app).await;
    clerk.put(&path(app), json!({ "url": url, "events": events, "enabled": true })).await.data();
    made
}

/// Makes the secret of an application's webhook, which may be at an address of a test.
pub async fn secret(clerk: &Caller<'_>, app: i64) -> Hook {
    set_door(clerk, "plainHttp", json!(true)).await.data();
    let secret = clerk.post(&format!("{}/secret", path(app)), json!({})).await.data();
    let text = |field: &str| secret[field].as_str().unwrap().to_owned();
    Hook { code: text("code"), secret: text("secret") }
}

/// An application that is told of everything.
pub async fn told(clerk: &Caller<'_>, form: Value, receiver: &Receiver) -> (Key, Hook) {
    let key = application(clerk, form).await;
    let hook = hook(clerk, key.app, &receiver.url, &ALL).await;
    (key, hook)
}

/// Freezes phones, or lets them be used again.
async fn freeze(app: &TestApp, clerk: &Caller<'_>, act: &str, phones: &[i64]) {
    let body = json!({ "selection": { "ids": phones }, "reason": "欠费" });
    let body = if act == "thaw" { json!({ "selection": { "ids": phones } }) } else { body };
    clerk.post(&format!("{PHONES}/{act}"), body).await.data();
    fleet::operation::round(&app.app).await.unwrap();
}

pub async fn listed(clerk: &Caller<'_>, filter: &str) -> (u64, Vec<Value>) {
    let page = clerk.get(&format!("{DELIVERIES}?{filter}")).await.data();
    (page["total"].as_u64().unwrap(), page["list"].as_array().unwrap().clone())
}

pub async fn count(app: &TestApp, what: &str) -> i64 {
    let db = app.app.db.read();
    let text = format!("SELECT CAST(COUNT(*) AS BIGINT) AS n FROM {what}");
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap().unwrap();
    row.try_get("", "n").unwrap()
}

/// The counters of the list against what they count.
async fn check_counters(app: &TestApp) {
    let counted = "SELECT CAST(app_id * 128 + kind * 4 + state AS BIGINT) AS a, CAST(COUNT(*) AS BIGINT) AS n \
        FROM webhook_delivery GROUP BY 1 ORDER BY 1";
    let kept =
        "SELECT CAST(cell AS BIGINT) AS a, n FROM kept_count WHERE list = 31 AND block = -1 AND n <> 0 ORDER BY 1";
    let db = app.app.db.read();
    let mut found = Vec::new();
    for text in [counted, kept] {
        let rows = db.query_all_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap();
        let rows: Vec<(i64, i64)> =
            rows.iter().map(|row| (row.try_get_by_index(0).unwrap(), row.try_get_by_index(1).unwrap())).collect();
        found.push(rows);
    }
    assert_eq!(found[0], found[1]);
}

/// Writes an event of a phone, and does or does not commit it.
pub async fn happens(app: &TestApp, object: &str, is_committed: bool) {
    let mut tx = app.app.db.begin_write().await.unwrap();
    let news = News {
        kind: HookEvent::PhoneOn,
        object: object.to_owned(),
        subject: object.to_owned(),
        to: To::WhoSees(None),
        at: app.app.clock.now(),
        data: json!({ "phoneId": object }),
    };
    outbox::write(&mut tx, &[news]).await.unwrap();
    if is_committed {
        tx.commit().await.unwrap();
    }
}

db_test! {
    async fn the_secret_goes_with_the_address(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        let (key, made) = told(&clerk, form("后台", 1), &receiver).await;
        let to = async |url: &str| clerk.put(&path(key.app), json!({ "url": url, "events": ALL, "enabled": true })).await;
        let kept = async || count(&app, "secret WHERE name LIKE 'openHook.%'").await;
        let same = to(&receiver.url).await.data();
        assert_eq!((&same["keyCode"], &same["enabled"], kept().await), (&json!(made.code), &json!(true), 1));
        let other = format!("{}other", receiver.url);
        let gone = to(&other).await.data();
        assert_eq!((&gone["url"], &gone["keyCode"], &gone["enabled"]), (&json!(other), &Value::Null, &json!(false)));
        assert_eq!(kept().await, 0, "nobody can sign with it any more");
        assert_eq!(to(&other).await.brief(), (409, 4009), "it takes a new one to switch it on");
        let anew = secret(&clerk, key.app).await;
        let on = to(&other).await.data();
        assert_eq!((&on["keyCode"], &on["enabled"]), (&json!(anew.code), &json!(true)));
    }

    async fn what_happens_is_told_signed_and_once_and_the_secret_is_nowhere_else(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        let (key, hook) = told(&clerk, form("后台", 1), &receiver).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, None).await;
        assert_eq!(deliver(&app.app).await.unwrap(), 0);
        freeze(&app, &clerk, "freeze", &user.phones[..1]).await;
        assert_eq!(deliver(&app.app).await.unwrap(), 1);
        let heard = receiver.heard();
        assert_eq!(heard.len(), 1);
        let (first, event) = (&heard[0], heard[0].event());
        assert!(first.is_signed(&hook.secret) && !first.is_signed("another"));
        assert_eq!((first.header("x-sky-key"), first.target.as_str()), (hook.code.as_str(), "/hook?b=2&a=1"));
        assert_eq!((first.header("x-sky-nonce").len(), first.header("content-type")), (32, "application/json"));
        assert_eq!(first.header("idempotency-key"), event["id"].as_str().unwrap());
        let told_at: i64 = first.header("x-sky-time").parse().unwrap();
        assert!((app.app.clock.now().millis() / 1000 - told_at).abs() < 10, "{told_at}");
        assert_eq!((&event["type"], &event["data"]["life"]), (&json!("phone.frozen"), &json!(3)));
        assert_eq!(event["data"]["phoneId"], user.phones[0].to_string());
        assert_eq!(event["data"]["userId"], user.id.to_string());
        assert_eq!(event.as_object().unwrap().len(), 4, "{event}");
        assert_eq!(deliver(&app.app).await.unwrap(), 0, "it was told");

        let (total, rows) = listed(&clerk, "").await;
        assert_eq!((total, &rows[0]["state"], &rows[0]["status"], &rows[0]["tries"]), (1, &json!(2), &json!(204), &json!(1)));
        assert_eq!((&rows[0]["event"], &rows[0]["failure"]), (&json!("phone.frozen"), &Value::Null));
        assert_eq!((&rows[0]["app"]["id"], &rows[0]["eventId"]), (&json!(key.app), &event["id"]));
        let one = clerk.get(&format!("{DELIVERIES}/{}", rows[0]["id"])).await.data();
        assert_eq!(one["payload"].as_str().unwrap().as_bytes(), first.body, "letter by letter");
        assert_eq!(clerk.get(&format!("{DELIVERIES}/987654")).await.brief(), (404, 4004));

        let shown = clerk.get(&path(key.app)).await.data();
        assert_eq!((&shown["keyCode"], &shown["pending"], &shown["stuck"]), (&json!(hook.code), &json!(0), &json!(0)));
        assert_eq!(shown["events"], json!(ALL));
        let file = clerk.get(&format!("{DELIVERIES}/file?format=csv")).await;
        for told in [shown.to_string(), one.to_string(), String::from_utf8_lossy(&file.bytes).into_owned()] {
            assert!(!told.contains(&hook.secret));
        }
        for column in ["before", "after", "message", "object_name"] {
            let all = format!("operation_log WHERE {column} LIKE '%{}%'", hook.secret);
            assert_eq!(count(&app, &all).await, 0, "{column}");
        }
        let url = "operation_log WHERE after LIKE '%b=2%'";
        assert_eq!(count(&app, url).await, 0, "what stands behind the question mark may be somebody's token");
        assert_eq!(count(&app, "operation_log WHERE after LIKE '%/hook?…%'").await, 1);
        check_counters(&app).await;
    }

    async fn each_hears_of_what_it_may_see_and_has_chosen_and_nobody_of_what_was_taken_back(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (company, agent, other) = (Receiver::start().await, Receiver::start().await, Receiver::start().await);
        told(&clerk, form("后台", 1), &company).await;
        let (own, _) = told(&clerk, form("代理", 2), &agent).await;
        told(&clerk, form("别家", 3), &other).await;
        let silent = Receiver::start().await;
        let mut of_users = form("只看客户", 1);
        of_users["scopes"] = json!(["user"]);
        told(&clerk, of_users, &silent).await;
        let chooses = application(&clerk, form("只听到期", 1)).await;
        hook(&clerk, chooses.app, &silent.url, &[5]).await;
        let (off, _) = told(&clerk, form("停用", 1), &silent).await;
        clerk.post(&format!("{APPS}/{}/enabled", off.app), json!({ "enabled": false })).await.data();
        let (mute, _) = told(&clerk, form("不推送", 1), &silent).await;
        clerk.put(&path(mute.app), json!({ "url": silent.url, "events": ALL, "enabled": false })).await.data();

        let room = room(&clerk).await;
        let theirs = customer(&app, &clerk, room, 13_800_000_001, Some(&own)).await;
        // Phones take over who has brought their customer when they are made: `customer` says it before.
        let companys = customer(&app, &clerk, room, 13_800_000_002, None).await;
        freeze(&app, &clerk, "freeze", &[theirs.phones[0], companys.phones[0]]).await;
        while deliver(&app.app).await.unwrap() > 0 {}
        let of = |phone: i64| ("phone.frozen".to_owned(), phone.to_string());
        let mut all = company.told();
        all.sort();
        let mut wanted = vec![of(theirs.phones[0]), of(companys.phones[0])];
        wanted.sort();
        assert_eq!(all, wanted);
        assert_eq!(agent.told(), [of(theirs.phones[0])]);
        assert!(other.heard().is_empty() && silent.heard().is_empty());
        let ids: Vec<Value> = [&company, &agent].iter().flat_map(|one| one.heard()).map(|heard| heard.event()["id"].clone()).collect();
        assert_eq!(ids.len(), 3);

        happens(&app, "phone.901", false).await;
        assert_eq!((count(&app, "webhook_delivery").await, deliver(&app.app).await.unwrap()), (3, 0));
        happens(&app, "phone.902", true).await;
        assert_eq!(deliver(&app.app).await.unwrap(), 1, "the company alone sees it");
        check_counters(&app).await;
    }

    async fn what_is_not_taken_is_sent_again_after_ever_longer_waits_and_then_waits_for_a_person(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        let (key, hook) = told(&clerk, form("后台", 1), &receiver).await;
        receiver.says(vec![Says::Status(500); 7]);
        happens(&app, "phone.1", true).await;
        assert_eq!(deliver(&app.app).await.unwrap(), 1);
        for (tries, wait) in (1..).zip([10, 60, 600, 3_600, 21_600, 86_400]) {
            assert_eq!(receiver.heard().len(), tries);
            app.app.clock.advance_seconds(wait - 5);
            assert_eq!(deliver(&app.app).await.unwrap(), 0, "{wait} s after try {tries}");
            app.app.clock.advance_seconds(5);
            assert_eq!(deliver(&app.app).await.unwrap(), 1, "{wait} s after try {tries}");
        }
        let heard = receiver.heard();
        assert_eq!(heard.len(), 7);
        let same = |of: fn(&Heard) -> String| {
            heard.iter().map(of).collect::<BTreeSet<String>>().len()
        };
        assert_eq!((same(|one| one.header("idempotency-key").to_owned()), same(|one| one.event().to_string())), (1, 1));
        assert_eq!(same(|one| one.header("x-sky-nonce").to_owned()), 7, "another one for every try");
        assert!(heard.iter().all(|one| one.is_signed(&hook.secret)));
        app.app.clock.advance_seconds(3 * 86_400);
        assert_eq!(deliver(&app.app).await.unwrap(), 0, "it waits for a person");
        let clerk = clerk.again().await;
        let (_, rows) = listed(&clerk, "state=3").await;
        assert_eq!((&rows[0]["tries"], &rows[0]["failure"], &rows[0]["status"]), (&json!(7), &json!(1), &json!(500)));
        assert_eq!(rows[0]["nextAt"], Value::Null);
        let one = clerk.get(&format!("{DELIVERIES}/{}", rows[0]["id"])).await.data();
        assert_eq!(one["answer"], "这是应答", "what is no text is left out");
        let concern = clerk.get("/api/general/v1/attention").await.data().to_string();
        assert!(concern.contains(&format!("openHook-{}", key.app)), "{concern}");

        let replay = format!("{DELIVERIES}/replay");
        let sent = clerk.post(&replay, json!({ "selection": { "ids": [rows[0]["id"]] } })).await.data();
        assert_eq!((&sent["sent"], deliver(&app.app).await.unwrap()), (&json!(1), 1));
        let last = receiver.heard().pop().unwrap();
        assert_eq!(last.event()["id"], rows[0]["eventId"], "the same id");
        assert_eq!(listed(&clerk, "state=2").await.0, 1);
        assert!(app.audit_trail().await.contains(&"clerk open_delivery_replay 0".to_owned()));
        // Whoever has lost it has it sent once more; by a filter as well.
        let all = json!({ "selection": { "filter": { "appId": key.app } } });
        assert_eq!(clerk.post(&replay, all).await.data()["sent"], 1);
        assert_eq!((deliver(&app.app).await.unwrap(), receiver.heard().len()), (1, 9));
        let none = json!({ "selection": { "filter": { "appId": key.app + 1 } } });
        assert_eq!(clerk.post(&replay, none).await.data()["sent"], 0);
        check_counters(&app).await;
    }

    async fn of_one_phone_what_happened_first_is_told_first_and_other_phones_do_not_wait_for_it(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        told(&clerk, form("后台", 1), &receiver).await;
        let room = room(&clerk).await;
        let phones = customer(&app, &clerk, room, 13_800_000_001, None).await.phones;
        receiver.says([Says::Status(503)]);
        freeze(&app, &clerk, "freeze", &phones[..1]).await;
        freeze(&app, &clerk, "thaw", &phones[..1]).await;
        freeze(&app, &clerk, "freeze", &phones[1..]).await;
        let of = |kind: &str, phone: i64| (kind.to_owned(), phone.to_string());
        while deliver(&app.app).await.unwrap() > 0 {}
        assert_eq!(receiver.told(), [of("phone.frozen", phones[0]), of("phone.frozen", phones[1])]);
        assert_eq!(listed(&clerk, "state=1").await.0, 2, "the thaw waits behind the freeze");
        app.app.clock.advance_seconds(10);
        while deliver(&app.app).await.unwrap() > 0 {}
        let again = [of("phone.frozen", phones[0]), of("phone.active", phones[0])];
        assert_eq!(receiver.told()[2..], again);

        // What waits for a person holds up nobody; sent again, it comes before what came after it.
        receiver.says(vec![Says::Status(500); 7]);
        freeze(&app, &clerk, "freeze", &phones[..1]).await;
        freeze(&app, &clerk, "thaw", &phones[..1]).await;
        for wait in [0, 10, 60, 600, 3_600, 21_600, 86_400] {
            app.app.clock.advance_seconds(wait);
            deliver(&app.app).await.unwrap();
        }
        let heard = receiver.told().len();
        while deliver(&app.app).await.unwrap() > 0 {}
        assert_eq!(receiver.told()[heard..], [of("phone.active", phones[0])]);
        let clerk = clerk.again().await;
        let (_, rows) = listed(&clerk, "state=3").await;
        receiver.says([Says::Status(500)]);
        clerk.post(&format!("{DELIVERIES}/replay"), json!({ "selection": { "ids": [rows[0]["id"]] } })).await.data();
        freeze(&app, &clerk, "freeze", &phones[..1]).await;
        let heard = receiver.told().len();
        while deliver(&app.app).await.unwrap() > 0 {}
        assert_eq!(receiver.told()[heard..], [of("phone.frozen", phones[0])], "that was refused, and the next one waits");
        // Whoever has set right what was wrong does not wait either.
        clerk.post(&format!("{DELIVERIES}/replay"), json!({ "selection": { "filter": { "state": 1 } } })).await.data();
        while deliver(&app.app).await.unwrap() > 0 {}
        assert_eq!(listed(&clerk, "state=1").await.0, 0);
        check_counters(&app).await;
    }

    async fn a_test_is_sent_once_and_another_secret_is_good_at_once(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        let key = application(&clerk, form("后台", 1)).await;
        let test = format!("{}/test", path(key.app));
        assert_eq!(clerk.post(&test, json!({})).await.brief(), (409, 4009), "it is told nowhere");
        let first = hook(&clerk, key.app, &receiver.url, &[5]).await;
        receiver.says([Says::Status(500)]);
        clerk.post(&test, json!({})).await.data();
        deliver(&app.app).await.unwrap();
        assert_eq!(receiver.types(), ["test"], "whatever it has chosen");
        let (_, rows) = listed(&clerk, "kind=1").await;
        assert_eq!((&rows[0]["state"], &rows[0]["tries"]), (&json!(3), &json!(1)), "who tries it wants to know at once");
        let second = hook(&clerk, key.app, &receiver.url, &[5]).await;
        assert_ne!(first.code, second.code);
        clerk.post(&test, json!({})).await.data();
        deliver(&app.app).await.unwrap();
        let last = receiver.heard().pop().unwrap();
        assert!(last.is_signed(&second.secret) && last.header("x-sky-key") == second.code);
        assert_eq!(count(&app, "secret WHERE name LIKE 'openHook.%'").await, 1, "the one before is gone");
        clerk.post(&format!("{APPS}/{}/enabled", key.app), json!({ "enabled": false })).await.data();
        assert_eq!(clerk.post(&test, json!({})).await.brief(), (409, 4009));
        clerk.delete(&format!("{APPS}/{}", key.app), json!({})).await.data();
        assert_eq!((count(&app, "secret WHERE name LIKE 'openHook.%'").await, count(&app, "webhook").await), (0, 0));
        assert_eq!(listed(&clerk, "").await.1[0]["app"], json!({ "id": key.app, "name": null }), "what it was told is known");
        let trail = app.audit_trail().await;
        for act in ["open_hook_renew", "open_hook_update", "open_hook_test"] {
            assert!(trail.contains(&format!("clerk {act} 0")), "{act}: {trail:?}");
        }
    }

    async fn what_was_sent_and_not_written_down_is_sent_once_more_with_the_same_id(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        told(&clerk, form("后台", 1), &receiver).await;
        happens(&app, "phone.1", true).await;
        deliver(&app.app).await.unwrap();
        // As the row was when the process was killed.
        run(&app, "UPDATE webhook_delivery SET state = 1, tries = 0, next_at = created_at, delivered_at = NULL").await;
        let app = app.restarted().await;
        deliver(&app.app).await.unwrap();
        let ids: Vec<Value> = receiver.heard().iter().map(|heard| heard.event()["id"].clone()).collect();
        assert_eq!((ids.len(), &ids[0]), (2, &ids[1]));
    }

    async fn the_program_tells_by_itself(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        told(&clerk, form("后台", 1), &receiver).await;
        let work = app.work().await;
        for number in 0..20 {
            happens(&app, &format!("phone.{number}"), true).await;
        }
        for _ in 0..200 {
            if receiver.heard().len() == 20 {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert_eq!(receiver.heard().len(), 20);
        work.stop().await;
    }

    async fn what_was_told_is_kept_for_a_while_and_what_waits_behind_it_is_freed(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        told(&clerk, form("后台", 1), &receiver).await;
        receiver.says([Says::Status(500)]);
        happens(&app, "phone.1", true).await;
        deliver(&app.app).await.unwrap();
        happens(&app, "phone.1", true).await;
        for number in 2..7 {
            happens(&app, &format!("phone.{number}"), true).await;
        }
        while deliver(&app.app).await.unwrap() > 0 {}
        assert_eq!((listed(&clerk, "state=1").await.0, listed(&clerk, "state=2").await.0), (2, 5));
        let long_ago = app.app.clock.now().plus_seconds(-86_400);
        assert_eq!(prune_deliveries(&app.app, long_ago, 100).await.unwrap(), 0);
        assert_eq!(prune_deliveries(&app.app, long_ago, 6).await.unwrap(), 1, "the oldest goes first");
        assert_eq!(deliver(&app.app).await.unwrap(), 1, "what waited behind it does not wait for ever");
        assert_eq!((listed(&clerk, "state=1").await.0, listed(&clerk, "state=2").await.0), (0, 6));
        let later = app.app.clock.now().plus_seconds(1);
        assert_eq!(prune_deliveries(&app.app, later, 100).await.unwrap(), 6);
        assert_eq!(listed(&clerk, "").await.0, 0);
        check_counters(&app).await;
    }

    async fn a_filter_finds_what_it_names(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let receiver = Receiver::start().await;
        let (one, _) = told(&clerk, form("后台", 1), &receiver).await;
        let (other, _) = told(&clerk, form("第二", 1), &receiver).await;
        happens(&app, "phone.1", true).await;
        while deliver(&app.app).await.unwrap() > 0 {}
        happens(&app, "phone.2", true).await;
        let event = text_of(&app, "SELECT event_id FROM webhook_delivery WHERE object = 'phone.2' LIMIT 1").await;
        for (filter, total) in [
            (String::new(), 4),
            (format!("appId={}", one.app), 2),
            (format!("appId={}&state=1", other.app), 1),
            ("state=2".to_owned(), 2),
            ("state=3".to_owned(), 0),
            ("kind=2".to_owned(), 4),
            ("kind=3".to_owned(), 0),
            ("keyWord=PHONE.2".to_owned(), 2),
            (format!("keyWord={event}"), 2),
            ("startTime=2099-01-01T00:00:00Z".to_owned(), 0),
            ("endTime=2099-01-01T00:00:00Z&state=1".to_owned(), 2),
            ("appId=9223372036854775807".to_owned(), 0),
        ] {
            let (kept, rows) = listed(&clerk, &filter).await;
            assert_eq!((kept, rows.len() as u64), (total, total), "{filter}");
        }
        assert_eq!(id(&listed(&clerk, "").await.1[0]) - id(&listed(&clerk, "").await.1[3]), 3, "newest first");
    }
}
