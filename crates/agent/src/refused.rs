//! Why something is not said or done at a card.

use adb::Error;
use wire::{Effect, Outcome, Reason, Told};

use crate::listing::Unread;

/// The exit codes of a line that has changed nothing: the card is not marked as it should be; its shell is not root's; it
/// has restarted since the attempt began.
pub const NOT_OURS: u8 = 97;
pub const NOT_ROOT: u8 = 96;
pub const RESTARTED: u8 = 95;
/// All of them.
pub const NOTHING_DONE: [u8; 3] = [NOT_OURS, NOT_ROOT, RESTARTED];

/// Why nothing can be said or done, and the words for it.
#[derive(Debug)]
pub struct Refused(pub Reason, pub String);

impl From<Error> for Refused {
    fn from(error: Error) -> Self {
        Self(error.reason(), error.to_string())
    }
}

impl From<Unread> for Refused {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Card(error) => error.into(),
            Unread::Changed(why) | Unread::Because(why) => Self(Reason::NotReadable, why),
            Unread::TooMany => Self(Reason::TooManyFiles, "their names are more than 512 MiB".to_owned()),
        }
    }
}

/// How an act ends that has changed nothing.
pub fn refused(code: impl Into<Told>, why: impl Into<String>) -> Outcome {
    Outcome::Failed { code: code.into(), reason: why.into(), effect: Effect::NeverBegan }
}
