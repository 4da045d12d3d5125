//! The screens of cloud phones, and what may be done there.

use base::access::catalog::{PHONES, STORAGE};

base::screens! {
    screen "cloudPhoneList" ("云手机列表", "Cloud phones") in PHONES at 10, path "list", icon "phone" {
        PHONE_LIST = "phone:list" ("查看列表", "View the list");
        PHONE_GET = "phone:get" ("查看详情", "View details");
        PHONE_CREATE = "phone:create" ("新增", "Create");
        PHONE_UPDATE = "phone:update" ("编辑", "Edit");
        PHONE_RENEW = "phone:renew" ("续费", "Renew");
        PHONE_CHANGE_PLAN = "phone:changePlan" ("变更套餐", "Change the plan");
        PHONE_FREEZE = "phone:freeze" ("冻结", "Freeze");
        PHONE_THAW = "phone:thaw" ("解冻", "Thaw");
        PHONE_RELEASE = "phone:release" ("释放", "Release");
        PHONE_RESTORE = "phone:restore" ("恢复", "Restore");
        PHONE_PUT_ON = "phone:putOn" ("上机", "Put on");
        PHONE_TAKE_OFF = "phone:takeOff" ("下机", "Take off");
        PHONE_RESTART = "phone:restart" ("重启", "Restart");
        PHONE_ACCEPT_COPY = "phone:acceptCopy" ("用备份恢复失联云手机", "Let phones on lost cards go on from their copies");
        PHONE_GIVE_UP = "phone:giveUp" ("放弃失联卡上的数据", "Give up data on lost cards");
        PHONE_OPEN_ELSEWHERE = "phone:openElsewhere" ("在其他机房打开", "Open phones in another room");
        PHONE_SCREEN = "phone:screen" ("查看画面", "Look at the screen");
        PHONE_FILES = "phone:files" ("查看与传输文件", "Look at and transfer files");
        PHONE_WIPE_LEFT = "phone:wipeLeft" ("不备份清除隔离数据", "Wipe quarantined data without a copy");
        PHONE_COVERAGE = "phone:coverage" ("查看备份范围", "See what a copy holds");
        PHONE_RETRY = "phone:retry" ("继续处理", "Go on with what waits");
        PHONE_EXPORT = "phone:export" ("导出", "Export");
        PHONE_IMPORT = "phone:import" ("导入", "Import");
    }
    screen "cloudPhoneSessions" ("在机会话", "Sessions") in PHONES at 20, path "sessions", icon "history" {
        PHONE_SESSION_LIST = "phoneSession:list" ("查看列表", "View the list");
        PHONE_SESSION_EXPORT = "phoneSession:export" ("导出", "Export");
    }
    screen "cloudPhoneRules" ("云手机规则", "Rule config and plan rules") in PHONES at 30, path "rules", icon "sliders" {
        PHONE_RULE_GET = "phoneRule:get" ("查看规则", "View the rules");
        PHONE_RULE_UPDATE = "phoneRule:update" ("修改规则", "Change the rules");
        PHONE_RULE_EXPORT = "phoneRule:export" ("导出", "Export");
    }
    screen "storageBackup" ("备份管理", "Backup management") in STORAGE at 20, path "backup", icon "backup" {
        BACKUP_LIST = "backup:list" ("查看列表", "View the list");
        BACKUP_GET = "backup:get" ("查看详情", "View details");
        BACKUP_RUN = "backup:run" ("立即备份", "Back up now");
        BACKUP_VERIFY = "backup:verify" ("校验", "Verify");
        BACKUP_APPS = "backup:apps" ("安装应用", "Install apps");
        BACKUP_RESTORE = "backup:restore" ("从备份恢复", "Restore a backup");
        BACKUP_REVEAL = "backup:reveal" ("查看恢复口令", "See the recovery code");
        BACKUP_EXPORT = "backup:export" ("导出", "Export");
    }
    screen "storageManagement" ("存储管理", "Storage management") in STORAGE at 10, path "management", icon "storage" {
        STORAGE_LIST = "storage:list" ("查看列表", "View the list");
        STORAGE_GET = "storage:get" ("查看详情", "View details");
        STORAGE_CREATE = "storage:create" ("新增", "Create");
        STORAGE_UPDATE = "storage:update" ("编辑", "Edit");
        STORAGE_DELETE = "storage:delete" ("删除", "Delete");
        STORAGE_TEST = "storage:test" ("测试连接", "Test");
        STORAGE_DRAIN = "storage:drain" ("排空", "Drain");
        STORAGE_RETIRE = "storage:retire" ("停用", "Retire");
        STORAGE_EXPORT = "storage:export" ("导出", "Export");
    }
}

// Cards ask for these two where a phone is on them, and their domain knows none of ours: they have to be called the same there.
const _: () = {
    assert!(is_same(perm::PHONE_SCREEN.code(), fleet::LOOK_AT_SCREEN.code()));
    assert!(is_same(perm::PHONE_FILES.code(), fleet::LOOK_AT_FILES.code()));
};

const fn is_same(one: &str, other: &str) -> bool {
    let (one, other, mut at) = (one.as_bytes(), other.as_bytes(), 0);
    if one.len() != other.len() {
        return false;
    }
    while at < one.len() {
        if one[at] != other[at] {
            return false;
        }
        at += 1;
    }
    true
}
