//! Device and global settings: timeouts, limits and retention.

use base::http::DomainRouter;
use base::settings::calls::Calls;
use base::settings::{Field, SettingsDoc, field, unit};
use entity::card::RunStatus;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

const DEGREES: Text = text("°C", "°C");
const CARDS: Text = text("张", "cards");
const MEGABYTES: Text = text("MB", "MB");

/// Device and global settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FleetSettings {
    /// Seconds between two reports of a card.
    pub heartbeat_seconds: i64,
    /// Seconds after which the cards of a room whose agent is gone are offline.
    pub grace_seconds: i64,
    /// CPU usage in percent above which a card is marked.
    pub cpu_percent: i64,
    /// Memory usage in percent.
    pub memory_percent: i64,
    /// Storage usage in percent.
    pub storage_percent: i64,
    /// Degrees Celsius.
    pub temperature: i64,
    /// Concurrent tasks per host.
    pub tasks_per_host: i64,
    /// Per frame.
    pub tasks_per_frame: i64,
    /// Per room.
    pub tasks_per_room: i64,
    /// Percentage of failed tasks above which an operation pauses.
    pub stop_at_failed_percent: i64,
    /// Number of cards and phones per room above which dangerous operations and scripts of one operator need approval; 0
    /// means never.
    pub approval_above: i64,
    /// Minutes within which the operations of one operator are counted together.
    pub approval_minutes: i64,
    /// Hours for which per-minute figures of cards are kept.
    pub card_minutes_hours: i64,
    /// Megabytes that these figures may take; the oldest are removed first.
    pub card_minutes_megabytes: i64,
    /// Days for which the figures of rooms and hosts are kept.
    pub place_days: i64,
    /// Days for which the cards' timelines are kept.
    pub event_days: i64,
    /// Days for which operations are kept after their end, with their output and files.
    pub operation_days: i64,
    /// Minutes that a card may be offline before it is marked overdue.
    pub allowed_offline_minutes: i64,
    /// The same for faulty cards.
    pub allowed_fault_minutes: i64,
    /// The same for cards in maintenance.
    pub allowed_maintenance_minutes: i64,
    /// The same for cards being upgraded.
    pub allowed_upgrading_minutes: i64,
    /// The same for cards with unknown status.
    pub allowed_unknown_minutes: i64,
}

impl Default for FleetSettings {
    fn default() -> Self {
        Self {
            heartbeat_seconds: 10,
            grace_seconds: 60,
            cpu_percent: 90,
            memory_percent: 90,
            storage_percent: 90,
            temperature: 80,
            tasks_per_host: 6,
            tasks_per_frame: 64,
            tasks_per_room: 500,
            stop_at_failed_percent: 20,
            approval_above: 1000,
            approval_minutes: 10,
            card_minutes_hours: 24,
            card_minutes_megabytes: 2048,
            place_days: 90,
            event_days: 180,
            operation_days: 90,
            allowed_offline_minutes: 10,
            allowed_fault_minutes: 1440,
            allowed_maintenance_minutes: 480,
            allowed_upgrading_minutes: 90,
            allowed_unknown_minutes: 60,
        }
    }
}

impl SettingsDoc for FleetSettings {
    const NAME: &'static str = "fleet";

