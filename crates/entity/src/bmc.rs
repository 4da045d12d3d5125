//! A blade's management controller.

use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BmcId, HostId, RoomId};

/// A blade's management controller. Its password is in the vault.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "bmc")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: BmcId,
    pub room_id: RoomId,
    /// The blade that it manages, where that is known.
    pub host_id: Option<HostId>,
    /// Unique with the port in its room.
    pub address: Ip4,
    pub port: i32,
    pub username: String,
    /// SHA-256 of the certificate that it showed when it was enrolled, hex; empty before.
    pub certificate: String,
    pub remark: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
