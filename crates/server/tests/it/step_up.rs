//! Confirming one's identity again, before operations that grant permissions or accept a secret.

use std::collections::BTreeSet;

use base::access::need::Route;
use base::http::Need;
use serde_json::{Value, json};
use testapp::{CODES, PASSWORD, TestApp};
use testkit::db_test;
use totp_rs::{Builder, Secret};

use crate::access::{call, world};

const PROVE: &str = "/api/user/v1/me/step-up";
const LIST: &str = "/api/user/v1/designjet/user/list";
/// Deleting nobody: refused for its input, when it is not refused before that.
const GRAVE: &str = "/api/user/v1/designjet/user";

/// Every call that takes a fresh proof.
const STEP_UP: &[&str] = &[
    "backup_reveal",
    "bmc_create",
    "bmc_update",
    "fleet_setting_update",
    "group_copy",
    "image_exclude",
    "image_exclusion_approve",
    "join_token_create",
    "menu_allot",
    "open_app_update",
    "open_door_update",
    "open_hook_renew",
    "open_hook_update",
    "open_key_create",
    "open_key_revoke",
    "openid_assign",
    "openid_unlink",
    "operator_create",
    "operator_delete",
    "operator_enable",
    "operator_reset_password",
    "operator_update",
    "phone_give_up",
    "phone_life_update",
    "phone_open_elsewhere",
    "phone_release",
    "phone_rule_update",
    "phone_wipe_left",
    "second_factor_reset",
    "service_address_create",
    "service_address_update",
    "sign_in_setting_update",
    "transfer_speed_update",
];

/// Codes whose acts hand out rights, or a way in.
const GRANTS: [&str; 14] = [
    "group:allot",
    "openApp:dropKey",
    "openApp:newKey",
    "openHook:newSecret",
    "openHook:update",
    "operator:create",
    "operator:delete",
    "operator:linkIdentity",
    "operator:resetPassword",
    "operator:resetSecondFactor",
    "operator:update",
    "roomAgent:invite",
    // Customers are sent there, with tickets.
    "serviceAddress:create",
    "serviceAddress:update",
];

/// Acts that would be found by what they take or need, and why they take no further proof.
const EXEMPT: [(&str, &str); 8] = [
    ("session_create", "it is the proof"),
    ("step_up", "it is the proof"),
    ("own_password_update", "it asks for the old password, as the contract has it"),
    ("second_factor_enrol", "it asks for the password"),
    ("second_factor_disable", "it asks for the password and a code"),
    ("openid_link_start", "it asks for the password"),
    ("operator_disable", "it takes rights away, and must not wait"),
    ("service_address_set_enabled", "the address was entered with a proof"),
];

/// Words in the names of fields that hold a secret.
const SECRETS: [&str; 5] = ["password", "secret", "token", "credential", "privatekey"];

/// The names of all fields that a schema may hold.
fn fields(document: &Value, schema: &Value, found: &mut BTreeSet<String>) {
    if let Some(name) = schema["$ref"].as_str() {
        return fields(document, &document["components"]["schemas"][name.rsplit('/').next().unwrap()], found);
    }
    for (name, inner) in schema["properties"].as_object().into_iter().flatten() {
        found.insert(name.clone());
        fields(document, inner, found);
    }
    for part in ["allOf", "oneOf", "anyOf"] {
        schema[part].as_array().into_iter().flatten().for_each(|part| fields(document, part, found));
    }
    if schema["items"].is_object() {
        fields(document, &schema["items"], found);
    }
}

fn takes_a_secret(document: &Value, route: &Route) -> bool {
    let call = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
    let mut found = BTreeSet::new();
    for content in call["requestBody"]["content"].as_object().into_iter().flatten().map(|(_, content)| content) {
        fields(document, &content["schema"], &mut found);
    }
    found.iter().any(|name| SECRETS.iter().any(|word| name.to_lowercase().contains(word)))
}

fn routes() -> Vec<Route> {
    server::router::surface().routes
}

