//! Announcement.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use super::AnnouncementId;

/// Announcement, as the API shows it too. One with a secret or with fields that are put together gets a view of its own.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Announcement)]
#[sea_orm(table_name = "announcement")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: AnnouncementId,
    /// 1 to 64 characters, unique.
    pub name: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
