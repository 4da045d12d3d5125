//! What an operation does, and what of it is for agents.

use entity::card::Maintenance;
use entity::operation::OperationKind;
use entity::{FrameId, OperationFileId};
use kernel::rules::{Check, Violation, integer_between, line, max_chars};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use wire::{FileRef, PowerOrder};

use crate::domains::fleet::BookAct;

/// What is kept of an operation's wish, as JSON.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Act {
    Reboot,
    Power {
        order: PowerOrder,
    },
    Shell {
        script: String,
    },
    Install {
        file: FileRef,
        package: Option<String>,
    },
    Uninstall {
        package: String,
    },
    Push {
        file: FileRef,
        path: String,
    },
    Pull {
        path: String,
    },
    PullLog,
    Screenshot,
    SpeedLimit {
        kbit: Option<u32>,
    },
    SetProperty {
        name: String,
        value: String,
    },
    FactoryReset,
    Wipe,
    Maintain {
        state: Maintenance,
        until: Option<UtcTime>,
    },
    SetFlags {
        assignable: Option<bool>,
        overcommit: Option<bool>,
    },
    /// With the frame's name as it was, for people.
    Move {
        frame: FrameId,
        name: String,
    },
}

impl Act {
    pub const fn kind(&self) -> OperationKind {
        match self {
            Self::Reboot => OperationKind::Reboot,
            Self::Power { order: PowerOrder::On } => OperationKind::PowerOn,
            Self::Power { order: PowerOrder::Off } => OperationKind::PowerOff,
            Self::Power { order: PowerOrder::Cycle } => OperationKind::PowerCycle,
            Self::Shell { .. } => OperationKind::Shell,
            Self::Install { .. } => OperationKind::Install,
            Self::Uninstall { .. } => OperationKind::Uninstall,
            Self::Push { .. } => OperationKind::Push,
            Self::Pull { .. } => OperationKind::Pull,
            Self::PullLog => OperationKind::PullLog,
            Self::Screenshot => OperationKind::Screenshot,
            Self::SpeedLimit { .. } => OperationKind::SpeedLimit,
            Self::SetProperty { .. } => OperationKind::SetProperty,
            Self::FactoryReset => OperationKind::FactoryReset,
            Self::Wipe => OperationKind::Wipe,
            Self::Maintain { state: Maintenance::Draining, .. } => OperationKind::Drain,
            Self::Maintain { state: Maintenance::InMaintenance, .. } => OperationKind::Maintain,
            Self::Maintain { state: Maintenance::None, .. } => OperationKind::Return,
            Self::SetFlags { .. } => OperationKind::SetFlags,
            Self::Move { .. } => OperationKind::Move,
        }
    }

    /// The file that it installs or pushes.
    pub fn file_id(&self) -> Option<OperationFileId> {
        match self {
            Self::Install { file, .. } | Self::Push { file, .. } => file.id.parse().ok().map(OperationFileId),
            Self::Reboot
            | Self::Power { .. }
            | Self::Shell { .. }
            | Self::Uninstall { .. }
            | Self::Pull { .. }
            | Self::PullLog
            | Self::Screenshot
            | Self::SpeedLimit { .. }
            | Self::SetProperty { .. }
            | Self::FactoryReset
            | Self::Wipe
            | Self::Maintain { .. }
            | Self::SetFlags { .. }
            | Self::Move { .. } => None,
        }
    }

    /// What can be said of an act on the books by its kind alone.
    pub fn books_of(kind: OperationKind) -> Option<BookAct> {
        let states = [
            (OperationKind::Drain, Maintenance::Draining),
            (OperationKind::Maintain, Maintenance::InMaintenance),
            (OperationKind::Return, Maintenance::None),
        ];
        let found = states.into_iter().find(|(each, _)| *each == kind);
        found.map(|(_, state)| BookAct::Maintain { state, until: None })
    }

    /// For the books; none for what is done at the cards.
    pub fn for_books(&self) -> Option<BookAct> {
        match *self {
            Self::Maintain { state, until } => Some(BookAct::Maintain { state, until }),
            Self::SetFlags { assignable, overcommit } => Some(BookAct::SetFlags { assignable, overcommit }),
            Self::Move { frame, .. } => Some(BookAct::Move { frame }),
            Self::Reboot
            | Self::Power { .. }
            | Self::Shell { .. }
            | Self::Install { .. }
            | Self::Uninstall { .. }
            | Self::Push { .. }
            | Self::Pull { .. }
            | Self::PullLog
            | Self::Screenshot
            | Self::SpeedLimit { .. }
            | Self::SetProperty { .. }
            | Self::FactoryReset
            | Self::Wipe => None,
        }
    }

    /// For an agent; none for power, which needs the card's BMC, and for what is done in the books.
    pub fn for_agent(&self) -> Option<wire::Act> {
        Some(match self.clone() {
            Self::Power { .. } | Self::Maintain { .. } | Self::SetFlags { .. } | Self::Move { .. } => return None,
            Self::Reboot => wire::Act::Reboot,
            Self::Shell { script } => wire::Act::Shell { script },
            Self::Install { file, package } => wire::Act::Install { file, package },
            Self::Uninstall { package } => wire::Act::Uninstall { package },
            Self::Push { file, path } => wire::Act::Push { file, path },
            Self::Pull { path } => wire::Act::Pull { path },
            Self::PullLog => wire::Act::PullLog,
            Self::Screenshot => wire::Act::Screenshot,
            Self::SpeedLimit { kbit } => wire::Act::SpeedLimit { kbit },
            Self::SetProperty { name, value } => wire::Act::SetProperty { name, value },
            Self::FactoryReset => wire::Act::FactoryReset,
            Self::Wipe => wire::Act::Wipe,
        })
    }

    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        match self {
            Self::Shell { script } => {
                if script.trim().is_empty() {
                    check.add("script", Violation::new("required"));
                }
                check.field("script", max_chars(script, 8000));
                if script.contains('\0') {
                    check.add("script", Violation::new("text.control"));
                }
            }
            Self::Install { package: Some(package), .. } | Self::Uninstall { package } => {
                if adb::PackageName::new(package).is_err() {
                    check.add("package", Violation::new("package.format"));
                }
            }
            Self::Push { path, .. } | Self::Pull { path } => {
                if adb::DevicePath::new(path).is_err() {
                    check.add("path", Violation::new("path.absolute"));
                }
            }
            Self::SpeedLimit { kbit: Some(kbit) } => {
                check.field("kbit", integer_between(i64::from(*kbit), 8, 10_000_000));
            }
            Self::SetProperty { name, value } => {
                if adb::PropName::new(name).is_err() {
                    check.add("name", Violation::new("package.format"));
                }
                check.field("value", line(value, 91));
            }
            Self::SetFlags { assignable: None, overcommit: None } => {
                check.add("assignable", Violation::new("required"));
            }
            Self::Install { package: None, .. }
            | Self::Reboot
            | Self::Power { .. }
            | Self::PullLog
            | Self::Screenshot
            | Self::SpeedLimit { kbit: None }
            | Self::FactoryReset
            | Self::Wipe
            | Self::Maintain { .. }
            | Self::SetFlags { .. }
            | Self::Move { .. } => {}
        }
    }
}
