//! A room agent: our program in a room.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{RoomAgentId, RoomId};

kernel::coded_enum! {
    /// How the protocol of an agent stands to those of the console.
    pub enum Standing {
        /// They understand each other.
        Current = 1 ("正常", "Up to date"),
        /// The agent is older.
        Behind = 2 ("需升级", "Needs an upgrade"),
        /// The agent is newer.
        Ahead = 3 ("比控制台新", "Newer than the console"),
    }
}

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
    /// The address from which it connected last.
    pub address: String,
    pub enrolled_at: UtcTime,
    pub connected_at: Option<UtcTime>,
    pub disconnected_at: Option<UtcTime>,
    pub revoked_at: Option<UtcTime>,
    pub revoked_by: String,
    /// The day to which the next two refer, in days since 1970.
    pub sent_day: i64,
    /// Files that it uploaded on that day.
    pub sent_files: i64,
    /// Their size in bytes.
    pub sent_bytes: i64,
}

impl ActiveModelBehavior for ActiveModel {}
