//! The second door: who is let in, what each may see, the applications' screen, the log of their calls, and what they are told.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod acts;
mod apps;
mod awaited;
mod calls;
mod care;
mod client;
mod closing;
mod codes;
mod connect;
mod customers;
mod hooks;
mod hooks_hostile;
mod limits;
mod receiver;
mod restore;
mod seen;
mod signed;
mod signs;
mod streams;
mod tickets;

use aws_lc_rs::{digest, hmac};
use http::Method;
use sea_orm::{ConnectionTrait as _, Statement};
use serde_json::{Value, json};
use testapp::{Answer, CODES, Caller, TestApp};

pub const APPS: &str = "/api/platform/v1/open-apps";
pub const CALLS: &str = "/api/platform/v1/open-calls";
pub const SELF: &str = "/open/v1/app";
pub const USERS: &str = "/open/v1/users";
/// The list of the console.
pub const C1: &str = "/api/user/v5/user/getPageUserInfo";

/// An application with a key.
pub struct Key {
    pub app: i64,
    pub id: i64,
    pub code: String,
    pub secret: String,
}

pub fn id(made: &Value) -> i64 {
    made["id"].as_i64().unwrap()
}

/// Somebody who may do everything at the console.
pub async fn clerk(app: &TestApp) -> Caller<'_> {
    app.operator("clerk", &CODES).await
}

/// What the form of an application sends.
pub fn form(name: &str, owner: i64) -> Value {
    let owner_name = if owner == 1 { "" } else { "华东代理" };
    json!({ "name": name, "owner": owner, "ownerName": owner_name, "scopes": ["user", "phone"], "ips": "", "perSecond": 5000 })
}

/// One more key of an application.
pub async fn key_of(clerk: &Caller<'_>, app: i64) -> Key {
    let key = clerk.post(&format!("{APPS}/{app}/keys"), json!({})).await.data();
    let text = |field: &str| key[field].as_str().unwrap().to_owned();
    Key { app, id: id(&key), code: text("code"), secret: text("secret") }
}

/// A new application with a key.
pub async fn application(clerk: &Caller<'_>, form: Value) -> Key {
    let app = id(&clerk.post(APPS, form).await.data());
    key_of(clerk, app).await
}

/// Seconds since 1970, as the application's clock has them.
pub fn now(app: &TestApp) -> i64 {
    app.app.clock.now().millis() / 1000
}

/// What is signed: written from the page, not from the program.
pub struct Said<'a> {
    pub method: &'a str,
    pub target: &'a str,
    pub time: i64,
    pub nonce: &'a str,
    pub body: &'a str,
    pub idempotency_key: &'a str,
}

impl<'a> Said<'a> {
    pub fn get(app: &TestApp, target: &'a str) -> Self {
        Self { method: "GET", target, time: now(app), nonce: "", body: "", idempotency_key: "" }
    }

    pub fn signature(&self, key: &Key) -> String {
        let (path, query) = self.target.split_once('?').unwrap_or((self.target, ""));
        let mut parts: Vec<(&str, &str)> =
            query.split('&').map(|part| (part.split('=').next().unwrap(), part)).collect();
        parts.sort_by(|one, other| one.0.cmp(other.0));
        let query: Vec<&str> = parts.into_iter().map(|(_, part)| part).collect();
        let text = format!(
            "{}\n{}\n{path}\n{}\n{}\n{}\n{}\n{}",
            key.code,
            self.method,
            query.join("&"),
            self.time,
            self.nonce,
            hex::encode(digest::digest(&digest::SHA256, self.body.as_bytes())),
            self.idempotency_key,
        );
        hex::encode(hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.secret.as_bytes()), text.as_bytes()))
    }

    /// Somebody who sends this with the key's signature.
    pub fn by<'c>(&self, caller: Caller<'c>, key: &Key) -> Caller<'c> {
        headed(caller, &key.code, self.time, &self.signature(key))
    }
}

/// Somebody who sends these headers.
pub fn headed<'c>(caller: Caller<'c>, code: &str, time: i64, signature: &str) -> Caller<'c> {
    caller.header("x-sky-key", code).header("x-sky-time", time.to_string()).header("x-sky-signature", signature)
}

/// Asks with a key, as it should be done.
pub async fn ask(app: &TestApp, key: &Key, target: &str) -> Answer {
    Said::get(app, target).by(app.anybody(), key).get(target).await
}

