//! A rack or chassis in a room.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::card::Maintenance;
use crate::{FrameId, RoomId};

/// A rack or chassis in a room.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "frame")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: FrameId,
    pub room_id: RoomId,
    /// Unique in its room.
    pub name: String,
    /// Where in the room it stands.
    pub location: String,
    /// Number of slots for blades, numbered from 1.
    pub slots: i32,
    pub remark: String,
    pub maintenance: Maintenance,
    pub maintenance_reason: String,
    pub maintenance_by: String,
    pub maintenance_until: Option<UtcTime>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
