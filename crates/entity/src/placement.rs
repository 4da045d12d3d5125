//! A phone's stay on a card.

use kernel::time::UtcTime;
use sea_orm::Select;
use sea_orm::entity::prelude::*;
use sea_orm::sea_query::Expr;
use serde::Serialize;

use crate::{CardId, PhoneId, PlacementId};

kernel::coded_enum! {
    /// What a card is to a phone.
    pub enum Role {
        /// Nothing any more.
        Ended = 0 ("已结束", "Ended"),
        /// The phone is being put on it.
        Incoming = 1 ("上机中", "Being put on"),
        /// The phone is on it.
        Holds = 2 ("在机", "On the machine"),
        /// The phone has left it; what it left behind is being wiped.
        Outgoing = 3 ("清除中", "Being wiped"),
    }
}

/// A phone's stay on a card. A card has at most one that has not ended, and a phone at most one `Holds`.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "placement")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: PlacementId,
    pub phone_id: PhoneId,
    pub card_id: CardId,
    pub role: Role,
    /// The card was lost while it held the phone: if it comes back, it is copied before it is wiped.
    pub is_quarantined: bool,
    pub began_at: UtcTime,
    pub ended_at: Option<UtcTime>,
}

impl Entity {
    /// Those that have not ended, as the index of their cards has them: with a bound value all that a card ever held would be
    /// looked through.
    #[must_use]
    pub fn going_on() -> Select<Self> {
        Self::find().filter(Expr::cust("placement.role > 0"))
    }
}

impl ActiveModelBehavior for ActiveModel {}
