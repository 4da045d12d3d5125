//! Copies of phones: the phone is stopped, copied, started again, and the copy is read back. Nothing that a copy has sent
//! counts, until the console has its result.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adb::{Card, Command, Error};
use snapshot::{RecoveryCode, Run, Save, Saved};
use store::{Kind, Urgency};
use wire::copy::{
    CopyKeys, CopyMade, CopyOrder, Coverage, Manifest, PackageAt, Paper, RepoAt, SEALED_KEY, VerifyOrder,
};
use wire::{Outcome, Reason, StoreAim, StoreNode, Task};

use super::cleared::has_stopped;
use super::copy_look::covered;
use super::installed::{installed, inventory};
use super::owned::{Guard, stranger, up};
use super::running::{Failed, Watched, found, keys, locked, locked_to_read, open, place, tell, told, within};
use super::standing::{Standing, clock, is_android};
use super::still::stands_for;
use super::{Done, going_on, owned};
use crate::baseline;
use crate::clean::ROOT;
use crate::cover::{self, Kept};
use crate::listing::{self, TimedListing};
use crate::places::is_of_phone;
use crate::refused::Refused;
use crate::source::{CardSource, Lost, Shelf, entries, path_of};
use crate::stores;
use crate::tools::Tools;

/// Stops the framework of a phone that is to be copied, unless its copy could not be made anyway.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn stop(
    tools: &Tools,
    card: &Card,
    task: &Task,
    guard: &Guard<'_>,
    node: &StoreNode,
    packed: &str,
) -> Result<Done, Error> {
    let before = match Standing::of(card).await {
        Ok(before) => before,
        Err(why) => return Ok(told(why)),
    };
    if let Err(why) = before.check(guard.mark) {
        return Ok(told(why));
    }
    // Repeated: all of this was seen before it was stopped.
    if !before.is_stopped {
        if let Err(why) = is_there(tools, node).await {
            return Ok(told(why));
        }
        if let Err(why) = is_covered(card, task, guard).await {
            return Ok(told(why));
        }
        match inventory(card).await {
            Ok(packages) if installed(&packages) == packed => {}
            Ok(_) => {
                let why = "other apps are installed than when their packages were saved".to_owned();
                return Ok(told(Refused(Reason::AppsChanged, why)));
            }
            Err(why) => return Ok(told(why)),
        }
    }
    let halted = halt(tools, card, guard).await?;
    Ok(match halted.outcome {
        Outcome::Succeeded => Done { output: guard.boot_id.to_owned(), ..halted },
        Outcome::Failed { .. } | Outcome::Cancelled => halted,
    })
}

/// Whether a storage node is there, and the node that it should be.
///
/// # Errors
/// Why not.
pub(super) async fn is_there(tools: &Tools, node: &StoreNode) -> Result<(), Refused> {
    let seen = Arc::clone(&tools.stores).look(node.clone(), StoreAim::Look).await;
    let Some(trouble) = seen.trouble else { return Ok(()) };
    Err(Refused(Reason::from_code(trouble.code.code()).unwrap_or(Reason::StoreUnreachable), trouble.reason))
}

/// Whether a copy of a phone that goes on would hold everything. All of the card is listed for it.
///
/// # Errors
/// Why not.
pub(super) async fn is_covered(card: &Card, task: &Task, guard: &Guard<'_>) -> Result<(), Refused> {
    match covered(card, guard.mark, &task.leave_out).await {
        Ok(coverage) => cover::in_the_way(&coverage).map_or(Ok(()), |why| Err(Refused(Reason::NotCovered, why))),
        // What goes on writing says nothing of what can be read once it is stopped.
        Err(Refused(Reason::NotReadable, _)) => Ok(()),
        Err(why) => Err(why),
    }
}