#[test]
fn what_takes_a_secret_or_hands_out_rights_takes_a_fresh_proof() {
    let document = serde_json::to_value(server::router::document()).unwrap();
    let mut needless = EXEMPT.map(|(action, _)| action).to_vec();
    for route in routes().iter().filter(|route| route.acts) {
        let grants = route.need.codes().iter().any(|code| GRANTS.contains(code));
        if !grants && !takes_a_secret(&document, route) {
            continue;
        }
        let is_exempt = EXEMPT.iter().any(|(action, _)| *action == route.action());
        assert_ne!(route.step_up, is_exempt, "{} takes a secret or hands out rights", route.operation);
        needless.retain(|action| *action != route.action());
    }
    assert_eq!(needless, [""; 0], "exemptions of what needs none");
}

#[test]
fn the_calls_that_take_a_fresh_proof_are_these_and_the_document_says_so() {
    let marked: BTreeSet<&str> = routes().iter().filter(|route| route.step_up).map(Route::action).collect();
    assert_eq!(marked, STEP_UP.iter().copied().collect());
    let document = serde_json::to_value(server::router::document()).unwrap();
    for route in routes() {
        let call = &document["paths"][&route.path][route.method.as_str().to_lowercase()];
        assert_eq!(call["security"][0]["token"] == json!(["step-up"]), route.step_up, "{}", route.operation);
        assert!(!route.step_up || route.need != Need::Nothing, "{} has nobody to prove anything", route.operation);
    }
}

