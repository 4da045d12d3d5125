//! Gzipped tars. Parsed by hand: 512-byte headers are simple, and readers that skip fields disagree with each other.
//!
//! Format: POSIX.1-2017 `pax`, "ustar Interchange Format"; the GNU extension `L` for long names.

use std::io::{BufRead, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;
use kernel::rules::Violation;

use crate::archive::{self, MAX_ENTRIES, Meter, Names, Unpacked};
use crate::{Fault, damaged};

const BLOCK: usize = 512;

/// The largest size of a long name or of pax records: they are held in memory.
const MAX_EXTENSION: u64 = 64 << 10;

/// Reads the archive to its end, so that the checksum of gzip is verified as well.
pub(crate) fn check(mut source: impl BufRead + Seek) -> Result<Unpacked, Fault> {
    let packed = source.seek(SeekFrom::End(0))?;
    source.seek(SeekFrom::Start(0))?;
    let mut meter = Meter::new(packed);
    let mut reader = meter.watch(GzDecoder::new(source));

    let found = entries(&mut reader)?;
    // After the end marker there is padding, and padding is zeros.
    let mut rest = [0_u8; 8192];
    loop {
        match reader.read(&mut rest)? {
            0 => break,
            read if rest[..read].iter().all(|byte| *byte == 0) => {}
            _ => return Err(damaged().into()),
        }
    }
    let mut source = reader.into_inner().into_inner();
    // A second gzip member, or other data, that another reader would find.
    if !source.fill_buf()?.is_empty() {
        return Err(damaged().into());
    }
    if found.files == 0 {
        return Err(Violation::new("archive.empty").into());
    }
    Ok(found)
}

/// Values of the extension headers for the entry that follows them.
#[derive(Default)]
struct Extension {
    path: Option<String>,
    size: Option<u64>,
}

fn entries(reader: &mut impl Read) -> Result<Unpacked, Fault> {
    let mut found = Unpacked::default();
    let mut names = Names::default();
    let mut extension = Extension::default();
    let mut headers = 0;
    loop {
        let mut header = [0_u8; BLOCK];
        reader.read_exact(&mut header)?;
        if header.iter().all(|byte| *byte == 0) {
            // The end is two blocks of zeros; an entry after a single one would be seen by some readers only.
            reader.read_exact(&mut header)?;
            return if header.iter().all(|byte| *byte == 0) { Ok(found) } else { Err(damaged().into()) };
        }
        headers += 1;
        if headers > MAX_ENTRIES * 2 {
            return Err(archive::too_many_entries().into());
        }
        check_sum(&header)?;
        let stored_size = octal(&header[124..136])?;
        match header[156] {
            b'x' => extension.take_pax(&payload(reader, stored_size)?)?,
            b'L' => extension.path = Some(text(until_zero(&payload(reader, stored_size)?))?),
            // Records for all entries; `git archive` writes a comment this way. They must not rename or resize.
            b'g' => {
                let mut global = Extension::default();
                global.take_pax(&payload(reader, stored_size)?)?;
                if global.path.is_some() || global.size.is_some() {
                    return Err(damaged().into());
                }
            }
            kind => {
                let Extension { path, size } = std::mem::take(&mut extension);
                let path = path.map_or_else(|| header_path(&header), Ok)?;
                archive::check_path(&path)?;
                names.add(&path)?;
                let size = size.unwrap_or(stored_size);
                match kind {
                    b'0' | 0 | b'7' => {
                        skip(reader, size)?;
                        found.files += 1;
                        found.bytes += size;
                    }
                    b'5' if size == 0 => {}
                    _ => return Err(archive::special(&path).into()),
                }
                if found.files > MAX_ENTRIES {
                    return Err(archive::too_many_entries().into());
                }
            }
        }
    }
}

impl Extension {
    /// Reads pax records: `<length> <key>=<value>
    /// `; the length includes itself.
    fn take_pax(&mut self, mut records: &[u8]) -> Result<(), Fault> {
        while !records.is_empty() {
            let space = records.iter().position(|byte| *byte == b' ').ok_or_else(damaged)?;
            let length: usize = text(&records[..space])?.parse().map_err(|_| damaged())?;
            let record = records.get(space + 1..length).ok_or_else(damaged)?;
            let record = text(record.strip_suffix(b"\n").ok_or_else(damaged)?)?;
            let (key, value) = record.split_once('=').ok_or_else(damaged)?;
            match key {
                "path" => self.path = Some(value.to_owned()),
                // A reader that misses it loses its position: CVE-2025-62518.
                "size" => self.size = Some(value.parse().map_err(|_| damaged())?),
                // Readers disagree about the layout of sparse files.
                _ if key.starts_with("GNU.sparse.") => return Err(archive::special(key).into()),
                _ => {}
            }
            records = &records[length..];
        }
        Ok(())
    }
}

/// The bytes of an extension header.
fn payload(reader: &mut impl Read, size: u64) -> Result<Vec<u8>, Fault> {
    if size > MAX_EXTENSION {
        return Err(damaged().into());
    }
    let mut bytes = Vec::new();
    reader.by_ref().take(padded(size)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != padded(size) {
        return Err(damaged().into());
    }
    bytes.truncate(usize::try_from(size).map_err(|_| damaged())?);
    Ok(bytes)
}

fn skip(reader: &mut impl Read, size: u64) -> Result<(), Fault> {
    let length = size.checked_next_multiple_of(BLOCK as u64).ok_or_else(damaged)?;
    if archive::drain(reader.by_ref().take(length))? != length {
        return Err(damaged().into());
    }
    Ok(())
}

const fn padded(size: u64) -> u64 {
    size.next_multiple_of(BLOCK as u64)
}

fn header_path(header: &[u8; BLOCK]) -> Result<String, Fault> {
    let name = text(until_zero(&header[..100]))?;
    let has_prefix = &header[257..263] == b"ustar\0" && header[345] != 0;
    if has_prefix {
        return Ok(format!("{}/{name}", text(until_zero(&header[345..500]))?));
    }
    Ok(name)
}

/// The sum of the header's bytes, with its own field read as spaces.
fn check_sum(header: &[u8; BLOCK]) -> Result<(), Fault> {
    let sum: u64 = header
        .iter()
        .enumerate()
        .map(|(at, byte)| u64::from(if (148..156).contains(&at) { b' ' } else { *byte }))
        .sum();
    if sum == octal(&header[148..156])? { Ok(()) } else { Err(damaged().into()) }
}

/// A number field: octal digits between spaces and zeros, or GNU's base 256 marked by the top bit.
fn octal(field: &[u8]) -> Result<u64, Fault> {
    if field[0] & 0x80 != 0 {
        let (first, rest) = (field[0] & 0x7F, &field[1..]);
        let (high, low) = rest.split_at(rest.len().saturating_sub(8));
        if first != 0 || high.iter().any(|byte| *byte != 0) {
            return Err(damaged().into());
        }
        return Ok(low.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte)));
    }
    let digits = text(until_zero(field))?;
    let digits = digits.trim_matches(' ');
    if digits.is_empty() {
        return Ok(0);
    }
    u64::from_str_radix(digits, 8).map_err(|_| damaged().into())
}

fn until_zero(bytes: &[u8]) -> &[u8] {
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

fn text(bytes: &[u8]) -> Result<String, Fault> {
    String::from_utf8(bytes.to_vec()).map_err(|_| damaged().into())
}
