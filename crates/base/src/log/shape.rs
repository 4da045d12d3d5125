//! What the fields of logged objects are called, and what their values mean: by the API document, where the labels of
//! lists and of closed choices stand.

use std::collections::BTreeMap;

use kernel::lang::Lang;
use kernel::text::{Text, text};
use serde_json::{Map, Value};

/// Both languages, Chinese first.
type Pair = [String; 2];

/// Fields that no list shows, and those of acts on several objects.
const COMMON: &[(&str, Text)] = &[
    ("assignable", text("可分配", "Assignable")),
    ("adbPort", text("内网端口", "Internal port")),
    ("blades", text("刀片数", "Blades")),
    ("bmcPort", text("BMC 端口", "BMC port")),
    ("board", text("板卡", "Board")),
    ("bootedOkAt", text("最近启动完成", "Last booted")),
    ("codes", text("权限", "Permissions")),
    ("screens", text("页面", "Screens")),
    ("createdAt", text("创建时间", "Created")),
    ("createdBy", text("创建人", "Created by")),
    ("enabled", text("启用", "Enabled")),
    ("expiresAt", text("过期时间", "Expires")),
    ("extranet", text("外网", "External")),
    ("intranet", text("内网", "Internal")),
    ("extranetIp", text("外网 IP", "External IP")),
    ("extranetPort", text("外网端口", "External port")),
    ("faultReason", text("故障原因", "Fault reason")),
    ("fileName", text("文件名", "File name")),
    ("filter", text("筛选条件", "Filter")),
    ("firstId", text("首个 ID", "First ID")),
    ("forced", text("强制执行", "Forced")),
    ("format", text("格式", "Format")),
    ("frameId", text("机架 ID", "Frame ID")),
    ("groupId", text("权限组 ID", "Permission group ID")),
    ("hostId", text("主机 ID", "Host ID")),
    ("icon", text("图标", "Icon")),
    ("id", text("ID", "ID")),
    ("intranetIp", text("内网 IP", "Internal IP")),
    ("isAssignable", text("可分配", "Assignable")),
    ("isOvercommit", text("可超分", "Overcommit")),
    ("isPackage", text("是安装包", "Is a package")),
    ("isUpgrading", text("升级中", "Upgrading")),
    ("lastId", text("末个 ID", "Last ID")),
    ("lastLoginAt", text("最近登录", "Last sign-in")),
    ("lastRow", text("已到第几行", "Up to row")),
    ("latitude", text("纬度", "Latitude")),
    ("lifecycle", text("登记状态", "Registration")),
    ("linkedProvider", text("登录身份", "Linked identity")),
    ("longitude", text("经度", "Longitude")),
    ("maintenance", text("维护状态", "Maintenance")),
    ("maintenanceBy", text("维护人", "Maintained by")),
    ("maintenanceReason", text("维护原因", "Maintenance reason")),
    ("maintenanceScope", text("维护范围", "Maintenance scope")),
    ("maintenanceUntil", text("维护至", "Maintenance until")),
    ("managementNets", text("管理网段", "Management networks")),
    ("menus", text("菜单与权限", "Menus and permissions")),
    ("modelId", text("型号 ID", "Model ID")),
    ("name", text("名称", "Name")),
    ("networkSince", text("网络状态自", "Network since")),
    ("networkStatus", text("网络状态", "Network")),
    ("newCards", text("新增板卡", "New cards")),
    ("notBefore", text("开始不早于", "Not before")),
    ("occupancy", text("占用", "Occupancy")),
    ("overcommit", text("可超分", "Overcommit")),
    ("packageName", text("包名", "Package")),
    ("packageVersion", text("版本", "Version")),
    ("parentId", text("上级菜单 ID", "Parent ID")),
    ("password", text("密码", "Password")),
    ("password.set", text("已设置密码", "Password set")),
    ("perFrame", text("每机架并发", "At once per frame")),
    ("perHost", text("每主机并发", "At once per host")),
    ("perRoom", text("每机房并发", "At once per room")),
    ("permissions", text("权限", "Permissions")),
    ("position", text("卡位", "Position")),
    ("power", text("电源", "Power")),
    ("reason", text("原因", "Reason")),
    ("remark", text("备注", "Remark")),
    ("retired", text("已报废", "Retired")),
    ("retryAsked", text("申请重试", "Retry asked for")),
    ("roomId", text("机房 ID", "Room ID")),
    ("runSince", text("运行状态自", "Running status since")),
    ("runStatus", text("运行状态", "Running status")),
    ("seconds", text("时限（秒）", "Time limit (s)")),
    ("serial", text("序列号", "Serial number")),
    ("sha256", text("SHA-256", "SHA-256")),
    ("size", text("规格", "Size")),
    ("sort", text("排序", "Sort")),
    ("state", text("状态", "State")),
    ("status", text("状态", "Status")),
    ("stopAtPercent", text("失败达百分之几停止", "Stops at failed percent")),
    ("taken", text("已占用", "Taken")),
    ("taskId", text("任务", "Task")),
    ("until", text("维护至", "Until")),
    ("updatedAt", text("更新时间", "Updated")),
    ("usedBy", text("使用者", "Used by")),
    ("userId", text("客户端用户 ID", "Client user ID")),
    ("userStatus", text("客户端用户状态", "Client user status")),
    ("wantedPower", text("目标电源", "Wanted power")),
    // Settings: on its own, each says its unit.
    ("singleSession", text("同一账号只允许一处登录", "One session per operator")),
    ("idleMinutes", text("无操作自动退出（分钟）", "Sign out when idle for (min)")),
    ("absoluteHours", text("最长登录时长（小时）", "Maximum session length (h)")),
    ("captchaAfter", text("连续失败多少次后要求验证码", "Failed attempts before a captcha")),
    ("passwordMaxAgeDays", text("密码有效期（天）", "Passwords expire after (days)")),
    ("secondFactorForPower", text("超级用户必须使用两步验证", "Power users must use two-step verification")),
    ("heartbeatSeconds", text("心跳间隔（秒）", "Heartbeat (s)")),
    ("graceSeconds", text("代理断开宽限期（秒）", "Grace period after agent disconnects (s)")),
    ("cpuPercent", text("CPU 阈值（%）", "CPU threshold (%)")),
    ("memoryPercent", text("内存阈值（%）", "Memory threshold (%)")),
    ("storagePercent", text("存储阈值（%）", "Storage threshold (%)")),
    ("temperature", text("温度阈值（°C）", "Temperature threshold (°C)")),
    ("tasksPerHost", text("每台主机并发任务", "Concurrent tasks per host")),
    ("tasksPerFrame", text("每个机架并发任务", "Concurrent tasks per frame")),
    ("tasksPerRoom", text("每个机房并发任务", "Concurrent tasks per room")),
    ("stopAtFailedPercent", text("失败超过比例时暂停（%）", "Pause when failures exceed (%)")),
    ("approvalAbove", text("危险操作与脚本需审批的卡数", "Approval needed above (cards)")),
    ("approvalMinutes", text("审批合并计数时长（分钟）", "Approval counting window (min)")),
    ("cardMinutesHours", text("单卡分钟指标保留（小时）", "Per-card metrics kept (h)")),
    ("cardMinutesMegabytes", text("单卡分钟指标上限（MB）", "Per-card metrics, size limit (MB)")),
    ("placeDays", text("机房与主机指标保留（天）", "Room and host metrics kept (days)")),
    ("eventDays", text("时间线保留（天）", "Timelines kept (days)")),
    ("operationDays", text("批量操作保留（天）", "Operations kept (days)")),
    ("allowedOfflineMinutes", text("允许离线（分钟）", "Allowed offline (min)")),
    ("allowedFaultMinutes", text("允许故障（分钟）", "Allowed faulty (min)")),
    ("allowedMaintenanceMinutes", text("允许维护（分钟）", "Allowed in maintenance (min)")),
    ("allowedUpgradingMinutes", text("允许升级（分钟）", "Allowed upgrading (min)")),
    ("allowedUnknownMinutes", text("允许未知（分钟）", "Allowed unknown (min)")),
    // What the card's facts are called.
    ("reached", text("网络可达", "Reachable")),
    ("tcpOpen", text("ADB 端口开放", "ADB port open")),
    ("adbAnswers", text("ADB 有响应", "ADB answers")),
    ("booted", text("系统已启动", "Booted")),
];

