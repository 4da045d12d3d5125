//! The endpoints for cards.

use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, Valid, reply};
use entity::CardId;
use serde::Serialize;
use utoipa::ToSchema;

use super::acts::{self, CardsChanged, FlagInput, MaintainCardsInput, RetireInput};
use super::model::{self, ModelName};
use super::range::{self, RangeInput, RangeMade, RangePreview};
use super::service::{self, CardInput, MoveInput};
use super::store::{self, CardFilter};
use super::view::{self, CardView};

/// How many cards match a filter.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub struct CardCount {
    pub total: u64,
    /// Of these, those that have had their status for longer than the settings allow.
    pub overdue: u64,
}

/// Counts the cards that match a filter, and how many of them are overdue.
#[utoipa::path(get, path = "/api/fleet/v1/cards/count", tag = "fleet", params(CardFilter),
    responses((status = 200, body = Reply<CardCount>)))]
pub async fn card_counts(ctx: OpCtx, Params(filter): Params<CardFilter>) -> ApiResult<CardCount> {
    filter.checked()?;
    let overdue = CardFilter { overdue: Some(true), ..filter.clone() }.resolve(&ctx.app).await?;
    let total = store::total(ctx.db(), &filter.resolve(&ctx.app).await?).await?;
    reply(CardCount { total, overdue: store::total(ctx.db(), &overdue).await? })
}

/// Lists all manufacturers, models and boards that cards have or had, to choose from.
#[utoipa::path(get, path = "/api/fleet/v1/card-models", tag = "fleet",
    responses((status = 200, body = Reply<Vec<ModelName>>)))]
pub async fn card_models(ctx: OpCtx) -> ApiResult<Vec<ModelName>> {
    let mut names: Vec<ModelName> = model::all(ctx.read()).await?.into_values().collect();
    names.sort_unstable();
    reply(names)
}

/// Returns one card.
#[utoipa::path(get, path = "/api/fleet/v1/cards/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The card's id")), responses((status = 200, body = Reply<CardView>)))]
pub async fn card_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<CardView> {
    reply(view::view(&ctx.app, CardId(id)).await?)
}

/// Creates an expected card.
#[utoipa::path(post, path = "/api/fleet/v1/cards", tag = "fleet", request_body = CardInput,
    responses((status = 200, body = Reply<CardView>)))]
pub async fn card_create(ctx: OpCtx, Valid(input): Valid<CardInput>) -> ApiResult<CardView> {
    reply(service::create(&ctx, input).await?)
}

/// Previews the cards that a part of an address plan would create; nothing is saved.
#[utoipa::path(post, path = "/api/fleet/v1/cards/range/preview", tag = "fleet", request_body = RangeInput,
    responses((status = 200, body = Reply<RangePreview>)))]
pub async fn card_range_preview(ctx: OpCtx, Valid(input): Valid<RangeInput>) -> ApiResult<RangePreview> {
    reply(range::preview(&ctx, input).await?)
}

/// Creates a card for each free address of a part of an address plan, all or none.
#[utoipa::path(post, path = "/api/fleet/v1/cards/range", tag = "fleet", request_body = RangeInput,
    responses((status = 200, body = Reply<RangeMade>)))]
pub async fn card_range_create(ctx: OpCtx, Valid(input): Valid<RangeInput>) -> ApiResult<RangeMade> {
    reply(range::create(&ctx, input).await?)
}

/// Updates a card. Its room and its position stay as they are.
#[utoipa::path(put, path = "/api/fleet/v1/cards/{id}", tag = "fleet", request_body = CardInput,
    params(("id" = i64, Path, description = "The card's id")), responses((status = 200, body = Reply<CardView>)))]
pub async fn card_update(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<CardInput>) -> ApiResult<CardView> {
    reply(service::update(&ctx, CardId(id), input).await?)
}

/// Sets whether a selection may be assigned to cloud phones, and whether it takes part in overcommit.
#[utoipa::path(post, path = "/api/fleet/v1/cards/flags", tag = "fleet", request_body = FlagInput,
    responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn card_set_flags(ctx: OpCtx, Valid(input): Valid<FlagInput>) -> ApiResult<CardsChanged> {
    reply(acts::set_flags(&ctx, input).await?)
}

/// Drains a selection, starts maintenance on it, or returns it to service.
#[utoipa::path(post, path = "/api/fleet/v1/cards/maintenance", tag = "fleet", request_body = MaintainCardsInput,
    responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn card_maintain(ctx: OpCtx, Valid(input): Valid<MaintainCardsInput>) -> ApiResult<CardsChanged> {
    reply(acts::maintain_cards(&ctx, input).await?)
}

/// Moves a card to another place; its history keeps the old one.
#[utoipa::path(post, path = "/api/fleet/v1/cards/{id}/move", tag = "fleet", request_body = MoveInput,
    params(("id" = i64, Path, description = "The card's id")), responses((status = 200, body = Reply<CardView>)))]
pub async fn card_move(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<MoveInput>) -> ApiResult<CardView> {
    reply(service::relocate(&ctx, CardId(id), input).await?)
}

/// Retires a selection: its positions and addresses become free again.
#[utoipa::path(post, path = "/api/fleet/v1/cards/retire", tag = "fleet", request_body = RetireInput,
    responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn card_retire(ctx: OpCtx, Valid(input): Valid<RetireInput>) -> ApiResult<CardsChanged> {
    reply(acts::retire(&ctx, input).await?)
}
