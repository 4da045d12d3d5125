//! A copy of a phone that goes on. It is of no one moment: what has changed while it was read is read once more, as it is by
//! then, and what has changed even then is named. It never allows to wipe a card, and beats none if that is lost.
//!
//! Nobody takes what was read in the middle of a change for what the file is. Whoever changes a file after it was listed gives
//! it a later time of change than the copy has, so that the next copy reads it again. Times are in seconds, and so the copy
//! says of a file that was changed in the second of its listing, or later, that it had a time that no file has.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use adb::Card;
use snapshot::Saved;
use tokio::time::sleep;
use wire::copy::{CopyKeys, CopyMade, CopyOrder, Coverage, MAX_CHANGED, MAX_CHANGED_NAME, Manifest, Paper};
use wire::{Reason, Task};

use super::copied::{Work, forget, forget_tries, manifest, unchanged};
use super::installed::{installed, inventory};
use super::owned::Guard;
use super::running::{Watched, keys, tell};
use super::standing::{Standing, clock, is_android};
use crate::clean::ROOT;
use crate::cover::{self, Kept};
use crate::listing::{self, Timed, TimedListing, Unread};
use crate::mounts::Mounts;
use crate::places::is_of_phone;
use crate::refused::Refused;
use crate::source::{Lost, entries, path_of};
use crate::tools::Tools;

/// After it, what was changed in the second of a listing has another time than what is changed from now on.
const SECOND: Duration = Duration::from_millis(1_100);

/// A time of change that no file has: another one for each listing, so that two of them are never the same.
fn never(clock: i64, pass: u32) -> (i64, u32) {
    (0, u32::try_from(clock.rem_euclid(500_000_000)).unwrap_or_default() * 2 + pass)
}

/// Whether a copy says that it does not know when a file was changed.
pub(super) fn is_never(changed: Option<(i64, u32)>) -> bool {
    changed.is_some_and(|(seconds, _)| seconds == 0)
}

/// Files by their paths in the copy: where each is on the card, and what was known of it.
type Files = BTreeMap<PathBuf, (Vec<u8>, Timed)>;

/// What is on a card just now.
struct Seen {
    listing: TimedListing,
    coverage: Coverage,
    kept: Vec<Kept>,
    entries: Vec<snapshot::Entry>,
    /// The card's clock before it was listed.
    clock: i64,
    /// Files that may have been changed since without a later time of change.
    unsure: BTreeSet<PathBuf>,
    /// The card's clock has gone back: a file may have been written at a moment that was before.
    has_gone_back: bool,
}

impl Seen {
    /// Lists a card for the `pass`-th time.
    async fn of(card: &Card, packages: &BTreeSet<String>, leave_out: &[String], pass: u32) -> Result<Self, Refused> {
        let before = clock(card).await?;
        let (listing, mounts, kept, targets) = listing::again(|| read(card, packages)).await?;
        let after = clock(card).await?;
        is_android(&listing)?;
        let coverage = cover::coverage(&listing, &mounts, packages, leave_out);
        if let Some(why) = cover::in_the_way(&coverage) {
            return Err(Refused(Reason::NotCovered, why));
        }
        let mut entries = entries(&kept, targets)?;
        let mut unsure = BTreeSet::new();
        for (entry, kept) in entries.iter_mut().zip(&kept) {
            if kept.timed.entry.is_file() && kept.timed.changed >= before {
                entry.changed = Some(never(before, pass));
                unsure.insert(entry.path.clone());
            }
        }
        let has_gone_back = listing.iter().any(|(path, timed)| timed.changed > after && is_of_phone(path));
        Ok(Self { listing, coverage, kept, entries, clock: before, unsure, has_gone_back })
    }

    fn files(&self) -> Files {
        let files = self.kept.iter().filter(|kept| kept.timed.entry.is_file());
        files.filter_map(|kept| Some((path_of(&kept.path), (kept.from.clone()?, kept.timed)))).collect()
    }
}

/// What is there, what is mounted, what of it is kept, and where the links among that lead.
type Read = (TimedListing, Mounts, Vec<Kept>, Vec<String>);

async fn read(card: &Card, packages: &BTreeSet<String>) -> Result<Read, Unread> {
    let (listing, mounts) = listing::list_going_on(card, ROOT).await?;
    let kept = cover::kept(&listing, packages);
    let links: Vec<&[u8]> =
        kept.iter().filter(|one| one.timed.entry.is_link()).filter_map(|one| one.from.as_deref()).collect();
    let targets = listing::targets(card, ROOT, &links).await;
    // A link that is gone by now leads nowhere.
    let targets = targets.map_err(|unread| match unread {
        Unread::Because(why) => Unread::Changed(why),
        Unread::Card(_) | Unread::Changed(_) | Unread::TooMany => unread,
    })?;
    Ok((listing, mounts, kept, targets))
}

/// What was read of a phone once.
struct Pass {
    files: Files,
    unsure: BTreeSet<PathBuf>,
    saved: Saved,
    lost: Lost,
    manifest: Manifest,
}

