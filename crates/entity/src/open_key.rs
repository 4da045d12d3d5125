//! A key with which an application signs its calls. Its secret is sealed in the table of secrets.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{OpenAppId, OpenKeyId};

/// A key with which an application signs its calls.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "open_key")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OpenKeyId,
    pub app_id: OpenAppId,
    /// Unique; what callers name it by.
    pub code: String,
    /// 1 or 2: no two live keys of an application have the same.
    pub slot: i16,
    pub created_at: UtcTime,
    pub created_by: String,
    /// To the minute; none if it was never used.
    pub last_used_at: Option<UtcTime>,
    pub revoked_at: Option<UtcTime>,
    /// Empty while it lives.
    pub revoked_by: String,
}

impl ActiveModelBehavior for ActiveModel {}
