//! Which image takes phones of which other one.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{ImageId, ImagePairId};

/// So many images take phones of one, at most.
pub const MOST: u64 = 40;

/// Copies of phones that were made with one image come on cards that run the other one. The other way round is another row.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "image_compat")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ImagePairId,
    /// Unique with the other one.
    pub from_id: ImageId,
    /// Another image of the same board.
    pub to_id: ImageId,
    /// Why they fit.
    pub reason: String,
    pub created_at: UtcTime,
    pub created_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
