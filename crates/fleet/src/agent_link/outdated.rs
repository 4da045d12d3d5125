//! Agents with which the console has no protocol in common: they stay connected and are told so ([`wire::upgrade`]), and
//! nothing else. They are not their room's agent, and what they say counts for nothing.

use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use entity::{RoomAgentId, room_agent};
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use tokio::time::{Instant, interval};
use wire::upgrade::{Console, Hello};
use wire::{Farewell, SPOKEN};

use super::socket::{Frame, PING, SILENCE, Wire};
use crate::agent::is_revoked;
use crate::agent::outdated::Outdated;
use crate::state::{self, Fleet};

/// Interval of asking whether the agent was revoked.
const ASK: Duration = Duration::from_millis(500);

/// Keeps an agent of another protocol. Returns why the console closed the connection; none if the agent did.
pub async fn keep(
    app: &App,
    agent: &room_agent::Model,
    ip: &str,
    hello: &Hello,
    wire: &mut Wire,
) -> Outcome<Option<Farewell>> {
    let version: String = hello.version.chars().filter(|c| !c.is_control()).collect();
    if !state::note_connected(app, agent.id, ip, &version).await? {
        return Ok(Some(Farewell::Revoked));
    }
    tracing::warn!(
        agent = agent.id.0,
        room = agent.room_id.0,
        version,
        platform = hello.platform,
        protocol = hello.protocol,
        speaks = ?SPOKEN,
        ip,
        "an agent has connected that speaks another protocol: it gets no work until it or the console is upgraded"
    );
    let here = app.part::<Outdated>().enter(agent.id, hello.protocol, app.clock.now());
    let ended = stay(app, agent.id, wire).await;
    drop(here);
    note_gone(app, agent.id).await?;
    ended
}

async fn stay(app: &App, agent: RoomAgentId, wire: &mut Wire) -> Outcome<Option<Farewell>> {
    let told = Console::Upgrade { speaks: SPOKEN.to_vec(), version: env!("CARGO_PKG_VERSION").to_owned() };
    if !wire.say(&told).await {
        return Ok(None);
    }
    let (mut asks, mut pings, mut heard) = (interval(ASK), interval(PING), Instant::now());
    asks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let stopping = app.events.closed();
    loop {
        let goes_on = tokio::select! {
            frame = wire.frame() => {
                heard = Instant::now();
                match frame {
                    Frame::Text(_) | Frame::Bytes(_) | Frame::SignOfLife => true,
                    Frame::Flood => return Ok(Some(Farewell::Flooded)),
                    Frame::Gone => false,
                }
            }
            () = stopping.cancelled() => return Ok(Some(Farewell::Stopping)),
            _ = pings.tick() => heard.elapsed() < SILENCE && wire.ping().await,
            _ = asks.tick() => {
                if is_revoked(app, agent).await? {
                    return Ok(Some(Farewell::Revoked));
                }
                true
            }
        };
        if !goes_on {
            return Ok(None);
        }
    }
}

/// Writes down that it has left, unless another connection of it is there.
async fn note_gone(app: &App, agent: RoomAgentId) -> Outcome<()> {
    let tx = app.db.begin_write().await?;
    if app.part::<Outdated>().of(agent).is_some() || app.part::<Fleet>().connected_since(agent).is_some() {
        return Ok(());
    }
    let row =
        room_agent::ActiveModel { id: Set(agent), disconnected_at: Set(Some(app.clock.now())), ..Default::default() };
    room_agent::Entity::update(row).exec(&*tx).await?;
    tx.commit().await?;
    Ok(())
}
