//! Copies of phones: the phone is stopped, copied, started again, and the copy is read back.
//!
//! A copy is made by a thread of its own, since its engine blocks; this side watches it. A copy that comes no further, or
//! whose console is silent, is stopped: nothing that it has sent counts, until the console has its result.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use adb::{Card, Command, Error};
use snapshot::{Key, RecoveryCode, Repo, Run, Save, Saved};
use store::{Kind, Store, Within};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::sleep;
use wire::copy::{CopyKeys, CopyMade, CopyOrder, Manifest, PackageData, Paper, RepoAt, SEALED_KEY, VerifyOrder};
use wire::{Outcome, Reason, StoreAim, StoreNode, Task};

use super::cleared::has_stopped;
use super::copy_look::covered;
use super::owned::{Guard, refused, stranger, up};
use super::standing::{Standing, is_android};
use super::{Done, owned};
use crate::clean::ROOT;
use crate::cover::{self, Kept};
use crate::listing::{self, TimedListing};
use crate::refused::Refused;
use crate::source::{CardSource, Shelf, entries};
use crate::stores;
use crate::work::Tools;

/// Interval between looks at how far a copy is.
const LOOK: Duration = Duration::from_secs(1);
/// A run that was stopped has so long to end, until nobody waits for it any more.
const ENDS: Duration = Duration::from_secs(20);
/// The memory of a run in MiB: for itself, and for the index of each GiB that is copied. See BACKUP-SPIKE of the design.
const MEMORY: u64 = 18;
const MEMORY_PER_GB: u64 = 6;

/// How much may be copied at once on this machine.
#[derive(Debug)]
pub struct Room {
    /// Runs: each keeps a processor busy.
    runs: Semaphore,
    /// MiB of memory that they may take together.
    memory: Semaphore,
    most: u32,
}

impl Default for Room {
    fn default() -> Self {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let most = u32::try_from((memory_mib() / 4).max(64)).unwrap_or(u32::MAX >> 4);
        Self { runs: Semaphore::new(cpus.clamp(1, 8)), memory: Semaphore::new(most as usize), most }
    }
}

/// The memory of this machine in MiB; a little if it does not say.
fn memory_mib() -> u64 {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let kib =
        text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB")?.parse::<u64>().ok());
    kib.unwrap_or(1 << 20) >> 10
}

/// Stops the framework of a phone that is to be copied, unless its copy could not be made anyway.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn stop(tools: &Tools, card: &Card, task: &Task, guard: &Guard<'_>, node: &StoreNode) -> Result<Done, Error> {
    let before = match Standing::of(card).await {
        Ok(before) => before,
        Err(why) => return Ok(told(why)),
    };
    if let Err(why) = before.check(guard.mark) {
        return Ok(told(why));
    }
    // Repeated: what is installed was told before it was stopped.
    if !before.is_stopped {
        let seen = Arc::clone(&tools.stores).look(node.clone(), StoreAim::Look).await;
        if let Some(trouble) = seen.trouble {
            return Ok(Done::so(refused(trouble.code, trouble.reason)));
        }
        match covered(card, guard.mark).await {
            Ok(coverage) if !coverage.is_covered => {
                let path = coverage.uncovered.first().map(|one| one.path.clone()).unwrap_or_default();
                return Ok(told(Refused(Reason::NotCovered, format!("{ROOT}/{path}"))));
            }
            // What goes on writing says nothing of what can be read once it is stopped.
            Ok(_) | Err(Refused(Reason::NotReadable, _)) => {}
            Err(why) => return Ok(told(why)),
        }
        let packages = match inventory(card).await {
            Ok(packages) => packages,
            Err(why) => return Ok(told(why)),
        };
        let manifest = Manifest { version: 1, image: before.fingerprint, packages, ..Manifest::default() };
        if let Err(error) = tools.files.put_paper(task.key, &Paper { manifest, packs: Vec::new() }).await {
            return Ok(Done::so(refused(Reason::UploadFailed, format!("{error:#}"))));
        }
    }
    let stopped = guard.change(tools, card, &format!("{}stop", owned::proof(guard.mark))).await?;
    if stopped.outcome != Outcome::Succeeded {
        return Ok(stopped);
    }
    has_stopped(card).await?;
    let synced = guard.change(tools, card, &format!("{}sync", owned::proof(guard.mark))).await?;
    Ok(match synced.outcome {
        Outcome::Succeeded => Done { output: guard.boot_id.to_owned(), ..synced },
        Outcome::Failed { .. } | Outcome::Cancelled => synced,
    })
}

