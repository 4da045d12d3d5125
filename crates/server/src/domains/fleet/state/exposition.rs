//! The fleet for Prometheus: counts of rooms, and on demand the figures of a room's cards.

use std::fmt::Write as _;

use entity::{RoomId, room};
use metrics::gauge;
use sea_orm::{EntityTrait as _, QuerySelect as _};

use super::live::Fleet;
use crate::app::App;
use crate::domains::fleet::counts;
use crate::fault::Outcome;

/// Sets the gauges of cards by room and status, and of agents by room.
///
/// # Errors
/// When the read fails.
pub async fn set_gauges(app: &App) -> Outcome<()> {
    let counts = counts::rooms(app.db.read()).await?;
    let names: Vec<(RoomId, String)> = room::Entity::find()
        .select_only()
        .columns([room::Column::Id, room::Column::Name])
        .into_tuple()
        .all(app.db.read())
        .await?;
    for (id, name) in names {
        let count = counts.get(&id).copied().unwrap_or_default();
        let of = |status: &'static str, n: u64| {
            gauge!("skyrack_cards", "room" => name.clone(), "run_status" => status).set(precise(n));
        };
        of("idle", count.idle);
        of("in_use", count.in_use);
        of("maintenance", count.maintenance);
        of("fault", count.fault);
        of("upgrading", count.upgrading);
        of("offline", count.offline);
        of("unknown", count.unknown);
        gauge!("skyrack_cards_online", "room" => name.clone()).set(precise(count.online));
        gauge!("skyrack_room_agents", "room" => name).set(f64::from(app.fleet.agents_in(id)));
    }
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "nobody has 2^53 cards")]
const fn precise(n: u64) -> f64 {
    n as f64
}

impl Fleet {
    /// The latest figures of a room's cards in Prometheus' text format; a card that was not reported has none.
    #[must_use]
    pub fn exposition(&self, id: RoomId) -> String {
        let mut text = String::new();
        let rooms = self.rooms.lock();
        let Some(room) = rooms.get(&id) else { return text };
        let reported = room.cards.iter().filter(|card| card.seen > 0);
        let mut family = |name: &str, of: &dyn Fn(&super::live::Live) -> i64| {
            let _ = writeln!(text, "# TYPE skyrack_card_{name} gauge");
            for card in reported.clone() {
                let _ = writeln!(text, "skyrack_card_{name}{{card=\"{}\"}} {}", card.id, of(card));
            }
        };
        family("cpu_percent", &|card| card.metrics.cpu.into());
        family("memory_percent", &|card| card.metrics.memory.into());
        family("storage_percent", &|card| card.metrics.storage.into());
        family("loss_percent", &|card| card.metrics.loss.into());
        family("temperature_celsius", &|card| card.metrics.temperature.into());
        family("latency_milliseconds", &|card| card.metrics.latency.into());
        family("uptime_seconds", &|card| card.metrics.uptime.into());
        family("reported_timestamp_seconds", &|card| card.seen.into());
        text
    }
}
