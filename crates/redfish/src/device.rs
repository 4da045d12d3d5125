//! What the room agent can do with a BMC, whoever made it.

use async_trait::async_trait;

use crate::error::Error;

/// A slot, identified by the BMC's own path of its system.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlotId(pub String);

/// Whether a slot has power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Power {
    /// On.
    On,
    /// Off.
    Off,
    /// It is being switched on.
    PoweringOn,
    /// It is being switched off.
    PoweringOff,
    /// The BMC does not report it. Not the same as off.
    Unknown,
}

impl Power {
    /// Reads `PowerState`; any value outside the standard is unknown.
    pub(crate) fn parse(text: Option<&str>) -> Self {
        match text {
            Some("On") => Self::On,
            Some("Off") => Self::Off,
            Some("PoweringOn") => Self::PoweringOn,
            Some("PoweringOff") => Self::PoweringOff,
            _ => Self::Unknown,
        }
    }
}

/// The health of a component, as the BMC reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Health {
    /// Fine.
    Ok,
    /// Needs attention.
    Warning,
    /// Needs action.
    Critical,
    /// Not reported.
    Unknown,
}

impl Health {
    pub(crate) fn parse(text: Option<&str>) -> Self {
        match text {
            Some("OK") => Self::Ok,
            Some("Warning") => Self::Warning,
            Some("Critical") => Self::Critical,
            _ => Self::Unknown,
        }
    }
}

/// A slot and what is in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its id.
    pub id: SlotId,
    /// Its name, for display.
    pub name: String,
    /// The serial of the card in it, if the BMC reports it.
    pub serial: Option<String>,
    /// Its power.
    pub power: Power,
    /// Its health.
    pub health: Health,
    /// The supported commands; empty if the BMC does not list them.
    pub orders: Vec<String>,
    /// The target of commands, if not the standard one.
    pub target: Option<String>,
}

/// A change of power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Power on.
    On,
    /// Power off at once.
    ForceOff,
    /// Ask the system to shut down.
    GracefulShutdown,
    /// Power off and on at once.
    ForceRestart,
}

impl Order {
    /// The `ResetType` of the standard.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::On => "On",
            Self::ForceOff => "ForceOff",
            Self::GracefulShutdown => "GracefulShutdown",
            Self::ForceRestart => "ForceRestart",
        }
    }
}

/// What a sensor measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SensorKind {
    /// Degrees Celsius.
    Temperature,
    /// Revolutions per minute, or percent if the BMC says so.
    Fan,
    /// Watts.
    Power,
}

/// A reading.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensor {
    /// What it measures.
    pub kind: SensorKind,
    /// Its name, for display.
    pub name: String,
    /// The reading; `None` if there is none, for example for an empty slot.
    pub reading: Option<f64>,
    /// The critical threshold.
    pub critical: Option<f64>,
    /// Its health as the BMC reports it.
    pub health: Health,
}

/// What a BMC can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// It supports sessions. Without them requests use HTTP Basic.
    pub sessions: bool,
    /// It can switch power.
    pub power: bool,
    /// It has sensors.
    pub sensors: bool,
}

/// A BMC. Every call ends within its timeouts.
#[async_trait]
pub trait Bmc: Send + Sync {
    /// What it can do. Signs in.
    async fn abilities(&self) -> Result<Abilities, Error>;
    /// All slots.
    async fn slots(&self) -> Result<Vec<Slot>, Error>;
    /// One slot.
    async fn slot(&self, id: &SlotId) -> Result<Slot, Error>;
    /// Sends one command. That it was accepted proves nothing; see [`crate::confirm`].
    async fn order(&self, slot: &Slot, order: Order) -> Result<(), Error>;
    /// All readings.
    async fn sensors(&self) -> Result<Vec<Sensor>, Error>;
    /// Ends the session.
    async fn close(&self);
}
