//! What a card looks like on which nobody was: read from one of each image, and held against others.
//!
//! A card that is wiped is made like this one, file by file, while Android's framework is down; then it restarts, and what
//! is different now has to be what differed between two starts of the clean card as well. Rules without a card.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use crate::listing::{Entry, Listing};

/// The folder that is held against the profile: all that a tenant may write. The system's own partitions are compared whole.
pub const ROOT: &str = "/data";
/// What stays on a card whoever was on it, below [`ROOT`]: how it is reached (ADB's keys, the address and the port among
/// the properties), and our own folder.
const KEPT: [&str; 5] = ["lost+found", "misc/adb", "misc/ethernet", "property", "skyrack"];
/// What may differ after a start, in bytes: this many times what differed after the start of the clean card, and a little.
const TIMES: u64 = 4;
const A_LITTLE: u64 = 1 << 20;

/// Something that is on every clean card.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thing {
    /// `st_mode`, owner, group, bytes.
    pub stat: (u32, u32, u32, u64),
    /// The SHA-256 of a file; where a link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<String>,
}

impl Thing {
    fn entry(&self) -> Entry {
        let (mode, uid, gid, size) = self.stat;
        Entry { mode, uid, gid, size }
    }

    /// Whether something has its rights and owner, and if it is a file its size. The size of a folder says nothing.
    fn looks_like(&self, found: &Entry) -> bool {
        let wanted = self.entry();
        (wanted.mode, wanted.uid, wanted.gid) == (found.mode, found.uid, found.gid)
            && (!found.is_file() || wanted.size == found.size)
    }
}

/// A clean card of one image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Profile {
    /// `ro.build.fingerprint`.
    pub fingerprint: String,
    /// Everything below [`ROOT`], by its path from there, as it is while the framework is down.
    pub things: BTreeMap<String, Thing>,
    /// Files that are different after each start.
    pub changing: BTreeSet<String>,
    /// Folders in which names come and go with each start.
    pub moving: BTreeSet<String>,
    /// Bytes of what was different after a start.
    pub differs: u64,
    /// The SHA-256 of each of the system's partitions. None if the board proves by itself that they are whole.
    pub partitions: BTreeMap<String, String>,
    /// The board proves by itself that the system is whole (`ro.boot.verifiedbootstate` is green).
    pub is_verified: bool,
}

/// What has to be done to a card so that it is like the clean one.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Goes, with all that is below it.
    pub remove: BTreeSet<Vec<u8>>,
    /// Comes from the clean card, once everything that goes is gone.
    pub restore: BTreeSet<String>,
}

impl Plan {
    /// Whether nothing has to be done.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.remove.is_empty() && self.restore.is_empty()
    }

    /// All that goes of what is there, each thing after what is in it.
    #[must_use]
    pub fn gone<'a>(&self, there: &'a Listing) -> Vec<&'a [u8]> {
        let goes = |name: &&[u8]| self.remove.contains(*name) || folders(name).any(|it| self.remove.contains(it));
        there.keys().rev().map(Vec::as_slice).filter(goes).collect()
    }
}

/// The folder that something is in.
fn above(name: &[u8]) -> &[u8] {
    name.iter().rposition(|byte| *byte == b'/').map_or(&[], |at| &name[..at])
}

/// All folders that something is in, the nearest first.
fn folders(name: &[u8]) -> impl Iterator<Item = &[u8]> {
    std::iter::successors(Some(above(name)), |folder| Some(above(folder))).take_while(|folder| !folder.is_empty())
}

/// Whether something is one of what stays, or below it.
fn is_kept(name: &[u8]) -> bool {
    KEPT.iter().any(|kept| name.strip_prefix(kept.as_bytes()).is_some_and(|rest| matches!(rest, [] | [b'/', ..])))
}

/// Whether something of what stays lies below it.
fn holds_kept(name: &[u8]) -> bool {
    KEPT.iter().any(|kept| kept.as_bytes().strip_prefix(name).is_some_and(|rest| rest.starts_with(b"/")))
}

fn text(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}

