//! The screens of devices and rooms, and what may be done there.

use base::access::catalog::{DEVICES, STORAGE};

base::screens! {
    screen "devicePanel" ("设备面板", "Device panel") in DEVICES at 10, path "panel", icon "panel" {
        DEVICE_PANEL_VIEW = "devicePanel:view" ("查看", "View");
    }

    screen "deviceManagement" ("设备管理", "Device management") in DEVICES at 20, path "management", icon "device" {
        DEVICE_LIST = "device:list" ("查看列表", "View the list");
        DEVICE_GET = "device:get" ("查看详情", "View details");
        DEVICE_CREATE = "device:create" ("新增", "Create");
        DEVICE_UPDATE = "device:update" ("编辑", "Edit");
        DEVICE_FLAG = "device:flag" ("设置可分配与超分", "Set assignable and overcommit");
        DEVICE_MAINTAIN = "device:maintain" ("排空、维护与恢复", "Drain, maintain and return to service");
        DEVICE_MOVE = "device:move" ("移动", "Move");
        DEVICE_RETIRE = "device:retire" ("报废", "Retire");
        DEVICE_EXPORT = "device:export" ("导出", "Export");
        DEVICE_IMPORT = "device:import" ("导入", "Import");
        DEVICE_SHELL = "device:shell" ("Shell 与脚本", "Shell and scripts");
        DEVICE_REBOOT = "device:reboot" ("重启", "Reboot");
        DEVICE_POWER = "device:power" ("电源开关", "Power control");
        DEVICE_FILES = "device:files" ("文件、截图与日志", "Files, screenshots and logs");
        DEVICE_INSTALL = "device:install" ("安装、卸载与推送文件", "Install, uninstall and push files");
        DEVICE_CONFIGURE = "device:configure" ("限速与系统属性", "Speed limit and system properties");
        DEVICE_RESET = "device:reset" ("恢复出厂与擦除", "Factory reset and wipe");
        CARD_WIPE_STRAY = "card:wipeStray" ("清除外来云手机", "Wipe stray phones");
    }

    screen "deviceAddress" ("设备地址", "Room operator config") in DEVICES at 30, path "address", icon "room" {
        ROOM_LIST = "room:list" ("查看", "View");
        ROOM_CREATE = "room:create" ("新增机房、机架与主机", "Create rooms, frames and hosts");
        ROOM_UPDATE = "room:update" ("编辑机房、机架与主机", "Edit rooms, frames and hosts");
        ROOM_DELETE = "room:delete" ("删除机房、机架与主机", "Delete rooms, frames and hosts");
        ROOM_MAINTAIN = "room:maintain" ("排空、维护与恢复", "Drain, maintain and return to service");
        ROOM_EXPORT = "room:export" ("导出", "Export");
        ROOM_AGENT_LIST = "roomAgent:list" ("查看机房代理", "View room agents");
        ROOM_AGENT_INVITE = "roomAgent:invite" ("签发接入令牌", "Issue join tokens");
        ROOM_AGENT_REVOKE = "roomAgent:revoke" ("吊销机房代理", "Revoke room agents");
        ROOM_AGENT_EXPORT = "roomAgent:export" ("导出代理与令牌", "Export agents and tokens");
    }

    screen "deviceMap" ("设备地图", "Device map") in DEVICES at 40, path "map", icon "map" {
        DEVICE_MAP_VIEW = "deviceMap:view" ("查看", "View");
    }

    screen "deviceMonitoring" ("数据监控", "Data monitoring") in DEVICES at 50, path "monitoring", icon "chart" {
        DEVICE_MONITOR_VIEW = "deviceMonitor:view" ("查看", "View");
    }

    screen "networkAddress" ("机房网络地址", "Room network address config") in DEVICES at 60, path "networkAddress", icon "network" {
        ADDRESS_PLAN_LIST = "addressPlan:list" ("查看", "View");
        ADDRESS_PLAN_CREATE = "addressPlan:create" ("新增", "Create");
        ADDRESS_PLAN_UPDATE = "addressPlan:update" ("编辑", "Edit");
        ADDRESS_PLAN_DELETE = "addressPlan:delete" ("删除", "Delete");
        ADDRESS_PLAN_EXPORT = "addressPlan:export" ("导出", "Export");
    }

    screen "bmcMapping" ("BMC 映射", "BMC mapping") in DEVICES at 70, path "bmcMapping", icon "power" {
        BMC_LIST = "bmc:list" ("查看", "View");
        BMC_CHECK = "bmc:check" ("检测", "Check");
        BMC_CREATE = "bmc:create" ("新增", "Create");
        BMC_UPDATE = "bmc:update" ("编辑", "Edit");
        BMC_DELETE = "bmc:delete" ("删除", "Delete");
        BMC_EXPORT = "bmc:export" ("导出", "Export");
    }

    screen "deviceSettings" ("设备与全局设置", "Device and global settings") in DEVICES at 80, path "settings", icon "setting" {
        FLEET_SETTING_GET = "fleetSetting:get" ("查看", "View");
        FLEET_SETTING_UPDATE = "fleetSetting:update" ("修改", "Change");
    }

    screen "discoveredDevices" ("待接入设备", "Discovered devices") in DEVICES at 90, path "discovered", icon "radar" {
        FINDING_LIST = "finding:list" ("查看", "View");
        FINDING_FIX = "finding:fix" ("处理", "Resolve");
        FINDING_IGNORE = "finding:ignore" ("忽略", "Ignore");
        FINDING_EXPORT = "finding:export" ("导出", "Export");
    }

    screen "deviceOperations" ("批量操作", "Operations") in DEVICES at 100, path "operations", icon "schedule" {
        OPERATION_LIST = "operation:list" ("查看", "View");
        OPERATION_EXPORT = "operation:export" ("导出", "Export");
        OPERATION_CONTROL = "operation:control" ("暂停、继续、取消与重试", "Pause, resume, cancel and retry");
        OPERATION_APPROVE = "operation:approve" ("审批", "Approve");
    }

    screen "machineSystem" ("云机系统", "Cloud machine system management") in STORAGE at 30, path "machineSystem", icon "desktop" {
        SYSTEM_IMAGE_LIST = "systemImage:list" ("查看", "View");
        SYSTEM_IMAGE_EXPORT = "systemImage:export" ("导出", "Export");
        SYSTEM_IMAGE_ADOPT = "systemImage:adopt" ("认定版本", "Adopt a version");
        SYSTEM_IMAGE_PROFILE = "systemImage:profile" ("画像", "Profile of clean cards");
        SYSTEM_IMAGE_EXCLUDE = "systemImage:exclude" ("提出与审批备份排除", "Leave paths out of backups");
        SYSTEM_IMAGE_INCLUDE = "systemImage:include" ("取消备份排除", "Leave paths out no longer");
        SYSTEM_IMAGE_DECLARE = "systemImage:declare" ("声明镜像兼容", "Declare that an image takes phones of another");
        SYSTEM_IMAGE_UNDECLARE = "systemImage:undeclare" ("取消镜像兼容", "Withdraw that an image takes phones of another");
        SYSTEM_IMAGE_TRIAL = "systemImage:trial" ("登记实机试验结果", "Say what came of a trial on the board");
    }
}
