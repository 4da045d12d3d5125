//! For tests only: a running application without a socket. Requests go straight into its router.
//!
//! It is the whole program, so that every group tries its calls as they are served. Groups depend on it for their tests
//! alone (`[dev-dependencies]`).

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

use std::io::{Seek as _, Write as _};
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::LazyLock;

use accounts::auth::Auth;
use accounts::auth::password;
use aws_lc_rs::rsa::{Pkcs1PublicEncryptingKey, PublicEncryptingKey};
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use base::access::session as sessions;
use base::app::App;
use base::config::Config;
use base::domain::{Domain, catalogue};
use base::http::health::collect_metrics;
use base::open::open;
use base::work::Work;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entity::operator::{self, AccountType, MustChange};
use entity::operator_sign_in::SignInMethod;
use entity::{GroupId, OperatorId, group_menu, menu, operation_log, permission_group, session};
use http::{HeaderMap, Method, Request, StatusCode};
use http_body_util::BodyExt as _;
use kernel::clock::Clock;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::{Value, json};
use server::{boot, domains, router};
use testkit::TestDb;
use tower::ServiceExt as _;

/// Where callers are, unless a test says otherwise.
pub const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
/// The password of operators that a test signs in with.
pub const PASSWORD: &str = "kotu9Mebi";

/// Every permission code.
pub static CODES: LazyLock<Vec<&'static str>> = LazyLock::new(|| domains::catalogue().codes());

/// The program, which reads what is sent: a test is none. It lies beside the folder of the tests.
#[must_use]
pub fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let found = test.parent().unwrap().with_file_name("skyrack");
    assert!(found.exists(), "{} is not there: `cargo build --workspace`", found.display());
    found
}

/// An application over a fresh database.
pub struct TestApp {
    pub app: App,
    pub router: Router,
    /// Keeps the database's folder alive.
    pub db: TestDb,
}

/// The program, started once more on the database of a [`TestApp`], and its work.
pub struct Again {
    pub app: App,
    pub router: Router,
    pub work: Work,
}

/// What came back.
#[derive(Debug)]
pub struct Answer {
    pub http: StatusCode,
    pub headers: HeaderMap,
    pub bytes: Vec<u8>,
}

/// Somebody who asks: a token (or none), an address, a language.
#[derive(Clone)]
pub struct Caller<'a> {
    app: &'a TestApp,
    pub token: Option<String>,
    pub operator: Option<OperatorId>,
    pub group: Option<GroupId>,
    pub ip: IpAddr,
    lang: Option<&'static str>,
    extra: Vec<(&'static str, String)>,
}

impl TestApp {
    /// Starts the application on `db`, its menu synchronised, without an operator.
    pub async fn new(db: TestDb) -> Self {
        Self::with(db, |_| {}).await
    }

    /// The same with a changed configuration.
    pub async fn with(db: TestDb, change: impl FnOnce(&mut Config)) -> Self {
        Self::of(db, domains::all(), change).await
    }

    /// The same with other domains than the console's.
    pub async fn of(db: TestDb, domains: &'static [Domain], change: impl FnOnce(&mut Config)) -> Self {
        let clock = Clock::default();
        // BMCs and providers of tests are on this machine.
        let data_dir = db.folder().to_path_buf();
        let mut config = Config { data_dir, reader: Some(program()), ..Config::default() }.for_demo();
        change(&mut config);
        boot::synchronise(&db, &clock, &catalogue(domains)).await.unwrap();
        let app = open(config, (*db).clone(), clock, domains).await.unwrap();
        let surface = base::router::surface(domains);
        let router = base::router::build(&app, surface, domains, server::web::page);
        if app.config.metrics_listen.is_some() {
            collect_metrics().unwrap();
        }
        Self { app, router, db }
    }

    /// The same application started again on the same database, as after a crash: with the wall clock as it stands.
    pub async fn restarted(self) -> Self {
        let Self { app, db, .. } = self;
        let again = open(app.config.clone(), (*db).clone(), app.clock.restarted(), domains::all()).await.unwrap();
        for domain in domains::all() {
            (domain.start)(&again).await.unwrap();
        }
        let router = router::build(&again);
        Self { app: again, router, db }
    }

