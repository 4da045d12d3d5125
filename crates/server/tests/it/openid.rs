//! Signing in with an OpenID Connect provider, which the test starts itself.

mod second_step;

use std::collections::HashMap;
use std::sync::Arc;

use aws_lc_rs::encoding::{AsDer, Pkcs8V1Der, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::{KeySize, PrivateDecryptingKey};
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _, RSA_PKCS1_SHA256, RsaKeyPair};
use aws_lc_rs::{digest, hmac};
use axum::extract::{Form, State};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base::config::OidcProvider;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use http::{HeaderMap, StatusCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use testapp::{Answer, Caller, PASSWORD, TestApp};
use testkit::{TestDb, db_test};

const BASE: &str = "/api/user/v1/client/login/oidc/corp";
const ME: &str = "/api/user/v5/user/checkUpdatePsw";

/// A provider with faults that can be switched on.
struct Provider {
    issuer: String,
    state: Arc<Mutex<Issuing>>,
}

struct Issuing {
    issuer: String,
    fault: &'static str,
    /// More claims of the ID token.
    claims: Value,
    /// What discovery names instead: an end point, and where it is.
    elsewhere: Option<(&'static str, String)>,
    rsa: RsaKeyPair,
    other_rsa: RsaKeyPair,
    rsa_modulus: String,
    ec: EcdsaKeyPair,
    /// Code to what was asked for with it.
    codes: HashMap<String, HashMap<String, String>>,
}

fn rsa_pair() -> (RsaKeyPair, String) {
    let key = PrivateDecryptingKey::generate(KeySize::Rsa2048).unwrap();
    let public: PublicKeyX509Der<'_> = key.public_key().as_der().unwrap();
    // A SubjectPublicKeyInfo of RSA-2048 has its modulus at a fixed place.
    let modulus = URL_SAFE_NO_PAD.encode(&public.as_ref()[33..289]);
    let pkcs8: Pkcs8V1Der<'_> = key.as_der().unwrap();
    (RsaKeyPair::from_pkcs8(pkcs8.as_ref()).unwrap(), modulus)
}

impl Provider {
    async fn start() -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let (rsa, rsa_modulus) = rsa_pair();
        let ec = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
        let state = Issuing {
            issuer: issuer.clone(),
            fault: "",
            claims: json!({}),
            elsewhere: None,
            rsa,
            other_rsa: rsa_pair().0,
            rsa_modulus,
            ec,
            codes: HashMap::new(),
        };
        let state = Arc::new(Mutex::new(state));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/jwks", get(jwks))
            .route("/token", post(token))
            .with_state(state.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { issuer, state }
    }

    fn fault(&self, fault: &'static str) {
        self.state.lock().fault = fault;
    }

    /// From now on ID tokens hold these claims as well.
    fn claim(&self, claims: Value) {
        self.state.lock().claims = claims;
    }

    /// What the person does at the provider: consents as `sub`. Answers the query of the way back.
    fn consent(&self, authorization_url: &str, sub: &str) -> String {
        let url = url::Url::parse(authorization_url).unwrap();
        assert!(authorization_url.starts_with(&format!("{}/authorize?", self.issuer)), "{authorization_url}");
        let mut asked: HashMap<String, String> = url.query_pairs().into_owned().collect();
        assert_eq!((asked["response_type"].as_str(), asked["code_challenge_method"].as_str()), ("code", "S256"));
        assert_eq!((asked["scope"].as_str(), asked["acr_values"].as_str()), ("openid email", "urn:corp:strong"));
        assert_eq!(asked["redirect_uri"], format!("https://console.example.com{BASE}/callback"));
        let state = asked["state"].clone();
        asked.insert("sub".to_owned(), sub.to_owned());
        let code = URL_SAFE_NO_PAD.encode(rand::random::<[u8; 8]>());
        self.state.lock().codes.insert(code.clone(), asked);
        format!("code={code}&state={state}")
    }
}

type Shared = State<Arc<Mutex<Issuing>>>;

async fn discovery(State(state): Shared) -> Json<Value> {
    let state = state.lock();
    let issuer = &state.issuer;
    let mut about = json!({
        "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"), "token_endpoint": format!("{issuer}/token"),
        "jwks_uri": format!("{issuer}/jwks"), "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    });
    if let Some((endpoint, place)) = &state.elsewhere {
        about[endpoint] = json!(place);
    }
    Json(about)
}

async fn jwks(State(state): Shared) -> Json<Value> {
    let state = state.lock();
    let point = state.ec.public_key().as_ref();
    Json(json!({ "keys": [
        { "kty": "FUTURE", "kid": "unknown" },
        { "kty": "RSA", "kid": "rsa", "alg": "RS256", "use": "sig", "n": state.rsa_modulus, "e": "AQAB" },
        { "kty": "EC", "kid": "ec", "crv": "P-256", "x": URL_SAFE_NO_PAD.encode(&point[1..33]), "y": URL_SAFE_NO_PAD.encode(&point[33..65]) },
    ] }))
}

async fn token(State(state): Shared, headers: HeaderMap, Form(form): Form<HashMap<String, String>>) -> Response {
    let mut state = state.lock();
    let refused = (StatusCode::BAD_REQUEST, Json(json!({ "error": "invalid_grant" })));
    let Some(asked) = state.codes.remove(&form["code"]) else { return refused.into_response() };
    let basic = format!("Basic {}", STANDARD.encode("skyrack:s%2Fecret"));
    let challenge = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, form["code_verifier"].as_bytes()));
    if headers["authorization"] != basic
        || form["redirect_uri"] != asked["redirect_uri"]
        || challenge != asked["code_challenge"]
    {
        return refused.into_response();
    }
    if state.fault == "broken" {
        return StatusCode::INTERNAL_SERVER_ERROR.into_response();
    }
    Json(json!({ "access_token": "x", "token_type": "Bearer", "id_token": id_token(&state, &asked) })).into_response()
}

fn id_token(state: &Issuing, asked: &HashMap<String, String>) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_secs();
    let fault = state.fault;
    let mut claims = json!({
        "iss": state.issuer, "aud": "skyrack", "sub": asked["sub"], "nonce": asked["nonce"], "iat": now, "exp": now + 300,
    });
    for (name, value) in state.claims.as_object().unwrap() {
        claims[name] = value.clone();
    }
    match fault {
        "issuer" => claims["iss"] = json!("http://127.0.0.1:1"),
        "audience" => claims["aud"] = json!("somebody-else"),
        "party" => claims["azp"] = json!("somebody-else"),
        "nonce" => claims["nonce"] = json!("made-up"),
        "expired" => claims["exp"] = json!(now - 120),
        "no subject" => claims["sub"] = json!(""),
        _ => {}
    }
    let header = match fault {
        "none" => json!({ "alg": "none" }),
        "shared secret" => json!({ "alg": "HS256", "kid": "rsa" }),
        "ec" => json!({ "alg": "ES256", "kid": "ec" }),
        "unknown key" => json!({ "alg": "RS256", "kid": "nobody" }),
        _ => json!({ "alg": "RS256", "kid": "rsa" }),
    };
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", part(&header), part(&claims));
    let random = SystemRandom::new();
    let rsa = |key: &RsaKeyPair| {
        let mut signature = vec![0; key.public_modulus_len()];
        key.sign(&RSA_PKCS1_SHA256, &random, signed.as_bytes(), &mut signature).unwrap();
        signature
    };
    let signature = match fault {
        "none" => Vec::new(),
        "shared secret" => {
            let key = hmac::Key::new(hmac::HMAC_SHA256, &URL_SAFE_NO_PAD.decode(&state.rsa_modulus).unwrap());
            hmac::sign(&key, signed.as_bytes()).as_ref().to_vec()
        }
        "ec" => state.ec.sign(&random, signed.as_bytes()).unwrap().as_ref().to_vec(),
        "wrong key" => rsa(&state.other_rsa),
        _ => rsa(&state.rsa),
    };
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
}

