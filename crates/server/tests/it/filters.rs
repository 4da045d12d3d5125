//! Every filter that the document names for a list leaves something of it out.

use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;

use crate::lists::{DOCUMENT, LISTS, company, listed, send};

/// The older path of a list.
const OLDER: (&str, &str) = ("POST", "/v1/operation/log/list");
/// Its `id` is no filter: it says whose records they are.
const WHOSE: &str = "/api/user/v5/user/selectUserLoginRecord";
/// Which page, and in which order: no filters.
const PAGING: [&str; 6] = ["pageNum", "page", "pageIndex", "pageSize", "sort", "order"];
/// What is tried where the document names no values: nothing has them, or everything lies on one side of them.
const TEXTS: [&str; 4] = ["no-such-thing", "203.0.113.9", "2001-01-01T00:00:00Z", "2099-01-01T00:00:00Z"];

fn resolve<'a>(document: &'a Value, schema: &'a Value) -> &'a Value {
    match schema["$ref"].as_str() {
        Some(name) => resolve(document, &document["components"]["schemas"][name.rsplit('/').next().unwrap()]),
        None => schema,
    }
}

/// The properties of a body that is put together from several parts.
fn properties(document: &Value, schema: &Value, into: &mut Vec<(String, Value)>) {
    let schema = resolve(document, schema);
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        into.push((name.clone(), property.clone()));
    }
    for part in schema["allOf"].as_array().into_iter().flatten() {
        properties(document, part, into);
    }
}

fn all_properties(document: &Value, call: &Value) -> Vec<(String, Value)> {
    let mut found = Vec::new();
    properties(document, &call["requestBody"]["content"]["application/json"]["schema"], &mut found);
    found
}

/// The filters of a list with their schemas.
pub fn filters(document: &Value, method: &str, path: &str) -> Vec<(String, Value)> {
    let call = &document["paths"][path][method.to_lowercase()];
    let mut found = Vec::new();
    for parameter in call["parameters"].as_array().into_iter().flatten() {
        if parameter["in"] == "query" {
            found.push((parameter["name"].as_str().unwrap().to_owned(), parameter["schema"].clone()));
        }
    }
    found.extend(all_properties(document, call));
    found.retain(|(name, _)| !PAGING.contains(&name.as_str()));
    found
}

/// Values that the schema allows, of which one at least leaves something out.
fn candidates(document: &Value, schema: &Value) -> Vec<Value> {
    let schema = resolve(document, schema);
    if let Some(choices) = schema["enum"].as_array() {
        return choices.clone();
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(parts) = schema[several].as_array() {
            return parts.iter().flat_map(|part| candidates(document, part)).collect();
        }
    }
    let types = schema["type"].as_array().cloned().unwrap_or_else(|| vec![schema["type"].clone()]);
    let of = |kind: &Value| match kind.as_str() {
        Some("integer") => vec![json!(987_654_321), json!(0), json!(1), json!(2)],
        Some("boolean") => vec![json!(true), json!(false)],
        Some("string") => TEXTS.iter().map(|text| json!(text)).collect(),
        Some("array") => candidates(document, &schema["items"]).into_iter().map(|one| json!([one])).collect(),
        _ => Vec::new(),
    };
    types.iter().flat_map(of).collect()
}

/// How much a list has where a value of a filter is asked for; none if it refuses the value.
async fn total(caller: &Caller<'_>, method: &str, path: &str, question: Value) -> Option<u64> {
    let answer = send(caller, method, path, &question).await;
    answer.json()["data"]["total"].as_u64()
}

db_test! {
    async fn every_filter_that_is_documented_is_heeded(db) {
        let app = TestApp::with(db, |config| config.export_rows = 0).await;
        let clerk = company(&app).await;
        // A background task to find.
        clerk.get("/api/fleet/v1/rooms/file?format=csv").await.data();
        let (mut ignored, mut heeded) = (Vec::new(), 0);
        let known = listed(&clerk).await.into_iter().map(|list| (list.method, list.path(), list.list));
        let older = (OLDER.0, OLDER.1.to_owned(), OLDER.1.to_owned());
        for (method, path, list) in known.chain([older]) {
            let all = total(&clerk, method, &path, json!({ "pageSize": 1 })).await.unwrap();
            assert!(all > 0, "{path} is empty, so that nothing can be left out");
            for (name, schema) in filters(&DOCUMENT, method, &list) {
                let mut is_heeded = false;
                for value in candidates(&DOCUMENT, &schema) {
                    let found = total(&clerk, method, &path, json!({ "pageSize": 1, &name: value })).await;
                    if found.is_some_and(|found| found < all) {
                        is_heeded = true;
                        break;
                    }
                }
                if is_heeded { heeded += 1 } else { ignored.push(format!("{list} {name}")) }
            }
        }
        assert!(ignored.is_empty(), "these filters leave nothing out: {ignored:#?}");
        assert!(heeded > 60, "only {heeded} filters were found");
    }
}

#[test]
fn every_list_that_can_be_filtered_is_tried_here() {
    for (path, item) in DOCUMENT["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let found = filters(&DOCUMENT, method, path);
            let call = &item[method];
            let pages = json!([call["parameters"], call["requestBody"]]).to_string().contains("pageSize")
                || all_properties(&DOCUMENT, call).iter().any(|(name, _)| name == "pageSize");
            if !pages || found.is_empty() {
                continue;
            }
            let listed = LISTS.iter().any(|list| list.list == *path);
            assert!(listed || path == OLDER.1 || path == WHOSE, "{path} is not tried");
        }
    }
}
