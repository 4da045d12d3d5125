//! A card model: manufacturer, model and board together.

use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::CardModelId;

/// The largest id of a model: it is part of the cells of kept counters.
pub const MOST: i64 = 2047;

/// A card model. Cards refer to one of these, so that a filter by any of the three is one by number.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "card_model")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: CardModelId,
    pub manufacturer: String,
    pub model: String,
    /// The hardware family that a plan asks for, such as `RK_3399`.
    pub board: String,
}

impl ActiveModelBehavior for ActiveModel {}
