//! The screens of devices and rooms.

use kernel::text::text;

use super::catalog::{Screen, Section};

/// Devices, the rooms that they stand in, their addresses and their power.
pub const DEVICES: Section = Section {
    code: "devices",
    name: text("设备与机房", "Devices and rooms"),
    path: "/device",
    icon: "device",
    screens: &[
        Screen {
            code: "devicePanel",
            name: text("设备面板", "Device panel"),
            path: "panel",
            icon: "panel",
            buttons: &[("devicePanel:view", text("查看", "View"))],
        },
        Screen {
            code: "deviceManagement",
            name: text("设备管理", "Device management"),
            path: "management",
            icon: "device",
            buttons: &[
                ("device:list", text("查看列表", "View the list")),
                ("device:get", text("查看详情", "View details")),
                ("device:create", text("新增", "Create")),
                ("device:update", text("编辑", "Edit")),
                ("device:flag", text("设置可分配与超分", "Set assignable and overcommit")),
                ("device:maintain", text("排空、维护与恢复", "Drain, maintain and return")),
                ("device:move", text("移动", "Move")),
                ("device:retire", text("报废", "Retire")),
                ("device:export", text("导出", "Export")),
                ("device:import", text("导入", "Import")),
                ("device:shell", text("Shell 与脚本", "Shell and scripts")),
                ("device:reboot", text("重启", "Reboot")),
                ("device:power", text("电源开关", "Switch the power")),
                ("device:files", text("文件、截图与日志", "Files, screenshots and logs")),
                ("device:install", text("安装、卸载与推送文件", "Install, uninstall and push files")),
                ("device:configure", text("限速与系统属性", "Speed and properties")),
                ("device:reset", text("恢复出厂与擦除", "Factory reset and wipe")),
            ],
        },
        Screen {
            code: "deviceAddress",
            name: text("设备地址", "Room operator config"),
            path: "address",
            icon: "room",
            buttons: &[
                ("room:list", text("查看", "View")),
                ("room:create", text("新增机房、机架与主机", "Create rooms, frames and hosts")),
                ("room:update", text("编辑机房、机架与主机", "Edit rooms, frames and hosts")),
                ("room:delete", text("删除机房、机架与主机", "Delete rooms, frames and hosts")),
                ("room:maintain", text("排空、维护与恢复", "Drain, maintain and return")),
                ("roomAgent:list", text("查看机房代理", "View room agents")),
                ("roomAgent:invite", text("签发接入令牌", "Issue join tokens")),
                ("roomAgent:revoke", text("吊销机房代理", "Revoke room agents")),
            ],
        },
        Screen {
            code: "deviceMap",
            name: text("设备地图", "Device map"),
            path: "map",
            icon: "map",
            buttons: &[("deviceMap:view", text("查看", "View"))],
        },
        Screen {
            code: "deviceMonitoring",
            name: text("数据监控", "Data monitoring"),
            path: "monitoring",
            icon: "chart",
            buttons: &[("deviceMonitor:view", text("查看", "View"))],
        },
        Screen {
            code: "networkAddress",
            name: text("机房网络地址", "Room network address config"),
            path: "networkAddress",
            icon: "network",
            buttons: &[
                ("addressPlan:list", text("查看", "View")),
                ("addressPlan:create", text("新增", "Create")),
                ("addressPlan:update", text("编辑", "Edit")),
                ("addressPlan:delete", text("删除", "Delete")),
            ],
        },
        Screen {
            code: "bmcMapping",
            name: text("BMC 映射", "BMC mapping"),
            path: "bmcMapping",
            icon: "power",
            buttons: &[
                ("bmc:list", text("查看", "View")),
                ("bmc:check", text("检测", "Check")),
                ("bmc:create", text("新增", "Create")),
                ("bmc:update", text("编辑", "Edit")),
                ("bmc:delete", text("删除", "Delete")),
            ],
        },
        Screen {
            code: "deviceSettings",
            name: text("设备与全局设置", "Device and global settings"),
            path: "settings",
            icon: "setting",
            buttons: &[("fleetSetting:get", text("查看", "View")), ("fleetSetting:update", text("修改", "Change"))],
        },
        Screen {
            code: "discoveredDevices",
            name: text("待接入设备", "Discovered devices"),
            path: "discovered",
            icon: "radar",
            buttons: &[
                ("finding:list", text("查看", "View")),
                ("finding:fix", text("处理", "Fix")),
                ("finding:ignore", text("忽略", "Ignore")),
            ],
        },
        Screen {
            code: "deviceOperations",
            name: text("批量操作", "Operations"),
            path: "operations",
            icon: "schedule",
            buttons: &[
                ("operation:list", text("查看", "View")),
                ("operation:export", text("导出", "Export")),
                ("operation:control", text("暂停、继续、取消与重试", "Pause, go on, cancel and retry")),
                ("operation:approve", text("审批", "Approve")),
            ],
        },
    ],
};
