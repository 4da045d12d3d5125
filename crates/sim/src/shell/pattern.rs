//! Patterns of the shell: `*`, `?`, `[a-z]`.

/// A pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern(Vec<Part>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    Char(char),
    Any,
    Many,
    Set { not: bool, items: Vec<Item> },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Range(char, char),
    Class(String),
}

impl Item {
    fn has(&self, c: char) -> bool {
        match self {
            Self::Range(first, last) => (*first..=*last).contains(&c),
            Self::Class(name) => match name.as_str() {
                "alnum" => c.is_alphanumeric(),
                "alpha" => c.is_alphabetic(),
                "blank" => c == ' ' || c == '\t',
                "cntrl" => c.is_control(),
                "digit" => c.is_ascii_digit(),
                "graph" => !c.is_control() && c != ' ',
                "lower" => c.is_lowercase(),
                "print" => !c.is_control(),
                "punct" => c.is_ascii_punctuation(),
                "space" => c.is_whitespace(),
                "upper" => c.is_uppercase(),
                "xdigit" => c.is_ascii_hexdigit(),
                _ => false,
            },
        }
    }
}

impl Pattern {
    /// From characters that are quoted, and mean themselves, or not.
    #[must_use]
    pub fn new(chars: &[(char, bool)]) -> Self {
        let (mut parts, mut at) = (Vec::new(), 0);
        while let Some((c, quoted)) = chars.get(at) {
            at += 1;
            parts.push(match c {
                _ if *quoted => Part::Char(*c),
                '*' => Part::Many,
                '?' => Part::Any,
                '[' => match set(&chars[at..]) {
                    Some((part, used)) => {
                        at += used;
                        part
                    }
                    None => Part::Char('['),
                },
                '\\' if at < chars.len() => {
                    at += 1;
                    Part::Char(chars[at - 1].0)
                }
                c => Part::Char(*c),
            });
        }
        Self(parts)
    }

    /// From a text in which nothing is quoted.
    #[must_use]
    pub fn of(text: &str) -> Self {
        Self::new(&text.chars().map(|c| (c, false)).collect::<Vec<_>>())
    }

    /// Whether it names the dot that hides files.
    #[must_use]
    pub fn starts_with_dot(&self) -> bool {
        self.0.first() == Some(&Part::Char('.'))
    }

    /// Whether the whole text matches.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        self.matches_chars(&text.chars().collect::<Vec<_>>())
    }

    fn matches_chars(&self, text: &[char]) -> bool {
        let parts = &self.0;
        let (mut part, mut at) = (0, 0);
        let mut star: Option<(usize, usize)> = None;
        loop {
            let fits = match parts.get(part) {
                Some(Part::Many) => {
                    star = Some((part, at));
                    part += 1;
                    continue;
                }
                None if at == text.len() => return true,
                None => false,
                Some(part) => text.get(at).is_some_and(|c| part.fits(*c)),
            };
            if fits {
                (part, at) = (part + 1, at + 1);
                continue;
            }
            // One character more for the last star.
            match star {
                Some((back, from)) if from < text.len() => {
                    star = Some((back, from + 1));
                    (part, at) = (back + 1, from + 1);
                }
                _ => return false,
            }
        }
    }

    /// A text without its beginning that matches: the shortest or the longest one.
    #[must_use]
    pub fn without_prefix(&self, text: &str, longest: bool) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut ends: Vec<usize> = (0..=chars.len()).collect();
        if longest {
            ends.reverse();
        }
        let end = ends.into_iter().find(|end| self.matches_chars(&chars[..*end])).unwrap_or(0);
        chars[end..].iter().collect()
    }

    /// A text without its end that matches: the shortest or the longest one.
    #[must_use]
    pub fn without_suffix(&self, text: &str, longest: bool) -> String {
        let chars: Vec<char> = text.chars().collect();
        let mut starts: Vec<usize> = (0..=chars.len()).collect();
        if !longest {
            starts.reverse();
        }
        let start = starts.into_iter().find(|start| self.matches_chars(&chars[*start..])).unwrap_or(chars.len());
        chars[..start].iter().collect()
    }

    /// Replaces what matches, where it is longest: the first one, or all.
    #[must_use]
    pub fn replaced(&self, text: &str, with: &str, all: bool) -> String {
        let chars: Vec<char> = text.chars().collect();
        let (mut out, mut at, mut done) = (String::new(), 0, false);
        while at < chars.len() {
            let end = (at + 1..=chars.len()).rev().find(|end| self.matches_chars(&chars[at..*end]));
            match end.filter(|_| all || !done) {
                Some(end) => {
                    out.push_str(with);
                    (at, done) = (end, true);
                }
                None => {
                    out.push(chars[at]);
                    at += 1;
                }
            }
        }
        out
    }
}

impl Part {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Char(wanted) => *wanted == c,
            Self::Any => true,
            Self::Many => false,
            Self::Set { not, items } => items.iter().any(|item| item.has(c)) != *not,
        }
    }
}

/// What follows a bracket, and how many characters it takes with the closing one.
fn set(chars: &[(char, bool)]) -> Option<(Part, usize)> {
    let not = matches!(chars.first(), Some(('!' | '^', false)));
    let start = usize::from(not);
    let (mut items, mut at) = (Vec::new(), start);
    loop {
        let (c, quoted) = *chars.get(at)?;
        if c == ']' && !quoted && at > start {
            return Some((Part::Set { not, items }, at + 1));
        }
        if c == '[' && !quoted && chars.get(at + 1) == Some(&(':', false)) {
            let rest: String = chars[at + 2..].iter().map(|(c, _)| c).collect();
            if let Some((name, _)) = rest.split_once(":]") {
                at += name.chars().count() + 4;
                items.push(Item::Class(name.to_owned()));
                continue;
            }
        }
        match (chars.get(at + 1), chars.get(at + 2)) {
            (Some(('-', false)), Some((last, quoted))) if *last != ']' || *quoted => {
                items.push(Item::Range(c, *last));
                at += 3;
            }
            _ => {
                items.push(Item::Range(c, c));
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, text, fits) in [
            ("*", "", true),
            ("a*c", "abbc", true),
            ("a*c", "abcd", false),
            ("*.apk", "x.apk", true),
            ("?", "ab", false),
            ("[a-c]x", "bx", true),
            ("[!a-c]x", "bx", false),
            ("[]]", "]", true),
            ("[[:digit:]]*", "7up", true),
            ("[a", "[a", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
        ] {
            assert_eq!(Pattern::of(pattern).matches(text), fits, "{pattern} {text}");
        }
        assert_eq!(Pattern::of("*/").without_prefix("a/b/c", false), "b/c");
        assert_eq!(Pattern::of("*/").without_prefix("a/b/c", true), "c");
        assert_eq!(Pattern::of(".*").without_suffix("a.tar.gz", false), "a.tar");
        assert_eq!(Pattern::of(".*").without_suffix("a.tar.gz", true), "a");
    }
}
