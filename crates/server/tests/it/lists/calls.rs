//! Which lists there are, as the API document tells it: a list that is added is here by itself.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::LazyLock;

use base::access::need::Route;
use base::http::Need;
use http::Method;
use serde_json::{Map, Value};
use testapp::{Answer, Caller};

/// The API document.
pub static DOCUMENT: LazyLock<Value> = LazyLock::new(|| serde_json::to_value(server::router::document()).unwrap());

/// The menu: a list level by level, but a file in the order of the tree, with whole paths.
pub const MENU: &str = "/api/user/v1/menus/findAll";
/// The operation log. The entry about a file of it is not in the file, and there is no file of nothing.
pub const LOG: &str = "/api/user/v1/operation/log/list";

/// Lists whose files stand elsewhere than at `<list>/file`: the paths are the specification's. Where a list is asked for
/// by POST, its filter is the body.
const ELSEWHERE: [(&str, &str, &str, &str); 6] = [
    ("GET", MENU, "GET", "/api/user/v1/menus/file"),
    ("POST", LOG, "POST", "/api/user/v1/operation/log/export"),
    ("POST", "/api/user/v1/designjet/user/list", "GET", "/api/user/v1/operators/file"),
    ("POST", "/api/user/v1/designjet/permissions/group/list", "GET", "/api/user/v1/groups/file"),
    ("POST", "/api/user/logout/qryPageLogoutUser", "GET", "/api/user/v1/client-users/logout-requests/file"),
    ("POST", "/api/user/v5/user/getPageUserInfo", "GET", "/api/user/v1/designjet/client_info/excel"),
];

/// Calls with a table that are no list: what an import starts from, and what it leaves; and the log once more, under its
/// older path.
const OTHERS: [&str; 9] = [
    "/api/fleet/v1/cards/import/{importId}/bad",
    "/api/fleet/v1/hosts/import/{importId}/bad",
    "/api/user/v1/client-users/import/{importId}/bad",
    "/api/phone/v1/phones/import/{importId}/bad",
    "/api/fleet/v1/cards/import/template",
    "/api/fleet/v1/hosts/import/template",
    "/api/user/v1/client-users/import/template",
    "/api/phone/v1/phones/import/template",
    "/v1/operation/log/export",
];

/// Lists that are a part of something, and the question whose first answer has its id. It is 1 for the others.
const PARTS: [(&str, &str); 4] = [
    ("/api/fleet/v1/cards/{id}/events", "/api/fleet/v1/cards?pageSize=1"),
    ("/api/operation/v1/cards/{id}/tasks", "/api/fleet/v1/cards?pageSize=1"),
    // What scripts printed is a list of its own, for those who may see it.
    ("/api/operation/v1/operations/{id}/tasks", "/api/operation/v1/operations?kind=1"),
    ("/api/operation/v1/operations/{id}/tasks", "/api/operation/v1/operations?kind=5"),
];

/// Every list, without the ids that [`listed`] finds.
pub static LISTS: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    let (routes, tables) = (server::router::surface().routes, tables());
    let beside = routes.iter().filter_map(|route| {
        let list = route.path.strip_suffix("/file")?;
        let is_list = tables.contains(&route.path) && !OTHERS.contains(&route.path.as_str());
        let is_paged = routes.iter().any(|other| other.method == Method::GET && other.path == list);
        (is_list && is_paged).then(|| Listed::new("GET", list, "GET", &route.path))
    });
    let elsewhere = ELSEWHERE.into_iter().map(|(method, list, by, file)| Listed::new(method, list, by, file));
    beside.chain(elsewhere).collect()
});

/// The lists with the ids that stand in their paths: one of several things is several lists.
pub async fn listed(clerk: &Caller<'_>) -> Vec<Listed> {
    let mut all = Vec::new();
    for list in &*LISTS {
        let wholes: Vec<&str> = PARTS.iter().filter(|(part, _)| *part == list.list).map(|(_, whole)| *whole).collect();
        if wholes.is_empty() {
            all.push(list.clone());
        }
        for whole in wholes {
            let id = clerk.get(whole).await.data()["list"][0]["id"].as_i64();
            all.push(Listed { id: id.unwrap_or_else(|| panic!("{whole} is empty")), ..list.clone() });
        }
    }
    all
}

/// A list: the call that gives a page of it, and the one that gives all of it as a file.
#[derive(Clone, Debug)]
pub struct Listed {
    pub method: &'static str,
    /// The path, as the document has it.
    pub list: String,
    pub file_method: &'static str,
    pub file: String,
    /// What stands for `{id}` in the paths.
    pub id: i64,
}

impl fmt::Display for Listed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path())
    }
}

impl Listed {
    fn new(method: &'static str, list: &str, file_method: &'static str, file: &str) -> Self {
        Self { method, list: list.to_owned(), file_method, file: file.to_owned(), id: 1 }
    }

    /// The path of a page.
    pub fn path(&self) -> String {
        self.list.replace("{id}", &self.id.to_string())
    }

