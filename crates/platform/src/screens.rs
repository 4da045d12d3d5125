//! The screens that belong to no group, and what may be done there.

use base::access::catalog::{GENERAL, PLATFORM};

base::screens! {
    screen "dashboard" ("首页看板", "Dashboard") in GENERAL at 10, path "dashboard", icon "dashboard" {
        DASHBOARD_VIEW = "dashboard:view" ("查看", "View");
    }

    screen "introduction" ("系统介绍", "Introduction") in GENERAL at 20, path "introduction", icon "info" {
    }

    screen "permissionTest" ("权限测试", "Permission test") in GENERAL at 30, path "permissionTest", icon "lock" {
    }

    screen "tasks" ("任务管理", "Task management") in GENERAL at 40, path "tasks", icon "task" {
        TASK_LIST = "task:list" ("查看", "View");
        TASK_CANCEL = "task:cancel" ("取消", "Cancel");
        TASK_RETRY = "task:retry" ("重试", "Retry");
        TASK_EXPORT = "task:export" ("导出", "Export");
    }

    screen "errorLog" ("错误日志", "Error log") in GENERAL at 50, path "errorLog", icon "bug" {
        ERROR_LOG_LIST = "errorLog:list" ("查看", "View");
        ERROR_LOG_CLEAR = "errorLog:clear" ("清空", "Clear");
        ERROR_LOG_EXPORT = "errorLog:export" ("导出", "Export");
    }

    screen "serviceAddresses" ("地址配置", "Address config") in PLATFORM at 15, path "address", icon "network" {
        SERVICE_ADDRESS_LIST = "serviceAddress:list" ("查看列表", "View the list");
        SERVICE_ADDRESS_GET = "serviceAddress:get" ("查看详情", "View details");
        SERVICE_ADDRESS_CREATE = "serviceAddress:create" ("新增", "Create");
        SERVICE_ADDRESS_UPDATE = "serviceAddress:update" ("编辑", "Edit");
        SERVICE_ADDRESS_CHECK = "serviceAddress:check" ("检测", "Check");
        SERVICE_ADDRESS_DELETE = "serviceAddress:delete" ("删除", "Delete");
        SERVICE_ADDRESS_EXPORT = "serviceAddress:export" ("导出", "Export");
    }
}
