//! The screen of what belongs to all: the operation log. Its page is served by accounts; records of other domains take the
//! same permissions.

use crate::access::catalog::STAFF;

crate::screens! {
    screen "operationLog" ("操作日志", "Operation log") in STAFF at 50, path "operationLog", icon "audit" {
        OPERATION_LOG_LIST = "operationLog:list" ("查看", "View");
        OPERATION_LOG_EXPORT = "operationLog:export" ("导出", "Export");
    }
}
