//! What is lost for good.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{PhoneId, PlacementId};

/// Two operators have said that what a phone had on a card is lost: there is no whole copy of it, and the card is gone. Only
/// then is a phone that was used as new.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "loss")]
pub struct Model {
    /// The stay that ended so.
    #[sea_orm(primary_key, auto_increment = false)]
    pub placement_id: PlacementId,
    pub phone_id: PhoneId,
    /// Who said so first.
    pub created_by: String,
    /// Who confirmed it: somebody else.
    pub approved_by: String,
    pub reason: String,
    pub at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
