//! A customer's request to close the account.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{ClientUserId, LogoutRequestId};

kernel::coded_enum! {
    /// Where the request stands.
    pub enum Status {
        /// 申请中
        Requested = 1,
        /// 已撤销: the account lives on
        Withdrawn = 2,
        /// 已注销
        Completed = 3,
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
    pub status: Status,
    pub handled_at: Option<UtcTime>,
    pub handled_by: String,
    /// The customer came back with the same phone number later.
    pub re_registered: bool,
    pub re_registered_at: Option<UtcTime>,
}

impl Model {
    /// The request as it is after an operator decided it. None once it was decided: it never moves again.
    #[must_use]
    pub fn settle(&self, to: Status, at: UtcTime, by: &str) -> Option<Self> {
        match (self.status, to) {
            (Status::Requested, Status::Withdrawn | Status::Completed) => {
                Some(Self { status: to, handled_at: Some(at), handled_by: by.to_owned(), ..self.clone() })
            }
            (Status::Requested, Status::Requested) | (Status::Withdrawn | Status::Completed, _) => None,
        }
    }
}

impl ActiveModelBehavior for ActiveModel {}
