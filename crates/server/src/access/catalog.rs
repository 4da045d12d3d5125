//! The catalogue: every section, screen and permission code of the console.
//!
//! It lives in code, because code is what enforces it; at start it is copied into the menu table
//! (see [`super::sync`]), where operators may rename, move and hide entries and add their own.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use entity::{GroupId, group_menu, menu};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, JoinType, QueryFilter as _, QuerySelect as _,
};

use super::awaiting::AWAITING_PAGES;
use super::devices::DEVICES;

/// A top-level group of screens.
#[derive(Debug)]
pub struct Section {
    /// Unique among all entries.
    pub code: &'static str,
    /// Its name; the Chinese one is copied into the menu table.
    pub name: Text,
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
    /// Its name; the Chinese one is copied into the menu table.
    pub name: Text,
    /// The last part of its path; with a slash in front where the section's path is the whole.
    pub path: &'static str,
    /// The name of an icon.
    pub icon: &'static str,
    /// Permissions on it: `(code, name)`.
    pub buttons: &'static [(&'static str, Text)],
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
    TASK_EXPORT = "task:export";
    CLIENT_USER_LIST = "clientUser:list";
    CLIENT_USER_GET = "clientUser:get";
    CLIENT_USER_CREATE = "clientUser:create";
    CLIENT_USER_UPDATE = "clientUser:update";
    CLIENT_USER_DISABLE = "clientUser:disable";
    CLIENT_USER_EXPORT = "clientUser:export";
    CLIENT_USER_IMPORT = "clientUser:import";
    CLIENT_USER_RECORD_LIST = "clientUserRecord:list";
    CLIENT_USER_RECORD_EXPORT = "clientUserRecord:export";
    CLIENT_USER_LOGOUT_LIST = "clientUserLogout:list";
    CLIENT_USER_LOGOUT_CANCEL = "clientUserLogout:cancel";
    CLIENT_USER_LOGOUT_COMPLETE = "clientUserLogout:complete";
    CLIENT_USER_LOGOUT_EXPORT = "clientUserLogout:export";
    OPERATOR_LIST = "operator:list";
    OPERATOR_GET = "operator:get";
    OPERATOR_CREATE = "operator:create";
    OPERATOR_UPDATE = "operator:update";
    OPERATOR_DELETE = "operator:delete";
    OPERATOR_RESET_PASSWORD = "operator:resetPassword";
    OPERATOR_SIGN_OUT = "operator:signOut";
    OPERATOR_RESET_SECOND_FACTOR = "operator:resetSecondFactor";
    OPERATOR_EXPORT = "operator:export";
    GROUP_LIST = "group:list";
    GROUP_CREATE = "group:create";
    GROUP_UPDATE = "group:update";
    GROUP_DELETE = "group:delete";
    GROUP_ALLOT = "group:allot";
    GROUP_EXPORT = "group:export";
    MENU_LIST = "menu:list";
    MENU_CREATE = "menu:create";
    MENU_UPDATE = "menu:update";
    MENU_DELETE = "menu:delete";
    MENU_EXPORT = "menu:export";
    OPERATION_LOG_LIST = "operationLog:list";
    OPERATION_LOG_EXPORT = "operationLog:export";
    SIGN_IN_SETTING_GET = "signInSetting:get";
    SIGN_IN_SETTING_UPDATE = "signInSetting:update";
    DEVICE_PANEL_VIEW = "devicePanel:view";
    DEVICE_LIST = "device:list";
    DEVICE_GET = "device:get";
    DEVICE_CREATE = "device:create";
    DEVICE_UPDATE = "device:update";
    DEVICE_FLAG = "device:flag";
    DEVICE_MAINTAIN = "device:maintain";
    DEVICE_MOVE = "device:move";
    DEVICE_RETIRE = "device:retire";
    DEVICE_EXPORT = "device:export";
    DEVICE_IMPORT = "device:import";
    DEVICE_SHELL = "device:shell";
    DEVICE_REBOOT = "device:reboot";
    DEVICE_POWER = "device:power";
    DEVICE_FILES = "device:files";
    DEVICE_INSTALL = "device:install";
    DEVICE_CONFIGURE = "device:configure";
    DEVICE_RESET = "device:reset";
    OPERATION_LIST = "operation:list";
    OPERATION_EXPORT = "operation:export";
    OPERATION_CONTROL = "operation:control";
    OPERATION_APPROVE = "operation:approve";
    ROOM_LIST = "room:list";
    ROOM_CREATE = "room:create";
    ROOM_UPDATE = "room:update";
    ROOM_DELETE = "room:delete";
    ROOM_MAINTAIN = "room:maintain";
    ROOM_EXPORT = "room:export";
    ROOM_AGENT_LIST = "roomAgent:list";
    ROOM_AGENT_INVITE = "roomAgent:invite";
    ROOM_AGENT_REVOKE = "roomAgent:revoke";
    ROOM_AGENT_EXPORT = "roomAgent:export";
    DEVICE_MAP_VIEW = "deviceMap:view";
    DEVICE_MONITOR_VIEW = "deviceMonitor:view";
    ADDRESS_PLAN_LIST = "addressPlan:list";
    ADDRESS_PLAN_CREATE = "addressPlan:create";
    ADDRESS_PLAN_UPDATE = "addressPlan:update";
    ADDRESS_PLAN_DELETE = "addressPlan:delete";
    ADDRESS_PLAN_EXPORT = "addressPlan:export";
    BMC_LIST = "bmc:list";
    BMC_CHECK = "bmc:check";
    BMC_CREATE = "bmc:create";
    BMC_UPDATE = "bmc:update";
    BMC_DELETE = "bmc:delete";
    BMC_EXPORT = "bmc:export";
    FLEET_SETTING_GET = "fleetSetting:get";
    FLEET_SETTING_UPDATE = "fleetSetting:update";
    FINDING_LIST = "finding:list";
    FINDING_FIX = "finding:fix";
    FINDING_IGNORE = "finding:ignore";
    FINDING_EXPORT = "finding:export";
}

