//! What the contract says about every answer.

use serde_json::json;
use testkit::db_test;

use crate::support::TestApp;

db_test! {
    async fn an_unknown_call_is_a_4004_and_an_unknown_page_is_the_console(db) {
        let app = TestApp::new(db).await;
        assert_eq!(app.anybody().get("/api/nothing").await.brief(), (404, 4004));
        assert_eq!(app.anybody().get("/api/user/v1/designjet/login").await.brief(), (404, 4004));
        let page = app.anybody().get("/clientUser").await;
        assert!(page.headers.contains_key("content-security-policy"));
    }

    async fn the_language_is_the_headers_then_the_cookies_then_chinese(db) {
        let app = TestApp::new(db).await;
        let url = "/api/user/v5/user/checkUpdatePsw";
        let zh = app.anybody().post(url, json!({})).await.json();
        let en = app.anybody().lang("en-GB,zh;q=0.5").post(url, json!({})).await.json();
        let cookie = app.anybody().header("cookie", "a=b; language=en").post(url, json!({})).await.json();
        let header_wins = app.anybody().lang("zh-CN").header("cookie", "language=en").post(url, json!({})).await.json();
        assert_eq!(zh["msg"], "请先登录");
        assert_eq!(en["msg"], "Please log in first");
        assert_eq!(cookie["msg"], en["msg"]);
        assert_eq!(header_wins["msg"], zh["msg"]);
    }

    async fn a_nul_in_a_text_is_named_at_its_field(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list", "clientUser:create"]).await;
        let body = clerk.post("/api/user/v1/client-users", json!({ "name": "a\0b" })).await;
        assert_eq!((body.brief(), body.errors()), ((400, 4000), vec!["name text.control".to_owned()]));
        let search = clerk.post("/api/user/v5/user/getPageUserInfo", json!({ "keyWord": "\0" })).await;
        assert_eq!(search.errors(), ["keyWord text.control"]);
    }

    async fn a_body_that_is_too_large_or_of_a_wrong_type_is_told_so(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &["clientUser:list"]).await;
        let url = "/api/user/v5/user/getPageUserInfo";
        let large = clerk.post(url, json!({ "keyWord": "x".repeat(2 * 1024 * 1024) })).await;
        assert_eq!(large.brief(), (413, 4013));
        let wrong = clerk.send(http::Method::POST, url, "text/xml", "<a/>".into()).await;
        assert_eq!(wrong.brief(), (415, 4015));
    }
}
