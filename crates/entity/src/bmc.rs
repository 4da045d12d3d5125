//! A blade's management controller.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BmcId, HostId, RoomId};

kernel::coded_enum! {
    /// What a management controller did when it was asked the last time.
    pub enum BmcState {
        /// It has not been asked, or not since its address or its password changed.
        NeverAsked = 1 ("未检测", "Never asked"),
        /// It let us in.
        Reachable = 2 ("可连接", "Reachable"),
        /// It answers and does not let us in.
        Refused = 3 ("被拒绝", "Refused"),
        /// It does not answer.
        Unreachable = 4 ("不可达", "Unreachable"),
        /// It let us in, and its answers are of no use.
        Failing = 5 ("应答异常", "Failing"),
    }
}

/// A blade's management controller. Its password is in the vault.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "bmc")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: BmcId,
    pub room_id: RoomId,
    /// The blade that it manages, if known.
    pub host_id: Option<HostId>,
    /// Unique with the port in its room.
    pub address: Ip4,
    pub port: i32,
    pub username: String,
    /// SHA-256 of the certificate that it showed when it was enrolled, hex; empty before.
    pub certificate: String,
    pub remark: String,
    pub state: BmcState,
    /// Why, as the room agent's code; empty while it is reachable.
    pub state_code: String,
    /// Since when it is in this state for this reason.
    pub state_since: Option<UtcTime>,
    /// When it was asked the last time.
    pub asked_at: Option<UtcTime>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
