//! What scripts printed is read by those who may run scripts, at the time when they read it.

use fleet::operation::{claim, record_results};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::OPERATIONS;
use testroom::room::until;
use wire::Outcome;

use super::{result, shell, up};

/// A script that has run on a card, and printed something.
async fn printed(app: &TestApp, clerk: &Caller<'_>) -> (Value, i64) {
    let (session, cards) = up(app, clerk).await;
    let made = clerk.post(OPERATIONS, shell(&cards[..1])).await.data();
    let given = claim(&app.app, &session).await.unwrap();
    let said: Vec<_> = given.iter().map(|task| result(task.key, Outcome::Succeeded)).collect();
    record_results(&app.app, &session, &said).await.unwrap();
    (made["id"].clone(), cards[0])
}

/// A task of each call that tells tasks.
async fn told(caller: &Caller<'_>, id: &Value, card: i64) -> [Value; 3] {
    [
        caller.get(&format!("{OPERATIONS}/{id}/tasks")).await.data()["list"][0].clone(),
        caller.get(&format!("{OPERATIONS}/{id}/results")).await.data()[0].clone(),
        caller.get(&format!("/api/operation/v1/cards/{card}/tasks")).await.data()["list"][0]["task"].clone(),
    ]
}

const BOTH: [&str; 4] = ["operation:list", "operation:export", "device:shell", "task:list"];

db_test! {
    async fn what_a_script_printed_is_withheld_from_who_may_not_run_scripts(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (id, card) = printed(&app, &clerk).await;
        let viewer = app.operator("viewer", &["operation:list", "operation:export"]).await.lang("en");
        for task in told(&viewer, &id, card).await {
            assert_eq!((&task["output"], &task["outputWithheld"], &task["state"]), (&json!(""), &json!(true), &json!(3)));
        }
        let both = app.operator("both", &BOTH).await.lang("en");
        for task in told(&both, &id, card).await {
            assert_eq!((&task["output"], &task["outputWithheld"]), (&json!("output"), &json!(false)));
        }
        let file = format!("{OPERATIONS}/{id}/tasks/file?format=csv");
        let text = async |caller: &Caller<'_>| String::from_utf8(caller.get(&file).await.bytes).unwrap();
        let (less, all) = (text(&viewer).await, text(&both).await);
        assert!(less.contains("needs the permission") && !less.contains(",output,"), "{less}");
        assert!(all.contains(",output,") && !all.contains("needs the permission"), "{all}");
        // What was done at the card is told to both alike, without what was printed.
        let at_card = format!("/api/operation/v1/cards/{card}/tasks/file?format=csv");
        for caller in [&viewer, &both] {
            let file = String::from_utf8(caller.get(&at_card).await.bytes).unwrap();
            assert!(file.contains("Succeeded") && !file.contains("output"), "{file}");
        }
    }

    async fn what_others_print_is_told(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (session, cards) = up(&app, &clerk).await;
        let body = json!({ "selection": { "ids": cards[..1] }, "act": { "kind": "uninstall", "package": "a.b" } });
        let id = clerk.post(OPERATIONS, body).await.data()["id"].clone();
        let given = claim(&app.app, &session).await.unwrap();
        record_results(&app.app, &session, &[result(given[0].key, Outcome::Succeeded)]).await.unwrap();
        let viewer = app.operator("viewer", &["operation:list"]).await;
        for task in told(&viewer, &id, cards[0]).await {
            assert_eq!((&task["output"], &task["outputWithheld"]), (&json!("output"), &json!(false)));
        }
    }

    async fn a_file_with_what_scripts_printed_is_for_those_who_may_run_some_when_they_fetch_it(db) {
        let app = TestApp::with(db, |config| config.export_rows = 0).await;
        let clerk = app.admin().await;
        let (id, _) = printed(&app, &clerk).await;
        let work = app.work().await;
        let codes = ["operation:list", "operation:export", "task:list"];
        let viewer = app.operator("viewer", &codes).await.lang("en");
        let both = app.operator("both", &BOTH).await.lang("en");
        let mut files = Vec::new();
        for caller in [&viewer, &both] {
            let asked = caller.get(&format!("{OPERATIONS}/{id}/tasks/file?format=csv")).await.data();
            let task = format!("/api/task/v1/tasks/{}", asked["taskId"].as_str().unwrap());
            until("the file is there", async || caller.get(&task).await.data()["state"] == "succeeded").await;
            files.push(format!("{task}/file"));
        }
        let less = String::from_utf8(viewer.get(&files[0]).await.bytes).unwrap();
        assert!(less.contains("needs the permission") && !less.contains(",output,"), "{less}");
        assert_eq!(viewer.get(&files[1]).await.brief(), (200, 4003));
        assert!(String::from_utf8(both.get(&files[1]).await.bytes).unwrap().contains(",output,"));
        let mut left = Vec::new();
        for code in codes {
            left.push(crate::staff::menu_id(&clerk, code).await);
        }
        clerk.post("/v1/menus/allot", json!({ "groupId": both.group, "menuIds": left })).await.data();
        assert_eq!(both.get(&files[1]).await.brief(), (200, 4003), "the right has been taken since");
        work.stop().await;
    }
}
