//! Whether a card is still what was copied: between a copy and the moment from which a phone lives by it nobody may have
//! written.

use adb::Card;
use aws_lc_rs::digest;
use wire::{Mark, Outcome, Reason};

use super::Done;
use super::running::told;
use super::standing::{Standing, is_android};
use crate::clean::ROOT;
use crate::listing::{self, TimedListing};
use crate::places::is_of_phone;
use crate::refused::Refused;

/// What stands for everything of a phone.
pub fn stands_for(listing: &TimedListing) -> String {
    let mut sum = digest::Context::new(&digest::SHA256);
    for (path, listing::Timed { entry, modified, changed, inode }) in listing.iter().filter(|one| is_of_phone(one.0)) {
        let listing::Entry { mode, uid, gid, size } = entry;
        sum.update(format!("{mode} {uid} {gid} {size} {modified} {changed} {inode} {} ", path.len()).as_bytes());
        sum.update(path);
    }
    hex::encode(sum.finish())
}

/// Sees that a card is still what was copied.
pub async fn still(card: &Card, mark: Mark, boot_id: &str, copied: &str) -> Done {
    is_still(card, mark, boot_id, copied).await.map_or_else(told, |()| Done::so(Outcome::Succeeded))
}

async fn is_still(card: &Card, mark: Mark, boot_id: &str, copied: &str) -> Result<(), Refused> {
    let before = Standing::of(card).await?;
    before.check(mark)?;
    if before.boot_id != boot_id || !before.is_stopped {
        return Err(Refused(Reason::Interrupted, "the card has restarted since the phone was copied".to_owned()));
    }
    let (now, _) = listing::list_timed(card, ROOT).await?;
    is_android(&now)?;
    before.still(card).await?;
    if stands_for(&now) == copied {
        return Ok(());
    }
    Err(Refused(Reason::DataChanged, "something of the phone has changed since it was copied".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::stands_for;
    use crate::cover::SETTINGS;
    use crate::listing::{Entry, FILE, Timed, TimedListing};

    #[test]
    fn whatever_is_changed_of_a_phone_stands_for_something_else() {
        let timed = |mode, uid, size, modified, changed| Timed {
            entry: Entry { mode: FILE | mode, uid, gid: 7, size },
            modified,
            changed,
            inode: 3,
        };
        let with = |path: &[u8], what| TimedListing::from([(path.to_vec(), what)]);
        let before = with(b"data/com.game/a", timed(0o600, 1, 5, 9, 9));
        let sum = stands_for(&before);
        assert_eq!(sum.len(), 64);
        for other in [
            with(b"data/com.game/b", timed(0o600, 1, 5, 9, 9)),
            with(b"data/com.game/a", timed(0o660, 1, 5, 9, 9)),
            with(b"data/com.game/a", timed(0o600, 2, 5, 9, 9)),
            with(b"data/com.game/a", timed(0o600, 1, 6, 9, 9)),
            with(b"data/com.game/a", timed(0o600, 1, 5, 8, 9)),
            with(b"data/com.game/a", timed(0o600, 1, 5, 9, 8)),
            with(b"data/com.game/a", Timed { inode: 4, ..timed(0o600, 1, 5, 9, 9) }),
            TimedListing::new(),
        ] {
            assert_ne!(stands_for(&other), sum);
        }
        // Android's own books go on changing.
        let mut more = before;
        more.insert(b"system/packages.xml".to_vec(), timed(0o600, 1, 5, 9, 9));
        more.insert(b"system/users/0/package-restrictions.xml".to_vec(), timed(0o600, 1, 5, 9, 9));
        assert_eq!(stands_for(&more), sum);
        // But those that a copy has.
        for setting in SETTINGS {
            let mut with = more.clone();
            let path = format!("system/users/0/{setting}").into_bytes();
            with.insert(path.clone(), timed(0o600, 1_000, 5, 9, 9));
            let sum = stands_for(&with);
            assert_ne!(sum, stands_for(&more), "{setting}");
            with.insert(path, timed(0o600, 1_000, 5, 9, 10));
            assert_ne!(stands_for(&with), sum, "{setting}");
        }
    }
}
