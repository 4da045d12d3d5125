//! What copies of phones leave out of a card's `/data`: on any image what is told here, once for both sides, and on some
//! images further paths, which operators have named and each task brings along ([`crate::Task::leave_out`]).

use crate::copy::DropReason;

/// First folders of `/data` that Android makes again, or that are its own books.
pub const SYSTEM: &[&str] = &[
    "adb",
    "anr",
    "apex",
    "app-asec",
    "app-ephemeral",
    "app-lib",
    "app-private",
    "app-staging",
    "backup",
    "bootanim",
    "bootchart",
    "cache",
    "dalvik-cache",
    "dropbox",
    "fonts",
    "gsi",
    "incremental",
    "local",
    "log",
    "logger",
    "lost+found",
    "ota",
    "ota_package",
    "per_boot",
    "preloads",
    "property",
    "resource-cache",
    "rollback",
    "rollback-history",
    "rollback-observer",
    "server_configurable_flags",
    "skyrack",
    "ss",
    "system",
    "system_de",
    "tombstones",
    "unencrypted",
    "vendor",
    "vendor_ce",
    "vendor_de",
];
/// Those that hold what is bound to the board, or to who has signed in on it.
pub const BOUND: &[&str] = &["drm", "mediadrm", "misc", "misc_ce", "misc_de", "nfc", "secure", "system_ce"];
/// Folders of an app that it fills again.
pub const CACHES: &[&str] = &["cache", "code_cache"];
/// The folder of a package with code that Android compiles again.
pub const COMPILED: &str = "oat";

/// First folders of `/data` that hold what copies keep: packages, and what apps and users have.
pub const KEPT: &[&str] = &["app", "data", "media", "user", "user_de"];
/// The user of the phone's customer. Others are not copied, and are never left out.
pub const OWNER: &str = "0";

/// The most further paths of an image: with all of the above a copy still names each of what it leaves out.
pub const MOST: usize = 40;
/// Characters of one.
pub const MAX_PATH: usize = 200;

/// What is left out on any image, as copies name it, and why.
pub fn everywhere() -> impl Iterator<Item = (String, DropReason)> {
    let caches = CACHES.iter().map(|name| (format!("*/{name}"), DropReason::Cache));
    let system = SYSTEM.iter().map(|name| ((*name).to_owned(), DropReason::System));
    let compiled = std::iter::once((format!("app/*/{COMPILED}"), DropReason::System));
    caches.chain(compiled).chain(system).chain(BOUND.iter().map(|name| ((*name).to_owned(), DropReason::Bound)))
}

/// Whether `pattern`, a path below `/data`, means this path or a folder that it is in. A `*` in a name stands for any
/// characters of it.
#[must_use]
pub fn means(pattern: &str, path: &[&str]) -> bool {
    let mut names = path.iter();
    pattern.split('/').all(|wanted| names.next().is_some_and(|name| is_like(wanted, name)))
}

/// The first `*` counts: more of them would take a hostile name ever longer to compare.
fn is_like(wanted: &str, name: &str) -> bool {
    match wanted.split_once('*') {
        Some((head, tail)) => {
            name.strip_prefix(head).is_some_and(|rest| rest.len() >= tail.len() && rest.ends_with(tail))
        }
        None => wanted == name,
    }
}

#[cfg(test)]
mod tests {
    use super::{BOUND, KEPT, MOST, SYSTEM, everywhere, means};

    fn meant(pattern: &str, path: &str) -> bool {
        means(pattern, &path.split('/').collect::<Vec<_>>())
    }

    #[test]
    fn a_pattern_means_a_folder_with_all_that_is_in_it_and_nothing_beside() {
        for (pattern, path) in [
            ("odd", "odd"),
            ("odd", "odd/place/file"),
            ("odd/place", "odd/place/file"),
            ("odd/*/cache", "odd/one/cache/x"),
            ("odd/log-*.txt", "odd/log-2.txt"),
            ("odd/*", "odd/a"),
        ] {
            assert!(meant(pattern, path), "{pattern} {path}");
        }
        for (pattern, path) in [
            ("odd", "odd2/file"),
            ("odd", "other/odd"),
            ("odd/place", "odd"),
            ("odd/*", "odd"),
            ("odd/*/cache", "odd/one/two/cache"),
            ("odd/aba*aba", "odd/ababa"),
            ("odd/log-*.txt", "odd/log-2.png"),
            ("odd/*a*", "odd/xay"),
            ("", "odd"),
        ] {
            assert!(!meant(pattern, path), "{pattern} {path}");
        }
    }

    #[test]
    fn nothing_is_kept_and_left_out_and_a_copy_can_name_it_all() {
        assert!(KEPT.iter().all(|name| !SYSTEM.contains(name) && !BOUND.contains(name)));
        // The agent tells so many of what is left out.
        assert!(everywhere().count() + MOST <= 100, "{}", everywhere().count());
    }
}
