//! The second factor endpoints.

use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Nothing, Reply, Valid, done, reply};
use entity::OperatorId;

use super::one_time::Enrolment;
use super::second_factor::{self, CodeInput, DisableInput, EnrolInput, RecoveryCodes, SecondFactor};

/// Returns the state of the caller's second factor.
#[utoipa::path(get, path = "/api/user/v1/me/second-factor", tag = "auth", responses((status = 200, body = Reply<SecondFactor>)))]
pub async fn second_factor_get(ctx: OpCtx) -> ApiResult<SecondFactor> {
    reply(second_factor::status(&ctx).await?)
}

/// Generates a seed for the caller's authenticator; it takes effect when it is confirmed.
#[utoipa::path(post, path = "/api/user/v1/me/second-factor", tag = "auth", request_body = EnrolInput,
    responses((status = 200, body = Reply<Enrolment>)))]
pub async fn second_factor_enrol(ctx: OpCtx, Valid(input): Valid<EnrolInput>) -> ApiResult<Enrolment> {
    reply(second_factor::enrol(&ctx, input).await?)
}

/// Turns the second factor on with a first code and returns the recovery codes, once.
#[utoipa::path(post, path = "/api/user/v1/me/second-factor/confirm", tag = "auth", request_body = CodeInput,
    responses((status = 200, body = Reply<RecoveryCodes>)))]
pub async fn second_factor_confirm(ctx: OpCtx, Valid(input): Valid<CodeInput>) -> ApiResult<RecoveryCodes> {
    reply(second_factor::confirm(&ctx, &input).await?)
}

/// Turns the caller's second factor off.
#[utoipa::path(post, path = "/api/user/v1/me/second-factor/disable", tag = "auth", request_body = DisableInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn second_factor_disable(ctx: OpCtx, Valid(input): Valid<DisableInput>) -> ApiResult<()> {
    second_factor::disable(&ctx, &input).await?;
    done()
}

/// Replaces the caller's recovery codes and returns the new ones, once.
#[utoipa::path(post, path = "/api/user/v1/me/second-factor/recovery-codes", tag = "auth", request_body = CodeInput,
    responses((status = 200, body = Reply<RecoveryCodes>)))]
pub async fn recovery_codes_renew(ctx: OpCtx, Valid(input): Valid<CodeInput>) -> ApiResult<RecoveryCodes> {
    reply(second_factor::renew_recovery_codes(&ctx, &input).await?)
}

/// Turns off another operator's second factor, if they lost their device.
#[utoipa::path(post, path = "/api/user/v1/operators/{id}/second-factor/reset", tag = "auth",
    params(("id" = i64, Path, description = "The operator's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn second_factor_reset(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    second_factor::reset(&ctx, OperatorId(id)).await?;
    done()
}