/// A nonce that nobody has used.
pub fn nonce() -> String {
    format!("{:032x}", rand::random::<u128>())
}

/// An act with all that makes it the one that it is.
#[derive(Clone)]
pub struct Act<'a> {
    pub method: Method,
    pub target: &'a str,
    /// Null for none.
    pub body: Value,
    pub once: &'a str,
    pub nonce: String,
}

impl<'a> Act<'a> {
    pub fn new(method: Method, target: &'a str, body: Value, once: &'a str) -> Self {
        Self { method, target, body, once, nonce: nonce() }
    }

    /// Sends it with a key, signed as it should be.
    pub async fn by(&self, app: &TestApp, key: &Key) -> Answer {
        let Self { method, target, body, once, nonce } = self;
        let body = Some(body).filter(|body| !body.is_null());
        let text = body.map(Value::to_string).unwrap_or_default();
        let said = Said { method: method.as_str(), target, time: now(app), nonce, body: &text, idempotency_key: once };
        let caller = said.by(app.anybody(), key).header("x-sky-nonce", nonce.as_str()).header("idempotency-key", *once);
        caller.call(method.clone(), target, body.cloned()).await
    }
}

/// Does something with a key of its own.
pub async fn act(app: &TestApp, key: &Key, method: Method, target: &str, body: Value) -> Answer {
    Act::new(method, target, body, &nonce()).by(app, key).await
}

/// What an application sends of somebody who registers.
pub fn registration(number: u64) -> Value {
    json!({ "name": format!("客户{number}"), "phone": number.to_string(), "loginMethod": 1, "clientType": 1,
        "clientVersion": "5.2.0", "deviceName": "Xiaomi 14", "ip": "203.0.113.7" })
}

/// The number of a thing that the door has answered.
pub fn number(answer: &Answer) -> i64 {
    answer.data()["id"].as_str().unwrap().parse().unwrap()
}

/// Somebody whom an application registers.
pub async fn registered(app: &TestApp, key: &Key, phone: u64) -> i64 {
    number(&act(app, key, Method::POST, USERS, registration(phone)).await)
}

/// `HTTP status, code`, or the reason instead of the code.
pub fn told(answer: &Answer) -> (u16, String) {
    let json = answer.json();
    let word = json["reason"].as_str().or(json["code"].as_str()).unwrap_or_default();
    (answer.http.as_u16(), word.to_owned())
}

/// The same with words that need no owner.
pub fn is(answer: &Answer, http: u16, word: &str) -> bool {
    told(answer) == (http, word.to_owned())
}

pub async fn run(app: &TestApp, statement: &str) {
    let tx = app.app.db.begin_write().await.unwrap();
    tx.execute_unprepared(statement).await.unwrap();
    tx.commit().await.unwrap();
}

/// The text that a statement finds.
pub async fn text_of(app: &TestApp, statement: &str) -> String {
    let db = app.app.db.read();
    let row = db.query_one_raw(Statement::from_string(db.get_database_backend(), statement)).await.unwrap().unwrap();
    row.try_get_by_index(0).unwrap()
}

/// A customer with two phones; whom an application brought if one is named.
pub struct Customer {
    pub id: i64,
    pub phones: Vec<i64>,
    pub number: String,
}

/// A room.
pub async fn room(clerk: &Caller<'_>) -> i64 {
    id(&clerk.post("/api/fleet/v1/rooms", json!({ "name": "杭州机房", "city": "杭州" })).await.data())
}

pub async fn customer(app: &TestApp, clerk: &Caller<'_>, room: i64, number: u64, by: Option<&Key>) -> Customer {
    let user =
        json!({ "name": format!("客户{number}"), "phone": number.to_string(), "identCode": format!("C{number}") });
    let user = id(&clerk.post("/api/user/v1/client-users", user).await.data());
    if let Some(key) = by {
        run(app, &format!("UPDATE client_user SET app_id = {} WHERE id = {user}", key.app)).await;
    }
    let expires = app.app.clock.now().plus_seconds(30 * 86_400);
    let phones = json!({ "userId": user, "plan": 2, "roomId": room, "diskGb": 32, "expiresAt": expires, "count": 2 });
    let first = clerk.post("/api/phone/v1/phones", phones).await.data()["firstId"].as_i64().unwrap();
    Customer { id: user, phones: vec![first, first + 1], number: number.to_string() }
}