/// The tree. Screens appear here when they work, not before.
pub const SECTIONS: &[Section] = &[
    Section {
        code: "general",
        name: text("概览", "Overview"),
        path: "/",
        icon: "dashboard",
        screens: &[
            Screen {
                code: "dashboard",
                name: text("首页看板", "Dashboard"),
                path: "dashboard",
                icon: "dashboard",
                buttons: &[("dashboard:view", text("查看", "View"))],
            },
            Screen {
                code: "introduction",
                name: text("系统介绍", "Introduction"),
                path: "introduction",
                icon: "info",
                buttons: &[],
            },
            Screen {
                code: "permissionTest",
                name: text("权限测试", "Permission test"),
                path: "permissionTest",
                icon: "lock",
                buttons: &[],
            },
            Screen {
                code: "tasks",
                name: text("任务管理", "Task management"),
                path: "tasks",
                icon: "task",
                buttons: &[
                    ("task:list", text("查看", "View")),
                    ("task:cancel", text("取消", "Cancel")),
                    ("task:retry", text("重试", "Retry")),
                    ("task:export", text("导出", "Export")),
                ],
            },
            Screen {
                code: "errorLog",
                name: text("错误日志", "Error log"),
                path: "errorLog",
                icon: "bug",
                buttons: &[("errorLog:list", text("查看", "View")), ("errorLog:clear", text("清空", "Clear"))],
            },
        ],
    },
    Section {
        code: "clientUsers",
        name: text("客户端用户", "Client users"),
        path: "/clientUser",
        icon: "user",
        screens: &[
            Screen {
                code: "clientUser",
                name: text("客户端用户", "Client users"),
                path: "/clientUser",
                icon: "user",
                buttons: &[
                    ("clientUser:list", text("查看列表", "View the list")),
                    ("clientUser:get", text("查看详情", "View details")),
                    ("clientUser:create", text("新增", "Create")),
                    ("clientUser:update", text("编辑", "Edit")),
                    ("clientUser:disable", text("禁用与启用", "Disable and enable")),
                    ("clientUser:export", text("导出", "Export")),
                    ("clientUser:import", text("导入", "Import")),
                ],
            },
            Screen {
                code: "clientUserRecords",
                name: text("注册与登录记录", "Registration and logout records"),
                path: "records",
                icon: "history",
                buttons: &[
                    ("clientUserRecord:list", text("查看", "View")),
                    ("clientUserRecord:export", text("导出", "Export")),
                ],
            },
            Screen {
                code: "clientUserLoggedOut",
                name: text("注销账号", "Logged-out accounts"),
                path: "loggedOut",
                icon: "userOff",
                buttons: &[
                    ("clientUserLogout:list", text("查看", "View")),
                    ("clientUserLogout:cancel", text("撤销注销", "Cancel a request")),
                    ("clientUserLogout:complete", text("完成注销", "Complete a request")),
                    ("clientUserLogout:export", text("导出", "Export")),
                ],
            },
        ],
    },
    DEVICES,
    Section {
        code: "staff",
        name: text("用户管理", "User management"),
        path: "/user",
        icon: "team",
        screens: &[
            Screen {
                code: "operators",
                name: text("用户管理", "User management"),
                path: "management",
                icon: "team",
                buttons: &[
                    ("operator:list", text("查看列表", "View the list")),
                    ("operator:get", text("查看详情", "View details")),
                    ("operator:create", text("新增", "Create")),
                    ("operator:update", text("编辑", "Edit")),
                    ("operator:delete", text("删除", "Delete")),
                    ("operator:resetPassword", text("重置密码", "Reset passwords")),
                    ("operator:signOut", text("强制下线", "Sign out")),
                    ("operator:resetSecondFactor", text("重置两步验证", "Reset two-step verification")),
                    ("operator:export", text("导出", "Export")),
                ],
            },
            Screen {
                code: "systemInfo",
                name: text("系统用户信息", "System user info"),
                path: "systemInfo",
                icon: "profile",
                buttons: &[],
            },
            Screen {
                code: "groups",
                name: text("权限组", "Permission groups"),
                path: "groups",
                icon: "group",
                buttons: &[
                    ("group:list", text("查看", "View")),
                    ("group:create", text("新增", "Create")),
                    ("group:update", text("编辑", "Edit")),
                    ("group:delete", text("删除", "Delete")),
                    ("group:allot", text("分配权限", "Allot permissions")),
                    ("group:export", text("导出", "Export")),
                ],
            },
            Screen {
                code: "menus",
                name: text("菜单管理", "Menu management"),
                path: "menus",
                icon: "menu",
                buttons: &[
                    ("menu:list", text("查看", "View")),
                    ("menu:create", text("新增", "Create")),
                    ("menu:update", text("编辑", "Edit")),
                    ("menu:delete", text("删除", "Delete")),
                    ("menu:export", text("导出", "Export")),
                ],
            },
            Screen {
                code: "operationLog",
                name: text("操作日志", "Operation log"),
                path: "operationLog",
                icon: "audit",
                buttons: &[
                    ("operationLog:list", text("查看", "View")),
                    ("operationLog:export", text("导出", "Export")),
                ],
            },
        ],
    },
    Section {
        code: "platform",
        name: text("平台设置", "Platform settings"),
        path: "/platform",
        icon: "setting",
        screens: &[Screen {
            code: "signInSetting",
            name: text("登录安全", "Sign-in security"),
            path: "signInSecurity",
            icon: "safety",
            buttons: &[("signInSetting:get", text("查看", "View")), ("signInSetting:update", text("修改", "Change"))],
        }],
    },
];

