//! Which slots of a management controller power which cards.

use kernel::ip4::Ip4;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BmcId, RoomId};

/// Slots and the intranet addresses of the cards in them, in the same order.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "bmc_range")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub bmc_id: BmcId,
    pub room_id: RoomId,
    pub start_slot: i32,
    pub end_slot: i32,
    pub start_ip: Ip4,
    pub end_ip: Ip4,
}

impl Model {
    /// The slot of the card at `ip`.
    #[must_use]
    pub fn slot(&self, ip: Ip4) -> Option<i32> {
        let inside = self.start_ip <= ip && ip <= self.end_ip;
        inside.then(|| i32::try_from(ip.0 - self.start_ip.0).ok()).flatten().map(|steps| self.start_slot + steps)
    }
}

impl ActiveModelBehavior for ActiveModel {}
