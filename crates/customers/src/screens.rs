//! The screens of customers, and what may be done there.

use base::access::catalog::CUSTOMERS;

base::screens! {
    screen "clientUser" ("客户端用户", "Client users") in CUSTOMERS at 10, path "/clientUser", icon "user" {
        CLIENT_USER_LIST = "clientUser:list" ("查看列表", "View the list");
        CLIENT_USER_GET = "clientUser:get" ("查看详情", "View details");
        CLIENT_USER_CREATE = "clientUser:create" ("新增", "Create");
        CLIENT_USER_UPDATE = "clientUser:update" ("编辑", "Edit");
        CLIENT_USER_DISABLE = "clientUser:disable" ("禁用与启用", "Disable and enable");
        CLIENT_USER_EXPORT = "clientUser:export" ("导出", "Export");
        CLIENT_USER_IMPORT = "clientUser:import" ("导入", "Import");
    }

    screen "clientUserRecords" ("注册与登录记录", "Registration and logout records") in CUSTOMERS at 20, path "records", icon "history" {
        CLIENT_USER_RECORD_LIST = "clientUserRecord:list" ("查看", "View");
        CLIENT_USER_RECORD_EXPORT = "clientUserRecord:export" ("导出", "Export");
    }

    screen "clientUserLoggedOut" ("注销账号", "Logged-out accounts") in CUSTOMERS at 30, path "loggedOut", icon "userOff" {
        CLIENT_USER_LOGOUT_LIST = "clientUserLogout:list" ("查看", "View");
        CLIENT_USER_LOGOUT_CANCEL = "clientUserLogout:cancel" ("撤销注销", "Withdraw a request");
        CLIENT_USER_LOGOUT_COMPLETE = "clientUserLogout:complete" ("完成注销", "Complete a request");
        CLIENT_USER_LOGOUT_EXPORT = "clientUserLogout:export" ("导出", "Export");
    }
}
