//! The screen of applications.

use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;

use super::{APPS, Key, SELF, application, ask, clerk, customer, form, id, room, run};

db_test! {
    async fn an_application_is_made_changed_switched_off_and_deleted_and_each_act_is_logged(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let made = clerk.post(APPS, form("商城", 2)).await.data();
        let one = format!("{APPS}/{}", id(&made));
        assert_eq!((&made["enabled"], &made["keys"], &made["calls"]), (&json!(true), &json!([]), &json!(0)));
        let mut changed = form("新商城", 1);
        (changed["ips"], changed["perDay"], changed["ownerName"]) = (json!("10.0.0.1,\n10.0.1.0/24"), json!(50), json!("没有"));
        let after = clerk.put(&one, changed).await.data();
        assert_eq!((&after["name"], &after["perDay"]), (&json!("新商城"), &json!(50)));
        assert_eq!((&after["ips"], &after["ownerName"]), (&json!("10.0.0.1 10.0.1.0/24"), &json!("")), "the company has no name");
        clerk.post(&format!("{one}/enabled"), json!({ "enabled": false })).await.data();
        assert_eq!(clerk.get(&one).await.data()["enabled"], false);
        app.app.clock.advance_seconds(601);
        let enable = json!({ "enabled": true });
        assert_eq!(clerk.post(&format!("{one}/enabled"), enable).await.status(), 4011, "it takes a fresh proof");
        let clerk = app.signed_in("again", clerk.group.unwrap()).await;
        for (filter, total) in [("keyWord=商城", 1), ("keyWord=x", 0), ("enabled=false", 1), ("enabled=true", 0), ("owner=1", 1)] {
            assert_eq!(clerk.get(&format!("{APPS}?{filter}")).await.data()["total"], total, "{filter}");
        }
        let key = clerk.post(&format!("{one}/keys"), json!({})).await.data();
        clerk.delete(&format!("{one}/keys/{}", id(&key)), json!({})).await.data();
        clerk.delete(&one, json!({})).await.data();
        assert_eq!(clerk.get(&one).await.brief(), (404, 4004));
        let acts = [
            "clerk open_app_create 0",
            "clerk open_app_update 0",
            "clerk open_app_set_enabled 0",
            "again open_key_create 0",
            "again open_key_revoke 0",
            "again open_app_delete 0",
        ];
        assert_eq!(app.audit_trail().await, acts);
    }

    async fn what_is_wrong_is_said_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        clerk.post(APPS, form("商城", 2)).await.data();
        let many = (0..101).map(|n| format!("10.0.0.{n}")).collect::<Vec<_>>().join(" ");
        let wrong: [(&str, Value, &str); 12] = [
            ("name", json!(""), "name required"),
            ("name", json!("x".repeat(49)), "name text.tooLong"),
            ("ownerName", json!(""), "ownerName required"),
            ("owner", json!(4), "owner type.wrong"),
            ("scopes", json!([]), "scopes list.empty"),
            ("scopes", json!(["everything"]), "scopes type.wrong"),
            ("ips", json!("10.0.0.0/33"), "ips net.bad"),
            ("ips", json!("::1"), "ips net.bad"),
            ("ips", json!(many), "ips list.tooMany"),
            ("perSecond", json!(5001), "perSecond integer.range"),
            ("perDay", json!(0), "perDay integer.range"),
            ("remark", json!("x".repeat(257)), "remark text.tooLong"),
        ];
        for (field, value, error) in wrong {
            let mut input = form("别家", 2);
            input[field] = value;
            let refused = clerk.post(APPS, input).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec![error.to_owned()]), "{field}");
        }
        let again = clerk.post(APPS, form("商城", 2)).await;
        assert_eq!((again.brief(), again.errors()), ((409, 4009), vec!["name taken".to_owned()]));
    }

    async fn the_demos_customers_call_with_a_key_of_their_own_until_an_operator_takes_it(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let made = open::crowd_key(&app.app).await.unwrap().unwrap();
        assert_eq!(open::crowd_key(&app.app).await.unwrap(), Some(made.clone()), "it is made once");
        let row = clerk.get(APPS).await.data()["list"][0].clone();
        let (code, secret) = (made.0, made.1.expose_text().unwrap().to_owned());
        let key = Key { app: id(&row), id: id(&row["keys"][0]), code, secret };
        assert_eq!(ask(&app, &key, SELF).await.data()["scopes"], json!(["user", "phone", "gateway"]));
        let one = format!("{APPS}/{}", key.app);
        clerk.post(&format!("{one}/enabled"), json!({ "enabled": false })).await.data();
        assert_eq!(open::crowd_key(&app.app).await.unwrap(), None, "it is switched off");
        clerk.post(&format!("{one}/enabled"), json!({ "enabled": true })).await.data();
        clerk.delete(&format!("{one}/keys/{}", key.id), json!({})).await.data();
        assert_eq!(open::crowd_key(&app.app).await.unwrap(), None, "no other one is made");
    }

    async fn one_that_brought_somebody_stays(db) {
        let app = TestApp::new(db).await;
        let clerk = clerk(&app).await;
        let key = application(&clerk, form("代理", 2)).await;
        let room = room(&clerk).await;
        let user = customer(&app, &clerk, room, 13_800_000_001, Some(&key)).await;
        let one = format!("{APPS}/{}", key.app);
        assert_eq!(clerk.delete(&one, json!({})).await.brief(), (409, 4009));
        run(&app, &format!("UPDATE client_user SET app_id = NULL WHERE id = {}", user.id)).await;
        assert_eq!(clerk.delete(&one, json!({})).await.brief(), (409, 4009), "the phones are still its own");
        run(&app, "UPDATE phone SET app_id = NULL").await;
        clerk.delete(&one, json!({})).await.data();
        // The schema would refuse it, too.
        let (app_id, phone) = (key.app, user.phones[0]);
        let tx = app.app.db.begin_write().await.unwrap();
        use sea_orm::ConnectionTrait as _;
        assert!(tx.execute_unprepared(&format!("UPDATE phone SET app_id = {app_id} WHERE id = {phone}")).await.is_err());
    }
}
