//! Why something is not said or done at a card.

use adb::Error;
use wire::Reason;

use crate::listing::Unread;

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
        }
    }
}
