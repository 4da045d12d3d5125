//! An attempt of an operator to sign in.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

kernel::coded_enum! {
    /// How an operator proved who he is.
    pub enum SignInMethod {
        /// Name and password.
        Password = 1,
        /// Name, password and a one-time code.
        PasswordAndCode = 2,
        /// An OpenID Connect provider.
        OpenId = 3,
    }
}

kernel::coded_enum! {
    /// What came of it.
    pub enum Outcome {
        /// Signed in.
        Success = 1,
        /// Unknown name or wrong password; nobody is told which.
        WrongCredentials = 2,
        /// The one-time code was wrong.
        WrongCode = 3,
        /// Too many failures before.
        Throttled = 4,
        /// The account is disabled or has no group.
        Disabled = 5,
    }
}

/// An attempt of an operator to sign in.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operator_sign_in")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub operator_id: Option<OperatorId>,
    pub username: String,
    pub at: UtcTime,
    pub outcome: Outcome,
    pub method: SignInMethod,
    pub ip: String,
    /// What the client said its address was. Never trusted, only kept.
    pub claimed_ip: String,
    pub device: String,
}

impl ActiveModelBehavior for ActiveModel {}
