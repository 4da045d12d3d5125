//! The calls about operators.

use axum::response::Response;
use entity::{OperatorId, SessionId};
use kernel::page::Page;
use kernel::rules::Check;
use kernel::time::UtcTime;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::export::Operators;
use super::input::{OperatorCreateInput, OperatorIdsInput, OperatorUpdateInput, PasswordResetInput};
use super::service;
use super::sessions::{self, Ended, SessionView, SignInFilter, SignInView};
use super::store::{self, OperatorBy, OperatorFilter};
use super::view::OperatorView;
use crate::export::{FormatQuery, TableFile, export};
use crate::fault::Outcome;
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Nothing, PageInput, Params, Reply, Sort, Valid, Validate, done, reply};

/// A page of operators that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
pub struct OperatorPageInput {
    /// Which of them.
    #[serde(flatten)]
    pub filter: OperatorFilter,
    /// In which order.
    #[serde(flatten)]
    pub sort: Sort<OperatorBy>,
    /// Which page.
    #[serde(flatten)]
    pub page: PageInput,
}

impl Validate for OperatorPageInput {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// Lists operators, newest first.
#[utoipa::path(post, path = "/api/user/v1/designjet/user/list", tag = "operator", request_body = OperatorPageInput,
    responses((status = 200, body = Reply<Page<OperatorView>>)))]
pub async fn operator_list(ctx: OpCtx, Valid(input): Valid<OperatorPageInput>) -> ApiResult<Page<OperatorView>> {
    reply(store::page(ctx.read(), &input.filter, input.sort, input.page.get()?).await?)
}

/// Operators as a file; when they are very many (`export_rows`) a background task makes it.
#[utoipa::path(get, path = "/api/user/v1/operators/file", tag = "operator",
    params(FormatQuery, OperatorFilter, Sort<OperatorBy>), responses(TableFile))]
pub async fn operator_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<OperatorFilter>,
    Params(sort): Params<Sort<OperatorBy>>,
) -> Outcome<Response> {
    export(&ctx, Operators { filter, sort }, file.format).await
}

/// Describes one operator.
#[utoipa::path(get, path = "/api/user/v1/operators/{id}", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperatorView> {
    reply(service::get(&ctx, OperatorId(id)).await?)
}

/// Makes an operator, who must change the password at the first sign-in.
#[utoipa::path(post, path = "/api/user/v1/designjet/user", tag = "operator", request_body = OperatorCreateInput,
    responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_create(ctx: OpCtx, Valid(input): Valid<OperatorCreateInput>) -> ApiResult<OperatorView> {
    reply(service::create(&ctx, input).await?)
}

/// Changes an operator.
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

/// Lets an operator sign in again.
#[utoipa::path(post, path = "/api/user/v1/operators/{id}/enable", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_enable(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperatorView> {
    reply(service::set_enabled(&ctx, OperatorId(id), true).await?)
}

/// Disables an operator, who is out at once.
#[utoipa::path(post, path = "/api/user/v1/operators/{id}/disable", tag = "operator",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<OperatorView>)))]
pub async fn operator_disable(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OperatorView> {
    reply(service::set_enabled(&ctx, OperatorId(id), false).await?)
}

/// Gives an operator a new password, which must be changed at the next sign-in.
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

/// An operator's sessions that go on.
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

/// Which sign-ins are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct SignInQuery {
    /// This operator's; without the right to see operators only one's own.
    #[serde(default)]
    #[param(value_type = Option<i64>)]
    pub user_id: Option<OperatorId>,
    /// At or after.
    #[serde(default)]
    pub start_time: Option<UtcTime>,
    /// At or before.
    #[serde(default)]
    pub end_time: Option<UtcTime>,
    /// Part of the name, an address or the browser.
    #[serde(default)]
    pub key_word: Option<String>,
}

/// Lists sign-ins of operators, newest first.
#[utoipa::path(get, path = "/api/user/v1/login/record", tag = "operator", params(SignInQuery, PageInput),
    responses((status = 200, body = Reply<Page<SignInView>>)))]
pub async fn sign_in_list(
    ctx: OpCtx,
    Params(query): Params<SignInQuery>,
    Params(page): Params<PageInput>,
) -> ApiResult<Page<SignInView>> {
    let SignInQuery { user_id, start_time, end_time, key_word } = query;
    let filter = SignInFilter { user_id, start_time, end_time, key_word };
    reply(sessions::sign_ins(&ctx, filter, page.get()?).await?)
}
