//! An Android card. Its state is several independent facts; see [`crate::card_state`] for what follows
//! from them.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{CardId, CardModelId, FrameId, HostId, RoomId};

kernel::coded_enum! {
    /// How far the company and the card know each other.
    pub enum Lifecycle {
        /// Written down, never seen.
        Expected = 1,
        /// Seen, not written down.
        Discovered = 2,
        /// In the books and seen.
        Registered = 3,
        /// Broken; there is a reason.
        Faulty = 4,
        /// Gone for good.
        Retired = 5,
    }
}

kernel::coded_enum! {
    /// Whether it has power.
    pub enum Power {
        /// It does.
        On = 1,
        /// It does not.
        Off = 2,
        /// Nobody can say. That is not off.
        Unknown = 3,
    }
}

kernel::coded_enum! {
    /// A fact of a card's connectivity.
    pub enum Fact {
        /// So it is.
        Yes = 1,
        /// It is not.
        No = 2,
        /// Nobody has looked.
        Unknown = 3,
    }
}

kernel::coded_enum! {
    /// What a phone does with it.
    pub enum Occupancy {
        /// No phone has it.
        Free = 1,
        /// A phone will come.
        Reserved = 2,
        /// A phone is being put on it.
        Restoring = 3,
        /// A phone is on it.
        InUse = 4,
        /// A phone is being saved.
        BackingUp = 5,
        /// A phone is being removed.
        Wiping = 6,
    }
}

kernel::coded_enum! {
    /// Whether somebody works on it.
    pub enum Maintenance {
        /// Nobody does.
        None = 1,
        /// Nothing new is put on it.
        Draining = 2,
        /// Somebody does.
        InMaintenance = 3,
    }
}

kernel::coded_enum! {
    /// For what a maintenance was declared: a card returns with what it went with.
    pub enum Scope {
        /// The card itself.
        Card = 1,
        /// Its blade.
        Host = 2,
        /// Its frame.
        Frame = 3,
        /// Its room.
        Room = 4,
    }
}

kernel::coded_enum! {
    /// What a card does, in one word: derived, for lists and filters.
    pub enum RunStatus {
        /// 空闲
        Idle = 1,
        /// 使用中
        InUse = 2,
        /// 维护中
        Maintenance = 3,
        /// 故障
        Fault = 4,
        /// 升级中
        Upgrading = 5,
        /// 离线
        Offline = 6,
        /// 未知
        Unknown = 7,
    }
}

kernel::coded_enum! {
    /// Whether a card can be reached, in one word: derived, for lists and filters.
    pub enum NetworkStatus {
        /// 在线
        Online = 1,
        /// 异常: some layer answers, not all
        Degraded = 2,
        /// 离线
        Offline = 3,
    }
}

/// An Android card.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "card")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: CardId,
    /// Unique. None until the card was seen, where it was written down without one.
    pub serial: Option<String>,
    pub room_id: RoomId,
    /// The host's frame.
    pub frame_id: Option<FrameId>,
    pub host_id: Option<HostId>,
    /// Where on the host it sits; unique there.
    pub position: Option<i32>,
    /// Unique with the port in its room.
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet_ip: Option<Ip4>,
    pub extranet_port: Option<i32>,
    pub model_id: CardModelId,
    /// Memory and storage, as the maker writes them.
    pub size: String,
    pub remark: String,
    pub lifecycle: Lifecycle,
    pub fault_reason: String,
    pub power: Power,
    pub wanted_power: Power,
    /// The room agent reached it in its last round.
    pub reached: Fact,
    pub tcp_open: Fact,
    pub adb_answers: Fact,
    pub booted: Fact,
    /// When it last was up, noted when that ended.
    pub booted_ok_at: Option<UtcTime>,
    pub occupancy: Occupancy,
    pub is_upgrading: bool,
    pub maintenance: Maintenance,
    pub maintenance_scope: Scope,
    pub maintenance_reason: String,
    pub maintenance_by: String,
    pub maintenance_until: Option<UtcTime>,
    pub is_assignable: bool,
    pub is_overcommit: bool,
    /// Derived from the facts above.
    pub run_status: RunStatus,
    pub run_since: UtcTime,
    /// Derived from the facts above.
    pub network_status: NetworkStatus,
    pub network_since: UtcTime,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl Model {
    /// Where its ADB answers inside the room: `address:port`.
    #[must_use]
    pub fn adb_address(&self) -> String {
        format!("{}:{}", self.intranet_ip, self.adb_port)
    }
}

impl ActiveModelBehavior for ActiveModel {}
