//! Android packages, as far as they are inspected: a zip with a manifest in binary XML.

use std::io::{Cursor, Write as _};

use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// A package with `filler` bytes of code.
///
/// # Panics
/// Never: a zip in memory can be written.
#[must_use]
pub fn package(name: &str, version_name: &str, version_code: u32, filler: usize) -> Vec<u8> {
    zipped(&manifest(name, version_name, version_code), filler)
}

/// A package whose manifest has nested elements, `depth` of them below the first.
///
/// # Panics
/// Never: a zip in memory can be written.
#[must_use]
pub fn nested(name: &str, depth: usize) -> Vec<u8> {
    zipped(&nested_manifest(name, depth), 10)
}

fn zipped(manifest: &[u8], filler: usize) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("AndroidManifest.xml", SimpleFileOptions::default()).unwrap();
    zip.write_all(manifest).unwrap();
    zip.start_file("classes.dex", SimpleFileOptions::default()).unwrap();
    zip.write_all(&vec![7; filler]).unwrap();
    zip.finish().unwrap().into_inner()
}

/// `<manifest package versionName versionCode/>` in binary XML (AOSP `libs/androidfw/include/androidfw/ResourceTypes.h`).
#[must_use]
pub fn manifest(name: &str, version_name: &str, version_code: u32) -> Vec<u8> {
    document(name, version_name, version_code, 0)
}

/// A manifest with nested elements, `depth` of them below the first, never closed.
#[must_use]
pub fn nested_manifest(name: &str, depth: usize) -> Vec<u8> {
    document(name, "1", 1, depth)
}

fn document(name: &str, version_name: &str, version_code: u32, depth: usize) -> Vec<u8> {
    let strings = ["versionCode", "versionName", "package", "manifest", name, version_name];
    let pool = strings_chunk(&strings);
    // The resource ids of the first strings: `android:versionCode` and `android:versionName`.
    let resources = chunk(0x0180, 8, &[], &words(&[0x0101_021b, 0x0101_021c]));
    let attributes = [
        // Namespace, name, raw value; then size 8, type (0x10 decimal, 0x03 string) and data.
        words(&[NONE, 0, NONE, 0x1000_0008, version_code]),
        words(&[NONE, 1, 5, 0x0300_0008, 5]),
        words(&[NONE, 2, 4, 0x0300_0008, 4]),
    ]
    .concat();
    // Line and comment; namespace, name, offset and size of attributes, their count, no id, class or style.
    let start = [words(&[1, NONE]), words(&[NONE, 3]), halves(&[20, 20, 3, 0, 0, 0]), attributes].concat();
    let bare = [words(&[1, NONE]), words(&[NONE, 3]), halves(&[20, 20, 0, 0, 0, 0])].concat();
    let end = [words(&[1, NONE]), words(&[NONE, 3])].concat();
    let inner = chunk(0x0102, 16, &[], &bare).repeat(depth);
    let nodes = [chunk(0x0102, 16, &[], &start), inner, chunk(0x0103, 16, &[], &end)].concat();
    chunk(0x0003, 8, &[], &[pool, resources, nodes].concat())
}

const NONE: u32 = u32::MAX;

fn words(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

fn halves(values: &[u16]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// Type, size of the header, total size; the rest of the header, and the content.
fn chunk(kind: u16, head_size: u16, head: &[u8], rest: &[u8]) -> Vec<u8> {
    let size = u32::try_from(8 + head.len() + rest.len()).unwrap();
    [halves(&[kind, head_size]), words(&[size]), head.to_vec(), rest.to_vec()].concat()
}

/// A pool of UTF-16 strings.
fn strings_chunk(strings: &[&str]) -> Vec<u8> {
    let (mut offsets, mut data) = (Vec::new(), Vec::new());
    for string in strings {
        offsets.push(u32::try_from(data.len()).unwrap());
        let units: Vec<u16> = string.encode_utf16().collect();
        data.extend(halves(&[u16::try_from(units.len()).unwrap()]));
        data.extend(halves(&units));
        data.extend([0, 0]);
    }
    data.resize(data.len().next_multiple_of(4), 0);
    let count = u32::try_from(strings.len()).unwrap();
    let head = words(&[count, 0, 0, 28 + 4 * count, 0]);
    chunk(0x0001, 28, &head, &[words(&offsets), data].concat())
}
