//! A sign-in with a provider, from the button to the session.

use aws_lc_rs::digest;
use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::Meta;
use base::http::connections::network;
use base::http::cookies;
use base::http::ops::OpCtx;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use cookie::SameSite;
use entity::operator_sign_in::{SignInMethod, SignInOutcome as Came};
use entity::{OperatorId, SessionId, operator};
use http::{HeaderMap, HeaderValue};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use vault::Secret;

use super::provider::{Asked, Identity, Provider};
use super::{link, second_step};
use crate::auth::attempt::{Attempt, Opened, Refusal, SignedIn};
use crate::auth::device;
use crate::auth::memory::Auth;
use crate::auth::throttle::{Failure, Subject};

/// Seconds from the button to the return.
const VALID_S: i64 = 600;
/// The purpose for which the cookie is encrypted.
const PURPOSE: &str = "openid.flow";
const BASE: &str = "/api/user/v1/client/login/oidc";
const BELOW_BASE: &str = "/api/user/v1/client/login/oidc/";

const UNKNOWN_PROVIDER: Reason = reason("unknownProvider", "没有这个登录方式", "This sign-in method does not exist");
const FAILED: Reason = reason(
    "failed",
    "第三方登录失败，请重试或联系管理员",
    "Third-party sign-in failed; try again or ask an administrator",
);
const DENIED: Reason = reason("denied", "已取消第三方登录", "Third-party sign-in was cancelled");
pub(super) const STALE: Reason = reason(
    "stale",
    "登录已超时或在别的窗口完成，请重试",
    "The sign-in timed out or was completed in another window; try again",
);
const NOT_LINKED: Reason = reason(
    "notLinked",
    "该第三方账号未绑定任何操作员，请先用密码登录后绑定",
    "This third-party account is not linked to any user; sign in with your password and link it first",
);
pub(super) const CLOSED: Reason = reason(
    "closed",
    "账号已被禁用或没有权限组，请联系管理员",
    "The account is disabled or has no permission group; ask an administrator",
);
const NO_ADDRESS: Reason = reason(
    "noAddress",
    "管理员尚未配置控制台地址（public_url），暂不能使用第三方登录",
    "The console's own address (public_url) is not configured, so third-party sign-in is not available yet",
);

/// Why a flow ends without a session: a code for the page, which has its own texts and shows no others, and the text
/// for callers of the API.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reason {
    pub code: &'static str,
    pub text: Text,
}

pub(super) const fn reason(code: &'static str, zh: &'static str, en: &'static str) -> Reason {
    Reason { code, text: text(zh, en) }
}

/// A flow that ends without a session.
#[derive(Debug)]
pub(super) struct Stop(pub Reason);

/// The content of a browser's encrypted cookie.
#[derive(Debug, Serialize, Deserialize)]
struct Begun {
    state: String,
    nonce: String,
    verifier: String,
    redirect_uri: String,
    until: i64,
    /// Who links the account, if it is not a sign-in.
    link: Option<Linking>,
}

/// An operator who links an account, and the session in which they gave the password for it.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Linking {
    pub operator: OperatorId,
    pub session: SessionId,
}

/// The next address of the browser, and the cookies for it.
#[derive(Debug)]
pub struct Onward {
    /// The address.
    pub location: String,
    /// The cookies.
    pub cookies: Vec<HeaderValue>,
}

/// What a provider returns with the browser.
#[derive(Debug, Default, Deserialize)]
pub struct Returned {
    #[serde(default)]
    code: String,
    #[serde(default)]
    state: String,
    #[serde(default)]
    error: String,
}

/// Starts a sign-in; any error ends on the page to which the browser would return.
///
/// # Errors
/// When the address starts too many.
pub async fn start(app: &App, meta: &Meta, id: &str) -> Outcome<Onward> {
    app.part::<Auth>().openid.pace.admit(network(meta.ip), app.clock.now())?;
    let begun = match app.part::<Auth>().openid.find(id) {
        Some(provider) => begin(app, meta, provider, None).await,
        None => Err(Stop(UNKNOWN_PROVIDER)),
    };
    match begun {
        Ok(onward) => Ok(onward),
        Err(Stop(reason)) => {
            Ok(Onward { location: fragment(&[("error", reason.code)]), cookies: vec![no_cookie(id, meta)?] })
        }
    }
}

/// Starts linking an account for a signed-in operator.
///
/// # Errors
/// When there is no such provider, or it cannot be reached.
pub async fn start_link(ctx: &OpCtx, id: &str) -> Outcome<Onward> {
    let provider = ctx.app.part::<Auth>().openid.find(id).ok_or_else(|| Fault::not_found(UNKNOWN_PROVIDER.text))?;
    let linking = Linking { operator: ctx.operator(), session: ctx.session.id };
    let begun = begin(&ctx.app, &ctx.meta, provider, Some(linking)).await;
    begun.map_err(|Stop(reason)| Fault::conflict(reason.text))
}

