//! A blade in a frame.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::card::Maintenance;
use crate::{FrameId, HostId, RoomId};

/// A blade in a frame; it carries cards in positions numbered from 1.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "host")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: HostId,
    /// The frame's room.
    pub room_id: RoomId,
    pub frame_id: FrameId,
    /// Its slot in the frame; unique there.
    pub slot: i32,
    pub name: String,
    /// Unique in its room.
    pub blade_address: Option<Ip4>,
    /// Number of positions for cards.
    pub positions: i32,
    pub remark: String,
    pub maintenance: Maintenance,
    pub maintenance_reason: String,
    pub maintenance_by: String,
    pub maintenance_until: Option<UtcTime>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
