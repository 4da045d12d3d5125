//! A customer.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{ClientUserId, OpenAppId};

kernel::coded_enum! {
    /// How a customer signs in.
    pub enum LoginMethod {
        /// A code sent to the phone.
        PhoneCode = 1 ("手机验证码", "Phone code"),
        /// Phone or name and password.
        Password = 2 ("密码", "Password"),
        /// 微信
        WeChat = 3 ("微信", "WeChat"),
        /// QQ
        Qq = 4 ("QQ", "QQ"),
        /// Apple
        Apple = 5 ("Apple", "Apple"),
        /// Invited as a guest.
        Guest = 6 ("受邀游客", "Invited guest"),
    }
}

kernel::coded_enum! {
    /// What the customer's client runs on.
    pub enum ClientType {
        /// Android
        Android = 1 ("Android", "Android"),
        /// iOS
        Ios = 2 ("iOS", "iOS"),
        /// Windows or macOS
        Pc = 3 ("PC", "PC"),
        /// A browser
        Web = 4 ("网页", "Web"),
    }
}

kernel::coded_enum! {
    /// Whether the account can be used.
    pub enum ClientUserStatus {
        /// 正常
        Active = 1 ("正常", "Active"),
        /// 已禁用, by an operator
        Disabled = 2 ("已禁用", "Disabled"),
        /// 已注销
        LoggedOut = 3 ("已注销", "Closed"),
    }
}

/// A customer.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "client_user")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: ClientUserId,
    pub name: String,
    /// 11 digits, or empty for a third-party login without one.
    pub phone: String,
    pub email: String,
    /// The identification code that support asks for. Unique.
    pub ident_code: String,
    pub login_method: LoginMethod,
    pub device_name: String,
    pub register_ip: String,
    pub client_type: ClientType,
    pub client_version: String,
    pub status: ClientUserStatus,
    /// Whether that is [`ClientUserStatus::LoggedOut`], for the index by which the number is free again.
    #[serde(skip)]
    pub is_closed: bool,
    pub star_coins: i64,
    pub phone_count: i32,
    pub remark: String,
    pub registered_at: UtcTime,
    pub last_login_at: Option<UtcTime>,
    /// The application that brought them; none if the company did.
    pub app_id: Option<OpenAppId>,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
