//! What operators are told about their own accounts.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

kernel::coded_enum! {
    /// What has happened to the account.
    pub enum NoticeKind {
        /// The operator changed the password.
        PasswordChanged = 1,
        /// Somebody else set it.
        PasswordReset = 2,
        /// The second factor was turned on.
        SecondFactorOn = 3,
        /// The operator turned it off.
        SecondFactorOff = 4,
        /// Somebody else turned it off.
        SecondFactorReset = 5,
        /// The recovery codes were replaced.
        RecoveryCodesRenewed = 6,
        /// A provider's account was linked to this one.
        IdentityLinked = 7,
        /// It was unlinked.
        IdentityUnlinked = 8,
        /// Somebody else ended sessions.
        SessionsEnded = 9,
        /// A sign-in from a browser that the account did not know.
        NewDevice = 10,
    }
}

/// A notice to an operator about their own account.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operator_notice")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub operator_id: OperatorId,
    pub at: UtcTime,
    pub kind: NoticeKind,
    /// Who did it, by name.
    pub by_name: String,
    /// From where.
    pub ip: String,
    /// The provider, or the browser.
    pub detail: String,
    pub read_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
