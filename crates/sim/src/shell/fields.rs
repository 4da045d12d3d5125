//! From expanded text to words: splitting, names of files.

use super::Shell;
use super::pattern::Pattern;
use crate::files::join;

/// A part of a word after expansion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Atom {
    /// Text; `quoted`: its characters mean themselves; `expanded`: it is split where it is not quoted.
    Text { text: String, quoted: bool, expanded: bool },
    /// The end of one of the words of `$@`.
    Cut,
}

impl Atom {
    pub fn plain(text: impl Into<String>, quoted: bool) -> Self {
        Self::Text { text: text.into(), quoted, expanded: false }
    }

    pub fn expanded(text: impl Into<String>, quoted: bool) -> Self {
        Self::Text { text: text.into(), quoted, expanded: true }
    }
}

/// One text without splitting.
#[must_use]
pub fn joined(atoms: &[Atom]) -> String {
    let part = |atom: &Atom| match atom {
        Atom::Text { text, .. } => text.clone(),
        Atom::Cut => " ".into(),
    };
    atoms.iter().map(part).collect()
}

/// A pattern, in which quoted characters mean themselves.
#[must_use]
pub fn pattern(atoms: &[Atom]) -> Pattern {
    let part = |atom: &Atom| match atom {
        Atom::Text { text, quoted, .. } => text.chars().map(|c| (c, *quoted)).collect(),
        Atom::Cut => vec![(' ', true)],
    };
    Pattern::new(&atoms.iter().flat_map(part).collect::<Vec<_>>())
}

type Field = Vec<(char, bool)>;

/// Splits at the characters of `IFS`.
#[derive(Default)]
struct Splitter {
    fields: Vec<Field>,
    field: Field,
    /// The field is one, even if it is empty.
    present: bool,
    /// A space has just ended a field.
    after_space: bool,
}

impl Splitter {
    fn end(&mut self) {
        self.fields.push(std::mem::take(&mut self.field));
        self.present = false;
    }

    fn end_if_any(&mut self) -> bool {
        let any = self.present || !self.field.is_empty();
        if any {
            self.end();
        }
        any
    }

    fn expanded(&mut self, text: &str, separators: &str) {
        for c in text.chars() {
            if !separators.contains(c) {
                self.field.push((c, false));
                self.after_space = false;
            } else if c.is_ascii_whitespace() {
                self.after_space |= self.end_if_any();
            } else {
                // A space before it belongs to the same gap.
                if !self.after_space || !self.field.is_empty() || self.present {
                    self.end();
                }
                self.after_space = false;
            }
        }
    }
}

fn split(atoms: &[Atom], separators: &str) -> Vec<Field> {
    let mut splitter = Splitter::default();
    for atom in atoms {
        match atom {
            Atom::Text { text, quoted: false, expanded: true } => splitter.expanded(text, separators),
            Atom::Text { text, quoted, .. } => {
                splitter.field.extend(text.chars().map(|c| (c, *quoted)));
                splitter.present |= *quoted;
                splitter.after_space = false;
            }
            Atom::Cut => {
                splitter.end_if_any();
                splitter.after_space = false;
            }
        }
    }
    splitter.end_if_any();
    splitter.fields
}

impl Shell {
    /// The words that expanded text becomes.
    pub(super) fn words(&self, atoms: &[Atom]) -> Vec<String> {
        let separators = self.vars.get("IFS").unwrap_or(" \t\n").to_owned();
        let mut words = Vec::new();
        for field in split(atoms, &separators) {
            let special = field.iter().any(|(c, quoted)| !quoted && matches!(c, '*' | '?' | '['));
            let found = if special && !self.options.noglob { self.names_like(&field) } else { Vec::new() };
            if found.is_empty() {
                words.push(field.into_iter().map(|(c, _)| c).collect());
            } else {
                words.extend(found);
            }
        }
        words
    }

    /// Names of files that match a pattern, in order.
    fn names_like(&self, pattern: &[(char, bool)]) -> Vec<String> {
        let rooted = pattern.first().is_some_and(|first| first.0 == '/');
        let mut found = vec![if rooted { "/".to_owned() } else { String::new() }];
        let parts: Vec<&[(char, bool)]> = pattern.split(|(c, _)| *c == '/').collect();
        let last = parts.len() - 1;
        for (at, part) in parts.iter().enumerate() {
            if part.is_empty() {
                if at == last && at > 0 {
                    found.retain(|path| self.is_folder(path));
                    found.iter_mut().filter(|path| !path.ends_with('/')).for_each(|path| path.push('/'));
                }
                continue;
            }
            let special = part.iter().any(|(c, quoted)| !quoted && matches!(c, '*' | '?' | '['));
            let text: String = part.iter().map(|(c, _)| c).collect();
            let matcher = special.then(|| Pattern::new(part));
            found = found.iter().flat_map(|folder| self.step(folder, &text, matcher.as_ref(), at == last)).collect();
        }
        found.sort();
        found
    }

    fn is_folder(&self, path: &str) -> bool {
        let found = self.find(path, true);
        found.is_ok_and(|found| found.inode.is_some_and(|inode| inode.is_folder()))
    }

    /// Paths one folder further.
    fn step(&self, folder: &str, name: &str, matcher: Option<&Pattern>, last: bool) -> Vec<String> {
        let below = |name: &str| if folder.is_empty() { name.to_owned() } else { join(folder, name) };
        let Some(matcher) = matcher else {
            let path = below(name);
            let there = self.find(&path, !last).is_ok();
            return if there { vec![path] } else { Vec::new() };
        };
        let files = self.files();
        let found = files.resolve(&self.absolute(folder), true);
        let Ok(children) = found.and_then(|found| files.read_folder(&found)) else { return Vec::new() };
        let names = children.into_iter().map(|(name, _)| name);
        let shown = |name: &String| !name.starts_with('.') || matcher.starts_with_dot();
        names.filter(|name| shown(name) && matcher.matches(name)).map(|name| below(&name)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(atoms: &[Atom], separators: &str) -> Vec<String> {
        split(atoms, separators).into_iter().map(|field| field.into_iter().map(|(c, _)| c).collect()).collect()
    }

    #[test]
    fn text_is_split_where_it_was_expanded() {
        assert_eq!(words(&[Atom::expanded(" a  b ", false)], " \t\n"), ["a", "b"]);
        assert_eq!(
            words(&[Atom::plain("x", false), Atom::expanded("a b", false), Atom::plain("y", true)], " "),
            ["xa", "by"]
        );
        assert_eq!(words(&[Atom::expanded("a::b", false)], ":"), ["a", "", "b"]);
        assert_eq!(words(&[Atom::expanded("a : b", false)], ": "), ["a", "b"]);
        assert_eq!(words(&[Atom::expanded("a b", true)], " "), ["a b"]);
        assert_eq!(words(&[Atom::plain("", true)], " "), [""]);
        assert!(words(&[Atom::expanded("", false)], " ").is_empty());
        assert_eq!(words(&[Atom::expanded("a", true), Atom::Cut, Atom::expanded("", true)], " "), ["a", ""]);
    }
}
