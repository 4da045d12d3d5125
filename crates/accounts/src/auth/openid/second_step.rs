//! The second step of a sign-in with a provider: the operator's own one-time code, if the provider did not prove a
//! second factor.
//!
//! Nothing is stored between the two steps: what the provider has proved is in an encrypted cookie of the browser,
//! valid for a few minutes and useless without a code. Codes are counted as at every other sign-in.

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::connections::network;
use base::http::cookies;
use base::http::{Meta, Validate, answer};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use entity::operator_sign_in::{SignInMethod, SignInOutcome as Came};
use entity::{GroupId, OperatorId, operator};
use http::{HeaderMap, HeaderValue};
use kernel::rules::{Check, Violation};
use kernel::time::UtcTime;
use sea_orm::EntityTrait as _;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vault::Secret;

use super::flow::{CLOSED, Onward, STALE, fragment, set_cookie};
use crate::auth::attempt::{Attempt, Opened, Refusal, SignedIn};
use crate::auth::device;
use crate::auth::memory::Auth;
use crate::auth::one_time::{self, Used};
use crate::auth::sign_in::{REFUSED, ask as ask_for_code};
use crate::auth::throttle::{Failure, Subject};

/// Seconds to find one's phone.
const VALID_S: i64 = 300;
/// The purpose for which the cookie is encrypted.
const PURPOSE: &str = "openid.second-step";

/// The content of a browser's encrypted cookie: what the provider has proved.
#[derive(Debug, Serialize, Deserialize)]
struct Proved {
    operator: OperatorId,
    subject: String,
    until: i64,
}

/// The input for completing such a sign-in.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SecondStepInput {
    /// Six digits of the authenticator, or a recovery code.
    #[serde(default)]
    pub auth_code: String,
}

impl Validate for SecondStepInput {
    // A missing code is requested as at every sign-in.
    fn check(&self, _: &mut Check) {}
}

/// A completed sign-in: the body, and the cookies to set.
#[derive(Debug)]
pub struct Entered {
    /// The body.
    pub session: SignedIn,
    /// The cookie bound to the session, the trusted device, and the deletion of what the provider proved.
    pub cookies: Vec<HeaderValue>,
}

/// Redirects the browser back to ask for a one-time code, with what the provider has proved.
pub(super) fn ask(app: &App, meta: &Meta, provider: &str, who: OperatorId, subject: String) -> Outcome<Onward> {
    let proved = Proved { operator: who, subject, until: app.clock.now().plus_seconds(VALID_S).millis() };
    let text = serde_json::to_vec(&proved).map_err(Fault::internal)?;
    let sealed = URL_SAFE_NO_PAD.encode(app.vault.seal(PURPOSE, provider, &Secret::new(text)));
    let cookie = set_cookie(&cookie_name(provider), &sealed, VALID_S, meta)?;
    Ok(Onward { location: fragment(&[("codeFor", provider)]), cookies: vec![cookie] })
}

/// Completes the sign-in with the operator's one-time code.
///
/// # Errors
/// Body status 4001 if the provider's proof has expired or is no longer valid, 4007 if a code is needed, 429 during a
/// wait.
pub async fn finish(
    app: &App,
    meta: &Meta,
    headers: &HeaderMap,
    provider: &str,
    input: SecondStepInput,
) -> Outcome<Entered> {
    app.part::<Auth>().openid.pace.admit(network(meta.ip), app.clock.now())?;
    let now = app.clock.now();
    let proved = proved(app, headers, provider, now).ok_or_else(|| Fault::status(REFUSED, STALE.text))?;
    let (who, group) = still_linked(app, &proved).await?;
    let device = device::recognise(&app.vault, &who, headers, now);
    let subject = device.map_or_else(|| Subject::new(&who.username, meta.ip), Subject::device);
    let _turn = app.part::<Auth>().turns.of(&subject).await;
    let standing = subject.standing(app.db.read(), now).await?;
    standing.admit(now)?;
    standing.admit_code(now)?;

    let attempt = Attempt {
        username: who.username.clone(),
        meta,
        claimed_ip: String::new(),
        device: provider.to_owned(),
        method: SignInMethod::OpenIdAndCode,
        is_known_device: device.is_some(),
    };
    let code = input.auth_code.trim();
    if code.is_empty() {
        return Err(ask_for_code(Violation::new("totpRequired")));
    }
    let Some(used) = one_time::check(app, &who, code, now).await? else {
        return Err(refuse(app, &attempt, &subject).await?);
    };
    enter(app, attempt, &subject, Checked { who, group, used, device, provider }).await
}

/// An operator whose code was right.
struct Checked<'a> {
    who: operator::Model,
    group: GroupId,
    used: Used,
    device: Option<device::DeviceId>,
    provider: &'a str,
}

async fn enter(app: &App, attempt: Attempt<'_>, subject: &Subject, checked: Checked<'_>) -> Outcome<Entered> {
    let Checked { who, group, used, device, provider } = checked;
    let (now, meta) = (app.clock.now(), attempt.meta);
    let tx = app.db.begin_write().await?;
    if !used.spend(&*tx, who.id, now).await? {
        drop(tx);
        return Err(refuse(app, &attempt, subject).await?);
    }
    let Opened { session, cookie } = attempt.open_session(app, tx, subject, &who, group).await?;
    let trust = device::trust(&app.vault, &who, device, meta, now)?;
    let no_more = set_cookie(&cookie_name(provider), "", 0, meta)?;
    Ok(Entered { session, cookies: vec![cookie, trust, no_more] })
}

/// Counts and records a wrong code and returns the caller's answer.
async fn refuse(app: &App, attempt: &Attempt<'_>, subject: &Subject) -> Outcome<Fault> {
    let fault = ask_for_code(Violation::new("totpWrong"));
    let status = answer::body_status(&fault, attempt.meta);
    attempt.refuse(app, subject, Refusal { failure: Failure::Code, came: Came::WrongCode, status }).await?;
    Ok(fault)
}

/// The operator named by the provider, if they are linked, have a second factor and may still sign in.
async fn still_linked(app: &App, proved: &Proved) -> Outcome<(operator::Model, GroupId)> {
    let found = operator::Entity::find_by_id(proved.operator).one(app.db.read()).await?;
    let stale = || Fault::status(REFUSED, STALE.text);
    let who = found.filter(|who| who.oidc_subject.as_ref() == Some(&proved.subject)).ok_or_else(stale)?;
    if who.totp_enabled_at.is_none() {
        return Err(stale());
    }
    match (who.is_enabled, who.group_id) {
        (true, Some(group)) => Ok((who, group)),
        (_, _) => Err(Fault::status(REFUSED, CLOSED.text)),
    }
}

fn proved(app: &App, headers: &HeaderMap, provider: &str, now: UtcTime) -> Option<Proved> {
    let sealed = URL_SAFE_NO_PAD.decode(cookies::find(headers, &cookie_name(provider))?).ok()?;
    let text = app.vault.unseal(PURPOSE, provider, &sealed).ok()?;
    let proved: Proved = serde_json::from_slice(text.expose()).ok()?;
    (now.millis() < proved.until).then_some(proved)
}

fn cookie_name(provider: &str) -> String {
    format!("skyrack_openid_code_{provider}")
}
