//! What has to be so for a phone's card to be read as a whole: root's shell, the phone's mark, files that are unlocked. It
//! has to be the same before and after, or what was read is not the whole.

use std::collections::BTreeMap;

use adb::{Card, Command};
use wire::{Carried, Mark, Reason};

use crate::clean::ROOT;
use crate::listing::{self, Entry};
use crate::marked::QUESTION;
use crate::refused::Refused;

/// How a card stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    uid: String,
    /// Its start.
    pub boot_id: String,
    /// The image that it runs.
    pub fingerprint: String,
    /// Its framework is down.
    pub is_stopped: bool,
    carried: String,
    is_locked: bool,
}

impl Standing {
    /// Asks the card.
    ///
    /// # Errors
    /// It does not answer, or not that.
    pub async fn of(card: &Card) -> Result<Self, Refused> {
        let script = format!(
            "id -u; cat /proc/sys/kernel/random/boot_id; getprop ro.crypto.state; getprop ro.crypto.type; \
             getprop sys.user.0.ce_available; getprop init.svc.zygote; getprop ro.build.fingerprint; {}",
            *QUESTION
        );
        let said = listing::whole(card, &Command::script(&script)).await?;
        let said = String::from_utf8_lossy(&said);
        let lines: Vec<&str> = said.lines().map(str::trim).collect();
        let &[uid, boot_id, state, kind, available, zygote, fingerprint, carried] = lines.as_slice() else {
            return Err(Refused(Reason::NotReadable, format!("the card says {} lines of itself", lines.len())));
        };
        // With a key for each user the owner's files are there once he has unlocked the screen (vold: `ce_available`);
        // with one for the whole disk, or none, they are there or the card has not booted.
        let is_locked = state == "encrypted" && kind != "block" && available != "true";
        let [uid, boot_id, fingerprint, carried] = [uid, boot_id, fingerprint, carried].map(str::to_owned);
        Ok(Self { uid, boot_id, fingerprint, is_stopped: zygote == "stopped", carried, is_locked })
    }

    /// Whether everything can be read, and is this phone's.
    ///
    /// # Errors
    /// Why not.
    pub fn check(&self, mark: Mark) -> Result<(), Refused> {
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

    /// Whether the card still stands like this.
    ///
    /// # Errors
    /// It does not, or does not answer.
    pub async fn still(&self, card: &Card) -> Result<(), Refused> {
        if Self::of(card).await? == *self {
            return Ok(());
        }
        let why = "the card restarted, or lost what it was, while it was read";
        Err(Refused(Reason::NotReadable, why.to_owned()))
    }
}

/// What time it is on a card: seconds since 1970.
///
/// # Errors
/// It does not answer, or not that.
pub async fn clock(card: &Card) -> Result<i64, Refused> {
    let said = listing::whole(card, &Command::script("date +%s")).await?;
    let said = String::from_utf8_lossy(&said);
    said.trim().parse().map_err(|_| Refused(Reason::NotReadable, format!("the card's clock says {}", said.trim())))
}

/// Every Android has its book of packages, a place for the data of apps, and one for users' files: where one of them is
/// missing, something else was read.
///
/// # Errors
/// Which is missing.
pub fn is_android<T: std::borrow::Borrow<Entry>>(listing: &BTreeMap<Vec<u8>, T>) -> Result<(), Refused> {
    let has = |path: &str, is: fn(&Entry) -> bool| listing.get(path.as_bytes()).is_some_and(|it| is(it.borrow()));
    let missing = match () {
        () if !has("system/packages.xml", Entry::is_file) => "system/packages.xml",
        () if !has("data", Entry::is_folder) && !has("user/0", Entry::is_folder) => "data",
        () if !has("media/0", Entry::is_folder) => "media/0",
        () => return Ok(()),
    };
    Err(Refused(Reason::NotReadable, format!("{ROOT}/{missing} is not among what was read")))
}
