//! The calls about work on whole places, figures over time, and live news.

use axum::response::Response;
use entity::{CardId, FrameId, HostId, RoomId, host};
use http::HeaderMap;
use kernel::rules::{Check, Violation, not_before};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::acts::{self, CardsChanged, MaintainInput, PlaceId};
use super::export::Cards;
use super::store::CardFilter;
use super::{service, store};
use crate::domains::fleet::state::{self, CardPoint, PlaceKey, PlacePoint, TOPIC};
use crate::export::{FormatQuery, TableFile, export};
use crate::fault::{Fault, Outcome};
use crate::http::body::PathId;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Params, Reply, Valid, events, reply};

/// Days that one chart may show.
const MOST_DAYS: i64 = 366;

/// Drains a room, begins the work on it, or returns it to service, with all its cards.
#[utoipa::path(post, path = "/api/fleet/v1/rooms/{id}/maintenance", tag = "fleet", request_body = MaintainInput,
    params(("id" = i64, Path, description = "The room's id")), responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn room_maintain(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MaintainInput>,
) -> ApiResult<CardsChanged> {
    reply(acts::maintain_place(&ctx, PlaceId::Room(RoomId(id)), input).await?)
}

/// Drains a frame, begins the work on it, or returns it to service, with all its cards.
#[utoipa::path(post, path = "/api/fleet/v1/frames/{id}/maintenance", tag = "fleet", request_body = MaintainInput,
    params(("id" = i64, Path, description = "The frame's id")), responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn frame_maintain(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MaintainInput>,
) -> ApiResult<CardsChanged> {
    reply(acts::maintain_place(&ctx, PlaceId::Frame(FrameId(id)), input).await?)
}

/// Drains a host, begins the work on it, or returns it to service, with all its cards.
#[utoipa::path(post, path = "/api/fleet/v1/hosts/{id}/maintenance", tag = "fleet", request_body = MaintainInput,
    params(("id" = i64, Path, description = "The host's id")), responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn host_maintain(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MaintainInput>,
) -> ApiResult<CardsChanged> {
    reply(acts::maintain_place(&ctx, PlaceId::Host(HostId(id)), input).await?)
}

/// Cards as a file, newest first; with more than 50,000 of them a background task makes it.
#[utoipa::path(
    get,
    path = "/api/fleet/v1/cards/file",
    tag = "fleet",
    params(FormatQuery, CardFilter),
    responses(TableFile)
)]
pub async fn card_export(
    ctx: OpCtx,
    Params(file): Params<FormatQuery>,
    Params(filter): Params<CardFilter>,
) -> Result<Response, Fault> {
    export(&ctx, Cards(filter), file.format).await
}

/// Whose figures are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MetricScope {
    Room,
    Frame,
    Host,
    Card,
}

/// Which figures are wanted.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MetricQuery {
    /// `room`, `frame`, `host` or `card`.
    #[param(inline)]
    pub scope: MetricScope,
    /// Its id.
    pub id: i64,
    /// From when on.
    pub start_time: UtcTime,
    /// Until when.
    pub end_time: UtcTime,
}

/// Figures over time, at most 600 points: of a card those in `card`, of a place those in `place`.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct MetricSeries {
    /// Minutes of a card.
    pub card: Vec<CardPoint>,
    /// Minutes of a room, or quarters of an hour of a frame or a host.
    pub place: Vec<PlacePoint>,
}

async fn series(ctx: &OpCtx, query: MetricQuery) -> Outcome<MetricSeries> {
    let MetricQuery { scope, id, start_time, end_time } = query;
    let mut check = Check::new();
    check.field("endTime", not_before(start_time, end_time));
    if end_time.seconds_since(start_time) > MOST_DAYS * 86_400 {
        check.add("endTime", Violation::new("time.rangeTooLong").with("max", MOST_DAYS));
    }
    check.finish()?;
    let db = ctx.read();
    let place = match scope {
        MetricScope::Card => {
            let row = store::find(db, CardId(id)).await?.ok_or_else(|| Fault::not_found(service::NOT_FOUND))?;
            let card = state::card_points(db, &row, start_time, end_time).await?;
            return Ok(MetricSeries { card, place: Vec::new() });
        }
        MetricScope::Room => PlaceKey::Room(RoomId(id)),
        MetricScope::Host => PlaceKey::Hosts(vec![HostId(id)]),
        MetricScope::Frame => {
            let hosts = host::Entity::find().filter(host::Column::FrameId.eq(id)).all(db).await?;
            PlaceKey::Hosts(hosts.into_iter().map(|row| row.id).collect())
        }
    };
    let place = state::place_points(db, &place, start_time, end_time).await?;
    Ok(MetricSeries { card: Vec::new(), place })
}

/// Figures of a room, a frame, a host or a card over time.
#[utoipa::path(get, path = "/api/fleet/v1/metrics", tag = "fleet", params(MetricQuery),
    responses((status = 200, body = Reply<MetricSeries>)))]
pub async fn fleet_metrics(ctx: OpCtx, Params(query): Params<MetricQuery>) -> ApiResult<MetricSeries> {
    reply(series(&ctx, query).await?)
}

/// Tells live what becomes of cards: events `cards` with a list of rows as they are now, and `reset` when
/// some may have been missed. Heard with `device:list`.
#[utoipa::path(get, path = "/api/fleet/v1/events", tag = "fleet",
    params(("Last-Event-ID" = Option<String>, Header, description = "The last event that was seen")),
    responses((status = 200, body = String, content_type = "text/event-stream")))]
pub async fn fleet_events(ctx: OpCtx, headers: HeaderMap) -> Response {
    events::stream(ctx, TOPIC, &headers)
}
