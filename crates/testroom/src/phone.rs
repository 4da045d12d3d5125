//! Cloud phones that are on no card yet.

use serde_json::{Value, json};
use testapp::{Caller, TestApp};

pub const PHONES: &str = "/api/phone/v1/phones";

/// A phone of a new user.
pub async fn phone(app: &TestApp, clerk: &Caller<'_>, room: i64) -> i64 {
    of(app, clerk, room, json!({ "name": "张三丰", "phone": "13800000001", "identCode": "ZSF1" })).await
}

/// A phone of another new user.
pub async fn another(app: &TestApp, clerk: &Caller<'_>, room: i64) -> i64 {
    of(app, clerk, room, json!({ "name": "李四光", "phone": "13800000002", "identCode": "LSG1" })).await
}

async fn of(app: &TestApp, clerk: &Caller<'_>, room: i64, user: Value) -> i64 {
    let user = clerk.post("/api/user/v1/client-users", user).await.data();
    let expires = app.app.clock.now().plus_seconds(30 * 86_400);
    let body = json!({ "userId": user["id"], "plan": 2, "roomId": room, "diskGb": 32, "expiresAt": expires });
    clerk.post(PHONES, body).await.data()["firstId"].as_i64().unwrap()
}

/// Asks for a put-on of some phones; the operation.
pub async fn put_on(clerk: &Caller<'_>, phones: &[i64]) -> Value {
    clerk.post(&format!("{PHONES}/put-on"), json!({ "selection": { "ids": phones } })).await.data()
}