impl Profile {
    /// What two looks at a clean card say of it, with a start between them.
    ///
    /// # Errors
    /// Something on it has no name that can be written down, or is mounted there: no wipe after it could be proved.
    pub fn of(fingerprint: String, before: Looked, after: Looked) -> Result<Self, String> {
        if let Some(mounted) = before.mounted.into_iter().chain(after.mounted).next() {
            return Err(mounted);
        }
        let mut profile = Self { fingerprint, ..Self::default() };
        // Sockets and pipes are made by whoever needs them, and are in no archive.
        let plain = before.listing.iter().filter(|(_, entry)| entry.is_file() || entry.is_folder() || entry.is_link());
        for (name, entry) in plain.filter(|(name, _)| !is_kept(name)) {
            let named = String::from_utf8(name.clone()).map_err(|_| format!("{} is no UTF-8", text(name)))?;
            let Entry { mode, uid, gid, size } = *entry;
            let content = before.contents.get(name).cloned();
            profile.things.insert(named, Thing { stat: (mode, uid, gid, size), content });
        }
        for (name, entry) in after.listing.iter().filter(|(name, _)| !is_kept(name)) {
            match profile.things.get(&text(name)) {
                Some(thing) if thing.looks_like(entry) && thing.content.as_ref() == after.contents.get(name) => {}
                Some(_) => {
                    profile.changing.insert(text(name));
                    profile.differs += entry.size;
                }
                None => {
                    profile.moving.insert(text(above(name)));
                    profile.differs += entry.size;
                }
            }
        }
        let gone = profile.things.keys().filter(|name| !after.listing.contains_key(name.as_bytes()));
        profile.moving.extend(gone.map(|name| text(above(name.as_bytes()))));
        Ok(profile)
    }

    /// The files and links whose content has to be read to hold a card against this: those that look like the clean ones.
    pub fn to_read<'a>(&self, found: &'a Listing) -> impl Iterator<Item = (&'a [u8], &'a Entry)> {
        found
            .iter()
            .filter(|(name, entry)| !entry.is_folder() && self.thing(name).is_some_and(|it| it.looks_like(entry)))
            .map(|(name, entry)| (name.as_slice(), entry))
    }

    fn thing(&self, name: &[u8]) -> Option<&Thing> {
        self.things.get(std::str::from_utf8(name).ok()?)
    }

    /// Whether something is as on the clean card.
    fn is_clean(&self, name: &[u8], looked: &Looked) -> bool {
        let Some(entry) = looked.listing.get(name) else { return false };
        self.thing(name).is_some_and(|thing| {
            thing.looks_like(entry) && (entry.is_folder() || thing.content.as_ref() == looked.contents.get(name))
        })
    }

    /// What makes a card like the clean one.
    #[must_use]
    pub fn plan(&self, looked: &Looked) -> Plan {
        let mut plan = Plan::default();
        for (name, entry) in looked.listing.iter().filter(|(name, _)| !is_kept(name)) {
            let stays = match self.thing(name) {
                // A file that differs is put there anew, and not written into: it may have other names.
                Some(thing) => thing.entry().is_as(entry) && (entry.is_folder() || self.is_clean(name, looked)),
                None => holds_kept(name),
            };
            if !stays && !folders(name).any(|folder| plan.remove.contains(folder)) {
                plan.remove.insert(name.clone());
            }
        }
        let restored = self.things.keys().filter(|name| !self.is_clean(name.as_bytes(), looked));
        plan.restore.extend(restored.cloned());
        plan
    }

    /// What is on a card that has restarted since it was made like the clean one, and did not come with the start. What is mounted
    /// there was not looked into, and may hold anything of anybody's.
    #[must_use]
    pub fn strange(&self, looked: &Looked) -> Vec<String> {
        let (mut strange, mut bytes) = (looked.mounted.clone(), 0);
        let moves = |name: &[u8]| {
            // A folder that came with the start may have something in it.
            let new = folders(name).take_while(|folder| self.thing(folder).is_none()).count();
            let folder = folders(name).nth(new).unwrap_or_default();
            std::str::from_utf8(folder).is_ok_and(|folder| self.moving.contains(folder))
        };
        for (name, entry) in looked.listing.iter().filter(|(name, _)| !is_kept(name)) {
            if self.is_clean(name, looked) || (self.thing(name).is_none() && holds_kept(name)) {
                continue;
            }
            bytes += entry.size;
            let changes = std::str::from_utf8(name).is_ok_and(|name| self.changing.contains(name));
            if !(changes || self.thing(name).is_none() && moves(name)) {
                strange.push(text(name));
            }
        }
        let gone = self.things.keys().filter(|name| !looked.listing.contains_key(name.as_bytes()));
        strange.extend(gone.filter(|name| !moves(name.as_bytes())).map(|name| format!("{name} (missing)")));
        let most = self.differs * TIMES + A_LITTLE;
        if strange.is_empty() && bytes > most {
            strange.push(format!("{bytes} bytes differ, and {most} may"));
        }
        strange
    }

    /// As it is sent and kept: this, and an archive (`tar`) of everything on the clean card.
    ///
    /// # Errors
    /// None that a profile has.
    pub fn packed(&self, archive: &[u8]) -> serde_json::Result<Vec<u8>> {
        Ok(wire::profile::packed(&serde_json::to_vec(self)?, archive))
    }
}