/// Fields whose closed list has another name, or that a kind has beside those of its list.
const CHOSEN: &[(&str, &str)] = &[
    ("wantedPower", "Power"),
    ("reached", "Fact"),
    ("tcpOpen", "Fact"),
    ("adbAnswers", "Fact"),
    ("booted", "Fact"),
    ("userStatus", "ClientUserStatus"),
];

/// A closed list: a value as JSON, and its label.
type Choices = BTreeMap<String, Pair>;

/// The fields of one kind of object.
#[derive(Debug, Default)]
struct Shape {
    labels: BTreeMap<String, Pair>,
    /// The name of the closed list that a field's value is in.
    choices: BTreeMap<String, String>,
}

/// The fields of every kind of object.
#[derive(Debug, Default)]
pub struct Shapes {
    kinds: BTreeMap<&'static str, Shape>,
    choices: BTreeMap<String, Choices>,
}

fn pair(of: &Value) -> Option<Pair> {
    Some([of.get(0)?.as_str()?.to_owned(), of.get(1)?.as_str()?.to_owned()])
}

const fn side(pair: &Pair, lang: Lang) -> &String {
    let [zh, en] = pair;
    match lang {
        Lang::Zh => zh,
        Lang::En => en,
    }
}

/// The schema that a property refers to, also where it may be null.
fn referred(property: &Value) -> Option<&str> {
    let direct = property.get("$ref");
    let either = || property.get("oneOf")?.as_array()?.iter().find_map(|one| one.get("$ref"));
    direct.or_else(either)?.as_str()?.rsplit('/').next()
}

