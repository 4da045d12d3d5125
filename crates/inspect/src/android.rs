//! The information in the manifest of an Android package.

use std::io::{Read, Seek};

use apk_info_axml::AXML;
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

/// The path of the manifest in a package.
const MANIFEST: &str = "AndroidManifest.xml";
/// The largest size that is read of it; real ones have some tens of kilobytes.
const MOST: u64 = 4 << 20;
/// The chunk types of an element's start and end, and the start of the first one's header (AOSP `ResourceTypes.h`).
const START_ELEMENT: u16 = 0x0102;
const END_ELEMENT: u16 = 0x0103;
const START_HEADER: [u8; 4] = [0x02, 0x01, 0x10, 0x00];

/// The children of a manifest's first element that are read; real ones have some hundreds.
const CHILDREN: usize = 2000;
/// The longest name of a permission, in bytes; that of a package has at most 223.
const PERMISSION: usize = 512;
/// The elements by which a package asks for a permission.
const ASKS: [&str; 2] = ["uses-permission", "uses-permission-sdk-23"];

/// The identity of an Android package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AndroidPackage {
    /// Such as `com.example.app`; unchecked, so that its user has to validate it.
    pub name: String,
    /// For display, such as `1.2.3`; empty if there is none, or if it is a reference to a resource.
    pub version_name: String,
    /// The version that Android compares.
    pub version_code: Option<i64>,
}

/// Reads the manifest of a package that [`crate::inspect`] has accepted. None if it contains nothing useful.
pub fn android_package(source: impl Read + Seek) -> Option<AndroidPackage> {
    of_manifest(&manifest(source)?)
}

/// What a package asks for on an Android of this API level, each permission once; unchecked, as its name.
pub fn android_permissions(source: impl Read + Seek, sdk: u32) -> Vec<String> {
    manifest(source).and_then(|bytes| asked(&bytes, sdk)).unwrap_or_default()
}

fn manifest(source: impl Read + Seek) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    ZipArchive::new(source).ok()?.by_name(MANIFEST).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

fn of_manifest(bytes: &[u8]) -> Option<AndroidPackage> {
    let manifest = AXML::new(&mut first_element(bytes)?, None).ok()?.root;
    if manifest.name() != "manifest" {
        return None;
    }
    let said = |name: &str| manifest.attr(name).or_else(|| manifest.attr(&format!("android:{name}")));
    let version_name = said("versionName").filter(|text| !text.starts_with('@'));
    Some(AndroidPackage {
        name: said("package").filter(|name| !name.is_empty())?.to_owned(),
        version_name: version_name.unwrap_or_default().to_owned(),
        version_code: said("versionCode").and_then(|code| code.parse().ok()),
    })
}

fn asked(bytes: &[u8], sdk: u32) -> Option<Vec<String>> {
    let manifest = AXML::new(&mut shallow(bytes)?.as_slice(), None).ok()?.root;
    let mut asked: Vec<String> = Vec::new();
    for element in manifest.childrens().filter(|element| ASKS.contains(&element.name())) {
        let said = |name: &str| element.attr(name).or_else(|| element.attr(&format!("android:{name}")));
        let is_for_older = said("maxSdkVersion").and_then(|most| most.parse().ok()).is_some_and(|most: u32| most < sdk);
        let name = said("name").filter(|name| !name.is_empty() && name.len() <= PERMISSION);
        if let Some(name) = name.filter(|name| !is_for_older && !asked.iter().any(|known| known == name)) {
            asked.push(name.to_owned());
        }
    }
    Some(asked)
}

/// The manifest without what lies deeper than the children of its first element: these have everything needed, and the
/// library walks a tree recursively.
fn shallow(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut kept = bytes.get(..8)?.to_vec();
    let (mut at, mut depth, mut elements) = (8_usize, 0_usize, 0_usize);
    while let Some(header) = bytes.get(at..at.checked_add(8)?) {
        let kind = u16::from_le_bytes([header[0], header[1]]);
        let size = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let end = at.checked_add(usize::try_from(size).ok().filter(|size| *size >= 8)?)?;
        let chunk = bytes.get(at..end)?;
        let (is_start, is_end) = (kind == START_ELEMENT, kind == END_ELEMENT);
        depth += usize::from(is_start);
        // Outside of all elements are the texts, and the names of the attributes.
        let is_kept = if is_start || is_end { depth <= 2 } else { depth == 0 };
        if is_kept {
            kept.extend_from_slice(chunk);
        }
        elements += usize::from(is_start && is_kept);
        if elements > CHILDREN {
            return None;
        }
        depth = depth.saturating_sub(usize::from(is_end));
        at = end;
    }
    // The library finds chunks differently: make sure that there are no further elements for it to find.
    let starts = kept.windows(START_HEADER.len()).filter(|part| *part == START_HEADER).count();
    (starts <= elements + 16).then_some(kept)
}

