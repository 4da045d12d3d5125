//! The state of a BMC: asked for by a person who has just entered its address and password, or checks its cards.

use serde::{Deserialize, Serialize};

use crate::reason::Told;

use crate::Power;

/// The result of a BMC check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcLook {
    /// The SHA-256 of its certificate in hex, if it was seen for the first time.
    #[serde(default)]
    pub certificate: Option<String>,
    /// Its state, or why that is not known.
    #[serde(flatten)]
    pub found: BmcFound,
}

/// The state of a BMC.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "found", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum BmcFound {
    /// The agent could sign in.
    Seen {
        /// It supports sessions.
        sessions: bool,
        /// Its slots, in its own order: the first one is number 1.
        slots: Vec<BmcSlot>,
        /// Its readings.
        sensors: Vec<BmcSensor>,
    },
    /// The agent could not.
    Failed {
        /// Why.
        code: Told,
        /// For people, in English.
        reason: String,
    },
}

/// A slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct BmcSlot {
    /// The BMC's name for it.
    pub name: String,
    /// The serial of the card in it, if the BMC reports it.
    pub serial: Option<String>,
    /// Its power.
    pub power: Power,
    /// Its health as the BMC reports it.
    pub health: Health,
}

/// The health of a component, as a BMC reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
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

/// What a sensor measures, and in which unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SensorKind {
    /// Degrees Celsius.
    Temperature,
    /// Revolutions per minute.
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
    /// The BMC's name for it.
    pub name: String,
    /// In thousandths of the unit; none if there is no reading.
    pub reading: Option<i64>,
    /// The critical threshold, in thousandths of the unit.
    pub critical: Option<i64>,
    /// Its health as the BMC reports it.
    pub health: Health,
}
