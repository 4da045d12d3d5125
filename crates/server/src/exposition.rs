//! The Prometheus endpoints: `/metrics`, and `/metrics/cards?room=ID` for the figures of a room's cards; both on their
//! own listener (`metrics_listen`).

use std::net::SocketAddr;

use axum::Extension;
use axum::extract::ConnectInfo;
use axum::response::{IntoResponse as _, Response};
use base::app::App;
use base::fault::Fault;
use base::http::Params;
use entity::RoomId;
use fleet::Fleet;
use http::{StatusCode, header};
use metrics_exporter_prometheus::PrometheusHandle;
use serde::Deserialize;
use utoipa::IntoParams;

type Peer = Option<Extension<ConnectInfo<SocketAddr>>>;

/// For this machine and the configured addresses.
fn may_read(app: &App, peer: Peer) -> bool {
    // The connection's own address, never a header: a proxy must not open this to the public.
    let ip = peer.map(|Extension(ConnectInfo(peer))| peer.ip().to_canonical());
    ip.is_none_or(|ip| ip.is_loopback() || app.config.metrics_from.contains(&ip))
}

fn text(lines: String) -> Response {
    ([(header::CONTENT_TYPE, "text/plain; version=0.0.4")], lines).into_response()
}

/// The process, its requests, the counts of the fleet and of cloud phones, and the gateways that have streams.
pub async fn metrics(
    Extension(app): Extension<App>,
    Extension(handle): Extension<PrometheusHandle>,
    peer: Peer,
) -> Result<Response, Fault> {
    if !may_read(&app, peer) {
        return Ok(StatusCode::NOT_FOUND.into_response());
    }
    let rooms = fleet::room_gauges(&app).await?;
    let (phones, gateways) = (phones::gauges(&app).await?, phones::stream::gateway_gauges(&app).await?);
    Ok(text(handle.render() + &rooms + &phones + &gateways))
}

/// The room.
#[derive(Debug, Deserialize, IntoParams)]
pub struct RoomQuery {
    /// The room's id.
    room: i64,
}

/// The latest figures of a room's cards.
pub async fn card_metrics(Extension(app): Extension<App>, peer: Peer, Params(query): Params<RoomQuery>) -> Response {
    if !may_read(&app, peer) {
        return StatusCode::NOT_FOUND.into_response();
    }
    text(app.part::<Fleet>().exposition(RoomId(query.room)))
}
