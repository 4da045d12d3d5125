//! Which operator a provider's account is linked to.

use base::access::rights;
use base::access::session as sessions;
use base::app::App;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::ops::{Audit, OpCtx, OpTx};
use base::http::{Meta, Validate};
use db::journal::Entry;
use entity::operator_notice::NoticeKind;
use entity::session::{self, EndReason};
use entity::{OperatorId, operator};
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::flow::{Linking, Reason, STALE, Stop, fragment, reason};
use crate::auth::memory::Auth;
use crate::auth::own_password;
use crate::auth::proof::Turn;
use crate::notice::{Notice, tell, tell_by};

const NO_OPERATOR: Text = text("操作员不存在", "User not found");
const NOT_ONESELF: Text = text(
    "请在“系统用户信息”中绑定或解绑自己的第三方账号",
    "Link or unlink your own third-party account under \"System user info\"",
);
const TAKEN: Reason =
    reason("taken", "该第三方账号已绑定其他操作员", "This third-party account is already linked to another user");
const TOO_LONG: Reason =
    reason("tooLong", "第三方账号标识过长，无法绑定", "The provider's identifier for this account is too long to link");
/// Maximum length of the column.
const MAX_SUBJECT: usize = 256;

/// The caller's linked account.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenIdLink {
    /// The provider's id; none if nothing is linked.
    pub provider_id: Option<String>,
}

/// The input for starting to link an account.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LinkInput {
    /// The provider's id.
    pub provider_id: String,
    /// The password, encrypted as in sign-in. Required even in a new session: a link is a way to sign in that outlives
    /// it.
    #[serde(default)]
    pub password: String,
}

/// The address to open to authenticate at the provider.
#[derive(Debug, Serialize, ToSchema)]
pub struct LinkAddress {
    /// The provider's page. It returns to `/authredirect#linked=...`.
    pub url: String,
}

/// The account that an administrator links.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SubjectInput {
    /// The provider's id; empty to unlink.
    #[serde(default)]
    pub provider_id: String,
    /// The provider's permanent identifier of the account (`sub`).
    #[serde(default)]
    #[schema(max_length = 200)]
    pub subject: String,
}

impl Validate for LinkInput {
    fn check(&self, check: &mut Check) {
        if self.provider_id.is_empty() {
            check.add("providerId", Violation::new("required"));
        }
        if self.password.is_empty() {
            check.add("password", Violation::new("required"));
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

/// How a provider's account is stored.
pub(super) fn subject(provider: &str, sub: &str) -> String {
    format!("{provider}|{sub}")
}

/// The caller's linked account.
///
/// # Errors
/// When the read fails.
pub async fn status(ctx: &OpCtx) -> Outcome<OpenIdLink> {
    let linked = own_password::who(ctx).await?.oidc_subject;
    Ok(OpenIdLink {
        provider_id: linked.and_then(|subject| subject.split_once('|').map(|(provider, _)| provider.to_owned())),
    })
}

/// Requires the password: a link is a way to sign in.
///
/// # Errors
/// When the password is wrong.
pub async fn admit(ctx: &OpCtx, password: &str) -> Outcome<()> {
    let who = own_password::who(ctx).await?;
    Turn::of(ctx).await?.password(&who, password, "password").await
}

/// Links the account proved by the provider to the operator who asked for it, if their session is still active:
/// somebody signed out meanwhile must not leave a way to sign in.
pub(super) async fn complete(app: &App, meta: &Meta, asked: Linking, provider: &str, sub: &str) -> Outcome<String> {
    let Linking { operator: who, session } = asked;
    match sessions::watch(app, session).await {
        Ok(_) => {}
        Err(Fault::Session(_)) => return Ok(fragment(&[("error", STALE.code)])),
        Err(fault) => return Err(fault),
    }
    let subject = subject(provider, sub);
    let mut tx = app.db.begin_write().await?;
    let told = match store(&*tx, who, Some(&subject), app.clock.now().millis()).await? {
        Ok(name) => {
            let (kind, ip) = (NoticeKind::IdentityLinked, meta.ip.to_string());
            tell(&*tx, Notice { to: who, kind, by: &name, ip, detail: provider }, app.clock.now()).await?;
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
        Err(Stop(reason)) => fragment(&[("error", reason.code)]),
    };
    Ok(told)
}

/// Removes the caller's link.
///
/// # Errors
/// When the database refuses.
pub async fn remove(ctx: &OpCtx) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let name = set(ctx, &tx, ctx.operator(), None).await?;
    tell_by(ctx, &tx, ctx.operator(), NoticeKind::IdentityUnlinked, "").await?;
    tx.commit(Audit::of("operator").id(ctx.operator()).name(name).note("unlinked")).await
}

/// Links another operator, or unlinks them; their sessions end. It is a way into their account, and therefore requires
/// all of their permissions; and it is never allowed for one's own account: that requires the password.
///
/// # Errors
/// When it is the caller, there is no such operator or provider, it is already linked, or they have permissions that
/// the caller lacks.
pub async fn assign(ctx: &OpCtx, id: OperatorId, input: &SubjectInput) -> Outcome<()> {
    if id == ctx.operator() {
        return Err(Fault::conflict(NOT_ONESELF));
    }
    let subject = match input.provider_id.as_str() {
        "" => None,
        provider if ctx.app.part::<Auth>().openid.find(provider).is_some() => {
            Some(subject(provider, input.subject.trim()))
        }
        _ => return Err(Fault::field("providerId", Violation::unknown_reference())),
    };
    let tx = ctx.begin_write().await?;
    let who = operator::Entity::find_by_id(id).one(&*tx).await?.or_missing(NO_OPERATOR)?;
    if let Some(group) = who.group_id {
        rights::must_cover(&*tx, ctx, group).await?;
    }
    let name = set(ctx, &tx, id, subject.as_deref()).await?;
    sessions::end_in(&*tx, ctx.now(), EndReason::Revoked, session::Column::OperatorId.eq(id)).await?;
    let (note, kind) = match subject {
        Some(_) => ("linked", NoticeKind::IdentityLinked),
        None => ("unlinked", NoticeKind::IdentityUnlinked),
    };
    tell_by(ctx, &tx, id, kind, &input.provider_id).await?;
    tx.commit(Audit::of("operator").id(id).name(name).note(note)).await?;
    ctx.app.sessions.forget();
    Ok(())
}

async fn set(ctx: &OpCtx, tx: &OpTx, id: OperatorId, subject: Option<&str>) -> Outcome<String> {
    store(&**tx, id, subject, ctx.now().millis()).await?.map_err(|Stop(reason)| match reason.code {
        code if code == TAKEN.code => Fault::taken("subject"),
        _ => {
            let count = subject.map_or(0, |subject| subject.chars().count());
            Fault::field("subject", Violation::new("text.tooLong").with("max", MAX_SUBJECT).with("count", count))
        }
    })
}

/// Writes a link and returns the operator's name.
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
