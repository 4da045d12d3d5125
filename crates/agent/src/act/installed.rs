//! What is installed on a phone's card, and where its packages lie.

use std::collections::HashMap;
use std::fmt::Write as _;

use adb::{Card, Command};
use aws_lc_rs::digest;
use wire::Reason;
use wire::copy::{ApkFile, PackageData};

use crate::clean::ROOT;
use crate::listing::{self, Timed, TimedListing};
use crate::refused::Refused;

/// Where packages that are not the image's lie, below [`ROOT`].
pub const APPS: &str = "app";
/// Bytes that are hashed by one command, which has ten minutes.
const AT_ONCE: u64 = 8 << 30;

/// What is installed for the owner, Android's own included.
///
/// # Errors
/// The card does not answer.
pub async fn inventory(card: &Card) -> Result<Vec<PackageData>, Refused> {
    // Older ones know less to tell.
    let script = "pm list packages -f -U --show-versioncode --user 0 2>/dev/null || pm list packages -f --user 0";
    let said = listing::whole(card, &Command::script(script)).await?;
    Ok(String::from_utf8_lossy(&said).lines().filter_map(package).collect())
}

/// `package:PATH=NAME versionCode:12 uid:10061`, of which the numbers may be missing.
fn package(line: &str) -> Option<PackageData> {
    let mut words = line.trim().strip_prefix("package:")?.split(' ');
    let (path, name) = words.next()?.rsplit_once('=')?;
    let (mut version_code, mut uid) = (0, 0);
    for word in words {
        match word.split_once(':') {
            Some(("versionCode", code)) => version_code = code.parse().unwrap_or(0),
            Some(("uid", number)) => uid = number.parse().unwrap_or(0),
            Some(_) | None => {}
        }
    }
    let is_own = path.starts_with(ROOT);
    let path = if is_own { path.to_owned() } else { String::new() };
    Some(PackageData { name: name.to_owned(), version_code, uid, is_own, path, ..PackageData::default() })
}

/// Stands for what is installed: another one after an app was installed, updated or removed.
pub fn installed(packages: &[PackageData]) -> String {
    let mut lines: Vec<String> = packages
        .iter()
        .filter(|package| package.is_own)
        .map(|package| format!("{} {} {}\n", package.name, package.version_code, package.path))
        .collect();
    lines.sort_unstable();
    hex::encode(digest::digest(&digest::SHA256, lines.concat().as_bytes()))
}

/// A file of a package on the card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnCard {
    /// Where it is, below [`ROOT`].
    pub path: Vec<u8>,
    /// What is known of it.
    pub timed: Timed,
}

/// The files of packages that are not the image's: fills in those of `packages`, and returns where each is on the card, by
/// its SHA-256. What `before`, the packages of an earlier copy, says of a file that has not changed since is taken over.
///
/// # Errors
/// A package lies elsewhere or has no files, something cannot be read, or the card does not answer.
pub async fn find_files(
    card: &Card,
    packages: &mut [PackageData],
    before: &[PackageData],
) -> Result<HashMap<String, OnCard>, Refused> {
    let mut found = HashMap::new();
    if packages.iter().all(|package| !package.is_own) {
        return Ok(found);
    }
    let folder = format!("{ROOT}/{APPS}");
    let (listing, _) = listing::again(|| listing::list_timed(card, &folder)).await?;
    let known: HashMap<(String, u64, i64), &str> = before
        .iter()
        .flat_map(|package| package.apks.iter().map(move |apk| (package, apk)))
        .map(|(package, apk)| ((place(&package.path, &apk.name), apk.size, apk.modified), apk.sha256.as_str()))
        .collect();
    let mut files = Vec::new();
    for (of, package) in packages.iter().enumerate().filter(|(_, package)| package.is_own) {
        for file in files_of(package, &listing)? {
            let as_known = (place(&package.path, &file.name), file.timed.entry.size, file.timed.modified);
            let sha256 = known.get(&as_known).map_or_else(String::new, |hash| (*hash).to_owned());
            files.push((of, file, sha256));
        }
    }
    let mut unknown: Vec<usize> = (0..files.len()).filter(|at| files[*at].2.is_empty()).collect();
    while !unknown.is_empty() {
        let mut bytes = 0;
        let some = unknown.iter().take_while(|at| {
            let is_first = bytes == 0;
            bytes += files[**at].1.timed.entry.size;
            is_first || bytes <= AT_ONCE
        });
        let some: Vec<usize> = some.copied().collect();
        let names: Vec<&[u8]> = some.iter().map(|at| files[*at].1.path.as_slice()).collect();
        let hashes = listing::hashes(card, &folder, &names).await?;
        for (at, hash) in some.iter().zip(hashes) {
            files[*at].2 = hash;
        }
        unknown.drain(..some.len().max(1));
    }
    for (of, Inside { name, path, timed }, sha256) in files {
        let apk = ApkFile { name, size: timed.entry.size, modified: timed.modified, sha256: sha256.clone() };
        packages[of].apks.push(apk);
        let path = [APPS.as_bytes(), b"/", &path].concat();
        found.insert(sha256, OnCard { path, timed });
    }
    Ok(found)
}

