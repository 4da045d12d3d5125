//! Makes files, good and bad.

use std::io::{Cursor, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use inspect::{Content, Fault};
use kernel::rules::FileKind;
use zip::write::{SimpleFileOptions, ZipWriter};

/// Inspects bytes: what they are, or the code of the refusal.
pub fn judge(bytes: &[u8], kind: FileKind) -> Result<Content, &'static str> {
    inspect::inspect(Cursor::new(bytes), kind).map_err(|fault| match fault {
        Fault::Refused(violation) => violation.code,
        Fault::Io(error) => panic!("bytes in memory can be read: {error}"),
    })
}

/// A zip of files with these names and contents.
pub fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in entries {
        writer.start_file(*name, SimpleFileOptions::default()).expect("a name");
        writer.write_all(content).expect("in memory");
    }
    writer.finish().expect("in memory").into_inner()
}

/// Replaces a name in the local and the central header of a zip by one of the same length.
pub fn renamed(mut bytes: Vec<u8>, from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut found = 0;
    for at in 0..=bytes.len() - from.len() {
        if bytes[at..].starts_with(from.as_bytes()) {
            bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
            found += 1;
        }
    }
    assert_eq!(found, 2, "the name stands twice");
    bytes
}

/// One entry of a tar: header and padded content.
pub fn tar_entry(name: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut out = tar_header(name, kind, content.len() as u64);
    out.extend_from_slice(content);
    out.resize(out.len().next_multiple_of(512), 0);
    out
}

/// The header of an entry that claims a size.
pub fn tar_header(name: &str, kind: u8, size: u64) -> Vec<u8> {
    let mut header = vec![0_u8; 512];
    header[..name.len()].copy_from_slice(name.as_bytes());
    header[100..108].copy_from_slice(b"0000644\0");
    header[124..136].copy_from_slice(format!("{size:011o}\0").as_bytes());
    header[156] = kind;
    header[257..265].copy_from_slice(b"ustar\x0000");
    with_check_sum(header)
}

/// Sets the check sum of a header.
pub fn with_check_sum(mut header: Vec<u8>) -> Vec<u8> {
    header[148..156].copy_from_slice(b"        ");
    let sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

/// One pax record, its length counting itself.
pub fn pax(key: &str, value: &str) -> Vec<u8> {
    let bare = format!(" {key}={value}\n");
    let length = (1..).find(|digits| (bare.len() + digits).to_string().len() == *digits).expect("some");
    format!("{}{bare}", bare.len() + length).into_bytes()
}

/// A gzipped tar of these entries with its end mark.
pub fn tar_gz(entries: &[Vec<u8>]) -> Vec<u8> {
    let mut tar = entries.concat();
    tar.resize(tar.len() + 1024, 0);
    gzip(&tar)
}

pub fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).expect("in memory");
    encoder.finish().expect("in memory")
}
