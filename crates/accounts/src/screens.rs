//! The screens of those who work at the console, and what may be done there.

use base::access::catalog::{PLATFORM, STAFF};

base::screens! {
    screen "operators" ("用户管理", "User management") in STAFF at 10, path "management", icon "team" {
        OPERATOR_LIST = "operator:list" ("查看列表", "View the list");
        OPERATOR_GET = "operator:get" ("查看详情", "View details");
        OPERATOR_CREATE = "operator:create" ("新增", "Create");
        OPERATOR_UPDATE = "operator:update" ("编辑", "Edit");
        OPERATOR_DELETE = "operator:delete" ("删除", "Delete");
        OPERATOR_RESET_PASSWORD = "operator:resetPassword" ("重置密码", "Reset passwords");
        OPERATOR_SIGN_OUT = "operator:signOut" ("强制下线", "Sign out");
        OPERATOR_RESET_SECOND_FACTOR = "operator:resetSecondFactor" ("重置两步验证", "Reset two-step verification");
        OPERATOR_LINK_IDENTITY = "operator:linkIdentity" ("设置第三方账号", "Link third-party accounts");
        OPERATOR_EXPORT = "operator:export" ("导出", "Export");
    }

    screen "systemInfo" ("系统用户信息", "System user info") in STAFF at 20, path "systemInfo", icon "profile" {
    }

    screen "groups" ("权限组", "Permission groups") in STAFF at 30, path "groups", icon "group" {
        GROUP_LIST = "group:list" ("查看", "View");
        GROUP_CREATE = "group:create" ("新增", "Create");
        GROUP_UPDATE = "group:update" ("编辑", "Edit");
        GROUP_DELETE = "group:delete" ("删除", "Delete");
        GROUP_ALLOT = "group:allot" ("分配权限", "Assign permissions");
        GROUP_EXPORT = "group:export" ("导出", "Export");
    }

    screen "menus" ("菜单管理", "Menu management") in STAFF at 40, path "menus", icon "menu" {
        MENU_LIST = "menu:list" ("查看", "View");
        MENU_CREATE = "menu:create" ("新增", "Create");
        MENU_UPDATE = "menu:update" ("编辑", "Edit");
        MENU_DELETE = "menu:delete" ("删除", "Delete");
        MENU_EXPORT = "menu:export" ("导出", "Export");
    }

    screen "signInSetting" ("登录安全", "Sign-in security") in PLATFORM at 10, path "signInSecurity", icon "safety" {
        SIGN_IN_SETTING_GET = "signInSetting:get" ("查看", "View");
        SIGN_IN_SETTING_UPDATE = "signInSetting:update" ("修改", "Change");
    }
}
