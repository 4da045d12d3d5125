//! The list of apps that phones may not have.

use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

const URL: &str = "/api/storage/v1/forbidden-apps";

fn game(plan: Option<i64>) -> Value {
    json!({ "name": "小游戏", "package": "com.example.game", "plan": plan })
}

/// The packages of a list.
async fn packages(clerk: &Caller<'_>, question: &str) -> Vec<String> {
    let list = clerk.get(&format!("{URL}?sort=package&order=asc&{question}")).await.data()["list"].clone();
    list.as_array().unwrap().iter().map(|row| row["package"].as_str().unwrap().to_owned()).collect()
}

db_test! {
    async fn an_app_is_forbidden_changed_and_forbidden_no_longer_and_each_act_is_logged(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["app:list", "app:create", "app:update", "app:delete"]).await;
        let made = clerk.post(URL, game(None)).await.data();
        assert_eq!((&made["package"], &made["plan"]), (&json!("com.example.game"), &Value::Null), "{made}");
        let one = format!("{URL}/{}", made["id"]);
        clerk.put(&one, game(Some(3))).await.data();
        let seen = clerk.get(URL).await.data()["list"][0].clone();
        assert_eq!((&seen["plan"], &seen["createdAt"]), (&json!(3), &made["createdAt"]), "{seen}");
        clerk.delete(&one, json!({})).await.data();
        assert_eq!(clerk.get(URL).await.data()["total"], 0);
        for gone in [clerk.put(&one, game(None)).await, clerk.delete(&one, json!({})).await] {
            assert_eq!(gone.brief(), (404, 4004));
        }
        let trail = app.audit_trail().await;
        for wanted in ["create", "update", "delete"] {
            assert!(trail.contains(&format!("clerk forbidden_app_{wanted} 0")), "{wanted}: {trail:?}");
        }
        let reader = app.operator("reader", &["app:list"]).await;
        assert_eq!(reader.post(URL, game(None)).await.status(), 4003);
    }

    async fn what_is_no_package_is_refused_and_a_plan_finds_what_holds_for_it(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        for (package, error) in [
            ("", "package required"),
            ("game", "package package.format"),
            ("com.example.game; rm", "package package.format"),
            (&*format!("com.{}", "a".repeat(130)), "package text.tooLong"),
        ] {
            let refused = clerk.post(URL, json!({ "name": "x", "package": package })).await;
            assert_eq!((refused.brief(), refused.errors()), ((400, 4000), vec![error.to_owned()]), "{package}");
        }
        let wrong = clerk.post(URL, json!({ "name": "", "package": "com.a", "plan": 9 })).await;
        assert_eq!(wrong.brief(), (400, 4000), "{:?}", wrong.errors());
        for (package, plan) in [("com.all", None), ("com.vip", Some(2)), ("com.svip", Some(4))] {
            clerk.post(URL, json!({ "name": "x", "package": package, "plan": plan })).await.data();
        }
        assert_eq!(packages(&clerk, "pageSize=9").await, ["com.all", "com.svip", "com.vip"]);
        assert_eq!(packages(&clerk, "plan=2").await, ["com.all", "com.vip"]);
        assert_eq!(packages(&clerk, "keyWord=svip").await, ["com.svip"]);
        // The same app may be forbidden to all, and to some.
        clerk.post(URL, json!({ "name": "x", "package": "com.all", "plan": 2 })).await.data();
    }
}