/// Starts the framework, and waits until Android is up; the card still has to be the phone's then. The caller's deadline
/// ends the wait.
///
/// # Errors
/// The card does not answer, or refuses.
pub async fn start(tools: &Tools, card: &Card, guard: &Guard<'_>) -> Result<Done, Error> {
    let started = guard.change(tools, card, &format!("{}start", owned::proof(guard.mark))).await?;
    if started.outcome != Outcome::Succeeded {
        return Ok(started);
    }
    let carried = up(card).await?;
    Ok(Done::so(stranger(&carried, guard.mark).unwrap_or(Outcome::Succeeded)))
}

/// What is installed for the owner, Android's own included.
async fn inventory(card: &Card) -> Result<Vec<PackageData>, Refused> {
    // Older ones know less to tell.
    let script = "pm list packages -f -U --show-versioncode --user 0 2>/dev/null || pm list packages -f --user 0";
    let said = listing::whole(card, &Command::script(script)).await?;
    Ok(String::from_utf8_lossy(&said).lines().filter_map(package).collect())
}

/// `package:PATH=NAME versionCode:12 uid:10061`, of which the numbers may be missing.
fn package(line: &str) -> Option<PackageData> {
    let mut words = line.trim().strip_prefix("package:")?.split(' ');
    let (path, name) = words.next()?.rsplit_once('=')?;
    let (mut version_code, mut uid) = (0, 0);
    for word in words {
        match word.split_once(':') {
            Some(("versionCode", code)) => version_code = code.parse().unwrap_or(0),
            Some(("uid", number)) => uid = number.parse().unwrap_or(0),
            Some(_) | None => {}
        }
    }
    let is_own = path.starts_with(ROOT);
    Some(PackageData { name: name.to_owned(), version_code, uid, is_own, ..PackageData::default() })
}

fn told(Refused(code, why): Refused) -> Done {
    Done::so(refused(code, why))
}

