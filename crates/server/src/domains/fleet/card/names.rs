//! What a card's words are called in files. The console has the same words.

use entity::card::{Maintenance, NetworkStatus, RunStatus};
use kernel::text::{Text, text};

pub const fn run_status(status: RunStatus) -> Text {
    match status {
        RunStatus::Idle => text("空闲", "Idle"),
        RunStatus::InUse => text("使用中", "In use"),
        RunStatus::Maintenance => text("维护中", "Maintenance"),
        RunStatus::Fault => text("故障", "Fault"),
        RunStatus::Upgrading => text("升级中", "Upgrading"),
        RunStatus::Offline => text("离线", "Offline"),
        RunStatus::Unknown => text("未知", "Unknown"),
    }
}

pub const fn network_status(status: NetworkStatus) -> Text {
    match status {
        NetworkStatus::Online => text("在线", "Online"),
        NetworkStatus::Degraded => text("异常", "Degraded"),
        NetworkStatus::Offline => text("离线", "Offline"),
    }
}

pub const fn maintenance(state: Maintenance) -> Text {
    match state {
        Maintenance::None => text("无", "None"),
        Maintenance::Draining => text("排空中", "Draining"),
        Maintenance::InMaintenance => text("维护中", "In maintenance"),
    }
}
