//! The fleet for Prometheus: counts of rooms, and on demand the figures of a room's cards.

use std::fmt::Write as _;

use base::app::App;
use base::fault::Outcome;
use entity::{RoomId, room};
use sea_orm::{EntityTrait as _, QuerySelect as _};

use super::live::Fleet;
use crate::counts;

/// Cards by room and status, and agents by room, in Prometheus' text format. Generated each time: a room that is
/// deleted or renamed leaves nothing behind.
///
/// # Errors
/// When the read fails.
pub async fn rooms(app: &App) -> Outcome<String> {
    let counts = counts::rooms(app.db.read()).await?;
    let rooms: Vec<(RoomId, String)> = room::Entity::find()
        .select_only()
        .columns([room::Column::Id, room::Column::Name])
        .into_tuple()
        .all(app.db.read())
        .await?;
    let (mut cards, mut online, mut agents) = (String::new(), String::new(), String::new());
    for (id, name) in rooms {
        let count = counts.get(&id).copied().unwrap_or_default();
        let room = label(&name);
        for (status, n) in [
            ("idle", count.idle),
            ("in_use", count.in_use),
            ("maintenance", count.maintenance),
            ("fault", count.fault),
            ("upgrading", count.upgrading),
            ("offline", count.offline),
            ("unknown", count.unknown),
        ] {
            let _ = writeln!(cards, "skyrack_cards{{room=\"{room}\",run_status=\"{status}\"}} {n}");
        }
        let _ = writeln!(online, "skyrack_cards_online{{room=\"{room}\"}} {}", count.online);
        let _ = writeln!(agents, "skyrack_room_agents{{room=\"{room}\"}} {}", app.part::<Fleet>().agents_in(id));
    }
    let family = |name: &str, lines: &str| format!("# TYPE {name} gauge\n{lines}\n");
    Ok([
        family("skyrack_cards", &cards),
        family("skyrack_cards_online", &online),
        family("skyrack_room_agents", &agents),
    ]
    .concat())
}

/// A text as the value of a label (Prometheus, exposition formats: backslash, quote and line break are escaped).
#[must_use]
pub fn label(text: &str) -> String {
    text.replace('\\', r"\\").replace('"', "\\\"").replace('\n', r"\n")
}

impl Fleet {
    /// The latest figures of a room's cards in Prometheus' text format; a card without reports has none.
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
