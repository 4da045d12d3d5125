//! Where gateways and services of the company answer.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{RoomId, ServiceAddressId};

kernel::coded_enum! {
    /// What answers at an address.
    pub enum ServiceKind {
        /// It lets customers in to the phones of its room.
        Gateway = 1 ("网关", "Gateway"),
        /// Clients find each other by it.
        Signalling = 2 ("信令", "Signalling"),
        /// Clients load files from it.
        Download = 3 ("下载", "Download"),
        /// Clients call it.
        Api = 4 ("接口", "API"),
    }
}

kernel::coded_enum! {
    /// What became of the last try to connect to an address.
    pub enum ServiceReach {
        /// Nobody has tried since it was entered.
        Unknown = 1 ("未检测", "Not checked"),
        /// It answered.
        Reached = 2 ("连通", "Reached"),
        /// It did not.
        Unreached = 3 ("不通", "Not reached"),
        /// The console may not connect there.
        Refused = 4 ("不允许连接", "Not permitted"),
    }
}

/// Where a gateway or a service of the company answers.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "service_address")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ServiceAddressId,
    /// Unique within its room.
    pub name: String,
    /// None if it serves every room.
    pub room_id: Option<RoomId>,
    pub kind: ServiceKind,
    pub host: String,
    pub port: i32,
    /// Of several, each is drawn as often as its weight says.
    pub weight: i32,
    pub is_enabled: bool,
    pub reached: ServiceReach,
    /// When that was tried.
    pub checked_at: Option<UtcTime>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
