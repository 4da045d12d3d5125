//! Android's binary XML: AOSP `BinaryXmlSerializer` and `BinaryXmlPullParser`.
//!
//! A byte says what comes, by its lower half, and of which type, by its upper one. Numbers are big-endian; a string is
//! its length in two bytes and its bytes. One that may come again is interned: the first time it comes in full after
//! `0xFFFF`, later as its number.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::Book;

/// What a file begins with.
pub(super) const MAGIC: &[u8; 4] = b"ABX\0";

/// What comes. There is more (CDATA, references, comments), none of which Android writes to settings.
const START_DOCUMENT: u8 = 0;
const END_DOCUMENT: u8 = 1;
const START_TAG: u8 = 2;
const END_TAG: u8 = 3;
const TEXT: u8 = 4;
const WHITESPACE: u8 = 7;
const ATTRIBUTE: u8 = 15;

/// The types. There are fractions, too, of which a setting has none.
const NULL: u8 = 1;
const STRING: u8 = 2;
const STRING_INTERNED: u8 = 3;
const BYTES_HEX: u8 = 4;
const BYTES_BASE64: u8 = 5;
const INT: u8 = 6;
const INT_HEX: u8 = 7;
const LONG: u8 = 8;
const LONG_HEX: u8 = 9;
const BOOLEAN_TRUE: u8 = 12;
const BOOLEAN_FALSE: u8 = 13;

/// In place of a number: a string that was not interned yet. So no string has this number.
const NEW: u16 = u16::MAX;

/// Reads what comes after [`MAGIC`].
pub(super) fn read(bytes: &[u8]) -> Result<Book, String> {
    let mut input = Input { rest: bytes, interned: Vec::new() };
    let mut book = Book::default();
    let mut is_in_tag = false;
    loop {
        let [token] = input.array()?;
        let (event, kind) = (token & 0x0f, token >> 4);
        match (event, kind) {
            (START_DOCUMENT, NULL) => {}
            (END_DOCUMENT, NULL) if input.rest.is_empty() => return book.finished(),
            (START_TAG, STRING_INTERNED) => book.opened(&input.interned()?)?,
            (END_TAG, STRING_INTERNED) => book.closed(&input.interned()?)?,
            (ATTRIBUTE, _) if is_in_tag => {
                let name = input.interned()?;
                if let Some(value) = input.value(kind)? {
                    book.attribute(name, value)?;
                }
            }
            (TEXT | WHITESPACE, STRING) if input.string()?.trim_ascii().is_empty() => {}
            _ => return Err(format!("it has an event {event} of type {kind} where none belongs")),
        }
        is_in_tag = matches!(event, START_TAG | ATTRIBUTE);
    }
}

struct Input<'a> {
    rest: &'a [u8],
    interned: Vec<String>,
}

impl Input<'_> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (array, rest) = self.rest.split_first_chunk::<N>().ok_or("it is cut off")?;
        self.rest = rest;
        Ok(*array)
    }

    fn bytes(&mut self) -> Result<&[u8], String> {
        let length = u16::from_be_bytes(self.array()?);
        let (bytes, rest) = self.rest.split_at_checked(usize::from(length)).ok_or("it is cut off")?;
        self.rest = rest;
        Ok(bytes)
    }

    fn string(&mut self) -> Result<String, String> {
        modified_utf8(self.bytes()?).ok_or_else(|| "it has a string that is not modified UTF-8".into())
    }

    fn interned(&mut self) -> Result<String, String> {
        let number = u16::from_be_bytes(self.array()?);
        if number != NEW {
            let known = self.interned.get(usize::from(number));
            return known.cloned().ok_or_else(|| format!("it names string {number}, which it does not have"));
        }
        let string = self.string()?;
        // Android's own reader and writer do not intern more, either.
        if self.interned.len() < usize::from(NEW) {
            self.interned.push(string.clone());
        }
        Ok(string)
    }

    /// A value as Android's parser gives it as text; none as if its attribute were not there.
    fn value(&mut self, kind: u8) -> Result<Option<String>, String> {
        Ok(Some(match kind {
            NULL => return Ok(None),
            STRING => self.string()?,
            STRING_INTERNED => self.interned()?,
            BYTES_HEX => hex::encode(self.bytes()?),
            BYTES_BASE64 => STANDARD.encode(self.bytes()?),
            INT => i32::from_be_bytes(self.array()?).to_string(),
            INT_HEX => hex_of(i32::from_be_bytes(self.array()?).into()),
            LONG => i64::from_be_bytes(self.array()?).to_string(),
            LONG_HEX => hex_of(i64::from_be_bytes(self.array()?)),
            BOOLEAN_TRUE => "true".into(),
            BOOLEAN_FALSE => "false".into(),
            _ => return Err(format!("it has a value of type {kind}, which no setting has")),
        }))
    }
}

/// A number as `Integer.toString(number, 16)` gives it: with its sign.
fn hex_of(number: i64) -> String {
    let sign = if number < 0 { "-" } else { "" };
    format!("{sign}{:x}", number.unsigned_abs())
}

/// Reads UTF-8, or what Java makes of it: NUL in two bytes, and three bytes for each half of a surrogate pair.
fn modified_utf8(bytes: &[u8]) -> Option<String> {
    if let Ok(text) = str::from_utf8(bytes) {
        return Some(text.to_owned());
    }
    let mut units = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    loop {
        rest = match rest {
            [] => return String::from_utf16(&units).ok(),
            [a @ 0..=0x7f, rest @ ..] => {
                units.push(u16::from(*a));
                rest
            }
            [a @ 0xc0..=0xdf, b @ 0x80..=0xbf, rest @ ..] => {
                units.push((u16::from(a & 0x1f) << 6) | u16::from(b & 0x3f));
                rest
            }
            [a @ 0xe0..=0xef, b @ 0x80..=0xbf, c @ 0x80..=0xbf, rest @ ..] => {
                units.push((u16::from(a & 0x0f) << 12) | (u16::from(b & 0x3f) << 6) | u16::from(c & 0x3f));
                rest
            }
            _ => return None,
        };
    }
}
