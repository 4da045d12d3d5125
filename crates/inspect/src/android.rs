//! What the manifest of an Android package says of it.

use std::io::{Read, Seek};

use apk_info_axml::AXML;
use zip::ZipArchive;

/// The manifest's place in a package.
const MANIFEST: &str = "AndroidManifest.xml";
/// The most bytes that are read of it; real ones have some tens of kilobytes.
const MOST: u64 = 4 << 20;

/// Who an Android package is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AndroidPackage {
    /// Such as `com.example.app`; as it stands there, so that whoever uses it has to check it.
    pub name: String,
    /// For people, such as `1.2.3`; empty where there is none, or where it is a reference to a resource.
    pub version_name: String,
    /// The one that Android compares.
    pub version_code: Option<i64>,
}

/// Reads the manifest of a package that [`crate::inspect`] has let through. None where it says nothing of use.
pub fn android_package(source: impl Read + Seek) -> Option<AndroidPackage> {
    let mut bytes = Vec::new();
    ZipArchive::new(source).ok()?.by_name(MANIFEST).ok()?.take(MOST).read_to_end(&mut bytes).ok()?;
    of_manifest(&bytes)
}

fn of_manifest(bytes: &[u8]) -> Option<AndroidPackage> {
    let manifest = AXML::new(&mut &*bytes, None).ok()?.root;
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]

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
