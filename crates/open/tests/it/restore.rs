//! Customers have their phones go on with one of the copies of these.

use entity::backup;
use http::Method;
use sea_orm::{EntityTrait as _, QueryOrder as _};
use serde_json::{Value, json};
use testapp::{Answer, Caller, TestApp};
use testkit::db_test;
use testroom::hand::{Hand, made};
use testroom::room::say;

use super::connect::{Scene, connect, poll};
use super::streams::{orders, playing_on};
use super::{Act, Key, act, application, ask, clerk, customer, form, is, nonce, room, run, text_of};

/// What an agent speaks that copies phones, and brings copies on cards.
const COPIES: u32 = 7;

async fn restore(app: &TestApp, key: &Key, phone: i64, copy: &str) -> Answer {
    act(app, key, Method::POST, &format!("/open/v1/phones/{phone}/restore"), json!({ "backupId": copy })).await
}

async fn accept(app: &TestApp, key: &Key, phone: i64, copy: &str) -> Answer {
    act(app, key, Method::POST, &format!("/open/v1/phones/{phone}/accept-copy"), json!({ "backupId": copy })).await
}

/// The agent tells something of a card.
async fn reports(hand: &mut Hand, seq: i64, of_card: Value) {
    say(&mut hand.socket, &json!({ "type": "reports", "seq": seq, "reports": [of_card] })).await;
    hand.hear("taken").await;
}

/// It is copied, and leaves its card.
async fn leaves(app: &TestApp, hand: &mut Hand, snapshot: char) {
    hand.does(app, "packages").await;
    hand.says(app, "stop", "boot-1").await;
    hand.says(app, "copy", &made(snapshot)).await;
    hand.does(app, "verify").await;
    hand.does(app, "still").await;
}

/// A scene with a node, in which somebody plays on a phone of which there is a copy; the stream, and that copy.
async fn copied(app: &TestApp, clerk: &Caller<'_>) -> (Scene, String, String) {
    let (mut scene, stream) = Box::pin(playing_on(app, clerk, 2)).await;
    let Scene { hand, phone, .. } = &mut scene;
    hand.stores(app, clerk, COPIES).await;
    let body = json!({ "selection": { "ids": [*phone] } });
    clerk.post("/api/phone/v1/phones/back-up", body).await.data();
    fleet::operation::round(&app.app).await.unwrap();
    hand.does(app, "packages").await;
    hand.says(app, "stop", "boot-1").await;
    hand.says(app, "copy", &made('a')).await;
    hand.does(app, "start").await;
    hand.does(app, "verify").await;
    let copy = last(app).await;
    (scene, stream, copy)
}

/// The copy that was begun last.
async fn last(app: &TestApp) -> String {
    let newest =
        backup::Entity::find().order_by_desc(backup::Column::Id).one(app.app.db.read()).await.unwrap().unwrap();
    newest.id.to_string()
}

