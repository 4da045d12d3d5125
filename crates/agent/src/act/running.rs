//! Runs of the engine of copies: each on a thread of its own, since it blocks, and watched from here. One that comes no
//! further, or whose console is silent, is stopped.

use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use snapshot::{Key, Lock, Repo, Run};
use store::{Store, Urgency, Within};
use tokio::sync::oneshot;
use tokio::time::sleep;
use wire::copy::{CopyKeys, Paper, RepoAt};
use wire::{Reason, StoreNode, Task};

use crate::done::Done;
use crate::refused::{Refused, refused};
use crate::source::CardSource;
use crate::stores;
use crate::tools::Tools;

/// Interval between looks at how far a run is.
const LOOK: Duration = Duration::from_secs(1);
/// A run that was stopped has so long to end, until nobody waits for it any more.
const ENDS: Duration = Duration::from_secs(20);
/// A person who has a repository for himself is waited for so long: the phone may be stopped meanwhile.
const PATIENCE: Duration = Duration::from_mins(1);

/// The end of an act that was refused.
pub fn told(Refused(code, why): Refused) -> Done {
    Done::so(refused(code, why))
}

/// Why a run has ended.
#[derive(Debug)]
pub enum Failed {
    /// Something other than the engine's.
    At(Refused),
    /// The engine.
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
            Failed::Engine(E::Locked(who)) => Self(Reason::RepoLocked, who),
            Failed::Engine(E::Stopped) => Self(Reason::Interrupted, "it was stopped".to_owned()),
            Failed::Engine(error @ (E::Damaged(_) | E::Key | E::Other(_))) => {
                Self(Reason::RepoDamaged, error.to_string())
            }
        }
    }
}

/// What the console gives a try.
///
/// # Errors
/// The console does not answer, or refuses.
pub async fn keys(tools: &Tools, task: &Task) -> Result<CopyKeys, Refused> {
    tools.files.keys(task.key).await.map_err(unsent)
}

/// Tells the console something before the result.
///
/// # Errors
/// The console does not take it.
pub async fn tell(tools: &Tools, task: &Task, paper: Paper) -> Result<(), Refused> {
    tools.files.put_paper(task.key, &paper).await.map_err(unsent)
}

fn unsent(error: anyhow::Error) -> Refused {
    Refused(Reason::UploadFailed, format!("{error:#}"))
}

/// The repository of a copy, once its node has proved to be the node, for what nobody waits for.
///
/// # Errors
/// The node is not there, or is another one; the key is none.
pub fn open(stores: &stores::Stores, at: &RepoAt, keys: &CopyKeys, run: &Run) -> Result<Repo, Failed> {
    let (repo, _) = place(stores, at, &keys.key, run, Urgency::Background)?;
    Ok(repo)
}

/// A repository and its folder, once its node has proved to be the node.
///
/// # Errors
/// The node is not there, or is another one; the key is none.
pub fn place(
    stores: &stores::Stores,
    at: &RepoAt,
    key: &str,
    run: &Run,
    urgency: Urgency,
) -> Result<(Repo, Arc<dyn Store>), Failed> {
    within(found(stores, &at.node, run, urgency)?, &at.folder, key)
}

/// A node, once it has proved to be the node.
///
/// # Errors
/// It is not there, or is another one.
pub fn found(stores: &stores::Stores, node: &StoreNode, run: &Run, urgency: Urgency) -> Result<Arc<dyn Store>, Failed> {
    let run = run.clone();
    stores.find(node, urgency, move || run.waits()).map_err(|trouble| {
        let code = Reason::from_code(trouble.code.code()).unwrap_or(Reason::StoreUnreachable);
        Failed::At(Refused(code, trouble.reason))
    })
}

