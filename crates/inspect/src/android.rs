//! The information in the manifest of an Android package.

use std::io::{Read, Seek};

use apk_info_axml::AXML;
use serde::{Deserialize, Serialize};
use zip::ZipArchive;

/// The path of the manifest in a package.
const MANIFEST: &str = "AndroidManifest.xml";
/// The largest size that is read of it; real ones have some tens of kilobytes.
const MOST: u64 = 4 << 20;
/// The chunk type of an element's start, and the start of its header (AOSP `ResourceTypes.h`).
const START_ELEMENT: u16 = 0x0102;
const START_HEADER: [u8; 4] = [0x02, 0x01, 0x10, 0x00];

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
    let mut bytes = Vec::new();
    ZipArchive::new(source).ok()?.by_name(MANIFEST).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    of_manifest(&bytes)
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
            let mut bytes = apk::manifest("com.example.app", "1.2.3", 7);
            for (place, byte) in bytes.iter_mut().skip(at).zip(with) {
                *place = byte;
            }
            bytes.truncate(bytes.len().saturating_sub(cut));
            let _ = of_manifest(&bytes);
        }

        #[test]
        fn nor_is_nonsense(bytes: Vec<u8>) {
            let _ = of_manifest(&[&[3, 0, 8, 0], bytes.as_slice()].concat());
        }
    }
}
