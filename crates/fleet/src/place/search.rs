//! Rooms, frames and hosts for the global search.

use base::fault::Outcome;
use base::http::ops::OpCtx;
use base::search::{Hit, named};
use entity::{frame, host, room};

use super::{frame as frames, host as hosts};

/// Rooms by name.
///
/// # Errors
/// When the read fails.
pub async fn rooms(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    let found = named::<room::Entity>(ctx, room::Column::Name, text).await?;
    Ok(found
        .into_iter()
        .map(|room| Hit {
            id: room.id.to_string(),
            title: room.name,
            subtitle: room.city,
            path: format!("/device/panel?room={}", room.id),
            ..Hit::default()
        })
        .collect())
}

/// Frames by name, with their room.
///
/// # Errors
/// When a read fails.
pub async fn frames(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    let found = named::<frame::Entity>(ctx, frame::Column::Name, text).await?;
    Ok(frames::views(ctx.read(), found)
        .await?
        .into_iter()
        .map(|frame| Hit {
            id: frame.id.to_string(),
            subtitle: frame.room.name().to_owned(),
            title: frame.name,
            path: format!("/device/management?frameId={}", frame.id),
            ..Hit::default()
        })
        .collect())
}

/// Hosts by name, with their place.
///
/// # Errors
/// When a read fails.
pub async fn hosts(ctx: &OpCtx, text: &str) -> Outcome<Vec<Hit>> {
    let found = named::<host::Entity>(ctx, host::Column::Name, text).await?;
    Ok(hosts::views(ctx.read(), found)
        .await?
        .into_iter()
        .map(|host| Hit {
            id: host.id.to_string(),
            subtitle: format!("{} · {}", host.room.name(), host.frame.name()),
            title: host.name,
            path: format!("/device/management?hostId={}", host.id),
            ..Hit::default()
        })
        .collect())
}