/// Copies a phone whose framework is stopped.
pub async fn copy(tools: &Tools, card: &Card, task: &Task, guard: &Guard<'_>, order: &CopyOrder) -> Done {
    match copied(tools, card, task, guard, order).await {
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
    let keys = tools.files.keys(task.key).await.map_err(|error| Refused(Reason::UploadFailed, format!("{error:#}")))?;
    let before = Standing::of(card).await?;
    before.check(guard.mark)?;
    if before.boot_id != order.boot_id || !before.is_stopped {
        return Err(Refused(Reason::Interrupted, "the card has restarted since the phone was stopped".to_owned()));
    }
    let Some(told) = keys.manifest.clone() else {
        return Err(Refused(Reason::NotReadable, "it is not known what was installed".to_owned()));
    };
    let packages: BTreeSet<String> = told.packages.iter().map(|package| package.name.clone()).collect();
    let listing = listing::list_timed(card, ROOT).await?;
    is_android(&listing)?;
    let coverage = cover::coverage(&listing, &packages);
    if !coverage.is_covered {
        let path = coverage.uncovered.first().map(|one| one.path.as_str()).unwrap_or_default();
        return Err(Refused(Reason::NotCovered, format!("{ROOT}/{path}")));
    }
    let kept = cover::kept(&listing, &packages);
    let links: Vec<&[u8]> =
        kept.iter().filter(|one| one.timed.entry.is_link()).filter_map(|one| one.from.as_deref()).collect();
    let entries = entries(&kept, listing::targets(card, ROOT, &links).await?)?;
    let mut manifest = Manifest {
        version: 1,
        phone: order.phone.clone(),
        board: order.board.clone(),
        at: order.at,
        entries: entries.len() as u64,
        shared: coverage.shared,
        code: coverage.packages,
        settings: coverage.settings,
        dropped: coverage.dropped,
        ..told
    };
    for package in &mut manifest.packages {
        let found = coverage.apps.iter().find(|app| app.package == package.name);
        package.amount = found.map(|app| app.amount).unwrap_or_default();
    }
    let total: u64 = kept.iter().filter(|one| one.timed.entry.is_file()).map(|one| one.timed.entry.size).sum();
    let gone_on = Watched { tools, task, total };
    let work = Work {
        card: card.clone(),
        runtime: tokio::runtime::Handle::current(),
        guard: guard.reading(),
        stores: Arc::clone(&tools.stores),
        order: order.clone(),
        keys,
        kept,
        entries,
        manifest: serde_json::to_string(&manifest).unwrap_or_default(),
    };
    let saved = gone_on.watch(move |run, tell| work.save(run, tell)).await?;
    // The card is what it was, and nothing on it has changed while it was read: then this is the phone at one moment.
    let again = match before.still(card).await {
        Ok(()) => listing::list_timed(card, ROOT).await.map_err(Refused::from),
        Err(why) => Err(why),
    };
    let changed = again.and_then(|again| match difference(&listing, &again) {
        Some(path) => Err(Refused(Reason::NotReadable, format!("{path} changed while the phone was copied"))),
        None => Ok(()),
    });
    if let Err(why) = changed {
        forget(tools, order, task, saved.snapshot).await;
        return Err(why);
    }
    let Saved { snapshot, tree, files, read, bytes, added, had_parent, packs } = saved;
    let sent = tools.files.put_paper(task.key, &Paper { manifest, packs }).await;
    sent.map_err(|error| Refused(Reason::UploadFailed, format!("{error:#}")))?;
    Ok(CopyMade { snapshot, tree, files, read, bytes, added, had_parent })
}

/// What of the phone itself is not as it was. Android's own books may go on changing: no copy has them.
fn difference(before: &TimedListing, after: &TimedListing) -> Option<String> {
    let differs = |path: &Vec<u8>| before.get(path) != after.get(path);
    let path = before.keys().chain(after.keys()).find(|path| differs(path) && cover::is_of_phone(path))?;
    Some(String::from_utf8_lossy(path).into_owned())
}

/// A copy that is no copy goes. What it has sent stays for the next one.
async fn forget(tools: &Tools, order: &CopyOrder, task: &Task, snapshot: String) {
    let Ok(keys) = tools.files.keys(task.key).await else { return };
    let (stores, repo) = (Arc::clone(&tools.stores), order.repo.clone());
    let gone = Watched { tools, task, total: 0 };
    let forgotten =
        gone.watch(move |run, _| open(&stores, &repo, &keys)?.forget(&[snapshot], run).map_err(Failed::from));
    if let Err(Refused(_, why)) = forgotten.await {
        tracing::warn!(why, "a copy that does not count was not removed");
    }
}

/// Reads a copy back.
pub async fn verify(tools: &Tools, task: &Task, order: &VerifyOrder) -> Done {
    let read = async {
        let keys = tools.files.keys(task.key).await;
        let keys = keys.map_err(|error| Refused(Reason::UploadFailed, format!("{error:#}")))?;
        let (stores, VerifyOrder { repo, snapshot, whole, bytes }) = (Arc::clone(&tools.stores), order.clone());
        let gone_on = Watched { tools, task, total: bytes };
        let verified = gone_on.watch(move |run, _| {
            let opened = open(&stores, &repo, &keys)?;
            let read = if whole {
                opened.verify_whole(&snapshot, run)
            } else {
                opened.verify(&Saved { snapshot, packs: keys.packs.clone(), ..Saved::default() }, run)
            };
            let why = match read {
                Ok(()) => return Ok(()),
                Err(snapshot::Error::Damaged(why)) => why,
                Err(snapshot::Error::Store(gone)) if matches!(gone.kind, Kind::Missing | Kind::Broken) => {
                    gone.to_string()
                }
                Err(other) => return Err(other.into()),
            };
            // A disk that was taken out meanwhile has damaged nothing.
            open(&stores, &repo, &keys)?;
            Err(Failed::At(Refused(Reason::CopyDamaged, why)))
        });
        verified.await
    };
    read.await.map_or_else(told, |()| Done::so(Outcome::Succeeded))
}

/// Why a run has ended.
#[derive(Debug)]
enum Failed {
    At(Refused),
    Engine(snapshot::Error),
}

impl From<snapshot::Error> for Failed {
    fn from(error: snapshot::Error) -> Self {
        Self::Engine(error)
    }
}

impl From<Failed> for Refused {
    fn from(failed: Failed) -> Self {
        use snapshot::Error as E;
        match failed {
            Failed::At(refused) => refused,
            Failed::Engine(E::Store(trouble)) => {
                let told = stores::told(None, trouble);
                Self(Reason::from_code(told.code.code()).unwrap_or(Reason::StoreUnreachable), told.reason)
            }
            Failed::Engine(E::Source(why) | E::Sink(why)) => Self(Reason::NotReadable, why),
            Failed::Engine(E::Stopped) => Self(Reason::Interrupted, "it was stopped".to_owned()),
            Failed::Engine(error @ (E::Damaged(_) | E::Key | E::Other(_))) => {
                Self(Reason::RepoDamaged, error.to_string())
            }
        }
    }
}

/// The repository, once its node has proved to be the node.
fn open(stores: &stores::Stores, at: &RepoAt, keys: &CopyKeys) -> Result<Repo, Failed> {
    let (repo, _) = place(stores, at, keys)?;
    Ok(repo)
}

fn place(stores: &stores::Stores, at: &RepoAt, keys: &CopyKeys) -> Result<(Repo, Arc<dyn Store>), Failed> {
    let found = stores.find(&at.node).map_err(|trouble| {
        let code = Reason::from_code(trouble.code.code()).unwrap_or(Reason::StoreUnreachable);
        Failed::At(Refused(code, trouble.reason))
    })?;
    let Some(key) = Key::parse(&keys.key) else {
        return Err(Failed::At(Refused(Reason::BadArgument, "the console sent no key".to_owned())));
    };
    let folder: Arc<dyn Store> = Arc::new(Within::new(found, at.folder.clone()));
    Ok((Repo::new(Arc::clone(&folder), key, None), folder))
}

/// What the thread of a copy needs.
struct Work {
    card: Card,
    runtime: tokio::runtime::Handle,
    guard: String,
    stores: Arc<stores::Stores>,
    order: CopyOrder,
    keys: CopyKeys,
    kept: Vec<Kept>,
    entries: Vec<snapshot::Entry>,
    manifest: String,
}

impl Work {
    fn save(self, run: &Run, tell: &dyn Fn(Arc<CardSource>)) -> Result<Saved, Failed> {
        let Self { card, runtime, guard, stores, order, keys, kept, entries, manifest } = self;
        let (repo, folder) = place(&stores, &order.repo, &keys)?;
        // Where the books say that there is one, nobody makes another.
        if order.is_new {
            repo.init(&RecoveryCode::from_text(keys.recovery.clone()))?;
            folder.write(SEALED_KEY, &[keys.sealed.clone().into()]).map_err(snapshot::Error::from)?;
        }
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
        let source = Arc::new(CardSource::new(card, runtime, guard, &kept, entries, &before));
        drop((kept, before));
        tell(Arc::clone(&source));
        let save = Save { parent: order.parent, at: order.at, phone: order.phone, manifest };
        let saved = repo.save(Arc::new(Shelf(Arc::clone(&source))), &save, run);
        saved.map_err(|error| match source.trouble() {
            Some(why) if matches!(error, snapshot::Error::Source(_)) => Failed::At(why),
            _ => error.into(),
        })
    }
}

/// A run on a thread of its own, as it is watched from here.
struct Watched<'a> {
    tools: &'a Tools,
    task: &'a Task,
    /// Bytes that it deals with.
    total: u64,
}

