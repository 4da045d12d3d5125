//! The look before a card is erased at an operator's word: a phone that the task does not expect there stays, whatever the
//! console believes. It was restored to an earlier hour, or the card came from another room.

use wire::{Carried, Outcome, Reason, Task};

use crate::marked::{FILE, FOLDER};
use crate::refused::{NOT_OURS, NOT_ROOT, refused};

/// What no mark is (`Carried::read`): something else than digits and one point between them, or a number that nobody writes.
const NO_MARK: &str = "*.*.*|*[!0-9.]*|.*|*.|0*|*.0*";

/// A line that erases the card, unless it carries another mark than the task expects or the one of a clean card. Looking and
/// erasing are one line, so that nothing comes in between.
///
/// A shell that is not root's cannot read a mark. Where our folder is, there may be one; where it is not, there never was.
pub fn guarded(task: &Task, line: &str) -> String {
    let (file, clean, wiping) = (&*FILE, Carried::CLEAN, Carried::WIPING);
    let expected = task.mark.map_or_else(String::new, |mark| format!("'{mark}'|'{wiping}{mark}') ;;\n"));
    let stays = format!("echo \"$m\"\nexit {NOT_OURS}");
    // What is there and is no mark: nothing in it, or not even root can read it; or something else.
    let (empty, other) = if task.damaged {
        let strange = format!("case \"${{m#{wiping}}}\" in\n{NO_MARK}) ;;\n*.*) {stays} ;;\nesac");
        (String::new(), strange)
    } else {
        (format!("[ ! -e {file} ] || exit {NOT_OURS}\n"), stays)
    };
    format!(
        "m=\"$(cat {file} 2>/dev/null)\"\n\
         case \"$m\" in\n\
         '{clean}'*) ;;\n\
         {expected}\
         '') {empty}\
         [ \"$(id -u)\" = 0 ] || [ ! -e {FOLDER} ] || exit {NOT_ROOT} ;;\n\
         *) {other} ;;\n\
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
