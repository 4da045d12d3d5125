//! What changes something is done once, however often it is sent, whoever dies in between.

use http::Method;
use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::{Value, json};
use testapp::{Answer, TestApp};
use testkit::db_test;

use super::{Act, C1, USERS, act, application, ask, clerk, form, is, nonce, number, registered, registration, run};

const TWO_DAYS: i64 = 48 * 3600;

fn register(number: u64, once: &str) -> Act<'_> {
    Act::new(Method::POST, USERS, registration(number), once)
}

/// The same once more, as one sends it who has heard nothing.
fn again<'a>(sent: &Act<'a>) -> Act<'a> {
    Act { nonce: nonce(), ..sent.clone() }
}

/// Letter by letter.
fn same(one: &Answer, other: &Answer) -> bool {
    (one.http, &one.bytes) == (other.http, &other.bytes)
}

async fn count(app: &TestApp, table: &str) -> i64 {
    let db = app.app.db.read();
    let text = format!("SELECT CAST(count(*) AS BIGINT) AS n FROM {table}");
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), text)).await.unwrap().unwrap();
    row.try_get("", "n").unwrap()
}

db_test! {
    async fn what_is_sent_again_is_done_once_and_answered_as_the_first_time(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (one, other) = (application(&clerk, form("后台", 1)).await, application(&clerk, form("代理", 2)).await);
        let sent = register(13_800_000_001, "event-1");
        let first = sent.by(&app, &one).await;
        assert_eq!(first.status(), 0);
        // Whatever happens meanwhile, it is the first answer.
        run(&app, "UPDATE client_user SET name = 'x'").await;
        for _ in 0..3 {
            assert!(same(&again(&sent).by(&app, &one).await, &first));
        }
        assert_eq!((count(&app, "client_user").await, count(&app, "client_user_record").await), (1, 1));
        assert_eq!(app.audit_trail().await.iter().filter(|line| *line == "Open API · 后台 open_user_create 0").count(), 1);

        // Another call with the same key: another body, another method, another thing.
        let user = format!("{USERS}/{}", number(&first));
        for sent in [
            register(13_800_000_002, "event-1"),
            Act::new(Method::PATCH, &user, json!({ "name": "y" }), "event-1"),
            Act::new(Method::DELETE, &format!("{user}/closing"), Value::Null, "event-1"),
        ] {
            let refused = sent.by(&app, &one).await;
            assert!(is(&refused, 409, "key_reused"), "{} {:?}", sent.target, refused.json());
        }
        let no_form = Act::new(Method::PATCH, &user, registration(13_800_000_001), "event-1").by(&app, &one).await;
        assert!(is(&no_form, 400, "invalid"), "what has no form is not compared");
        assert!(same(&again(&sent).by(&app, &one).await, &first), "that changes nothing");
        // Another application's keys are its own.
        assert!(is(&again(&sent).by(&app, &other).await, 409, "user_exists"));
        let theirs = register(13_800_000_003, "event-1");
        assert!(is(&theirs.by(&app, &other).await, 409, "key_reused"), "it was a refusal that the key stands for now");
        assert_eq!(count(&app, "client_user").await, 1);
    }

    async fn a_refusal_is_an_answer_too_and_what_has_no_form_is_none(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let user = registered(&app, &key, 13_800_000_001).await;
        let sent = register(13_800_000_001, "event-1");
        let refused = sent.by(&app, &key).await;
        assert!(is(&refused, 409, "user_exists"));
        assert_eq!(refused.status(), 4009);
        run(&app, &format!("UPDATE client_user SET phone = '13900000000' WHERE id = {user}")).await;
        assert!(same(&again(&sent).by(&app, &key).await, &refused), "the number is free now, and the key is used");
        assert_eq!(act(&app, &key, Method::POST, USERS, registration(13_800_000_001)).await.status(), 0);
        let absent = Act::new(Method::PATCH, "/open/v1/users/987654", json!({ "name": "x" }), "event-2");
        let missing = absent.by(&app, &key).await;
        assert!(is(&missing, 404, "not_found"));
        assert!(same(&again(&absent).by(&app, &key).await, &missing));

        let mut wrong = registration(13_800_000_005);
        wrong["name"] = json!("");
        let bad = Act::new(Method::POST, USERS, wrong, "event-3").by(&app, &key).await;
        assert_eq!((bad.brief(), bad.errors()), ((400, 4000), vec!["name required".to_owned()]));
        assert_eq!(register(13_800_000_005, "event-3").by(&app, &key).await.status(), 0, "its key was not used up");
        for (once, error) in [
            (String::new(), "Idempotency-Key required"),
            ("x".repeat(65), "Idempotency-Key text.tooLong"),
            ("a b".to_owned(), "Idempotency-Key text.control"),
        ] {
            let refused = register(13_800_000_006, &once).by(&app, &key).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec![error.to_owned()]), "{once}");
        }
        assert_eq!(register(13_800_000_006, &"x".repeat(64)).by(&app, &key).await.status(), 0);
    }

    async fn two_at_once_do_it_once(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        for round in 0..5_u64 {
            let once = format!("event-{round}");
            let sent = register(13_800_000_000 + round, &once);
            let (second, third) = (again(&sent), again(&sent));
            let (one, two, three) = tokio::join!(sent.by(&app, &key), second.by(&app, &key), third.by(&app, &key));
            assert_eq!(one.status(), 0);
            assert!(same(&one, &two) && same(&one, &three), "{round}");
        }
        assert_eq!(count(&app, "client_user").await, 5);
        // Two keys for one number: one registers it.
        let (one, two) = (register(13_900_000_000, "one"), register(13_900_000_000, "two"));
        let (one, two) = tokio::join!(one.by(&app, &key), two.by(&app, &key));
        let mut ends = [one.http.as_u16(), two.http.as_u16()];
        ends.sort_unstable();
        assert_eq!((ends, count(&app, "client_user").await), ([200, 409], 6));
        assert_eq!(clerk.post(C1, json!({})).await.data()["total"], 6, "the kept counters know no more");
    }

    async fn a_restart_forgets_neither_what_was_done_nor_a_nonce(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (key, other) = (application(&clerk, form("后台", 1)).await, application(&clerk, form("别家", 1)).await);
        let sent = register(13_800_000_001, "event-1");
        let first = sent.by(&app, &key).await;
        assert_eq!(first.status(), 0);
        assert!(is(&sent.by(&app, &key).await, 401, "nonce"), "not signed anew, it is somebody else's copy");
        let app = app.restarted().await;
        assert!(is(&sent.by(&app, &key).await, 401, "nonce"));
        assert!(same(&again(&sent).by(&app, &key).await, &first));
        // With another key of idempotency, too; and what is another application's is its own.
        let moved = Act { once: "event-2", ..sent.clone() };
        assert!(is(&moved.by(&app, &key).await, 401, "nonce"));
        assert!(is(&moved.by(&app, &other).await, 409, "user_exists"));
        for nonce in ["", "short"] {
            let none = Act { nonce: nonce.to_owned(), ..register(13_800_000_002, "event-3") };
            assert!(is(&none.by(&app, &key).await, 401, "nonce"), "{nonce}");
        }
        assert_eq!(count(&app, "client_user").await, 1);
    }

    async fn after_two_days_a_key_is_new(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let mut nobody = registration(13_800_000_001);
        (nobody["phone"], nobody["email"]) = (json!(""), json!("a@example.com"));
        let sent = Act::new(Method::POST, USERS, nobody, "event-1");
        let first = sent.by(&app, &key).await;
        app.app.clock.advance_seconds(TWO_DAYS - 60);
        assert!(same(&again(&sent).by(&app, &key).await, &first));
        app.app.clock.advance_seconds(61);
        let second = again(&sent).by(&app, &key).await;
        assert_ne!(number(&second), number(&first));
        assert!(same(&again(&sent).by(&app, &key).await, &second));
        assert_eq!((count(&app, "client_user").await, count(&app, "open_act").await), (2, 1));
    }

    async fn what_has_had_its_time_is_removed_in_steps(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        for number in 13_800_000_001..13_800_000_004 {
            registered(&app, &key, number).await;
        }
        assert_eq!((count(&app, "open_nonce").await, count(&app, "open_act").await), (3, 3));
        app.app.clock.advance_seconds(250);
        assert_eq!(open::prune_acts(&app.app).await.unwrap(), 0, "a call of that time is served still");
        app.app.clock.advance_seconds(60);
        assert_eq!(open::prune_acts(&app.app).await.unwrap(), 3);
        assert_eq!((count(&app, "open_nonce").await, count(&app, "open_act").await), (0, 3));
        app.app.clock.advance_seconds(TWO_DAYS);
        assert_eq!((open::prune_acts(&app.app).await.unwrap(), open::prune_acts(&app.app).await.unwrap()), (3, 0));
        // They outlive their application, and go in steps like the others.
        act(&app, &key, Method::PATCH, "/open/v1/users/987654", json!({})).await;
        assert_eq!(count(&app, "open_act").await, 1);
        let clerk = clerk.again().await;
        clerk.delete(&format!("{}/{}", crate::APPS, key.app), json!({})).await.data();
        assert_eq!(count(&app, "open_act").await, 1);
        assert!(is(&ask(&app, &key, crate::SELF).await, 401, "unknown_key"));
        app.app.clock.advance_seconds(TWO_DAYS + 1);
        open::prune_acts(&app.app).await.unwrap();
        assert_eq!(count(&app, "open_act").await, 0);
    }

    async fn what_another_process_has_revoked_or_switched_off_changes_nothing_any_more(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (key, other) = (application(&clerk, form("后台", 1)).await, application(&clerk, form("别家", 1)).await);
        for key in [&key, &other] {
            assert_eq!(ask(&app, key, crate::SELF).await.status(), 0);
        }
        run(&app, &format!("UPDATE open_key SET revoked_at = 1, revoked_by = 'x' WHERE id = {}", key.id)).await;
        run(&app, &format!("UPDATE open_app SET is_enabled = FALSE WHERE id = {}", other.app)).await;
        // This one has not heard of it yet.
        let refused = register(13_800_000_001, "event-1").by(&app, &key).await;
        assert!(is(&refused, 401, "unknown_key"));
        assert!(is(&register(13_800_000_001, "event-1").by(&app, &other).await, 403, "app_off"));
        assert_eq!((count(&app, "client_user").await, count(&app, "open_nonce").await), (0, 0));
    }
}
