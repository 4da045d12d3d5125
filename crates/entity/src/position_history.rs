//! Where a card was, and since when.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{CardId, HostId};

/// A card's time in a position.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "position_history")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub card_id: CardId,
    pub host_id: HostId,
    pub position: i32,
    pub since: UtcTime,
    /// None while it is there.
    pub until: Option<UtcTime>,
    pub reason: String,
    pub by_name: String,
}

impl ActiveModelBehavior for ActiveModel {}