impl Shapes {
    /// The shapes of `kinds`, each with the name of its schema in `document`.
    #[must_use]
    pub fn of(document: &Value, kinds: impl Iterator<Item = (&'static str, String)>) -> Self {
        let schemas = &document["components"]["schemas"];
        let empty = Map::new();
        let listed = schemas.as_object().unwrap_or(&empty);
        let choices = listed.iter().filter_map(|(name, schema)| {
            let values = schema.get("x-choices")?.as_array()?;
            let of = |one: &Value| Some((one.get("value")?.to_string(), pair(one.get("label")?)?));
            Some((name.clone(), values.iter().filter_map(of).collect()))
        });
        let choices: BTreeMap<String, Choices> = choices.collect();
        let kinds = kinds.map(|(kind, name)| {
            let schema = &schemas[name.as_str()];
            let mut shape = Shape::default();
            for part in std::iter::once(schema).chain(schema["allOf"].as_array().into_iter().flatten()) {
                if let Some(labels) = part.get("x-labels").and_then(Value::as_object) {
                    shape.labels.extend(labels.iter().filter_map(|(key, label)| Some((key.clone(), pair(label)?))));
                }
                for (key, property) in part.get("properties").and_then(Value::as_object).into_iter().flatten() {
                    if let Some(list) = referred(property).filter(|list| choices.contains_key(*list)) {
                        shape.choices.insert(key.clone(), list.to_owned());
                    }
                }
            }
            (kind, shape)
        });
        Self { kinds: kinds.collect(), choices }
    }

    /// What the field at `path` (`a.b` for one within another) of a `kind` is called. One that is not known stands for
    /// itself.
    #[must_use]
    pub fn label(&self, kind: &str, path: &str, lang: Lang) -> String {
        let known = |key: &str| {
            let own =
                self.kinds.get(kind).and_then(|shape| shape.labels.get(key)).map(|label| side(label, lang).clone());
            own.or_else(|| {
                let (_, common) = COMMON.iter().find(|(name, _)| *name == key)?;
                Some(common.get(lang).to_owned())
            })
        };
        if let Some(label) = known(path) {
            return label;
        }
        match path.rsplit_once('.') {
            Some((outer, inner)) => {
                format!("{} · {}", self.label(kind, outer, lang), known(inner).unwrap_or_else(|| inner.to_owned()))
            }
            None => path.to_owned(),
        }
    }

    /// The label of `value` in the closed list of its field; none if it is in none.
    #[must_use]
    pub fn choice(&self, kind: &str, path: &str, value: &Value, lang: Lang) -> Option<String> {
        let key = path.rsplit('.').next().unwrap_or(path);
        let own = self.kinds.get(kind).and_then(|shape| shape.choices.get(key)).cloned();
        let chosen = || CHOSEN.iter().find(|(name, _)| *name == key).map(|(_, list)| (*list).to_owned());
        // A closed list is mostly called like the field.
        let named = || key[..1].to_ascii_uppercase() + &key[1..];
        let list = own.or_else(chosen).unwrap_or_else(named);
        Some(side(self.choices.get(&list)?.get(&value.to_string())?, lang).clone())
    }
}
