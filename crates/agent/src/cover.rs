//! What of a card's data a copy of its phone holds: rules without a card.
//!
//! A copy is a closed world. Everything below `/data` is kept, or known to be superfluous ([`wire::leave_out`]), or it stands in the copy's way,
//! as does what is mounted there and nobody knows: what nobody has thought of is not lost in silence. Where Android keeps
//! what: AOSP `system/core/rootdir/init.rc` and `frameworks/native/cmds/installd/utils.cpp`.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use wire::copy::{Amount, AppData, Coverage, DropReason, Dropped, Uncovered};
pub use wire::leave_out::OWNER;
use wire::leave_out::{BOUND, CACHES, COMPILED, SYSTEM, means};

use crate::clean;
use crate::listing::{Entry, Timed, TimedListing};
use crate::mounts::{self, Mounts};

/// Below so many bytes in all, what nobody has decided about stands in no copy's way.
const REST: u64 = 1 << 20;
/// Apps that are told one by one, at most; what is left out; what nobody has decided about.
const TOLD_APPS: usize = 500;
const DROPPED: usize = 100;
const UNCOVERED: usize = 50;
/// Characters of a path.
const PATH: usize = 200;

/// Files of Android's settings that are kept, in `system/users/0`.
pub const SETTINGS: &[&str] = &["settings_secure.xml", "settings_ssaid.xml", "settings_system.xml", "roles.xml"];

/// What becomes of something in a copy.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Fate<'a> {
    App(&'a str),
    Shared,
    Package,
    Setting,
    Dropped(String, DropReason),
    Uncovered(String),
}

/// Sorts what lies below `/data` into what a copy of the owner's phone holds and what it does not. What operators have named
/// for the card's image is left out where it would stand in the way: it never takes away what a copy keeps, nor another
/// user's data.
#[must_use]
pub fn coverage<T: Borrow<Entry>>(
    listing: &BTreeMap<Vec<u8>, T>,
    mounts: &Mounts,
    packages: &BTreeSet<String>,
    leave_out: &[String],
) -> Coverage {
    let mut found = Coverage::default();
    let mut apps: BTreeMap<&str, Amount> = BTreeMap::new();
    let mut dropped: BTreeMap<(String, DropReason), Amount> = BTreeMap::new();
    let mut uncovered: BTreeMap<String, Amount> = BTreeMap::new();
    let is_twice = has_apps_twice(listing);
    for (path, entry) in listing {
        let entry: &Entry = entry.borrow();
        let lossy = String::from_utf8_lossy(path);
        let parts: Vec<&str> = lossy.split('/').collect();
        if entry.is_folder() || is_twice && parts[0] == "data" || parts == ["user", OWNER] {
            continue;
        }
        let bytes = if entry.is_file() { entry.size } else { 0 };
        match fate(&parts, packages) {
            Fate::App(package) => {
                // The name in the set lives longer than this path.
                let Some(package) = packages.get(package) else { continue };
                apps.entry(package).or_default().add(bytes);
            }
            Fate::Shared => found.shared.add(bytes),
            Fate::Package => found.packages.add(bytes),
            Fate::Setting => found.settings.add(bytes),
            Fate::Dropped(path, why) => dropped.entry((path, why)).or_default().add(bytes),
            Fate::Uncovered(path) => {
                let named = leave_out.iter().find(|pattern| means(pattern, &parts)).filter(|_| !other_user(&path));
                let amount = match named {
                    Some(pattern) => dropped.entry((pattern.clone(), DropReason::Allowed)).or_default(),
                    None => uncovered.entry(path).or_default(),
                };
                amount.add(bytes);
            }
        }
    }
    for amount in uncovered.values() {
        found.uncovered_in_all.add_all(*amount);
    }
    let mut mounted: Vec<Uncovered> = mounts.strange(is_left_out).map(unread).collect();
    let is_known = mounted.is_empty() && !uncovered.keys().any(|path| other_user(path));
    found.is_covered = found.uncovered_in_all.bytes <= REST && is_known;
    let app = |(package, amount): (&str, Amount)| AppData { package: package.to_owned(), amount };
    found.apps = largest(apps.into_iter().map(app).collect(), |app| app.amount);
    for app in found.apps.drain(TOLD_APPS.min(found.apps.len())..) {
        found.more_apps.add_all(app.amount);
    }
    let drop = |((path, why), amount)| Dropped { path, why, amount };
    found.dropped = largest(dropped.into_iter().map(drop).collect(), |one| one.amount);
    found.dropped.truncate(DROPPED);
    let open = |(path, amount)| Uncovered { path, amount };
    mounted.append(&mut largest(uncovered.into_iter().map(open).collect(), |one| one.amount));
    mounted.truncate(UNCOVERED);
    found.uncovered = mounted;
    found
}

