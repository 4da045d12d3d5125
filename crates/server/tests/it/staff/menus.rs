//! The menu tree: its shape, whose it is, and how it is arranged.

use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use super::{codes, menu_id};

/// Both ways in which clients write the menu calls.
const PREFIXES: [&str; 2] = ["/v1/menus", "/api/user/v1/menus"];
const MENUS: &str = "/v1/menus";

async fn made(by: &Caller<'_>, parent: Value, changes: Value) -> Value {
    let mut body = json!({ "parentId": parent, "name": "自定义", "path": "custom", "icon": "star" });
    for (field, value) in changes.as_object().unwrap() {
        body[field] = value.clone();
    }
    by.post(&format!("{MENUS}/create"), body).await.data()
}

db_test! {
    async fn the_tree_has_the_shape_that_clients_read(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let tree = admin.get(&format!("/v1/menus/tree?groupId={}&cacheable=false", admin.group.unwrap())).await.data();
        for section in tree.as_array().unwrap() {
            assert!(section["parentId"].is_null() && !section["path"].as_str().unwrap().is_empty(), "{section}");
            for screen in section["children"].as_array().unwrap() {
                assert_eq!(screen["parentId"], section["id"]);
                assert!(!screen["path"].as_str().unwrap().is_empty() && !screen["icon"].as_str().unwrap().is_empty(), "{screen}");
                for button in screen["children"].as_array().unwrap() {
                    assert_eq!((&button["parentId"], &button["children"], &button["visible"]), (&screen["id"], &json!([]), &json!(true)));
                }
            }
        }
        let mut all: Vec<&str> = testapp::CODES.clone();
        let mut found = codes(&tree);
        all.sort_unstable();
        found.sort_unstable();
        assert_eq!(found, all);
        assert_eq!(admin.get("/api/user/v1/menus/tree").await.data(), tree, "one's own where no group is named");
    }

    async fn a_tree_is_ones_own_unless_one_manages_groups_or_menus(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("clerk", &["operator:list"]).await;
        for prefix in PREFIXES {
            let own = clerk.get(&format!("{prefix}/tree?groupId={}", clerk.group.unwrap())).await.data();
            assert_eq!(codes(&own), ["operator:list"]);
            let other = clerk.get(&format!("{prefix}/tree?groupId={}", admin.group.unwrap())).await;
            assert_eq!((other.brief(), &other.json()["data"]), ((200, 4003), &Value::Null));
            for (nonsense, status) in [("-1", 4003), ("9223372036854775808", 4000), ("abc", 4000), ("1%00", 4000), ("999999", 4003)] {
                assert_eq!(clerk.get(&format!("{prefix}/tree?groupId={nonsense}")).await.status(), status, "{nonsense}");
            }
        }
        for code in ["group:allot", "menu:list"] {
            let manager = app.operator(&code.replace(':', "_"), &[code]).await;
            assert_eq!(codes(&manager.get(&format!("/v1/menus/tree?groupId={}", clerk.group.unwrap())).await.data()), ["operator:list"]);
            assert_eq!(manager.get("/v1/menus/tree?groupId=999999").await.brief(), (404, 4004));
        }
    }

    async fn the_top_is_null_or_zero_as_a_number_or_a_text(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        for (at, top) in [Value::Null, json!(0), json!("0")].into_iter().enumerate() {
            let body = json!({ "parentId": top, "name": "自定义", "path": format!("/top{at}"), "icon": "star" });
            let made = admin.post(&format!("{MENUS}/create"), body.clone()).await.data();
            assert_eq!((&made["parentId"], made["path"].as_str()), (&Value::Null, Some(&*format!("/top{at}"))), "{top}");
            let kept = admin.put(&format!("{MENUS}/update/{}", made["id"]), body).await.data();
            assert_eq!(kept["parentId"], Value::Null, "{top}");
            let below = json!({ "parentId": made["id"].to_string(), "name": "下级", "path": "page", "icon": "star" });
            assert_eq!(admin.post(&format!("{MENUS}/create"), below).await.data()["parentId"], made["id"]);
        }
        let sections = admin.get(&format!("{MENUS}/findByParentId")).await.data();
        assert_eq!(admin.get(&format!("{MENUS}/findByParentId?parentId=0")).await.data(), sections);
        for nonsense in [json!("x"), json!(1.5), json!([]), json!(-1)] {
            let body = json!({ "parentId": nonsense, "name": "x", "path": "/x" });
            assert_eq!(admin.post(&format!("{MENUS}/create"), body).await.brief(), (400, 4000), "{nonsense}");
        }
    }

    async fn an_entry_is_made_found_renamed_hidden_moved_and_deleted(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        for (at, prefix) in PREFIXES.into_iter().enumerate() {
            let body = |parent: Value, path: &str, code: Value| json!({ "parentId": parent, "name": "自定义", "path": path, "icon": "star", "code": code });
            let section = admin.post(&format!("{prefix}/create"), body(Value::Null, &format!("/own{at}"), Value::Null)).await.data();
            let screen = admin.post(&format!("{prefix}/create"), body(section["id"].clone(), "page", Value::Null)).await.data();
            let button = admin.post(&format!("{prefix}/create"), body(screen["id"].clone(), "", json!(format!("own{at}:act")))).await.data();
            assert_eq!((&section["kind"], &screen["kind"], &button["kind"]), (&json!(1), &json!(2), &json!(3)));
            let below = admin.get(&format!("{prefix}/findByParentId?parentId={}", section["id"])).await.data();
            assert_eq!(below, json!([screen]));

            let staff = menu_id(&admin, "staff").await;
            let moved = admin.put(&format!("{prefix}/update/{}", screen["id"]), json!({ "parentId": staff, "name": "新名字", "path": format!("moved{at}") })).await.data();
            assert_eq!((&moved["parentId"], &moved["name"], &moved["icon"], &moved["code"]), (&staff, &json!("新名字"), &json!("star"), &screen["code"]));
            admin.put(&format!("{prefix}/update/{}/visible", screen["id"]), json!({ "visible": false })).await.data();
            assert_eq!(admin.get(&format!("{prefix}/findById?id={}", screen["id"])).await.data()["visible"], false);

            // The built-in group gets the added entry at once, and sees that it is hidden.
            let tree = admin.get(&format!("{prefix}/tree")).await.data();
            assert!(codes(&tree).contains(&format!("own{at}:act")));
            let section_now = tree.as_array().unwrap().iter().find(|entry| entry["id"] == staff).unwrap();
            let hidden = section_now["children"].as_array().unwrap().iter().find(|entry| entry["id"] == screen["id"]).unwrap();
            assert_eq!(hidden["visible"], false);

            assert_eq!(admin.delete(&format!("{prefix}/delete/{}", screen["id"]), json!({})).await.brief(), (409, 4009));
            for entry in [&button, &screen, &section] {
                admin.delete(&format!("{prefix}/delete/{}", entry["id"]), json!({})).await.data();
                assert_eq!(admin.get(&format!("{prefix}/findById?id={}", entry["id"])).await.brief(), (404, 4004));
            }
        }
    }

    async fn both_paths_of_a_call_are_one_act_in_the_log(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let id = menu_id(&admin, "menus").await;
        for prefix in PREFIXES {
            admin.put(&format!("{prefix}/update/{id}/visible"), json!({ "visible": true })).await.data();
        }
        assert_eq!(app.audit_trail().await, ["admin menu_set_visible 0", "admin menu_set_visible 0"]);
    }

    async fn an_entry_keeps_its_level(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let section = made(&admin, Value::Null, json!({ "path": "/own" })).await;
        let screen = made(&admin, section["id"].clone(), json!({})).await;
        let button = made(&admin, screen["id"].clone(), json!({ "code": "own:act" })).await;
        let update = |entry: &Value, parent: &Value| {
            let (admin, url) = (admin.clone(), format!("{MENUS}/update/{}", entry["id"]));
            let body = json!({ "parentId": parent, "name": "x", "path": entry["path"] });
            async move { admin.put(&url, body).await.errors() }
        };
        for (entry, parent) in [
            (&section, &section["id"]), (&section, &screen["id"]), (&screen, &screen["id"]), (&screen, &button["id"]),
            (&screen, &Value::Null), (&button, &section["id"]), (&button, &button["id"]),
        ] {
            assert_eq!(update(entry, parent).await, ["parentId menu.level"], "{entry} below {parent}");
        }
        assert_eq!(update(&screen, &json!(999_999)).await, ["parentId reference.unknown"]);
        let fourth = admin.post(&format!("{MENUS}/create"), json!({ "parentId": button["id"], "name": "x", "code": "own:more" })).await;
        assert_eq!(fourth.errors(), ["parentId menu.level"]);
        assert_eq!(admin.get(&format!("{MENUS}/findById?id={}", screen["id"])).await.data()["parentId"], section["id"]);
    }

    async fn a_button_is_moved_by_who_holds_its_code(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let arranger = app.operator("arranger", &["menu:list", "menu:update", "group:list"]).await;
        let elsewhere = menu_id(&admin, "tasks").await;
        for (code, brief) in [("operator:resetPassword", (409, 4009)), ("group:list", (200, 0))] {
            let id = menu_id(&admin, code).await;
            let before = admin.get(&format!("{MENUS}/findById?id={id}")).await.data();
            let body = |parent: &Value| json!({ "parentId": parent, "name": before["name"], "code": code });
            let moved = arranger.put(&format!("{MENUS}/update/{id}"), body(&elsewhere)).await;
            assert_eq!(moved.brief(), brief, "{code}");
            let parent = admin.get(&format!("{MENUS}/findById?id={id}")).await.data()["parentId"].clone();
            assert_eq!(parent == elsewhere, brief.1 == 0, "{code}");
            let renamed = arranger.put(&format!("{MENUS}/update/{id}"), body(&parent)).await;
            assert_eq!(renamed.brief(), (200, 0), "{code}: it stays where it is");
        }
    }

    async fn what_comes_with_the_console_is_renamed_and_hidden_but_stays(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let id = menu_id(&admin, "groups").await;
        let url = format!("{MENUS}/update/{id}");
        let before = admin.get(&format!("{MENUS}/findById?id={id}")).await.data();
        let body = |changes: Value| {
            let mut body = json!({ "parentId": before["parentId"], "name": before["name"], "path": before["path"], "code": before["code"] });
            for (field, value) in changes.as_object().unwrap() {
                body[field] = value.clone();
            }
            body
        };
        assert_eq!(admin.put(&url, body(json!({ "path": "elsewhere" }))).await.errors(), ["path menu.fixed"]);
        assert_eq!(admin.put(&url, body(json!({ "code": "other" }))).await.errors(), ["code menu.fixed"]);
        assert_eq!(admin.delete(&format!("{MENUS}/delete/{id}"), json!({})).await.brief(), (409, 4009));
        let button = menu_id(&admin, "menu:delete").await;
        assert_eq!(admin.delete(&format!("{MENUS}/delete/{button}"), json!({})).await.brief(), (409, 4009));

        assert_eq!(admin.clone().lang("en").get(&format!("{MENUS}/findById?id={id}")).await.data()["title"], "Permission groups");
        let after = admin.clone().lang("en").put(&url, body(json!({ "name": "我们的组", "visible": false, "sort": 7 }))).await.data();
        assert_eq!((&after["title"], &after["visible"], &after["sort"], &after["builtin"]), (&json!("我们的组"), &json!(false), &json!(7), &json!(true)));

        // A start of the server leaves that as it is.
        server::boot::synchronise(&app.app.db, &app.app.clock, &app.app.catalogue).await.unwrap();
        assert_eq!(admin.get(&format!("{MENUS}/findById?id={id}")).await.data()["name"], "我们的组");
    }

    async fn what_is_wrong_with_an_entry_is_told_at_its_field(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let staff = menu_id(&admin, "staff").await;
        let screen = menu_id(&admin, "menus").await;
        for (body, error) in [
            (json!({ "name": "", "path": "/x" }), "name required"),
            (json!({ "name": "x" }), "path required"),
            (json!({ "name": "x", "path": "/x y" }), "path menu.path"),
            (json!({ "name": "x", "path": "javascript:alert(1)" }), "path menu.path"),
            (json!({ "name": "x", "path": "/x", "sort": "first" }), "sort type.wrong"),
            (json!({ "name": "x", "path": "/x", "sort": -1 }), "sort integer.range"),
            (json!({ "name": "x", "path": "/x", "code": "1st" }), "code menu.code"),
            (json!({ "name": "x", "path": "/x", "code": "admin" }), "code menu.reserved"),
            (json!({ "name": "x", "path": "/x", "code": "none" }), "code menu.reserved"),
            (json!({ "name": "x", "path": "/x", "isBuiltin": true }), "isBuiltin field.unknown"),
            (json!({ "name": "x", "path": "/user" }), "path taken"),
            (json!({ "name": "x", "path": "/menus/", "parentId": staff }), "path taken"),
            (json!({ "name": "x", "parentId": screen }), "code required"),
            (json!({ "name": "x", "parentId": screen, "code": "group:list" }), "code taken"),
        ] {
            let answer = admin.post(&format!("{MENUS}/create"), body.clone()).await;
            let brief = if error.ends_with(" taken") { (409, 4009) } else { (400, 4000) };
            assert_eq!((answer.brief(), answer.errors()), (brief, vec![error.to_owned()]), "{body}");
        }
        for prefix in PREFIXES {
            for id in ["abc", "9223372036854775808", "%00"] {
                assert_eq!(admin.delete(&format!("{prefix}/delete/{id}"), json!({})).await.brief(), (400, 4000), "{id}");
            }
            assert_eq!(admin.get(&format!("{prefix}/findById")).await.errors(), ["id required"]);
        }
    }

    async fn a_custom_code_is_granted_like_any_other(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let arranger = app.operator("arranger", &["menu:list", "menu:create", "group:allot"]).await;
        let screen = menu_id(&admin, "menus").await;
        let button = made(&arranger, screen, json!({ "path": null, "code": "own:act" })).await;
        // Making a code is not holding it.
        let body = json!({ "groupId": arranger.group, "menuIds": [button["id"]] });
        assert_eq!(arranger.post("/v1/menus/allot", body).await.brief(), (409, 4009));
        let clerk = app.operator("clerk", &[]).await;
        admin.post("/v1/menus/allot", json!({ "groupId": clerk.group, "menuIds": [button["id"]] })).await.data();
        assert_eq!(codes(&clerk.get("/v1/menus/tree").await.data()), ["own:act"]);
        let page = admin.get(&format!("{MENUS}/findAll?pageIndex=1&pageSize=500")).await.data();
        assert_eq!(page["total"], page["list"].as_array().unwrap().len());
    }
}