    /// The program started again on the same database, with nothing in memory, and its work. Both go by one clock. This one goes
    /// on answering who asks it in the test; whoever calls this has stopped its work.
    pub async fn started_again(&self) -> Again {
        let (config, clock) = (self.app.config.clone(), self.app.clock.clone());
        let app = open(config, (*self.db).clone(), clock, domains::all()).await.unwrap();
        let (router, work) = (router::build(&app), Work::start(&app, domains::all()).await.unwrap());
        Again { app, router, work }
    }

    /// Begins its work in the background, which goes on until it is stopped.
    pub async fn work(&self) -> Work {
        Work::start(&self.app, domains::all()).await.unwrap()
    }

    /// The same, where counts are read later on: others count nothing, as a console that no Prometheus reads.
    pub async fn counting(db: TestDb) -> Self {
        Self::with(db, |config| config.metrics_listen = Some(SocketAddr::new(HERE, 0))).await
    }

    /// What Prometheus reads, on a listener of its own.
    pub fn prometheus(&self) -> Router {
        router::metrics(&self.app, collect_metrics().unwrap())
    }

    /// What it reads from this machine.
    pub async fn metrics(&self) -> Answer {
        let request = Request::get("/metrics").extension(ConnectInfo(SocketAddr::new(HERE, 50_000)));
        let answer = self.prometheus().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
        let (parts, body) = answer.into_parts();
        Answer { http: parts.status, headers: parts.headers, bytes: body.collect().await.unwrap().to_bytes().to_vec() }
    }

