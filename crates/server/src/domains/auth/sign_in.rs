//! Signing in with name and password, a captcha after failures, and the second factor.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use entity::operator_sign_in::{Outcome as Came, SignInMethod};
use entity::operator;
use kernel::rules::{FieldError, Violation};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::attempt::{Attempt, Refusal, SignedIn};
use super::throttle::{Failure, Standing, Subject};
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::Meta;

/// Wrong name and wrong password are one answer.
const WRONG: Text = text("用户名或密码错误", "Wrong user name or password");
const DISABLED: Text = text("账号已被停用或没有权限组，请联系管理员", "The account is disabled or has no permission group; ask an administrator");
const CODE_NEEDED: Text = text("请输入验证码", "Enter the code");
/// Body status of a sign-in that was refused for what was typed.
const REFUSED: i32 = 4001;
/// Body status of a sign-in that needs a code, or another one.
const ASKED: i32 = 4007;
/// Failed sign-ins a minute, of all accounts together, after which unknown devices solve a captcha.
pub(super) const STORM_PER_MINUTE: u32 = 100;

/// What a client sends to sign in.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInInput {
    /// base64 of the trimmed user name in UTF-8.
    #[serde(default)]
    pub username: String,
    /// base64 of the RSA PKCS#1 v1.5 ciphertext of the password's lower-case md5 hex.
    #[serde(default)]
    pub password: String,
    /// What the client takes for its address. Kept, never trusted.
    #[serde(default)]
    pub ip_addr: Option<String>,
    /// The browser's name.
    #[serde(default)]
    pub disk_name: Option<String>,
    /// The one-time code, a recovery code or the captcha, where one is asked for.
    #[serde(default)]
    pub auth_code: Option<String>,
}

/// Whose sign-in a captcha is for.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct CaptchaInput {
    /// base64 of the user name, as it will be sent to sign in.
    #[serde(default)]
    pub username: String,
}

/// A captcha.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaptchaImage {
    /// A PNG as a data address.
    pub image: String,
}

/// What `authCode` was needed for before the password was even looked at.
enum Gate {
    /// For nothing yet.
    Open,
    /// For the captcha, which was right. It is used up.
    Solved,
    /// For the captcha, but it looks like a one-time code: then everything must be right at once, and
    /// whatever is wrong sounds like a wrong captcha. So an operator with a second factor is not sent
    /// through both, and nobody learns who has one.
    AllAtOnce,
}

/// Draws a captcha for the account that will be signed in to, existing or not.
///
/// # Errors
/// When the address asks too often.
pub async fn captcha(app: &App, meta: &Meta, input: &CaptchaInput) -> Outcome<CaptchaImage> {
    let image = app.auth.captchas.draw(&account_of(&input.username), meta.ip, app.clock.now()).await?;
    Ok(CaptchaImage { image })
}

/// Signs an operator in with name and password.
///
/// Every refusal for what was typed costs the same work and sounds the same.
///
/// # Errors
/// Body status 4001 for wrong credentials, 4007 where a code is needed, 429 while a wait runs.
pub async fn sign_in(app: &App, meta: &Meta, input: SignInInput) -> Outcome<SignedIn> {
    let SignInInput { username, password, ip_addr, disk_name, auth_code } = input;
    let account = account_of(&username);
    let attempt = Attempt {
        username: read_username(&username).unwrap_or_default(),
        meta,
        claimed_ip: short(ip_addr),
        device: short(disk_name),
        method: SignInMethod::Password,
    };
    let code = auth_code.unwrap_or_default().trim().to_owned();
    let now = app.clock.now();
    let subject = Subject::new(&account, meta.ip);

    subject.standing(app.db.read(), now).await?.admit(now)?;
    let _turn = app.auth.turns.of(&subject).await;
    let standing = subject.standing(app.db.read(), now).await?;
    standing.admit(now)?;
    let gate = pass_gate(app, &attempt, &subject, standing, &account, &code).await?;

    let md5_hex = app.auth.keys.open(&password, now);
    let found = operator::Entity::find().filter(operator::Column::Username.eq(&attempt.username)).one(app.db.read()).await?;
    let matches = app.auth.hasher.verify(md5_hex, found.as_ref().map(|row| row.password_hash.as_str())).await?;
    let Some(who) = found.filter(|_| matches) else {
        return Err(wrong(app, &attempt, &subject, &gate, Failure::Password, Came::WrongCredentials, Fault::status(REFUSED, WRONG)).await?);
    };
    let (true, Some(group)) = (who.is_enabled, who.group_id) else {
        return Err(wrong(app, &attempt, &subject, &gate, Failure::Password, Came::Disabled, Fault::status(REFUSED, DISABLED)).await?);
    };
    if matches!(gate, Gate::AllAtOnce) {
        let fault = ask(Violation::new("captchaWrong"));
        return Err(wrong(app, &attempt, &subject, &gate, Failure::Code, Came::WrongCode, fault).await?);
    }
    let tx = app.db.begin_write().await?;
    attempt.open_session(app, tx, &subject, &who, group).await
}

