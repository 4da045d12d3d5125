//! What Android brings: folders, links and devices that cost a card nothing, and the contexts of SELinux by place.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::inode::{Kind, Meta, Moment};

/// When the image was built, as far as its files say.
const BUILT: Moment = Moment::at(1_700_000_000);

/// Something that Android brings.
#[derive(Clone, Debug)]
pub struct Brought {
    /// What it is.
    pub kind: Kind,
    /// Rights and owners.
    pub meta: Meta,
    /// Where a link leads.
    pub target: &'static str,
    /// What is in a file; nothing if [`crate::card::Card`] makes it up.
    pub content: &'static str,
}

/// Folders with their rights, owner and group.
const FOLDERS: &[(&str, u32, u32, u32)] = &[
    ("/", 0o755, 0, 0),
    ("/cache", 0o770, 1000, 2001),
    ("/data", 0o771, 1000, 1000),
    ("/data/app", 0o771, 1000, 1000),
    ("/data/data", 0o771, 1000, 1000),
    ("/data/local", 0o751, 0, 0),
    ("/data/local/tmp", 0o771, 2000, 2000),
    ("/data/media", 0o770, 1023, 1023),
    ("/data/media/0", 0o770, 1023, 1023),
    ("/data/media/0/Download", 0o770, 1023, 1023),
    ("/data/misc", 0o1771, 1000, 9998),
    ("/data/misc/adb", 0o2750, 1000, 2000),
    ("/data/property", 0o700, 0, 0),
    ("/data/system", 0o775, 1000, 1000),
    ("/data/system/dropbox", 0o700, 1000, 1000),
    ("/data/system/users", 0o775, 1000, 1000),
    ("/data/system/users/0", 0o700, 1000, 1000),
    ("/data/user", 0o711, 1000, 1000),
    ("/data/user_de", 0o711, 1000, 1000),
    ("/data/user_de/0", 0o771, 1000, 1000),
    ("/dev", 0o755, 0, 0),
    ("/dev/block", 0o755, 0, 0),
    ("/dev/block/by-name", 0o755, 0, 0),
    ("/mnt", 0o755, 0, 1000),
    ("/proc", 0o555, 0, 0),
    ("/proc/net", 0o555, 0, 0),
    ("/storage", 0o755, 0, 0),
    ("/storage/emulated", 0o755, 0, 0),
    ("/storage/self", 0o755, 0, 0),
    ("/sys", 0o755, 0, 0),
    ("/sys/class", 0o755, 0, 0),
    ("/sys/class/thermal", 0o755, 0, 0),
    ("/sys/class/thermal/thermal_zone0", 0o755, 0, 0),
    ("/system", 0o755, 0, 0),
    ("/system/bin", 0o751, 0, 2000),
    ("/system/etc", 0o755, 0, 0),
    ("/vendor", 0o755, 0, 2000),
];

/// Links with where they lead.
const LINKS: &[(&str, &str)] = &[
    ("/data/user/0", "/data/data"),
    ("/etc", "/system/etc"),
    ("/sdcard", "/storage/self/primary"),
    ("/storage/emulated/0", "/data/media/0"),
    ("/storage/self/primary", "/storage/emulated/0"),
];

const DEVICES: &[&str] = &["/dev/null", "/dev/random", "/dev/tty", "/dev/urandom", "/dev/zero"];

/// Files of an image that was just set up, with their rights, owner, group and content.
const FILES: &[(&str, u32, u32, u32, &str)] = &[
    ("/data/misc/adb/adb_keys", 0o640, 1000, 2000, "QAAAAL8Lt1U= skyrack\n"),
    ("/data/property/persistent_properties", 0o600, 0, 0, "persist.sys.timezone=Asia/Shanghai\n"),
    (
        "/data/system/packages.list",
        0o640,
        1000,
        1032,
        "com.android.systemui 1000 0 /data/user_de/0/com.android.systemui\n",
    ),
    ("/data/system/packages.xml", 0o660, 1000, 1000, "<packages><version sdkVersion=\"32\" /></packages>\n"),
    ("/data/system/users/0/settings_secure.xml", 0o600, 1000, 1000, "<settings version=\"1\"></settings>\n"),
    ("/data/system/users/0.xml", 0o600, 1000, 1000, "<user id=\"0\" serialNumber=\"0\" flags=\"1043\" />\n"),
];