fn corp(provider: &Provider) -> OidcProvider {
    OidcProvider {
        id: "corp".to_owned(),
        name: "企业账号".to_owned(),
        issuer: provider.issuer.clone(),
        client_id: "skyrack".to_owned(),
        client_secret: "s/ecret".to_owned(),
        scopes: vec!["email".to_owned()],
        second_factor_acr: vec!["urn:corp:strong".to_owned()],
    }
}

async fn with_provider(db: TestDb) -> (TestApp, Provider) {
    let provider = Provider::start().await;
    let app = TestApp::with(db, |config| {
        config.oidc = vec![corp(&provider)];
        config.public_url = "https://console.example.com/".to_owned();
    })
    .await;
    let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
    app.give_password(who).await;
    (app, provider)
}

async fn clerk(app: &TestApp) -> Caller<'_> {
    let token = app.anybody().sign_in("clerk", PASSWORD, "").await.data()["token"].as_str().unwrap().to_owned();
    app.anybody().token(token)
}

fn cookie_of(answer: &Answer) -> String {
    let set = answer.headers["set-cookie"].to_str().unwrap();
    assert!(set.contains("; HttpOnly; SameSite=Lax"), "{set}");
    set.split(';').next().unwrap().to_owned()
}

fn location(answer: &Answer) -> String {
    assert_eq!(answer.http, StatusCode::SEE_OTHER);
    answer.headers["location"].to_str().unwrap().to_owned()
}

