//! Regular expressions as POSIX writes them, by way of the `regex` crate. Of two that begin at the same place the
//! first alternative is found, not the longest one; a pattern cannot refer back to a group.

use regex::bytes::{Regex, RegexBuilder};

/// Which writing of regular expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// `\(a\|b\)`.
    Basic,
    /// `(a|b)`.
    Extended,
    /// No expression: the text itself.
    Fixed,
}

/// What a pattern looks for.
///
/// # Errors
/// The pattern is none, in words.
pub fn compile(pattern: &str, style: Style, ignores_case: bool) -> Result<Regex, String> {
    let text = match style {
        Style::Fixed => regex::escape(pattern),
        Style::Basic => translated(pattern, true),
        Style::Extended => translated(pattern, false),
    };
    let built = RegexBuilder::new(&text).case_insensitive(ignores_case).multi_line(false).size_limit(1 << 22).build();
    built.map_err(|_| format!("bad regex '{pattern}'"))
}

/// A POSIX expression in the words of the crate.
fn translated(pattern: &str, basic: bool) -> String {
    let mut out = String::from("(?-u)");
    if !pattern.is_ascii() {
        out.clear();
    }
    let mut chars = pattern.chars().peekable();
    let mut begins = true;
    while let Some(c) = chars.next() {
        let first = std::mem::replace(&mut begins, false);
        match c {
            '\\' => match chars.next() {
                Some(c @ ('(' | ')' | '{' | '}' | '|' | '+' | '?')) if basic => {
                    out.push(c);
                    begins = c == '(' || c == '|';
                }
                Some('<' | '>') => out.push_str(r"\b"),
                Some(c @ ('w' | 'W' | 's' | 'S' | 'b' | 'B' | 'n' | 't')) => out.extend(['\\', c]),
                Some(c) => out.push_str(&regex::escape(&c.to_string())),
                None => out.push_str(r"\\"),
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' if basic => out.extend(['\\', c]),
            '*' if first => out.push_str(r"\*"),
            '^' if basic && !first => out.push_str(r"\^"),
            '$' if basic && chars.peek().is_some() && !ends_group(&chars) => out.push_str(r"\$"),
            '[' => bracket(&mut chars, &mut out),
            c => {
                out.push(c);
                begins = c == '^' && basic || !basic && (c == '(' || c == '|');
            }
        }
    }
    out
}

fn ends_group(chars: &std::iter::Peekable<std::str::Chars<'_>>) -> bool {
    let rest: String = chars.clone().take(2).collect();
    rest == r"\)" || rest == r"\|"
}

/// A set: within one a backslash means itself.
fn bracket(chars: &mut std::iter::Peekable<std::str::Chars<'_>>, out: &mut String) {
    out.push('[');
    if chars.peek() == Some(&'^') {
        out.extend(chars.next());
    }
    let mut first = true;
    while let Some(c) = chars.next() {
        match c {
            ']' if !first => break,
            ']' | '\\' | '&' | '~' => out.extend(['\\', c]),
            '[' if chars.peek() == Some(&':') => {
                out.push('[');
                for c in chars.by_ref() {
                    out.push(c);
                    if c == ']' {
                        break;
                    }
                }
            }
            '[' => out.push_str(r"\["),
            c => out.push(c),
        }
        first = false;
    }
    out.push(']');
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
mod tests {
    use super::*;

    #[test]
    fn both_writings_are_understood() {
        for (pattern, style, text, fits) in [
            ("a+", Style::Basic, "a+", true),
            ("a+", Style::Basic, "aa", false),
            (r"a\+$", Style::Basic, "baa", true),
            (r"^\(ab\)*c", Style::Basic, "ababc", true),
            ("(ab)+c", Style::Extended, "ababc", true),
            ("a|b", Style::Extended, "b", true),
            ("[]x]", Style::Basic, "]", true),
            ("[[:digit:]]{2}", Style::Extended, "a42", true),
            ("*a", Style::Basic, "*a", true),
            ("a.c", Style::Fixed, "abc", false),
            (r"[\.]", Style::Basic, "\\", true),
        ] {
            assert_eq!(compile(pattern, style, false).unwrap().is_match(text.as_bytes()), fits, "{pattern} {text}");
        }
    }
}
