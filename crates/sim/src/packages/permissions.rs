//! What packages ask for, and what of it they were granted: permissions as Android 12 knows them (AOSP
//! `core/res/AndroidManifest.xml`), each user's own.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::exception;
use crate::card::State;
use crate::programs::proc::{Outcome, Proc};

/// Who has a permission that he asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Everybody.
    Normal,
    /// Whoever a user grants it.
    Runtime,
    /// The same, if who installed the package exempts it: `pm` does.
    Restricted,
    /// Whoever is granted it by a developer.
    Development,
    /// The system alone.
    System,
}

/// The beginning of most names, which the table leaves out.
const ANDROID: &str = "android.permission.";

const KNOWN: &[(Kind, &[&str])] = &[
    (
        Kind::Normal,
        &[
            "ACCESS_NETWORK_STATE",
            "ACCESS_NOTIFICATION_POLICY",
            "ACCESS_WIFI_STATE",
            "BLUETOOTH",
            "BLUETOOTH_ADMIN",
            "BROADCAST_STICKY",
            "CHANGE_NETWORK_STATE",
            "CHANGE_WIFI_MULTICAST_STATE",
            "CHANGE_WIFI_STATE",
            "DISABLE_KEYGUARD",
            "EXPAND_STATUS_BAR",
            "FOREGROUND_SERVICE",
            "GET_PACKAGE_SIZE",
            "HIGH_SAMPLING_RATE_SENSORS",
            "INTERNET",
            "KILL_BACKGROUND_PROCESSES",
            "MODIFY_AUDIO_SETTINGS",
            "NFC",
            "QUERY_ALL_PACKAGES",
            "READ_SYNC_SETTINGS",
            "READ_SYNC_STATS",
            "RECEIVE_BOOT_COMPLETED",
            "REORDER_TASKS",
            "REQUEST_DELETE_PACKAGES",
            "REQUEST_IGNORE_BATTERY_OPTIMIZATIONS",
            "SCHEDULE_EXACT_ALARM",
            "SET_WALLPAPER",
            "TRANSMIT_IR",
            "USE_BIOMETRIC",
            "USE_FINGERPRINT",
            "USE_FULL_SCREEN_INTENT",
            "VIBRATE",
            "WAKE_LOCK",
            "WRITE_SYNC_SETTINGS",
            "com.android.alarm.permission.SET_ALARM",
            "com.android.launcher.permission.INSTALL_SHORTCUT",
        ],
    ),
    (
        Kind::Runtime,
        &[
            "ACCEPT_HANDOVER",
            "ACCESS_COARSE_LOCATION",
            "ACCESS_FINE_LOCATION",
            "ACCESS_MEDIA_LOCATION",
            "ACTIVITY_RECOGNITION",
            "ANSWER_PHONE_CALLS",
            "BLUETOOTH_ADVERTISE",
            "BLUETOOTH_CONNECT",
            "BLUETOOTH_SCAN",
            "BODY_SENSORS",
            "CALL_PHONE",
            "CAMERA",
            "GET_ACCOUNTS",
            "READ_CALENDAR",
            "READ_CONTACTS",
            "READ_PHONE_NUMBERS",
            "READ_PHONE_STATE",
            "RECORD_AUDIO",
            "USE_SIP",
            "UWB_RANGING",
            "WRITE_CALENDAR",
            "WRITE_CONTACTS",
            "com.android.voicemail.permission.ADD_VOICEMAIL",
        ],
    ),
    (
        Kind::Restricted,
        &[
            "ACCESS_BACKGROUND_LOCATION",
            "PROCESS_OUTGOING_CALLS",
            "READ_CALL_LOG",
            "READ_CELL_BROADCASTS",
            "READ_EXTERNAL_STORAGE",
            "READ_SMS",
            "RECEIVE_MMS",
            "RECEIVE_SMS",
            "RECEIVE_WAP_PUSH",
            "SEND_SMS",
            "WRITE_CALL_LOG",
            "WRITE_EXTERNAL_STORAGE",
        ],
    ),
    (
        Kind::Development,
        &[
            "BATTERY_STATS",
            "CHANGE_CONFIGURATION",
            "DUMP",
            "INTERACT_ACROSS_USERS",
            "PACKAGE_USAGE_STATS",
            "READ_LOGS",
            "SET_ALWAYS_FINISH",
            "SET_ANIMATION_SCALE",
            "SET_DEBUG_APP",
            "SET_PROCESS_LIMIT",
            "SIGNAL_PERSISTENT_PROCESSES",
            "SYSTEM_ALERT_WINDOW",
            "WRITE_SECURE_SETTINGS",
        ],
    ),
    (
        Kind::System,
        &[
            "BIND_ACCESSIBILITY_SERVICE",
            "CLEAR_APP_USER_DATA",
            "DELETE_PACKAGES",
            "INJECT_EVENTS",
            "INSTALL_PACKAGES",
            "MANAGE_EXTERNAL_STORAGE",
            "REBOOT",
            "REQUEST_INSTALL_PACKAGES",
            "WRITE_MEDIA_STORAGE",
            "WRITE_SETTINGS",
        ],
    ),
];

/// What Android's own settings write beside a permission of every app, and beside one that `pm` exempts (AOSP
/// `PackageManager.permissionFlagToString`).
const SENSITIVE: &str = "USER_SENSITIVE_WHEN_GRANTED|USER_SENSITIVE_WHEN_DENIED";
const EXEMPT: &str = "|RESTRICTION_INSTALLER_EXEMPT";

