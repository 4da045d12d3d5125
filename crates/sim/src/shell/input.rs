//! `echo`, `printf` and `read`, and the escapes that they know.

use super::Shell;
use super::common::unescape;
use super::fd::{Fd, Stop};

/// What `echo` prints: escapes are understood unless `-E` is given, as in `mksh`.
#[must_use]
pub fn echo(args: &[String]) -> Vec<u8> {
    let (mut feed, mut escapes, mut words) = (true, true, args);
    while let Some((first, rest)) = words.split_first() {
        let flags = first.strip_prefix('-').filter(|flags| !flags.is_empty());
        let Some(flags) = flags.filter(|flags| flags.chars().all(|c| "neE".contains(c))) else { break };
        for flag in flags.chars() {
            match flag {
                'n' => feed = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        words = rest;
    }
    let text = words.join(" ");
    let (mut out, ended) = if escapes { unescape(&text) } else { (text.into_bytes(), false) };
    if feed && !ended {
        out.push(b'\n');
    }
    out
}

/// One `%` of a format.
struct Field {
    left: bool,
    zero: bool,
    sign: &'static str,
    alternative: bool,
    width: usize,
    precision: Option<usize>,
    kind: u8,
}

/// What `printf` prints, and its exit code with what it complains of.
pub fn printf(format: &str, args: &[String]) -> (Vec<u8>, Option<String>) {
    let (mut out, mut complaint) = (Vec::new(), None);
    let mut args = args.iter().map(String::as_str);
    let mut left = args.len();
    loop {
        let before = left;
        if printf_once(
            format,
            &mut || {
                let next = args.next();
                left = left.saturating_sub(1);
                next
            },
            &mut out,
            &mut complaint,
        ) {
            break;
        }
        if left == 0 || left == before {
            break;
        }
    }
    (out, complaint)
}

/// One pass over the format; whether `\c` ended it all.
fn printf_once<'a>(
    format: &str,
    next: &mut dyn FnMut() -> Option<&'a str>,
    out: &mut Vec<u8>,
    complaint: &mut Option<String>,
) -> bool {
    let mut rest = format;
    while let Some(at) = rest.find(['%', '\\']) {
        out.extend_from_slice(&rest.as_bytes()[..at]);
        rest = &rest[at..];
        if rest.starts_with('\\') {
            let end = escape_end(rest);
            let (bytes, ended) = unescape(&rest[..end]);
            out.extend(bytes);
            if ended {
                return true;
            }
            rest = &rest[end..];
            continue;
        }
        if let Some(after) = rest.strip_prefix("%%") {
            out.push(b'%');
            rest = after;
            continue;
        }
        let Some((field, used)) = field(rest, next) else {
            *complaint = Some(format!("bad {rest}"));
            return true;
        };
        rest = &rest[used..];
        if put(&field, next().unwrap_or_default(), out, complaint) {
            return true;
        }
    }
    out.extend_from_slice(rest.as_bytes());
    false
}

/// How long the escape at the beginning of a text is.
fn escape_end(text: &str) -> usize {
    let digits = |from: usize, most: usize, radix: u32| {
        from + text[from..].chars().take(most).take_while(|c| c.is_digit(radix)).count()
    };
    match text.as_bytes().get(1) {
        None => 1,
        Some(b'x') => digits(2, 2, 16),
        Some(b'0') => digits(2, 3, 8),
        Some(b'1'..=b'7') => digits(1, 3, 8),
        Some(b'u') => digits(2, 4, 16),
        Some(b'U') => digits(2, 8, 16),
        Some(_) => 1 + text[1..].chars().next().map_or(0, char::len_utf8),
    }
}

fn field<'a>(text: &str, next: &mut dyn FnMut() -> Option<&'a str>) -> Option<(Field, usize)> {
    let bytes = text.as_bytes();
    let mut field =
        Field { left: false, zero: false, sign: "", alternative: false, width: 0, precision: None, kind: b's' };
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'-' => field.left = true,
            b'0' => field.zero = true,
            b'+' => field.sign = "+",
            b' ' => field.sign = " ",
            b'#' => field.alternative = true,
            _ => break,
        }
        at += 1;
    }
    let mut count = |at: &mut usize| -> Option<i64> {
        if bytes.get(*at) == Some(&b'*') {
            *at += 1;
            return next().unwrap_or_default().parse().ok();
        }
        let digits = text[*at..].bytes().take_while(u8::is_ascii_digit).count();
        *at += digits;
        text[*at - digits..*at].parse().ok()
    };
    let width = count(&mut at).unwrap_or(0);
    field.left |= width < 0;
    field.width = usize::try_from(width.unsigned_abs()).unwrap_or(0).min(65_536);
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        let precision = count(&mut at).unwrap_or(0);
        field.precision = usize::try_from(precision).ok().map(|count| count.min(65_536));
    }
    while matches!(bytes.get(at), Some(b'l' | b'h' | b'L' | b'z' | b'j')) {
        at += 1;
    }
    field.kind = *bytes.get(at)?;
    b"sbcdiouxXeEfgGq".contains(&field.kind).then_some((field, at + 1))
}

