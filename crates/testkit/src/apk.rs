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

/// A package that asks for permissions, and for one that no Android since the first wants (`maxSdkVersion` 1).
///
/// # Panics
/// Never: a zip in memory can be written.
#[must_use]
pub fn asking(name: &str, version_code: u32, permissions: &[&str], filler: usize) -> Vec<u8> {
    zipped(&asking_manifest(name, version_code, permissions), filler)
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
    document([name, version_name], version_code, &[], 0)
}

/// A manifest with nested elements, `depth` of them below the first, never closed.
#[must_use]
pub fn nested_manifest(name: &str, depth: usize) -> Vec<u8> {
    document([name, "1"], 1, &[], depth)
}

/// A manifest with `<uses-permission name/>` for each permission, and a last one with `maxSdkVersion` 1.
#[must_use]
pub fn asking_manifest(name: &str, version_code: u32, permissions: &[&str]) -> Vec<u8> {
    document([name, "1.0"], version_code, permissions, 0)
}

/// What only an old Android is asked for.
const OLD: &str = "android.permission.READ_LOGS";

fn document([name, version_name]: [&str; 2], version_code: u32, permissions: &[&str], depth: usize) -> Vec<u8> {
    let names = ["versionCode", "versionName", "name", "maxSdkVersion"];
    let others = ["package", "manifest", "uses-permission", name, version_name, OLD];
    let strings: Vec<&str> = names.iter().chain(&others).chain(permissions).copied().collect();
    let pool = strings_chunk(&strings);
    // The resource ids of the first strings: `android:versionCode`, `versionName`, `name` and `maxSdkVersion`.
    let resources = chunk(0x0180, 8, &[], &words(&[0x0101_021b, 0x0101_021c, 0x0101_0003, 0x0101_0271]));
    let attributes = [number(0, version_code), text(1, 8), text(4, 7)];
    let asked = (10..).take(permissions.len()).map(|at| vec![text(2, at)]);
    let last = (!permissions.is_empty()).then(|| vec![text(2, 9), number(3, 1)]);
    let asks = asked.chain(last).flat_map(|attributes| [start(6, &attributes), end(6)].concat()).collect();
    let inner = start(5, &[]).repeat(depth);
    let nodes = [start(5, &attributes), asks, inner, end(5)].concat();
    chunk(0x0003, 8, &[], &[pool, resources, nodes].concat())
}

/// An attribute: namespace, name, raw value; then size 8, type (0x10 decimal) and data.
fn number(name: u32, value: u32) -> Vec<u8> {
    words(&[NONE, name, NONE, 0x1000_0008, value])
}

/// An attribute whose value is a text of the pool (type 0x03).
fn text(name: u32, at: u32) -> Vec<u8> {
    words(&[NONE, name, at, 0x0300_0008, at])
}

/// The start of an element: line and comment; namespace, name, offset and size of attributes, their count, no id, class
/// or style.
fn start(name: u32, attributes: &[Vec<u8>]) -> Vec<u8> {
    let count = u16::try_from(attributes.len()).unwrap();
    let head = [words(&[1, NONE]), words(&[NONE, name]), halves(&[20, 20, count, 0, 0, 0])].concat();
    chunk(0x0102, 16, &[], &[head, attributes.concat()].concat())
}

/// The end of an element.
fn end(name: u32) -> Vec<u8> {
    chunk(0x0103, 16, &[], &[words(&[1, NONE]), words(&[NONE, name])].concat())
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