impl Pass {
    /// Whether everything is still what was read.
    fn is_still(&self, seen: &Seen) -> bool {
        self.unsure.is_empty() && self.lost == Lost::default() && self.files == seen.files()
    }

    /// The files that were read and are not what they were when they were listed, or may not be.
    ///
    /// # Errors
    /// One that nobody has changed was not read.
    fn changed(&self, after: &TimedListing) -> Result<BTreeSet<Vec<u8>>, Refused> {
        let is_same = |(from, timed): &(Vec<u8>, Timed)| after.get(from) == Some(timed);
        for path in self.lost.left_out.difference(&self.unsure) {
            if self.files.get(path).is_some_and(is_same) {
                return Err(Refused(Reason::NotReadable, format!("{} could not be read", path.display())));
            }
        }
        let is_unsure = |path: &PathBuf| {
            self.unsure.contains(path) || self.lost.left_out.contains(path) || self.lost.grown.contains(path)
        };
        let changed = self.files.iter().filter(|&(path, file)| is_unsure(path) || !is_same(file));
        Ok(changed.map(|(_, (from, _))| from.clone()).collect())
    }
}

/// A copy that is being made.
struct Job<'a> {
    tools: &'a Tools,
    card: &'a Card,
    task: &'a Task,
    guard: &'a Guard<'a>,
    keys: CopyKeys,
    /// What is installed.
    told: Manifest,
    packages: BTreeSet<String>,
    before: Standing,
}

/// Copies a phone that goes on.
///
/// # Errors
/// Why there is no copy.
pub(super) async fn copied(
    tools: &Tools,
    card: &Card,
    task: &Task,
    guard: &Guard<'_>,
    order: &CopyOrder,
) -> Result<CopyMade, Refused> {
    let keys = keys(tools, task).await?;
    let before = Standing::of(card).await?;
    before.check(guard.mark)?;
    if before.boot_id != guard.boot_id {
        return Err(Refused(Reason::Interrupted, "the card has restarted meanwhile".to_owned()));
    }
    let Some(told) = keys.manifest.clone() else {
        return Err(Refused(Reason::AppsUnknown, "it is not known what was installed".to_owned()));
    };
    if installed(&inventory(card).await?) != installed(&told.packages) {
        let why = "other apps are installed than when their packages were saved".to_owned();
        return Err(Refused(Reason::AppsChanged, why));
    }
    let packages: BTreeSet<String> = told.packages.iter().map(|package| package.name.clone()).collect();
    let job = Job { tools, card, task, guard, keys, told, packages, before };
    let seen = Seen::of(card, &job.packages, &task.leave_out, 0).await?;
    let mut order = order.clone();
    if seen.has_gone_back {
        tracing::warn!("the card's clock has gone back: everything is read");
        order.parent = None;
    }
    let same = unchanged(card, guard, &order, &seen.kept, seen.clock).await?;
    let first = job.pass(order.clone(), seen, same).await?;
    let mut snapshots = vec![first.saved.snapshot.clone()];
    let made = job.finish(&order, first, &mut snapshots).await;
    let kept = made.as_ref().ok().map(|made| made.snapshot.clone());
    for gone in snapshots.into_iter().filter(|one| kept.as_ref() != Some(one)) {
        forget(tools, &order, task, &job.keys, gone).await;
    }
    if let Some(kept) = kept {
        forget_tries(tools, &order, task, &job.keys, &kept).await;
    }
    made
}

