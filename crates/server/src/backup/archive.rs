//! Opening a backup file, and explaining why one cannot be opened.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use anyhow::{Context as _, anyhow, bail, ensure};
use serde::Deserialize;
use vault::{OpenReader, StreamHead, Unsealable, Vault};
use zip::ZipArchive;

use super::check::in_lines;
use super::{FORMAT, Header, MAGIC, MANIFEST, Manifest, PURPOSE, trailer};

/// A header line has some 300 bytes.
const LONGEST_HEADER: usize = 4096;

/// An open backup file. It was read from start to end, and every byte is as it was written; whether its content is
/// complete is checked by [`Archive::problems`].
#[derive(Debug)]
pub struct Archive {
    pub(super) zip: ZipArchive<Body>,
    manifest: Manifest,
    is_sealed: bool,
    pub(super) is_checked: bool,
}

/// The zip in a backup file.
#[derive(Debug)]
pub enum Body {
    Plain(BufReader<File>),
    Sealed(Box<OpenReader<File>>),
}

impl Read for Body {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Plain(file) => file.read(into),
            Self::Sealed(stream) => stream.read(into),
        }
    }
}

impl Seek for Body {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Plain(file) => file.seek(to),
            Self::Sealed(stream) => stream.seek(to),
        }
    }
}

/// The start of a file.
enum Start {
    /// A sealed backup: its header, and the bytes that the seal is bound to.
    Sealed(Header, Vec<u8>),
    Zip,
    /// A sealed backup that this version cannot read.
    Other(OtherVersion),
    /// A sealed backup, as far as can be determined.
    Broken,
    /// Not a backup, or no longer.
    Unknown,
}

/// What every format of a backup says about itself, however new.
#[derive(Deserialize)]
struct Origin {
    format: u32,
    version: String,
}

impl Archive {
    /// Opens the backup at `path` with the keys from `vault`; a plain backup needs none.
    ///
    /// # Errors
    /// When it is not a backup, is of another version, damaged, or sealed with another master key.
    pub fn open(path: &Path, vault: impl FnOnce() -> anyhow::Result<Vault>) -> anyhow::Result<Self> {
        let name = path.display();
        let mut file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        ensure!(file.metadata()?.is_file(), "{name} is not a file");
        let start = read_start(&mut file).with_context(|| format!("cannot read {name}"))?;
        let end = trailer::check(&mut file).with_context(|| format!("cannot read {name}"))?;
        if let (Start::Unknown, Err(trailer::Flaw::NoEnd)) = (&start, end) {
            bail!("{name} is not a backup of Skyrack");
        }
        let length = match end {
            Ok(before) => before,
            Err(_) => file.metadata()?.len().saturating_sub(trailer::LENGTH as u64),
        };
        let inside = Self::inside(file, start, length, vault);
        match (end, inside) {
            (Ok(_), Ok(archive)) => Ok(archive),
            (Ok(_), Err(why)) => Err(why.context(format!("{name} cannot be opened"))),
            (Err(_), Err(why)) if why.is::<OtherVersion>() => Err(why.context(format!("{name} cannot be opened"))),
            (Err(flaw), Ok(mut archive)) => {
                let found = archive.problems();
                if found.is_empty() {
                    bail!("{name} is damaged: {flaw} (all files in it can be read)")
                }
                let all = archive.manifest.tables.len() + archive.manifest.files.len();
                bail!("{name} is damaged: {flaw}; {}", in_lines(&found, all))
            }
            (Err(flaw), Err(why)) => bail!("{name} is damaged: {flaw} ({why:#})"),
        }
    }

    fn inside(
        file: File,
        start: Start,
        length: u64,
        vault: impl FnOnce() -> anyhow::Result<Vault>,
    ) -> anyhow::Result<Self> {
        let (body, is_sealed) = match start {
            Start::Unknown | Start::Broken => bail!("its header cannot be read"),
            Start::Other(version) => return Err(version.into()),
            Start::Zip => (Body::Plain(BufReader::new(file)), false),
            Start::Sealed(header, bound) => {
                (Body::Sealed(Box::new(unseal(file, &header, &bound, length, vault)?)), true)
            }
        };
        let mut zip = ZipArchive::new(body).context("what is inside is no archive")?;
        let manifest = read_manifest(&mut zip)?;
        Ok(Self { zip, manifest, is_sealed, is_checked: false })
    }