/// A place where something is mounted that nobody knows: nothing of it was listed.
fn unread(place: &str) -> Uncovered {
    Uncovered { path: short(place), amount: Amount::default() }
}

/// What stands in the way of a copy first, in words; nothing if nothing does.
#[must_use]
pub fn in_the_way(found: &Coverage) -> Option<String> {
    if found.is_covered {
        return None;
    }
    let first = found.uncovered.first();
    let path = first.map(|one| one.path.as_str()).unwrap_or_default();
    let is_mounted = first.is_some_and(|one| one.amount.files == 0);
    Some(if is_mounted { mounts::told(path) } else { format!("{}/{path}", clean::ROOT) })
}

/// Newer Androids have the folder of the owner's apps at both places; older ones have a link at one of them.
fn has_apps_twice<T: Borrow<Entry>>(listing: &BTreeMap<Vec<u8>, T>) -> bool {
    listing.get(&b"user/0"[..]).is_some_and(|entry| entry.borrow().is_folder())
}

/// Something that a copy holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept {
    /// Where it is in the copy: as it would be below the root of any card, whichever Android that has.
    pub path: Vec<u8>,
    /// Where it is on this card, below `/data`; none for a folder on the way that the list does not have.
    pub from: Option<Vec<u8>>,
    /// What is known of it.
    pub timed: Timed,
}

/// What of the owner's phone a copy itself holds: the same as [`coverage`] counts but packages, with the folders on the way.
/// Sockets, pipes and devices are not copied.
#[must_use]
pub fn kept(listing: &TimedListing, packages: &BTreeSet<String>) -> Vec<Kept> {
    let is_twice = has_apps_twice(listing);
    let mut all: BTreeMap<Vec<u8>, Kept> = BTreeMap::new();
    for (from, timed) in listing {
        let entry = timed.entry;
        let lossy = String::from_utf8_lossy(from);
        let parts: Vec<&str> = lossy.split('/').collect();
        if is_twice && parts[0] == "data" || !(entry.is_folder() || entry.is_file() || entry.is_link()) {
            continue;
        }
        // The folder of apps itself is on the way to them.
        if parts == ["data"] || parts == ["user", OWNER] {
            continue;
        }
        // Packages are kept once for all phones, and are installed again.
        if matches!(fate(&parts, packages), Fate::App(_) | Fate::Shared | Fate::Setting) {
            let path = in_copy(from);
            all.insert(path.clone(), Kept { path, from: Some(from.clone()), timed: *timed });
        }
    }
    let mut ways: BTreeSet<Vec<u8>> = BTreeSet::new();
    for path in all.keys() {
        let ends = path.iter().enumerate().rev().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        for way in ends.map(|end| &path[..end]).take_while(|way| !ways.contains(*way)).collect::<Vec<_>>() {
            ways.insert(way.to_vec());
        }
    }
    for path in ways.into_iter().filter(|path| !all.contains_key(path)).collect::<Vec<_>>() {
        let from = on_card(&path, listing);
        let found = from.as_ref().and_then(|from| listing.get(from)).filter(|timed| timed.entry.is_folder());
        all.insert(path.clone(), Kept { path, timed: found.copied().unwrap_or(WAY), from: found.and(from) });
    }
    all.into_values().collect()
}

/// A folder on the way of which nothing is known: the root of the list.
const WAY: Timed =
    Timed { entry: Entry { mode: 0o040_771, uid: 1000, gid: 1000, size: 0 }, modified: 0, changed: 0, inode: 0 };
