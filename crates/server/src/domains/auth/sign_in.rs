//! Signing in with name and password, and ending one's own session.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use db::WriteTx;
use db::journal::Entry;
use entity::operator_sign_in::{self, Outcome as Came, SignInMethod};
use entity::session::EndReason;
use entity::{GroupId, OperatorId, operator, session};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::throttle::Subject;
use crate::access::session as sessions;
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::Meta;

/// Wrong name and wrong password are one answer.
const WRONG: Text = text("用户名或密码错误", "Wrong user name or password");
const DISABLED: Text = text("账号已被停用或没有权限组，请联系管理员", "The account is disabled or has no permission group; ask an administrator");
/// Body status of a sign-in that was refused for what was typed.
const REFUSED: i32 = 4001;

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
    /// The one-time code or the captcha, where one is asked for.
    #[serde(default)]
    pub auth_code: Option<String>,
}

/// A signed-in session, as clients read it.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignedIn {
    /// Goes into the `Authorization` header.
    pub token: String,
    /// The operator's id.
    pub id: OperatorId,
    /// The id of his group.
    pub group_id: GroupId,
}

/// One attempt, from wherever it came.
#[derive(Debug)]
pub struct Attempt<'a> {
    /// The name that was typed, trimmed.
    pub username: String,
    /// The request.
    pub meta: &'a Meta,
    /// What the client says about itself.
    pub claimed_ip: String,
    /// The browser's name.
    pub device: String,
}

/// Signs an operator in with name and password.
///
/// Every refusal for what was typed costs the same work and sounds the same.
///
/// # Errors
/// Body status 4001 for wrong credentials, 429 while a wait runs.
pub async fn sign_in(app: &App, meta: &Meta, input: SignInInput) -> Outcome<SignedIn> {
    let SignInInput { username, password, ip_addr, disk_name, auth_code } = input;
    let attempt = Attempt {
        username: read_username(&username).unwrap_or_default(),
        meta,
        claimed_ip: short(ip_addr),
        device: short(disk_name),
    };
    let now = app.clock.now();
    let subject = Subject::new(&attempt.username, meta.ip);
    let standing = subject.standing(app.db.read(), now).await?;
    standing.admit(now)?;

    let md5_hex = app.auth.keys.open(&password, now);
    let found = operator::Entity::find().filter(operator::Column::Username.eq(&attempt.username)).one(app.db.read()).await?;
    let matches = app.auth.hasher.verify(md5_hex, found.as_ref().map(|row| row.password_hash.as_str())).await?;
    let Some(who) = found.filter(|_| matches) else {
        refuse(app, &attempt, &subject, Came::WrongCredentials).await?;
        return Err(Fault::status(REFUSED, WRONG));
    };
    _ = auth_code;
    let (true, Some(group)) = (who.is_enabled, who.group_id) else {
        refuse(app, &attempt, &subject, Came::Disabled).await?;
        return Err(Fault::status(REFUSED, DISABLED));
    };
    open_session(app, &attempt, &subject, &who, group, SignInMethod::Password).await
}

/// Opens a session for an operator who has proved who he is.
///
/// # Errors
/// When the database refuses.
pub async fn open_session(
    app: &App,
    attempt: &Attempt<'_>,
    subject: &Subject,
    who: &operator::Model,
    group: GroupId,
    method: SignInMethod,
) -> Outcome<SignedIn> {
    let now = app.clock.now();
    let policy = &app.config.sign_in;
    let token = sessions::new_token();
    let ip = attempt.meta.ip.to_string();

    let mut tx = app.db.begin_write().await?;
    if policy.single_session {
        sessions::end_in(&*tx, now, EndReason::Displaced, session::Column::OperatorId.eq(who.id)).await?;
    }
    let row = session::ActiveModel {
        token_hash: Set(sessions::hash(&token).to_vec()),
        operator_id: Set(who.id),
        created_at: Set(now),
        seen_at: Set(now),
        expires_at: Set(now.plus_seconds(policy.absolute_hours * 3600)),
        ip: Set(ip.clone()),
        device: Set(attempt.device.clone()),
        method: Set(method),
        ..Default::default()
    };
    session::Entity::insert(row).exec_without_returning(&*tx).await?;
    operator::Entity::update_many()
        .col_expr(operator::Column::LastSignInAt, Expr::value(now.millis()))
        .col_expr(operator::Column::LastSignInIp, Expr::value(ip))
        .filter(operator::Column::Id.eq(who.id))
        .exec(&*tx)
        .await?;
    subject.succeeded(&*tx).await?;
    note(&tx, attempt, Some(who.id), now, Came::Success, method).await?;
    tx.record(entry(attempt, now, Some(who), 0));
    tx.commit().await?;
    app.sessions.forget();
    Ok(SignedIn { token, id: who.id, group_id: group })
}

/// Counts and notes a sign-in that was refused.
async fn refuse(app: &App, attempt: &Attempt<'_>, subject: &Subject, came: Came) -> Outcome<()> {
    let now = app.clock.now();
    let mut tx = app.db.begin_write().await?;
    subject.failed(&*tx, now).await?;
    note(&tx, attempt, None, now, came, SignInMethod::Password).await?;
    tx.record(entry(attempt, now, None, REFUSED));
    tx.commit().await?;
    Ok(())
}

fn entry(attempt: &Attempt<'_>, at: UtcTime, who: Option<&operator::Model>, status: i32) -> Entry {
    Entry {
        at,
        operator_id: who.map(|row| row.id.0),
        operator_name: attempt.username.clone(),
        ip: attempt.meta.ip.to_string(),
        action: "session_create".to_owned(),
        object_kind: "session".to_owned(),
        object_name: attempt.username.clone(),
        status,
        request_id: attempt.meta.request_id.to_string(),
        ..Entry::default()
    }
}

async fn note(
    tx: &WriteTx,
    attempt: &Attempt<'_>,
    operator_id: Option<OperatorId>,
    at: UtcTime,
    outcome: Came,
    method: SignInMethod,
) -> Outcome<()> {
    let row = operator_sign_in::ActiveModel {
        operator_id: Set(operator_id),
        username: Set(attempt.username.clone()),
        at: Set(at),
        outcome: Set(outcome),
        method: Set(method),
        ip: Set(attempt.meta.ip.to_string()),
        claimed_ip: Set(attempt.claimed_ip.clone()),
        device: Set(attempt.device.clone()),
        ..Default::default()
    };
    operator_sign_in::Entity::insert(row).exec_without_returning(&**tx).await?;
    Ok(())
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
