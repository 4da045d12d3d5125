//! The operation log in words: what acts and objects are called, what a note says, and what an act changed.

pub mod change;
pub mod last;
pub mod note;
pub mod shape;

use kernel::lang::Lang;
use kernel::text::Text;
use serde_json::Value;

/// What an act is called where its call does several: `card_maintain` that sets `maintenance` to 1 returns a card.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    /// The call, as the log keeps it.
    pub act: &'static str,
    /// The field of the object after the act that tells.
    pub field: &'static str,
    /// Its value, as JSON.
    pub value: &'static str,
    /// What the act is called then.
    pub name: Text,
}

/// The act is called `name` when `field` became `value` (as JSON).
#[must_use]
pub const fn turn(act: &'static str, field: &'static str, value: &'static str, name: Text) -> Turn {
    Turn { act, field, value, name }
}

/// Why it was done, as whoever did it wrote it: with what became of the object, or as the whole note, where that is none
/// of the program's own. Empty if nobody said.
#[must_use]
pub fn reason(note: &str, after: Option<&Value>) -> String {
    let typed = || note::words(note, Lang::Zh).is_none().then_some(note);
    change::reason(after).or_else(typed).unwrap_or_default().to_owned()
}