/// What lies below this on a card is below it in a copy, too.
const ROOT: &[u8] = b"data/";
/// Where the data of the owner's apps is on older Androids, and where it is in every copy.
const APPS_OLD: &[u8] = b"data/";
const APPS: &[u8] = b"user/0/";

fn in_copy(from: &[u8]) -> Vec<u8> {
    match from.strip_prefix(APPS_OLD) {
        Some(app) => [ROOT, APPS, app].concat(),
        None => [ROOT, from].concat(),
    }
}

/// Where a folder on the way is on the card.
fn on_card(path: &[u8], listing: &TimedListing) -> Option<Vec<u8>> {
    let from = path.strip_prefix(ROOT)?;
    let is_apps = from == &APPS[..APPS.len() - 1];
    Some(if is_apps && !has_apps_twice(listing) { b"data".to_vec() } else { from.to_vec() })
}

fn largest<T>(mut all: Vec<T>, amount: fn(&T) -> Amount) -> Vec<T> {
    all.sort_by_key(|one| std::cmp::Reverse((amount(one).bytes, amount(one).files)));
    all
}

/// Whether this is of another user than the owner.
fn other_user(path: &str) -> bool {
    let mut parts = path.split('/');
    let place = parts.next();
    matches!(place, Some("user" | "user_de" | "media"))
        && parts.next().is_some_and(|user| user != OWNER && user.bytes().all(|byte| byte.is_ascii_digit()))
}

fn fate<'a>(parts: &[&'a str], packages: &BTreeSet<String>) -> Fate<'a> {
    let of_app = |package: &'a str, inner: &[&str]| match inner.first().filter(|name| CACHES.contains(name)) {
        Some(name) => Fate::Dropped(format!("*/{name}"), DropReason::Cache),
        None => Fate::App(package),
    };
    match parts {
        ["data", package, inner @ ..]
        | ["user" | "user_de", OWNER, package, inner @ ..]
        | ["media", OWNER, "Android", "data" | "obb" | "media", package, inner @ ..]
        | ["media", "obb", package, inner @ ..]
            if packages.contains(*package) =>
        {
            of_app(package, inner)
        }
        ["media", OWNER | "obb", ..] => Fate::Shared,
        ["app", .., COMPILED, _] | ["app", .., COMPILED] | ["app", .., COMPILED, _, _] => {
            Fate::Dropped(format!("app/*/{COMPILED}"), DropReason::System)
        }
        ["app", ..] => Fate::Package,
        ["system", "users", OWNER, file] if SETTINGS.contains(file) => Fate::Setting,
        [first, ..] if SYSTEM.contains(first) => Fate::Dropped((*first).to_owned(), DropReason::System),
        [first, ..] if BOUND.contains(first) => Fate::Dropped((*first).to_owned(), DropReason::Bound),
        // Apps that are not installed have a folder each there; else what lies in one folder belongs together.
        ["user" | "user_de", OWNER, package, ..] => Fate::Uncovered(short(&format!("{}/{OWNER}/{package}", parts[0]))),
        [first, second, _, ..] => Fate::Uncovered(short(&format!("{first}/{second}"))),
        [first, ..] => Fate::Uncovered(short(first)),
        [] => Fate::Uncovered(String::new()),
    }
}

/// Whether a copy leaves out whatever is at a place.
fn is_left_out(place: &str) -> bool {
    let mut parts = place.split('/');
    let first = parts.next().unwrap_or_default();
    // The settings that are kept lie there.
    let has_settings = first == "system" && parts.next().is_none_or(|second| second == "users");
    (SYSTEM.contains(&first) || BOUND.contains(&first)) && !has_settings
}

