//! Customers' requests to close their accounts: an operator withdraws or completes one, once.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::client_user;
use entity::logout_request::{Column, Entity, LogoutStatus as Status, Model};
use entity::{ClientUserId, LogoutRequestId};
use kernel::rules::{Check, max_chars, single_line};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _,
};
use serde::Deserialize;
use utoipa::ToSchema;

use super::closing_list::LogoutRequestView;
use super::store::{self, LIST, place};

const NOT_FOUND: Text = text("注销申请不存在", "Logout request not found");
const HANDLED: Text = text("该申请已被处理，请刷新列表", "This request has already been handled; refresh the list");
const COINS: Text = text(
    "该客户还有 {n} 星币；须写明客户在何处书面放弃",
    "This customer has {n} star coins left; say where they are given up in writing",
);
const CHANGED: Text =
    text("该客户端用户刚刚被他人修改，请重试", "Somebody has just changed this client user; try again");

/// One request.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LogoutRequestKey {
    /// The request's id.
    pub id: LogoutRequestId,
}

impl Validate for LogoutRequestKey {
    fn check(&self, _: &mut Check) {}
}

/// How an account is closed.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LogoutCompletion {
    /// Where the customer gives up in writing what coins are left, such as the number of a letter; up to 256 characters. Without it
    /// an account that has any is not closed.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub given_up: String,
}

impl Validate for LogoutCompletion {
    fn check(&self, check: &mut Check) {
        check.field("givenUp", max_chars(&self.given_up, 256).and_then(|()| single_line(&self.given_up)));
    }
}

/// Withdraws the request; the account is kept.
///
/// # Errors
/// When there is no such request, or it was already handled.
async fn cancel(ctx: &OpCtx, id: LogoutRequestId) -> Outcome<LogoutRequestView> {
    let tx = ctx.begin_write().await?;
    let (before, after) = resolve(&*tx, id, Status::Withdrawn, ctx.now(), &ctx.session.username).await?;
    let user = customer(&*tx, after.user_id).await?;
    let status = |status| serde_json::json!({ "status": status });
    let audit = Audit::of("logoutRequest").id(id).name(&user.name);
    tx.commit(audit.before(&status(before.status)).after(&status(after.status))).await?;
    Ok(LogoutRequestView::of(after, Some(user.name), user.phone))
}

/// Closes the account permanently. Its phones are released by a round of theirs, which finds them by the account's state.
///
/// # Errors
/// When there is no such request, it was already handled, or coins are left that nobody gives up.
async fn complete(ctx: &OpCtx, id: LogoutRequestId, given_up: &str) -> Outcome<LogoutRequestView> {
    let mut tx = ctx.begin_write().await?;
    let (before, after) = resolve(&*tx, id, Status::Completed, ctx.now(), &ctx.session.username).await?;
    let user = customer(&*tx, after.user_id).await?;
    if user.star_coins > 0 && given_up.trim().is_empty() {
        return Err(Fault::conflict(COINS.with("n", user.star_coins)));
    }
    let closed = client_user::Model {
        status: client_user::ClientUserStatus::LoggedOut,
        is_closed: true,
        updated_at: ctx.now(),
        ..user.clone()
    };
    if !store::move_status(&*tx, &user, closed.status, closed.updated_at).await? {
        return Err(Fault::conflict(CHANGED));
    }
    tx.counts().moved(LIST, Some(place(&user)), Some(place(&closed)));
    let audit = Audit::of("logoutRequest")
        .id(id)
        .name(&user.name)
        .before(&serde_json::json!({ "status": before.status, "userId": user.id, "userStatus": user.status }))
        .after(&serde_json::json!({ "status": after.status, "userId": user.id, "userStatus": closed.status }))
        .note(given_up);
    tx.commit(audit).await?;
    Ok(LogoutRequestView::of(after, Some(user.name), user.phone))
}

/// The last request of a customer, if there ever was one.
///
/// # Errors
/// When the read fails.
pub async fn closing_of(db: &impl ConnectionTrait, user: &client_user::Model) -> Result<Option<Model>, DbErr> {
    Entity::find().filter(Column::UserId.eq(user.id)).order_by_desc(Column::Id).one(db).await
}

