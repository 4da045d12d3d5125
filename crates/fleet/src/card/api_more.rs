//! The endpoints for maintenance of whole places, and metrics over time.

use base::fault::{OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, Valid, reply};
use entity::{CardId, FrameId, HostId, RoomId, host};
use kernel::rules::{Check, Violation, not_before};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::acts::{self, CardsChanged, MaintainInput, PlaceId};
use super::{service, store};
use crate::state::{self, CardPoint, PlaceKey, PlacePoint};

/// Days that one chart may cover.
const MOST_DAYS: i64 = 366;

/// Drains a room, starts maintenance on it, or returns it to service, with all its cards.
#[utoipa::path(post, path = "/api/fleet/v1/rooms/{id}/maintenance", tag = "fleet", request_body = MaintainInput,
    params(("id" = i64, Path, description = "The room's id")), responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn room_maintain(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MaintainInput>,
) -> ApiResult<CardsChanged> {
    reply(acts::maintain_place(&ctx, PlaceId::Room(RoomId(id)), input).await?)
}

/// Drains a frame, starts maintenance on it, or returns it to service, with all its cards.
#[utoipa::path(post, path = "/api/fleet/v1/frames/{id}/maintenance", tag = "fleet", request_body = MaintainInput,
    params(("id" = i64, Path, description = "The frame's id")), responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn frame_maintain(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MaintainInput>,
) -> ApiResult<CardsChanged> {
    reply(acts::maintain_place(&ctx, PlaceId::Frame(FrameId(id)), input).await?)
}

/// Drains a host, starts maintenance on it, or returns it to service, with all its cards.
#[utoipa::path(post, path = "/api/fleet/v1/hosts/{id}/maintenance", tag = "fleet", request_body = MaintainInput,
    params(("id" = i64, Path, description = "The host's id")), responses((status = 200, body = Reply<CardsChanged>)))]
pub async fn host_maintain(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MaintainInput>,
) -> ApiResult<CardsChanged> {
    reply(acts::maintain_place(&ctx, PlaceId::Host(HostId(id)), input).await?)
}

/// Whose metrics are requested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MetricScope {
    Room,
    Frame,
    Host,
    Card,
}

/// Which metrics are requested.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MetricQuery {
    /// `room`, `frame`, `host` or `card`.
    #[param(inline)]
    pub scope: MetricScope,
    /// Its id.
    pub id: i64,
    /// The start.
    pub start_time: UtcTime,
    /// The end.
    pub end_time: UtcTime,
}

/// Metrics over time, at most 600 points: those of a card in `card`, those of a place in `place`.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct MetricSeries {
    /// Per minute, of a card.
    pub card: Vec<CardPoint>,
    /// Per minute of a room, or per 15 minutes of a frame or a host.
    pub place: Vec<PlacePoint>,
}

fn check_span(start: UtcTime, end: UtcTime) -> Outcome<()> {
    let mut check = Check::new();
    check.field("endTime", not_before(start, end));
    if end.seconds_since(start) > MOST_DAYS * 86_400 {
        check.add("endTime", Violation::new("time.rangeTooLong").with("max", MOST_DAYS));
    }
    Ok(check.finish()?)
}

async fn series(ctx: &OpCtx, query: MetricQuery) -> Outcome<MetricSeries> {
    let MetricQuery { scope, id, start_time, end_time } = query;
    check_span(start_time, end_time)?;
    let db = ctx.read();
    let place = match scope {
        MetricScope::Card => {
            let row = store::find(db, CardId(id)).await?.or_missing(service::NOT_FOUND)?;
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

/// Returns the metrics of a room, a frame, a host or a card over time.
#[utoipa::path(get, path = "/api/fleet/v1/metrics", tag = "fleet", params(MetricQuery),
    responses((status = 200, body = Reply<MetricSeries>)))]
pub async fn fleet_metrics(ctx: OpCtx, Params(query): Params<MetricQuery>) -> ApiResult<MetricSeries> {
    reply(series(&ctx, query).await?)
}

/// Between which instants the fleet's metrics are requested.
#[derive(Clone, Copy, Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct FleetPointsQuery {
    /// The start.
    pub start_time: UtcTime,
    /// The end.
    pub end_time: UtcTime,
}

/// Returns the metrics of all rooms together over time, every 15 minutes, at most 600 points.
#[utoipa::path(get, path = "/api/fleet/v1/points", tag = "fleet", params(FleetPointsQuery),
    responses((status = 200, body = Reply<Vec<PlacePoint>>)))]
pub async fn fleet_points(ctx: OpCtx, Params(query): Params<FleetPointsQuery>) -> ApiResult<Vec<PlacePoint>> {
    let FleetPointsQuery { start_time, end_time } = query;
    check_span(start_time, end_time)?;
    reply(state::fleet_points(ctx.read(), start_time, end_time).await?)
}
