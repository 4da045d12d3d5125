//! Texts: presence, length, spaces, control characters.

use super::{Verdict, Violation};

/// A value is required. Spaces alone do not count.
pub fn required(text: &str) -> Verdict {
    if text.trim().is_empty() { Err(Violation::new("required")) } else { Ok(()) }
}

/// At most `max` characters. The specification's limits are 10, 12, 16, 25, 40, 64, 128, 256 and 2048.
pub fn max_chars(text: &str, max: usize) -> Verdict {
    let count = text.chars().count();
    if count > max {
        return Err(Violation::new("text.tooLong").with("max", max).with("count", count));
    }
    Ok(())
}

/// Between `min` and `max` characters, both included.
pub fn text_between(text: &str, min: usize, max: usize) -> Verdict {
    required(text)?;
    let count = text.chars().count();
    if count < min || count > max {
        return Err(Violation::new("text.length").with("min", min).with("max", max).with("count", count));
    }
    Ok(())
}

/// The first character is not a space of any kind.
pub fn no_leading_space(text: &str) -> Verdict {
    if text.starts_with(char::is_whitespace) {
        return Err(Violation::new("text.leadingSpace"));
    }
    Ok(())
}

/// No line break, no other control character, no bidirectional control character.
///
/// The last can disguise a name: `gpj.exe` is shown as `exe.jpg`.
pub fn single_line(text: &str) -> Verdict {
    if text.chars().any(|c| c.is_control() || is_invisible_break(c) || turns_direction(c)) {
        return Err(Violation::new("text.control"));
    }
    Ok(())
}

/// A required text of one line: no leading space, no control character, at most `max` characters.
pub fn line(text: &str, max: usize) -> Verdict {
    required(text)?;
    no_leading_space(text)?;
    single_line(text)?;
    max_chars(text, max)
}

/// A required text of any number of lines, at most `max` characters.
pub fn paragraph(text: &str, max: usize) -> Verdict {
    required(text)?;
    no_leading_space(text)?;
    if text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\r' | '\t')) {
        return Err(Violation::new("text.control"));
    }
    max_chars(text, max)
}

/// The name of a notification: 1 to 20 characters.
pub fn notification_name(text: &str) -> Verdict {
    line_between(text, 1, 20)
}

/// The title of an activity: 3 to 20 characters.
pub fn activity_title(text: &str) -> Verdict {
    line_between(text, 3, 20)
}

/// The content of an activity: 10 to 50 characters; it may have several lines.
pub fn activity_content(text: &str) -> Verdict {
    paragraph(text, usize::MAX)?;
    text_between(text, 10, 50)
}

/// One line of `min` to `max` characters.
pub(super) fn line_between(text: &str, min: usize, max: usize) -> Verdict {
    line(text, usize::MAX)?;
    text_between(text, min, max)
}

/// A Chinese character: the unified ideographs with their extensions, the compatibility block, and 〇.
pub(super) fn is_han(c: char) -> bool {
    matches!(
        u32::from(c),
        0x3007
            | 0x3400..=0x4DBF
            | 0x4E00..=0x9FFF
            | 0xF900..=0xFAFF
            | 0x2_0000..=0x2_FA1F
            | 0x3_0000..=0x3_347F
    )
}

/// A character that changes the direction of writing.
pub(super) fn turns_direction(c: char) -> bool {
    matches!(u32::from(c), 0x061C | 0x200E | 0x200F | 0x202A..=0x202E | 0x2066..=0x2069)
}

/// The two line breaks of Unicode that are not control characters.
fn is_invisible_break(c: char) -> bool {
    matches!(c, '\u{2028}' | '\u{2029}')
}
