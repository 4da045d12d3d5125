//! Apps that phones may not have.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ForbiddenAppId;
use crate::phone::Plan;

/// So many are on the list at most: it is read whenever a phone comes with a copy.
pub const MOST: u64 = 1_000;

/// An app that phones may not have, as the API shows it too.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = ForbiddenApp)]
#[sea_orm(table_name = "forbidden_app")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ForbiddenAppId,
    /// What people call it.
    pub name: String,
    /// Its package. Unique with the plan.
    pub package: String,
    /// The phones that may not have it; none if no phone may.
    pub plan: Option<Plan>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
