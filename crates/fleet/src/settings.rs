//! Device and global settings: timeouts, limits and retention.

use base::http::DomainRouter;
use base::settings::SettingsDoc;
use base::settings::calls::Calls;
use entity::card::RunStatus;
use kernel::rules::{Check, integer_between};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::screens::perm;

/// Device and global settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default, rename_all = "camelCase")]
pub struct FleetSettings {
    /// Seconds between two reports of a card, 5 to 300.
    #[schema(minimum = 5, maximum = 300)]
    pub heartbeat_seconds: i64,
    /// Seconds after which the cards of a room whose agent is gone are offline, 15 to 3600.
    #[schema(minimum = 15, maximum = 3600)]
    pub grace_seconds: i64,
    /// CPU usage in percent above which a card is marked, 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub cpu_percent: i64,
    /// Memory usage in percent, 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub memory_percent: i64,
    /// Storage usage in percent, 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub storage_percent: i64,
    /// Degrees Celsius, 30 to 120.
    #[schema(minimum = 30, maximum = 120)]
    pub temperature: i64,
    /// Concurrent tasks per host, 1 to 256.
    #[schema(minimum = 1, maximum = 256)]
    pub tasks_per_host: i64,
    /// Per frame, 1 to 5000.
    #[schema(minimum = 1, maximum = 5000)]
    pub tasks_per_frame: i64,
    /// Per room, 1 to 10000.
    #[schema(minimum = 1, maximum = 10_000)]
    pub tasks_per_room: i64,
    /// Percentage of failed tasks above which an operation pauses, 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub stop_at_failed_percent: i64,
    /// Number of cards per room above which dangerous operations and scripts of one operator need approval, 0 to 99999;
    /// 0 means never.
    #[schema(minimum = 0, maximum = 99_999)]
    pub approval_above: i64,
    /// Minutes within which the operations of one operator are counted together, 1 to 1440.
    #[schema(minimum = 1, maximum = 1440)]
    pub approval_minutes: i64,
    /// Hours for which per-minute figures of cards are kept, 1 to 720.
    #[schema(minimum = 1, maximum = 720)]
    pub card_minutes_hours: i64,
    /// Megabytes that these figures may take; the oldest are removed first. 10 to 99999.
    #[schema(minimum = 10, maximum = 99_999)]
    pub card_minutes_megabytes: i64,
    /// Days for which the figures of rooms and hosts are kept, 1 to 999.
    #[schema(minimum = 1, maximum = 999)]
    pub place_days: i64,
    /// Days for which the cards' timelines are kept, 1 to 999.
    #[schema(minimum = 1, maximum = 999)]
    pub event_days: i64,
    /// Days for which operations are kept after their end, with their output and files, 1 to 999.
    #[schema(minimum = 1, maximum = 999)]
    pub operation_days: i64,
    /// Minutes that a card may be offline before it is marked overdue, 1 to 9999.
    #[schema(minimum = 1, maximum = 9999)]
    pub allowed_offline_minutes: i64,
    /// The same for faulty cards.
    #[schema(minimum = 1, maximum = 9999)]
    pub allowed_fault_minutes: i64,
    /// The same for cards in maintenance.
    #[schema(minimum = 1, maximum = 9999)]
    pub allowed_maintenance_minutes: i64,
    /// The same for cards being upgraded.
    #[schema(minimum = 1, maximum = 9999)]
    pub allowed_upgrading_minutes: i64,
    /// The same for cards with unknown status.
    #[schema(minimum = 1, maximum = 9999)]
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

    fn check(&self, check: &mut Check) {
        let mut within = |field: &'static str, value: i64, min: i64, max: i64| {
            check.field(field, integer_between(value, min, max));
        };
        // Every field is named, so that a new one cannot be forgotten here.
        let Self {
            heartbeat_seconds,
            grace_seconds,
            cpu_percent,
            memory_percent,
            storage_percent,
            temperature,
            tasks_per_host,
            tasks_per_frame,
            tasks_per_room,
            stop_at_failed_percent,
            approval_above,
            approval_minutes,
            card_minutes_hours,
            card_minutes_megabytes,
            place_days,
            event_days,
            operation_days,
            allowed_offline_minutes,
            allowed_fault_minutes,
            allowed_maintenance_minutes,
            allowed_upgrading_minutes,
            allowed_unknown_minutes,
        } = self;
        within("heartbeatSeconds", *heartbeat_seconds, 5, 300);
        within("graceSeconds", *grace_seconds, 15, 3600);
        within("cpuPercent", *cpu_percent, 1, 100);
        within("memoryPercent", *memory_percent, 1, 100);
        within("storagePercent", *storage_percent, 1, 100);
        within("temperature", *temperature, 30, 120);
        within("tasksPerHost", *tasks_per_host, 1, 256);
        within("tasksPerFrame", *tasks_per_frame, 1, 5000);
        within("tasksPerRoom", *tasks_per_room, 1, 10_000);
        within("stopAtFailedPercent", *stop_at_failed_percent, 1, 100);
        within("approvalAbove", *approval_above, 0, 99_999);
        within("approvalMinutes", *approval_minutes, 1, 1440);
        within("cardMinutesHours", *card_minutes_hours, 1, 720);
        within("cardMinutesMegabytes", *card_minutes_megabytes, 10, 99_999);
        within("placeDays", *place_days, 1, 999);
        within("eventDays", *event_days, 1, 999);
        within("operationDays", *operation_days, 1, 999);
        within("allowedOfflineMinutes", *allowed_offline_minutes, 1, 9999);
        within("allowedFaultMinutes", *allowed_fault_minutes, 1, 9999);
        within("allowedMaintenanceMinutes", *allowed_maintenance_minutes, 1, 9999);
        within("allowedUpgradingMinutes", *allowed_upgrading_minutes, 1, 9999);
        within("allowedUnknownMinutes", *allowed_unknown_minutes, 1, 9999);
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
