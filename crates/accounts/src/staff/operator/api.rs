//! The operator endpoints.

use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Nothing, Reply, Valid, done, reply};
use entity::{OperatorId, SessionId};

use super::input::{
    OperatorCreateInput, OperatorDisableInput, OperatorIdsInput, OperatorUpdateInput, PasswordResetInput,
};
use super::service;
use super::sessions::{self, Ended, SessionView};
use super::view::OperatorView;

/// Returns one operator.
#[utoipa::path(get, path = "/api/user/v1/operators/{id}", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperatorView> {
    reply(service::get(&ctx, OperatorId(id)).await?)
}

/// Creates an operator, who must change the password at the first sign-in.
#[utoipa::path(post, path = "/api/user/v1/designjet/user", tag = "operator", request_body = OperatorCreateInput,
    responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_create(ctx: OpCtx, Valid(input): Valid<OperatorCreateInput>) -> ApiResult<OperatorView> {
    reply(service::create(&ctx, input).await?)
}

/// Updates an operator.
#[utoipa::path(put, path = "/api/user/v1/designjet/user", tag = "operator", request_body = OperatorUpdateInput,
    responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_update(ctx: OpCtx, Valid(input): Valid<OperatorUpdateInput>) -> ApiResult<OperatorView> {
    reply(service::update(&ctx, input).await?)
}

/// Deletes operators, all of them or none.
#[utoipa::path(delete, path = "/api/user/v1/designjet/user", tag = "operator", request_body = OperatorIdsInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn operator_delete(ctx: OpCtx, Valid(input): Valid<OperatorIdsInput>) -> ApiResult<()> {
    service::delete(&ctx, input).await?;
    done()
}

/// Enables an operator.
#[utoipa::path(post, path = "/api/user/v1/operators/{id}/enable", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_enable(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperatorView> {
    reply(service::set_enabled(&ctx, OperatorId(id), true, "").await?)
}

/// Disables an operator and ends all their sessions.
#[utoipa::path(post, path = "/api/user/v1/operators/{id}/disable", tag = "operator", request_body = OperatorDisableInput,
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_disable(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<OperatorDisableInput>,
) -> ApiResult<OperatorView> {
    reply(service::set_enabled(&ctx, OperatorId(id), false, &input.reason).await?)
}

/// Resets an operator's password; it must be changed at the next sign-in.
#[utoipa::path(put, path = "/api/user/v1/designjet/user/password", tag = "operator", request_body = PasswordResetInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn operator_reset_password(ctx: OpCtx, Valid(input): Valid<PasswordResetInput>) -> ApiResult<()> {
    service::reset_password(&ctx, input).await?;
    done()
}

/// Signs an operator out everywhere.
#[utoipa::path(post, path = "/api/user/v1/operators/{id}/signOut", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<Ended>)))]
pub async fn operator_sign_out(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<Ended> {
    reply(sessions::end_all(&ctx, OperatorId(id)).await?)
}

/// Lists an operator's active sessions.
#[utoipa::path(get, path = "/api/user/v1/operators/{id}/sessions", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<Vec<SessionView>>)))]
pub async fn operator_session_list(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<Vec<SessionView>> {
    reply(sessions::live(&ctx, OperatorId(id)).await?)
}

/// Ends one session of an operator.
#[utoipa::path(delete, path = "/api/user/v1/operators/{id}/sessions/{sessionId}", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id"), ("sessionId" = i64, Path, description = "The session's id")),
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn operator_session_end(ctx: OpCtx, PathId((id, session)): PathId<(i64, i64)>) -> ApiResult<()> {
    sessions::end(&ctx, OperatorId(id), SessionId(session)).await?;
    done()
}
