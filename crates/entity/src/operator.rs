//! A person who signs in to this console.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{GroupId, OperatorId};

kernel::coded_enum! {
    /// The kind of account. It says how the person works; permissions come from the group.
    pub enum AccountType {
        /// 超级用户
        Power = 1,
        /// 普通用户
        Normal = 2,
        /// 开发者
        Developer = 3,
    }
}

kernel::coded_enum! {
    /// Why the password must be changed before anything else.
    pub enum MustChange {
        /// It need not.
        No = 0,
        /// First sign-in of an account that an administrator created.
        FirstSignIn = 1,
        /// An administrator reset it.
        Reset = 2,
        /// The account was renamed, and the password may contain the new name.
        Renamed = 3,
    }
}

/// A person who signs in to this console.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "operator")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OperatorId,
    pub username: String,
    /// argon2id over the md5 hex that clients send; never leaves the server.
    pub password_hash: String,
    pub password_set_at: UtcTime,
    pub must_change: MustChange,
    /// None once the group is gone: such an operator cannot sign in.
    pub group_id: Option<GroupId>,
    pub account_type: AccountType,
    pub email: String,
    pub phone: String,
    pub remark: String,
    pub is_enabled: bool,
    /// The second factor's seed, sealed by the vault; present from enrolment on.
    pub totp_secret: Option<Vec<u8>>,
    /// When the second factor was confirmed; from then on it is required.
    pub totp_enabled_at: Option<UtcTime>,
    /// The last time step whose code was used; a code works once.
    pub totp_last_step: i64,
    /// The subject at the OpenID Connect provider, once linked.
    pub oidc_subject: Option<String>,
    pub last_sign_in_at: Option<UtcTime>,
    pub last_sign_in_ip: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
