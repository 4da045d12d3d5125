//! How long phones were used of late.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::PhoneId;

/// How long a phone was used on the last day on which it was. It has one row, that of its last use that is over.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "phone_use")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub phone_id: PhoneId,
    /// Days since 1970, as the rules count them.
    pub day: i64,
    /// What it was used on that day, in seconds.
    pub seconds: i64,
    /// How long the last session took, in seconds: uses with short breaks between them are one.
    pub last_s: i64,
    pub ended_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