db_test! {
    async fn ten_minutes_after_the_last_proof_grave_calls_ask_for_another_and_nothing_is_done(db) {
        let app = TestApp::new(db).await;
        app.operator("somebody", &[]).await;
        let clerk = app.operator("clerk", &CODES).await;
        app.give_password(clerk.operator.unwrap()).await;
        let marked: Vec<Route> = routes().into_iter().filter(|route| route.step_up).collect();
        // The test's own time passes too: a minute of it is spared.
        app.app.clock.advance_seconds(540);
        app.app.sessions.forget();
        for route in &marked {
            assert_ne!(call(&clerk, route).await.1, 4011, "{} within ten minutes", route.operation);
        }

        app.app.clock.advance_seconds(61);
        let before = world(&app).await;
        for route in &marked {
            assert_eq!(call(&clerk, route).await, (200, 4011), "{}", route.operation);
        }
        assert_eq!(world(&app).await, before, "a refusal changed something");
        let refused = clerk.clone().lang("en").delete(GRAVE, json!({})).await;
        assert_eq!(refused.errors(), ["password required"], "he has no second factor to prove it with");
        assert!(refused.json()["msg"].as_str().unwrap().contains("your password"));
        assert_eq!(clerk.post(LIST, json!({})).await.status(), 0, "everything else goes on");
        let weaker = app.operator("weaker", &["operator:list"]).await;
        assert_eq!(weaker.delete(GRAVE, json!({})).await.status(), 4003, "the right comes first");

        let proof = json!({ "password": clerk.encrypted(PASSWORD).await });
        assert_eq!(clerk.post(PROVE, proof.clone()).await.status(), 0);
        for route in &marked {
            assert_ne!(call(&clerk, route).await.1, 4011, "{} after a proof", route.operation);
        }
        assert_eq!(clerk.post(PROVE, proof).await.errors(), ["password password.wrong"], "a ciphertext is good once");
        app.app.clock.advance_seconds(601);
        app.app.sessions.forget();
        assert_eq!(clerk.delete(GRAVE, json!({})).await.status(), 4011, "a proof is no licence either");
        let trail = app.audit_trail().await;
        assert!(trail.contains(&"clerk step_up 0".to_owned()) && trail.contains(&"clerk step_up 4000".to_owned()), "{trail:?}");
    }

    async fn a_clock_that_is_set_neither_extends_a_proof_nor_cuts_it(db) {
        let mut app = TestApp::new(db).await;
        for jump in [3600, -3600] {
            let name = format!("clerk{jump}");
            let clerk = app.operator(&name, &CODES).await;
            app.give_password(clerk.operator.unwrap()).await;
            let proof = json!({ "password": clerk.encrypted(PASSWORD).await });
            assert_eq!(clerk.post(PROVE, proof).await.status(), 0);
            app.app.clock.jump_seconds(jump);
            app.app.sessions.forget();
            assert_ne!(clerk.delete(GRAVE, json!({})).await.status(), 4011, "{jump}: no time has passed");
            app.app.clock.advance_seconds(540);
            app.app.sessions.forget();
            assert_ne!(clerk.delete(GRAVE, json!({})).await.status(), 4011, "{jump}: it has ten minutes, of which the test takes some");
            app.app.clock.advance_seconds(61);
            app.app.sessions.forget();
            assert_eq!(clerk.delete(GRAVE, json!({})).await.status(), 4011, "{jump}: and no more");
            app.app.clock.jump_seconds(-jump);
        }
        // A process that has not seen the proof has the stored time alone; one of the future is none, for good.
        let (token, proof) = {
            let clerk = app.operator("last", &CODES).await;
            app.give_password(clerk.operator.unwrap()).await;
            (clerk.token.clone().unwrap(), json!({ "password": clerk.encrypted(PASSWORD).await }))
        };
        assert_eq!(app.anybody().token(token.as_str()).post(PROVE, proof).await.status(), 0);
        app = app.restarted().await;
        let clerk = app.anybody().token(token.as_str());
        assert_ne!(clerk.delete(GRAVE, json!({})).await.status(), 4011, "a restart forgets no proof");
        app.app.clock.jump_seconds(-3600);
        let app = app.restarted().await;
        let clerk = app.anybody().token(token.as_str());
        assert_eq!(clerk.delete(GRAVE, json!({})).await.status(), 4011);
        app.app.clock.jump_seconds(3600);
        app.app.sessions.forget();
        assert_eq!(clerk.delete(GRAVE, json!({})).await.status(), 4011);
    }

    async fn one_proof_is_good_for_one_session(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        app.give_password(clerk.operator.unwrap()).await;
        let other = app.operator("other", &CODES).await;
        app.app.clock.advance_seconds(601);
        assert_eq!(clerk.post(PROVE, json!({ "password": clerk.encrypted(PASSWORD).await })).await.status(), 0);
        assert_ne!(clerk.delete(GRAVE, json!({})).await.status(), 4011);
        assert_eq!(other.delete(GRAVE, json!({})).await.status(), 4011);
        assert_eq!(app.anybody().post(PROVE, json!({})).await.brief(), (401, 6014));
        assert_eq!(other.post(PROVE, json!({})).await.errors(), ["password required"]);
        assert_eq!(other.post(PROVE, json!({ "code": "123456" })).await.errors(), ["code totpWrong"], "he has no second factor");
    }

    async fn a_code_proves_it_as_well_and_works_once(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        let mine = "/api/user/v1/me/second-factor";
        let secret = clerk.post(mine, json!({})).await.data()["secret"].as_str().unwrap().to_owned();
        let totp = Builder::new().with_secret(Secret::try_from_base32(&secret).unwrap()).build().unwrap();
        let code = || totp.generate((app.app.clock.now().millis() / 1000).unsigned_abs()).to_string();
        clerk.post(&format!("{mine}/confirm"), json!({ "code": code() })).await.data();
        app.app.clock.advance_seconds(661);
        app.app.sessions.forget();

        assert_eq!(clerk.delete(GRAVE, json!({})).await.errors(), ["password required", "code totpRequired"]);
        let right = code();
        assert_eq!(clerk.post(PROVE, json!({ "code": right })).await.status(), 0);
        assert_ne!(clerk.delete(GRAVE, json!({})).await.status(), 4011);
        assert_eq!(clerk.post(PROVE, json!({ "code": right })).await.errors(), ["code totpWrong"]);
    }

    async fn a_stolen_session_guesses_no_faster_here_than_elsewhere(db) {
        let app = TestApp::new(db).await;
        let clerk = app.operator("clerk", &CODES).await;
        app.give_password(clerk.operator.unwrap()).await;
        app.app.clock.advance_seconds(601);
        let mut heard = Vec::new();
        for n in 0..6 {
            let guess = json!({ "password": clerk.encrypted(&format!("Wrong12{n}")).await });
            heard.push(clerk.post(PROVE, guess).await.brief());
        }
        assert_eq!(heard, [(400, 4000), (400, 4000), (400, 4000), (400, 4000), (400, 4000), (429, 4029)]);
        let enrol = json!({ "password": clerk.encrypted(PASSWORD).await });
        assert_eq!(clerk.post("/api/user/v1/me/second-factor", enrol).await.brief(), (429, 4029), "one limiter for all of them");
        assert_eq!(clerk.delete(GRAVE, json!({})).await.status(), 4011);
    }
}
