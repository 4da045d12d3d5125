//! A customer's request to close the account.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{ClientUserId, LogoutRequestId};

kernel::coded_enum! {
    /// The state of the request.
    pub enum LogoutStatus {
        /// 申请中
        Requested = 1 ("待处理", "Requested"),
        /// 已撤销: the account is kept
        Withdrawn = 2 ("已撤销", "Withdrawn"),
        /// 已注销
        Completed = 3 ("已注销", "Completed"),
    }
}

/// A customer's request to close the account.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "logout_request")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: LogoutRequestId,
    pub user_id: ClientUserId,
    pub requested_at: UtcTime,
    pub status: LogoutStatus,
    pub handled_at: Option<UtcTime>,
    pub handled_by: String,
    /// The customer came back with the same phone number later.
    pub re_registered: bool,
    pub re_registered_at: Option<UtcTime>,
    /// Why the account is closed, as the customer said; empty if nobody said.
    pub reason: String,
}

impl Model {
    /// The request after an operator's decision. None if it was already decided: a decision is final.
    #[must_use]
    pub fn resolve(&self, to: LogoutStatus, at: UtcTime, by: &str) -> Option<Self> {
        match (self.status, to) {
            (LogoutStatus::Requested, LogoutStatus::Withdrawn | LogoutStatus::Completed) => {
                Some(Self { status: to, handled_at: Some(at), handled_by: by.to_owned(), ..self.clone() })
            }
            (LogoutStatus::Requested, LogoutStatus::Requested)
            | (LogoutStatus::Withdrawn | LogoutStatus::Completed, _) => None,
        }
    }
}

impl ActiveModelBehavior for ActiveModel {}