impl Kind {
    fn of(name: &str) -> Option<Self> {
        let short = name.strip_prefix(ANDROID).unwrap_or(name);
        let known = || KNOWN.iter().find(|(_, names)| names.contains(&short)).map(|(kind, _)| *kind);
        if name.contains('.') { known() } else { None }
    }

    /// Whether each user decides about it.
    fn is_runtime(self) -> bool {
        matches!(self, Self::Runtime | Self::Restricted)
    }

    /// Whether it can be granted and taken back.
    fn is_changeable(self) -> bool {
        self.is_runtime() || self == Self::Development
    }
}

/// What a package asks for, and what of it its users have granted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Permissions {
    asked: Vec<Box<str>>,
    granted: BTreeMap<u32, BTreeSet<Box<str>>>,
}

impl Permissions {
    /// What it asks for from now on; what was granted before and is still asked for stays granted.
    pub(super) fn ask(&mut self, names: &[String]) {
        self.asked = names.iter().map(|name| name.as_str().into()).collect();
        let Self { asked, granted } = self;
        granted.values_mut().for_each(|names| names.retain(|name| asked.contains(name)));
    }

    /// Whether a user has granted this one.
    #[must_use]
    pub fn is_granted(&self, user: u32, name: &str) -> bool {
        self.granted.get(&user).is_some_and(|names| names.contains(name))
    }

    /// A user grants all that can be granted.
    pub(super) fn grant_all(&mut self, user: u32) {
        let all = self.asked.iter().filter(|name| Kind::of(name).is_some_and(Kind::is_changeable)).cloned();
        self.granted.entry(user).or_default().extend(all);
    }

    /// A user has granted nothing any more.
    pub(super) fn forget(&mut self, user: u32) {
        self.granted.remove(&user);
    }

    /// `pm grant` and `pm revoke`.
    fn change(&mut self, act: &str, user: u32, name: &str) {
        let granted = self.granted.entry(user).or_default();
        if act == "grant" {
            granted.insert(name.into());
        } else {
            granted.remove(name);
        }
    }

    fn of_kind(&self, is_wanted: impl Fn(Kind) -> bool) -> impl Iterator<Item = (&str, Kind)> {
        let known = self.asked.iter().filter_map(|name| Some((&**name, Kind::of(name)?)));
        known.filter(move |(_, kind)| is_wanted(*kind))
    }

    /// What `dumpsys package` says of it for all users (AOSP `Settings.dumpPackageLPr`).
    pub(super) fn dump(&self, text: &mut String) {
        if !self.asked.is_empty() {
            text.push_str("    requested permissions:\n");
            for name in &self.asked {
                let _ = writeln!(text, "      {name}");
            }
        }
        let is_developers = |name: &str| self.granted.values().any(|names| names.contains(name));
        let installed: Vec<&str> = self
            .of_kind(|kind| matches!(kind, Kind::Normal | Kind::Development))
            .filter(|(name, kind)| *kind == Kind::Normal || is_developers(name))
            .map(|(name, _)| name)
            .collect();
        if !installed.is_empty() {
            text.push_str("    install permissions:\n");
            for name in installed {
                let _ = writeln!(text, "      {name}: granted=true");
            }
        }
    }

    /// The same for a user who has it.
    pub(super) fn dump_of(&self, user: u32, text: &mut String) {
        for (name, kind) in self.of_kind(Kind::is_runtime) {
            let (granted, exempt) = (self.is_granted(user, name), if kind == Kind::Restricted { EXEMPT } else { "" });
            let _ = writeln!(text, "        {name}: granted={granted}, flags=[ {SENSITIVE}{exempt}]");
        }
    }
}

/// `pm grant` and `pm revoke`.
pub async fn change(proc: &Proc, act: &str, args: &[&str], user: u32) -> Outcome {
    let [name, permission, ..] = args else {
        let missing = if args.is_empty() { "package" } else { "permission" };
        proc.fds[2].write(format!("Error: no {missing} specified\n").as_bytes()).await?;
        return Ok(1);
    };
    let refused = set(&mut proc.card.state(), act, (*name, user), permission).err();
    match refused {
        None => Ok(0),
        Some(thrown) => exception(proc, act, &thrown).await,
    }
}

/// Of users and packages that are not there the package manager tells its log alone.
pub(super) fn set(state: &mut State, act: &str, (name, user): (&str, u32), permission: &str) -> Result<(), String> {
    let is_user = state.user(user).is_some();
    let package = state.packages.get_mut(name).filter(|package| is_user && package.is_installed());
    let Some(package) = package else { return Ok(()) };
    let kind = Kind::of(permission);
    let kind = kind.ok_or_else(|| format!("java.lang.IllegalArgumentException: Unknown permission: {permission}"))?;
    if !kind.is_changeable() {
        return Err(format!(
            "java.lang.SecurityException: Permission {permission} requested by {name} is not a changeable permission type"
        ));
    }
    if !package.permissions.asked.iter().any(|asked| **asked == *permission) {
        return Err(format!("java.lang.SecurityException: Package {name} has not requested permission {permission}"));
    }
    package.permissions.change(act, user, permission);
    Ok(())
}
