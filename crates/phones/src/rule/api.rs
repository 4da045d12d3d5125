//! The endpoints of rules.

use base::fault::OrMissing as _;
use base::http::body::{Params, PathId};
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, Valid, reply};
use entity::{PhoneId, phone};
use kernel::text::{Text, text};
use sea_orm::EntityTrait as _;

use super::preview::{self, RulePreview};
use super::scope::RuleScopeInput;
use super::service::{self, PhoneRules, RuleInput, RuleView};

const NOT_FOUND: Text = text("云手机不存在", "Cloud phone not found");

/// Returns the rules of everybody, a plan, a room, a room and plan, or a phone: values of its own, and what it inherits.
#[utoipa::path(get, path = "/api/phone/v1/rules", tag = "phoneRule", params(RuleScopeInput),
    responses((status = 200, body = Reply<RuleView>)))]
pub async fn phone_rule_get(ctx: OpCtx, Params(input): Params<RuleScopeInput>) -> ApiResult<RuleView> {
    let found = service::find(ctx.read(), &input).await?;
    reply(service::view(ctx.read(), &found).await?)
}

/// Counts the phones that a change of rules would reach now: those that would have to leave their cards within a minute, and those
/// for which the value of a rule would become another one. Nothing is changed.
#[utoipa::path(post, path = "/api/phone/v1/rules/preview", tag = "phoneRule", request_body = RuleInput,
    responses((status = 200, body = Reply<RulePreview>)))]
pub async fn phone_rule_preview(ctx: OpCtx, Valid(input): Valid<RuleInput>) -> ApiResult<RulePreview> {
    reply(preview::preview(&ctx.app, &input).await?)
}

/// Gives everybody, a plan, a room, a room and plan, or a phone these values of its own, and no others; they hold at once.
#[utoipa::path(put, path = "/api/phone/v1/rules", tag = "phoneRule", request_body = RuleInput,
    responses((status = 200, body = Reply<RuleView>)))]
pub async fn phone_rule_update(ctx: OpCtx, Valid(input): Valid<RuleInput>) -> ApiResult<RuleView> {
    reply(service::save(&ctx, input).await?)
}

/// Returns the rules that hold for a phone, and where each comes from.
#[utoipa::path(get, path = "/api/phone/v1/phones/{id}/rules", tag = "phoneRule",
    params(("id" = i64, Path, description = "The phone's id")), responses((status = 200, body = Reply<PhoneRules>)))]
pub async fn phone_rule_held(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<PhoneRules> {
    let row = phone::Entity::find_by_id(PhoneId(id)).one(ctx.read()).await?.or_missing(NOT_FOUND)?;
    reply(service::of_phone(ctx.read(), &row).await?)
}
