//! Signing in with username and password, a captcha after failures, and the second factor.

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::{Meta, answer};
use base::settings::SignIn;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use db::WriteTx;
use entity::operator;
use entity::operator_sign_in::{SignInMethod, SignInOutcome as Came};
use http::{HeaderMap, HeaderValue};
use kernel::rules::{FieldError, Violation};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::attempt::{Attempt, Opened, Refusal, SignedIn};
use super::device::{self, DeviceId};
use super::one_time::{self, Used};
use super::throttle::{Failure, Standing, Subject};
use crate::auth::memory::Auth;

/// The same answer for a wrong name and a wrong password.
const WRONG: Text = text("用户名或密码错误", "Wrong username or password");
const DISABLED: Text = text(
    "账号已被禁用或没有权限组，请联系管理员",
    "The account is disabled or has no permission group; ask an administrator",
);
const CODE_NEEDED: Text = text("请输入验证码", "Enter the code");
/// Body status of a sign-in refused because of the input.
pub(super) const REFUSED: i32 = 4001;
/// Body status of a sign-in that needs a code, or another one.
const ASKED: i32 = 4007;

/// The input for signing in.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInInput {
    /// base64 of the trimmed username in UTF-8.
    #[serde(default)]
    pub username: String,
    /// base64 of the RSA PKCS#1 v1.5 ciphertext of the password's lower-case md5 hex.
    #[serde(default)]
    pub password: String,
    /// The address that the client claims. Recorded, never trusted.
    #[serde(default)]
    pub ip_addr: Option<String>,
    /// The browser's name.
    #[serde(default)]
    pub disk_name: Option<String>,
    /// The one-time code, a recovery code or the captcha, if required.
    #[serde(default)]
    pub auth_code: Option<String>,
}

/// The account for which a captcha is requested.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct CaptchaInput {
    /// base64 of the username, as it will be sent to sign in.
    #[serde(default)]
    pub username: String,
}

/// A captcha.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaptchaImage {
    /// A PNG as a data URL.
    pub image: String,
}

/// What is required before the password is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gate {
    /// Nothing, or a correct captcha.
    Open,
    /// A captcha, but the input looks like a one-time code: then everything must be right at once, and any error is
    /// reported as a wrong captcha. So an operator with a second factor need not go through both, and nobody learns who
    /// has one.
    AllAtOnce,
}

/// Draws a captcha for the account to sign in to, existing or not.
///
/// # Errors
/// When the address requests too many.
pub async fn captcha(app: &App, meta: &Meta, input: &CaptchaInput) -> Outcome<CaptchaImage> {
    let image = app.part::<Auth>().captchas.draw(&account_of(&input.username), meta.ip, app.clock.now()).await?;
    Ok(CaptchaImage { image })
}

/// Signs an operator in with username and password and, if they have one, their second factor.
///
/// Every refusal because of the input takes the same work and gives the same answer.
///
/// # Errors
/// Body status 4001 for wrong credentials, 4007 if a code is needed, 429 during a wait.
pub async fn sign_in(app: &App, meta: &Meta, headers: &HeaderMap, input: SignInInput) -> Outcome<Welcome> {
    let SignInInput { username, password, ip_addr, disk_name, auth_code } = input;
    let account = account_of(&username);
    let mut attempt = Attempt {
        username: read_username(&username).unwrap_or_default(),
        meta,
        claimed_ip: short(ip_addr),
        device: short(disk_name),
        method: SignInMethod::Password,
        is_known_device: false,
    };
    let code = auth_code.unwrap_or_default().trim().to_owned();
    let found =
        operator::Entity::find().filter(operator::Column::Username.eq(&attempt.username)).one(app.db.read()).await?;
    let device = found.as_ref().and_then(|who| device::recognise(&app.vault, who, headers, app.clock.now()));
    attempt.is_known_device = device.is_some();
    let subject = device.map_or_else(|| Subject::new(&account, meta.ip), Subject::device);
    Trial { app, attempt, subject, device, account, code, gate: Gate::Open }.run(found, &password).await
}

/// The answer to a successful sign-in.
#[derive(Debug)]
pub struct Welcome {
    /// The body.
    pub session: SignedIn,
    /// The one by which the account trusts this device, and the one bound to the session.
    pub cookies: [HeaderValue; 2],
}

/// A sign-in that is being checked.
struct Trial<'a> {
    app: &'a App,
    attempt: Attempt<'a>,
    subject: Subject,
    device: Option<DeviceId>,
    /// The account for failures and captchas.
    account: String,
    code: String,
    gate: Gate,
}