/// A profile with its archive.
#[derive(Debug, PartialEq, Eq)]
pub struct CleanCard {
    /// What there is on it.
    pub profile: Profile,
    /// All of it.
    pub archive: Vec<u8>,
}

impl CleanCard {
    /// Reads what [`Profile::packed`] has made; none if it is something else.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        let (json, archive) = wire::profile::unpacked(bytes)?;
        Some(Self { profile: serde_json::from_slice(json).ok()?, archive: archive.to_vec() })
    }
}

/// The clean cards that wipes go by just now, by the hash of their file: hundreds of wipes share one, which is large.
#[derive(Debug, Default)]
pub struct CleanCards(Mutex<HashMap<String, Weak<CleanCard>>>);

impl CleanCards {
    /// The one of this file, if something goes by it.
    #[must_use]
    pub fn get(&self, sha256: &str) -> Option<Arc<CleanCard>> {
        self.0.lock().get(sha256)?.upgrade()
    }

    /// Shares one for as long as something goes by it.
    pub fn share(&self, sha256: &str, card: CleanCard) -> Arc<CleanCard> {
        let mut all = self.0.lock();
        all.retain(|_, card| card.strong_count() > 0);
        let card = Arc::new(card);
        all.insert(sha256.to_owned(), Arc::downgrade(&card));
        card
    }
}

/// What was read of a card: everything below [`ROOT`], and the content of some of it (hashes of files, targets of links).
#[derive(Clone, Debug, Default)]
pub struct Looked {
    /// What there is.
    pub listing: Listing,
    /// What is in it.
    pub contents: BTreeMap<Vec<u8>, String>,
    /// What is mounted there, in words: what lies in it is not in the list.
    pub mounted: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;

    const FOLDER: Entry = Entry { mode: 0o040_755, uid: 0, gid: 0, size: 4096 };

    fn file(size: u64) -> Entry {
        Entry { mode: 0o100_644, uid: 1000, gid: 1000, size }
    }

    /// A card with these files, by path, size and content; their folders come by themselves.
    fn card(files: &[(&str, u64, &str)]) -> Looked {
        let mut looked = Looked::default();
        for (name, size, content) in files {
            let mut folder = above(name.as_bytes());
            while !folder.is_empty() {
                looked.listing.insert(folder.to_vec(), FOLDER);
                folder = above(folder);
            }
            looked.listing.insert(name.as_bytes().to_vec(), file(*size));
            looked.contents.insert(name.as_bytes().to_vec(), (*content).to_owned());
        }
        looked
    }

    fn clean() -> Profile {
        let one = card(&[
            ("system/a", 3, "aaa"),
            ("system/log/1", 5, "first"),
            ("system/b", 3, "bbb"),
            ("misc/adb/keys", 1, "k"),
        ]);
        let two = card(&[
            ("system/a", 3, "aaa"),
            ("system/log/2", 6, "second"),
            ("system/b", 4, "BBBB"),
            ("misc/adb/keys", 1, "k"),
        ]);
        Profile::of("image".into(), one, two).unwrap_or_default()
    }

    #[test]
    fn two_starts_of_a_clean_card_say_what_a_start_changes() {
        let profile = clean();
        assert_eq!(
            profile.things.keys().map(String::as_str).collect::<Vec<_>>(),
            ["misc", "system", "system/a", "system/b", "system/log", "system/log/1"]
        );
        assert_eq!(profile.changing, BTreeSet::from(["system/b".to_owned()]));
        assert_eq!((profile.moving.len(), profile.differs), (1, 10));
        assert!(profile.moving.contains("system/log"));
        let bytes = profile.packed(b"archive").unwrap_or_default();
        let summary = wire::ProfileSummary::read(&bytes).map(|it| (it.fingerprint, it.things, it.is_verified));
        assert_eq!(summary, Some(("image".to_owned(), 6, false)));
        let read = CleanCard { profile, archive: b"archive".to_vec() };
        assert_eq!(CleanCard::read(&bytes).as_ref(), Some(&read));
        assert_eq!(CleanCard::read(b"no profile"), None);

        let all = CleanCards::default();
        let shared = all.share("00ff", read);
        assert!(all.get("00ff").is_some_and(|again| Arc::ptr_eq(&again, &shared)));
        drop(shared);
        assert!(all.get("00ff").is_none(), "nothing goes by it any more");
    }