/// Stops the framework, and writes out what it has written: what is on the card stays as it is.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn halt(tools: &Tools, card: &Card, guard: &Guard<'_>) -> Result<Done, Error> {
    let stopped = guard.change(tools, card, &format!("{}stop", owned::proof(guard.mark))).await?;
    if stopped.outcome != Outcome::Succeeded {
        return Ok(stopped);
    }
    has_stopped(card).await?;
    guard.change(tools, card, &format!("{}sync", owned::proof(guard.mark))).await
}

/// Starts the framework, and waits until Android is up; the card still has to be the phone's then. The caller's deadline
/// ends the wait. Where a start of the card is told, it still has to be that one.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn start(tools: &Tools, card: &Card, guard: &Guard<'_>, copied: Option<&str>) -> Result<Done, Error> {
    if copied.is_some_and(|copied| copied != guard.boot_id) {
        let why = "the card has restarted since the phone was copied: its apps have run";
        return Ok(told(Refused(Reason::AppsRan, why.to_owned())));
    }
    let started = guard.change(tools, card, &format!("{}start", owned::proof(guard.mark))).await?;
    if started.outcome != Outcome::Succeeded {
        return Ok(started);
    }
    let carried = up(card).await?;
    Ok(Done::so(stranger(&carried, guard.mark).unwrap_or(Outcome::Succeeded)))
}

/// Copies a phone whose framework is stopped, or one that goes on.
pub async fn copy(tools: &Tools, card: &Card, task: &Task, guard: &Guard<'_>, order: &CopyOrder) -> Done {
    let made = if order.live {
        Box::pin(going_on::copied(tools, card, task, guard, order)).await
    } else {
        copied(tools, card, task, guard, order).await
    };
    match made {
        Ok(made) => Done { output: serde_json::to_string(&made).unwrap_or_default(), ..Done::so(Outcome::Succeeded) },
        Err(why) => told(why),
    }
}

async fn copied(
    tools: &Tools,
    card: &Card,
    task: &Task,
    guard: &Guard<'_>,
    order: &CopyOrder,
) -> Result<CopyMade, Refused> {
    let keys = keys(tools, task).await?;
    let before = Standing::of(card).await?;
    before.check(guard.mark)?;
    if before.boot_id != order.boot_id || !before.is_stopped {
        return Err(Refused(Reason::Interrupted, "the card has restarted since the phone was stopped".to_owned()));
    }
    let Some(told) = keys.manifest.clone() else {
        return Err(Refused(Reason::AppsUnknown, "it is not known what was installed".to_owned()));
    };
    let packages: BTreeSet<String> = told.packages.iter().map(|package| package.name.clone()).collect();
    let (listing, mounts) = listing::list_timed(card, ROOT).await?;
    is_android(&listing)?;
    let coverage = cover::coverage(&listing, &mounts, &packages, &task.leave_out);
    if let Some(why) = cover::in_the_way(&coverage) {
        return Err(Refused(Reason::NotCovered, why));
    }
    let kept = cover::kept(&listing, &packages);
    let links: Vec<&[u8]> =
        kept.iter().filter(|one| one.timed.entry.is_link()).filter_map(|one| one.from.as_deref()).collect();
    let entries = entries(&kept, listing::targets(card, ROOT, &links).await?)?;
    let clock = clock(card).await?;
    let mut order = order.clone();
    // A file may have been written at a moment that was before.
    if listing.iter().any(|(path, timed)| timed.changed > clock && is_of_phone(path)) {
        tracing::warn!("the card's clock has gone back: everything is read");
        order.parent = None;
    }
    let same = unchanged(card, guard, &order, &kept, clock).await?;
    let manifest = manifest(told, &order, coverage, entries.len());
    let total: u64 = kept.iter().filter(|one| one.timed.entry.is_file()).map(|one| one.timed.entry.size).sum();
    let gone_on = Watched { files: kept.len() as u64, ..Watched::of(tools, task, total) };
    let work = Work {
        card: card.clone(),
        runtime: tokio::runtime::Handle::current(),
        guard: guard.reading(),
        stores: Arc::clone(&tools.stores),
        order: order.clone(),
        keys: keys.clone(),
        kept,
        entries,
        same,
        manifest: serde_json::to_string(&manifest).unwrap_or_default(),
    };
    let (saved, _) = gone_on.watch(move |run, tell| work.save(run, tell)).await?;
    // The card is what it was, and nothing on it has changed while it was read: then this is the phone at one moment.
    if let Err(why) = is_as_before(card, &before, &listing).await {
        forget(tools, &order, task, &keys, saved.snapshot).await;
        return Err(why);
    }
    let still = stands_for(&listing);
    let Saved { snapshot, tree, files, read, bytes, added, had_parent, packs } = saved;
    if let Err(why) = tell(tools, task, Paper { manifest: Some(manifest), packs, ..Paper::default() }).await {
        forget(tools, &order, task, &keys, snapshot).await;
        return Err(why);
    }
    forget_tries(tools, &order, task, &keys, &snapshot).await;
    Ok(CopyMade { snapshot, tree, files, read, bytes, added, had_parent, still })
}

