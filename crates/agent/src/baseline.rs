//! What was on a card right after a copy had come on it, kept on the card.
//!
//! A copy that comes on a card gives each file another time of change than it had where the copy was made, so the next copy
//! would read all of them. What has not changed since that list was made is what that copy holds. It lies on the card and not
//! with the console: there it is gone with what it tells of, and ten thousand phones need no ten gigabytes of database.
//!
//! A tenant with root may write what he likes into it. Then his own next copy lacks what he has hidden, and nobody else's.

use wire::Mark;

use crate::listing::{Timed, TimedListing};
use crate::places::{is_of_phone, is_setting};

/// Where it lies: a wipe finds it, and no copy has it.
pub const PLACE: &str = "/data/local/skyrack-restored";

/// What `listing` says of the phone's files, as it lies on the card: after a head the numbers of each, as `stat` prints
/// them, and its path, ended by NUL.
#[must_use]
pub fn text(mark: Mark, snapshot: &str, clock: i64, listing: &TimedListing) -> Vec<u8> {
    let mut text = format!("{mark} {snapshot} {clock}\0").into_bytes();
    for (path, Timed { entry, modified, changed, inode }) in listing.iter().filter(|(path, timed)| is_kept(path, timed))
    {
        let numbers =
            format!("{:x} {} {} {} {modified} {changed} {inode} ", entry.mode, entry.uid, entry.gid, entry.size);
        text.extend_from_slice(numbers.as_bytes());
        text.extend_from_slice(path);
        text.push(0);
    }
    text
}

/// Settings are read each time: some go by the numbers that apps have on this card, and are not what the copy holds.
fn is_kept(path: &[u8], timed: &Timed) -> bool {
    timed.entry.is_file() && is_of_phone(path) && !is_setting(path)
}

/// What was on a card that is marked so, right after this copy had come on it; empty if something else is written there, or
/// if the card's clock has gone back since: then a file may have been written at a moment that was before.
#[must_use]
pub fn read(text: &[u8], mark: Mark, snapshot: &str, clock: i64) -> TimedListing {
    let mut records = text.split(|byte| *byte == 0);
    let head = records.next().and_then(|head| str::from_utf8(head).ok()).unwrap_or_default();
    let is_ours = head.strip_prefix(&format!("{mark} {snapshot} ")).and_then(|then| then.parse::<i64>().ok());
    if is_ours.is_none_or(|then| clock < then) {
        return TimedListing::new();
    }
    records.filter_map(record).collect()
}

fn record(record: &[u8]) -> Option<(Vec<u8>, Timed)> {
    let (end, _) = record.iter().enumerate().filter(|(_, byte)| **byte == b' ').nth(6)?;
    let timed = Timed::read(str::from_utf8(&record[..end]).ok()?)?;
    Some((record[end + 1..].to_vec(), timed))
}

#[cfg(test)]
mod tests {
    use wire::Mark;

    use super::{read, text};
    use crate::listing::{Entry, FILE, FOLDER, Timed, TimedListing};

    const MARK: Mark = Mark { phone: 3, placement: 9 };

    fn listing() -> TimedListing {
        let timed = |mode, size| Timed {
            entry: Entry { mode, uid: 10_061, gid: 7, size },
            modified: -5,
            changed: 99,
            inode: 4,
        };
        TimedListing::from([
            (b"data/com.game/a b\n\xff".to_vec(), timed(FILE | 0o600, 5)),
            (b"media/0/x".to_vec(), timed(FILE | 0o660, 0)),
            (b"media/0".to_vec(), timed(FOLDER | 0o771, 0)),
            (b"system/packages.xml".to_vec(), timed(FILE | 0o660, 8)),
            (b"system/users/0/settings_ssaid.xml".to_vec(), timed(FILE | 0o600, 8)),
        ])
    }

    #[test]
    fn files_of_the_phone_are_read_as_they_were_written() {
        let written = text(MARK, "abc", 1_000, &listing());
        let mut wanted = listing();
        wanted.retain(|path, timed| timed.entry.is_file() && !path.starts_with(b"system"));
        assert_eq!(read(&written, MARK, "abc", 1_000), wanted);
        assert_eq!(read(&written, MARK, "abc", 2_000), wanted);
    }

    #[test]
    fn what_is_not_of_this_copy_and_stay_or_after_it_says_nothing() {
        let written = text(MARK, "abc", 1_000, &listing());
        let other = Mark { phone: 3, placement: 10 };
        for found in [
            read(&written, other, "abc", 1_000),
            read(&written, MARK, "ab", 1_000),
            read(&written, MARK, "abcd", 1_000),
            read(&written, MARK, "abc", 999),
            read(b"", MARK, "", 0),
            read(b"rubbish", MARK, "abc", 1_000),
        ] {
            assert!(found.is_empty());
        }
        let mut odd = format!("{MARK} abc 1\0").into_bytes();
        odd.extend_from_slice(b"x\0\x001 2 3 4 5 6\0zz 1 2 3 4 5 6 path\0\xff 1 2 3 4 5 6 path\0");
        assert!(read(&odd, MARK, "abc", 1).is_empty(), "what nobody has written is passed over");
    }
}
