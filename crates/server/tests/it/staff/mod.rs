//! Operators, groups, menus, and the log of what was done.

mod groups;
mod log;
mod log_words;
mod menus;
mod operators;
mod sessions;

use entity::operation_log;
use sea_orm::EntityTrait as _;
use serde_json::Value;
use testapp::{Caller, TestApp};

/// Every entry of the menu, by its code.
pub async fn menu_id(caller: &Caller<'_>, code: &str) -> Value {
    let page = caller.get("/v1/menus/findAll?pageSize=500").await.data();
    let row = page["list"].as_array().unwrap().iter().find(|row| row["code"] == code).cloned();
    row.unwrap_or_else(|| panic!("no entry has the code {code}"))["id"].clone()
}

/// The codes on the third level of a tree, in its order.
pub fn codes(tree: &Value) -> Vec<String> {
    let children = |entry: &Value| entry["children"].as_array().unwrap().clone();
    tree.as_array()
        .unwrap()
        .iter()
        .flat_map(children)
        .flat_map(|screen| children(&screen))
        .map(|button| button["code"].as_str().unwrap().to_owned())
        .collect()
}

/// Everything that the operation log holds.
pub async fn log_text(app: &TestApp) -> String {
    format!("{:?}", operation_log::Entity::find().all(app.app.db.read()).await.unwrap())
}
