//! What a line of an order was answered.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OrderLineId;

kernel::coded_enum! {
    /// What a line of an order was answered.
    pub enum LineAnswer {
        /// The phones are as it asked.
        Done = 1 ("已交付", "Delivered"),
        /// They cannot be; nothing was changed.
        Refused = 2 ("已拒绝", "Refused"),
        /// It was taken back before it was answered; nothing was changed, and nothing will be.
        Withdrawn = 3 ("已撤回", "Withdrawn"),
    }
}

/// What a line of an order was answered. Never changed.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "phone_order")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub line_id: OrderLineId,
    /// JSON: what it asked for. Empty if it was withdrawn without having asked.
    pub wanted: String,
    pub answer: LineAnswer,
    /// The code of the reason why it was refused; else empty.
    pub why: String,
    pub answered_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
