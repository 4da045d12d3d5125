//! Permission groups and what is allotted to them.

use serde_json::{Value, json};
use testapp::TestApp;
use testkit::db_test;

use super::{codes, menu_id};

const GROUP: &str = "/api/user/v1/designjet/permissions/group";
const LIST: &str = "/api/user/v1/designjet/permissions/group/list";

async fn tree_codes(app: &testapp::Caller<'_>, group: &Value) -> Vec<String> {
    codes(&app.get(&format!("/v1/menus/tree?groupId={group}")).await.data())
}

db_test! {
    async fn a_group_is_made_renamed_listed_and_deleted(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let made = admin.post(GROUP, json!({ "groupName": "客服值班一组" })).await.data();
        assert_eq!((&made["operatorCount"], &made["codeCount"], &made["builtin"]), (&json!(0), &json!(0), &json!(false)));
        let renamed = admin.put(GROUP, json!({ "id": made["id"], "groupName": "Support 50%_off" })).await.data();
        assert_eq!((&renamed["id"], &renamed["groupName"]), (&made["id"], &json!("Support 50%_off")));
        let page = admin.post(LIST, json!({ "page": 1, "keyWord": "0%_" })).await.data();
        assert_eq!((&page["total"], &page["list"][0]["id"]), (&json!(1), &made["id"]));
        let builtin = &admin.post(LIST, json!({})).await.data()["list"][0];
        assert_eq!((&builtin["builtin"], &builtin["operatorCount"]), (&json!(true), &json!(1)));
        assert!(builtin["codeCount"].as_i64().unwrap() > 20);
        assert_eq!(admin.get(&format!("{GROUP}/all")).await.data().as_array().unwrap().len(), 2);

        admin.delete(GROUP, json!({ "idList": [made["id"]] })).await.data();
        assert_eq!(admin.post(LIST, json!({})).await.data()["total"], 1);
        let trail = app.audit_trail().await;
        assert_eq!(trail, ["admin group_create 0", "admin group_update 0", "admin group_delete 0"]);
    }

    async fn names_have_6_to_32_characters_and_are_unique(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        for (name, code) in [("short", "text.length"), ("", "required"), (" leading", "text.leadingSpace")] {
            assert_eq!(admin.post(GROUP, json!({ "groupName": name })).await.errors(), [format!("groupName {code}")]);
        }
        admin.post(GROUP, json!({ "groupName": "permitted" })).await.data();
        let again = admin.post(GROUP, json!({ "groupName": "permitted" })).await;
        assert_eq!((again.brief(), again.errors()), ((409, 4009), vec!["groupName taken".to_owned()]));
    }

    async fn deleting_spares_whom_it_must(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let empty = app.group("empty group", &[]).await;
        let member = app.operator("member", &[]).await;
        for (ids, brief) in [
            (json!([empty, admin.group]), (409, 4009)),
            (json!([empty, member.group]), (409, 4009)),
            (json!([empty, 999_999]), (404, 4004)),
            (json!([]), (400, 4000)),
        ] {
            assert_eq!(admin.delete(GROUP, json!({ "idList": ids })).await.brief(), brief, "{ids}");
        }
        assert_eq!(admin.get(&format!("/api/user/v1/groups/{empty}/rights")).await.brief(), (200, 0));
    }

    async fn allotting_replaces_the_set_and_acts_on_the_next_request(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["group:list"]).await;
        let group = json!(clerk.group);
        assert_eq!(clerk.post(LIST, json!({})).await.status(), 0);

        // One button: its screen and section come with it.
        let ids = json!([menu_id(&admin, "menu:list").await]);
        for path in ["/v1/menus/allot", "/api/user/v1/menus/allot"] {
            admin.post(path, json!({ "groupId": group, "menuIds": ids })).await.data();
        }
        assert_eq!(clerk.post(LIST, json!({})).await.brief(), (200, 4003));
        assert_eq!(clerk.get("/v1/menus/findAll").await.status(), 0);
        assert_eq!(tree_codes(&clerk, &group).await, ["menu:list"]);
        let info = clerk.get(&format!("/api/v1.0/users/{}/", clerk.operator.unwrap())).await.data();
        assert_eq!(info["roles"], json!(["menu:list"]));

        admin.post("/v1/menus/allot", json!({ "groupId": group, "menuIds": [] })).await.data();
        assert_eq!(clerk.get("/v1/menus/findAll").await.brief(), (200, 4003));
        assert_eq!(tree_codes(&clerk, &group).await, ["none"]);
    }

    async fn nobody_allots_what_he_lacks_nor_to_whoever_holds_more(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let head = app.operator("head", &["group:allot", "group:list", "group:create", "group:delete", "group:update"]).await;
        let target = app.group("the target", &["group:list"]).await;
        let above = app.group("one above", &["group:list", "menu:delete"]).await;
        let (held, lacked) = (menu_id(&admin, "group:create").await, menu_id(&admin, "menu:create").await);
        let screen = menu_id(&admin, "introduction").await;

        for (group, ids, names) in [
            (json!(target), json!([held, lacked]), "menu:create"),
            (json!(target), json!([held, screen]), "introduction"),
            (json!(above), json!([held]), "menu:delete"),
        ] {
            let answer = head.post("/v1/menus/allot", json!({ "groupId": group, "menuIds": ids })).await;
            assert_eq!(answer.brief(), (409, 4009));
            assert!(answer.json()["msg"].as_str().unwrap().contains(names), "{}", answer.json());
        }
        for answer in [
            head.post(&format!("/api/user/v1/groups/{above}/copy"), json!({ "groupName": "a copy of it" })).await,
            head.delete(GROUP, json!({ "idList": [target, above] })).await,
            head.put(GROUP, json!({ "id": above, "groupName": "renamed" })).await,
        ] {
            assert_eq!(answer.brief(), (409, 4009));
        }
        assert_eq!(tree_codes(&head, &json!(target)).await, ["group:list"]);
        assert_eq!(tree_codes(&head, &json!(above)).await, ["group:list", "menu:delete"]);

        head.post("/v1/menus/allot", json!({ "groupId": target, "menuIds": [held] })).await.data();
        assert_eq!(tree_codes(&head, &json!(target)).await, ["group:create"]);
    }

    async fn the_built_in_group_keeps_everything(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let before = tree_codes(&admin, &json!(admin.group)).await;
        assert_eq!(admin.post("/v1/menus/allot", json!({ "groupId": admin.group, "menuIds": [] })).await.brief(), (409, 4009));
        assert_eq!(tree_codes(&admin, &json!(admin.group)).await, before);
    }

    async fn what_does_not_exist_is_not_allotted(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let group = app.group("the target", &["group:list"]).await;
        let answer = admin.post("/v1/menus/allot", json!({ "groupId": group, "menuIds": [999_999] })).await;
        assert_eq!(answer.errors(), ["menuIds reference.unknown"]);
        assert_eq!(admin.post("/v1/menus/allot", json!({ "groupId": 999_999, "menuIds": [] })).await.brief(), (404, 4004));
        assert_eq!(tree_codes(&admin, &json!(group)).await, ["group:list"]);
    }

    async fn a_group_is_copied_compared_and_its_members_named(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["group:list", "menu:list"]).await;
        let copy = admin.post(&format!("/api/user/v1/groups/{}/copy", clerk.group.unwrap()), json!({ "groupName": "second clerks" })).await.data();
        assert_eq!(copy["codeCount"], 2);
        let members = admin.get(&format!("/api/user/v1/groups/{}/members", clerk.group.unwrap())).await.data();
        assert_eq!((&members["total"], &members["list"][0]["username"]), (&json!(1), &json!("clerk")));

        let ids = json!([menu_id(&admin, "menu:list").await, menu_id(&admin, "menu:create").await]);
        admin.post("/v1/menus/allot", json!({ "groupId": copy["id"], "menuIds": ids })).await.data();
        let url = format!("/api/user/v1/groups/compare?left={}&right={}", clerk.group.unwrap(), copy["id"]);
        let found = admin.lang("en").get(&url).await.data();
        let of = |side: &str| found[side].as_array().unwrap().iter().map(|row| row["code"].as_str().unwrap().to_owned()).collect::<Vec<_>>();
        assert_eq!((of("onlyLeft"), of("both"), of("onlyRight")), (vec!["group:list".into()], vec!["menu:list".into()], vec!["menu:create".into()]));
        assert_eq!(found["onlyRight"][0]["screenName"], "Menu management");
    }

    async fn every_code_is_listed_with_name_and_screen_in_the_callers_language(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let zh = admin.get("/api/user/v1/designjet/permissions/all").await.data();
        let en = admin.clone().lang("en").get("/api/user/v1/designjet/permissions/all").await.data();
        assert_eq!(zh.as_array().unwrap().len(), testapp::CODES.len());
        for (zh, en) in zh.as_array().unwrap().iter().zip(en.as_array().unwrap()) {
            assert_eq!(zh["code"], en["code"]);
            for field in ["name", "screenName", "sectionName"] {
                assert!(en[field].as_str().unwrap().is_ascii() && !zh[field].as_str().unwrap().is_ascii(), "{zh} {en}");
            }
        }
    }

    async fn the_tree_to_allot_from_says_what_is_held_and_what_may_be_granted(db) {
        let app = TestApp::new(db).await;
        let head = app.operator("head", &["group:list", "group:allot"]).await;
        let target = app.group("the target", &["group:list", "menu:list"]).await;
        let rights = head.get(&format!("/api/user/v1/groups/{target}/rights")).await.data();
        let mut held = Vec::new();
        let mut grantable = Vec::new();
        for section in rights["tree"].as_array().unwrap() {
            for screen in section["children"].as_array().unwrap() {
                for button in screen["children"].as_array().unwrap() {
                    let code = button["code"].as_str().unwrap();
                    if button["allotted"] == true { held.push(code) }
                    if button["grantable"] == true { grantable.push(code) }
                }
            }
        }
        assert_eq!((held, grantable), (vec!["group:list", "menu:list"], vec!["group:list", "group:allot"]));
    }

    async fn groups_to_choose_from_are_for_those_who_put_operators_in_them(db) {
        let app = TestApp::new(db).await;
        let url = format!("{GROUP}/all");
        assert_eq!(app.operator("clerk", &["menu:list"]).await.get(&url).await.brief(), (200, 4003));
        assert_eq!(app.operator("maker", &["operator:create"]).await.get(&url).await.brief(), (200, 0));
    }
}