/// A file in the folder of a package.
#[derive(Debug)]
struct Inside {
    name: String,
    /// Where it is, below the folder of packages.
    path: Vec<u8>,
    timed: Timed,
}

/// Where a file of a package lies: beside its base.
fn place(base: &str, name: &str) -> String {
    let mut place = base.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
    _ = write!(place, "/{name}");
    place
}

/// The files in the folder of a package.
fn files_of(package: &PackageData, listing: &TimedListing) -> Result<Vec<Inside>, Refused> {
    let unread = |why: &str| Refused(Reason::NotReadable, format!("the package {}: {why}", package.name));
    let below =
        package.path.strip_prefix(ROOT).and_then(|path| path.strip_prefix('/')?.strip_prefix(APPS)?.strip_prefix('/'));
    let below = below.and_then(|path| path.rsplit_once('/'));
    let Some((folder, _)) = below else { return Err(unread(&format!("it lies at {}", package.path))) };
    let folder = format!("{folder}/").into_bytes();
    let inside = listing.range(folder.clone()..).take_while(|(path, _)| path.starts_with(&folder));
    let mut files = Vec::new();
    for (path, timed) in inside.filter(|(_, timed)| timed.entry.is_file()) {
        let name = &path[folder.len()..];
        if name.contains(&b'/') || !name.ends_with(b".apk") {
            continue;
        }
        let name = String::from_utf8(name.to_vec()).map_err(|_| unread("a file of it has no name in UTF-8"))?;
        files.push(Inside { name, path: path.clone(), timed: *timed });
    }
    if files.is_empty() { Err(unread("it has no files")) } else { Ok(files) }
}

#[cfg(test)]
mod tests {
    use wire::copy::PackageData;

    use super::{files_of, installed, package};
    use crate::listing::{Entry, Timed};

    #[test]
    fn a_line_of_the_package_manager_may_lack_its_numbers() {
        let read = |line: &str| package(line).map(|it| (it.name, it.version_code, it.uid, it.is_own));
        let line = "package:/data/app/~~x==/com.game-y==/base.apk=com.game versionCode:12 uid:10061";
        assert_eq!(read(line), Some(("com.game".to_owned(), 12, 10_061, true)));
        let line = "package:/system/framework/framework-res.apk=android";
        assert_eq!(read(line), Some(("android".to_owned(), 0, 0, false)));
        assert_eq!(read("Error: no such option"), None);
    }

    fn game(path: &str) -> PackageData {
        PackageData { name: "com.game".to_owned(), is_own: true, path: path.to_owned(), ..PackageData::default() }
    }

    #[test]
    fn the_files_of_a_package_are_those_beside_its_base() {
        let timed =
            |mode| Timed { entry: Entry { mode, uid: 1000, gid: 1000, size: 9 }, modified: 5, changed: 6, inode: 7 };
        let listing = [
            ("~~a==", 0o040_755),
            ("~~a==/com.game-b==", 0o040_755),
            ("~~a==/com.game-b==/base.apk", 0o100_644),
            ("~~a==/com.game-b==/lib", 0o040_755),
            ("~~a==/com.game-b==/lib/x.apk", 0o100_644),
            ("~~a==/com.game-b==/oat.odex", 0o100_644),
            ("~~a==/com.game-b==/split_config.zh.apk", 0o100_644),
            ("~~a==/com.game-b==2/base.apk", 0o100_644),
        ];
        let listing = listing.into_iter().map(|(path, mode)| (path.as_bytes().to_vec(), timed(mode))).collect();
        let names = |path: &str| {
            files_of(&game(path), &listing)
                .map(|files| files.into_iter().map(|file| file.name).collect::<Vec<_>>())
                .ok()
        };
        let wanted = vec!["base.apk".to_owned(), "split_config.zh.apk".to_owned()];
        assert_eq!(names("/data/app/~~a==/com.game-b==/base.apk"), Some(wanted));
        for elsewhere in ["/data/preloads/x/base.apk", "/data/app/base.apk", "/data/app/none/base.apk", ""] {
            assert_eq!(names(elsewhere), None, "{elsewhere}");
        }
    }

    #[test]
    fn what_is_installed_is_another_after_each_change() {
        let (first, moved) = (game("/data/app/a/base.apk"), game("/data/app/b/base.apk"));
        let image = PackageData { name: "android".to_owned(), ..PackageData::default() };
        let before = installed(&[first.clone(), image.clone()]);
        assert_eq!(installed(&[image, first.clone()]), before);
        assert_ne!(installed(&[moved]), before);
        assert_ne!(installed(&[PackageData { version_code: 2, ..first }]), before);
        assert_ne!(installed(&[]), before);
    }
}
