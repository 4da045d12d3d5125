//! Commands for a card's shell, made of arguments and never of pasted text.
//!
//! ADB's shell takes one line, not a list of arguments. Each argument is put between single quotes, inside
//! which a POSIX shell changes nothing; a single quote itself becomes `'\''`.

use std::fmt;
use std::str::FromStr;

use bytes::Bytes;

use crate::error::Error;

/// Quotes one argument so that a POSIX shell reads back exactly `text`.
///
/// # Errors
/// `text` contains a NUL, which is impossible in an argument of a program.
pub fn quoted(text: &str) -> Result<String, Error> {
    if text.contains('\0') {
        return Err(Error::BadArgument { what: "an argument with a NUL".into() });
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '%' | '+' | ',');
    if !text.is_empty() && text.chars().all(plain) {
        return Ok(text.to_owned());
    }
    Ok(format!("'{}'", text.replace('\'', r"'\''")))
}

/// A command for a card.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    kind: Kind,
    stdin: Option<Bytes>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Program(Vec<String>),
    Script(String),
}

impl Command {
    /// A program; add its arguments with [`Command::arg`].
    #[must_use]
    pub fn new(program: &str) -> Self {
        Self { kind: Kind::Program(vec![program.to_owned()]), stdin: None }
    }

    /// A line that an operator typed, for the card's shell to read as it is. Never compose one from pieces: that is
    /// what [`Command::new`] is for.
    #[must_use]
    pub fn script(text: &str) -> Self {
        Self { kind: Kind::Script(text.to_owned()), stdin: None }
    }

    /// Appends an argument. It reaches the program unchanged, whatever it contains.
    #[must_use]
    pub fn arg(mut self, argument: impl fmt::Display) -> Self {
        match &mut self.kind {
            Kind::Program(words) => words.push(argument.to_string()),
            Kind::Script(text) => {
                debug_assert!(false, "a script takes no arguments");
                text.clear();
            }
        }
        self
    }

    /// Appends arguments.
    #[must_use]
    pub fn args<T: fmt::Display>(self, arguments: impl IntoIterator<Item = T>) -> Self {
        arguments.into_iter().fold(self, Self::arg)
    }

    /// Passes these bytes to the program as standard input. Needs a card with `shell_v2`.
    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Bytes>) -> Self {
        self.stdin = Some(bytes.into());
        self
    }

    /// The line for the shell.
    ///
    /// # Errors
    /// It contains a NUL.
    pub fn line(&self) -> Result<String, Error> {
        match &self.kind {
            Kind::Script(text) if text.contains('\0') => {
                Err(Error::BadArgument { what: "a command with a NUL".into() })
            }
            Kind::Script(text) => Ok(text.clone()),
            Kind::Program(words) => Ok(words.iter().map(|word| quoted(word)).collect::<Result<Vec<_>, _>>()?.join(" ")),
        }
    }

    /// The standard input: the given bytes; empty for a script, which may read it; `None` for our own programs, which
    /// do not.
    pub(crate) fn input(&self) -> Option<Bytes> {
        match (&self.stdin, &self.kind) {
            (Some(bytes), _) => Some(bytes.clone()),
            (None, Kind::Script(_)) => Some(Bytes::new()),
            (None, Kind::Program(_)) => None,
        }
    }

    pub(crate) const fn has_stdin(&self) -> bool {
        self.stdin.is_some()
    }
}

macro_rules! checked_text {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:expr) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(String);

        impl $name {
            /// Checks `text`.
            ///
            /// # Errors
            /// It violates the rule above.
            pub fn new(text: &str) -> Result<Self, Error> {
                let rule: fn(&str) -> bool = $rule;
                if rule(text) { Ok(Self(text.to_owned())) } else {
                    let shown: String = text.chars().take(80).flat_map(char::escape_default).collect();
                    Err(Error::BadArgument { what: format!(concat!("\"{}\" is no ", $what), shown) })
                }
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl FromStr for $name {
            type Err = Error;
            fn from_str(text: &str) -> Result<Self, Error> {
                Self::new(text)
            }
        }
    };
}

checked_text! {
    /// The name of an Android package: two or more parts with dots between, each a letter and then letters,
    /// digits or `_`; at most 223 characters (AOSP `FrameworkParsingPackageUtils.validateName`).
    /// `android` alone is the one name without a dot.
    PackageName, "package name", |text| {
        let part = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic())
                && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        text == "android" || (text.len() <= 223 && text.contains('.') && text.split('.').all(part))
    }
}

checked_text! {
    /// A path on a card: absolute, at most 1,024 bytes (the sync service's limit), without `..`, NUL or line ends.
    DevicePath, "absolute path of a card", |text| {
        text.starts_with('/')
            && text.len() <= 1024
            && !text.chars().any(char::is_control)
            && !text.split('/').any(|part| part == "..")
    }
}

checked_text! {
    /// The name of an Android property: letters, digits and `.`, `-`, `@`, `:`, `_`, no dot at either end and no two
    /// in a row (AOSP `init/util.cpp`, `IsLegalPropertyName`).
    PropName, "property name", |text| {
        !text.is_empty()
            && text.len() <= 256
            && !text.starts_with('.')
            && !text.ends_with('.')
            && !text.contains("..")
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '@' | ':' | '_'))
    }
}