/// A repository on such a node, and its folder. What a run reads and writes there goes within the limits of this agent.
///
/// # Errors
/// The key is none.
pub fn within(node: Arc<dyn Store>, folder: &str, key: &str) -> Result<(Repo, Arc<dyn Store>), Failed> {
    let Some(key) = Key::parse(key) else {
        return Err(Failed::At(Refused(Reason::BadArgument, "the console sent no key".to_owned())));
    };
    let folder: Arc<dyn Store> = Arc::new(Within::new(node, folder));
    Ok((Repo::new(Arc::clone(&folder), key, None), folder))
}

/// Keeps a person out of a repository who wants it for himself, once nobody has it so: `restic` would remove packs beside us.
///
/// # Errors
/// Somebody has it for longer than a phone should wait.
pub fn locked(repo: &Repo, run: &Run) -> Result<Lock, Failed> {
    Ok(repo.lock(seconds(), PATIENCE, run)?)
}

/// The same for who only reads: a node whose disk is full or read-only takes no lock, and gives what it has without one.
///
/// # Errors
/// Somebody has it for longer than a phone should wait.
pub fn locked_to_read(repo: &Repo, run: &Run) -> Result<Option<Lock>, Failed> {
    Ok(repo.lock_to_read(seconds(), PATIENCE, run)?)
}

/// Seconds since 1970, by the clock of this machine.
fn seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    i64::try_from(now).unwrap_or(i64::MAX)
}

/// Stops a run that nobody watches any more: its thread would go on beside the one that is begun in its place.
struct Unwatched(Run);

impl Drop for Unwatched {
    fn drop(&mut self) {
        self.0.stop();
    }
}

/// A run on a thread of its own, as it is watched from here.
#[derive(Clone, Copy)]
pub struct Watched<'a> {
    pub tools: &'a Tools,
    pub task: &'a Task,
    /// Bytes that it deals with.
    pub bytes: u64,
    /// Files and folders that it has in mind meanwhile.
    pub files: u64,
    /// It is one of several: bytes that those before it have dealt with, and bytes of all.
    pub part: Option<(u64, u64)>,
}

impl<'a> Watched<'a> {
    /// A run that is all there is to do.
    pub const fn of(tools: &'a Tools, task: &'a Task, bytes: u64) -> Self {
        Self { tools, task, bytes, files: 0, part: None }
    }

    /// Does `work` on a thread of its own, which tells from where it reads.
    ///
    /// # Errors
    /// Why it has failed, or was stopped.
    pub async fn watch<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Run, &dyn Fn(Arc<CardSource>)) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Refused> {
        // The console takes one of which it hears nothing for lost, and this may have to wait for others.
        let (before, all) = self.part.unwrap_or((0, self.bytes));
        self.tools.progress.lock().insert(self.task.key, (before, all));
        let place = self.tools.room.place(self.bytes, self.files).await;
        // A process that stood still goes on with all of its threads, before this one has looked.
        let leash = self.tools.leash.clone();
        let run = Run::while_so(move || leash.holds());
        let _ends_with_this = Unwatched(run.clone());
        let (told, mut ends) = oneshot::channel();
        let (source_told, mut sources) = tokio::sync::mpsc::unbounded_channel();
        let (own, processors) = (run.clone(), place.processors);
        // A thread that nobody waits for when the agent ends: a disk that hangs holds it for ever.
        let spawned = std::thread::Builder::new().name("copy".to_owned()).spawn(move || {
            // Without it there are more threads than there need be.
            _ = snapshot::calm(processors);
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
                Some(found) = sources.recv() => source = Some(found),
                () = sleep(LOOK) => {}
            }
            let (done, total) = match self.part {
                Some((before, all)) => (before + run.bytes(), all),
                None => (run.bytes(), if run.total() > 0 { run.total() } else { self.bytes }),
            };
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
            } else if self.tools.called_off.lock().contains(&self.task.key) {
                run.stop();
                stopped = Some((Instant::now(), Refused(Reason::Interrupted, "it was called off".to_owned())));
            } else if !self.tools.leash.holds() {
                run.stop();
                let why = "the console was silent: it may have given the phone to another agent";
                stopped = Some((Instant::now(), Refused(Reason::Interrupted, why.to_owned())));
            }
        }
    }
}
