//! Encrypting data too long for memory: the STREAM construction (Hoang, Reyhanitabar, Rogaway and Vizár, "Online
//! Authenticated-Encryption and its Nonce-Reuse Misuse-Resistance", 2015) over AES-256-GCM.
//!
//! The data is split into segments of 64 KiB, each encrypted separately. A segment's nonce is a prefix of 7 bytes that
//! is unique to the stream, the segment's number, and a byte that says whether it is the last: modified, exchanged,
//! repeated or missing segments are detected, and so is a stream that ends too early. Key and prefix are derived from
//! the master key, a random salt, and the data that the stream is bound to ([`Vault::stream_key`]).

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};

use aws_lc_rs::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use aws_lc_rs::{digest, hkdf, hmac, rand};
use zeroize::Zeroizing;

use crate::envelope::{Unsealable, Vault, derive};
use crate::key::KEY_BYTES;

/// Plaintext bytes in a segment; the last one may have fewer.
const SEGMENT: usize = 64 * 1024;
const TAG: usize = 16;
const SEALED: u64 = (SEGMENT + TAG) as u64;
const PREFIX: usize = 7;

/// What is needed to decrypt a sealed stream, in addition to the master key. It is not secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamHead {
    /// The master key that it was sealed with.
    pub key_id: i32,
    /// Random, so that no two streams have the same key.
    pub salt: [u8; 32],
    /// Distinguishes a different master key of the same number from a modified stream.
    pub check: [u8; 16],
}

/// The key of one stream.
pub struct StreamKey {
    key: LessSafeKey,
    prefix: [u8; PREFIX],
}

impl fmt::Debug for StreamKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamKey(***)")
    }
}

/// The number of bytes requested from HKDF.
struct Length(usize);

impl hkdf::KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

impl Vault {
    /// The head of a new stream, to be sealed with the newest master key.
    #[must_use]
    pub fn new_stream(&self, purpose: &str) -> StreamHead {
        let mut salt = [0; 32];
        rand::fill(&mut salt).expect("the system's random source works");
        let (key_id, master) = self.newest();
        StreamHead { key_id, salt, check: check(master, purpose, &salt) }
    }

    /// The key of the stream with `head`. It only decrypts what was sealed for the same `purpose` and bound to the same
    /// bytes, such as an unencrypted header.
    ///
    /// # Errors
    /// When this vault does not have the master key, or a different one of its number.
    pub fn stream_key(&self, purpose: &str, head: &StreamHead, bound: &[u8]) -> Result<StreamKey, Unsealable> {
        let master = self.master(head.key_id)?;
        if check(master, purpose, &head.salt) != head.check {
            return Err(Unsealable::OtherKey(head.key_id));
        }
        let bound = digest::digest(&digest::SHA256, bound);
        let info = [b"skyrack stream 1 ".as_slice(), bound.as_ref(), purpose.as_bytes()];
        let mut derived = Zeroizing::new([0; KEY_BYTES + PREFIX]);
        hkdf::Salt::new(hkdf::HKDF_SHA256, &head.salt)
            .extract(master)
            .expand(&info, Length(derived.len()))
            .and_then(|okm| okm.fill(derived.as_mut_slice()))
            .expect("39 bytes are far below what HKDF-SHA256 gives");
        let (key, rest) = derived.split_at(KEY_BYTES);
        let mut prefix = [0; PREFIX];
        prefix.copy_from_slice(rest);
        let key = UnboundKey::new(&AES_256_GCM, key).expect("the key has 32 bytes");
        Ok(StreamKey { key: LessSafeKey::new(key), prefix })
    }
}

fn check(master: &[u8], purpose: &str, salt: &[u8]) -> [u8; 16] {
    let key = hmac::Key::new(hmac::HMAC_SHA256, derive(master, &format!("stream check {purpose}")).as_slice());
    let mut check = [0; 16];
    check.copy_from_slice(&hmac::sign(&key, salt).as_ref()[..16]);
    check
}

impl StreamKey {
    fn nonce(&self, number: u32, is_last: bool) -> Nonce {
        let mut nonce = [0; NONCE_LEN];
        nonce[..PREFIX].copy_from_slice(&self.prefix);
        nonce[PREFIX..PREFIX + 4].copy_from_slice(&number.to_be_bytes());
        nonce[PREFIX + 4] = u8::from(is_last);
        Nonce::assume_unique_for_key(nonce)
    }
}

/// Encrypts what is written to it, and passes it on.
#[derive(Debug)]
pub struct SealWriter<W> {
    inner: W,
    key: StreamKey,
    number: u32,
    segment: Zeroizing<Vec<u8>>,
}