/// What a copy says of itself: what was `told` before, and what of it is on the card.
pub(super) fn manifest(told: Manifest, order: &CopyOrder, coverage: Coverage, entries: usize) -> Manifest {
    let mut manifest = Manifest {
        version: 1,
        phone: order.phone.clone(),
        board: order.board.clone(),
        at: order.at,
        entries: entries as u64,
        shared: coverage.shared,
        code: coverage.packages,
        settings: coverage.settings,
        dropped: coverage.dropped,
        is_live: order.live,
        ..told
    };
    for package in &mut manifest.packages {
        let found = coverage.apps.iter().find(|app| app.package == package.name);
        package.amount = found.map(|app| app.amount).unwrap_or_default();
    }
    manifest
}

/// Files that are as they were when a copy had come on the card: nobody reads them again.
pub(super) async fn unchanged(
    card: &Card,
    guard: &Guard<'_>,
    order: &CopyOrder,
    kept: &[Kept],
    clock: i64,
) -> Result<HashSet<PathBuf>, Refused> {
    let (Some(restored), Some(_)) = (&order.restored, &order.parent) else { return Ok(HashSet::new()) };
    let place = baseline::PLACE;
    let text = listing::large(card, &Command::script(&format!("[ ! -e {place} ] || cat {place}"))).await?;
    let before = baseline::read(&text, guard.mark, restored, clock);
    let is_same = |kept: &&Kept| kept.from.as_ref().and_then(|from| before.get(from)) == Some(&kept.timed);
    Ok(kept.iter().filter(is_same).map(|kept| path_of(&kept.path)).collect())
}

/// Whether a card, and all of the phone itself, is as it was. Android's own books may go on changing: no copy has them.
async fn is_as_before(card: &Card, before: &Standing, listing: &TimedListing) -> Result<(), Refused> {
    before.still(card).await?;
    match listing::differs(card, ROOT, listing, is_of_phone).await? {
        Some(path) => Err(Refused(Reason::DataChanged, format!("{path} changed while the phone was copied"))),
        None => Ok(()),
    }
}

/// A copy that is no copy goes. What it has sent stays for the next one.
pub(super) async fn forget(tools: &Tools, order: &CopyOrder, task: &Task, keys: &CopyKeys, snapshot: String) {
    // The keys that it was made with: they are given to nobody twice whose try is not asked for any more.
    let (stores, repo, keys) = (Arc::clone(&tools.stores), order.repo.clone(), keys.clone());
    let gone = Watched::of(tools, task, 0);
    let forgotten =
        gone.watch(move |run, _| open(&stores, &repo, &keys, run)?.forget(&[snapshot], run).map_err(Failed::from));
    if let Err(Refused(_, why)) = forgotten.await {
        tracing::warn!(why, "a copy that does not count was not removed");
    }
}