/// The tree, and what waits for its pages.
fn everything() -> impl Iterator<Item = &'static Section> {
    SECTIONS.iter().chain(AWAITING_PAGES)
}

/// The name of an entry in both languages; none for an entry that operators made.
#[must_use]
pub fn name_of(code: &str) -> Option<Text> {
    static NAMES: LazyLock<HashMap<&'static str, Text>> = LazyLock::new(|| {
        let screens = || everything().flat_map(|section| section.screens);
        let sections = everything().map(|section| (section.code, section.name));
        let buttons = screens().flat_map(|screen| screen.buttons).copied();
        sections.chain(screens().map(|screen| (screen.code, screen.name))).chain(buttons).collect()
    });
    NAMES.get(code).copied()
}

/// What a permission code lets one do, in words: its screen's name and its own.
#[must_use]
pub fn meaning_of(code: &str) -> Option<(Text, Text)> {
    everything().flat_map(|section| section.screens).find_map(|screen| {
        let (_, name) = screen.buttons.iter().find(|(button, _)| *button == code)?;
        Some((screen.name, *name))
    })
}

/// What an entry is called in `lang`: as it was renamed, else as the catalogue says.
#[must_use]
pub fn title(code: &str, stored: &str, lang: Lang) -> String {
    name_of(code).filter(|name| name.zh == stored).map_or(stored, |name| name.get(lang)).to_owned()
}

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
            group_menu::Entity::belongs_to(menu::Entity).from(group_menu::Column::MenuId).to(menu::Column::Id).into(),
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
    use super::{CODES, everything};

    #[test]
    fn every_code_has_a_button_and_every_button_a_code() {
        let mut buttons: Vec<_> =
            everything().flat_map(|s| s.screens).flat_map(|s| s.buttons).map(|(code, _)| *code).collect();
        let mut codes = CODES.to_vec();
        buttons.sort_unstable();
        codes.sort_unstable();
        assert_eq!(buttons, codes);
    }
}
