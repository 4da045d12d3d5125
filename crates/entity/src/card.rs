//! An Android card. Its state is several independent facts; see [`crate::card_state`] for what follows
//! from them.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{CardId, CardModelId, FrameId, HostId, ImageId, RoomId};

kernel::coded_enum! {
    /// Whether a card is recorded, and whether it has been seen.
    pub enum Lifecycle {
        /// Recorded, never seen.
        Expected = 1 ("待上架", "Expected"),
        /// Seen, not recorded.
        Discovered = 2 ("已发现", "Discovered"),
        /// Recorded and seen.
        Registered = 3 ("已登记", "Registered"),
        /// Broken; there is a reason.
        Faulty = 4 ("故障", "Faulty"),
        /// Retired; it does not come back into use.
        Retired = 5 ("已报废", "Retired"),
    }
}

kernel::coded_enum! {
    /// Whether it has power.
    pub enum Power {
        /// It does.
        On = 1 ("通电", "On"),
        /// It does not.
        Off = 2 ("断电", "Off"),
        /// Nobody knows. That is not off.
        Unknown = 3 ("未知", "Unknown"),
    }
}

kernel::coded_enum! {
    /// A fact of a card's connectivity.
    pub enum Fact {
        /// True.
        Yes = 1 ("是", "Yes"),
        /// False.
        No = 2 ("否", "No"),
        /// Not checked yet.
        Unknown = 3 ("未知", "Unknown"),
    }
}

kernel::coded_enum! {
    /// What a cloud phone is doing with it.
    pub enum Occupancy {
        /// No phone uses it.
        Free = 1 ("空闲", "Free"),
        /// Reserved for a phone.
        Reserved = 2 ("已预留", "Reserved"),
        /// A phone is being put on it.
        Restoring = 3 ("恢复中", "Restoring"),
        /// A phone is on it.
        InUse = 4 ("使用中", "In use"),
        /// A phone's data is being backed up.
        BackingUp = 5 ("备份中", "Backing up"),
        /// A phone's data is being wiped.
        Wiping = 6 ("擦除中", "Wiping"),
        /// Its phone was copied and taken off; what it left stays until the card is needed.
        Sealed = 7 ("已封存", "Sealed"),
    }
}

kernel::coded_enum! {
    /// The maintenance state.
    pub enum Maintenance {
        /// In service.
        None = 1 ("正常", "In service"),
        /// No new phones are put on it.
        Draining = 2 ("排空中", "Draining"),
        /// In maintenance.
        InMaintenance = 3 ("维护中", "In maintenance"),
    }
}

kernel::coded_enum! {
    /// At which level maintenance was declared: a card returns to service together with that level.
    pub enum MaintenanceScope {
        /// The card itself.
        Card = 1 ("本卡", "This card"),
        /// Its blade.
        Host = 2 ("主机", "Host"),
        /// Its frame.
        Frame = 3 ("机架", "Frame"),
        /// Its room.
        Room = 4 ("机房", "Room"),
    }
}

kernel::coded_enum! {
    /// The status of a card in one word: derived, for lists and filters.
    pub enum RunStatus {
        /// 空闲
        Idle = 1 ("空闲", "Idle"),
        /// 使用中
        InUse = 2 ("使用中", "In use"),
        /// 维护中
        Maintenance = 3 ("维护中", "Maintenance"),
        /// 故障
        Fault = 4 ("故障", "Fault"),
        /// 升级中
        Upgrading = 5 ("升级中", "Upgrading"),
        /// 离线
        Offline = 6 ("离线", "Offline"),
        /// 未知
        Unknown = 7 ("未知", "Unknown"),
    }
}

kernel::coded_enum! {
    /// Whether a card can be reached, in one word: derived, for lists and filters.
    pub enum NetworkStatus {
        /// 在线
        Online = 1 ("在线", "Online"),
        /// 异常: some layer answers, not all
        Degraded = 2 ("异常", "Degraded"),
        /// 离线
        Offline = 3 ("离线", "Offline"),
    }
}

kernel::coded_enum! {
    /// How the mark that a card carries stands to the books.
    pub enum MarkState {
        /// No agent has looked yet.
        Unknown = 1 ("未读取", "Not read yet"),
        /// It carries none, and holds no phone.
        None = 2 ("无标记", "No mark"),
        /// It was wiped, and proved it.
        Clean = 3 ("已清除", "Wiped clean"),
        /// It is the phone's that the books say.
        Ours = 4 ("与记录一致", "As recorded"),
        /// The phone that it names has left it.
        Left = 5 ("遗留", "Left behind"),
        /// The books know nothing of the stay that it names.
        Foreign = 6 ("外来", "Foreign"),
        /// The books say that it holds a phone, and it does not.
        Missing = 7 ("缺失", "Missing"),
        /// It cannot be read.
        Unreadable = 8 ("无法读取", "Unreadable"),
        /// What was read is no mark.
        Damaged = 9 ("已损坏", "Damaged"),
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
    /// Unique. None until the card has been seen, if it was recorded without one.
    pub serial: Option<String>,
    pub room_id: RoomId,
    /// The host's frame.
    pub frame_id: Option<FrameId>,
    pub host_id: Option<HostId>,
    /// Its position on the host; unique there.
    pub position: Option<i32>,
    /// Unique with the port in its room.
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet_ip: Option<Ip4>,
    pub extranet_port: Option<i32>,
    pub model_id: CardModelId,
    /// The image that it runs; none until it has said so itself.
    pub image_id: Option<ImageId>,
    /// What the file on it says about whose it is: `-` if there is none, `?` if that cannot be read; none until an agent
    /// has looked.
    pub mark: Option<String>,
    /// What it was marked with when it was last proved clean; empty if it never was.
    pub clean_mark: String,
    /// Memory and storage, as the manufacturer writes them.
    pub size: String,
    pub remark: String,
    pub lifecycle: Lifecycle,
    pub fault_reason: String,
    pub power: Power,
    pub wanted_power: Power,
    /// The room agent reached it in its last round of polls.
    pub reached: Fact,
    pub tcp_open: Fact,
    pub adb_answers: Fact,
    pub booted: Fact,
    /// When Android last was up, recorded when that ended.
    pub booted_ok_at: Option<UtcTime>,
    pub occupancy: Occupancy,
    pub is_upgrading: bool,
    pub maintenance: Maintenance,
    pub maintenance_scope: MaintenanceScope,
    pub maintenance_reason: String,
    pub maintenance_by: String,
    pub maintenance_until: Option<UtcTime>,
    pub is_assignable: bool,
    /// Phones share it; off: it is dedicated, one phone has it for itself.
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
    /// The address of its ADB inside the room: `address:port`.
    #[must_use]
    pub fn adb_address(&self) -> String {
        format!("{}:{}", self.intranet_ip, self.adb_port)
    }
}

impl ActiveModelBehavior for ActiveModel {}