/// Prints one field; whether `\c` ended it all.
fn put(field: &Field, arg: &str, out: &mut Vec<u8>, complaint: &mut Option<String>) -> bool {
    let (mut text, mut ended, mut sign) = (Vec::new(), false, "");
    match field.kind {
        b's' => text.extend(arg.chars().take(field.precision.unwrap_or(usize::MAX)).collect::<String>().into_bytes()),
        b'q' => text.extend(super::simple::quoted(arg).into_bytes()),
        b'b' => (text, ended) = unescape(arg),
        b'c' => text.extend(arg.chars().take(1).collect::<String>().into_bytes()),
        b'e' | b'E' | b'f' | b'g' | b'G' => {
            let value: f64 = arg.trim().parse().unwrap_or(0.0);
            sign = if value < 0.0 { "-" } else { field.sign };
            let value = value.abs();
            let precision = field.precision.unwrap_or(6);
            text = match field.kind {
                b'e' | b'E' => exponent(value, precision).into_bytes(),
                b'f' => format!("{value:.precision$}").into_bytes(),
                _ => value.to_string().into_bytes(),
            };
        }
        kind => {
            let value = integer(arg).unwrap_or_else(|| {
                *complaint = Some(format!("bad number: {arg}"));
                0
            });
            text = match kind {
                b'd' | b'i' => {
                    sign = if value < 0 { "-" } else { field.sign };
                    value.unsigned_abs().to_string().into_bytes()
                }
                b'o' => format!("{}{value:o}", if field.alternative { "0" } else { "" }).into_bytes(),
                b'x' => format!("{}{value:x}", if field.alternative { "0x" } else { "" }).into_bytes(),
                b'X' => format!("{}{value:X}", if field.alternative { "0X" } else { "" }).into_bytes(),
                _ => value.cast_unsigned().to_string().into_bytes(),
            };
            let missing = field.precision.unwrap_or(0).saturating_sub(text.len());
            text.splice(0..0, std::iter::repeat_n(b'0', missing));
        }
    }
    let shown = String::from_utf8_lossy(&text).chars().count() + sign.len();
    let gap = field.width.saturating_sub(shown);
    let zeros = field.zero && !field.left && !b"sbcq".contains(&field.kind);
    if !field.left && !zeros {
        out.extend(std::iter::repeat_n(b' ', gap));
    }
    out.extend_from_slice(sign.as_bytes());
    if zeros {
        out.extend(std::iter::repeat_n(b'0', gap));
    }
    out.extend(text);
    if field.left {
        out.extend(std::iter::repeat_n(b' ', gap));
    }
    ended
}

fn exponent(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (number, power) = text.split_once('e').unwrap_or((&text, "0"));
    let power: i32 = power.parse().unwrap_or(0);
    format!("{number}e{}{:02}", if power < 0 { '-' } else { '+' }, power.abs())
}

/// A number as C writes it; `'a` is the number of that character.
fn integer(text: &str) -> Option<i64> {
    let text = text.trim();
    if text.is_empty() {
        return Some(0);
    }
    if let Some(c) = text.strip_prefix(['\'', '"']) {
        return Some(c.chars().next().map_or(0, |c| i64::from(u32::from(c))));
    }
    let (negative, digits) =
        text.strip_prefix('-').map_or((false, text.strip_prefix('+').unwrap_or(text)), |rest| (true, rest));
    let value = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => i64::from_str_radix(digits, 16).ok()?,
        None if digits.len() > 1 && digits.starts_with('0') => i64::from_str_radix(digits, 8).ok()?,
        None => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}

impl Shell {
    /// `read`: a line into variables.
    pub(super) async fn read(&mut self, args: &[String]) -> Result<u8, Stop> {
        let (raw, names) = match args.split_first() {
            Some((flag, rest)) if flag == "-r" => (true, rest),
            _ => (false, args),
        };
        let fd = self.fds[0].clone().unwrap_or(Fd::NULL);
        let (mut text, mut ended) = (String::new(), false);
        loop {
            let line = fd.read_line().await?;
            ended |= !line.ends_with(b"\n");
            text.push_str(&String::from_utf8_lossy(line.strip_suffix(b"\n").unwrap_or(&line)));
            let goes_on = !raw && text.bytes().rev().take_while(|byte| *byte == b'\\').count() % 2 == 1;
            if !goes_on || ended {
                break;
            }
            text.pop();
        }
        let separators = self.vars.get("IFS").unwrap_or(" \t\n").to_owned();
        let default = ["REPLY".to_owned()];
        let names = if names.is_empty() { &default } else { names };
        let mut rest: Vec<(char, bool)> = unquoted(&text, raw);
        for (at, name) in names.iter().enumerate() {
            let value = take(&mut rest, &separators, at + 1 == names.len());
            if !self.vars.set(name, value) {
                self.complain(&format!("read: {name}: is read only")).await;
                return Ok(2);
            }
        }
        Ok(u8::from(ended && text.is_empty()) | u8::from(ended))
    }
}

/// Characters, and whether a backslash quoted them.
fn unquoted(text: &str, raw: bool) -> Vec<(char, bool)> {
    let (mut out, mut chars) = (Vec::new(), text.chars());
    while let Some(c) = chars.next() {
        if c == '\\' && !raw {
            out.extend(chars.next().map(|c| (c, true)));
        } else {
            out.push((c, false));
        }
    }
    out
}

/// Takes the first field off, or all that is left.
fn take(rest: &mut Vec<(char, bool)>, separators: &str, all: bool) -> String {
    let separates = |c: &(char, bool)| !c.1 && separators.contains(c.0);
    let space = |c: &(char, bool)| separates(c) && c.0.is_whitespace();
    let start = rest.iter().take_while(|c| space(c)).count();
    rest.drain(..start);
    if all {
        let end = rest.iter().rposition(|c| !space(c)).map_or(0, |at| at + 1);
        return rest.drain(..).take(end).map(|c| c.0).collect();
    }
    let end = rest.iter().position(separates).unwrap_or(rest.len());
    let field = rest.drain(..end).map(|c| c.0).collect();
    let spaces = rest.iter().take_while(|c| space(c)).count();
    rest.drain(..spaces);
    if rest.first().is_some_and(separates) && (spaces == 0 || !space(&rest[0])) {
        rest.remove(0);
    }
    field
}
