//! How a BMC is: what a person asks for who has just written down its address and password, or wonders about its card.

use serde::{Deserialize, Serialize};

use crate::Power;

/// What came of a look at a BMC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcLook {
    /// The SHA-256 of its certificate in hex, where it was seen for the first time.
    #[serde(default)]
    pub certificate: Option<String>,
    /// How it is, or why that is not known.
    #[serde(flatten)]
    pub found: BmcFound,
}

/// How a BMC is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BmcFound {
    /// It let the agent in.
    Seen {
        /// It keeps sessions.
        sessions: bool,
        /// Its slots, in its own order: the first one is number 1.
        slots: Vec<BmcSlot>,
        /// Its readings.
        sensors: Vec<BmcSensor>,
    },
    /// It did not.
    Failed {
        /// A code of `docs/agent-protocol.md`.
        code: String,
        /// For people, in English.
        reason: String,
    },
}

/// A slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcSlot {
    /// The BMC's name of it.
    pub name: String,
    /// The serial of the card in it, where it tells.
    pub serial: Option<String>,
    /// Its power.
    pub power: Power,
    /// What the BMC thinks of it.
    pub health: Health,
}

/// What a BMC thinks of a part of itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Health {
    /// Fine.
    Ok,
    /// To be looked at.
    Warning,
    /// To be acted on.
    Critical,
    /// It does not say.
    Unknown,
}

/// What a sensor measures, and in which unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SensorKind {
    /// Degrees Celsius.
    Temperature,
    /// Turns a minute.
    Fan,
    /// Watts.
    Power,
}

/// A reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcSensor {
    /// What it measures.
    pub kind: SensorKind,
    /// The BMC's name of it.
    pub name: String,
    /// In thousandths of the unit; none where there is no reading.
    pub reading: Option<i64>,
    /// From here on it is critical, in thousandths of the unit.
    pub critical: Option<i64>,
    /// What the BMC thinks of it.
    pub health: Health,
}
