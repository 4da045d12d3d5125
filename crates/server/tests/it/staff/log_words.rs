//! The operation log in words: what was done, to which objects, why, and what it changed.

use base::log::shape::COMMON;
use entity::phone::Life;
use kernel::lang::Lang;
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::site::{fill, site};

const LOG: &str = "/api/user/v1/operation/log";
const USERS: &str = "/api/user/v1/client-users";

async fn customers(clerk: &Caller<'_>, count: usize) -> Vec<i64> {
    let mut ids = Vec::new();
    for n in 0..count {
        let body = json!({ "name": format!("客户{n}"), "phone": format!("1380000000{n}") });
        ids.push(clerk.post(USERS, body).await.data()["id"].as_i64().unwrap());
    }
    ids
}

async fn history(clerk: &Caller<'_>, kind: &str, id: i64) -> Vec<Value> {
    let of_it = json!({ "objectKind": kind, "objectId": id.to_string() });
    clerk.post(&format!("{LOG}/list"), of_it).await.data()["list"].as_array().unwrap().clone()
}

/// The state of the first thing that quick search finds.
async fn hit(who: Caller<'_>, text: &str) -> Value {
    who.get(&format!("/api/general/v1/search?q={text}")).await.data()[0]["state"].clone()
}

db_test! {
    async fn an_act_on_several_objects_is_in_the_history_of_each_and_in_words(db) {
        let app = TestApp::new(db).await;
        let rights = ["clientUser:list", "clientUser:create", "clientUser:disable", "operationLog:list", "operationLog:export"];
        let clerk = app.operator("clerk", &rights).await;
        let ids = customers(&clerk, 3).await;
        let disable = json!({ "selection": { "ids": ids[..2] }, "status": 2, "reason": "恶意退款" });
        clerk.post(&format!("{USERS}/status"), disable).await.data();

        for id in &ids[..2] {
            let lines = history(&clerk, "clientUser", *id).await;
            assert_eq!(lines.len(), 2, "made, and disabled together with another");
            let line = &lines[0];
            assert_eq!((&line["actionName"], &line["reason"], &line["message"], &line["statusName"]),
                (&json!("禁用客户端用户"), &json!("恶意退款"), &json!("2 条"), &json!("成功")));
        }
        assert_eq!(history(&clerk, "clientUser", ids[2]).await.len(), 1, "the third was left alone");

        let line = history(&clerk, "clientUser", ids[0]).await[0]["id"].clone();
        let told = |of: &Value| of["changes"].as_array().unwrap().iter().filter(|change| change["differs"] == true)
            .map(|change| ["object", "label", "before", "after"].map(|key| change[key].as_str().unwrap().to_owned()).join("|")).collect::<Vec<_>>();
        let zh = clerk.get(&format!("{LOG}/{line}")).await.data();
        assert_eq!(told(&zh), ["客户0|状态|正常|已禁用", "客户1|状态|正常|已禁用"]);
        let en = clerk.clone().lang("en").get(&format!("{LOG}/{line}")).await.data();
        assert_eq!((told(&en)[0].as_str(), &en["actionName"], &en["message"]),
            ("客户0|Status|Active|Disabled", &json!("Disable client users"), &json!("2 records")));

        let enable = json!({ "selection": { "ids": [ids[0]] }, "status": 1, "reason": "" });
        clerk.post(&format!("{USERS}/status"), enable).await.data();
        assert_eq!(history(&clerk, "clientUser", ids[0]).await[0]["actionName"], "启用客户端用户");

        let answer = clerk.post(&format!("{LOG}/export"), json!({ "action": "client_user_set_status", "format": "csv" })).await;
        let text = String::from_utf8(answer.bytes).unwrap();
        assert!(text.contains("客户0 状态：正常；客户1 状态：正常") && text.contains("恶意退款"), "{text}");
    }

    async fn deleted_operators_and_cards_in_maintenance_keep_their_history(db) {
        let app = TestApp::new(db).await;
        let admin = app.admin().await;
        let clerk = app.operator("night", &[]).await;
        let id = clerk.operator.unwrap().0;
        admin.post(&format!("/api/user/v1/operators/{id}/disable"), json!({ "reason": "离职" })).await.data();
        admin.delete("/api/user/v1/designjet/user", json!({ "idList": [id] })).await.data();
        let lines = history(&admin, "operator", id).await;
        assert_eq!((&lines[0]["message"], &lines[1]["reason"], &lines[1]["actionName"]),
            (&json!("1 名操作员"), &json!("离职"), &json!("禁用操作员")));

        let place = site(&admin, 1).await;
        let cards = fill(&admin, &place).await;
        let work = json!({ "selection": { "ids": cards[..2] }, "state": 3, "reason": "换电源" });
        admin.post("/api/fleet/v1/cards/maintenance", work).await.data();
        for card in &cards[..2] {
            let lines = history(&admin, "card", *card).await;
            assert_eq!((&lines[0]["actionName"], &lines[0]["reason"]), (&json!("设备进入维护"), &json!("换电源")), "{lines:?}");
            let detail = admin.get(&format!("{LOG}/{}", lines[0]["id"])).await.data();
            let change = &detail["changes"][0];
            assert_eq!((&change["label"], &change["before"], &change["after"]), (&json!("维护"), &json!("正常"), &json!("维护中")), "{detail}");
        }
    }

    async fn quick_search_says_who_disabled_somebody_when_and_why_to_those_who_may_read_the_log(db) {
        let app = TestApp::new(db).await;
        let rights = ["clientUser:list", "clientUser:create", "clientUser:disable", "operator:list"];
        let clerk = app.operator("clerk", &rights).await;
        let ids = customers(&clerk, 2).await;
        let disable = json!({ "selection": { "ids": ids }, "status": 2, "reason": "恶意退款" });
        clerk.post(&format!("{USERS}/status"), disable).await.data();
        let admin = app.admin().await;
        let sleeper = app.operator("sleeper", &[]).await;
        admin.post(&format!("/api/user/v1/operators/{}/disable", sleeper.operator.unwrap()), json!({ "reason": "离职" })).await.data();

        let found = hit(admin.clone(), "13800000000").await;
        assert_eq!((&found["label"], &found["by"], &found["reason"]), (&json!("已禁用"), &json!("clerk"), &json!("恶意退款")));
        assert!(found["at"].is_string());
        let found = hit(admin.clone(), "sleeper").await;
        assert_eq!((&found["label"], &found["by"], &found["reason"]), (&json!("已禁用"), &json!("admin"), &json!("离职")));
        assert_eq!(hit(admin.clone().lang("en"), "sleeper").await["label"], "Disabled");
        assert_eq!(hit(admin.clone(), "clerk").await, Value::Null);
        // Whoever may not read the log learns that he is disabled, as in the list, and no more.
        let found = hit(clerk.clone(), "13800000000").await;
        assert_eq!(found, json!({ "label": "已禁用", "by": "", "at": null, "reason": "" }));
    }

    async fn every_field_of_a_logged_object_has_a_name(db) {
        let app = TestApp::new(db).await;
        let document = serde_json::to_value(server::router::document()).unwrap();
        let mut nameless = Vec::new();
        let schemas = server::domains::all().iter().flat_map(|domain| {
            let settings = domain.settings.iter().map(|entry| (format!("setting.{}", entry.logged.name), (entry.schema)()));
            domain.shapes.iter().map(|shape| (shape.kind().to_owned(), shape.schema())).chain(settings)
        });
        for (kind, schema) in schemas {
            for field in properties(&document, &schema) {
                if !["live", "counts"].contains(&field.as_str()) && !app.app.words.names(&kind, &field) {
                    nameless.push(format!("{kind}.{field}"));
                }
            }
        }
        assert!(nameless.is_empty(), "{nameless:?}");
    }

    async fn rules_of_phones_and_what_became_of_many_are_told_in_words(db) {
        let app = TestApp::new(db).await;
        let told = |id: &str, kind: &str, before: Value, after: Value| {
            let changes = app.app.words.changes((kind, id), Some(&before), Some(&after), Lang::En);
            changes.iter().map(|it| format!("{}|{}|{}|{}", it.object, it.label, it.before, it.after)).collect::<Vec<_>>()
        };
        let rules = told("phoneLife", "setting", json!({ "stay": 7 }), json!({ "stay": 9 }));
        assert_eq!(rules[0], "|Restorable after release (days)|7|9");
        // What expires is logged by its state alone; many at once by values without names, before and after.
        let (active, expired) = (Life::Active.code(), Life::Expired.code());
        assert_eq!(told("7", "phone", json!(active), json!(expired)), ["|Status|Active|Expired"]);
        let many = told("", "phone", json!([[7, active, 1, "x"]]), json!([[7, expired, 1, "x"]]));
        assert_eq!(many[0], "#7|State|Active|Expired");
        assert_eq!(app.app.words.object("setting", "phoneLife", String::new(), Lang::En), "Phone settings");
        let rules = told("3-1", "phoneRule", json!({ "idleMinutes": 7, "yearCardOffline": 3 }), json!({ "idleMinutes": 9 }));
        assert_eq!(rules, ["|Off when idle for|7|9", "|Year cards go off|Never by rule|"]);
    }
}

