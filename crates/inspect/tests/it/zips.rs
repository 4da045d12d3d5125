use inspect::{Content, SheetFormat, Unpacked};
use kernel::rules::FileKind;
use zip::write::{SimpleFileOptions, ZipWriter};

use crate::support::{judge, renamed, zip};

const MANIFEST: &[u8] = &[0x03, 0x00, 0x08, 0x00, 0x10, 0x00, 0x00, 0x00];

#[test]
fn packages_are_known_by_what_they_hold() {
    let system = zip(&[("update.bin", b"firmware"), ("scripts/run.sh", b"true")]);
    let counted = Content::Zip(Unpacked { files: 2, bytes: 12 });
    assert_eq!(judge(&system, FileKind::SystemPackage), Ok(counted));
    let apk = zip(&[("AndroidManifest.xml", MANIFEST), ("classes.dex", b"dex\n035\0")]);
    assert!(judge(&apk, FileKind::AndroidApp).is_ok());
    let ipa = zip(&[("Payload/Phone.app/Info.plist", b"bplist00"), ("Payload/Phone.app/Phone", b"x")]);
    assert!(judge(&ipa, FileKind::IosApp).is_ok());
    let xlsx = zip(&[("[Content_Types].xml", b"<Types/>"), ("xl/workbook.xml", b"<workbook/>")]);
    assert_eq!(judge(&xlsx, FileKind::Sheet), Ok(Content::Sheet(SheetFormat::Xlsx)));

    for kind in [FileKind::AndroidApp, FileKind::IosApp, FileKind::Sheet] {
        assert_eq!(judge(&system, kind), Err("file.content"), "{kind:?}");
    }
    assert_eq!(judge(&apk, FileKind::IosApp), Err("file.content"));
    assert_eq!(judge(&ipa, FileKind::AndroidApp), Err("file.content"));
}

#[test]
fn near_misses_are_refused() {
    let text_manifest = zip(&[("AndroidManifest.xml", b"<manifest/>")]);
    let nested_manifest = zip(&[("app/AndroidManifest.xml", MANIFEST)]);
    for apk in [text_manifest, nested_manifest, zip(&[("androidmanifest.xml", MANIFEST)])] {
        assert_eq!(judge(&apk, FileKind::AndroidApp), Err("file.content"));
    }
    for name in ["Payload/Info.plist", "Payload/.app/Info.plist", "Payload/A.app/x/Info.plist", "A.app/Info.plist"] {
        assert_eq!(judge(&zip(&[(name, b"x")]), FileKind::IosApp), Err("file.content"), "{name}");
    }
}

#[test]
fn what_is_no_zip_is_refused() {
    for bytes in [&b""[..], b"x", b"Rar!\x1a\x07", b"7z\xbc\xaf", b"MZ\x90\0", b"<html>"] {
        assert_eq!(judge(bytes, FileKind::SystemPackage), Err("file.content"));
        assert_eq!(judge(bytes, FileKind::AndroidApp), Err("file.content"));
    }
    assert_eq!(judge(b"PK\x03\x04 and no more", FileKind::SystemPackage), Err("file.damaged"));
    assert_eq!(judge(&zip(&[]), FileKind::SystemPackage), Err("file.content"));
    let whole = zip(&[("a", b"some content that is here")]);
    assert_eq!(judge(&whole[..whole.len() / 2], FileKind::SystemPackage), Err("file.damaged"));
}

#[test]
fn names_that_lead_out_are_refused() {
    let bytes = zip(&[("ab/cd/ef", b"x")]);
    for name in ["../cd/ef", "ab/../ef", "/b/cd/ef", "ab/cd/..", "ab\\cd\\ef", "C:/cd/ef", "ab/c\u{7}/ef", "ab/cd/e\0"]
    {
        let bad = renamed(bytes.clone(), "ab/cd/ef", name);
        assert_eq!(judge(&bad, FileKind::SystemPackage), Err("archive.path"), "{name:?}");
    }
    let turned = zip(&[("\u{202e}gpj.exe", b"x")]);
    assert_eq!(judge(&turned, FileKind::SystemPackage), Err("archive.path"));
    assert!(judge(&zip(&[("a..b/..c", b"x")]), FileKind::SystemPackage).is_ok());
}

#[test]
fn links_are_refused() {
    let mut writer = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    writer.add_symlink("link", "/etc/passwd", SimpleFileOptions::default()).expect("in memory");
    let bytes = writer.finish().expect("in memory").into_inner();
    assert_eq!(judge(&bytes, FileKind::SystemPackage), Err("archive.special"));
}

#[test]
fn doubled_names_are_refused() {
    let bytes = zip(&[("one", b"first"), ("two", b"other")]);
    assert_eq!(judge(&renamed(bytes, "two", "one"), FileKind::SystemPackage), Err("file.damaged"));
    let same_path = zip(&[("a/b", b"first"), ("a//b", b"other")]);
    assert_eq!(judge(&same_path, FileKind::SystemPackage), Err("archive.path"));
}

#[test]
fn a_file_that_is_two_things_is_refused() {
    let package = zip(&[("a", b"x")]);
    for front in [&b"MZ\x90\0 a program "[..], b"#!/bin/sh\nexit\n", b"\x89PNG\r\n\x1a\n"] {
        let both = [front, &package].concat();
        assert_eq!(judge(&both, FileKind::SystemPackage), Err("file.content"));
    }
    // A zip whose beginning is another zip: which of them is meant depends on the reader.
    let two = [zip(&[("b", b"y")]), package].concat();
    assert!(judge(&two, FileKind::SystemPackage).is_err());
}

