//! Operators: who may make, change, disable and delete whom.

use std::collections::BTreeSet;

use entity::GroupId;
use serde_json::{Value, json};
use testapp::{Caller, PASSWORD, TestApp};
use testkit::db_test;

use super::log_text;

const USER: &str = "/api/user/v1/designjet/user";
const LIST: &str = "/api/user/v1/designjet/user/list";
/// What a head of staff holds.
const HEAD: &[&str] = &[
    "operator:list",
    "operator:get",
    "operator:create",
    "operator:update",
    "operator:delete",
    "operator:resetPassword",
    "operator:signOut",
    "group:list",
    "group:allot",
];

async fn payload(by: &Caller<'_>, name: &str, group: GroupId) -> Value {
    json!({
        "username": name, "password": by.encrypted(PASSWORD).await, "groupId": group, "accountType": "normal",
        "email": "someone@example.com", "phone": "13800138000", "remark": "新员工", "enabled": true,
    })
}

/// `made` as a change of itself.
fn edited(made: &Value, changes: Value) -> Value {
    let mut body = json!({});
    for field in ["id", "username", "groupId", "accountType", "email", "phone", "remark", "enabled"] {
        body[field] = made[field].clone();
    }
    for (field, value) in changes.as_object().unwrap() {
        body[field] = value.clone();
    }
    body
}

fn names(page: &Value) -> Vec<&str> {
    page["list"].as_array().unwrap().iter().map(|row| row["username"].as_str().unwrap()).collect()
}