    /// Its manifest.
    #[must_use]
    pub const fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether it is sealed with a master key.
    #[must_use]
    pub const fn is_sealed(&self) -> bool {
        self.is_sealed
    }
}

/// A backup that needs another version.
#[derive(Debug, thiserror::Error)]
pub enum OtherVersion {
    /// Made by a newer one.
    #[error("it was made by a newer version, Skyrack {0}; this is {ours}: update first", ours = env!("CARGO_PKG_VERSION"))]
    Newer(String),
    /// Made by an older one.
    #[error("it was made by an older version, Skyrack {0}: restore it with that version, then update")]
    Older(String),
}

fn read_start(file: &mut File) -> io::Result<Start> {
    let mut bytes = Vec::new();
    file.take((MAGIC.len() + LONGEST_HEADER) as u64).read_to_end(&mut bytes)?;
    if bytes.starts_with(b"PK\x03\x04") {
        return Ok(Start::Zip);
    }
    let Some(line) = bytes.strip_prefix(MAGIC) else { return Ok(Start::Unknown) };
    let Some(end) = line.iter().position(|byte| *byte == b'\n') else { return Ok(Start::Broken) };
    let bound = bytes[..MAGIC.len() + end + 1].to_vec();
    // First what every format has: a newer one may have more in its header.
    let Ok(Origin { format, version }) = serde_json::from_slice(&line[..end]) else { return Ok(Start::Broken) };
    if let Err(other) = check_format(format, &version) {
        return Ok(Start::Other(other));
    }
    Ok(serde_json::from_slice(&line[..end]).map_or(Start::Broken, |header| Start::Sealed(header, bound)))
}

fn check_format(format: u32, version: &str) -> Result<(), OtherVersion> {
    match format.cmp(&FORMAT) {
        std::cmp::Ordering::Less => Err(OtherVersion::Older(version.to_owned())),
        std::cmp::Ordering::Equal => Ok(()),
        std::cmp::Ordering::Greater => Err(OtherVersion::Newer(version.to_owned())),
    }
}

fn unseal(
    file: File,
    header: &Header,
    bound: &[u8],
    length: u64,
    vault: impl FnOnce() -> anyhow::Result<Vault>,
) -> anyhow::Result<OpenReader<File>> {
    let malformed = || anyhow!("its header was modified");
    let head = StreamHead {
        key_id: header.key_id,
        salt: hex::decode(&header.salt).ok().and_then(|salt| salt.try_into().ok()).ok_or_else(malformed)?,
        check: hex::decode(&header.key_check).ok().and_then(|check| check.try_into().ok()).ok_or_else(malformed)?,
    };
    let vault = vault().with_context(|| format!("it is sealed with master key {}", header.key_id))?;
    let key = vault.stream_key(PURPOSE, &head, bound).map_err(|why| match why {
        Unsealable::UnknownKey(_) | Unsealable::OtherKey(_) => {
            anyhow!("{why}; bring the master key file of the console that made the backup")
        }
        Unsealable::Tampered => anyhow!(why),
    })?;
    let start = bound.len() as u64;
    let length = length.checked_sub(start).ok_or_else(malformed)?;
    OpenReader::new(file, key, start, length).context("somebody changed it")
}

fn read_manifest(zip: &mut ZipArchive<Body>) -> anyhow::Result<Manifest> {
    let mut text = Vec::new();
    let mut entry = zip
        .by_name(MANIFEST)
        .context("it has no list of what is in it (manifest.json): it is no backup of Skyrack, or not all of one")?;
    entry.read_to_end(&mut text).context("its manifest (manifest.json) cannot be read")?;
    let origin: Origin = serde_json::from_slice(&text).context("its manifest cannot be read")?;
    check_format(origin.format, &origin.version)?;
    serde_json::from_slice(&text).context("its manifest cannot be read")
}