/// Earlier tries of a copy go that was made: an agent that was killed between its last write and its result has left one
/// that the console does not know.
pub(super) async fn forget_tries(tools: &Tools, order: &CopyOrder, task: &Task, keys: &CopyKeys, made: &str) {
    if !order.repair || !order.alone {
        return;
    }
    let (stores, repo, keys) = (Arc::clone(&tools.stores), order.repo.clone(), keys.clone());
    let (at, made) = (order.at, made.to_owned());
    let gone = Watched::of(tools, task, 0);
    let forgotten =
        gone.watch(move |run, _| open(&stores, &repo, &keys, run)?.forget_tries(at, &made, run).map_err(Failed::from));
    if let Err(Refused(_, why)) = forgotten.await {
        tracing::warn!(why, "earlier tries of a copy were not removed");
    }
}

/// Reads a copy back, and with all of it the packages that it needs; of one that was made just now these have to be there.
pub async fn verify(tools: &Tools, task: &Task, order: &VerifyOrder) -> Done {
    verified(tools, task, order).await.map_or_else(told, |()| Done::so(Outcome::Succeeded))
}

async fn verified(tools: &Tools, task: &Task, order: &VerifyOrder) -> Result<(), Refused> {
    let keys = keys(tools, task).await?;
    let (stores, VerifyOrder { repo, snapshot, whole, bytes }) = (Arc::clone(&tools.stores), order.clone());
    let gone_on = Watched::of(tools, task, bytes);
    let damaged = gone_on.watch(move |run, _| {
        let opened = open(&stores, &repo, &keys, run)?;
        let _lock = locked_to_read(&opened, run)?;
        let read = if whole {
            opened.verify_whole(&snapshot, run)
        } else {
            opened.verify(&Saved { snapshot, packs: keys.packs.clone(), ..Saved::default() }, run)
        };
        let mut damaged = Vec::new();
        let why = damage(read)?;
        if why.is_none() && whole {
            for package in &keys.packages {
                let at = RepoAt { node: repo.node.clone(), folder: package.folder.clone() };
                let (opened, _) = place(&stores, &at, &package.key, run, Urgency::Background)?;
                if damage_of_package(opened.verify_whole(&package.snapshot, &run.part()))?.is_some() {
                    damaged.push(package.clone());
                }
            }
        } else if why.is_none() {
            damaged = absent(&stores, &repo.node, &keys.packages, run)?;
        }
        if why.is_some() || !damaged.is_empty() {
            // A disk that was taken out meanwhile has damaged nothing.
            open(&stores, &repo, &keys, run)?;
        }
        match why {
            Some(why) => Err(Failed::At(Refused(Reason::CopyDamaged, why))),
            None => Ok(damaged),
        }
    });
    let damaged = damaged.await?;
    let Some(first) = damaged.first() else { return Ok(()) };
    let why = format!("{} and {} more", first.name, damaged.len() - 1);
    let hashes = damaged.iter().map(|package| package.sha256.clone()).collect();
    tell(tools, task, Paper { damaged: hashes, ..Paper::default() }).await?;
    Err(Refused(if whole { Reason::PackageDamaged } else { Reason::PackagesMissing }, why))
}

/// What a reading has found to be damaged; none if all is whole.
///
/// # Errors
/// It could not be read.
fn damage(read: Result<(), snapshot::Error>) -> Result<Option<String>, Failed> {
    match read {
        Ok(()) => Ok(None),
        Err(snapshot::Error::Damaged(why)) => Ok(Some(why)),
        Err(snapshot::Error::Store(gone)) if matches!(gone.kind, Kind::Missing | Kind::Broken) => {
            Ok(Some(gone.to_string()))
        }
        Err(other) => Err(other.into()),
    }
}