    #[test]
    fn a_card_is_made_like_the_clean_one() {
        let profile = clean();
        let same = card(&[
            ("system/a", 3, "aaa"),
            ("system/log/1", 5, "first"),
            ("system/b", 3, "bbb"),
            ("misc/adb/keys", 1, "x"),
        ]);
        assert!(profile.plan(&same).is_empty(), "{:?}", profile.plan(&same));
        let used = card(&[
            ("system/a", 3, "AAA"),
            ("system/log/1/x", 5, "a folder where a file was"),
            ("app/com.game/base.apk", 9, "game"),
            ("skyrack/owner", 5, "17.4"),
            ("misc/adb/keys", 9, "other"),
            ("misc/adbx", 1, "like one that stays"),
        ]);
        let plan = profile.plan(&used);
        let gone: Vec<String> = plan.remove.iter().map(|name| text(name)).collect();
        assert_eq!(gone, ["app", "misc/adbx", "system/a", "system/log/1"]);
        let all: Vec<String> = plan.gone(&used.listing).into_iter().map(text).collect();
        assert_eq!(
            all,
            ["system/log/1/x", "system/log/1", "system/a", "misc/adbx", "app/com.game/base.apk", "app/com.game", "app"]
        );
        assert_eq!(
            plan.restore.iter().map(String::as_str).collect::<Vec<_>>(),
            ["system/a", "system/b", "system/log/1"]
        );
    }

    #[test]
    fn rights_and_owners_count_and_names_that_are_no_text_go() {
        let profile = clean();
        let mut looked = card(&[("system/a", 3, "aaa"), ("system/log/1", 5, "first"), ("system/b", 3, "bbb")]);
        looked.listing.insert(b"system/\xff".to_vec(), file(1));
        looked.listing.insert(b"system/a".to_vec(), Entry { mode: 0o104_755, ..file(3) });
        let plan = profile.plan(&looked);
        assert_eq!(plan.remove, BTreeSet::from([b"system/a".to_vec(), b"system/\xff".to_vec()]));
        assert_eq!(plan.restore, BTreeSet::from(["misc".to_owned(), "system/a".to_owned()]));
    }

    #[test]
    fn a_socket_is_on_no_clean_card_and_may_come_with_a_start() {
        let socket = |name: &str, mut looked: Looked| {
            looked.listing.insert(name.as_bytes().to_vec(), Entry { mode: 0o140_660, ..file(0) });
            looked
        };
        let looked = || card(&[("system/a", 3, "aaa")]);
        let profile = Profile::of("image".into(), socket("system/s", looked()), socket("system/s", looked()));
        let profile = profile.unwrap_or_default();
        assert_eq!(profile.things.len(), 2);
        let plan = profile.plan(&socket("system/s", looked()));
        assert_eq!((plan.remove.len(), plan.restore.len()), (1, 0));
        assert!(profile.plan(&looked()).is_empty(), "nothing can be missing that no archive has");
        assert_eq!(profile.strange(&socket("system/s", looked())), Vec::<String>::new());
        assert_eq!(profile.strange(&socket("s", looked())), ["s"]);
    }

    #[test]
    fn after_the_start_only_what_a_start_changes_may_differ() {
        let profile = clean();
        let started =
            [("system/a", 3, "aaa"), ("system/log/3", 6, "third"), ("system/b", 5, "bBbBb"), ("misc/adb/keys", 1, "k")];
        assert_eq!(profile.strange(&card(&started)), Vec::<String>::new());
        let with = |more: &[(&'static str, u64, &'static str)]| card(&[&started, more].concat());
        assert_eq!(profile.strange(&with(&[("system/log/new/deep", 1, "x")])), Vec::<String>::new());
        assert_eq!(profile.strange(&with(&[("system/c", 1, "x")])), ["system/c"]);
        assert_eq!(profile.strange(&with(&[("local/tmp/x", 1, "x")])), ["local", "local/tmp", "local/tmp/x"]);
        assert_eq!(profile.strange(&with(&[("system/log/4", 9 << 20, "big")])).len(), 1, "too much of it");
        let mut changed = card(&started);
        changed.contents.insert(b"system/a".to_vec(), "other".into());
        assert_eq!(profile.strange(&changed), ["system/a"]);
        let mut gone = card(&started);
        gone.listing.remove(b"system/a".as_slice());
        assert_eq!(profile.strange(&gone), ["system/a (missing)"]);
    }
}