db_test! {
    async fn a_new_operator_signs_in_and_must_choose_a_password(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let made = admin.post(USER, payload(&admin, "newcomer", admin.group.unwrap()).await).await.data();

        for (field, value) in [("username", "newcomer"), ("accountType", "normal"), ("email", "someone@example.com"), ("phone", "13800138000"), ("remark", "新员工")] {
            assert_eq!(made[field], value, "{made}");
        }
        assert_eq!(made["mustChangePassword"], true);
        assert_eq!(made["group"], json!({ "id": admin.group, "name": "超级管理员组" }));
        let token = admin.sign_in("newcomer", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let newcomer = app.anybody().token(token);
        assert_eq!(newcomer.post(LIST, json!({})).await.brief(), (200, 4010));
        assert_eq!(newcomer.get("/v1/menus/tree").await.brief(), (200, 0), "the own tree is open to him");
        assert!(app.audit_trail().await.contains(&"admin operator_create 0".to_owned()));
    }

    async fn who_must_change_the_password_reads_nothing_of_others(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let made = admin.post(USER, payload(&admin, "newcomer", admin.group.unwrap()).await).await.data();
        let token = admin.sign_in("newcomer", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let newcomer = app.anybody().token(token);
        let other = app.operator("other", &["task:list"]).await;

        let own = newcomer.get(&format!("/api/v1.0/users/{}/", made["id"])).await.data();
        assert!(own["roles"].as_array().unwrap().contains(&json!("operator:list")), "he sees what he will hold: {own}");
        for path in [
            format!("/api/v1.0/users/{}/", other.operator.unwrap()),
            "/api/v1.0/users/999999/".to_owned(),
            format!("/v1/menus/tree?groupId={}", other.group.unwrap()),
            format!("/api/user/v1/menus/tree?groupId={}", other.group.unwrap()),
            "/v1/menus/tree?groupId=999999".to_owned(),
            "/api/user/v1/me/sessions".to_owned(),
            "/api/user/v1/me".to_owned(),
            "/api/task/v1/tasks".to_owned(),
            "/api/task/v1/events".to_owned(),
            "/v1/menus/findAll".to_owned(),
        ] {
            let answer = newcomer.get(&path).await;
            assert_eq!((answer.brief(), &answer.json()["data"]), ((200, 4010), &Value::Null), "{path}");
        }
        // Whatever a session may call before, it is one of these.
        let routes = server::router::surface().routes;
        let open = routes.iter().filter(|route| route.need == base::http::Need::AnySession);
        let open: BTreeSet<&str> = open.map(base::access::need::Route::action).collect();
        assert_eq!(open.into_iter().collect::<Vec<_>>(), ["menu_tree", "own_password_check", "own_password_update", "session_end", "user_info_get"]);
    }

    async fn no_secret_is_answered_or_logged(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let body = payload(&admin, "newcomer", admin.group.unwrap()).await;
        let made = admin.post(USER, body.clone()).await.data();
        let reset = admin.encrypted("Other1234").await;
        admin.put(&format!("{USER}/password"), json!({ "id": made["id"], "password": reset, "confirmPassword": reset })).await.data();

        let log = log_text(&app).await;
        let told = format!("{made} {} {}", admin.post(LIST, json!({})).await.data(), log);
        for secret in ["argon2", "password_hash", "passwordHash", "totp", body["password"].as_str().unwrap(), &reset] {
            assert!(!told.contains(secret), "{secret} in {told}");
        }
    }

    async fn what_is_wrong_is_told_at_its_field(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let good = payload(&admin, "newcomer", admin.group.unwrap()).await;
        for (field, value, code) in [
            ("username", json!("Upper"), "username.format"),
            ("username", json!("four"), "username.length"),
            ("email", json!("nobody"), "email.format"),
            ("phone", json!("1380013800"), "phone.format"),
            ("remark", json!("x".repeat(257)), "text.tooLong"),
            ("groupId", json!(999_999), "reference.unknown"),
            ("accountType", json!("king"), "type.wrong"),
            ("password", json!(""), "required"),
            ("password", json!("bm90IGEgY2lwaGVydGV4dA=="), "password.unreadable"),
            ("isEnabled", json!(true), "field.unknown"),
        ] {
            let mut body = good.clone();
            body[field] = value;
            let answer = admin.post(USER, body).await;
            assert_eq!(answer.brief(), (400, 4000), "{field}");
            assert_eq!(answer.errors(), [format!("{field} {code}")]);
        }
        assert_eq!(admin.post(LIST, json!({})).await.data()["total"], 1, "a refusal made somebody");
    }

    async fn a_taken_name_is_a_conflict_at_its_field(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let answer = admin.post(USER, payload(&admin, "admin", admin.group.unwrap()).await).await;
        assert_eq!(answer.brief(), (409, 4009));
        assert_eq!(answer.errors(), ["username taken"]);
        let other = app.operator("other", &[]).await;
        let before = admin.get(&format!("/api/user/v1/operators/{}", other.operator.unwrap())).await.data();
        let answer = admin.put(USER, edited(&before, json!({ "username": "admin" }))).await;
        assert_eq!(answer.errors(), ["username taken"]);
    }

    async fn the_list_is_filtered_sorted_and_searched_literally(db) {
        let app = TestApp::new(db).await;
        let head = app.operator("chief", HEAD).await;
        let group = app.group("others", &[]).await;
        for name in ["under_score", "underxscore"] {
            head.post(USER, payload(&head, name, group).await).await.data();
        }
        let found = |body: Value| { let head = head.clone(); async move { head.post(LIST, body).await.data() } };
        assert_eq!(names(&found(json!({})).await), ["underxscore", "under_score", "chief"]);
        assert_eq!(names(&found(json!({ "sort": "username", "order": "asc" })).await), ["chief", "under_score", "underxscore"]);
        assert_eq!(names(&found(json!({ "keyWord": "R_S" })).await), ["under_score"]);
        assert_eq!(names(&found(json!({ "keyWord": "%" })).await), Vec::<&str>::new());
        assert_eq!(names(&found(json!({ "groupId": group, "pageSize": 1, "pageNum": 2 })).await), ["under_score"]);
        assert_eq!(found(json!({ "groupId": group, "pageSize": 1, "pageNum": 2 })).await["total"], 2);
        assert_eq!(names(&found(json!({ "enabled": false })).await), Vec::<&str>::new());
        assert_eq!(names(&found(json!({ "accountType": "developer" })).await), Vec::<&str>::new());
    }

    async fn nobody_makes_edits_or_touches_whoever_holds_more_than_he(db) {
        let app = TestApp::new(db).await;
        let head = app.operator("chief", HEAD).await;
        let boss = app.operator("boss_", &[HEAD, &["menu:delete"]].concat()).await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        let (boss_id, clerk_id) = (boss.operator.unwrap(), clerk.operator.unwrap());
        let get = |id| { let head = head.clone(); async move { head.get(&format!("/api/user/v1/operators/{id}")).await.data() } };
        let (boss_before, clerk_before) = (get(boss_id).await, get(clerk_id).await);

        let password = head.encrypted("Other1234").await;
        let sessions = head.get(&format!("/api/user/v1/operators/{boss_id}/sessions")).await.data();
        let refusals = [
            head.post(USER, payload(&head, "crony", boss.group.unwrap()).await).await,
            head.put(USER, edited(&clerk_before, json!({ "groupId": boss.group }))).await,
            head.put(USER, edited(&boss_before, json!({ "groupId": head.group }))).await,
            head.put(USER, edited(&boss_before, json!({ "enabled": false }))).await,
            head.delete(USER, json!({ "idList": [clerk_id, boss_id] })).await,
            head.put(&format!("{USER}/password"), json!({ "id": boss_id, "password": password, "confirmPassword": password })).await,
            head.post(&format!("/api/user/v1/operators/{boss_id}/disable"), json!({})).await,
            head.post(&format!("/api/user/v1/operators/{boss_id}/signOut"), json!({})).await,
            head.delete(&format!("/api/user/v1/operators/{boss_id}/sessions/{}", sessions[0]["id"]), json!({})).await,
        ];
        for answer in refusals {
            assert_eq!(answer.brief(), (409, 4009));
            assert!(answer.json()["msg"].as_str().unwrap().contains("menu:delete"), "{}", answer.json());
        }
        assert_eq!((get(boss_id).await, get(clerk_id).await), (boss_before, clerk_before));
        assert_eq!(boss.post(LIST, json!({})).await.brief(), (200, 0), "his session goes on");

        // Operators with no more permissions can be managed.
        head.put(USER, edited(&get(clerk_id).await, json!({ "remark": "好员工" }))).await.data();
    }

    async fn a_disabled_operator_is_out_at_once_and_back_when_enabled(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        app.give_password(clerk.operator.unwrap()).await;
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 0));

        let after = admin.post(&format!("/api/user/v1/operators/{}/disable", clerk.operator.unwrap()), json!({})).await.data();
        assert_eq!(after["enabled"], false);
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (403, 6403));
        assert_eq!(admin.sign_in("clerk", PASSWORD, "").await.status(), 4001);

        admin.post(&format!("/api/user/v1/operators/{}/enable", clerk.operator.unwrap()), json!({})).await.data();
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (403, 6403), "an ended session stays ended");
        assert_eq!(admin.sign_in("clerk", PASSWORD, "").await.status(), 0);
    }

    async fn a_deleted_operator_hears_that_his_account_is_closed(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        admin.delete(USER, json!({ "idList": [clerk.operator, clerk.operator] })).await.data();
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (403, 6403));
        assert_eq!(admin.get(&format!("/api/user/v1/operators/{}", clerk.operator.unwrap())).await.brief(), (404, 4004));
    }

    async fn deleting_is_all_or_nothing(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        for (ids, brief) in [
            (json!([clerk.operator, 999_999]), (404, 4004)),
            (json!([clerk.operator, admin.operator]), (409, 4009)),
            (json!([]), (400, 4000)),
        ] {
            assert_eq!(admin.delete(USER, json!({ "idList": ids })).await.brief(), brief);
        }
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 0));
    }

    async fn nobody_disables_or_resets_himself(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let me = admin.get("/api/user/v1/me").await.data();
        let password = admin.encrypted("Other1234").await;
        for answer in [
            admin.put(USER, edited(&me, json!({ "enabled": false }))).await,
            admin.post(&format!("/api/user/v1/operators/{}/disable", me["id"]), json!({})).await,
            admin.put(&format!("{USER}/password"), json!({ "id": me["id"], "password": password, "confirmPassword": password })).await,
            admin.put(USER, edited(&me, json!({ "password": password }))).await,
        ] {
            assert_eq!(answer.brief(), (409, 4009));
        }
        assert_eq!(admin.get("/api/user/v1/me").await.data(), me);
    }

    async fn nobody_changes_his_own_account_type_and_whose_is_changed_signs_in_again(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let head = app.operator("chief", HEAD).await;
        let me = head.get("/api/user/v1/me").await.data();
        let other = |of: &Value| if of["accountType"] == "power" { "normal" } else { "power" };
        // It decides whether the second factor is required.
        for who in [&head, &admin] {
            let me = who.get("/api/user/v1/me").await.data();
            let answer = who.put(USER, edited(&me, json!({ "accountType": other(&me) }))).await;
            assert_eq!(answer.brief(), (409, 4009), "{me}");
            assert_eq!(who.get("/api/user/v1/me").await.data(), me);
        }
        head.put(USER, edited(&me, json!({ "remark": "其他都可以改" }))).await.data();
        assert_eq!(head.post(LIST, json!({})).await.brief(), (200, 0), "that ends no session");
        let changed = admin.put(USER, edited(&me, json!({ "accountType": other(&me) }))).await.data();
        assert_eq!(changed["accountType"], other(&me));
        assert_eq!(head.post(LIST, json!({})).await.brief(), (200, 6014));
        assert_eq!(admin.post(LIST, json!({})).await.brief(), (200, 0));
    }

    async fn who_is_renamed_signs_in_again_and_chooses_a_password_without_that_name(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        app.give_password(clerk.operator.unwrap()).await;
        let me = clerk.get("/api/user/v1/me").await.data();
        let renamed = admin.put(USER, edited(&me, json!({ "username": "right" }))).await.data();
        assert_eq!((&renamed["username"], &renamed["mustChangePassword"]), (&json!("right"), &json!(true)));
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 6014));
        let token = app.anybody().sign_in("right", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let clerk = app.anybody().token(token);
        let need = clerk.post("/api/user/v5/user/checkUpdatePsw", json!({})).await.data();
        assert_eq!(need, json!({ "needUpdate": true, "reason": "renamed" }));
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 4010));
        let own = clerk.encrypted("Right123").await;
        let body = json!({ "password": own, "confirmPassword": own });
        let answer = clerk.post("/api/user/v1/designjet/login/updatePassword", body).await;
        assert_eq!(answer.errors(), ["password password.userName"]);

        // Who has to choose one anyway does so for that reason.
        let made = admin.post(USER, payload(&admin, "newcomer", admin.group.unwrap()).await).await.data();
        admin.put(USER, edited(&made, json!({ "username": "latecomer" }))).await.data();
        let token = app.anybody().sign_in("latecomer", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
        let need = app.anybody().token(token).post("/api/user/v5/user/checkUpdatePsw", json!({})).await.data();
        assert_eq!(need["reason"], "firstSignIn");
    }

    async fn the_last_who_may_manage_operators_stays(db) {
        let app = TestApp::new(db).await;
        let head = app.operator("chief", HEAD).await;
        let deputy = app.operator("deputy", HEAD).await;
        let powerless = app.group("powerless", &["operator:list"]).await;
        let me = head.get("/api/user/v1/me").await.data();
        // With a deputy one may step down; here only the deputy is removed.
        head.delete(USER, json!({ "idList": [deputy.operator] })).await.data();

        let answer = head.put(USER, edited(&me, json!({ "groupId": powerless }))).await;
        assert_eq!(answer.brief(), (409, 4009));
        let rights = head.get(&format!("/api/user/v1/groups/{}/rights", head.group.unwrap())).await.data();
        assert_eq!(rights["group"]["codeCount"], HEAD.len());
        let allot = head.post("/v1/menus/allot", json!({ "groupId": head.group, "menuIds": [] })).await;
        assert_eq!(allot.brief(), (409, 4009));
        assert_eq!(head.post(LIST, json!({})).await.brief(), (200, 0), "he still may");

        let heir = app.operator("heir_", HEAD).await;
        head.put(USER, edited(&me, json!({ "groupId": powerless }))).await.data();
        assert_eq!(head.post(USER, json!({})).await.brief(), (200, 4003), "the new group acts on the next request");
        assert_eq!(heir.post(LIST, json!({})).await.brief(), (200, 0));
    }

    async fn a_reset_signs_out_and_must_be_followed_by_a_change(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        let id = clerk.operator.unwrap();
        let url = format!("{USER}/password");
        let (one, other) = (admin.encrypted("Reset1234").await, admin.encrypted("Else12345").await);
        let answer = admin.put(&url, json!({ "id": id, "password": one, "confirmPassword": other })).await;
        assert_eq!(answer.errors(), ["confirmPassword password.mismatch"]);
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 0));

        // Encrypted twice, as a careful client does.
        let (one, again) = (admin.encrypted("Reset1234").await, admin.encrypted("Reset1234").await);
        admin.put(&url, json!({ "id": id, "password": one, "confirmPassword": again })).await.data();
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 6014));
        let token = admin.sign_in("clerk", "Reset1234", "").await.data()["token"].as_str().unwrap().to_owned();
        let clerk = app.anybody().token(token);
        let need = clerk.post("/api/user/v5/user/checkUpdatePsw", json!({})).await.data();
        assert_eq!(need, json!({ "needUpdate": true, "reason": "reset" }));
        assert_eq!(admin.put(&url, json!({ "id": 999_999, "password": one, "confirmPassword": one })).await.brief(), (404, 4004));
    }

    async fn a_password_in_an_edit_is_a_reset_and_needs_its_code(db) {
        let app = TestApp::new(db).await;
        let editor = app.operator("editor", &["operator:get", "operator:update", "group:allot", "operator:list"]).await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        let before = editor.get(&format!("/api/user/v1/operators/{}", clerk.operator.unwrap())).await.data();
        let body = edited(&before, json!({ "password": editor.encrypted("Other1234").await, "remark": "x" }));
        assert_eq!(editor.put(USER, body).await.brief(), (200, 4003));
        assert_eq!(editor.get(&format!("/api/user/v1/operators/{}", clerk.operator.unwrap())).await.data(), before);

        let admin = app.admin().await;
        let body = edited(&before, json!({ "password": admin.encrypted("Other1234").await }));
        assert_eq!(admin.put(USER, body).await.data()["mustChangePassword"], true);
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 6014));
    }
}