/// The same of a package's file. Its repository holds nothing else: if that does not open, the file is damaged.
///
/// # Errors
/// It could not be read.
pub(super) fn damage_of_package(read: Result<(), snapshot::Error>) -> Result<Option<String>, Failed> {
    match read {
        Err(error @ (snapshot::Error::Key | snapshot::Error::Other(_))) => Ok(Some(error.to_string())),
        read => damage(read),
    }
}

/// Those of these files of packages that do not lie at a node as they were saved: they are gone, or cut off. What they hold is not
/// read.
///
/// # Errors
/// The node is not there, or is another one, or does not answer.
pub(super) fn absent(
    stores: &stores::Stores,
    node: &StoreNode,
    files: &[PackageAt],
    run: &Run,
) -> Result<Vec<PackageAt>, Failed> {
    let mut absent = Vec::new();
    if files.is_empty() {
        return Ok(absent);
    }
    let at = found(stores, node, run, Urgency::Background)?;
    for file in files {
        let (repo, _) = within(Arc::clone(&at), &file.folder, &file.key)?;
        if damage_of_package(repo.look(&file.snapshot, &run.part()))?.is_some() {
            absent.push(file.clone());
        }
    }
    if !absent.is_empty() {
        // A disk that was taken out meanwhile has lost nothing.
        found(stores, node, run, Urgency::Background)?;
    }
    Ok(absent)
}

/// What the thread of a copy needs.
pub(super) struct Work {
    pub card: Card,
    pub runtime: tokio::runtime::Handle,
    pub guard: String,
    pub stores: Arc<stores::Stores>,
    pub order: CopyOrder,
    pub keys: CopyKeys,
    pub kept: Vec<Kept>,
    pub entries: Vec<snapshot::Entry>,
    /// Files that are as they were when a copy had come on the card.
    pub same: HashSet<PathBuf>,
    pub manifest: String,
}

impl Work {
    /// Makes the copy; and what its files were not any more, if the phone goes on.
    pub(super) fn save(self, run: &Run, tell: &dyn Fn(Arc<CardSource>)) -> Result<(Saved, Lost), Failed> {
        let Self { card, runtime, guard, stores, order, keys, kept, mut entries, same, manifest } = self;
        let (repo, folder) = place(&stores, &order.repo, &keys.key, run, Urgency::Background)?;
        // Where the books say that there is one, nobody makes another.
        if order.is_new {
            repo.init(&RecoveryCode::from_text(keys.recovery.clone()), run)?;
            folder.write(SEALED_KEY, &[keys.sealed.clone().into()]).map_err(snapshot::Error::from)?;
        }
        let _lock = locked(&repo, run)?;
        if order.repair {
            repo.repair(run)?;
        }
        let before = match &order.parent {
            Some(parent) => match repo.entries(parent, run) {
                // It is told as one that was not there.
                Err(snapshot::Error::Damaged(_)) => Vec::new(),
                found => found?,
            },
            None => Vec::new(),
        };
        // The engine compares the time of change, which a file has had from its restoring on.
        let is_known = |it: &&snapshot::Entry| same.contains(&it.path) && !going_on::is_never(it.changed);
        let known: HashMap<&Path, &snapshot::Entry> =
            before.iter().filter(is_known).map(|it| (it.path.as_path(), it)).collect();
        for entry in &mut entries {
            if let Some(before) = known.get(entry.path.as_path()) {
                entry.changed = before.changed;
            }
        }
        let source = CardSource::new(card, runtime, guard, &kept, entries, &before);
        let source = Arc::new(if order.live { source.going_on() } else { source });
        drop((kept, before));
        tell(Arc::clone(&source));
        let save = Save { parent: order.parent, at: order.at, phone: order.phone, manifest };
        let saved = repo.save(Arc::new(Shelf(Arc::clone(&source))), &save, run);
        let saved = saved.map_err(|error| match source.trouble() {
            Some(why) if matches!(error, snapshot::Error::Source(_)) => Failed::At(why),
            _ => error.into(),
        })?;
        Ok((saved, source.lost()))
    }
}