db_test! {
    async fn a_customer_sets_a_phone_back_that_is_in_use_and_has_it_again_with_the_older_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream, copy) = Box::pin(copied(&app, &clerk)).await;
        let Scene { mut hand, phone, key, door } = scene;
        assert!(is(&restore(&app, &key, phone, "987654").await, 409, "copy_unfit"));
        let wrong = restore(&app, &key, phone, "yesterday").await;
        assert_eq!((wrong.brief(), wrong.errors()), ((400, 4000), vec!["backupId type.wrong".to_owned()]), "{}", wrong.json());

        let target = format!("/open/v1/phones/{phone}/restore");
        let sent = Act::new(Method::POST, &target, json!({ "backupId": copy }), "restore-1");
        let begun = sent.by(&app, &key).await;
        assert_eq!(begun.data(), json!({ "phoneId": phone.to_string(), "backupId": copy, "isDone": false }));
        let again = Act { nonce: nonce(), ..sent }.by(&app, &key).await;
        assert_eq!(begun.bytes, again.bytes, "it is done once");
        assert!(is(&restore(&app, &key, phone, &copy).await, 409, "phone_under_way"));

        hand.does(&app, "packages").await;
        assert_eq!(orders(&app, &door, &[&stream]).await, [format!("{stream} reconnect phone_under_way")]);
        assert_eq!(connect(&app, &key, phone).await.data()["state"], "preparing", "he waits, and turns nothing back");
        hand.says(&app, "stop", "boot-1").await;
        hand.says(&app, "copy", &made('b')).await;
        hand.does(&app, "verify").await;
        hand.does(&app, "still").await;
        assert_eq!(poll(&app, &key, phone).await["state"], "queued");
        for kind in ["check", "claim", "apps"] {
            hand.does(&app, kind).await;
        }
        let brought = hand.does(&app, "restore").await;
        assert_eq!(brought["act"]["snapshot"], "a".repeat(64), "{brought}");
        hand.does(&app, "boot").await;
        hand.does(&app, "health").await;
        assert_eq!(poll(&app, &key, phone).await["state"], "ready");
        let told = ask(&app, &key, &format!("/open/v1/phones/{phone}/backups")).await.data();
        let [first, second] = [0, 1].map(|at| told["list"][at].clone());
        assert_eq!((&first["isKept"], &first["leftAt"]), (&json!(true), &Value::Null), "{told}");
        assert!(second["leftAt"].is_string() && second["safeUntil"].is_string(), "{told}");
        let trail = app.audit_trail().await;
        for wanted in ["open_phone_restore 0", "phone_went_back 0"] {
            assert!(trail.iter().any(|line| line.contains(wanted)), "{wanted}: {trail:?}");
        }
    }

    async fn a_phone_for_which_nobody_waits_stays_off_with_the_chosen_copy(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, _, copy) = Box::pin(copied(&app, &clerk)).await;
        let Scene { mut hand, phone, key, .. } = scene;
        restore(&app, &key, phone, &copy).await.data();
        leaves(&app, &mut hand, 'b').await;
        let newer = last(&app).await;
        let seen = ask(&app, &key, &format!("/open/v1/phones/{phone}")).await.data();
        assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(2), &Value::Null), "{seen}");
        let kept = format!("SELECT CAST(kept_id AS TEXT) FROM phone WHERE id = {phone}");
        assert_eq!(text_of(&app, &kept).await, copy);
        assert!(is(&restore(&app, &key, phone, &copy).await, 409, "already_so"));
        // What it had is chosen back, at once.
        assert_eq!(restore(&app, &key, phone, &newer).await.data()["isDone"], true);
        assert_eq!(text_of(&app, &kept).await, newer);
    }

    async fn a_customer_accepts_the_copy_on_offer_once_the_lost_card_is_off(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, _, copy) = Box::pin(copied(&app, &clerk)).await;
        let Scene { mut hand, phone, key, .. } = scene;
        assert!(is(&accept(&app, &key, phone, &copy).await, 409, "copy_not_offered"), "nothing is lost");
        let card: i64 = text_of(&app, "SELECT CAST(card_id AS TEXT) FROM placement WHERE role = 2").await.parse().unwrap();
        let away = json!({ "reached": false, "tcpOpen": false, "adbAnswers": false, "booted": false });
        for seq in 101..=103 {
            reports(&mut hand, seq, json!({ "card": card, "probe": away })).await;
        }
        // Nobody has heard of its stream for long enough, and then nobody of its card.
        for _ in 0..2 {
            app.app.clock.advance_seconds(600);
            phones::saga_round(&app.app).await.unwrap();
        }
        let seen = ask(&app, &key, &format!("/open/v1/phones/{phone}")).await.data();
        assert_eq!((&seen["underWay"]["kind"], &seen["underWay"]["offer"]["backupId"]), (&json!(9), &json!(copy)), "{seen}");
        assert!(is(&connect(&app, &key, phone).await, 409, "card_lost"));
        let refused = accept(&app, &key, phone, &copy).await;
        assert!(is(&refused, 409, "card_not_off"), "nobody answers for it here: {}", refused.json());

        reports(&mut hand, 104, json!({ "card": card, "power": "off" })).await;
        assert!(is(&accept(&app, &key, phone, "987654").await, 409, "copy_not_offered"), "it is another one");
        let accepted = accept(&app, &key, phone, &copy).await.data();
        assert_eq!(accepted, json!({ "phoneId": phone.to_string(), "backupId": copy }));
        let seen = ask(&app, &key, &format!("/open/v1/phones/{phone}")).await.data();
        assert_eq!((&seen["useType"], &seen["underWay"]), (&json!(2), &Value::Null), "nobody waits for it: {seen}");
        assert_eq!(connect(&app, &key, phone).await.data()["state"], "queued");
        let trail = app.audit_trail().await;
        for wanted in ["open_phone_accept_copy 0", "phone_copy_accepted 0"] {
            assert!(trail.iter().any(|line| line.contains(wanted)), "{wanted}: {trail:?}");
        }
    }

    async fn nobody_elses_phones_are_restored_nor_those_of_customers_out_of_use(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let partner = application(&clerk, form("伙伴", 3)).await;
        let key = application(&clerk, form("后台", 1)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, None).await;
        let phone = user.phones[0];
        for refused in [restore(&app, &partner, phone, "1").await, accept(&app, &partner, phone, "1").await] {
            assert!(is(&refused, 404, "not_found"), "{}", refused.json());
        }
        run(&app, &format!("UPDATE client_user SET status = 2 WHERE id = {}", user.id)).await;
        for refused in [restore(&app, &key, phone, "1").await, accept(&app, &key, phone, "1").await] {
            assert!(is(&refused, 409, "user_disabled"), "{}", refused.json());
        }
    }
}