    /// Somebody without a token.
    pub fn anybody(&self) -> Caller<'_> {
        Caller { app: self, token: None, operator: None, group: None, ip: HERE, lang: None, extra: Vec::new() }
    }

    /// A signed-in operator of the built-in group, who may do everything.
    pub async fn admin(&self) -> Caller<'_> {
        let group = permission_group::Entity::find()
            .filter(permission_group::Column::IsBuiltin.eq(true))
            .one(self.app.db.read())
            .await
            .unwrap()
            .unwrap();
        self.signed_in("admin", group.id).await
    }

    /// A signed-in operator of a new group with exactly `codes`.
    pub async fn operator(&self, name: &str, codes: &[&str]) -> Caller<'_> {
        let group = self.group(&format!("group of {name}"), codes).await;
        self.signed_in(name, group).await
    }

    /// A group that holds exactly `codes`, with the entries above them.
    pub async fn group(&self, name: &str, codes: &[&str]) -> GroupId {
        let now = self.app.clock.now();
        let tx = self.app.db.begin_write().await.unwrap();
        let row = permission_group::ActiveModel {
            name: Set(name.to_owned()),
            is_builtin: Set(false),
            created_at: Set(now),
            updated_at: Set(now),
            ..Default::default()
        };
        let group = permission_group::Entity::insert(row).exec(&*tx).await.unwrap().last_insert_id;
        let all = menu::Entity::find().all(&*tx).await.unwrap();
        let mut wanted = std::collections::BTreeSet::new();
        for code in codes {
            let mut at = all.iter().find(|row| row.code == **code);
            assert!(at.is_some(), "there is no code {code}");
            while let Some(row) = at {
                wanted.insert(row.id);
                at = all.iter().find(|other| Some(other.id) == row.parent_id);
            }
        }
        if !wanted.is_empty() {
            let row = |menu_id| group_menu::ActiveModel { group_id: Set(group), menu_id: Set(menu_id) };
            group_menu::Entity::insert_many(wanted.into_iter().map(row)).exec_without_returning(&*tx).await.unwrap();
        }
        tx.commit().await.unwrap();
        group
    }

    /// An operator with [`PASSWORD`] and a session, put straight into the database: no hashing, so that
    /// tests stay quick. Use [`Caller::sign_in`] to test signing in.
    pub async fn signed_in(&self, name: &str, group: GroupId) -> Caller<'_> {
        let now = self.app.clock.now();
        let tx = self.app.db.begin_write().await.unwrap();
        let row = operator::ActiveModel {
            username: Set(name.to_owned()),
            password_hash: Set("not a hash".to_owned()),
            password_set_at: Set(now),
            must_change: Set(MustChange::No),
            group_id: Set(Some(group)),
            account_type: Set(AccountType::Normal),
            email: Set(String::new()),
            phone: Set(String::new()),
            remark: Set(String::new()),
            is_enabled: Set(true),
            created_at: Set(now),
            updated_at: Set(now),
            ..Default::default()
        };
        let id = operator::Entity::insert(row).exec(&*tx).await.unwrap().last_insert_id;
        tx.commit().await.unwrap();
        let token = self.session(id).await;
        Caller { token: Some(token), operator: Some(id), group: Some(group), ..self.anybody() }
    }

    /// The token of a new session of an operator.
    async fn session(&self, id: OperatorId) -> String {
        let now = self.app.clock.now();
        let token = sessions::new_token();
        let tx = self.app.db.begin_write().await.unwrap();
        let row = session::ActiveModel {
            token_hash: Set(sessions::hash(&token).to_vec()),
            operator_id: Set(id),
            created_at: Set(now),
            seen_at: Set(now),
            expires_at: Set(now.plus_seconds(12 * 3600)),
            ip: Set("127.0.0.1".to_owned()),
            device: Set("test".to_owned()),
            method: Set(SignInMethod::Password),
            ..Default::default()
        };
        session::Entity::insert(row).exec_without_returning(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        token
    }

    /// Gives an operator [`PASSWORD`], for a real sign-in.
    pub async fn give_password(&self, id: OperatorId) {
        let hash = self.app.part::<Auth>().hasher.hash(password::md5_hex(PASSWORD)).await.unwrap();
        let tx = self.app.db.begin_write().await.unwrap();
        let change = operator::ActiveModel { id: Set(id), password_hash: Set(hash), ..Default::default() };
        operator::Entity::update(change).exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
    }

    /// Makes an operator one of those who need a second factor, without having one.
    pub async fn require_second_factor_of(&self, name: &str) {
        let tx = self.app.db.begin_write().await.unwrap();
        operator::Entity::update_many()
            .col_expr(operator::Column::AccountType, Expr::value(AccountType::Power.code()))
            .filter(operator::Column::Username.eq(name))
            .exec(&*tx)
            .await
            .unwrap();
        tx.commit().await.unwrap();
        let keeper = self.operator("keeper of settings", &["signInSetting:get", "signInSetting:update"]).await;
        let url = "/api/platform/v1/settings/sign-in";
        let mut document = keeper.get(url).await.data();
        document["secondFactorForPower"] = json!(true);
        for told in ["updatedAt", "updatedBy"] {
            document.as_object_mut().unwrap().remove(told);
        }
        keeper.put(url, document).await.data();
    }

    /// The operation log in short: `who action status`, oldest first.
    pub async fn audit_trail(&self) -> Vec<String> {
        let rows = operation_log::Entity::find()
            .order_by_asc(operation_log::Column::Id)
            .all(self.app.db.read())
            .await
            .unwrap();
        rows.iter().map(|row| format!("{} {} {}", row.operator_name, row.action, row.status)).collect()
    }
}

