//! What a clean card of an image looks like.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BoardProfileId, CardId, ImageId};

/// What a card of an image looks like on which nobody was, as it was read from one. The newest that somebody has tried
/// counts.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "board_profile")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: BoardProfileId,
    pub image_id: ImageId,
    /// From which card.
    pub card_id: CardId,
    /// The file in the object storage.
    #[serde(skip)]
    pub object_key: String,
    /// Bytes of the file.
    pub size: i64,
    /// Of the file, in hex.
    pub sha256: String,
    /// Files, folders and links that it has.
    pub things: i64,
    /// Partitions of the system whose sums it has.
    pub partitions: i32,
    /// The board proves by itself that its system is whole.
    pub is_verified: bool,
    pub taken_at: UtcTime,
    pub taken_by: String,
    /// Since when cards are wiped after it without a person's word.
    pub tried_at: Option<UtcTime>,
    pub tried_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