/// How many requests of a customer there were since some moment.
///
/// # Errors
/// When the read fails.
pub async fn closings_since(
    db: &impl ConnectionTrait,
    user: &client_user::Model,
    since: UtcTime,
) -> Result<u64, DbErr> {
    Entity::find().filter(Column::UserId.eq(user.id)).filter(Column::RequestedAt.gte(since)).count(db).await
}

/// A customer asks to have the account closed. No account has two open requests: the schema refuses the second.
///
/// # Errors
/// When the write fails.
pub async fn request_closing(
    tx: &impl ConnectionTrait,
    user: &client_user::Model,
    reason: String,
    now: UtcTime,
) -> Result<Model, DbErr> {
    let row = entity::logout_request::ActiveModel {
        user_id: Set(user.id),
        requested_at: Set(now),
        status: Set(Status::Requested),
        handled_at: Set(None),
        handled_by: Set(String::new()),
        re_registered: Set(false),
        re_registered_at: Set(None),
        reason: Set(reason),
        ..Default::default()
    };
    Entity::insert(row).exec_with_returning(tx).await
}

/// A customer's request is withdrawn, told by `by`. Returns it as it was and as it became.
///
/// # Errors
/// When it was handled already, or the write fails.
pub async fn withdraw_closing(
    tx: &impl ConnectionTrait,
    id: LogoutRequestId,
    now: UtcTime,
    by: &str,
) -> Outcome<(Model, Model)> {
    resolve(tx, id, Status::Withdrawn, now, by).await
}

/// Decides an open request. Two operators pressing a button at the same time is normal: one wins, the other is told.
async fn resolve(
    tx: &impl ConnectionTrait,
    id: LogoutRequestId,
    to: Status,
    now: UtcTime,
    by: &str,
) -> Outcome<(Model, Model)> {
    let before = Entity::find_by_id(id).one(tx).await?.or_missing(NOT_FOUND)?;
    let after = before.resolve(to, now, by).ok_or_else(|| Fault::conflict(HANDLED))?;
    let change = entity::logout_request::ActiveModel {
        status: Set(after.status),
        handled_at: Set(after.handled_at),
        handled_by: Set(after.handled_by.clone()),
        ..Default::default()
    };
    let done = Entity::update_many()
        .set(change)
        .filter(Column::Id.eq(id))
        .filter(Column::Status.eq(before.status))
        .exec(tx)
        .await?;
    if done.rows_affected == 0 {
        return Err(Fault::conflict(HANDLED));
    }
    Ok((before, after))
}

async fn customer(tx: &impl ConnectionTrait, id: ClientUserId) -> Outcome<client_user::Model> {
    store::find(tx, id)
        .await?
        .ok_or_else(|| Fault::internal(anyhow::anyhow!("a request refers to customer {id}, who does not exist")))
}

/// Withdraws a logout request: the account is kept.
#[utoipa::path(post, path = "/api/user/logout/cancelLogoutUser", tag = "clientUser", request_body = LogoutRequestKey,
    responses((status = 200, body = Reply<LogoutRequestView>)))]
pub async fn logout_request_cancel(ctx: OpCtx, Valid(key): Valid<LogoutRequestKey>) -> ApiResult<LogoutRequestView> {
    reply(cancel(&ctx, key.id).await?)
}

/// Closes the account permanently. Whoever uses its phones is ended, and they are released within a minute.
#[utoipa::path(post, path = "/api/user/v1/client-users/logout-requests/{id}/complete", tag = "clientUser",
    params(("id" = i64, Path, description = "The request's id")), request_body = LogoutCompletion,
    responses((status = 200, body = Reply<LogoutRequestView>)))]
pub async fn logout_request_complete(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(how): Valid<LogoutCompletion>,
) -> ApiResult<LogoutRequestView> {
    reply(complete(&ctx, LogoutRequestId(id), &how.given_up).await?)
}