impl Trial<'_> {
    async fn run(mut self, found: Option<operator::Model>, password: &str) -> Outcome<Welcome> {
        let app = self.app;
        let now = app.clock.now();
        self.subject.standing(app.db.read(), now).await?.admit(now)?;
        let _turn = app.part::<Auth>().turns.of(&self.subject).await;
        let standing = self.subject.standing(app.db.read(), now).await?;
        standing.admit(now)?;
        self.gate = self.pass_gate(standing, now).await?;
        if !self.code.is_empty() {
            standing.admit_code(now)?;
        }

        app.part::<Auth>().keys.refresh(&app.clock).await?;
        let md5_hex = app.part::<Auth>().keys.open_or_random(password, now);
        let hasher = &app.part::<Auth>().hasher;
        let matches = hasher.verify(md5_hex.clone(), found.as_ref().map(|row| row.password_hash.as_str())).await?;
        let Some(who) = found.filter(|_| matches) else {
            return Err(self.refuse(Failure::Password, Came::WrongCredentials, Fault::status(REFUSED, WRONG)).await?);
        };
        let (true, Some(group)) = (who.is_enabled, who.group_id) else {
            return Err(self.refuse(Failure::Password, Came::Disabled, Fault::status(REFUSED, DISABLED)).await?);
        };
        let used = self.check_code(&who).await?;
        let renewed = if hasher.is_outdated(&who.password_hash) { Some(hasher.hash(md5_hex).await?) } else { None };

        let tx = app.db.begin_write().await?;
        if let Some(used) = used {
            if !used.spend(&*tx, who.id, now).await? {
                drop(tx);
                return Err(self.refuse(Failure::Code, Came::WrongCode, ask(Violation::new("totpWrong"))).await?);
            }
            self.attempt.method = SignInMethod::PasswordAndCode;
        }
        if let Some(hash) = renewed {
            renew_hash(&tx, &who, hash).await?;
        }
        let Opened { session, cookie } = self.attempt.open_session(app, tx, &self.subject, &who, group).await?;
        let device_cookie = device::trust(&app.vault, &who, self.device, self.attempt.meta, now)?;
        Ok(Welcome { session, cookies: [device_cookie, cookie] })
    }

    /// Requires a captcha after failures, before anything else is checked.
    async fn pass_gate(&mut self, standing: Standing, now: UtcTime) -> Outcome<Gate> {
        let auth = &self.app.part::<Auth>();
        let storm = !self.subject.is_trusted() && auth.failures.is_over(&(), now);
        let after = self.app.settings.get::<SignIn>(self.app).await?.captcha_after;
        if !standing.needs_captcha(after) && !storm {
            return Ok(Gate::Open);
        }
        if self.code.is_empty() {
            return Err(ask(Violation::new("captchaRequired")));
        }
        if auth.captchas.solve(&self.account, self.attempt.meta.ip, &self.code, now) {
            self.code.clear();
            return Ok(Gate::Open);
        }
        if one_time::looks_like_code(&self.code) {
            return Ok(Gate::AllAtOnce);
        }
        Err(self.refuse(Failure::Stranger, Came::WrongCode, ask(Violation::new("captchaWrong"))).await?)
    }

    /// Checks the second factor of an operator whose password was right; none if they have none.
    async fn check_code(&self, who: &operator::Model) -> Outcome<Option<Used>> {
        match (who.totp_enabled_at, self.code.as_str(), self.gate) {
            (None, _, Gate::Open) => Ok(None),
            (None, _, Gate::AllAtOnce) => {
                Err(self.refuse(Failure::Code, Came::WrongCode, ask(Violation::new("captchaWrong"))).await?)
            }
            (Some(_), "", _) => Err(ask(Violation::new("totpRequired"))),
            (Some(_), code, _) => match one_time::check(self.app, who, code, self.app.clock.now()).await? {
                Some(used) => Ok(Some(used)),
                None => Err(self.refuse(Failure::Code, Came::WrongCode, ask(Violation::new("totpWrong"))).await?),
            },
        }
    }

    /// Counts and records a failure and returns the caller's answer. If everything had to be right at once, any error
    /// is counted as a wrong code: otherwise the wait that follows would reveal a correct password.
    async fn refuse(&self, failure: Failure, came: Came, fault: Fault) -> Outcome<Fault> {
        let (failure, fault) = match self.gate {
            Gate::Open => (failure, fault),
            Gate::AllAtOnce => (Failure::Code, ask(Violation::new("captchaWrong"))),
        };
        let status = answer::body_status(&fault, self.attempt.meta);
        self.app.part::<Auth>().failures.count((), self.app.clock.now());
        self.attempt.refuse(self.app, &self.subject, Refusal { failure, came, status }).await?;
        Ok(fault)
    }
}

/// Stores the hash of the same password with the pepper, unless the password was changed meanwhile.
async fn renew_hash(tx: &WriteTx, who: &operator::Model, hash: String) -> Outcome<()> {
    operator::Entity::update_many()
        .col_expr(operator::Column::PasswordHash, Expr::value(hash))
        .filter(operator::Column::Id.eq(who.id))
        .filter(operator::Column::PasswordHash.eq(&who.password_hash))
        .exec(&**tx)
        .await?;
    Ok(())
}

/// Says which code is needed.
pub(super) fn ask(violation: Violation) -> Fault {
    Fault::Status {
        status: ASKED,
        message: CODE_NEEDED.into(),
        errors: vec![FieldError { field: "authCode".to_owned(), violation }],
    }
}

/// The account for which failures are counted: an invalid name is counted as entered.
fn account_of(encoded: &str) -> String {
    read_username(encoded)
        .filter(|name| !name.is_empty())
        .unwrap_or_else(|| format!("?{}", encoded.chars().take(40).collect::<String>()))
}

/// Decodes the name once and strictly; an invalid name belongs to nobody.
fn read_username(encoded: &str) -> Option<String> {
    let bytes = STANDARD.decode(encoded.trim()).ok()?;
    let name = String::from_utf8(bytes).ok()?.trim().to_owned();
    (name.chars().count() <= 32 && !name.chars().any(char::is_control)).then_some(name)
}

/// Free text of a client, truncated to its column.
fn short(text: Option<String>) -> String {
    text.unwrap_or_default().chars().filter(|c| !c.is_control()).take(64).collect()
}
