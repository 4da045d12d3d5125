//! A single-use token with which a room agent joins.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{JoinTokenId, RoomAgentId, RoomId};

/// A token that lets one agent join one room. Only its hash is kept.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "join_token")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: JoinTokenId,
    pub room_id: RoomId,
    /// SHA-256 of the token, hex.
    pub token_hash: String,
    pub created_by: String,
    pub created_at: UtcTime,
    pub expires_at: UtcTime,
    pub used_at: Option<UtcTime>,
    pub used_by: Option<RoomAgentId>,
    pub revoked_at: Option<UtcTime>,
}

impl Model {
    /// Whether an agent can still join with it.
    #[must_use]
    pub fn is_open(&self, now: UtcTime) -> bool {
        self.used_at.is_none() && self.revoked_at.is_none() && now < self.expires_at
    }
}

impl ActiveModelBehavior for ActiveModel {}