async fn begin(app: &App, meta: &Meta, provider: &Provider, link: Option<Linking>) -> Result<Onward, Stop> {
    let id = &provider.settings.id;
    // Never taken from the request: whoever controls its Host would choose where the answer goes.
    let own_address = app.config.public_url.trim_end_matches('/');
    if own_address.is_empty() {
        return Err(Stop(NO_ADDRESS));
    }
    let secret = || URL_SAFE_NO_PAD.encode(rand::random::<[u8; 32]>());
    let begun = Begun {
        state: secret(),
        nonce: secret(),
        verifier: secret(),
        redirect_uri: format!("{own_address}{BASE}/{id}/callback"),
        until: app.clock.now().plus_seconds(VALID_S).millis(),
        link,
    };
    let challenge = URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, begun.verifier.as_bytes()));
    let location = provider.authorization_url(&begun.asked(), &challenge).await.map_err(|error| failed(id, &error))?;
    let text = serde_json::to_vec(&begun).map_err(|error| failed(id, &error.into()))?;
    let sealed = URL_SAFE_NO_PAD.encode(app.vault.seal(PURPOSE, id, &Secret::new(text)));
    let cookie = set_cookie(&cookie_name(id), &sealed, VALID_S, meta)
        .map_err(|fault| failed(id, &anyhow::anyhow!("{fault:?}")))?;
    Ok(Onward { location, cookies: vec![cookie] })
}

/// Completes a sign-in: returns the address of the page that notifies the window which started it.
///
/// # Errors
/// When the database refuses.
pub async fn finish(app: &App, meta: &Meta, headers: &HeaderMap, id: &str, returned: &Returned) -> Outcome<Onward> {
    let ended = match identify(app, headers, id, returned).await {
        Ok((identity, None)) => enter(app, meta, headers, id, &identity).await?,
        Ok((identity, Some(who))) => {
            let location = link::complete(app, meta, who, id, &identity.sub).await?;
            Ok(Onward { location, cookies: Vec::new() })
        }
        Err(stop) => Err(stop),
    };
    let Onward { location, mut cookies } = ended
        .unwrap_or_else(|Stop(reason)| Onward { location: fragment(&[("error", reason.code)]), cookies: Vec::new() });
    cookies.insert(0, no_cookie(id, meta)?);
    Ok(Onward { location, cookies })
}

async fn identify(
    app: &App,
    headers: &HeaderMap,
    id: &str,
    returned: &Returned,
) -> Result<(Identity, Option<Linking>), Stop> {
    let provider = app.part::<Auth>().openid.find(id).ok_or(Stop(UNKNOWN_PROVIDER))?;
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

/// Opens a session for the operator linked to the identity; or asks for their one-time code, if they have a second
/// factor and the provider did not prove one.
async fn enter(
    app: &App,
    meta: &Meta,
    headers: &HeaderMap,
    id: &str,
    identity: &Identity,
) -> Outcome<Result<Onward, Stop>> {
    let subject_id = link::subject(id, &identity.sub);
    let found =
        operator::Entity::find().filter(operator::Column::OidcSubject.eq(&subject_id)).one(app.db.read()).await?;
    let trusted = app.part::<Auth>().openid.find(id).map_or(&[][..], |provider| &provider.settings.second_factor_acr);
    let now = app.clock.now();
    let device = found.as_ref().and_then(|who| device::recognise(&app.vault, who, headers, now));
    let has_proved = identity.proves_second_factor(trusted);
    let attempt = Attempt {
        username: found.as_ref().map_or_else(|| subject_id.chars().take(64).collect(), |who| who.username.clone()),
        meta,
        claimed_ip: String::new(),
        device: id.to_owned(),
        method: if has_proved { SignInMethod::OpenIdAndCode } else { SignInMethod::OpenId },
        is_known_device: device.is_some(),
    };
    let subject = Subject::new(&attempt.username, meta.ip);
    let (came, reason) = match found {
        Some(who) if who.is_enabled && who.group_id.is_some() => {
            if who.totp_enabled_at.is_some() && !has_proved {
                return Ok(Ok(second_step::ask(app, meta, id, who.id, subject_id)?));
            }
            let Some(group) = who.group_id else { return Ok(Err(Stop(CLOSED))) };
            let tx = app.db.begin_write().await?;
            let Opened { session, cookie } = attempt.open_session(app, tx, &subject, &who, group).await?;
            let SignedIn { token, id, group_id } = session;
            let location = fragment(&[("token", &token), ("id", &id.to_string()), ("groupId", &group_id.to_string())]);
            let trust = device::trust(&app.vault, &who, device, meta, now)?;
            return Ok(Ok(Onward { location, cookies: vec![cookie, trust] }));
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
    let sealed = URL_SAFE_NO_PAD.decode(cookies::find(headers, &cookie_name(id))?).ok()?;
    let text = app.vault.unseal(PURPOSE, id, &sealed).ok()?;
    serde_json::from_slice(text.expose()).ok()
}

fn failed(id: &str, error: &anyhow::Error) -> Stop {
    tracing::warn!(provider = id, error = format!("{error:#}"), "a sign-in with a provider failed");
    Stop(FAILED)
}

/// The console's page that passes the answer on. A fragment never reaches a log.
pub(super) fn fragment(values: &[(&str, &str)]) -> String {
    let text = url::form_urlencoded::Serializer::new(String::new()).extend_pairs(values).finish();
    format!("/authredirect#{text}")
}

fn cookie_name(id: &str) -> String {
    format!("skyrack_openid_{id}")
}

fn no_cookie(id: &str, meta: &Meta) -> Outcome<HeaderValue> {
    // An id that is not ours must not get into a header.
    let id: String = id.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
    set_cookie(&cookie_name(&id), "", 0, meta)
}

/// `Lax`, since the provider sends the browser back from another site.
pub(super) fn set_cookie(name: &str, value: &str, max_age_s: i64, meta: &Meta) -> Outcome<HeaderValue> {
    cookies::set((name.to_owned(), value.to_owned()), BELOW_BASE, max_age_s, SameSite::Lax, meta.https)
}
