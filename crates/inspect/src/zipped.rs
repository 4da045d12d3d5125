//! Zip archives, and zips by another name: apk, ipa, xlsx.

use std::io::{Read, Seek, SeekFrom};

use kernel::rules::{FileKind, Violation};
use zip::ZipArchive;
use zip::result::ZipError;

use crate::archive::{self, MAX_ENTRIES, Meter, Names, Unpacked};
use crate::xml::Shape;
use crate::{Fault, damaged, unlike};

/// Binary XML, as the manifest of an Android package is stored: `RES_XML_TYPE`, header size 8.
const BINARY_XML: [u8; 4] = [0x03, 0x00, 0x08, 0x00];

/// Opens every entry, so that the declared sizes are verified.
pub(crate) fn check(mut source: impl Read + Seek, kind: FileKind) -> Result<Unpacked, Fault> {
    let packed = source.seek(SeekFrom::End(0))?;
    refuse_endless_directory(&mut source, packed)?;
    let mut archive = ZipArchive::new(source).map_err(fault)?;
    if archive.len() as u64 > MAX_ENTRIES {
        return Err(archive::too_many_entries().into());
    }
    // Data before the zip: the file is also a program, a script or a picture.
    if archive.offset() != 0 {
        return Err(unlike(kind).into());
    }
    // Duplicate names, overlaps, entries that only some readers see.
    archive.validate_header_consistency().map_err(fault)?;

    let mut names = Names::default();
    let mut meter = Meter::new(packed);
    let mut marks = Marks::default();
    let mut files = 0;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(fault)?;
        let name = entry.name().map_err(fault)?.into_owned();
        archive::check_path(&name)?;
        names.add(&name)?;
        if entry.is_symlink() || is_special(entry.unix_mode()) {
            return Err(archive::special(&name).into());
        }
        let (is_folder, declared) = (entry.is_dir(), entry.size());
        let mut reader = meter.watch(&mut entry);
        let mut head = [0_u8; 4];
        let length = crate::read_up_to(&mut reader, &mut head)?;
        let rest = if kind == FileKind::Sheet && is_read_as_xml(&name) {
            drain_xml(&head[..length], reader)?
        } else {
            archive::drain(reader)?
        };
        let size = length as u64 + rest;
        if size != declared || (is_folder && size > 0) {
            return Err(damaged().into());
        }
        files += u64::from(!is_folder);
        marks.see(&name, &head);
    }
    if files == 0 {
        return Err(Violation::new("archive.empty").into());
    }
    if !marks.fit(kind) {
        return Err(unlike(kind).into());
    }
    Ok(Unpacked { files, bytes: meter.unpacked() })
}

/// The entries that identify kinds of packages.
#[derive(Default)]
struct Marks {
    android_manifest: bool,
    ios_info: bool,
    content_types: bool,
    workbook: bool,
}

impl Marks {
    fn see(&mut self, name: &str, head: &[u8; 4]) {
        match name {
            "AndroidManifest.xml" => self.android_manifest = *head == BINARY_XML,
            "[Content_Types].xml" => self.content_types = true,
            "xl/workbook.xml" => self.workbook = true,
            _ => self.ios_info |= is_ios_info(name),
        }
    }

    const fn fit(&self, kind: FileKind) -> bool {
        match kind {
            FileKind::AndroidApp => self.android_manifest,
            FileKind::IosApp => self.ios_info,
            FileKind::Sheet => self.content_types && self.workbook,
            FileKind::SystemPackage
            | FileKind::Picture
            | FileKind::QrImage
            | FileKind::WindowsApp
            | FileKind::Certificate => true,
        }
    }
}

/// The parts of a workbook that are parsed as XML.
fn is_read_as_xml(name: &str) -> bool {
    let is_part = name.starts_with("xl/") || name.starts_with("_rels/") || name == "[Content_Types].xml";
    is_part && (name.ends_with(".xml") || name.ends_with(".rels"))
}

/// Reads XML to its end, and refuses a structure that would be too expensive for its parser.
fn drain_xml(head: &[u8], mut rest: impl Read) -> Result<u64, Fault> {
    let (mut shape, mut size, mut piece) = (Shape::default(), 0, vec![0_u8; 32 << 10]);
    shape.see(head)?;
    loop {
        let length = rest.read(&mut piece)?;
        if length == 0 {
            return Ok(size);
        }
        shape.see(&piece[..length])?;
        size += length as u64;
    }
}

/// `Payload/<name>.app/Info.plist`.
fn is_ios_info(name: &str) -> bool {
    let mut parts = name.split('/');
    parts.next() == Some("Payload")
        && parts.next().is_some_and(|folder| folder.len() > 4 && folder.ends_with(".app"))
        && parts.next() == Some("Info.plist")
        && parts.next().is_none()
}

/// Whether a Unix mode describes something other than a file or a folder.
fn is_special(mode: Option<u32>) -> bool {
    const TYPE: u32 = 0o170_000;
    mode.is_some_and(|mode| !matches!(mode & TYPE, 0 | 0o100_000 | 0o040_000))
}

/// Checks the declared number of entries before the library allocates memory for them.
///
/// Layout: APPNOTE 4.3.16 (end record), 4.3.15 (zip64 locator), 4.3.14 (zip64 end record).
fn refuse_endless_directory(source: &mut (impl Read + Seek), size: u64) -> Result<(), Fault> {
    const RECORD: u64 = 22;
    const LONGEST_COMMENT: u64 = 65_535;
    let start = size.saturating_sub(RECORD + LONGEST_COMMENT + 20);
    source.seek(SeekFrom::Start(start))?;
    let mut tail = Vec::new();
    source.by_ref().take(size - start).read_to_end(&mut tail)?;
    let declares_too_many = |record: &[u8]| {
        // 0xFFFF means that the number is in the zip64 record.
        record.starts_with(b"PK\x05\x06")
            && number(record, 10, 2).is_some_and(|count| count > MAX_ENTRIES && count != 0xFFFF)
    };
    if (0..tail.len()).any(|at| declares_too_many(&tail[at..])) {
        return Err(archive::too_many_entries().into());
    }
    for at in 0..tail.len() {
        if !tail[at..].starts_with(b"PK\x06\x07") {
            continue;
        }
        let Some(offset) = number(&tail[at..], 8, 8).filter(|offset| *offset < size) else {
            return Err(damaged().into());
        };
        let mut record = [0_u8; 40];
        source.seek(SeekFrom::Start(offset))?;
        let length = crate::read_up_to(source, &mut record)?;
        let declared = number(&record[..length], 32, 8);
        if record.starts_with(b"PK\x06\x06") && declared.is_some_and(|count| count > MAX_ENTRIES) {
            return Err(archive::too_many_entries().into());
        }
    }
    Ok(())
}

/// A little-endian number inside a record.
fn number(record: &[u8], at: usize, length: usize) -> Option<u64> {
    let bytes = record.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte)))
}

#[expect(clippy::wildcard_enum_match_arm, reason = "everything else is about the data; the enum is open")]
fn fault(error: ZipError) -> Fault {
    match error {
        ZipError::Io(error) => error.into(),
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) | ZipError::InvalidPassword => {
            Violation::new("archive.encrypted").into()
        }
        _ => damaged().into(),
    }
}
