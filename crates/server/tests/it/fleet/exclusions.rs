//! What copies may leave out on an image: named by one operator, approved by another, removed by anybody with the right.

use entity::ImageId;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::images::{IMAGES, NEW, OLD, image, room, running, say};

const EXCLUSIONS: &str = "/api/fleet/v1/exclusions";

/// What agents are told for an image.
async fn told(app: &TestApp, image: i64) -> Vec<String> {
    fleet::exclusions(app.app.db.read(), Some(ImageId(image))).await.unwrap()
}

/// Whether somebody's dashboard asks for his word on a path.
async fn is_asked(caller: &Caller<'_>, id: &Value) -> bool {
    let key = format!("exclusion-{id}");
    let found = caller.get("/api/general/v1/attention").await.data();
    found.as_array().unwrap().iter().any(|concern| concern["key"] == key)
}

db_test! {
    async fn a_path_is_left_out_once_another_operator_has_said_so_too(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (_, session) = room(&app, &admin).await;
        say(&app, &session, &[running(1, OLD), running(2, NEW)]).await;
        let (old, new) = (image(&admin, OLD).await, image(&admin, NEW).await);
        let all = format!("{IMAGES}/{old}/exclusions");
        let first = app.operator("first", &["dashboard:view", "systemImage:list", "systemImage:exclude"]).await;
        let second = app.operator("second", &["dashboard:view", "systemImage:exclude"]).await;
        let reader = app.operator("reader", &["systemImage:list"]).await;
        let before = reader.get(&all).await.data();
        assert_eq!((&before["everywhere"][0]["why"], &before["list"]), (&json!("cache"), &json!([])));
        assert_eq!(reader.get(&format!("{IMAGES}/99999/exclusions")).await.status(), 4004);

        let body = |path: &str| json!({ "path": path, "reason": "厂商日志" });
        assert_eq!(reader.post(&all, body("/data/odd")).await.status(), 4003);
        assert_eq!(first.post(&all, body("/data/user/0")).await.errors(), ["path exclusion.kept"]);
        let silent = json!({ "path": "/data/odd", "reason": "" });
        assert_eq!(first.post(&all, silent).await.errors(), ["reason required"]);
        assert_eq!(first.post(&format!("{IMAGES}/99999/exclusions"), body("/data/odd")).await.status(), 4004);
        let made = first.post(&all, body("/data/odd/*")).await.data();
        assert_eq!((&made["isOwn"], &made["isApproved"], &made["approvedBy"]), (&json!(true), &json!(false), &json!("")));
        assert_eq!(first.post(&all, body("/data/odd/*")).await.errors(), ["path taken"]);
        assert_eq!(told(&app, old).await, [""; 0], "one alone says nothing to agents");

        let one = format!("{EXCLUSIONS}/{}", made["id"]);
        let approve = format!("{one}/approve");
        assert_eq!(first.post(&approve, json!({})).await.brief(), (409, 4009), "nor his own word twice");
        assert_eq!(reader.post(&approve, json!({})).await.status(), 4003);
        assert_eq!((is_asked(&first, &made["id"]).await, is_asked(&second, &made["id"]).await), (false, true));
        let approved = second.post(&approve, json!({})).await.data();
        assert_eq!((&approved["isApproved"], &approved["createdBy"], &approved["approvedBy"]), (&json!(true), &json!("first"), &json!("second")));
        assert_eq!(second.post(&approve, json!({})).await.brief(), (409, 4009), "it is by now");
        assert!(!is_asked(&second, &made["id"]).await);
        assert_eq!((told(&app, old).await, told(&app, new).await), (vec!["odd/*".to_owned()], vec![]), "on that image alone");

        assert_eq!(second.delete(&one, json!({})).await.status(), 4003);
        assert_eq!(admin.delete(&one, json!({})).await.status(), 0);
        assert_eq!(told(&app, old).await, [""; 0]);
        for gone in [admin.delete(&one, json!({})).await, second.post(&approve, json!({})).await] {
            assert_eq!(gone.status(), 4004);
        }
        let trail = app.audit_trail().await;
        for line in ["first image_exclude 0", "second image_exclusion_approve 0", "admin image_exclusion_remove 0"] {
            assert!(trail.contains(&line.to_owned()), "{line}: {trail:?}");
        }
    }

    async fn it_takes_a_fresh_proof_and_an_image_has_so_many_at_most(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let (_, session) = room(&app, &admin).await;
        say(&app, &session, &[running(1, OLD)]).await;
        let all = format!("{IMAGES}/{}/exclusions", image(&admin, OLD).await);
        for number in 0..wire::leave_out::MOST {
            admin.post(&all, json!({ "path": format!("/data/odd-{number}"), "reason": "厂商日志" })).await.data();
        }
        let more = json!({ "path": "/data/more", "reason": "厂商日志" });
        assert_eq!(admin.post(&all, more.clone()).await.brief(), (409, 4009));
        let list = admin.get(&all).await.data()["list"].clone();
        assert_eq!(list.as_array().unwrap().len(), wire::leave_out::MOST);
        app.app.clock.advance_seconds(601);
        app.app.sessions.forget();
        assert_eq!(admin.post(&all, more).await.status(), 4011);
        let approve = format!("{EXCLUSIONS}/{}/approve", list[0]["id"]);
        assert_eq!(admin.post(&approve, json!({})).await.status(), 4011);
        assert_eq!(admin.delete(&format!("{EXCLUSIONS}/{}", list[0]["id"]), json!({})).await.status(), 0);
    }
}
