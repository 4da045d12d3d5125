//! Customers renew and restart their phones, and see their copies.

use entity::RoomAgentId;
use http::Method;
use kernel::time::UtcTime;
use phones::{DemoNode, demo_node};
use serde_json::{Value, json};
use testapp::{Answer, TestApp};
use testkit::db_test;
use testroom::phone::PHONES;

use super::connect::Scene;
use super::streams::{orders, playing};
use super::{Act, Key, act, application, ask, clerk, customer, form, is, nonce, room, run, text_of};

const DAY: i64 = 86_400;

async fn renew(app: &TestApp, key: &Key, phone: i64, days: i64) -> Answer {
    act(app, key, Method::POST, &format!("/open/v1/phones/{phone}/renew"), json!({ "days": days })).await
}

async fn restart(app: &TestApp, key: &Key, phone: i64) -> Answer {
    act(app, key, Method::POST, &format!("/open/v1/phones/{phone}/restart"), Value::Null).await
}

db_test! {
    async fn the_companys_applications_renew_phones_and_no_others(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let company = application(&clerk, form("后台", 1)).await;
        let partner = application(&clerk, form("伙伴", 3)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, Some(&partner)).await;
        let (phone, path) = (user.phones[0], format!("/open/v1/phones/{}", user.phones[0]));
        let refused = renew(&app, &partner, phone, 30).await;
        assert!(is(&refused, 403, "company_only"), "it is its own, and nothing was paid: {}", refused.json());
        for days in [0, 1000] {
            let refused = renew(&app, &company, phone, days).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec!["days integer.range".to_owned()]));
        }

        let until = app.app.clock.now().plus_seconds(10 * DAY);
        run(&app, &format!("UPDATE phone SET expires_at = {} WHERE id = {phone}", until.millis())).await;
        let target = format!("{path}/renew");
        let sent = Act::new(Method::POST, &target, json!({ "days": 30 }), "order-1");
        let renewed = sent.by(&app, &company).await;
        assert_eq!(renewed.data()["expiresAt"], json!(until.plus_seconds(30 * DAY)));
        let again = Act { nonce: nonce(), ..sent }.by(&app, &company).await;
        assert_eq!(renewed.bytes, again.bytes, "it is renewed once");
        assert_eq!(ask(&app, &company, &path).await.data()["expiresAt"], json!(until.plus_seconds(30 * DAY)));

        // One that has run out counts from now, and may be used again.
        run(&app, &format!("UPDATE phone SET expires_at = {} WHERE id = {phone}", until.plus_seconds(-10 * DAY - 3600).millis())).await;
        phones::pass(&app.app).await.unwrap();
        assert_eq!(ask(&app, &company, &path).await.data()["life"], 4);
        let before = app.app.clock.now();
        renew(&app, &company, phone, 1).await.data();
        let seen = ask(&app, &company, &path).await.data();
        assert_eq!(seen["life"], 2);
        let expires = UtcTime::parse_rfc3339(seen["expiresAt"].as_str().unwrap()).unwrap();
        assert!(expires >= before.plus_seconds(DAY) && expires <= app.app.clock.now().plus_seconds(DAY), "{seen}");
        let trail = app.audit_trail().await;
        assert_eq!(trail.iter().filter(|line| line.contains("open_phone_renew 0")).count(), 2, "{trail:?}");

        clerk.post(&format!("{PHONES}/release"), json!({ "selection": { "ids": [phone] }, "reason": "退订" })).await.data();
        fleet::operation::round(&app.app).await.unwrap();
        assert!(is(&renew(&app, &company, phone, 1).await, 409, "phone_released"));
    }

    async fn a_phone_restarts_on_its_card_and_its_stream_comes_back(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, stream) = Box::pin(playing(&app, &clerk)).await;
        let Scene { mut hand, phone, key, door } = scene;
        assert_eq!(restart(&app, &key, phone).await.data()["phoneId"], json!(phone.to_string()));
        assert_eq!(orders(&app, &door, &[&stream]).await, [format!("{stream} reconnect phone_under_way")]);
        assert_eq!(ask(&app, &key, &format!("/open/v1/phones/{phone}")).await.data()["underWay"]["kind"], 8);
        restart(&app, &key, phone).await.data();
        let sagas = "SELECT CAST(COUNT(*) AS TEXT) FROM saga WHERE kind = 8";
        assert_eq!(text_of(&app, sagas).await, "1", "it does so once");
        for kind in ["boot", "health"] {
            hand.does(&app, kind).await;
        }
        assert!(orders(&app, &door, &[&stream]).await.is_empty(), "it goes on, if nobody has ended it meanwhile");

        // Six times within an hour.
        for _ in 0..5 {
            restart(&app, &key, phone).await.data();
            for kind in ["boot", "health"] {
                hand.does(&app, kind).await;
            }
        }
        let refused = restart(&app, &key, phone).await;
        assert!(is(&refused, 409, "too_often"), "{}", refused.json());
        app.app.clock.advance_seconds(3600);
        assert_eq!(restart(&app, &key, phone).await.status(), 0);
        assert_eq!(text_of(&app, sagas).await, "7");
        let trail = app.audit_trail().await;
        assert!(trail.iter().any(|line| line.contains("open_phone_restart 0")), "{trail:?}");
    }

    async fn a_phone_that_is_off_does_not_restart(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("后台", 1)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, None).await;
        assert!(is(&restart(&app, &key, user.phones[0]).await, 409, "phone_off_machine"));
        run(&app, &format!("UPDATE client_user SET status = 2 WHERE id = {}", user.id)).await;
        assert!(is(&restart(&app, &key, user.phones[0]).await, 409, "user_disabled"));
    }

    async fn a_customers_copies_are_told_from_the_first_to_the_last(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let (scene, _) = Box::pin(playing(&app, &clerk)).await;
        let Scene { hand, phone, key, .. } = scene;
        let path = format!("/open/v1/phones/{phone}/backups");
        assert_eq!(ask(&app, &key, &path).await.data(), json!({ "list": [], "next": null }));
        let tx = app.app.db.begin_write().await.unwrap();
        let at = DemoNode { name: "杭州-存储-01", city: "杭州", latitude: 30.0, longitude: 120.0 };
        demo_node(&*tx, RoomAgentId(hand.identity.agent), at, app.app.clock.now()).await.unwrap();
        tx.commit().await.unwrap();
        run(&app, &format!("INSERT INTO repo (phone_id, node_id, folder, created_at) SELECT {phone}, MIN(id), 'p1', 0 FROM store_node")).await;
        for (kind, state, damage, files) in [(1, 4, "", 3), (1, 5, "", 0), (3, 4, "pack", 5)] {
            run(&app, &format!(
                "INSERT INTO backup (phone_id, repo_id, snapshot, kind, card_id, image, board, state, damage, is_live, files, bytes,
                 added_bytes, manifest, code, restores, millis, began_at, verified_at)
                 SELECT {phone}, MIN(id), '', {kind}, {}, 'an image', 'RK_3399', {state}, '{damage}', false, {files}, {files}, 0, '', '', 0,
                 1, 1000, 2000 FROM repo", hand.cards[0]
            )).await;
        }
        run(&app, &format!("UPDATE phone SET kept_id = (SELECT MIN(id) FROM backup) WHERE id = {phone}")).await;
        let first = ask(&app, &key, &format!("{path}?limit=2")).await.data();
        let told = |row: &Value| ["kind", "state", "isKept", "isDamaged", "files"].map(|field| row[field].clone());
        let rows = |page: &Value| page["list"].as_array().unwrap().iter().map(told).collect::<Vec<_>>();
        assert_eq!(rows(&first), [
            [json!(1), json!(4), json!(true), json!(false), json!(3)],
            [json!(1), json!(5), json!(false), json!(false), json!(0)],
        ]);
        assert!(first["list"][0]["stateName"].as_str().is_some_and(|name| !name.is_empty()), "{first}");
        let next = first["next"].as_str().unwrap();
        let rest = ask(&app, &key, &format!("{path}?limit=2&after={next}")).await.data();
        assert_eq!(rows(&rest), [[json!(3), json!(4), json!(false), json!(true), json!(5)]]);
        assert_eq!(rest["next"], Value::Null);
        assert!(is(&ask(&app, &key, &format!("{path}?limit=501")).await, 400, "invalid"));
    }
}