impl Caller<'_> {
    /// The same caller in another language.
    pub fn lang(mut self, lang: &'static str) -> Self {
        self.lang = Some(lang);
        self
    }

    /// The same caller from another address.
    pub fn from(mut self, ip: &str) -> Self {
        self.ip = ip.parse().unwrap();
        self
    }

    /// The same caller with one more header.
    pub fn header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.extra.push((name, value.into()));
        self
    }

    /// The same caller signed in anew, after a time in which his session ran out.
    pub async fn again(mut self) -> Self {
        self.token = Some(self.app.session(self.operator.unwrap()).await);
        self
    }

    /// The same caller with another token.
    pub fn token(mut self, token: impl Into<String>) -> Self {
        self.token = Some(token.into());
        self
    }

    pub async fn get(&self, path: &str) -> Answer {
        self.call(Method::GET, path, None).await
    }

    pub async fn post(&self, path: &str, body: Value) -> Answer {
        self.call(Method::POST, path, Some(body)).await
    }

    pub async fn put(&self, path: &str, body: Value) -> Answer {
        self.call(Method::PUT, path, Some(body)).await
    }

    pub async fn delete(&self, path: &str, body: Value) -> Answer {
        self.call(Method::DELETE, path, Some(body)).await
    }

    pub async fn call(&self, method: Method, path: &str, body: Option<Value>) -> Answer {
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.send(method, path, "application/json", body).await
    }

    /// Sends any body and hands on the answer as it begins, for streams.
    pub async fn begin(&self, method: Method, path: &str, content_type: &str, body: Body) -> http::Response<Body> {
        let mut request = Request::builder().method(method).uri(path).header("content-type", content_type);
        if let Some(token) = &self.token {
            request = request.header("authorization", token);
        }
        if let Some(lang) = self.lang {
            request = request.header("accept-language", lang);
        }
        for (name, value) in &self.extra {
            request = request.header(*name, value);
        }
        let request = request.extension(ConnectInfo(SocketAddr::new(self.ip, 50_000))).body(body).unwrap();
        Box::pin(self.app.router.clone().oneshot(request)).await.unwrap()
    }

    /// Sends any body and waits for the whole answer.
    pub async fn send(&self, method: Method, path: &str, content_type: &str, body: Body) -> Answer {
        let (parts, body) = self.begin(method, path, content_type, body).await.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes().to_vec();
        Answer { http: parts.status, headers: parts.headers, bytes }
    }

    /// `text`'s md5 hex, encrypted with the server's present key.
    pub async fn encrypted(&self, text: &str) -> String {
        let key = self.post("/api/user/v1/client/login/getPbKey", json!({})).await;
        let der = STANDARD.decode(key.data()["publicKey"].as_str().unwrap()).unwrap();
        let key = Pkcs1PublicEncryptingKey::new(PublicEncryptingKey::from_der(&der).unwrap()).unwrap();
        let mut ciphertext = vec![0; key.ciphertext_size()];
        STANDARD.encode(key.encrypt(password::md5_hex(text).as_bytes(), &mut ciphertext).unwrap())
    }

    /// The background task once it has ended.
    pub async fn finished(&self, id: &str) -> Value {
        for _ in 0..3000 {
            let task = self.get(&format!("/api/task/v1/tasks/{id}")).await.data();
            if !["queued", "running"].contains(&task["state"].as_str().unwrap()) {
                return task;
            }
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
        panic!("task {id} does not end");
    }

    /// Signs in as any client does and answers what came back.
    pub async fn sign_in(&self, name: &str, password: &str, auth_code: &str) -> Answer {
        let body = json!({
            "username": STANDARD.encode(name),
            "password": self.encrypted(password).await,
            "ipAddr": "10.0.0.9",
            "diskName": "火狐浏览器",
            "authCode": auth_code,
        });
        self.post("/api/user/v1/designjet/login", body).await
    }
}

impl Answer {
    /// The rows of a file that was answered, the heading first.
    pub fn table(&self) -> Vec<Vec<String>> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&self.bytes).unwrap();
        file.rewind().unwrap();
        let mut rows = Vec::new();
        base::sheet::read(&file, |_, cells| {
            rows.push(cells);
            ControlFlow::Continue(())
        })
        .unwrap();
        rows
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes)
            .unwrap_or_else(|_| panic!("{} is no JSON: {}", self.http, String::from_utf8_lossy(&self.bytes)))
    }

    /// The result inside the envelope; fails the test when the call failed.
    pub fn data(&self) -> Value {
        let json = self.json();
        assert_eq!(json["status"], 0, "{json}");
        json["data"].clone()
    }

    /// The body status.
    pub fn status(&self) -> i64 {
        self.json()["status"].as_i64().unwrap()
    }

    /// `HTTP status, body status`.
    pub fn brief(&self) -> (u16, i64) {
        (self.http.as_u16(), self.status())
    }

    /// The codes of the field errors, as `field code`.
    pub fn errors(&self) -> Vec<String> {
        let json = self.json();
        let errors = json["errors"].as_array().cloned().unwrap_or_default();
        errors.iter().map(|e| format!("{} {}", e["field"].as_str().unwrap(), e["code"].as_str().unwrap())).collect()
    }
}
