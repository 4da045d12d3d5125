//! Checks whether an uploaded file is what its type says, by its content and never by its name.
//!
//! All input here is hostile. Nothing is unpacked to disk; what is unpacked in passing is counted and bounded; pictures
//! are measured before they are decoded. Remaining risks of a parser are contained in a process of its own: `skyrack
//! inspect` calls [`confine`] and then one of these; the server starts it (`server::inspection`).
//!
//! Not done here: the name and the size of the file (`kernel::rules`), signatures of packages, viruses.

mod android;
mod archive;
mod certificate;
mod confine;
mod picture;
mod profile;
mod program;
mod sheet;
mod tarball;
mod xml;
mod zipped;

use std::io::{self, BufReader, Read, Seek, SeekFrom};

use kernel::rules::{FileKind, Violation};
use serde::{Deserialize, Serialize};

pub use android::{AndroidPackage, android_package, android_permissions};
pub use archive::{MAX_ENTRIES, MAX_RATIO, MAX_UNPACKED, Unpacked, is_dangerous};
pub use certificate::Certificate;
pub use confine::{Limits, confine, end_with};
pub use picture::{MAX_PIXELS, Picture, PictureFormat};
pub use profile::profile;
pub use sheet::SheetFormat;
pub use wire::ProfileSummary;

/// The detected content of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// A complete picture.
    Picture(Picture),
    /// A zip, APK or IPA.
    Zip(Unpacked),
    /// A gzipped tar.
    TarGz(Unpacked),
    /// A Windows program.
    Program,
    /// One or more certificates; the first is described.
    Certificate(Certificate),
    /// A table.
    Sheet(SheetFormat),
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The file is refused.
    #[error("refused: {0}")]
    Refused(#[from] Violation),
    /// The file could not be read; this says nothing about its content.
    #[error("cannot read the file")]
    Io(#[source] io::Error),
}

impl From<io::Error> for Fault {
    /// Decoders report invalid data as I/O errors too; only the others are ours.
    fn from(error: io::Error) -> Self {
        if let Some(violation) = error.get_ref().and_then(|inner| inner.downcast_ref::<Violation>()) {
            return Self::Refused(violation.clone());
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "the kinds of I/O errors are open")]
        match error.kind() {
            io::ErrorKind::UnexpectedEof
            | io::ErrorKind::InvalidData
            | io::ErrorKind::InvalidInput
            // An unsupported compression. Files on disk are never asked for more than they support.
            | io::ErrorKind::Unsupported => Self::Refused(damaged()),
            _ => Self::Io(error),
        }
    }
}

/// Inspects a file that was uploaded as `kind`.
///
/// # Errors
/// [`Fault::Refused`] when the file is not such a file, is damaged, or is dangerous to open.
pub fn inspect(source: impl Read + Seek, kind: FileKind) -> Result<Content, Fault> {
    let mut source = BufReader::new(source);
    let mut head = [0_u8; 4];
    let length = read_up_to(&mut source, &mut head)?;
    let head = &head[..length];
    source.seek(SeekFrom::Start(0))?;

    let is_zip = head.starts_with(b"PK\x03\x04");
    let is_gzip = head.starts_with(b"\x1f\x8b");
    match kind {
        FileKind::Picture | FileKind::QrImage => picture::read(&whole(source, kind)?, kind).map(Content::Picture),
        FileKind::SystemPackage if is_zip => zipped::check(source, kind).map(Content::Zip),
        FileKind::SystemPackage if is_gzip => tarball::check(source).map(Content::TarGz),
        FileKind::AndroidApp | FileKind::IosApp if is_zip => zipped::check(source, kind).map(Content::Zip),
        FileKind::WindowsApp => program::check(source).map(|()| Content::Program),
        FileKind::Certificate => certificate::read(&whole(source, kind)?).map(Content::Certificate),
        FileKind::Sheet if is_zip => zipped::check(source, kind).map(|_| Content::Sheet(SheetFormat::Xlsx)),
        FileKind::Sheet => sheet::check_csv(source).map(|()| Content::Sheet(SheetFormat::Csv)),
        FileKind::SystemPackage | FileKind::AndroidApp | FileKind::IosApp => Err(unlike(kind).into()),
    }
}

/// The bytes of a small file, within the limit of its kind.
fn whole(source: impl Read, kind: FileKind) -> Result<Vec<u8>, Fault> {
    let max = kind.max_bytes();
    let mut bytes = Vec::new();
    source.take(max + 1).read_to_end(&mut bytes)?;
    kernel::rules::file_size(bytes.len() as u64, max)?;
    Ok(bytes)
}

/// Fills as much of the buffer as the source has.
fn read_up_to(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match source.read(&mut buffer[filled..])? {
            0 => break,
            read => filled += read,
        }
    }
    Ok(filled)
}

/// The file is not of its kind.
fn unlike(kind: FileKind) -> Violation {
    Violation::new("file.content").with("expected", kind.extensions().join(", "))
}

/// The file starts correctly and is damaged later.
fn damaged() -> Violation {
    Violation::new("file.damaged")
}
