//! What a shell has in common with the programs that it runs.

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;

/// A future that can be kept in another one of its own kind.
pub type Later<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What a shell calls itself when it complains.
pub const NAME: &str = "/system/bin/sh";

/// A path as seen from a folder.
#[must_use]
pub fn absolute(cwd: &str, path: &str) -> String {
    if path.starts_with('/') { path.to_owned() } else { crate::files::join(cwd, path) }
}

/// How long `sleep` sleeps.
#[must_use]
pub fn seconds(text: &str) -> Option<Duration> {
    let unit = |unit: char| text.strip_suffix(unit);
    let (number, factor) = match (unit('s'), unit('m'), unit('h'), unit('d')) {
        (Some(number), ..) => (number, 1.0),
        (_, Some(number), ..) => (number, 60.0),
        (_, _, Some(number), _) => (number, 3600.0),
        (_, _, _, Some(number)) => (number, 86_400.0),
        _ => (text, 1.0),
    };
    let seconds = number.parse::<f64>().ok().filter(|number| *number >= 0.0)? * factor;
    Some(Duration::from_secs_f64(seconds.min(31_536_000.0)))
}

/// Text with `\n`, `\t`, `\0nn`, `\xhh` and so on replaced; whether `\c` ended it.
#[must_use]
pub fn unescape(text: &str) -> (Vec<u8>, bool) {
    let (mut out, bytes, mut at) = (Vec::new(), text.as_bytes(), 0);
    while let Some(byte) = bytes.get(at) {
        at += 1;
        if *byte != b'\\' {
            out.push(*byte);
            continue;
        }
        let Some(letter) = bytes.get(at) else {
            out.push(b'\\');
            break;
        };
        at += 1;
        match letter {
            b'a' => out.push(7),
            b'b' => out.push(8),
            b'c' => return (out, true),
            b'e' | b'E' => out.push(27),
            b'f' => out.push(12),
            b'n' => out.push(b'\n'),
            b'r' => out.push(b'\r'),
            b't' => out.push(b'\t'),
            b'v' => out.push(11),
            b'\\' => out.push(b'\\'),
            b'\'' => out.push(b'\''),
            b'"' => out.push(b'"'),
            b'x' => at += number(&bytes[at..], 16, 2, &mut out),
            b'0' => at += number(&bytes[at..], 8, 3, &mut out),
            b'1'..=b'7' => {
                at -= 1;
                at += number(&bytes[at..], 8, 3, &mut out);
            }
            b'u' | b'U' => {
                let most = if *letter == b'u' { 4 } else { 8 };
                let digits: String =
                    bytes[at..].iter().take(most).map(|b| char::from(*b)).take_while(char::is_ascii_hexdigit).collect();
                let c = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
                out.extend_from_slice(c.unwrap_or('\u{fffd}').encode_utf8(&mut [0; 4]).as_bytes());
                at += digits.len();
            }
            other => out.extend_from_slice(&[b'\\', *other]),
        }
    }
    (out, false)
}

/// Pushes the byte that some digits say; returns how many digits there were.
fn number(bytes: &[u8], radix: u32, most: usize, out: &mut Vec<u8>) -> usize {
    let digits = bytes.iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let value =
        bytes[..digits].iter().filter_map(|byte| char::from(*byte).to_digit(radix)).fold(0, |all, d| all * radix + d);
    out.push(u8::try_from(value & 0xff).unwrap_or(0));
    digits
}
