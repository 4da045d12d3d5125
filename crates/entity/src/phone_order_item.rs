//! The phones that came of a line of an order.

use sea_orm::entity::prelude::*;

use crate::{OrderLineId, PhoneId};

/// A phone that was made, renewed or enlarged for a line of an order.
#[sea_orm::model]
#[derive(Clone, Copy, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "phone_order_item")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub line_id: OrderLineId,
    #[sea_orm(primary_key, auto_increment = false)]
    pub phone_id: PhoneId,
}

impl ActiveModelBehavior for ActiveModel {}
