//! Conversion between protocol types and fleet types.

use std::net::SocketAddrV4;

use entity::CardId;
use entity::card::Power;
use kernel::ip4::Ip4;

use crate::card::model::ModelName;
use crate::finding::Sighting;
use crate::settings::FleetSettings;
use crate::state::Metrics;
use crate::state::Probe;
use crate::state::Report;
use crate::state::RosterCard;

pub fn report(from: &wire::Report) -> Report {
    Report {
        card: CardId(from.card),
        probe: from.probe.map(|wire::Probe { reached, tcp_open, adb_answers, booted }| Probe {
            reached,
            tcp_open,
            adb_answers,
            booted,
        }),
        power: from.power.map(|power| match power {
            wire::Power::On => Power::On,
            wire::Power::Off => Power::Off,
            wire::Power::Unknown => Power::Unknown,
        }),
        metrics: from.metrics.map(metrics),
    }
}

/// Clamps figures: an agent may send anything.
fn metrics(from: wire::Metrics) -> Metrics {
    let wire::Metrics { cpu, memory, storage, loss, temperature, latency, uptime } = from;
    Metrics {
        cpu: cpu.min(100),
        memory: memory.min(100),
        storage: storage.min(100),
        loss: loss.min(100),
        temperature: temperature.clamp(-100, 200),
        latency,
        uptime,
    }
}

/// A sighting; none if the address is invalid.
pub fn sighting(from: wire::Sighting) -> Option<Sighting> {
    let wire::Sighting { address, serial, manufacturer, model, board, fingerprint, mark } = from;
    let address: SocketAddrV4 = address.parse().ok()?;
    let ip = address.ip().to_string().parse::<Ip4>().ok()?;
    let model = ModelName { manufacturer, model, board };
    Some(Sighting { serial, ip, port: address.port().into(), model, fingerprint, mark })
}

pub fn roster_card(from: RosterCard) -> wire::RosterCard {
    let address = format!("{}:{}", from.intranet_ip, from.adb_port);
    wire::RosterCard { id: from.id.0, address, serial: from.serial }
}

pub fn limits(settings: &FleetSettings) -> wire::Limits {
    let places = |value: i64| u32::try_from(value).unwrap_or(1);
    wire::Limits { per_host: places(settings.tasks_per_host), per_bmc: 1, per_room: places(settings.tasks_per_room) }
}

pub fn beat(settings: &FleetSettings) -> u32 {
    u32::try_from(settings.heartbeat_seconds).unwrap_or(10)
}

/// An estimate of the size of a task in a frame, in bytes, at most.
pub fn size(task: &wire::Task) -> usize {
    // JSON may need six bytes for one of text.
    let text = match &task.act {
        wire::Act::Shell { script } => script.len() * 6,
        wire::Act::Push { path, .. } | wire::Act::Pull { path } => path.len() * 6 + 1024,
        wire::Act::Install { .. }
        | wire::Act::Power { .. }
        | wire::Act::Packages { .. }
        | wire::Act::Apps { .. }
        | wire::Act::Stop { .. }
        | wire::Act::Copy(_)
        | wire::Act::Verify(_)
        | wire::Act::Erase(_)
        | wire::Act::Restore(_) => 4096,
        wire::Act::SetProperty { name, value } => (name.len() + value.len()) * 6,
        wire::Act::Uninstall { package } => package.len(),
        wire::Act::Still { boot_id, listing } => boot_id.len() + listing.len(),
        wire::Act::Check { fingerprint, .. } => fingerprint.as_deref().map_or(0, str::len) * 6,
        wire::Act::Reboot
        | wire::Act::PullLog
        | wire::Act::Screenshot
        | wire::Act::SpeedLimit { .. }
        | wire::Act::FactoryReset
        | wire::Act::Wipe
        | wire::Act::Claim
        | wire::Act::Unclaim
        | wire::Act::Profile
        | wire::Act::Clear { .. }
        | wire::Act::Prove { .. }
        | wire::Act::MarkClean { .. }
        | wire::Act::Boot
        | wire::Act::Health { .. }
        | wire::Act::Start { .. }
        | wire::Act::Halt
        | wire::Act::Unknown => 0,
    };
    400 + text + task.leave_out.iter().map(|path| path.len() * 6 + 4).sum::<usize>()
}
