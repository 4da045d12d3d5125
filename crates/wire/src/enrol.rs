//! How an agent joins.

use serde::{Deserialize, Serialize};

/// `POST /agent/v1/enrol`: an agent joins with a single-use token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrolRequest {
    /// The join token.
    pub token: String,
    /// The agent's own name, for display.
    pub name: String,
    /// Its version.
    pub version: String,
}

/// The answer: the agent's own credential, shown only once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnrolReply {
    /// The agent's id in the console.
    pub agent: i64,
    /// Its room.
    pub room: i64,
    /// For the header `Authorization: Bearer ...` of everything that follows.
    pub credential: String,
}
