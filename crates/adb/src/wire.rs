//! The message format.
//!
//! A message is a header of six little-endian 32-bit words (command, two arguments, length of the
//! payload, sum of its bytes, command XOR `0xffffffff`) and the payload (AOSP `adb/protocol.txt`).

use bytes::{BufMut as _, Bytes, BytesMut};

/// Bytes of a header.
pub const HEADER: usize = 24;
/// The oldest version of the protocol: every message has a checksum of its payload.
pub const VERSION_MIN: u32 = 0x0100_0000;
/// From this version on the checksum is ignored and may be 0 (AOSP `adb.h`, `A_VERSION_SKIP_CHECKSUM`).
pub const VERSION: u32 = 0x0100_0001;
/// The payload that every device accepts before it has announced a larger one (`MAX_PAYLOAD_V1`).
pub const PAYLOAD_V1: usize = 4 * 1024;
/// The largest payload of any device (`MAX_PAYLOAD`); a header that claims more is invalid.
pub const PAYLOAD_MAX: usize = 1024 * 1024;

/// [`AUTH`] type: the device's random token.
pub const AUTH_TOKEN: u32 = 1;
/// [`AUTH`] type: the token, signed.
pub const AUTH_SIGNATURE: u32 = 2;
/// [`AUTH`] type: the public key, for somebody to approve.
pub const AUTH_PUBLIC_KEY: u32 = 3;

/// First message of each side: version, largest payload, identity.
pub const CNXN: u32 = word(b"CNXN");
/// Proof of a key.
pub const AUTH: u32 = word(b"AUTH");
/// Opens a stream to a service.
pub const OPEN: u32 = word(b"OPEN");
/// A stream is open, or a payload was accepted and the next may follow.
pub const OKAY: u32 = word(b"OKAY");
/// A payload for a stream.
pub const WRTE: u32 = word(b"WRTE");
/// The end of a stream, or the refusal to open it.
pub const CLSE: u32 = word(b"CLSE");
/// The device wants TLS (Android 11's wireless debugging).
pub const STLS: u32 = word(b"STLS");

const fn word(name: &[u8; 4]) -> u32 {
    u32::from_le_bytes(*name)
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packet {
    /// One of the commands above.
    pub command: u32,
    /// First argument; of a stream, the sender's id.
    pub arg0: u32,
    /// Second argument; of a stream, the receiver's id.
    pub arg1: u32,
    /// The payload after the header.
    pub payload: Bytes,
}

impl Packet {
    /// A message with a payload.
    #[must_use]
    pub fn new(command: u32, arg0: u32, arg1: u32, payload: impl Into<Bytes>) -> Self {
        Self { command, arg0, arg1, payload: payload.into() }
    }

    /// A message without a payload.
    #[must_use]
    pub const fn bare(command: u32, arg0: u32, arg1: u32) -> Self {
        Self { command, arg0, arg1, payload: Bytes::new() }
    }

    /// Appends header and payload. The checksum is 0 if the peer ignores it.
    pub fn encode(&self, with_sum: bool, out: &mut BytesMut) {
        out.reserve(HEADER + self.payload.len());
        out.put_u32_le(self.command);
        out.put_u32_le(self.arg0);
        out.put_u32_le(self.arg1);
        out.put_u32_le(u32::try_from(self.payload.len()).expect("a payload is under 1 MiB"));
        out.put_u32_le(if with_sum { sum(&self.payload) } else { 0 });
        out.put_u32_le(!self.command);
        out.put_slice(&self.payload);
    }
}

/// The checksum of a payload.
#[must_use]
pub fn sum(payload: &[u8]) -> u32 {
    payload.iter().fold(0u32, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

/// Why the bytes are invalid. Nothing after them can be parsed: the connection is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The sixth word does not match the first: not ADB at all, or out of sync.
    #[error("these bytes are not ADB")]
    Magic,
    /// More than agreed.
    #[error("a payload of {0} bytes is more than was agreed on")]
    Length(u32),
    /// The checksum of the payload differs (only if checksums are used).
    #[error("the sum of a payload is wrong")]
    Sum,
}

/// Takes the first complete message from `buffer`; `None` if it has not arrived completely.
///
/// The length is checked before a byte of the payload is waited for, so a false header costs no memory.
///
/// # Errors
/// The bytes are invalid, or the message is larger than `greatest`.
pub fn decode(buffer: &mut BytesMut, greatest: usize, with_sum: bool) -> Result<Option<Packet>, Malformed> {
    let Some((head, _)) = buffer.split_first_chunk::<HEADER>() else { return Ok(None) };
    let at = |index: usize| {
        u32::from_le_bytes([head[index * 4], head[index * 4 + 1], head[index * 4 + 2], head[index * 4 + 3]])
    };
    let (command, arg0, arg1, length, wanted, magic) = (at(0), at(1), at(2), at(3), at(4), at(5));
    if magic != !command {
        return Err(Malformed::Magic);
    }
    let size = usize::try_from(length).unwrap_or(usize::MAX);
    if size > greatest {
        return Err(Malformed::Length(length));
    }
    if buffer.len() < HEADER + size {
        buffer.reserve(HEADER + size - buffer.len());
        return Ok(None);
    }
    let payload = buffer.split_to(HEADER + size).freeze().slice(HEADER..);
    if with_sum && sum(&payload) != wanted {
        return Err(Malformed::Sum);
    }
    Ok(Some(Packet { command, arg0, arg1, payload }))
}