/// Asks for a captcha where there were failures, before anything else is checked.
async fn pass_gate(app: &App, attempt: &Attempt<'_>, subject: &Subject, standing: Standing, account: &str, code: &str) -> Outcome<Gate> {
    let now = app.clock.now();
    let storm = !subject.is_trusted() && app.auth.failures.is_over(&(), now);
    if !standing.needs_captcha() && !storm {
        return Ok(Gate::Open);
    }
    if code.is_empty() {
        return Err(ask(Violation::new("captchaRequired")));
    }
    if app.auth.captchas.solve(account, attempt.meta.ip, code, now) {
        return Ok(Gate::Solved);
    }
    if looks_like_one_time_code(code) {
        return Ok(Gate::AllAtOnce);
    }
    let refusal = Refusal { failure: Failure::Captcha, came: Came::WrongCode, status: ASKED };
    attempt.refuse(app, subject, refusal).await?;
    Err(ask(Violation::new("captchaWrong")))
}

/// Counts a failure and answers what the caller hears of it.
async fn wrong(
    app: &App,
    attempt: &Attempt<'_>,
    subject: &Subject,
    gate: &Gate,
    failure: Failure,
    came: Came,
    fault: Fault,
) -> Outcome<Fault> {
    let fault = match gate {
        Gate::Open | Gate::Solved => fault,
        Gate::AllAtOnce => ask(Violation::new("captchaWrong")),
    };
    let status = if matches!(failure, Failure::Password) { REFUSED } else { ASKED };
    app.auth.failures.count((), app.clock.now());
    attempt.refuse(app, subject, Refusal { failure, came, status }).await?;
    Ok(fault)
}

/// Says which code is needed.
fn ask(violation: Violation) -> Fault {
    Fault::Status { status: ASKED, message: CODE_NEEDED.into(), errors: vec![FieldError { field: "authCode".to_owned(), violation }] }
}

/// Six digits, or a recovery code. A captcha is never taken for one.
fn looks_like_one_time_code(code: &str) -> bool {
    code.len() > 5 && code.len() <= 32 && code.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// The account that failures are counted for: what can not be a name is counted as it was typed.
fn account_of(encoded: &str) -> String {
    read_username(encoded).filter(|name| !name.is_empty()).unwrap_or_else(|| format!("?{}", encoded.chars().take(40).collect::<String>()))
}

/// Decodes the name once and strictly; what can not be a name is nobody's.
fn read_username(encoded: &str) -> Option<String> {
    let bytes = STANDARD.decode(encoded.trim()).ok()?;
    let name = String::from_utf8(bytes).ok()?.trim().to_owned();
    (name.chars().count() <= 32 && !name.chars().any(char::is_control)).then_some(name)
}

/// Free text of a client, cut to what its column takes.
fn short(text: Option<String>) -> String {
    text.unwrap_or_default().chars().filter(|c| !c.is_control()).take(64).collect()
}
