//! A call of the Open API, as its log has it.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OpenAppId;

kernel::coded_enum! {
    /// What became of a call.
    pub enum OpenOutcome {
        /// It was answered.
        Answered = 1 ("成功", "Answered"),
        /// The caller asked for what he may not have, or for nothing that is there.
        Refused = 2 ("被拒绝", "Refused"),
        /// It was our fault.
        Failed = 3 ("服务故障", "Failed"),
    }
}

impl OpenOutcome {
    /// What a status of HTTP says.
    #[must_use]
    pub const fn of(status: i16) -> Self {
        match status {
            ..400 => Self::Answered,
            400..500 => Self::Refused,
            500.. => Self::Failed,
        }
    }
}

/// A call of the Open API.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "open_call")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub app_id: OpenAppId,
    pub key_code: String,
    pub method: String,
    /// As the document has it, with `{id}`.
    pub path: String,
    /// Of HTTP.
    pub status: i16,
    /// Why it was refused; empty if it was not.
    pub code: String,
    pub millis: i32,
    pub ip: String,
    pub at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
