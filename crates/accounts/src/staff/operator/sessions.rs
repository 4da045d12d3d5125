//! Sessions of operators.

use base::access::session::{self as sessions, Span};
use base::fault::{Fault, Outcome};
use base::http::ops::{Audit, OpCtx};
use entity::operator_notice::NoticeKind;
use entity::operator_sign_in::SignInMethod;
use entity::session::{self, EndReason};
use entity::{OperatorId, SessionId};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, ExprTrait as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::service;
use crate::notice::tell_by;

const NOT_FOUND: Text = text("会话不存在或已结束", "The session does not exist or has ended");

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
