//! A sign-in by way of a provider, from the button to the session.

use aws_lc_rs::digest;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use entity::operator_sign_in::{Outcome as Came, SignInMethod};
use entity::{OperatorId, operator};
use http::{HeaderMap, HeaderValue, header};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use vault::Secret;

use super::link;
use super::provider::{Asked, Identity, Provider};
use crate::app::App;
use crate::domains::auth::attempt::{Attempt, Opened, Refusal, SignedIn};
use crate::domains::auth::throttle::{Failure, Subject};
use crate::fault::{Fault, Outcome};
use crate::http::Meta;
use crate::http::meta::cookie;

/// Seconds from the button to the return.
const VALID_S: i64 = 600;
/// What the cookie is sealed for.
const PURPOSE: &str = "openid.flow";
const BASE: &str = "/api/user/v1/client/login/oidc";

const UNKNOWN_PROVIDER: Text = text("没有这个登录方式", "There is no such way to sign in");
const FAILED: Text =
    text("第三方登录失败，请重试或联系管理员", "Signing in there failed; try again or ask an administrator");
const DENIED: Text = text("已取消第三方登录", "Signing in there was cancelled");
const STALE: Text =
    text("登录已超时或在别的窗口完成，请重试", "The sign-in took too long or was finished elsewhere; try again");
const NOT_LINKED: Text = text(
    "该第三方账号未绑定任何用户，请先用密码登录后绑定",
    "No user is linked to this account; sign in with the password and link it first",
);
const CLOSED: Text = text(
    "账号已被禁用或没有权限组，请联系管理员",
    "The account is disabled or has no permission group; ask an administrator",
);

/// Why a flow ends without a session; the person reads it.
#[derive(Debug)]
pub(super) struct Stop(pub Text);

/// What a browser's sealed cookie holds.
#[derive(Debug, Serialize, Deserialize)]
struct Begun {
    state: String,
    nonce: String,
    verifier: String,
    redirect_uri: String,
    until: i64,
    /// The operator who links the account, where it is no sign-in.
    link: Option<OperatorId>,
}

/// Where the browser goes next, and the cookie it takes along.
#[derive(Debug)]
pub struct Onward {
    /// The address.
    pub location: String,
    /// The cookies.
    pub cookies: Vec<HeaderValue>,
}

/// What a provider sends back with the browser.
#[derive(Debug, Default, Deserialize)]
pub struct Returned {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    error: String,
}

/// Begins a sign-in; whatever goes wrong ends on the page that the browser would come back to.
///
/// # Errors
/// When the address begins too many.
pub async fn start(app: &App, meta: &Meta, headers: &HeaderMap, id: &str) -> Outcome<Onward> {
    app.auth.openid.pace.admit(meta.ip, app.clock.now())?;
    let begun = match app.auth.openid.find(id) {
        Some(provider) => begin(app, meta, headers, provider, None).await,
        None => Err(Stop(UNKNOWN_PROVIDER)),
    };
    match begun {
        Ok(onward) => Ok(onward),
        Err(Stop(reason)) => {
            Ok(Onward { location: fragment(&[("error", reason.get(meta.lang))]), cookies: vec![no_cookie(id, meta)?] })
        }
    }
}

/// Begins the linking of an account for an operator who is signed in.
///
/// # Errors
/// When there is no such provider, or it can not be asked.
pub async fn start_link(app: &App, meta: &Meta, headers: &HeaderMap, id: &str, who: OperatorId) -> Outcome<Onward> {
    let provider = app.auth.openid.find(id).ok_or_else(|| Fault::not_found(UNKNOWN_PROVIDER))?;
    begin(app, meta, headers, provider, Some(who)).await.map_err(|Stop(reason)| Fault::conflict(reason))
}

async fn begin(
    app: &App,
    meta: &Meta,
    headers: &HeaderMap,
    provider: &Provider,
    link: Option<OperatorId>,
) -> Result<Onward, Stop> {
    let id = &provider.settings.id;
    let secret = || URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
    let begun = Begun {
        state: secret(),
        nonce: secret(),
        verifier: secret(),
        redirect_uri: format!("{}{BASE}/{id}/callback", own_address(app, meta, headers)),
        until: app.clock.now().plus_seconds(VALID_S).millis(),
        link,
    };
    let challenge = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, begun.verifier.as_bytes()));
    let location = provider.authorization_url(&begun.asked(), &challenge).await.map_err(|error| failed(id, &error))?;
    let text = serde_json::to_vec(&begun).map_err(|error| failed(id, &error.into()))?;
    let sealed = URL_SAFE_NO_PAD.encode(app.vault.seal(PURPOSE, id, &Secret::new(text)));
    let cookie = set_cookie(id, &sealed, VALID_S, meta).map_err(|fault| failed(id, &anyhow::anyhow!("{fault:?}")))?;
    Ok(Onward { location, cookies: vec![cookie] })
}

