//! A network line into a room.

use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::RoomId;

kernel::coded_enum! {
    /// The carrier of the line.
    pub enum Carrier {
        /// 中国电信
        Telecom = 1 ("中国电信", "China Telecom"),
        /// 中国联通
        Unicom = 2 ("中国联通", "China Unicom"),
        /// 中国移动
        Mobile = 3 ("中国移动", "China Mobile"),
        /// 中国广电
        Broadcast = 4 ("中国广电", "China Broadnet"),
        /// BGP 多线
        Bgp = 5 ("BGP", "BGP"),
        /// Another carrier.
        Other = 9 ("其他", "Other"),
    }
}

/// A network line into a room.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "room_line")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub room_id: RoomId,
    pub carrier: Carrier,
    /// Unique in its room.
    pub name: String,
    /// Mbit/s.
    pub mbit: i32,
    /// Whom to call when it is down.
    pub contact: String,
}

impl ActiveModelBehavior for ActiveModel {}
