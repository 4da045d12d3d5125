//! Our program in a room.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{RoomAgentId, RoomId};

/// Our program in a room. Its credential is bound to the room, and kept as a hash only.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "room_agent")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: RoomAgentId,
    pub room_id: RoomId,
    pub name: String,
    /// SHA-256 of the credential, hex.
    pub credential_hash: String,
    pub version: String,
    /// From where it connected last.
    pub address: String,
    pub enrolled_at: UtcTime,
    pub connected_at: Option<UtcTime>,
    pub disconnected_at: Option<UtcTime>,
    pub revoked_at: Option<UtcTime>,
    pub revoked_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
