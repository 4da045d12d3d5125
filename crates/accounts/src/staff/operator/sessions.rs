//! Sessions of operators, and the record of their sign-ins.

use base::access::session::{self as sessions, Span};
use base::fault::{Fault, Outcome};
use base::http::ops::{Audit, OpCtx};
use db::list;
use entity::operator_notice::NoticeKind;
use entity::operator_sign_in::{self, SignInMethod, SignInOutcome as Came};
use entity::session::{self, EndReason};
use entity::{OperatorId, SessionId};
use kernel::page::{Page, PageQuery};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, Condition, EntityTrait as _, ExprTrait as _, QueryFilter as _, QueryOrder as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::{service, store};
use crate::notice::tell_by;

const NOT_FOUND: Text = text("会话不存在或已结束", "The session does not exist or has ended");
const SEARCHED: [&str; 4] = ["username", "ip", "claimed_ip", "device"];

/// An active session.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionView {
    pub id: SessionId,
    pub ip: String,
    /// The browser, as it identified itself.
    pub device: String,
    pub method: SignInMethod,
    pub signed_in_at: UtcTime,
    /// The last request, to the minute.
    pub seen_at: UtcTime,
    /// When it ends in any case.
    pub expires_at: UtcTime,
    /// The caller's own session.
    pub current: bool,
    /// It cannot be used without the browser's cookie; false if the client stores none.
    pub bound: bool,
}

/// How many sessions were ended.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ended {
    /// Sessions that were active until now.
    pub ended: u64,
}

/// An attempt to sign in.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SignInView {
    pub id: i64,
    /// Null if nobody was identified.
    pub user_id: Option<OperatorId>,
    /// The username as entered.
    pub username: String,
    pub at: UtcTime,
    pub outcome: Came,
    pub method: SignInMethod,
    /// The address of the connection.
    pub ip: String,
    /// The address that the client claimed.
    pub claimed_ip: String,
    /// The browser, as it identified itself.
    pub device: String,
}

impl From<operator_sign_in::Model> for SignInView {
    fn from(row: operator_sign_in::Model) -> Self {
        let operator_sign_in::Model { id, operator_id, username, at, outcome, method, ip, claimed_ip, device } = row;
        Self { id, user_id: operator_id, username, at, outcome, method, ip, claimed_ip, device }
    }
}

/// A filter for sign-ins.
#[derive(Clone, Debug, Default)]
pub struct SignInFilter {
    /// This operator's.
    pub user_id: Option<OperatorId>,
    /// At or after.
    pub start_time: Option<UtcTime>,
    /// At or before.
    pub end_time: Option<UtcTime>,
    /// Part of the name, an address or the browser.
    pub key_word: Option<String>,
}

/// The active sessions of an operator, newest first.
///
/// # Errors
/// When there is no such operator.
pub async fn live(ctx: &OpCtx, id: OperatorId) -> Outcome<Vec<SessionView>> {
    service::get(ctx, id).await?;
    let view = |(row, span): (session::Model, Span)| SessionView {
        current: row.id == ctx.session.id,
        id: row.id,
        ip: row.ip,
        device: row.device,
        method: row.method,
        signed_in_at: row.created_at,
        seen_at: span.seen_at,
        expires_at: span.ends_at,
        bound: row.is_bound,
    };
    Ok(sessions::live(&ctx.app, ctx.read(), Some(id)).await?.into_iter().map(view).collect())
}

/// Ends one session of an operator, also one that seems to have run out: it must not come back with the clock.
///
/// # Errors
/// When there is no such session, or their group has a permission that the caller lacks.
pub async fn end(ctx: &OpCtx, who: OperatorId, id: SessionId) -> Outcome<()> {
    let which = session::Column::Id.eq(id).and(session::Column::OperatorId.eq(who));
    let tx = ctx.begin_write().await?;
    let row = service::find_managed(&*tx, ctx, who).await?;
    if sessions::end_in(&*tx, ctx.now(), EndReason::Revoked, which).await? == 0 {
        return Err(Fault::not_found(NOT_FOUND));
    }
    if who != ctx.operator() {
        tell_by(ctx, &tx, who, NoticeKind::SessionsEnded, "").await?;
    }
    tx.commit(Audit::of("session").id(id).name(row.username)).await?;
    ctx.app.sessions.forget();
    Ok(())
}

/// Ends every session of an operator, also those that seem to have run out. Tells how many were active.
///
/// # Errors
/// When there is no such operator, or their group has a permission that the caller lacks.
pub async fn end_all(ctx: &OpCtx, who: OperatorId) -> Outcome<Ended> {
    let tx = ctx.begin_write().await?;
    let row = service::find_managed(&*tx, ctx, who).await?;
    let ended = u64::try_from(sessions::live(&ctx.app, &*tx, Some(who)).await?.len()).unwrap_or(u64::MAX);
    sessions::end_in(&*tx, ctx.now(), EndReason::Revoked, session::Column::OperatorId.eq(who)).await?;
    if ended > 0 && who != ctx.operator() {
        tell_by(ctx, &tx, who, NoticeKind::SessionsEnded, "").await?;
    }
    tx.commit(Audit::of("operator").id(who).name(row.username).note(format!("{ended} sessions"))).await?;
    ctx.app.sessions.forget();
    Ok(Ended { ended })
}

/// A page of sign-ins, newest first. Those who may not view operators get their own.
///
/// # Errors
/// When another's are requested without the permission to view operators.
pub async fn sign_ins(ctx: &OpCtx, filter: SignInFilter, page: PageQuery) -> Outcome<Page<SignInView>> {
    let SignInFilter { user_id, start_time, end_time, key_word } = filter;
    let whose = match user_id {
        other if ctx.may("operator:get") => other,
        Some(other) if other != ctx.operator() => return Err(Fault::Denied("operator:get")),
        Some(_) | None => Some(ctx.operator()),
    };
    let mut select = operator_sign_in::Entity::find();
    if let Some(id) = whose {
        select = select.filter(of_operator(ctx, id).await?);
    }
    if let Some(start) = start_time {
        select = select.filter(operator_sign_in::Column::At.gte(start));
    }
    if let Some(end) = end_time {
        select = select.filter(operator_sign_in::Column::At.lte(end));
    }
    if let Some(text) = key_word {
        select = select.filter(db::search::scan(ctx.db().backend(), "operator_sign_in", &SEARCHED, &text));
    }
    let found = list::list_page(ctx.read(), select.order_by_desc(operator_sign_in::Column::Id), page).await?;
    Ok(found.map(SignInView::from))
}

/// The attempts of an operator, including failed ones with their name: these are what they want to know about.
async fn of_operator(ctx: &OpCtx, id: OperatorId) -> Outcome<Condition> {
    use operator_sign_in::Column;
    let mut which = Condition::any().add(Column::OperatorId.eq(id));
    if let Some(row) = store::find(ctx.read(), id).await? {
        which = which.add(Column::OperatorId.is_null().and(Column::Username.eq(row.username)));
    }
    Ok(which)
}
