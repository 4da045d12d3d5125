//! Flags of programs.

use super::proc::Proc;
use super::sizes::size;

/// Flags and what is left of the arguments.
#[derive(Debug, Default)]
pub struct Options {
    set: Vec<(char, String)>,
    /// Arguments that are no flags.
    pub rest: Vec<String>,
}

impl Options {
    /// Whether a flag is set.
    #[must_use]
    pub fn has(&self, flag: char) -> bool {
        self.set.iter().any(|(set, _)| *set == flag)
    }

    /// The last value of a flag.
    #[must_use]
    pub fn value(&self, flag: char) -> Option<&str> {
        self.set.iter().rev().find(|(set, _)| *set == flag).map(|(_, value)| value.as_str())
    }

    /// Every value of a flag.
    pub fn values(&self, flag: char) -> impl Iterator<Item = &str> {
        self.set.iter().filter(move |(set, _)| *set == flag).map(|(_, value)| value.as_str())
    }

    /// The value of a flag as a number with a suffix, such as `64k`.
    #[must_use]
    pub fn number(&self, flag: char) -> Option<u64> {
        self.value(flag).and_then(size)
    }

    /// Whether the first of these flags stands behind the second.
    #[must_use]
    pub fn is_after(&self, flag: char, other: char) -> bool {
        let at = |wanted| self.set.iter().rposition(|(set, _)| *set == wanted);
        at(flag) > at(other)
    }
}

impl Proc {
    /// Reads flags: `spec` has the letters, with a colon behind those that take a value; `long` gives long names their
    /// letters. None, after a complaint, if there is another one.
    pub async fn options(&self, spec: &str, long: &[(&str, char)]) -> Option<Options> {
        self.options_of(self.args(), spec, long).await
    }

    /// The same of other arguments.
    pub async fn options_of(&self, args: &[String], spec: &str, long: &[(&str, char)]) -> Option<Options> {
        match read(args, spec, long) {
            Ok(options) => Some(options),
            Err(why) => {
                self.err(&format!("{why} (see \"{} --help\")", self.name())).await;
                None
            }
        }
    }
}

/// Whether a flag is one, and takes a value.
fn kind(spec: &str, flag: char) -> Option<bool> {
    let at = spec.find(flag).filter(|_| flag != ':')?;
    Some(spec[at + flag.len_utf8()..].starts_with(':'))
}

fn read(args: &[String], spec: &str, long: &[(&str, char)]) -> Result<Options, String> {
    let mut options = Options::default();
    let mut args = args.iter();
    while let Some(arg) = args.next() {
        if arg == "--" {
            options.rest.extend(args.cloned());
            break;
        }
        if let Some(name) = arg.strip_prefix("--") {
            let (name, value) =
                name.split_once('=').map_or((name, None), |(name, value)| (name, Some(value.to_owned())));
            let letter = long.iter().find(|(known, _)| *known == name).map(|(_, letter)| *letter);
            let letter = letter.ok_or_else(|| format!("Unknown option '{name}'"))?;
            let value = match (kind(spec, letter), value) {
                (Some(true), None) => args.next().cloned().ok_or_else(|| format!("Missing argument to --{name}"))?,
                (_, value) => value.unwrap_or_default(),
            };
            options.set.push((letter, value));
            continue;
        }
        let Some(letters) = arg.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            options.rest.push(arg.clone());
            // A plus stops at the first argument that is no flag.
            if spec.starts_with('+') {
                options.rest.extend(args.cloned());
                break;
            }
            continue;
        };
        for (at, letter) in letters.char_indices() {
            match kind(spec, letter) {
                None => return Err(format!("Unknown option '{letters}'")),
                Some(false) => options.set.push((letter, String::new())),
                Some(true) => {
                    let own = &letters[at + letter.len_utf8()..];
                    let value = if own.is_empty() { args.next().cloned() } else { Some(own.to_owned()) };
                    options.set.push((letter, value.ok_or_else(|| format!("Missing argument to -{letter}"))?));
                    break;
                }
            }
        }
    }
    Ok(options)
}