/// What the page at `/authredirect` reads from its address.
fn fragment(answer: &Answer) -> HashMap<String, String> {
    let location = location(answer);
    let text = location.strip_prefix("/authredirect#").unwrap_or_else(|| panic!("{location}"));
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

/// From the button to `/authredirect`, as `sub`.
async fn go_through(app: &TestApp, provider: &Provider, sub: &str) -> HashMap<String, String> {
    let browser = app.anybody();
    let started = browser.get(&format!("{BASE}/start")).await;
    let back = provider.consent(&location(&started), sub);
    fragment(&browser.header("cookie", cookie_of(&started)).get(&format!("{BASE}/callback?{back}")).await)
}

/// Links clerk's account to `sub`.
async fn link(app: &TestApp, provider: &Provider, sub: &str) -> HashMap<String, String> {
    let caller = clerk(app).await;
    let body = json!({ "providerId": "corp", "password": caller.encrypted(PASSWORD).await });
    let started = caller.post("/api/user/v1/me/openid/link", body).await;
    let back = provider.consent(started.data()["url"].as_str().unwrap(), sub);
    fragment(&app.anybody().header("cookie", cookie_of(&started)).get(&format!("{BASE}/callback?{back}")).await)
}

db_test! {
    async fn a_linked_account_signs_in_and_another_does_not(db) {
        let (app, provider) = with_provider(db).await;
        let listed = app.anybody().get("/api/user/v1/client/login/providers").await.data();
        assert_eq!(listed, json!([{ "id": "corp", "name": "企业账号" }]));
        assert!(go_through(&app, &provider, "person-1").await["error"] == "notLinked", "no account is made");

        assert_eq!(link(&app, &provider, "person-1").await["linked"], "corp");
        assert_eq!(clerk(&app).await.get("/api/user/v1/me/openid").await.data(), json!({ "providerId": "corp" }));
        for fault in ["", "ec"] {
            provider.fault(fault);
            let answer = go_through(&app, &provider, "person-1").await;
            let caller = app.anybody().token(answer["token"].clone());
            assert_eq!(caller.post(ME, json!({})).await.status(), 0, "{fault}");
            assert!(!answer["id"].is_empty() && !answer["groupId"].is_empty());
        }
        assert!(go_through(&app, &provider, "person-2").await.contains_key("error"));

        let caller = clerk(&app).await;
        assert_eq!(caller.post("/api/user/v1/me/openid/unlink", json!({})).await.status(), 0);
        assert!(go_through(&app, &provider, "person-1").await.contains_key("error"));
        let trail = app.audit_trail().await;
        for line in ["clerk openid_link 0", "clerk openid_unlink 0", "clerk session_create 0", "corp|person-2 session_create 4001"] {
            assert!(trail.contains(&line.to_owned()), "{line}: {trail:?}");
        }
    }

    async fn a_token_that_is_not_genuine_opens_nothing(db) {
        let (app, provider) = with_provider(db).await;
        link(&app, &provider, "person-1").await;
        let faults = [
            "issuer", "audience", "party", "nonce", "expired", "no subject", "none", "shared secret", "unknown key", "wrong key", "broken",
        ];
        for (n, fault) in faults.into_iter().enumerate() {
            provider.fault(fault);
            let browser = app.anybody().from(&format!("10.6.0.{n}"));
            let started = browser.get(&format!("{BASE}/start")).await;
            let back = provider.consent(&location(&started), "person-1");
            let answer = fragment(&browser.header("cookie", cookie_of(&started)).get(&format!("{BASE}/callback?{back}")).await);
            assert_eq!(answer["error"], "failed", "{fault}");
        }
        provider.fault("");
        assert!(go_through(&app, &provider, "person-1").await.contains_key("token"));
    }

    async fn an_end_point_that_discovery_names_elsewhere_is_not_connected_to(db) {
        let provider = Provider::start().await;
        // Another service of this machine: only the provider's own address is excepted from the rule.
        let inside = std::net::TcpListener::bind("127.0.0.2:0").unwrap();
        inside.set_nonblocking(true).unwrap();
        let port = inside.local_addr().unwrap().port();
        let mut app = TestApp::with(db, |config| {
            config.oidc = vec![corp(&provider)];
            config.public_url = "https://console.example.com/".to_owned();
            config.allow_outbound = vec!["127.0.0.1".parse().unwrap()];
        })
        .await;
        let failed = HashMap::from([("error".to_owned(), "failed".to_owned())]);
        for host in ["169.254.169.254", "127.0.0.2", "[::ffff:127.0.0.2]", "2130706434"] {
            let at = |endpoint| Some((endpoint, format!("http://{host}:{port}/latest/meta-data")));
            provider.state.lock().elsewhere = at("jwks_uri");
            let started = app.anybody().get(&format!("{BASE}/start")).await;
            assert_eq!(fragment(&started), failed, "keys at {host}");
            provider.state.lock().elsewhere = at("token_endpoint");
            assert_eq!(go_through(&app, &provider, "person-1").await, failed, "tokens at {host}");
            // What discovery told is kept; a start forgets it.
            app = app.restarted().await;
        }
        assert_eq!(inside.accept().unwrap_err().kind(), std::io::ErrorKind::WouldBlock, "somebody connected");
        provider.state.lock().elsewhere = None;
        assert_eq!(go_through(&app, &provider, "person-1").await["error"], "notLinked", "the provider itself is asked");
    }

    async fn only_the_browser_that_began_can_finish_and_only_once(db) {
        let (app, provider) = with_provider(db).await;
        link(&app, &provider, "person-1").await;
        let (mine, other) = (app.anybody().get(&format!("{BASE}/start")).await, app.anybody().get(&format!("{BASE}/start")).await);
        let back = provider.consent(&location(&mine), "person-1");
        let callback = format!("{BASE}/callback?{back}");
        let stale = |answer: HashMap<String, String>| answer["error"] == "stale";

        assert!(stale(fragment(&app.anybody().get(&callback).await)), "without the cookie");
        assert!(stale(fragment(&app.anybody().header("cookie", cookie_of(&other)).get(&callback).await)), "another sign-in's cookie");
        assert!(stale(fragment(&app.anybody().header("cookie", "skyrack_openid_corp=AAAA").get(&callback).await)), "a forged cookie");
        let browser = app.anybody().header("cookie", cookie_of(&mine));
        let done = browser.get(&callback).await;
        assert!(fragment(&done).contains_key("token"));
        assert!(done.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
        assert!(fragment(&browser.get(&callback).await).contains_key("error"), "the code is used up");

        let late = app.anybody().get(&format!("{BASE}/start")).await;
        let back = provider.consent(&location(&late), "person-1");
        app.app.clock.advance_seconds(600);
        assert!(stale(fragment(&app.anybody().header("cookie", cookie_of(&late)).get(&format!("{BASE}/callback?{back}")).await)));
    }

    async fn what_goes_wrong_is_told_as_a_code_that_the_page_words(db) {
        let (app, provider) = with_provider(db).await;
        let started = app.anybody().get(&format!("{BASE}/start")).await;
        let back = provider.consent(&location(&started), "person-1");
        let state = back.split_once("state=").unwrap().1;
        let browser = app.anybody().lang("en").header("cookie", cookie_of(&started));
        let denied = fragment(&browser.get(&format!("{BASE}/callback?error=access_denied&state={state}")).await);
        assert_eq!(denied["error"], "denied");
        let unknown = app.anybody().lang("en").get("/api/user/v1/client/login/oidc/nobody/start").await;
        assert_eq!(fragment(&unknown)["error"], "unknownProvider");
        let crooked = app.anybody().get("/api/user/v1/client/login/oidc/a%0d%0ab;x/start").await;
        assert!(fragment(&crooked).contains_key("error"));
    }

    async fn nobody_is_sent_anywhere_while_the_consoles_address_is_not_configured(db) {
        let provider = Provider::start().await;
        let app = TestApp::with(db, |config| config.oidc = vec![corp(&provider)]).await;
        let crooked = app.anybody().header("host", "evil.example.com").get(&format!("{BASE}/start")).await;
        assert_eq!(fragment(&crooked), HashMap::from([("error".to_owned(), "noAddress".to_owned())]));
        let who = app.operator("clerk", &["clientUser:list"]).await.operator.unwrap();
        app.give_password(who).await;
        let caller = clerk(&app).await.lang("en");
        let body = json!({ "providerId": "corp", "password": caller.encrypted(PASSWORD).await });
        let refused = caller.post("/api/user/v1/me/openid/link", body).await;
        assert_eq!(refused.brief(), (409, 4009));
        assert!(refused.json()["msg"].as_str().unwrap().contains("public_url"));
    }

    async fn a_link_is_not_made_for_a_session_that_has_ended_meanwhile(db) {
        let (app, provider) = with_provider(db).await;
        let caller = clerk(&app).await;
        let body = json!({ "providerId": "corp", "password": caller.encrypted(PASSWORD).await });
        let started = caller.post("/api/user/v1/me/openid/link", body).await;
        let back = provider.consent(started.data()["url"].as_str().unwrap(), "person-1");
        // Signing in elsewhere ends it.
        let owner = clerk(&app).await;
        let answer = fragment(&app.anybody().header("cookie", cookie_of(&started)).get(&format!("{BASE}/callback?{back}")).await);
        assert_eq!(answer["error"], "stale", "{answer:?}");
        assert_eq!(owner.get("/api/user/v1/me/openid").await.data(), json!({ "providerId": null }));
    }

    async fn a_disabled_operator_does_not_come_in_this_way(db) {
        let (app, provider) = with_provider(db).await;
        link(&app, &provider, "person-1").await;
        let tx = app.app.db.begin_write().await.unwrap();
        let off = sea_orm::sea_query::Expr::value(false);
        let mut update = <entity::operator::Entity as sea_orm::EntityTrait>::update_many().col_expr(entity::operator::Column::IsEnabled, off);
        update = sea_orm::QueryFilter::filter(update, sea_orm::ColumnTrait::eq(&entity::operator::Column::Username, "clerk"));
        update.exec(&*tx).await.unwrap();
        tx.commit().await.unwrap();
        assert!(go_through(&app, &provider, "person-1").await["error"] == "closed");
    }

    async fn a_link_takes_the_password_and_an_account_has_one_owner(db) {
        let (app, provider) = with_provider(db).await;
        let caller = clerk(&app).await;
        let url = "/api/user/v1/me/openid/link";
        let without = caller.post(url, json!({ "providerId": "corp" })).await;
        assert_eq!((without.brief(), without.errors()), ((400, 4000), vec!["password required".to_owned()]), "right after signing in");
        let wrong = json!({ "providerId": "corp", "password": caller.encrypted("Wrong123").await });
        assert_eq!(caller.post(url, wrong).await.errors(), ["password password.wrong"]);
        let right = json!({ "providerId": "corp", "password": caller.encrypted(PASSWORD).await });
        assert_eq!(caller.post(url, right).await.status(), 0);
        assert_eq!(caller.post(url, json!({ "providerId": "nobody", "password": caller.encrypted(PASSWORD).await })).await.brief(), (404, 4004));

        link(&app, &provider, "person-1").await;
        let session = app.operator("other", &["clientUser:list"]).await;
        let other = session.operator.unwrap();
        let assign = format!("/api/user/v1/operators/{other}/openid");
        let admin = app.admin().await;
        let own = format!("/api/user/v1/operators/{}/openid", admin.operator.unwrap());
        for body in [json!({ "providerId": "corp", "subject": "me" }), json!({})] {
            assert_eq!(admin.put(&own, body).await.brief(), (409, 4009), "never to oneself without the password");
        }
        let resets = app.operator("resets", &["operator:resetPassword", "clientUser:list"]).await;
        assert_eq!(resets.put(&assign, json!({ "providerId": "corp", "subject": "mine" })).await.brief(), (200, 4003), "a right of its own");
        let taken = admin.put(&assign, json!({ "providerId": "corp", "subject": "person-1" })).await;
        assert_eq!((taken.brief(), taken.errors()), ((409, 4009), vec!["subject taken".to_owned()]));
        let long = admin.put(&assign, json!({ "providerId": "corp", "subject": "x".repeat(201) })).await;
        assert_eq!((long.brief(), long.errors()), ((400, 4000), vec!["subject text.tooLong".to_owned()]));
        assert_eq!(admin.put(&assign, json!({ "providerId": "corp", "subject": "" })).await.errors(), ["subject required"]);
        assert_eq!(admin.put(&assign, json!({ "providerId": "nobody", "subject": "x" })).await.errors(), ["providerId reference.unknown"]);
        assert_eq!(session.post(ME, json!({})).await.status(), 0, "refusals end no session");
        assert_eq!(admin.put(&assign, json!({ "providerId": "corp", "subject": "person-2" })).await.status(), 0);
        assert_eq!(session.post(ME, json!({})).await.brief(), (200, 6014), "his sessions end");
        assert_eq!(admin.get(&format!("/api/user/v1/operators/{other}")).await.data()["linkedProvider"], "corp");
        let weaker = app.operator("weaker", &["operator:linkIdentity"]).await;
        assert_eq!(weaker.put(&assign, json!({ "providerId": "corp", "subject": "mine" })).await.brief(), (409, 4009), "not upward");
        let answer = go_through(&app, &provider, "person-2").await;
        assert_eq!(answer["id"], other.to_string());
        let told = app.anybody().token(answer["token"].clone()).lang("en").get("/api/user/v1/me/notices").await.data();
        let told: Vec<_> = told["list"].as_array().unwrap().iter().map(|notice| (&notice["title"], &notice["by"], &notice["detail"])).collect();
        assert!(told.contains(&(&json!("A third-party account was linked"), &json!("admin"), &json!("corp"))), "{told:?}");
        assert_eq!(admin.put(&assign, json!({})).await.status(), 0);
        assert!(go_through(&app, &provider, "person-2").await.contains_key("error"));
    }
}

#[test]
fn an_invalid_provider_is_refused_at_startup() {
    use base::config::Config;
    let load = |provider: Value| {
        let text = toml::to_string(&json!({ "oidc": [provider] })).unwrap();
        let file = tempfile::NamedTempFile::with_suffix(".toml").unwrap();
        std::fs::write(file.path(), text).unwrap();
        Config::load(Some(&file.path().to_path_buf()), json!({})).map_err(|error| error.to_string())
    };
    let good = json!({ "id": "corp", "name": "Corp", "issuer": "https://login.example.com", "client_id": "x", "client_secret": "very-secret" });
    let config = load(good.clone()).unwrap();
    assert_eq!(config.oidc[0].scope(), "openid");
    assert!(!format!("{config:?}").contains("very-secret"));
    for (key, value, says) in [
        ("id", "Corp!", "lower-case"),
        ("issuer", "http://login.example.com", "https://"),
        ("issuer", "http://127.0.0.1.example.com", "https://"),
        ("issuer", "http://127.0.0.1:8080", "this machine"),
        ("issuer", "https://169.254.169.254/latest", "on the link"),
        ("issuer", "login.example.com", "https://"),
        ("name", "", "name"),
        ("tenant", "x", "tenant"),
        ("second_factor_acr", " ", "second_factor_acr"),
    ] {
        let mut bad = good.clone();
        bad[key] = if key == "second_factor_acr" { json!([value]) } else { json!(value) };
        let refused = load(bad).unwrap_err();
        assert!(refused.contains(says), "{key}: {refused}");
    }
}