#[test]
fn bombs_are_refused() {
    let zeros = vec![0_u8; 80 << 20];
    assert_eq!(judge(&zip(&[("zeros", &zeros)]), FileKind::SystemPackage), Err("archive.ratio"));
    assert_eq!(
        judge(&zip(&[("AndroidManifest.xml", MANIFEST), ("z", &zeros)]), FileKind::AndroidApp),
        Err("archive.ratio")
    );
    // Less than the floor: a small file of zeros is no bomb.
    assert!(judge(&zip(&[("zeros", &zeros[..10 << 20])]), FileKind::SystemPackage).is_ok());
}

#[test]
fn lies_about_sizes_are_refused() {
    let bytes = zip(&[("file", b"0123456789")]);
    let central = bytes.windows(4).position(|part| part == b"PK\x01\x02").expect("a directory");
    for claimed in [0_u32, 1, 9, 11, 0x7FFF_FFFF] {
        // In the central header alone, then in both.
        let mut lie = bytes.clone();
        lie[central + 24..central + 28].copy_from_slice(&claimed.to_le_bytes());
        assert_eq!(judge(&lie, FileKind::SystemPackage), Err("file.damaged"), "{claimed}");
        lie[22..26].copy_from_slice(&claimed.to_le_bytes());
        assert_eq!(judge(&lie, FileKind::SystemPackage), Err("file.damaged"), "{claimed} twice");
    }
    let mut bent = bytes.clone();
    bent[central + 16] ^= 1;
    bent[14] ^= 1;
    assert_eq!(judge(&bent, FileKind::SystemPackage), Err("file.damaged"), "check sum");
}

/// Bzip2, LZMA, zstd and whatever else there is: the packages that are meant are never compressed so.
#[test]
fn ways_to_compress_that_nobody_reads_are_refused() {
    let bytes = zip(&[("file", b"0123456789")]);
    let central = bytes.windows(4).position(|part| part == b"PK\x01\x02").expect("a directory");
    for method in [1_u16, 9, 12, 14, 93, 98, u16::MAX] {
        let mut other = bytes.clone();
        other[8..10].copy_from_slice(&method.to_le_bytes());
        other[central + 10..central + 12].copy_from_slice(&method.to_le_bytes());
        assert_eq!(judge(&other, FileKind::SystemPackage), Err("file.damaged"), "{method}");
    }
}

#[test]
fn encrypted_entries_are_refused() {
    let mut bytes = zip(&[("file", b"0123456789")]);
    let central = bytes.windows(4).position(|part| part == b"PK\x01\x02").expect("a directory");
    bytes[6] |= 1;
    bytes[central + 8] |= 1;
    assert_eq!(judge(&bytes, FileKind::SystemPackage), Err("archive.encrypted"));
}

#[test]
fn endless_directories_are_refused_unread() {
    let mut bytes = zip(&[("file", b"x")]);
    let end = bytes.len() - 22;
    bytes[end + 8..end + 12].copy_from_slice(&[0xFE, 0xFF, 0xFE, 0xFF]);
    assert_eq!(judge(&bytes, FileKind::SystemPackage), Err("archive.tooManyEntries"));

    // The same in zip64: record, locator, end record.
    let mut bytes = zip(&[("file", b"x")]);
    let end = bytes.split_off(bytes.len() - 22);
    let record_at = bytes.len() as u64;
    let mut record = b"PK\x06\x06".to_vec();
    record.extend(44_u64.to_le_bytes());
    record.resize(24, 0);
    record.extend(1_000_000_u64.to_le_bytes());
    record.extend(1_000_000_u64.to_le_bytes());
    record.resize(56, 0);
    bytes.extend(record);
    bytes.extend(b"PK\x06\x07\0\0\0\0");
    bytes.extend(record_at.to_le_bytes());
    bytes.extend(1_u32.to_le_bytes());
    bytes.extend(end);
    assert_eq!(judge(&bytes, FileKind::SystemPackage), Err("archive.tooManyEntries"));
}

#[test]
fn a_workbook_with_a_shape_that_no_table_has_is_refused() {
    let book = |sheet: &[u8]| {
        zip(&[
            ("[Content_Types].xml", b"<Types/>"),
            ("xl/workbook.xml", b"<workbook/>"),
            ("xl/worksheets/sheet1.xml", sheet),
        ])
    };
    let cell = |length: usize| format!("<row><c><v>{}</v></c></row>", "x".repeat(length)).into_bytes();
    assert!(judge(&book(&cell(200_000)), FileKind::Sheet).is_ok());
    assert_eq!(judge(&book(&cell(2 << 20)), FileKind::Sheet), Err("sheet.shape"), "one endless cell");
    assert_eq!(judge(&book("<a>".repeat(1000).as_bytes()), FileKind::Sheet), Err("sheet.shape"), "endless nesting");
    let declared = b"<!DOCTYPE a [<!ENTITY b \"c\">]><a/>";
    assert_eq!(judge(&book(declared), FileKind::Sheet), Err("file.damaged"), "entities");
    assert!(judge(&book(declared), FileKind::SystemPackage).is_ok(), "what is in a package is nobody's XML");
}
