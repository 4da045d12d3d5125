//! An attempt of an operator to sign in.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OperatorId;

kernel::coded_enum! {
    /// How operators proved who they are.
    pub enum SignInMethod {
        /// Name and password.
        Password = 1 ("密码", "Password"),
        /// Name, password and a one-time code.
        PasswordAndCode = 2 ("密码和验证码", "Password and code"),
        /// An OpenID Connect provider.
        OpenId = 3 ("第三方登录", "Single sign-on"),
        /// An OpenID Connect provider, and a second factor: the provider's own, or a one-time code of ours.
        OpenIdAndCode = 4 ("第三方登录和两步验证", "Single sign-on and two-step"),
    }
}

kernel::coded_enum! {
    /// The outcome.
    pub enum SignInOutcome {
        /// Signed in.
        Success = 1 ("成功", "Success"),
        /// Unknown name or wrong password; the caller is not told which.
        WrongCredentials = 2 ("用户名或密码错误", "Wrong username or password"),
        /// The one-time code was wrong.
        WrongCode = 3 ("验证码错误", "Wrong code"),
        /// Too many failed attempts before.
        Throttled = 4 ("尝试过于频繁", "Too many attempts"),
        /// The account is disabled or has no group.
        Disabled = 5 ("账号不可用", "Account unavailable"),
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
    pub outcome: SignInOutcome,
    pub method: SignInMethod,
    pub ip: String,
    /// The address that the client claimed. Never trusted, only recorded.
    pub claimed_ip: String,
    pub device: String,
}

impl ActiveModelBehavior for ActiveModel {}
