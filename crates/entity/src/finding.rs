//! Differences between the records and the rooms.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{CardId, FindingId, RoomId};

kernel::coded_enum! {
    /// What differs.
    pub enum FindingKind {
        /// An unrecorded card answers.
        New = 1 ("新设备", "New"),
        /// A recorded card does not answer any more.
        Missing = 2 ("未找到", "Missing"),
        /// A recorded card answers at another address or in another room.
        Moved = 3 ("已移动", "Moved"),
        /// Another card answers at the address of a recorded one.
        DuplicateAddress = 4 ("地址重复", "Duplicate address"),
        /// A card reports another model than recorded.
        WrongModel = 5 ("型号不符", "Wrong model"),
        /// A retired card answers.
        Ghost = 6 ("已报废仍在线", "Retired but online"),
    }
}

/// A difference between the records and the room.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "finding")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: FindingId,
    /// Where it was found.
    pub room_id: RoomId,
    pub kind: FindingKind,
    /// The recorded card it concerns; none for a new one.
    pub card_id: Option<CardId>,
    pub serial: String,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub manufacturer: String,
    pub model: String,
    pub board: String,
    pub found_at: UtcTime,
    pub seen_at: UtcTime,
    /// When an operator chose to ignore it.
    pub ignored_at: Option<UtcTime>,
    pub ignored_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
