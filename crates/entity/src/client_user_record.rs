//! A customer's registration, sign-in or sign-out.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::ClientUserId;
use crate::client_user::{ClientType, LoginMethod};

kernel::coded_enum! {
    /// What happened.
    pub enum RecordKind {
        /// 注册
        Register = 1 ("注册", "Registration"),
        /// 登录
        SignIn = 2 ("登录", "Sign-in"),
        /// 退出
        SignOut = 3 ("退出", "Sign-out"),
    }
}

/// A customer's registration, sign-in or sign-out.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "client_user_record")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: i64,
    pub user_id: ClientUserId,
    pub kind: RecordKind,
    pub at: UtcTime,
    pub ip: String,
    pub device_name: String,
    pub client_type: ClientType,
    pub client_version: String,
    pub login_method: LoginMethod,
}

impl ActiveModelBehavior for ActiveModel {}
