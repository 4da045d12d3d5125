//! What is noted on a card while a copy comes on it: in which start of the card the folders were emptied, and whose numbers are which
//! there.

use std::collections::HashMap;

use adb::{Card, Command};
use wire::Reason;

use crate::clean::ROOT;
use crate::listing;
use crate::refused::Refused;

/// The note: where a wipe finds it, and no copy has it.
pub const NOTE: &str = "/data/local/skyrack-restoring";
/// Stands in the note once the folders are empty.
const EMPTIED: &str = "emptied";
/// Folders that are dealt with by one line.
pub const TOGETHER: usize = 50;

/// What an earlier try has noted on the card.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// The start of the card in which it was written.
    pub boot_id: String,
    /// The folders of a copy are empty, or filled since.
    pub is_emptied: bool,
    /// The numbers of the packages here.
    pub packages: HashMap<String, u32>,
}

impl Note {
    /// Reads one.
    pub fn read(text: &str) -> Self {
        let mut lines = text.lines().map(str::trim);
        let mut note = Self { boot_id: lines.next().unwrap_or_default().to_owned(), ..Self::default() };
        for line in lines {
            match line.split_once(' ') {
                Some((uid, name)) => _ = uid.parse().map(|uid| note.packages.insert(name.to_owned(), uid)),
                None => note.is_emptied |= line == EMPTIED,
            }
        }
        note
    }

    /// As it is written.
    pub fn text(&self) -> String {
        let mut packages: Vec<String> = self.packages.iter().map(|(name, uid)| format!("{uid} {name}\n")).collect();
        packages.sort_unstable();
        let emptied = if self.is_emptied { format!("{EMPTIED}\n") } else { String::new() };
        format!("{}\n{emptied}{}", self.boot_id, packages.concat())
    }
}

/// The numbers of packages, as the folders of their data in a place have them: an old package manager does not tell, and a new one
/// makes no folder before it is needed.
///
/// # Errors
/// They cannot be read.
pub async fn numbers(card: &Card, place: &str) -> Result<HashMap<String, u32>, Refused> {
    let find = "find . -mindepth 1 -maxdepth 1 -print0 | xargs -0 -r stat -c '%u %n'";
    let said = listing::whole(card, &Command::script(&format!("cd {ROOT}/{place} && {find}"))).await?;
    let said = String::from_utf8_lossy(&said);
    let numbers = said.lines().filter_map(|line| {
        let (uid, name) = line.trim_end().split_once(" ./")?;
        Some((name.to_owned(), uid.parse().ok()?))
    });
    Ok(numbers.collect())
}

/// The numbers of the packages that were installed when a copy came on the card.
///
/// # Errors
/// The card does not answer, or none has come.
pub async fn left(card: &Card) -> Result<HashMap<String, u32>, Refused> {
    let said = listing::whole(card, &Command::script(&format!("[ ! -e {NOTE} ] || cat {NOTE}"))).await?;
    let note = Note::read(&String::from_utf8_lossy(&said));
    if note.is_emptied {
        return Ok(note.packages);
    }
    Err(Refused(Reason::RestoreUnproved, "nobody has noted what has come on the card".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::Note;

    #[test]
    fn a_note_is_read_as_it_was_written() {
        let packages = HashMap::from([("com.game".to_owned(), 10_061), ("android".to_owned(), 1_000)]);
        for is_emptied in [false, true] {
            let note = Note { boot_id: "a-b".to_owned(), is_emptied, packages: packages.clone() };
            assert_eq!(Note::read(&note.text()), note);
        }
        assert_eq!(Note::read(""), Note::default());
        assert_eq!(Note::read("a\nx y\n").packages.len(), 0);
    }
}