    fn fields() -> Vec<Field<Self>> {
        vec![
            field("heartbeatSeconds", text("心跳间隔", "Heartbeat"))
                .unit(unit::SECONDS)
                .within(5..=300, |all| all.heartbeat_seconds),
            field("graceSeconds", text("代理断开宽限期", "Grace period after agent disconnects"))
                .unit(unit::SECONDS)
                .within(15..=3600, |all| all.grace_seconds),
            field("cpuPercent", text("CPU 阈值", "CPU threshold"))
                .unit(unit::PERCENT)
                .within(1..=100, |all| all.cpu_percent),
            field("memoryPercent", text("内存阈值", "Memory threshold"))
                .unit(unit::PERCENT)
                .within(1..=100, |all| all.memory_percent),
            field("storagePercent", text("存储阈值", "Storage threshold"))
                .unit(unit::PERCENT)
                .within(1..=100, |all| all.storage_percent),
            field("temperature", text("温度阈值", "Temperature threshold"))
                .unit(DEGREES)
                .within(30..=120, |all| all.temperature),
            field("tasksPerHost", text("每台主机并发任务", "Concurrent tasks per host"))
                .within(1..=256, |all| all.tasks_per_host),
            field("tasksPerFrame", text("每个机架并发任务", "Concurrent tasks per frame"))
                .within(1..=5000, |all| all.tasks_per_frame),
            field("tasksPerRoom", text("每个机房并发任务", "Concurrent tasks per room"))
                .within(1..=10_000, |all| all.tasks_per_room),
            field("stopAtFailedPercent", text("失败超过比例时暂停", "Pause when failures exceed"))
                .unit(unit::PERCENT)
                .within(1..=100, |all| all.stop_at_failed_percent),
            field("approvalAbove", text("危险操作与脚本需审批的卡数", "Approval needed above"))
                .unit(CARDS)
                .within(0..=99_999, |all| all.approval_above),
            field("approvalMinutes", text("审批合并计数时长", "Approval counting window"))
                .unit(unit::MINUTES)
                .within(1..=1440, |all| all.approval_minutes),
            field("cardMinutesHours", text("单卡分钟指标保留", "Per-card metrics kept"))
                .unit(unit::HOURS)
                .within(1..=720, |all| all.card_minutes_hours),
            field("cardMinutesMegabytes", text("单卡分钟指标上限", "Per-card metrics, size limit"))
                .unit(MEGABYTES)
                .within(10..=99_999, |all| all.card_minutes_megabytes),
            field("placeDays", text("机房与主机指标保留", "Room and host metrics kept"))
                .unit(unit::DAYS)
                .within(1..=999, |all| all.place_days),
            field("eventDays", text("时间线保留", "Timelines kept"))
                .unit(unit::DAYS)
                .within(1..=999, |all| all.event_days),
            field("operationDays", text("批量操作保留", "Operations kept"))
                .unit(unit::DAYS)
                .within(1..=999, |all| all.operation_days),
            field("allowedOfflineMinutes", text("允许离线", "Allowed offline"))
                .unit(unit::MINUTES)
                .within(1..=9999, |all| all.allowed_offline_minutes),
            field("allowedFaultMinutes", text("允许故障", "Allowed faulty"))
                .unit(unit::MINUTES)
                .within(1..=9999, |all| all.allowed_fault_minutes),
            field("allowedMaintenanceMinutes", text("允许维护", "Allowed in maintenance"))
                .unit(unit::MINUTES)
                .within(1..=9999, |all| all.allowed_maintenance_minutes),
            field("allowedUpgradingMinutes", text("允许升级", "Allowed upgrading"))
                .unit(unit::MINUTES)
                .within(1..=9999, |all| all.allowed_upgrading_minutes),
            field("allowedUnknownMinutes", text("允许未知", "Allowed unknown"))
                .unit(unit::MINUTES)
                .within(1..=9999, |all| all.allowed_unknown_minutes),
        ]
    }
}

impl FleetSettings {
    /// For each status, the earliest time since when a card may have it without being overdue at `now`.
    #[must_use]
    pub fn allowed_since(&self, now: UtcTime) -> [(RunStatus, UtcTime); 5] {
        [
            (RunStatus::Offline, self.allowed_offline_minutes),
            (RunStatus::Fault, self.allowed_fault_minutes),
            (RunStatus::Maintenance, self.allowed_maintenance_minutes),
            (RunStatus::Upgrading, self.allowed_upgrading_minutes),
            (RunStatus::Unknown, self.allowed_unknown_minutes),
        ]
        .map(|(status, minutes)| (status, now.plus_seconds(-60 * minutes)))
    }
}

/// The access table of the settings.
pub fn router() -> DomainRouter {
    let calls = Calls {
        path: "/api/fleet/v1/settings",
        tag: "fleet",
        name: "fleet_setting",
        what: "the device and global settings",
        get: perm::FLEET_SETTING_GET,
        update: perm::FLEET_SETTING_UPDATE,
        saved: |_| (),
    };
    calls.routes::<FleetSettings>().step_up()
}