/// Ends a sign-in: the address of the page that tells the window which began it.
///
/// # Errors
/// When the database refuses.
pub async fn finish(app: &App, meta: &Meta, headers: &HeaderMap, id: &str, returned: &Returned) -> Outcome<Onward> {
    let location = match identify(app, headers, id, returned).await {
        Ok((identity, None)) => enter(app, meta, id, &identity).await?,
        Ok((identity, Some(who))) => Ok((link::complete(app, meta, who, id, &identity.sub).await?, None)),
        Err(stop) => Err(stop),
    };
    let (location, half) =
        location.unwrap_or_else(|Stop(reason)| (fragment(&[("error", reason.get(meta.lang))]), None));
    Ok(Onward { location, cookies: [Some(no_cookie(id, meta)?), half].into_iter().flatten().collect() })
}

async fn identify(
    app: &App,
    headers: &HeaderMap,
    id: &str,
    returned: &Returned,
) -> Result<(Identity, Option<OperatorId>), Stop> {
    let provider = app.auth.openid.find(id).ok_or(Stop(UNKNOWN_PROVIDER))?;
    let begun = begun(app, headers, id).ok_or(Stop(STALE))?;
    let same_state: bool = subtle::ConstantTimeEq::ct_eq(begun.state.as_bytes(), returned.state.as_bytes()).into();
    if !same_state || app.clock.now().millis() >= begun.until {
        return Err(Stop(STALE));
    }
    match returned.error.as_str() {
        "" => {}
        "access_denied" => return Err(Stop(DENIED)),
        other => return Err(failed(id, &anyhow::anyhow!("the provider answers {other:.60}"))),
    }
    let identity = provider.identify(&begun.asked(), &returned.code).await.map_err(|error| failed(id, &error))?;
    Ok((identity, begun.link))
}

/// Opens a session for the operator who is linked to the identity.
async fn enter(
    app: &App,
    meta: &Meta,
    id: &str,
    identity: &Identity,
) -> Outcome<Result<(String, Option<HeaderValue>), Stop>> {
    let subject_id = link::subject(id, &identity.sub);
    let found =
        operator::Entity::find().filter(operator::Column::OidcSubject.eq(&subject_id)).one(app.db.read()).await?;
    let attempt = Attempt {
        username: found.as_ref().map_or_else(|| subject_id.chars().take(64).collect(), |who| who.username.clone()),
        meta,
        claimed_ip: String::new(),
        device: id.to_owned(),
        method: SignInMethod::OpenId,
    };
    let subject = Subject::new(&attempt.username, meta.ip);
    let (came, reason) = match found {
        Some(who) if who.is_enabled && who.group_id.is_some() => {
            let Some(group) = who.group_id else { return Ok(Err(Stop(CLOSED))) };
            let tx = app.db.begin_write().await?;
            let Opened { session, cookie } = attempt.open_session(app, tx, &subject, &who, group).await?;
            let SignedIn { token, id, group_id } = session;
            let address = fragment(&[("token", &token), ("id", &id.to_string()), ("groupId", &group_id.to_string())]);
            return Ok(Ok((address, Some(cookie))));
        }
        Some(_) => (Came::Disabled, CLOSED),
        None => (Came::WrongCredentials, NOT_LINKED),
    };
    attempt.refuse(app, &subject, Refusal { failure: Failure::Stranger, came, status: 4001 }).await?;
    Ok(Err(Stop(reason)))
}

impl Begun {
    fn asked(&self) -> Asked<'_> {
        Asked { redirect_uri: &self.redirect_uri, state: &self.state, nonce: &self.nonce, verifier: &self.verifier }
    }
}

fn begun(app: &App, headers: &HeaderMap, id: &str) -> Option<Begun> {
    let sealed = URL_SAFE_NO_PAD.decode(cookie(headers, &cookie_name(id))?).ok()?;
    let text = app.vault.unseal(PURPOSE, id, &sealed).ok()?;
    serde_json::from_slice(text.expose()).ok()
}

fn failed(id: &str, error: &anyhow::Error) -> Stop {
    tracing::warn!(provider = id, error = format!("{error:#}"), "a sign-in with a provider failed");
    Stop(FAILED)
}

/// The page of the console that hands the answer over. A fragment never reaches a log.
pub(super) fn fragment(values: &[(&str, &str)]) -> String {
    let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(values).finish();
    format!("/authredirect#{text}")
}

/// The console's address as browsers know it: configured, or as this browser says.
fn own_address(app: &App, meta: &Meta, headers: &HeaderMap) -> String {
    let configured = app.config.public_url.trim_end_matches('/');
    if !configured.is_empty() {
        return configured.to_owned();
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    format!("{}://{host}", if meta.https { "https" } else { "http" })
}

fn cookie_name(id: &str) -> String {
    format!("skyrack_openid_{id}")
}

fn no_cookie(id: &str, meta: &Meta) -> Outcome<HeaderValue> {
    // An id that is none of ours must not get into a header.
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    set_cookie(&id, "", 0, meta)
}

/// `Lax`, since the provider sends the browser back from another site.
fn set_cookie(id: &str, value: &str, max_age_s: i64, meta: &Meta) -> Outcome<HeaderValue> {
    let secure = if meta.https { "; Secure" } else { "" };
    let name = cookie_name(id);
    let cookie = format!("{name}={value}; Path={BASE}/; Max-Age={max_age_s}; HttpOnly; SameSite=Lax{secure}");
    HeaderValue::try_from(cookie).map_err(Fault::internal)
}