impl Job<'_> {
    /// Reads what is on the card, if it is not what the copy before holds.
    async fn pass(&self, order: CopyOrder, seen: Seen, same: HashSet<PathBuf>) -> Result<Pass, Refused> {
        let files = seen.files();
        let Seen { coverage, kept, entries, unsure, .. } = seen;
        let manifest = manifest(self.told.clone(), &order, coverage, entries.len());
        let total: u64 = files.values().map(|(_, timed)| timed.entry.size).sum();
        let listed = kept.len() as u64;
        let work = Work {
            card: self.card.clone(),
            runtime: tokio::runtime::Handle::current(),
            guard: self.guard.reading(),
            stores: Arc::clone(&self.tools.stores),
            order,
            keys: self.keys.clone(),
            kept,
            entries,
            same,
            manifest: serde_json::to_string(&manifest).unwrap_or_default(),
        };
        let run = Watched { files: listed, ..Watched::of(self.tools, self.task, total) };
        let (saved, lost) = run.watch(move |run, tell| work.save(run, tell)).await?;
        Ok(Pass { files, unsure, saved, lost, manifest })
    }

    /// Reads once more what has changed meanwhile, and tells of what has changed even then. Copies that were made are added to
    /// `snapshots`.
    async fn finish(&self, order: &CopyOrder, first: Pass, snapshots: &mut Vec<String>) -> Result<CopyMade, Refused> {
        if !first.unsure.is_empty() {
            sleep(SECOND).await;
        }
        let seen = Seen::of(self.card, &self.packages, &self.task.leave_out, 1).await?;
        let (last, after, mut changed) = if first.is_still(&seen) {
            (first, seen.listing, BTreeSet::new())
        } else {
            let now = seen.files();
            let vanished = first.files.iter().filter(|(path, _)| !now.contains_key(*path));
            let vanished: BTreeSet<Vec<u8>> = vanished.map(|(_, (from, _))| from.clone()).collect();
            let parent = Some(first.saved.snapshot.clone());
            let next = CopyOrder { parent, restored: None, is_new: false, repair: false, ..order.clone() };
            let mut last = self.pass(next, seen, HashSet::new()).await?;
            snapshots.push(last.saved.snapshot.clone());
            last.saved.read += first.saved.read;
            last.saved.added += first.saved.added;
            last.saved.had_parent &= first.saved.had_parent;
            last.saved.packs.extend(first.saved.packs);
            let (after, _) = listing::again(|| listing::list_going_on(self.card, ROOT)).await?;
            (last, after, vanished)
        };
        self.before.still(self.card).await?;
        changed.append(&mut last.changed(&after)?);
        let Pass { saved, manifest, .. } = last;
        let name =
            |path: &Vec<u8>| -> String { String::from_utf8_lossy(path).chars().take(MAX_CHANGED_NAME).collect() };
        let manifest = Manifest {
            changed: changed.iter().take(MAX_CHANGED).map(name).collect(),
            changed_in_all: changed.len() as u64,
            ..manifest
        };
        let Saved { snapshot, tree, files, read, bytes, added, had_parent, packs } = saved;
        tell(self.tools, self.task, Paper { manifest: Some(manifest), packs, ..Paper::default() }).await?;
        Ok(CopyMade { snapshot, tree, files, read, bytes, added, had_parent, still: String::new() })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::PathBuf;

    use wire::copy::Manifest;

    use super::{Lost, Pass, Saved, is_never, never};
    use crate::listing::{Entry, FILE, Timed, TimedListing};

    fn timed(size: u64, changed: i64) -> Timed {
        Timed { entry: Entry { mode: FILE | 0o600, uid: 1, gid: 2, size }, modified: 5, changed, inode: 3 }
    }

    fn pass(lost: Lost, unsure: &[&str]) -> Pass {
        let file = |name: &str| (PathBuf::from(name), (name.as_bytes().to_vec(), timed(4, 9)));
        Pass {
            files: BTreeMap::from(["a", "b", "c"].map(file)),
            unsure: unsure.iter().map(PathBuf::from).collect(),
            saved: Saved::default(),
            lost,
            manifest: Manifest::default(),
        }
    }

    #[test]
    fn what_has_changed_under_a_copy_is_named_and_nothing_else() {
        let as_listed = |names: &[&str]| -> TimedListing {
            names.iter().map(|name| (name.as_bytes().to_vec(), timed(4, 9))).collect()
        };
        let names = |pass: &Pass, after: &TimedListing| -> Vec<String> {
            let changed = pass.changed(after).unwrap_or_default();
            changed.iter().map(|path| String::from_utf8_lossy(path).into_owned()).collect()
        };
        let all = as_listed(&["a", "b", "c", "made meanwhile"]);
        assert!(names(&pass(Lost::default(), &[]), &all).is_empty());
        assert_eq!(names(&pass(Lost::default(), &["b"]), &all), ["b"], "nobody knows");
        let grown = Lost { grown: BTreeSet::from(["c".into()]), ..Lost::default() };
        assert_eq!(names(&pass(grown, &[]), &all), ["c"]);
        // One is gone, another one was changed in its size, or in its time alone.
        assert_eq!(names(&pass(Lost::default(), &[]), &as_listed(&["a", "b"])), ["c"]);
        for other in [timed(5, 9), timed(4, 10), Timed { inode: 4, ..timed(4, 9) }] {
            let mut after = as_listed(&["a", "b", "c"]);
            after.insert(b"a".to_vec(), other);
            assert_eq!(names(&pass(Lost::default(), &[]), &after), ["a"]);
        }
    }

    #[test]
    fn what_was_left_out_though_nobody_has_changed_it_makes_no_copy() {
        let lost = || Lost { left_out: BTreeSet::from(["a".into()]), ..Lost::default() };
        let after: TimedListing = ["a", "b", "c"].map(|name| (name.as_bytes().to_vec(), timed(4, 9))).into();
        assert!(pass(lost(), &[]).changed(&after).is_err());
        assert!(pass(lost(), &["a"]).changed(&after).is_ok_and(|changed| changed.contains(&b"a"[..])));
        let mut gone = after;
        gone.remove(&b"a"[..]);
        assert!(pass(lost(), &[]).changed(&gone).is_ok_and(|changed| changed.contains(&b"a"[..])));
    }

    #[test]
    fn a_time_that_no_file_has_is_never_the_same_twice() {
        let clock = 1_795_000_000;
        let all = [never(clock, 0), never(clock, 1), never(clock + 1, 0), never(-1, 1)];
        for (at, one) in all.iter().enumerate() {
            assert!(is_never(Some(*one)) && one.1 < 1_000_000_000);
            assert!(!all[..at].contains(one));
        }
        assert!(!is_never(Some((clock, 0))) && !is_never(None));
    }
}
