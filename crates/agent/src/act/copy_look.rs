//! Looks at what a copy of a phone would hold. Nothing on the card is changed, and its apps go on.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use adb::{Card, Command, Error};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use wire::copy::Coverage;
use wire::{Carried, CopyLook, Mark, Reason};

use super::owned::QUESTION;
use super::{mistaken, state};
use crate::cards::Cards;
use crate::clean::ROOT;
use crate::cover::coverage;
use crate::listing::{self, Entry, Listing, Unread};

/// Half a million files take a while.
const PATIENCE: Duration = Duration::from_secs(100);
/// Cards that are read at once: a list of half a million files takes 100 MB.
pub const AT_ONCE: usize = 2;
/// Apps that go on make and remove files: the list is read so often until it fits together.
const TIMES: usize = 5;

/// Why nothing can be said, and the words for it.
struct Refused(Reason, String);

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

/// What has to be the same before and after, or what was read is not the whole.
#[derive(Debug, PartialEq, Eq)]
struct Standing {
    uid: String,
    boot_id: String,
    carried: String,
    is_locked: bool,
}

impl Standing {
    async fn of(card: &Card) -> Result<Self, Refused> {
        let script = format!(
            "id -u; cat /proc/sys/kernel/random/boot_id; getprop ro.crypto.state; getprop ro.crypto.type; \
             getprop sys.user.0.ce_available; {}",
            *QUESTION
        );
        let said = listing::whole(card, &Command::script(&script)).await?;
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().map(str::trim).collect();
        let &[uid, boot_id, state, kind, available, carried] = lines.as_slice() else {
            return Err(Refused(Reason::NotReadable, format!("the card says {} lines of itself", lines.len())));
        };
        // With a key for each user the owner's files are there once he has unlocked the screen (vold: `ce_available`);
        // with one for the whole disk, or none, they are there or the card has not booted.
        let is_locked = state == "encrypted" && kind != "block" && available != "true";
        Ok(Self { uid: uid.to_owned(), boot_id: boot_id.to_owned(), carried: carried.to_owned(), is_locked })
    }

    /// Whether everything can be read, and is this phone's.
    fn check(&self, mark: Mark) -> Result<(), Refused> {
        if self.uid != "0" {
            return Err(Refused(Reason::NotRoot, format!("the card's shell is that of user {}", self.uid)));
        }
        match Carried::read(&self.carried) {
            Carried::Of(carried) if carried == mark => {}
            Carried::Unreadable => return Err(Refused(Reason::MarkUnreadable, "its mark cannot be read".to_owned())),
            Carried::Of(_) | Carried::Nothing | Carried::Clean | Carried::Wiping(_) => {
                return Err(Refused(Reason::NotOurs, format!("the card is marked as {}", self.carried)));
            }
        }
        if self.is_locked {
            return Err(Refused(
                Reason::Locked,
                "the screen of user 0 is locked, and his files are encrypted".to_owned(),
            ));
        }
        Ok(())
    }
}

/// Looks at what a copy of the phone on a card would hold, if it is the expected card and carries that phone.
pub async fn look_at_copy(
    cards: &Cards,
    turns: &Semaphore,
    address: &str,
    serial: Option<&str>,
    mark: Mark,
) -> CopyLook {
    let started = Instant::now();
    let looked = timeout(PATIENCE, async {
        // It is never closed.
        let _turn = turns.acquire().await;
        look(cards, address, serial, mark).await
    });
    let looked = looked.await;
    let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let Refused(code, reason) = match looked {
        Ok(Ok(coverage)) => return CopyLook::Seen { coverage: Coverage { millis, ..coverage } },
        Ok(Err(refused)) => refused,
        Err(_) => Refused(Reason::AdbTimeout, format!("not read within {} s", PATIENCE.as_secs())),
    };
    CopyLook::Failed { code: code.into(), reason }
}

async fn look(cards: &Cards, address: &str, serial: Option<&str>, mark: Mark) -> Result<Coverage, Refused> {
    let at: SocketAddr = address.parse().map_err(|_| Error::BadArgument { what: address.to_owned() })?;
    let card = cards.get(at).await?;
    if let Some(why) = mistaken(at, &state(&card).await?, serial) {
        return Err(Refused(Reason::WrongCard, why));
    }
    let before = Standing::of(&card).await?;
    before.check(mark)?;
    let packages = packages(&card).await?;
    let listing = list(&card).await?;
    if Standing::of(&card).await? != before {
        return Err(Refused(
            Reason::NotReadable,
            "the card restarted, or lost what it was, while it was read".to_owned(),
        ));
    }
    is_android(&listing)?;
    Ok(coverage(&listing, &packages))
}

/// What is installed for the owner, Android's own included.
async fn packages(card: &Card) -> Result<BTreeSet<String>, Refused> {
    let said = listing::whole(card, &Command::script("pm list packages --user 0")).await?;
    let said = String::from_utf8_lossy(&said);
    Ok(said.lines().filter_map(|line| line.trim().strip_prefix("package:")).map(str::to_owned).collect())
}

async fn list(card: &Card) -> Result<Listing, Refused> {
    let mut times = 1;
    loop {
        match listing::list(card, ROOT).await {
            Err(Unread::Changed(_)) if times < TIMES => times += 1,
            read => return Ok(read?),
        }
    }
}

/// Every Android has its book of packages, a place for the data of apps, and one for users' files: where one of them is
/// missing, something else was read.
fn is_android(listing: &Listing) -> Result<(), Refused> {
    let has = |path: &str, is: fn(&Entry) -> bool| listing.get(path.as_bytes()).is_some_and(is);
    let missing = match () {
        () if !has("system/packages.xml", Entry::is_file) => "system/packages.xml",
        () if !has("data", Entry::is_folder) && !has("user/0", Entry::is_folder) => "data",
        () if !has("media/0", Entry::is_folder) => "media/0",
        () => return Ok(()),
    };
    Err(Refused(Reason::NotReadable, format!("{ROOT}/{missing} is not among what was read")))
}