impl Watched<'_> {
    async fn watch<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Run, &dyn Fn(Arc<CardSource>)) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Refused> {
        let room = &self.tools.room;
        let memory = MEMORY + MEMORY_PER_GB * self.total.div_ceil(1 << 30);
        let memory = u32::try_from(memory).unwrap_or(u32::MAX).min(room.most);
        // The console takes one of which it hears nothing for lost, and this may have to wait for others.
        self.tools.progress.lock().insert(self.task.key, (0, self.total));
        // They are never closed.
        let _run = room.runs.acquire().await.ok();
        let _memory = room.memory.acquire_many(memory).await.ok();
        let run = Run::default();
        let (told, mut ends) = oneshot::channel();
        let (source_told, mut sources) = tokio::sync::mpsc::unbounded_channel();
        let own = run.clone();
        // A thread that nobody waits for when the agent ends: a disk that hangs holds it for ever.
        let spawned = std::thread::Builder::new().name("copy".to_owned()).spawn(move || {
            // Without it there are more threads than there need be.
            _ = snapshot::calm();
            // Nobody waits any more.
            _ = told.send(work(&own, &|source| _ = source_told.send(source)));
        });
        if let Err(cause) = spawned {
            return Err(Refused(Reason::LocalFile, cause.to_string()));
        }
        let (mut source, mut seen, mut moved) = (None, 0, Instant::now());
        let mut stopped: Option<(Instant, Refused)> = None;
        loop {
            tokio::select! {
                ended = &mut ends => {
                    self.tools.progress.lock().remove(&self.task.key);
                    let broken = || Failed::At(Refused(Reason::LocalFile, "the copy broke off".to_owned()));
                    return match (ended.map_err(|_| broken()).flatten(), stopped) {
                        (Err(Failed::Engine(snapshot::Error::Stopped)), Some((_, why))) => Err(why),
                        (ended, _) => ended.map_err(Refused::from),
                    };
                }
                Some(found) = sources.recv(), if source.is_none() => source = Some(found),
                () = sleep(LOOK) => {}
            }
            let (done, total) = (run.bytes(), if run.total() > 0 { run.total() } else { self.total });
            let read = source.as_ref().map_or(0, |source: &Arc<CardSource>| source.read());
            let now = done + read + run.sent() + run.answers();
            if now != seen {
                (seen, moved) = (now, Instant::now());
            }
            self.tools.progress.lock().insert(self.task.key, (done.min(total), total));
            if let Some((since, why)) = &stopped {
                if since.elapsed() > ENDS {
                    self.tools.progress.lock().remove(&self.task.key);
                    return Err(Refused(why.0, why.1.clone()));
                }
                continue;
            }
            let stall = Duration::from_secs(u64::from(self.task.seconds.max(1)));
            if moved.elapsed() > stall {
                let why = format!("nothing has moved for {} s", stall.as_secs());
                run.stop();
                stopped = Some((Instant::now(), Refused(Reason::StoreUnreachable, why)));
            } else if !self.tools.leash.holds() {
                run.stop();
                let why = "the console was silent: it may have given the phone to another agent";
                stopped = Some((Instant::now(), Refused(Reason::Interrupted, why.to_owned())));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::package;

    #[test]
    fn a_line_of_the_package_manager_may_lack_its_numbers() {
        let read = |line: &str| package(line).map(|it| (it.name, it.version_code, it.uid, it.is_own));
        let line = "package:/data/app/~~x==/com.game-y==/base.apk=com.game versionCode:12 uid:10061";
        assert_eq!(read(line), Some(("com.game".to_owned(), 12, 10_061, true)));
        let line = "package:/system/framework/framework-res.apk=android";
        assert_eq!(read(line), Some(("android".to_owned(), 0, 0, false)));
        assert_eq!(read("Error: no such option"), None);
    }
}