    /// What is answered to somebody who asks for a page.
    pub async fn answer(&self, caller: &Caller<'_>, question: &Value) -> Answer {
        send(caller, self.method, &self.path(), question).await
    }

    /// A page.
    pub async fn page(&self, caller: &Caller<'_>, question: &Value) -> Value {
        self.answer(caller, question).await.data()
    }

    /// What is answered to somebody who asks for the file.
    pub async fn ask_for_file(&self, caller: &Caller<'_>, question: &Value) -> Answer {
        send(caller, self.file_method, &self.file.replace("{id}", &self.id.to_string()), question).await
    }

    /// What it is sorted by, as the document has it.
    pub fn sort_keys(&self) -> Vec<String> {
        sort_keys(self.method, &self.list)
    }

    /// What its file is sorted by.
    pub fn file_sort_keys(&self) -> Vec<String> {
        sort_keys(self.file_method, &self.file)
    }

    /// The labels of its columns, in Chinese and in English, by the fields of its rows.
    pub fn labels(&self) -> &'static Map<String, Value> {
        let answer = &DOCUMENT["paths"][&self.list][self.method.to_lowercase()]["responses"]["200"];
        let reply = answer["content"]["application/json"]["schema"]["$ref"].as_str().unwrap_or_default();
        let row = reply.rsplit("Reply_Page_").next().unwrap_or_default();
        let labels = DOCUMENT["components"]["schemas"][row]["x-labels"].as_object();
        labels.unwrap_or_else(|| panic!("{self}: the rows of {reply} have no labels"))
    }

    /// The code that its file needs.
    pub fn file_code(&self) -> &'static str {
        let routes = server::router::surface().routes;
        let code = |route: &Route| if let Need::Code(code) = route.need { Some(code) } else { None };
        let found = routes.iter().filter(|route| route.path == self.file).find_map(code);
        found.unwrap_or_else(|| panic!("{} needs no code", self.file))
    }
}

/// Asks in the query string or, by POST, in the body.
pub async fn send(caller: &Caller<'_>, method: &str, path: &str, question: &Value) -> Answer {
    if method == "POST" {
        return caller.post(path, question.clone()).await;
    }
    let pairs = question
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| (key.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)));
    let query = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(pairs).finish();
    caller.get(&format!("{path}?{query}")).await
}

/// The calls that give a table.
fn tables() -> Vec<String> {
    let gives = |item: &Value| {
        let calls = item.as_object().unwrap().values();
        calls.into_iter().any(|call| call["responses"]["200"]["content"].get("text/csv").is_some())
    };
    let paths = DOCUMENT["paths"].as_object().unwrap().iter();
    paths.filter(|(_, item)| gives(item)).map(|(path, _)| path.clone()).collect()
}

/// The sort keys that the document names for a call, in its query or its body.
fn sort_keys(method: &str, path: &str) -> Vec<String> {
    let call = &DOCUMENT["paths"][path][method.to_lowercase()];
    let inline = call["parameters"].as_array().into_iter().flatten().find(|one| one["name"] == "sort");
    let found = match inline {
        Some(parameter) => parameter["schema"]["enum"].clone(),
        None => in_body(&call["requestBody"]["content"]["application/json"]["schema"]),
    };
    found.as_array().into_iter().flatten().map(|key| key.as_str().unwrap().to_owned()).collect()
}

/// What `sort` may be in a body that is put together from several parts.
fn in_body(schema: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str() {
        return in_body(&DOCUMENT["components"]["schemas"][name.rsplit('/').next().unwrap()]);
    }
    let sort = &schema["properties"]["sort"];
    let parts = if sort.is_null() { &schema["allOf"] } else { &sort["oneOf"] };
    if !sort["$ref"].is_null() {
        return in_body(sort);
    }
    // The keys of a list stand where they are used.
    if sort["enum"].is_array() {
        return sort["enum"].clone();
    }
    if schema["enum"].is_array() {
        return schema["enum"].clone();
    }
    parts.as_array().into_iter().flatten().map(in_body).find(Value::is_array).unwrap_or(Value::Null)
}

#[test]
fn every_call_that_gives_a_table_is_a_list_here() {
    assert!(LISTS.len() >= 35, "{} lists", LISTS.len());
    for path in tables() {
        let is_known = LISTS.iter().any(|list| list.file == path) || OTHERS.contains(&path.as_str());
        assert!(is_known, "{path} is not tried");
    }
}

#[test]
fn a_file_is_filtered_like_its_list() {
    let names = |method: &str, path: &str| {
        let all = crate::filters::filters(&DOCUMENT, method, path).into_iter().map(|(name, _)| name);
        all.filter(|name| name != "format").collect::<BTreeSet<String>>()
    };
    for list in LISTS.iter().filter(|list| list.list != MENU) {
        assert_eq!(names(list.file_method, &list.file), names(list.method, &list.list), "{list}");
    }
}

#[test]
fn the_sort_keys_of_a_body_are_found() {
    for list in LISTS.iter().filter(|list| list.method == "POST" && list.list != LOG) {
        assert!(!list.sort_keys().is_empty(), "{list}");
    }
}