fn short(path: &str) -> String {
    path.chars().take(PATH).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use wire::copy::{Amount, Coverage, DropReason};

    use super::{REST, coverage, in_the_way, kept};
    use crate::listing::{Entry, Listing, Timed};
    use crate::mounts::Mounts;

    const FILE: u32 = 0o100_600;
    const FOLDER: u32 = 0o040_771;
    const LINK: u32 = 0o120_777;

    fn listing(things: &[(&[u8], u32, u64)]) -> Listing {
        things
            .iter()
            .map(|(path, mode, size)| (path.to_vec(), Entry { mode: *mode, uid: 0, gid: 0, size: *size }))
            .collect()
    }

    fn covered(things: &[(&[u8], u32, u64)]) -> Coverage {
        covered_without(things, &[])
    }

    fn covered_without(things: &[(&[u8], u32, u64)], leave_out: &[&str]) -> Coverage {
        let leave_out: Vec<String> = leave_out.iter().map(|path| (*path).to_owned()).collect();
        coverage(
            &listing(things),
            &Mounts::default(),
            &BTreeSet::from(["com.game".to_owned(), "com.shop".to_owned()]),
            &leave_out,
        )
    }

    fn amount(files: u64, bytes: u64) -> Amount {
        Amount { files, bytes }
    }

    #[test]
    fn everything_has_its_place() {
        let found = covered(&[
            (b"data", FOLDER, 4096),
            (b"data/com.game/files/save", FILE, 100),
            (b"data/com.game/cache/picture", FILE, 7),
            (b"data/com.game/no_backup/key", FILE, 10),
            (b"user/0", LINK, 10),
            (b"user_de/0/com.game/databases/a\nb\xff", FILE, 1),
            (b"media/0/Android/data/com.game/files/level", FILE, 1_000),
            (b"media/0/Android/data/com.game/cache/level", FILE, 3),
            (b"media/0/Android/obb/com.shop/main.obb", FILE, 20),
            (b"media/0/Android/data/com.gone/files/x", FILE, 2),
            (b"media/0/DCIM/1.jpg", FILE, 500),
            (b"app/~~x==/com.game-1==/base.apk", FILE, 9_000),
            (b"system/users/0/settings_ssaid.xml", FILE, 11),
            (b"system/packages.xml", FILE, 12),
            (b"misc/keystore/user_0/key", FILE, 13),
            (b"property/persistent_properties", FILE, 14),
        ]);
        let apps: Vec<(&str, Amount)> = found.apps.iter().map(|app| (app.package.as_str(), app.amount)).collect();
        assert_eq!(apps, [("com.game", amount(4, 1_111)), ("com.shop", amount(1, 20))]);
        assert_eq!((found.shared, found.packages, found.settings), (amount(2, 502), amount(1, 9_000), amount(1, 11)));
        let dropped: Vec<(&str, DropReason, Amount)> =
            found.dropped.iter().map(|one| (one.path.as_str(), one.why, one.amount)).collect();
        assert_eq!(
            dropped,
            [
                ("property", DropReason::System, amount(1, 14)),
                ("misc", DropReason::Bound, amount(1, 13)),
                ("system", DropReason::System, amount(1, 12)),
                ("*/cache", DropReason::Cache, amount(2, 10)),
            ]
        );
        assert!(found.is_covered && found.uncovered.is_empty(), "{found:?}");
    }

    #[test]
    fn what_is_kept_has_its_place_in_every_copy_and_the_folders_on_the_way() {
        let apps = BTreeSet::from(["com.game".to_owned()]);
        let held = |things: &[(&[u8], u32, u64)]| -> Vec<(String, Option<String>)> {
            let timed = listing(things).into_iter().map(|(path, entry)| {
                let timed = Timed { entry, modified: 1, changed: 2, inode: 3 };
                (path, timed)
            });
            let text = |path: &[u8]| String::from_utf8_lossy(path).into_owned();
            let all = kept(&timed.collect(), &apps);
            all.iter().map(|one| (text(&one.path), one.from.as_deref().map(text))).collect()
        };
        let inner: [(&[u8], u32, u64); 9] = [
            (b"com.game", FOLDER, 0),
            (b"com.game/files", FOLDER, 0),
            (b"com.game/files/empty", FOLDER, 0),
            (b"com.game/files/save", FILE, 5),
            (b"com.game/files/link", LINK, 5),
            (b"com.game/files/pipe", 0o010_600, 0),
            (b"com.game/cache", FOLDER, 0),
            (b"com.game/cache/x", FILE, 5),
            (b"com.gone/x", FILE, 5),
        ];
        let below = |root: &str| -> Vec<(Vec<u8>, u32, u64)> {
            inner.iter().map(|(path, mode, size)| ([root.as_bytes(), b"/", path].concat(), *mode, *size)).collect()
        };
        let wanted = |root: &str| -> Vec<(String, Option<String>)> {
            let at = |rest: &str| (format!("data/user/0{rest}"), Some(format!("{root}{rest}")));
            let app = [
                "/com.game",
                "/com.game/files",
                "/com.game/files/empty",
                "/com.game/files/link",
                "/com.game/files/save",
            ];
            let ways = [("data".to_owned(), None), ("data/user".to_owned(), Some("user".to_owned())), at("")];
            ways.into_iter().chain(app.map(at)).collect()
        };
        let (old, new) = (below("data"), below("user/0"));
        let mut all: Vec<(&[u8], u32, u64)> =
            old.iter().map(|(path, mode, size)| (path.as_slice(), *mode, *size)).collect();
        all.extend([(&b"data"[..], FOLDER, 0), (b"user", FOLDER, 0), (b"user/0", LINK, 10)]);
        assert_eq!(held(&all), wanted("data"));
        all.extend(new.iter().map(|(path, mode, size)| (path.as_slice(), *mode, *size)));
        all.push((b"user/0", FOLDER, 0));
        assert_eq!(held(&all), wanted("user/0"), "what is seen at two places is held once");
        let other = held(&[
            (b"app", FOLDER, 0),
            (b"app/com.game-1", FOLDER, 0),
            (b"app/com.game-1/base.apk", FILE, 9),
            (b"app/com.game-1/oat", FOLDER, 0),
            (b"app/com.game-1/oat/arm64", FOLDER, 0),
            (b"app/com.game-1/oat/arm64/base.odex", FILE, 9),
            (b"system/users/0/roles.xml", FILE, 9),
            (b"system/users/0/x.xml", FILE, 9),
            (b"misc/keystore/k", FILE, 9),
        ]);
        let paths: Vec<&str> = other.iter().map(|it| it.0.as_str()).collect();
        let wanted =
            ["data", "data/system", "data/system/users", "data/system/users/0", "data/system/users/0/roles.xml"];
        assert_eq!(paths, wanted);
    }

    #[test]
    fn what_nobody_has_thought_of_stands_in_the_way_once_it_is_much() {
        let things = |size| covered(&[(b"vendor_game/saves/one/1", FILE, size), (b"vendor_game/saves/two/2", FILE, 1)]);
        let found = things(REST - 1);
        assert!(found.is_covered);
        assert_eq!((found.uncovered[0].path.as_str(), found.uncovered_in_all), ("vendor_game/saves", amount(2, REST)));
        assert!(!things(REST).is_covered);
        // The data of an app that is not installed is nobody's.
        let found = covered(&[(b"data/com.gone/files/x", FILE, REST + 1), (b"user_de/0/com.gone/x", FILE, 1)]);
        let paths: Vec<&str> = found.uncovered.iter().map(|one| one.path.as_str()).collect();
        assert_eq!((found.is_covered, paths), (false, vec!["data/com.gone", "user_de/0/com.gone"]));
    }

    #[test]
    fn what_operators_have_named_is_left_out_and_told_and_takes_nothing_that_is_kept() {
        let things: [(&[u8], u32, u64); 3] = [
            (b"vendor_game/saves/one/1", FILE, REST + 1),
            (b"vendor_game/saves/two/2", FILE, 1),
            (b"data/com.gone/files/x", FILE, REST + 1),
        ];
        let found = covered_without(&things, &["vendor_game/*", "data/com.gone", "nowhere"]);
        let dropped: Vec<(&str, DropReason, Amount)> =
            found.dropped.iter().map(|one| (one.path.as_str(), one.why, one.amount)).collect();
        let wanted = [
            ("vendor_game/*", DropReason::Allowed, amount(2, REST + 2)),
            ("data/com.gone", DropReason::Allowed, amount(1, REST + 1)),
        ];
        assert_eq!((dropped, found.is_covered, found.uncovered.len()), (wanted.to_vec(), true, 0));
        let found = covered_without(&things, &["vendor_game/saves/one"]);
        let paths: Vec<&str> = found.uncovered.iter().map(|one| one.path.as_str()).collect();
        assert_eq!((found.is_covered, paths), (false, vec!["data/com.gone", "vendor_game/saves"]));

        // Whatever is told to an agent: an app that is installed, users' files and other users stay what they are.
        let kept: [(&[u8], u32, u64); 6] = [
            (b"data/com.game/files/save", FILE, 5),
            (b"media/0/DCIM/1.jpg", FILE, 6),
            (b"app/com.game-1/base.apk", FILE, 7),
            (b"system/users/0/settings_ssaid.xml", FILE, 8),
            (b"user/10/com.game/files/save", FILE, 9),
            (b"misc/keystore/key", FILE, 10),
        ];
        let all = ["data", "data/com.game", "media", "app", "system", "user", "user/10", "misc", "*"];
        assert_eq!(covered_without(&kept, &all), covered(&kept));
        assert!(!covered(&kept).is_covered);
    }

    #[test]
    fn another_user_stands_in_the_way_whatever_he_has() {
        for path in [&b"user/10/com.game/files/save"[..], b"user_de/10/com.game/x", b"media/11/DCIM/1.jpg"] {
            let found = covered(&[(path, FILE, 0)]);
            assert!(!found.is_covered && found.uncovered[0].path.ends_with(['0', '1']), "{found:?}");
        }
        assert!(covered(&[(b"user/10", FOLDER, 0)]).is_covered, "an empty folder is nobody");
    }

    #[test]
    fn what_is_mounted_and_nobody_knows_stands_in_the_way_however_little_is_seen_of_it() {
        let things: [(&[u8], u32, u64); 2] = [(b"data/com.gone/x", FILE, 5), (b"media/0/Films", FOLDER, 0)];
        let with = |places: &[&str]| {
            let lines = places.iter().map(|place| format!("/dev/fuse {place} fuse rw 0 0\n"));
            let mounts = Mounts::read(lines.collect::<String>().as_bytes()).unwrap_or_default();
            coverage(&listing(&things), &mounts, &BTreeSet::new(), &[])
        };
        let usual = ["/data", "/data/adb/modules", "/data/local/x", "/data/system_de", "/data/system/x", "/storage"];
        assert_eq!(in_the_way(&with(&usual)), None);
        for place in [
            "/data/media/0/Films",
            "/data/data",
            "/data/system",
            "/data/system/users",
            "/data/system/users/0/roles.xml",
            "/mnt/expand/57f8",
        ] {
            let found = with(&["/data", place]);
            let why = in_the_way(&found).unwrap_or_default();
            assert!(why.starts_with(&format!("{place}: something is mounted")), "{place}: {why}");
            assert_eq!((found.uncovered.len(), found.uncovered_in_all), (2, amount(1, 5)));
        }
        assert_eq!(in_the_way(&covered(&[(b"odd/place/x", FILE, REST + 1)])).as_deref(), Some("/data/odd/place"));
    }

    #[test]
    fn what_is_seen_at_two_places_counts_once() {
        let both: [(&[u8], u32, u64); 3] =
            [(b"user/0", FOLDER, 0), (b"user/0/com.game/f", FILE, 5), (b"data/com.game/f", FILE, 5)];
        assert_eq!(covered(&both).apps[0].amount, amount(1, 5));
    }

    #[test]
    fn a_thousand_apps_are_told_as_a_whole_beyond_the_largest() {
        let packages: BTreeSet<String> = (0..1_000).map(|n| format!("a{n:03}")).collect();
        let paths: Vec<String> = packages.iter().map(|package| format!("data/{package}/f")).collect();
        let things: Vec<(&[u8], u32, u64)> =
            paths.iter().zip(1..).map(|(path, size)| (path.as_bytes(), FILE, size)).collect();
        let found = coverage(&listing(&things), &Mounts::default(), &packages, &[]);
        assert_eq!((found.apps.len(), found.apps[0].amount.bytes, found.more_apps.files), (500, 1_000, 500));
    }
}