/// The manifest up to the end of its first element, which has everything needed. The library builds a tree of its input
/// and walks it recursively: a few kilobytes of nested elements would crash the process.
fn first_element(bytes: &[u8]) -> Option<&[u8]> {
    let mut at = 8_usize;
    loop {
        let header = bytes.get(at..at.checked_add(8)?)?;
        let kind = u16::from_le_bytes([header[0], header[1]]);
        let size = u32::from_le_bytes([header[4], header[5], header[6], header[7]]);
        let end = at.checked_add(usize::try_from(size).ok().filter(|size| *size >= 8)?)?;
        if kind == START_ELEMENT {
            let first = &bytes[..end.min(bytes.len())];
            // The library finds chunks differently: make sure that there is no second element for it to find.
            let starts = first.windows(START_HEADER.len()).filter(|part| *part == START_HEADER).count();
            return (starts <= 16).then_some(first);
        }
        at = end;
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::io::{Cursor, Write as _};

    use proptest::prelude::*;
    use testkit::apk;
    use zip::ZipWriter;
    use zip::write::SimpleFileOptions;

    use super::*;

    #[test]
    fn a_manifest_tells_name_and_version() {
        let file = apk::package("com.example.游戏", "1.2.3-中文", 42, 10);
        let found = android_package(Cursor::new(file)).unwrap();
        assert_eq!((found.name.as_str(), found.version_name.as_str()), ("com.example.游戏", "1.2.3-中文"));
        assert_eq!(found.version_code, Some(42));
    }

    #[test]
    fn elements_that_nest_without_end_do_no_harm() {
        for depth in [1, 40_000] {
            let found = android_package(Cursor::new(apk::nested("com.example.deep", depth))).unwrap();
            assert_eq!((found.name.as_str(), found.version_code), ("com.example.deep", Some(1)));
        }
        // A chunk that says to be small, so that the elements behind it are taken for a part of the first.
        let mut hidden = apk::nested_manifest("com.example.deep", 40_000);
        let first = hidden.windows(4).position(|part| part == START_HEADER).unwrap();
        hidden[first + 4..first + 8].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(of_manifest(&hidden), None);
    }

    #[test]
    fn a_manifest_tells_what_is_asked_for() {
        let wanted = ["android.permission.CAMERA", "android.permission.INTERNET", "android.permission.CAMERA"];
        let file = apk::asking("com.example.game", 7, &wanted, 10);
        assert_eq!(android_package(Cursor::new(&file)).unwrap().version_code, Some(7));
        assert_eq!(android_permissions(Cursor::new(&file), 32), wanted[..2]);
        // What older ones are asked for comes last.
        assert_eq!(android_permissions(Cursor::new(&file), 1), [wanted[0], wanted[1], "android.permission.READ_LOGS"]);
        assert!(android_permissions(Cursor::new(apk::package("com.example.game", "1", 1, 10)), 32).is_empty());
        assert!(android_permissions(Cursor::new(b"no zip at all"), 32).is_empty());
    }

    #[test]
    fn nor_do_they_where_permissions_are_looked_for() {
        assert!(android_permissions(Cursor::new(apk::nested("com.example.deep", 40_000)), 32).is_empty());
        let mut hidden = apk::nested_manifest("com.example.deep", 40_000);
        let first = hidden.windows(4).position(|part| part == START_HEADER).unwrap();
        let rest = u32::try_from(hidden.len() - first).unwrap();
        hidden[first + 4..first + 8].copy_from_slice(&rest.to_le_bytes());
        assert_eq!(asked(&hidden, 32), None);
        // Siblings without end are too many as well.
        let many = vec!["android.permission.CAMERA"; 3000];
        assert_eq!(asked(&apk::asking_manifest("com.example.wide", 1, &many), 32), None);
    }

    #[test]
    fn what_is_no_manifest_tells_nothing() {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file(MANIFEST, SimpleFileOptions::default()).unwrap();
        zip.write_all(&[3, 0, 8, 0, 0, 0, 0, 0]).unwrap();
        assert_eq!(android_package(zip.finish().unwrap()), None);
        assert_eq!(android_package(Cursor::new(b"no zip at all")), None);
        assert_eq!(of_manifest(&apk::manifest("", "1", 1)), None, "without a name it is nobody");
    }

    proptest! {
        #[test]
        fn a_broken_manifest_is_no_accident(at in 8_usize..600, with: Vec<u8>, cut in 0_usize..600) {
            let mut bytes = apk::asking_manifest("com.example.app", 7, &["android.permission.CAMERA"]);
            for (place, byte) in bytes.iter_mut().skip(at).zip(with) {
                *place = byte;
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            let _ = of_manifest(&bytes);
            let _ = asked(&bytes, 32);
        }

        #[test]
        fn nor_is_nonsense(bytes: Vec<u8>) {
            let bytes = [&[3, 0, 8, 0], bytes.as_slice()].concat();
            let _ = (of_manifest(&bytes), asked(&bytes, 32));
        }
    }
}
