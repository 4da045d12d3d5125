//! What an operation does, and which part of it is for agents.

use entity::card::Maintenance;
use entity::operation::OperationKind;
use entity::{FrameId, OperationFileId};
use kernel::rules::{Check, Verdict, Violation, integer_between, line, max_chars};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use wire::{FileRef, PowerOrder};

use crate::card::record_act::RecordAct;

/// The name of an Android package.
///
/// # Errors
/// It is none.
pub fn package_name(text: &str) -> Verdict {
    if adb::PackageName::new(text).is_ok() { Ok(()) } else { Err(Violation::new("package.format")) }
}

/// The stored parameters of an operation, as JSON.
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
    Profile,
    WipeStray,
    Maintain {
        state: Maintenance,
        until: Option<UtcTime>,
    },
    SetFlags {
        assignable: Option<bool>,
        overcommit: Option<bool>,
    },
    /// With the frame's name at the time, for display.
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
            Self::Profile => OperationKind::Profile,
            Self::WipeStray => OperationKind::WipeStray,
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
            | Self::Profile
            | Self::WipeStray
            | Self::Maintain { .. }
            | Self::SetFlags { .. }
            | Self::Move { .. } => None,
        }
    }

    /// The record change that the kind alone determines.
    pub fn record_act_of(kind: OperationKind) -> Option<RecordAct> {
        let states = [
            (OperationKind::Drain, Maintenance::Draining),
            (OperationKind::Maintain, Maintenance::InMaintenance),
            (OperationKind::Return, Maintenance::None),
        ];
        let found = states.into_iter().find(|(each, _)| *each == kind);
        found.map(|(_, state)| RecordAct::Maintain { state, until: None })
    }

    /// The record change; none for what is done on the cards.
    pub fn record_act(&self) -> Option<RecordAct> {
        match *self {
            Self::Maintain { state, until } => Some(RecordAct::Maintain { state, until }),
            Self::SetFlags { assignable, overcommit } => Some(RecordAct::SetFlags { assignable, overcommit }),
            Self::Move { frame, .. } => Some(RecordAct::Move { frame }),
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
            | Self::Wipe
            | Self::Profile
            | Self::WipeStray => None,
        }
    }

    /// For an agent; none for power, which needs the card's BMC, and for record changes.
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
            // The plain wipe leaves the data of apps, and the mark: the card would stay set aside, or the next phone find them.
            Self::FactoryReset | Self::WipeStray => wire::Act::FactoryReset,
            Self::Wipe => wire::Act::Wipe,
            Self::Profile => wire::Act::Profile,
        })
    }

    /// Records what is wrong with it.
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
                check.field("package", package_name(package));
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
            | Self::Profile
            | Self::WipeStray
            | Self::Maintain { .. }
            | Self::SetFlags { .. }
            | Self::Move { .. } => {}
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use entity::operation::OperationKind;

    use super::Act;

    /// The stored form outlives the calls that write it: operations of earlier versions are read, run and retried.
    #[test]
    fn what_earlier_versions_stored_is_read() {
        for (stored, kind) in [
            (r#"{"kind":"reboot"}"#, OperationKind::Reboot),
            (r#"{"kind":"power","order":"cycle"}"#, OperationKind::PowerCycle),
            (r#"{"kind":"shell","script":"id"}"#, OperationKind::Shell),
            (
                r#"{"kind":"install","file":{"id":"7","name":"a.apk","size":9,"sha256":"00"},"package":"a.b"}"#,
                OperationKind::Install,
            ),
            (r#"{"kind":"speedLimit","kbit":null}"#, OperationKind::SpeedLimit),
            (r#"{"kind":"wipeStray"}"#, OperationKind::WipeStray),
            (r#"{"kind":"maintain","state":2,"until":null}"#, OperationKind::Drain),
            (r#"{"kind":"maintain","state":1,"until":null}"#, OperationKind::Return),
            (r#"{"kind":"setFlags","assignable":true,"overcommit":null}"#, OperationKind::SetFlags),
            (r#"{"kind":"move","frame":3,"name":"A-1"}"#, OperationKind::Move),
        ] {
            let act: Act = serde_json::from_str(stored).unwrap();
            assert_eq!(act.kind(), kind, "{stored}");
            assert_eq!(serde_json::to_string(&act).unwrap(), stored);
        }
    }
}
