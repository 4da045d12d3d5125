//! What the contract says about every answer.

use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

db_test! {
    async fn an_unknown_call_is_a_4004_and_an_unknown_page_is_the_console(db) {
        let app = TestApp::new(db).await;
        assert_eq!(app.anybody().get("/api/nothing").await.brief(), (404, 4004));
        assert_eq!(app.anybody().get("/api/user/v1/designjet/login").await.brief(), (404, 4004));
        let page = app.anybody().get("/clientUser").await;
        assert!(page.headers.contains_key("content-security-policy"));
    }

    async fn a_page_may_run_the_script_it_holds_and_no_other(db) {
        // The digest is that of `openssl dgst -sha256 -binary | base64`.
        let page = b"<head><script>alert(1)</script><script type=\"module\" src=\"/assets/a.js\"></script></head>";
        let policy = server::web::policy(page).unwrap();
        let scripts = policy.to_str().unwrap().split("; ").find(|part| part.starts_with("script-src"));
        assert_eq!(scripts, Some("script-src 'self' 'sha256-bhHHL3z2vDgxUt0W3dWQOrprscmda2Y5pLsLg4GF+pI='"));

        // What holds none has the policy of all other answers, and so has whatever is no page of ours.
        let app = TestApp::new(db).await;
        let call = app.anybody().get("/api/nothing").await;
        assert_eq!(server::web::policy(b"<p>").as_ref(), call.headers.get("content-security-policy"));
        let page = app.anybody().get("/clientUser").await;
        let sent = page.headers["content-security-policy"].to_str().unwrap();
        assert_eq!(sent.matches("'unsafe-inline'").count(), 1, "for styles alone: {sent}");
        let scripts = String::from_utf8_lossy(&page.bytes).matches("<script>").count();
        assert_eq!(sent.matches("'sha256-").count(), scripts, "{sent}");
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

/// Pairs that stay: the log keeps who and what as they were called then, also when they are gone.
const NO_REFERENCES: [(&str, &str); 2] = [("OperationLogView", "operator"), ("OperationLogView", "object")];

#[test]
fn what_refers_to_another_thing_is_a_reference_and_no_pair_of_id_and_name() {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let mut pairs = Vec::new();
    for (schema, described) in schemas {
        let parts = std::iter::once(described).chain(described["allOf"].as_array().into_iter().flatten());
        let fields: Vec<&str> = parts
            .filter_map(|part| part["properties"].as_object())
            .flatten()
            .map(|(field, _)| field.as_str())
            .collect();
        let things = fields.iter().filter_map(|field| field.strip_suffix("Id"));
        pairs.extend(things.filter(|of| fields.contains(&&*format!("{of}Name"))).map(|of| (schema.as_str(), of)));
    }
    pairs.sort_unstable();
    let mut known = NO_REFERENCES;
    known.sort_unstable();
    assert_eq!(pairs, known, "a `base::reference::Reference` says both");
}
