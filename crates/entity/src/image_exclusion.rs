//! What copies of phones may leave out on an image.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{ImageExclusionId, ImageId, OperatorId};

/// A path that copies may leave out on an image, besides what agents leave out on any. It holds once a second operator has
/// approved it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "image_exclusion")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ImageExclusionId,
    pub image_id: ImageId,
    /// Absolute, below `/data`; a `*` stands for any characters of a name. Unique with the image.
    pub path: String,
    pub reason: String,
    pub created_at: UtcTime,
    pub created_by_id: OperatorId,
    pub created_by: String,
    pub approved_at: Option<UtcTime>,
    /// Another operator than `created_by`; empty while nobody has approved it.
    pub approved_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