/// Files whose content [`crate::card::Card`] makes up.
const MADE: &[&str] = &[
    "/dev/block/by-name/boot",
    "/dev/block/by-name/system",
    "/dev/block/by-name/vendor",
    "/proc/loadavg",
    "/proc/meminfo",
    "/proc/mounts",
    "/proc/net/dev",
    "/proc/stat",
    "/proc/sys/kernel/random/boot_id",
    "/proc/uptime",
    "/proc/version",
    "/sys/class/thermal/thermal_zone0/temp",
    "/sys/class/thermal/thermal_zone0/type",
    "/system/bin/sh",
    "/system/build.prop",
];

/// Folders above files that are made up.
const ABOVE: &[&str] = &["/proc/sys", "/proc/sys/kernel", "/proc/sys/kernel/random"];

/// What Android brings at a path.
pub fn at(path: &str) -> Option<Brought> {
    let with = |kind, mode, uid, gid, target, content| {
        Some(Brought { kind, meta: Meta { mode, uid, gid, modified: BUILT, context: None }, target, content })
    };
    let brought = |kind, mode, uid, gid, target| with(kind, mode, uid, gid, target, "");
    if let Some((_, mode, uid, gid, content)) = FILES.iter().find(|file| file.0 == path) {
        return with(Kind::File, *mode, *uid, *gid, "", content);
    }
    if let Ok(found) = FOLDERS.binary_search_by(|folder| folder.0.cmp(path)) {
        let (_, mode, uid, gid) = FOLDERS[found];
        return brought(Kind::Folder, mode, uid, gid, "");
    }
    if let Some((_, target)) = LINKS.iter().find(|link| link.0 == path) {
        return brought(Kind::Link, 0o777, 0, 0, target);
    }
    if DEVICES.contains(&path) {
        return brought(Kind::Device, 0o666, 0, 0, "");
    }
    if ABOVE.contains(&path) {
        return brought(Kind::Folder, 0o555, 0, 0, "");
    }
    let mode = match path {
        path if path.starts_with("/system/bin/") => 0o755,
        path if path.starts_with("/dev/block/") => 0o600,
        _ => 0o444,
    };
    if MADE.contains(&path) { brought(Kind::File, mode, 0, 0, "") } else { None }
}

/// Every path that Android brings.
pub fn paths() -> impl Iterator<Item = &'static str> {
    let folders = FOLDERS.iter().map(|folder| folder.0);
    let links = LINKS.iter().map(|link| link.0);
    let files = FILES.iter().map(|file| file.0);
    folders
        .chain(links)
        .chain(files)
        .chain(DEVICES.iter().copied())
        .chain(MADE.iter().copied())
        .chain(ABOVE.iter().copied())
}

/// Where a card's own programs may write.
pub fn is_writable(path: &str) -> bool {
    ["/data/", "/storage/", "/mnt/", "/cache/"].iter().any(|root| path.starts_with(root))
}

/// Whether something is the system's own: what a factory reset leaves as it is.
pub fn is_system(path: &str) -> bool {
    ["/system/", "/vendor/"].iter().any(|root| path.starts_with(root))
}

/// The number of what Android brings, which no other file has.
pub fn number(path: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    path.hash(&mut hasher);
    1 << 32 | hasher.finish() >> 32
}

/// The context of what has none of its own (`file_contexts`, as far as a backup meets them).
pub fn context(path: &str) -> &'static str {
    const APP_DATA: &str = "u:object_r:app_data_file:s0";
    const BY_PLACE: &[(&str, &str)] = &[
        ("/data/data/", APP_DATA),
        ("/data/app", "u:object_r:apk_data_file:s0"),
        ("/data/local/tmp", "u:object_r:shell_data_file:s0"),
        ("/data/media", "u:object_r:media_rw_data_file:s0"),
        ("/data", "u:object_r:system_data_file:s0"),
        ("/cache", "u:object_r:cache_file:s0"),
        ("/proc", "u:object_r:proc:s0"),
        ("/sys/", "u:object_r:sysfs:s0"),
        ("/system", "u:object_r:system_file:s0"),
        ("/vendor", "u:object_r:vendor_file:s0"),
        ("/dev", "u:object_r:device:s0"),
    ];
    let users = path.strip_prefix("/data/user/").or_else(|| path.strip_prefix("/data/user_de/"));
    if users.is_some_and(|below| below.contains('/')) {
        return APP_DATA;
    }
    BY_PLACE.iter().find(|(place, _)| path.starts_with(place)).map_or("u:object_r:rootfs:s0", |found| found.1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_in_order_and_all_have_a_place() {
        assert!(FOLDERS.is_sorted_by_key(|folder| folder.0));
        for path in paths().filter(|path| *path != "/") {
            let above = path.rsplit_once('/').map_or("/", |(above, _)| if above.is_empty() { "/" } else { above });
            assert!(at(above).is_some_and(|above| above.kind == Kind::Folder), "{path}");
        }
    }
}