impl<W: Write> SealWriter<W> {
    /// A stream with `key`, which must not be used for another one.
    pub fn new(inner: W, key: StreamKey) -> Self {
        Self { inner, key, number: 0, segment: Zeroizing::new(Vec::with_capacity(SEGMENT + TAG)) }
    }

    /// Encrypts the last segment and returns the inner writer.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.seal(true)?;
        Ok(self.inner)
    }

    fn seal(&mut self, is_last: bool) -> io::Result<()> {
        let nonce = self.key.nonce(self.number, is_last);
        self.key
            .key
            .seal_in_place_append_tag(nonce, Aad::empty(), &mut *self.segment)
            .map_err(|_| io::Error::other("a segment could not be sealed"))?;
        self.inner.write_all(&self.segment)?;
        self.segment.clear();
        self.number = self.number.checked_add(1).ok_or_else(|| io::Error::other("too long to be sealed"))?;
        Ok(())
    }
}

impl<W: Write> Write for SealWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // A full segment waits until it is known not to be the last.
        if self.segment.len() == SEGMENT && !bytes.is_empty() {
            self.seal(false)?;
        }
        let taken = bytes.len().min(SEGMENT - self.segment.len());
        self.segment.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

/// Decrypts a sealed stream that is a part of `inner`. It reads in any order.
#[derive(Debug)]
pub struct OpenReader<R> {
    inner: R,
    key: StreamKey,
    /// Where the stream starts, and its length in bytes.
    start: u64,
    length: u64,
    at: u64,
    /// The decrypted segment, and its number.
    open: Option<(u64, Zeroizing<Vec<u8>>)>,
}

impl<R: Read + Seek> OpenReader<R> {
    /// The stream of `length` bytes that starts at `start`.
    ///
    /// # Errors
    /// When it does not end as it was sealed: it was truncated, or data was appended.
    pub fn new(inner: R, key: StreamKey, start: u64, length: u64) -> io::Result<Self> {
        let mut reader = Self { inner, key, start, length, at: 0, open: None };
        if length < TAG as u64 || (!length.is_multiple_of(SEALED) && length % SEALED < TAG as u64) {
            return Err(reader.unsealable(reader.segments().saturating_sub(1)));
        }
        // Only the last segment shows where the end is, and an empty one would never be read.
        reader.load(reader.segments() - 1)?;
        Ok(reader)
    }

    const fn segments(&self) -> u64 {
        self.length.div_ceil(SEALED)
    }

    /// The size of the plaintext.
    const fn text(&self) -> u64 {
        self.length - self.segments() * TAG as u64
    }

    fn unsealable(&self, number: u64) -> io::Error {
        let all = self.segments();
        io::Error::new(
            io::ErrorKind::InvalidData,
            format!("part {} of {all} does not open: it was changed", number + 1),
        )
    }

    fn load(&mut self, number: u64) -> io::Result<()> {
        if self.open.as_ref().is_some_and(|(open, _)| *open == number) {
            return Ok(());
        }
        let from = number * SEALED;
        let size = (self.length - from).min(SEALED);
        let mut segment = Zeroizing::new(vec![0; usize::try_from(size).map_err(io::Error::other)?]);
        self.inner.seek(SeekFrom::Start(self.start + from))?;
        self.inner.read_exact(&mut segment)?;
        let is_last = number + 1 == self.segments();
        let nonce = self.key.nonce(u32::try_from(number).map_err(|_| self.unsealable(number))?, is_last);
        let Ok(text) = self.key.key.open_in_place(nonce, Aad::empty(), &mut segment) else {
            return Err(self.unsealable(number));
        };
        let length = text.len();
        segment.truncate(length);
        self.open = Some((number, segment));
        Ok(())
    }
}

impl<R: Read + Seek> Read for OpenReader<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at >= self.text() || into.is_empty() {
            return Ok(0);
        }
        let number = self.at / SEGMENT as u64;
        self.load(number)?;
        let Some((_, segment)) = &self.open else { return Ok(0) };
        let from = usize::try_from(self.at % SEGMENT as u64).map_err(io::Error::other)?;
        let taken = into.len().min(segment.len() - from);
        into[..taken].copy_from_slice(&segment[from..from + taken]);
        self.at += taken as u64;
        Ok(taken)
    }
}

impl<R: Read + Seek> Seek for OpenReader<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(by) => self.text().checked_add_signed(by),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
        };
        self.at = target.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}
