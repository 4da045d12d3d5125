//! An image that cards run.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::ImageId;

/// How many images are known at most: a room that makes up new ones fills no disk.
pub const MOST: u64 = 10_000;
/// The longest fingerprint that is kept, in characters.
pub const MAX_FINGERPRINT: usize = 255;

/// An image that cards run, as the cards themselves say. It stays, whichever cards run it later: copies of phones refer
/// to it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "image_known")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ImageId,
    /// The board of the cards that run it: the same fingerprint on another board is another image.
    pub board: String,
    /// `ro.build.fingerprint`. Unique with the board.
    pub fingerprint: String,
    /// What operators call it; empty until somebody adopts it.
    pub version: String,
    pub adopted_at: Option<UtcTime>,
    pub adopted_by: String,
    /// When a card first said that it runs it.
    pub found_at: UtcTime,
}

impl Model {
    /// Its version, or its fingerprint while it has none.
    #[must_use]
    pub fn name(&self) -> &str {
        if self.version.is_empty() { &self.fingerprint } else { &self.version }
    }
}

impl ActiveModelBehavior for ActiveModel {}
