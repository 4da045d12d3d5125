//! The look before a card is erased at an operator's word: a phone that the task does not expect there stays, whatever the
//! console believes. It was restored to an earlier hour, or the card came from another room.

use wire::{Carried, Mark, Outcome, Reason};

use crate::marked::{FILE, FOLDER};
use crate::refused::{NOT_OURS, NOT_ROOT, refused};

/// A line that erases the card, unless it carries another mark than `expected` or the one of a clean card. Looking and
/// erasing are one line, so that nothing comes in between.
///
/// A shell that is not root's cannot read a mark. Where our folder is, there may be one; where it is not, there never was.
pub fn guarded(expected: Option<Mark>, line: &str) -> String {
    let (file, clean) = (&*FILE, Carried::CLEAN);
    let expected = expected.map_or_else(String::new, |mark| format!("'{mark}'|'{}{mark}') ;;\n", Carried::WIPING));
    format!(
        "m=\"$(cat {file} 2>/dev/null)\"\n\
         case \"$m\" in\n\
         '{clean}'*) ;;\n\
         {expected}\
         '') [ ! -e {file} ] || exit {NOT_OURS}\n\
         [ \"$(id -u)\" = 0 ] || [ ! -e {FOLDER} ] || exit {NOT_ROOT} ;;\n\
         *) echo \"$m\"\nexit {NOT_OURS} ;;\n\
         esac\n\
         {line}"
    )
}

/// Why such a line has erased nothing, if that is how it has ended.
pub fn spared(exit: Option<u8>, said: &str) -> Option<Outcome> {
    match exit {
        Some(NOT_OURS) => Some(refused(Reason::StrayPhone, format!("the card is marked, and not as expected: {said}"))),
        Some(NOT_ROOT) => {
            Some(refused(Reason::MarkUnreadable, "the shell of the card is not root's, and it may carry a mark"))
        }
        Some(_) | None => None,
    }
}