/// The fields of a schema, also of the parts that it is made of.
fn properties(document: &Value, schema: &str) -> Vec<String> {
    let schema = &document["components"]["schemas"][schema];
    let parts = schema["allOf"].as_array().into_iter().flatten();
    let all = std::iter::once(schema).chain(parts);
    all.filter_map(|part| part["properties"].as_object()).flatten().map(|(field, _)| field.clone()).collect()
}

/// What a schema's list calls its fields.
fn labelled(schema: &Value) -> Vec<String> {
    let parts = std::iter::once(schema).chain(schema["allOf"].as_array().into_iter().flatten());
    parts.filter_map(|part| part["x-labels"].as_object()).flatten().map(|(field, _)| field.clone()).collect()
}

#[test]
fn what_a_list_labels_is_not_labelled_once_more_for_the_log() {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let schemas = document["components"]["schemas"].as_object().unwrap();
    let all: Vec<String> = schemas.values().flat_map(labelled).collect();
    assert!(all.len() > 100);
    let common = COMMON.iter().map(|(field, _)| *field).filter(|field| all.iter().any(|label| label == field));
    assert_eq!(common.collect::<Vec<_>>(), [""; 0]);
    for shape in server::domains::all().iter().flat_map(|domain| domain.shapes) {
        let own = labelled(&schemas[shape.schema().as_ref()]);
        let twice =
            shape.own_fields().iter().map(|(field, _)| *field).filter(|field| own.iter().any(|label| label == field));
        assert_eq!(twice.collect::<Vec<_>>(), [""; 0], "{}", shape.kind());
    }
}
