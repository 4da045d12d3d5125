//! The catalogue: every section, screen and permission code of the console.
//!
//! It lives in code, because code is what enforces it; at start it is copied into the menu table
//! (see [`super::sync`]), where operators may rename, move and hide entries and add their own.

use std::collections::HashSet;

use entity::{GroupId, group_menu, menu};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, JoinType, QueryFilter as _, QuerySelect as _};

/// A top-level group of screens.
#[derive(Debug)]
pub struct Section {
    /// Unique among all entries.
    pub code: &'static str,
    /// 中文 name; the console translates it by the code where it can.
    pub name: &'static str,
    /// The first part of the paths of its screens.
    pub path: &'static str,
    /// The name of an icon that the console ships.
    pub icon: &'static str,
    /// Its pages.
    pub screens: &'static [Screen],
}

/// A page.
#[derive(Debug)]
pub struct Screen {
    /// Unique among all entries; buttons are named `<code>:<act>`.
    pub code: &'static str,
    /// 中文 name.
    pub name: &'static str,
    /// The last part of its path.
    pub path: &'static str,
    /// The name of an icon.
    pub icon: &'static str,
    /// Permissions on it: `(code, 中文 name)`.
    pub buttons: &'static [(&'static str, &'static str)],
}

macro_rules! codes {
    ($($name:ident = $code:literal;)+) => {
        /// The permission codes, by the names that the access tables use.
        pub mod perm {
            use crate::http::Need;
            $(#[doc = concat!("`", $code, "`")] pub const $name: Need = Need::Code($code);)+
        }
        /// Every code that a route may need.
        pub const CODES: &[&str] = &[$($code),+];
    };
}

codes! {
    DASHBOARD_VIEW = "dashboard:view";
    ERROR_LOG_LIST = "errorLog:list";
    ERROR_LOG_CLEAR = "errorLog:clear";
    TASK_LIST = "task:list";
    TASK_CANCEL = "task:cancel";
    TASK_RETRY = "task:retry";
    CLIENT_USER_LIST = "clientUser:list";
    CLIENT_USER_GET = "clientUser:get";
    CLIENT_USER_CREATE = "clientUser:create";
    CLIENT_USER_UPDATE = "clientUser:update";
    CLIENT_USER_DISABLE = "clientUser:disable";
    CLIENT_USER_EXPORT = "clientUser:export";
    CLIENT_USER_IMPORT = "clientUser:import";
    CLIENT_USER_RECORD_LIST = "clientUserRecord:list";
    CLIENT_USER_LOGOUT_LIST = "clientUserLogout:list";
    CLIENT_USER_LOGOUT_CANCEL = "clientUserLogout:cancel";
    CLIENT_USER_LOGOUT_COMPLETE = "clientUserLogout:complete";
    OPERATOR_LIST = "operator:list";
    OPERATOR_GET = "operator:get";
    OPERATOR_CREATE = "operator:create";
    OPERATOR_UPDATE = "operator:update";
    OPERATOR_DELETE = "operator:delete";
    OPERATOR_RESET_PASSWORD = "operator:resetPassword";
    OPERATOR_SIGN_OUT = "operator:signOut";
    OPERATOR_RESET_SECOND_FACTOR = "operator:resetSecondFactor";
    GROUP_LIST = "group:list";
    GROUP_CREATE = "group:create";
    GROUP_UPDATE = "group:update";
    GROUP_DELETE = "group:delete";
    GROUP_ALLOT = "group:allot";
    MENU_LIST = "menu:list";
    MENU_CREATE = "menu:create";
    MENU_UPDATE = "menu:update";
    MENU_DELETE = "menu:delete";
    OPERATION_LOG_LIST = "operationLog:list";
    OPERATION_LOG_EXPORT = "operationLog:export";
    SIGN_IN_SETTING_GET = "signInSetting:get";
    SIGN_IN_SETTING_UPDATE = "signInSetting:update";
}

/// The tree. Screens appear here when they work, not before.
pub const SECTIONS: &[Section] = &[
    Section {
        code: "general",
        name: "概览",
        path: "/",
        icon: "dashboard",
        screens: &[
            Screen { code: "dashboard", name: "首页看板", path: "dashboard", icon: "dashboard", buttons: &[("dashboard:view", "查看")] },
            Screen { code: "introduction", name: "系统介绍", path: "introduction", icon: "info", buttons: &[] },
            Screen { code: "permissionTest", name: "权限测试", path: "permissionTest", icon: "lock", buttons: &[] },
            Screen {
                code: "tasks",
                name: "任务管理",
                path: "tasks",
                icon: "task",
                buttons: &[("task:list", "查看"), ("task:cancel", "取消"), ("task:retry", "重试")],
            },
            Screen {
                code: "errorLog",
                name: "错误日志",
                path: "errorLog",
                icon: "bug",
                buttons: &[("errorLog:list", "查看"), ("errorLog:clear", "清空")],
            },
        ],
    },
    Section {
        code: "clientUsers",
        name: "客户端用户",
        path: "/clientUser",
        icon: "user",
        screens: &[
            Screen {
                code: "clientUser",
                name: "客户端用户",
                path: "",
                icon: "user",
                buttons: &[
                    ("clientUser:list", "查看列表"),
                    ("clientUser:get", "查看详情"),
                    ("clientUser:create", "新增"),
                    ("clientUser:update", "编辑"),
                    ("clientUser:disable", "禁用与启用"),
                    ("clientUser:export", "导出"),
                    ("clientUser:import", "导入"),
                ],
            },
            Screen {
                code: "clientUserRecords",
                name: "注册与登录记录",
                path: "records",
                icon: "history",
                buttons: &[("clientUserRecord:list", "查看")],
            },
            Screen {
                code: "clientUserLoggedOut",
                name: "注销账号",
                path: "loggedOut",
                icon: "userOff",
                buttons: &[
                    ("clientUserLogout:list", "查看"),
                    ("clientUserLogout:cancel", "撤销注销"),
                    ("clientUserLogout:complete", "完成注销"),
                ],
            },
        ],
    },
    Section {
        code: "staff",
        name: "用户管理",
        path: "/user",
        icon: "team",
        screens: &[
            Screen {
                code: "operators",
                name: "用户管理",
                path: "management",
                icon: "team",
                buttons: &[
                    ("operator:list", "查看列表"),
                    ("operator:get", "查看详情"),
                    ("operator:create", "新增"),
                    ("operator:update", "编辑"),
                    ("operator:delete", "删除"),
                    ("operator:resetPassword", "重置密码"),
                    ("operator:signOut", "强制下线"),
                    ("operator:resetSecondFactor", "重置两步验证"),
                ],
            },
            Screen { code: "systemInfo", name: "系统用户信息", path: "systemInfo", icon: "profile", buttons: &[] },
            Screen {
                code: "groups",
                name: "权限组",
                path: "groups",
                icon: "group",
                buttons: &[
                    ("group:list", "查看"),
                    ("group:create", "新增"),
                    ("group:update", "编辑"),
                    ("group:delete", "删除"),
                    ("group:allot", "分配权限"),
                ],
            },
            Screen {
                code: "menus",
                name: "菜单管理",
                path: "menus",
                icon: "menu",
                buttons: &[("menu:list", "查看"), ("menu:create", "新增"), ("menu:update", "编辑"), ("menu:delete", "删除")],
            },
            Screen {
                code: "operationLog",
                name: "操作日志",
                path: "operationLog",
                icon: "audit",
                buttons: &[("operationLog:list", "查看"), ("operationLog:export", "导出")],
            },
        ],
    },
    Section {
        code: "platform",
        name: "平台设置",
        path: "/platform",
        icon: "setting",
        screens: &[Screen {
            code: "signInSetting",
            name: "登录安全",
            path: "signInSecurity",
            icon: "safety",
            buttons: &[("signInSetting:get", "查看"), ("signInSetting:update", "修改")],
        }],
    },
];

/// The codes that `group` was allotted.
///
/// # Errors
/// When the read fails.
pub async fn codes_of(db: &impl ConnectionTrait, group: GroupId) -> Result<HashSet<String>, DbErr> {
    let codes: Vec<String> = menu::Entity::find()
        .select_only()
        .column(menu::Column::Code)
        .join_rev(
            JoinType::InnerJoin,
            group_menu::Entity::belongs_to(menu::Entity)
                .from(group_menu::Column::MenuId)
                .to(menu::Column::Id)
                .into(),
        )
        .filter(group_menu::Column::GroupId.eq(group))
        .filter(menu::Column::Kind.eq(menu::Kind::Button))
        .into_tuple()
        .all(db)
        .await?;
    Ok(codes.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::{CODES, SECTIONS};

    #[test]
    fn every_code_has_a_button_and_every_button_a_code() {
        let mut buttons: Vec<_> = SECTIONS.iter().flat_map(|s| s.screens).flat_map(|s| s.buttons).map(|(code, _)| *code).collect();
        let mut codes = CODES.to_vec();
        buttons.sort_unstable();
        codes.sort_unstable();
        assert_eq!(buttons, codes);
    }
}
