//! The end of a backup file: a hash over everything before it, and its length.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write};

use aws_lc_rs::digest;

/// Bytes of a trailer.
pub const LENGTH: usize = 32 + 8 + 8;
const END: &[u8; 8] = b"SKYRKEND";

/// Hashes what is written to it and passes it on, except the last [`LENGTH`] bytes so far.
pub struct Closing<W> {
    inner: W,
    hash: digest::Context,
    written: u64,
    held: Vec<u8>,
}

impl<W: Write> Closing<W> {
    pub fn new(inner: W) -> Self {
        Self { inner, hash: digest::Context::new(&digest::SHA256), written: 0, held: Vec::new() }
    }

    /// Writes the trailer: in place of the last [`LENGTH`] bytes (the space of a zip's comment), or after them.
    pub fn finish(mut self, in_place: bool) -> io::Result<W> {
        let rest = std::mem::take(&mut self.held);
        if !in_place {
            self.pass_on(&rest)?;
        }
        self.inner.write_all(self.hash.finish().as_ref())?;
        self.inner.write_all(&self.written.to_be_bytes())?;
        self.inner.write_all(END)?;
        Ok(self.inner)
    }

    fn pass_on(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.inner.write_all(bytes)?;
        self.hash.update(bytes);
        self.written += bytes.len() as u64;
        Ok(())
    }
}

impl<W: Write> Write for Closing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.held.extend_from_slice(bytes);
        if self.held.len() > LENGTH {
            let mut out = std::mem::take(&mut self.held);
            self.held = out.split_off(out.len() - LENGTH);
            self.pass_on(&out)?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// How the trailer shows that a file is not as it was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// There is no trailer.
    #[error("its end is missing: it was cut off, for example by an incomplete copy, or modified")]
    NoEnd,
    /// The file is longer or shorter than written.
    #[error("it has {is} bytes instead of {was}")]
    Length {
        /// Bytes of the file.
        is: u64,
        /// Expected size in bytes.
        was: u64,
    },
    /// The hash is different.
    #[error("its content does not match its checksum")]
    Changed,
}

/// The number of bytes before the trailer, or what is wrong with them.
pub fn check(file: &mut File) -> io::Result<Result<u64, Flaw>> {
    let is = file.metadata()?.len();
    let Some(before) = is.checked_sub(LENGTH as u64) else { return Ok(Err(Flaw::NoEnd)) };
    let mut trailer = [0; LENGTH];
    file.seek(SeekFrom::Start(before))?;
    file.read_exact(&mut trailer)?;
    let (hash, rest) = trailer.split_at(32);
    let (length, end) = rest.split_at(8);
    if end != END {
        return Ok(Err(Flaw::NoEnd));
    }
    let was = u64::from_be_bytes(length.try_into().map_err(io::Error::other)?);
    if was != before {
        return Ok(Err(Flaw::Length { is, was: was.saturating_add(LENGTH as u64) }));
    }
    file.seek(SeekFrom::Start(0))?;
    let found = hash_of(&mut (&*file).take(before))?;
    Ok(if found == hash { Ok(before) } else { Err(Flaw::Changed) })
}

fn hash_of(from: &mut impl io::Read) -> io::Result<Vec<u8>> {
    let mut hash = digest::Context::new(&digest::SHA256);
    let mut piece = vec![0; 1 << 20];
    loop {
        match from.read(&mut piece)? {
            0 => return Ok(hash.finish().as_ref().to_vec()),
            read => hash.update(&piece[..read]),
        }
    }
}
