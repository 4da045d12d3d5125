//! Checking a BMC: whether it accepts the credentials, its slots and its readings.

use std::time::Duration;

use redfish::{Bmc as _, Error};
use tokio::time::timeout;
use wire::{BmcAccess, BmcFound, BmcLook, BmcSensor, BmcSlot};

use super::power::Controllers;

/// A person waits for it. BMCs are slow, and need a request for each slot.
const PATIENCE: Duration = Duration::from_secs(20);
/// The largest number of slots and sensors, and of characters of a name: a BMC may lie, and the answer is one frame.
const MOST: usize = 500;
const NAME: usize = 100;

/// Signs in, and reads all slots and sensors.
pub async fn look_at_bmc(all: &Controllers, access: &BmcAccess) -> BmcLook {
    let mut certificate = None;
    let looking = async {
        let (bmc, seen) = all.visit(access).await?;
        certificate = seen;
        let abilities = bmc.client.abilities().await?;
        let slots = if abilities.power { bmc.client.slots().await? } else { Vec::new() };
        let sensors = if abilities.sensors { bmc.client.sensors().await? } else { Vec::new() };
        Ok::<_, Error>(BmcFound::Seen {
            sessions: abilities.sessions,
            slots: slots.into_iter().take(MOST).map(slot).collect(),
            sensors: sensors.into_iter().take(MOST).map(sensor).collect(),
        })
    };
    let found = match timeout(PATIENCE, looking).await {
        Ok(Ok(found)) => found,
        Ok(Err(error)) => failed(&error),
        Err(_) => failed(&Error::Timeout { after: PATIENCE }),
    };
    BmcLook { certificate, found }
}

fn failed(error: &Error) -> BmcFound {
    BmcFound::Failed { code: error.reason().into(), reason: error.to_string() }
}

fn slot(slot: redfish::Slot) -> BmcSlot {
    let power = match slot.power {
        redfish::Power::On => wire::Power::On,
        redfish::Power::Off => wire::Power::Off,
        // A state that is changing is neither.
        redfish::Power::PoweringOn | redfish::Power::PoweringOff | redfish::Power::Unknown => wire::Power::Unknown,
    };
    BmcSlot { name: short(&slot.name), serial: slot.serial.as_deref().map(short), power, health: health(slot.health) }
}

fn sensor(sensor: redfish::Sensor) -> BmcSensor {
    let kind = match sensor.kind {
        redfish::SensorKind::Temperature => wire::SensorKind::Temperature,
        redfish::SensorKind::Fan => wire::SensorKind::Fan,
        redfish::SensorKind::Power => wire::SensorKind::Power,
    };
    BmcSensor {
        kind,
        name: short(&sensor.name),
        reading: sensor.reading.map(thousandths),
        critical: sensor.critical.map(thousandths),
        health: health(sensor.health),
    }
}

const fn health(health: redfish::Health) -> wire::Health {
    match health {
        redfish::Health::Ok => wire::Health::Ok,
        redfish::Health::Warning => wire::Health::Warning,
        redfish::Health::Critical => wire::Health::Critical,
        redfish::Health::Unknown => wire::Health::Unknown,
    }
}

fn short(name: &str) -> String {
    name.chars().take(NAME).collect()
}

/// A cast of a float saturates at the bounds of the type, and NaN becomes 0.
#[expect(clippy::cast_possible_truncation, reason = "no reading of a BMC is near the bounds")]
fn thousandths(reading: f64) -> i64 {
    (reading * 1000.0).round() as i64
}
