//! The ids that Android keeps for apps, carried over to another card.
//!
//! Each app has an `ANDROID_ID` of its own (SSAID), which Android keeps under the app's uid in
//! `/data/system/users/0/settings_ssaid.xml`. On another card the same app has another uid. What the file holds: AOSP
//! `packages/SettingsProvider`, `SettingsState.java`. It is text up to Android 11 and binary from 12 on; every Android
//! reads text (`Xml.resolvePullParser`).
//!
//! A tenant with root may have written the file, and an Android does not start with one that it cannot read. So what
//! Android itself would not have written is refused.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

mod abx;
mod text;

/// The most bytes of a file, and of all its attributes: a binary file names a long string as often as it likes.
const LARGEST: usize = 4 << 20;
/// The most settings in a file, and attributes of each.
const SETTINGS: usize = 10_000;
const ATTRIBUTES: usize = 32;
/// Characters of an error, which may quote the file.
const TOLD: usize = 200;

/// The names of elements.
const ROOT: &str = "settings";
const SETTING: &str = "setting";
/// Newer Androids write it after the settings. It is empty: only flags of experiments have such hashes.
const HASHES: &str = "namespaceHashes";

/// What a `settings_ssaid.xml` is on another card, whose apps have the uids `here`, as text. What is kept for an app
/// that is not there is left out; of what would be kept for one uid twice the first stays, as apps that share a uid
/// share an id.
///
/// # Errors
/// It is not such a file, neither as text nor as binary XML, or larger than any.
pub fn carried_over(bytes: &[u8], here: &HashMap<String, u32>) -> Result<Vec<u8>, String> {
    let mut book = read(bytes).map_err(|error| short(&error))?;
    book.move_to(here);
    Ok(book.to_text().into_bytes())
}

fn read(bytes: &[u8]) -> Result<Book, String> {
    if bytes.len() > LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    match bytes.strip_prefix(abx::MAGIC) {
        Some(rest) => abx::read(rest),
        None => text::read(bytes),
    }
}

/// The attributes of an element, in their order.
#[derive(Default)]
struct Attributes(Vec<(String, String)>);

impl Attributes {
    fn get(&self, wanted: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.as_str())
    }

    fn get_mut(&mut self, wanted: &str) -> Option<&mut String> {
        self.0.iter_mut().find(|(name, _)| name == wanted).map(|(_, value)| value)
    }

    fn write(&self, text: &mut String) {
        for (name, value) in &self.0 {
            text.push(' ');
            text.push_str(name);
            text.push_str("=\"");
            for letter in value.chars() {
                match letter {
                    '&' => text.push_str("&amp;"),
                    '<' => text.push_str("&lt;"),
                    '>' => text.push_str("&gt;"),
                    '"' => text.push_str("&quot;"),
                    // A parser takes them for spaces otherwise.
                    '\t' => text.push_str("&#9;"),
                    '\n' => text.push_str("&#10;"),
                    '\r' => text.push_str("&#13;"),
                    other => text.push(other),
                }
            }
            text.push('"');
        }
    }
}

/// A file, as both its forms are read: element by element.
#[derive(Default)]
struct Book {
    root: Option<Attributes>,
    settings: Vec<Attributes>,
    /// The elements that are open, the innermost last.
    open: Vec<&'static str>,
    /// Bytes of all attributes.
    length: usize,
}

impl Book {
    /// An element begins.
    fn opened(&mut self, name: &str) -> Result<(), String> {
        let known = match (self.open.last().copied(), name) {
            (None, ROOT) if self.root.is_none() => {
                self.root = Some(Attributes::default());
                ROOT
            }
            (Some(ROOT), SETTING) if self.settings.len() == SETTINGS => {
                return Err(format!("it has more than {SETTINGS} settings"));
            }
            (Some(ROOT), SETTING) => {
                self.settings.push(Attributes::default());
                SETTING
            }
            (None, HASHES) if self.root.is_some() => HASHES,
            _ => return Err(format!("it has an element {:?} where none belongs", short(name))),
        };
        self.open.push(known);
        Ok(())
    }

    /// The element that was opened last has an attribute.
    fn attribute(&mut self, name: String, value: String) -> Result<(), String> {
        self.length += name.len() + value.len();
        if self.length > LARGEST {
            return Err(format!("its settings are longer than {LARGEST} bytes"));
        }
        let element = match self.open.last().copied() {
            Some(ROOT) => self.root.as_mut(),
            Some(SETTING) => self.settings.last_mut(),
            _ => None,
        };
        let Some(element) = element else { return Err("it has an attribute where none belongs".into()) };
        if !is_name(&name) {
            return Err("it has an attribute with a name that Android does not give".into());
        }
        if element.0.len() == ATTRIBUTES || element.get(&name).is_some() {
            return Err(format!("it has an attribute {name} too many"));
        }
        if !is_readable(&name, &value) {
            return Err(format!("its attribute {name} has a value that Android does not read"));
        }
        element.0.push((name, value));
        Ok(())
    }

    /// An element ends.
    fn closed(&mut self, name: &str) -> Result<(), String> {
        if self.open.pop() == Some(name) {
            return Ok(());
        }
        Err(format!("it ends an element {:?} that has not begun", short(name)))
    }

    /// The file ends.
    fn finished(self) -> Result<Self, String> {
        let Some(root) = self.root.as_ref().filter(|_| self.open.is_empty()) else {
            return Err("it is cut off".into());
        };
        if root.get("version").is_none() {
            return Err("it has no version".into());
        }
        if self.settings.iter().any(|setting| setting.get("id").is_none() || setting.get("name").is_none()) {
            return Err("it has a setting without id or name".into());
        }
        Ok(self)
    }

    /// Gives what is kept for apps to the uids that they have elsewhere.
    fn move_to(&mut self, here: &HashMap<String, u32>) {
        let mut names = HashSet::new();
        self.settings.retain_mut(|setting| {
            let uid = setting.get("package").and_then(|package| here.get(package)).map(u32::to_string);
            let Some(name) = setting.get_mut("name") else { return false };
            // All but `userkey`, from which Android makes the ids.
            if !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_digit()) {
                let Some(uid) = uid else { return false };
                *name = uid;
            }
            names.insert(name.clone())
        });
    }

    fn to_text(&self) -> String {
        let mut text = format!("<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n<{ROOT}");
        if let Some(root) = &self.root {
            root.write(&mut text);
        }
        text.push_str(">\n");
        for setting in &self.settings {
            text.push_str("  <");
            text.push_str(SETTING);
            setting.write(&mut text);
            text.push_str(" />\n");
        }
        text.push_str("</");
        text.push_str(ROOT);
        text.push_str(">\n");
        text
    }
}

/// Whether an attribute may have this name.
fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Whether Android reads this value of an attribute from text.
fn is_readable(name: &str, value: &str) -> bool {
    let is_none_of_xml =
        |letter: char| matches!(letter, '\0'..='\x08' | '\x0b' | '\x0c' | '\x0e'..='\x1f' | '\u{fffe}' | '\u{ffff}');
    if value.contains(is_none_of_xml) {
        return false;
    }
    match name {
        "version" => value.parse::<i32>().is_ok(),
        "id" => value.parse::<i64>().is_ok(),
        "defaultSysSet" | "preserve_in_restore" => matches!(value, "true" | "false"),
        _ => !name.ends_with("Base64") || STANDARD.decode(value).is_ok(),
    }
}

fn short(text: &str) -> String {
    text.chars().take(TOLD).collect()
}

#[cfg(test)]
mod tests;
