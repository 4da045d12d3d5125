//! A data-centre site.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::RoomId;
use crate::card::Maintenance;

/// The largest id of a room: it is part of the cells of kept counters.
pub const MOST: i64 = 1023;

/// A data-centre site.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "room")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: RoomId,
    /// Unique.
    pub name: String,
    pub city: String,
    /// Millionths of a degree; none if not given.
    pub latitude_e6: Option<i32>,
    pub longitude_e6: Option<i32>,
    pub remark: String,
    /// Networks of its management controllers, separated by spaces; empty if not given.
    pub management_nets: String,
    /// The name of its time zone; empty if it is the console's.
    pub time_zone: String,
    /// Mbit/s from and to storage nodes for all of its agents together, 1 to 1000; that of all rooms if there is none.
    pub download_mbit: Option<i16>,
    pub upload_mbit: Option<i16>,
    pub maintenance: Maintenance,
    pub maintenance_reason: String,
    pub maintenance_by: String,
    pub maintenance_until: Option<UtcTime>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
