//! Announcement.

use serde_json::json;
use super::TestApp;
use testkit::db_test;

const URL: &str = "/api/sample/v1/announcements";

db_test! {
    async fn it_is_made_changed_and_deleted_and_each_act_is_logged(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["announcement:list", "announcement:create", "announcement:update", "announcement:delete"]).await;

        let made = clerk.post(URL, json!({ "name": "甲" })).await.data();
        let one = format!("{URL}/{}", made["id"]);
        clerk.put(&one, json!({ "name": "乙" })).await.data();
        assert_eq!(clerk.get(URL).await.data()["list"][0]["name"], "乙");
        clerk.delete(&one, json!({})).await.data();

        assert_eq!(clerk.get(URL).await.data()["total"], 0);
        assert_eq!(clerk.delete(&one, json!({})).await.brief(), (404, 4004));
        assert_eq!(
            app.audit_trail().await,
            ["clerk announcement_create 0", "clerk announcement_update 0", "clerk announcement_delete 0"]
        );
    }

    async fn a_name_is_taken_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["announcement:create"]).await;
        clerk.post(URL, json!({ "name": "甲" })).await.data();
        let again = clerk.post(URL, json!({ "name": "甲" })).await;
        assert_eq!((again.brief(), again.errors()), ((409, 4009), vec!["name taken".to_owned()]));
        assert_eq!(clerk.post(URL, json!({ "name": "" })).await.errors(), ["name required"]);
    }
}
