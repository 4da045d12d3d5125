//! Which operator an account of a provider belongs to.

use db::journal::Entry;
use entity::{OperatorId, operator};
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::flow::{Stop, fragment};
use crate::app::App;
use crate::domains::auth::own_password::{self, FRESH_S};
use crate::domains::auth::proof::Turn;
use crate::domains::staff;
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};
use crate::http::{Meta, Validate};

const PASSWORD_NEEDED: Text = text("请输入密码", "Enter your password");
const NO_OPERATOR: Text = text("用户不存在", "There is no such user");
const TAKEN: Text = text("该第三方账号已绑定其他用户", "This account is linked to another user");
const TOO_LONG: Text =
    text("第三方账号标识过长，无法绑定", "The provider's name for this account is too long to be linked");
/// What the column takes.
const MAX_SUBJECT: usize = 256;

/// How the asking operator's account is linked.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenIdLink {
    /// The provider's id; none where nothing is linked.
    pub provider_id: Option<String>,
}

/// What a client sends to begin a linking.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkInput {
    /// The provider's id.
    pub provider_id: String,
    /// The password, encrypted as in sign-in. Not needed within five minutes of signing in.
    #[serde(default)]
    pub password: Option<String>,
}

/// Where a window has to go to prove who one is at the provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct LinkAddress {
    /// The provider's page. It comes back to `/authredirect#linked=...`.
    pub url: String,
}

/// Whom an administrator links.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubjectInput {
    /// The provider's id; empty to unlink.
    #[serde(default)]
    pub provider_id: String,
    /// The provider's unchanging name of the account (`sub`).
    #[serde(default)]
    #[schema(max_length = 200)]
    pub subject: String,
}

impl Validate for LinkInput {
    fn check(&self, check: &mut Check) {
        if self.provider_id.is_empty() {
            check.add("providerId", Violation::new("required"));
        }
    }
}

impl Validate for SubjectInput {
    fn check(&self, check: &mut Check) {
        check.field("subject", kernel::rules::max_chars(&self.subject, 200));
        if !self.provider_id.is_empty() && self.subject.trim().is_empty() {
            check.add("subject", Violation::new("required"));
        }
    }
}

/// What is stored of an account at a provider.
pub(super) fn subject(provider: &str, sub: &str) -> String {
    format!("{provider}|{sub}")
}

/// How the asking operator's account is linked.
///
/// # Errors
/// When the read fails.
pub async fn status(ctx: &OpCtx) -> Outcome<OpenIdLink> {
    let linked = own_password::who(ctx).await?.oidc_subject;
    Ok(OpenIdLink {
        provider_id: linked.and_then(|subject| subject.split_once('|').map(|(provider, _)| provider.to_owned())),
    })
}

/// Lets through who signed in just now or gives the password: a link is a way in.
///
/// # Errors
/// When the password is needed or wrong.
pub async fn admit(ctx: &OpCtx, password: Option<&str>) -> Outcome<()> {
    match password.filter(|password| !password.is_empty()) {
        Some(password) => {
            let who = own_password::who(ctx).await?;
            Turn::of(ctx).await?.password(&who, password, "password").await
        }
        None if ctx.now().seconds_since(ctx.session.signed_in_at) <= FRESH_S => Ok(()),
        None => Err(Fault::conflict(PASSWORD_NEEDED)),
    }
}

/// Links the account that the provider has proved to the operator who asked for it.
pub(super) async fn complete(app: &App, meta: &Meta, who: OperatorId, provider: &str, sub: &str) -> Outcome<String> {
    let subject = subject(provider, sub);
    let mut tx = app.db.begin_write().await?;
    let told = match store(&*tx, who, Some(&subject), app.clock.now().millis()).await? {
        Ok(name) => {
            tx.record(Entry {
                at: app.clock.now(),
                operator_id: Some(who.0),
                operator_name: name.clone(),
                ip: meta.ip.to_string(),
                action: "openid_link".to_owned(),
                object_kind: "operator".to_owned(),
                object_id: who.to_string(),
                object_name: name,
                message: provider.to_owned(),
                request_id: meta.request_id.to_string(),
                ..Entry::default()
            });
            tx.commit().await?;
            fragment(&[("linked", provider)])
        }
        Err(Stop(reason)) => fragment(&[("error", reason.get(meta.lang))]),
    };
    Ok(told)
}

/// Removes the asking operator's link.
///
/// # Errors
/// When the database refuses.
pub async fn remove(ctx: &OpCtx) -> Outcome<()> {
    set(ctx, ctx.operator(), None).await
}

/// Links another operator, or unlinks him. It is a way into his account, and so not given upward.
///
/// # Errors
/// When there is no such operator or provider, it is taken, or he holds codes that the caller lacks.
pub async fn assign(ctx: &OpCtx, id: OperatorId, input: &SubjectInput) -> Outcome<()> {
    let who = operator::Entity::find_by_id(id).one(ctx.read()).await?.ok_or_else(|| Fault::not_found(NO_OPERATOR))?;
    if let Some(group) = who.group_id {
        staff::must_cover(ctx.read(), ctx, group).await?;
    }
    if input.provider_id.is_empty() {
        return set(ctx, id, None).await;
    }
    if ctx.app.auth.openid.find(&input.provider_id).is_none() {
        return Err(Fault::field("providerId", Violation::unknown_reference()));
    }
    set(ctx, id, Some(subject(&input.provider_id, input.subject.trim()))).await
}

async fn set(ctx: &OpCtx, id: OperatorId, subject: Option<String>) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    match store(&*tx, id, subject.as_deref(), ctx.now().millis()).await? {
        Ok(name) => {
            tx.commit(Audit::of("operator").id(id).name(name).note(if subject.is_some() {
                "linked"
            } else {
                "unlinked"
            }))
            .await
        }
        Err(Stop(reason)) => Err(Fault::conflict(reason)),
    }
}

/// Writes a link and answers the operator's name.
async fn store(
    tx: &impl ConnectionTrait,
    id: OperatorId,
    subject: Option<&str>,
    now: i64,
) -> Outcome<Result<String, Stop>> {
    if let Some(subject) = subject {
        if subject.chars().count() > MAX_SUBJECT {
            return Ok(Err(Stop(TOO_LONG)));
        }
        let other = operator::Entity::find()
            .filter(operator::Column::OidcSubject.eq(subject))
            .filter(operator::Column::Id.ne(id));
        if other.one(tx).await?.is_some() {
            return Ok(Err(Stop(TAKEN)));
        }
    }
    let Some(who) = operator::Entity::find_by_id(id).one(tx).await? else { return Err(Fault::not_found(NO_OPERATOR)) };
    operator::Entity::update_many()
        .col_expr(operator::Column::OidcSubject, Expr::value(subject.map(str::to_owned)))
        .col_expr(operator::Column::UpdatedAt, Expr::value(now))
        .filter(operator::Column::Id.eq(id))
        .exec(tx)
        .await?;
    Ok(Ok(who.username))
}
