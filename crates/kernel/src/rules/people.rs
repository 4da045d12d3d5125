//! Names, passwords and documents of people, and names of their groups.

use super::texts::{is_han, line_between, max_chars, required, text_between};
use super::{Verdict, Violation};

/// The special characters that a password may contain.
const PASSWORD_SPECIALS: &str = "~!@#$%^&*_";

/// The username of an operator: a lowercase letter, then lowercase letters, digits and underscores, 5 to 20 characters
/// in total.
///
/// Capital letters are refused, so that no two names differ only in case.
pub fn username(text: &str) -> Verdict {
    required(text)?;
    let mut chars = text.chars();
    let starts_well = chars.next().is_some_and(|c| c.is_ascii_lowercase());
    let goes_on_well = chars.all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
    if !starts_well || !goes_on_well {
        return Err(Violation::new("username.format"));
    }
    length(text, 5, 20, Violation::new("username.length"))
}

/// The name for signing in, of whatever old form; at most 32 characters. Returns it trimmed.
pub fn sign_in_name(text: &str) -> Verdict<&str> {
    let name = text.trim();
    required(name)?;
    max_chars(name, 32)?;
    Ok(name)
}

/// A new password: 6 to 32 characters, both letters and digits, `~!@#$%^&*_` allowed.
pub fn password(text: &str) -> Verdict {
    login_password(text)?;
    if !text.chars().all(|c| c.is_ascii_alphanumeric() || PASSWORD_SPECIALS.contains(c)) {
        return Err(Violation::new("password.characters"));
    }
    let has_letter = text.chars().any(|c| c.is_ascii_alphabetic());
    let has_digit = text.chars().any(|c| c.is_ascii_digit());
    if !has_letter || !has_digit {
        return Err(Violation::new("password.mix"));
    }
    Ok(())
}

/// A password for signing in: 6 to 32 characters of any kind, because older rules may have allowed it.
pub fn login_password(text: &str) -> Verdict {
    // Not `required`: a password of spaces is a password.
    if text.is_empty() {
        return Err(Violation::new("required"));
    }
    length(text, 6, 32, Violation::new("password.length"))
}

/// A new password does not contain the username, in any case.
pub fn password_without_name(password: &str, username: &str) -> Verdict {
    let name = username.trim().to_ascii_lowercase();
    if !name.is_empty() && password.to_ascii_lowercase().contains(&name) {
        return Err(Violation::new("password.userName"));
    }
    Ok(())
}

/// The password and its repetition are the same.
pub fn passwords_match(password: &str, again: &str) -> Verdict {
    if password == again { Ok(()) } else { Err(Violation::new("password.mismatch")) }
}

/// The name of a permission group: one line of 6 to 32 characters.
pub fn group_name(text: &str) -> Verdict {
    line_between(text, 6, 32)
}

/// A name in Chinese: 1 to 8 Chinese characters.
pub fn chinese_name(text: &str) -> Verdict {
    required(text)?;
    if !text.chars().all(is_han) {
        return Err(Violation::new("chineseName.characters"));
    }
    text_between(text, 1, 8)
}

/// A name of Chinese characters, digits and letters: 1 to 48.
pub fn name(text: &str) -> Verdict {
    required(text)?;
    if !text.chars().all(|c| is_han(c) || c.is_ascii_alphanumeric()) {
        return Err(Violation::new("name.characters"));
    }
    text_between(text, 1, 48)
}

/// The format of a resident identity card number: 17 digits, then a digit or `X`.
pub fn id_card(text: &str) -> Verdict {
    required(text)?;
    let bytes = text.as_bytes();
    let fits = bytes.len() == 18
        && bytes[..17].iter().all(u8::is_ascii_digit)
        && (bytes[17].is_ascii_digit() || bytes[17] == b'X');
    if fits { Ok(()) } else { Err(Violation::new("idCard.format")) }
}

/// A warning, not an error: the check digit (GB 11643, ISO 7064 MOD 11-2) does not match the other digits.
pub fn id_card_warning(text: &str) -> Option<Violation> {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const CHECK: &[u8; 11] = b"10X98765432";
    id_card(text).ok()?;
    let bytes = text.as_bytes();
    let sum: u32 = bytes.iter().zip(WEIGHTS).map(|(digit, weight)| u32::from(digit - b'0') * weight).sum();
    (CHECK[(sum % 11) as usize] != bytes[17]).then(|| Violation::new("idCard.checkDigit"))
}

/// The format of a bank card number in the specification: 20 digits.
pub fn bank_card(text: &str) -> Verdict {
    required(text)?;
    let fits = text.len() == 20 && text.bytes().all(|b| b.is_ascii_digit());
    if fits { Ok(()) } else { Err(Violation::new("bankCard.format")) }
}

/// A warning, not an error: the check digit is wrong (Luhn).
pub fn bank_card_warning(text: &str) -> Option<Violation> {
    bank_card(text).ok()?;
    let sum: u32 = text
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, byte)| {
            let digit = u32::from(byte - b'0');
            match (place % 2, digit) {
                (0, digit) => digit,
                (_, digit @ 0..5) => digit * 2,
                (_, digit) => digit * 2 - 9,
            }
        })
        .sum();
    (!sum.is_multiple_of(10)).then(|| Violation::new("bankCard.checkDigit"))
}

fn length(text: &str, min: usize, max: usize, violation: Violation) -> Verdict {
    if (min..=max).contains(&text.chars().count()) {
        return Ok(());
    }
    Err(violation.with("min", min).with("max", max))
}
