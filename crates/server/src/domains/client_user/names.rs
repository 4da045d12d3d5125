//! What customers' choices are called in files. The console has the same words.

use entity::client_user::{ClientType, LoginMethod, Status};
use entity::client_user_record::Kind;
use entity::logout_request;
use kernel::text::{Text, text};

pub const fn login_method(method: LoginMethod) -> Text {
    match method {
        LoginMethod::PhoneCode => text("手机验证码", "Phone code"),
        LoginMethod::Password => text("密码", "Password"),
        LoginMethod::WeChat => text("微信", "WeChat"),
        LoginMethod::Qq => text("QQ", "QQ"),
        LoginMethod::Apple => text("Apple", "Apple"),
        LoginMethod::Guest => text("受邀游客", "Invited guest"),
    }
}

pub const fn client_type(client: ClientType) -> Text {
    match client {
        ClientType::Android => text("Android", "Android"),
        ClientType::Ios => text("iOS", "iOS"),
        ClientType::Pc => text("PC", "PC"),
        ClientType::Web => text("网页", "Web"),
    }
}

pub const fn status(status: Status) -> Text {
    match status {
        Status::Active => text("正常", "Active"),
        Status::Disabled => text("已禁用", "Disabled"),
        Status::LoggedOut => text("已注销", "Closed"),
    }
}

pub const fn record_kind(kind: Kind) -> Text {
    match kind {
        Kind::Register => text("注册", "Registration"),
        Kind::SignIn => text("登录", "Sign-in"),
        Kind::SignOut => text("退出", "Sign-out"),
    }
}

pub const fn logout_status(status: logout_request::Status) -> Text {
    match status {
        logout_request::Status::Requested => text("待处理", "Requested"),
        logout_request::Status::Withdrawn => text("已撤销", "Withdrawn"),
        logout_request::Status::Completed => text("已注销", "Completed"),
    }
}
