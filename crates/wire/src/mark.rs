//! Whose a card is, as the card itself carries it.

use serde::{Deserialize, Serialize};

/// Whose a card is: the stay of a phone that it is prepared for, that it holds, or whose data it still has. The card
/// carries it itself, in a file of root's, and whatever changes the card for a phone proves it first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mark {
    /// The phone.
    pub phone: i64,
    /// Its stay on this card: a phone that comes back to a card has another one.
    pub placement: i64,
}

impl Mark {
    /// Root's own folder on a card, out of the way of Android and of apps.
    pub const FOLDER: &str = "/data/skyrack";
    /// The file in it that carries the mark.
    pub const NAME: &str = "owner";

    /// Reads what a card carries; none if it is nobody's, or something else.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let (phone, placement) = text.split_once('.')?;
        let mark = Self { phone: phone.parse().ok()?, placement: placement.parse().ok()? };
        (mark.phone > 0 && mark.placement > 0 && mark.to_string() == text).then_some(mark)
    }
}

impl std::fmt::Display for Mark {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}", self.phone, self.placement)
    }
}

/// What a card says about whose it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// It carries no mark.
    Nothing,
    /// It was wiped, and proved it.
    Clean,
    /// A phone's.
    Of(Mark),
    /// A phone's, whose data is being wiped from it: that goes on whatever happens to the card meanwhile.
    Wiping(Mark),
    /// Nothing that can be read: the shell is not root's, or the file is damaged.
    Unreadable,
}

impl Carried {
    /// What stands for no mark.
    pub const NOTHING: &str = "-";
    /// What stands for one that cannot be read.
    pub const UNREADABLE: &str = "?";
    /// How the mark of a wiped card begins.
    pub const CLEAN: &str = "clean ";
    /// How the mark of a card that is being wiped begins.
    pub const WIPING: &str = "wiping ";

    /// Reads what a card said.
    #[must_use]
    pub fn read(text: &str) -> Self {
        match text {
            Self::NOTHING => Self::Nothing,
            clean if clean.starts_with(Self::CLEAN) => Self::Clean,
            other => match other.strip_prefix(Self::WIPING) {
                Some(wiping) => Mark::read(wiping).map_or(Self::Unreadable, Self::Wiping),
                None => Mark::read(other).map_or(Self::Unreadable, Self::Of),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Carried, Mark};

    #[test]
    fn a_mark_is_read_as_it_is_written_and_nothing_else_is_one() {
        let mark = Mark { phone: 17, placement: 4 };
        assert_eq!(Mark::read(&mark.to_string()), Some(mark));
        for other in
            ["", "-", "?", "17", "17.", ".4", "17.4.1", "-17.4", "+17.4", "017.4", "17.0", "a.b", "clean 00ff", "17 .4"]
        {
            assert_eq!(Mark::read(other), None, "{other}");
        }
        for (text, said) in [
            ("-", Carried::Nothing),
            ("clean 00ff", Carried::Clean),
            ("17.4", Carried::Of(mark)),
            ("wiping 17.4", Carried::Wiping(mark)),
            ("wiping 17", Carried::Unreadable),
            ("?", Carried::Unreadable),
            ("", Carried::Unreadable),
            ("17.4 and more", Carried::Unreadable),
        ] {
            assert_eq!(Carried::read(text), said, "{text}");
        }
    }
}
