//! restic's locks. The console sees to it that nobody of ours is in another's way; a person who prunes a repository with `restic` is
//! no business of his, and one who removes packs beside somebody who writes or reads destroys copies, or makes them look so.
//!
//! Ours are shared ones: while somebody has one restic's `prune` and `check` refuse to begin, and while a person has an exclusive one
//! we do not begin. Both sides write theirs first and look once more then, so of two who come at the same moment one sees the other.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use aws_lc_rs::digest;
use rustic_core::jiff::Timestamp;
use serde_json::{Value, json};
use store::{Kind, Step, Store, Trouble};

use crate::{Error, Key, Repo, Run};

/// Where they lie.
const FOLDER: &str = "locks";
/// What ours say of who has them. Another host than any, so that restic does not look for the process.
const OURS: &str = "skyrack";
/// Whoever is alive writes his anew so often, as restic does.
const REFRESH: Duration = Duration::from_mins(5);
/// One that is older was left behind by somebody who was killed, as restic has it: in seconds.
const STALE: i64 = 1_800;
/// If ours could not be written anew for so long, it may be taken for one that was left behind.
const LATE: Duration = Duration::from_mins(20);
/// So long restic gives another one to show himself.
const SETTLE: Duration = Duration::from_millis(200);
/// Between two looks at who has it.
const LOOK: Duration = Duration::from_secs(1);

/// A repository that nobody prunes meanwhile: for as long as this is there.
#[derive(Debug)]
pub struct Lock {
    /// Ends the thread that refreshes it.
    held: Option<Sender<()>>,
    refreshes: Option<JoinHandle<()>>,
}

impl Drop for Lock {
    fn drop(&mut self) {
        drop(self.held.take());
        if let Some(refreshes) = self.refreshes.take() {
            // It has nothing to say: what it could not remove is removed when it is old.
            _ = refreshes.join();
        }
    }
}

/// What somebody's lock says.
struct Theirs {
    at: i64,
    is_exclusive: bool,
    host: String,
    user: String,
    process: u64,
}

impl Theirs {
    fn read(key: &Key, file: &[u8]) -> Option<Self> {
        let opened = key.open(file)?;
        let text = match opened.split_first() {
            // As a repository of version 2 has its files.
            Some((2, packed)) => zstd::decode_all(packed).ok()?,
            _ => opened,
        };
        let said: Value = serde_json::from_slice(&text).ok()?;
        let word = |name: &str| said.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        Some(Self {
            at: word("time").parse::<Timestamp>().ok()?.as_second(),
            is_exclusive: said.get("exclusive")?.as_bool()?,
            host: word("hostname"),
            user: word("username"),
            process: said.get("pid").and_then(Value::as_u64).unwrap_or_default(),
        })
    }
}

impl Repo {
    /// Keeps everybody out who wants the repository for himself, once nobody has it so: waits for that as long as `patience` allows.
    /// What nobody has refreshed for half an hour by `now` (seconds since 1970) counts for nothing, and goes if it is ours.
    ///
    /// # Errors
    /// [`Error::Locked`] when somebody still has it; when the store fails, or the run is stopped.
    pub fn lock(&self, now: i64, patience: Duration, run: &Run) -> Result<Lock, Error> {
        let began = Instant::now();
        loop {
            let passed = i64::try_from(began.elapsed().as_secs()).unwrap_or(i64::MAX);
            let who = match self.try_lock(now.saturating_add(passed), run)? {
                Ok(lock) => return Ok(lock),
                Err(who) => who,
            };
            if began.elapsed() >= patience {
                return Err(Error::Locked(who));
            }
            run.check()?;
            thread::sleep(LOOK);
        }
    }

    /// The same for who only reads; none where the node takes no file any more, since its disk is full or read-only. It gives what it
    /// has all the same, and phones come on cards with that.
    ///
    /// # Errors
    /// As [`Repo::lock`].
    pub fn lock_to_read(&self, now: i64, patience: Duration, run: &Run) -> Result<Option<Lock>, Error> {
        match self.lock(now, patience, run) {
            Err(Error::Store(Trouble {
                kind: Kind::Full | Kind::Refused, step: Step::Write | Step::Rename, ..
            })) => Ok(None),
            lock => lock.map(Some),
        }
    }

    /// The lock, or who has it.
    fn try_lock(&self, now: i64, run: &Run) -> Result<Result<Lock, String>, Error> {
        if let Some(who) = self.locked_by(now, "", run)? {
            return Ok(Err(who));
        }
        let name = write(&self.store, &self.key)?;
        thread::sleep(SETTLE);
        match self.locked_by(now, &name, run) {
            Ok(None) => Ok(Ok(self.keep(name, run)?)),
            other => {
                self.store.remove(&name)?;
                other.map(|who| Err(who.unwrap_or_default()))
            }
        }
    }

    /// Who has it for himself, whatever our own lock says.
    fn locked_by(&self, now: i64, own: &str, run: &Run) -> Result<Option<String>, Error> {
        for file in self.store.list(FOLDER, false)? {
            let path = format!("{FOLDER}/{}", file.name);
            // Those with other names are being written.
            if file.name.len() != 64 || path == own {
                continue;
            }
            let bytes = match self.store.read(&path) {
                Err(gone) if gone.kind == Kind::Missing => continue,
                read => read?,
            };
            run.heard();
            let Some(theirs) = Theirs::read(&self.key, &bytes) else {
                return Ok(Some(format!("{path} is no lock that can be read")));
            };
            if theirs.at.saturating_add(STALE) < now {
                if theirs.host == OURS {
                    // It counts for nothing, whether it goes or not.
                    _ = self.store.remove(&path);
                }
            } else if theirs.is_exclusive {
                let Theirs { host, user, process, .. } = theirs;
                return Ok(Some(format!("{user} at {host} has it for himself (process {process})")));
            }
        }
        Ok(None)
    }

    /// Refreshes the lock of this name, in a thread of its own, and removes it in the end.
    fn keep(&self, name: String, run: &Run) -> Result<Lock, Error> {
        let (held, ends) = mpsc::channel();
        let (store, key, run) = (Arc::clone(&self.store), self.key.clone(), run.clone());
        let own = name.clone();
        let spawned = thread::Builder::new().name("lock".to_owned()).spawn(move || {
            let (mut name, mut fresh) = (own, Instant::now());
            // A run that was stopped may have lost the repository: it may be removed by now, and nothing is written there any more.
            while ends.recv_timeout(REFRESH) == Err(RecvTimeoutError::Timeout) && run.check().is_ok() {
                match write(&store, &key) {
                    Ok(next) => {
                        _ = store.remove(&name);
                        (name, fresh) = (next, Instant::now());
                    }
                    Err(why) if fresh.elapsed() > LATE => run.fail(why),
                    Err(_) => {}
                }
            }
            // What could not be removed goes when it is old.
            _ = store.remove(&name);
        });
        match spawned {
            Ok(refreshes) => Ok(Lock { held: Some(held), refreshes: Some(refreshes) }),
            Err(cause) => {
                self.store.remove(&name)?;
                Err(Error::Other(cause.to_string()))
            }
        }
    }
}

/// Writes a shared lock of now; where it is.
fn write(store: &Arc<dyn Store>, key: &Key) -> Result<String, Error> {
    let lock = json!({
        "time": Timestamp::now().to_string(),
        "exclusive": false,
        "hostname": OURS,
        "username": OURS,
        "pid": std::process::id(),
    });
    let file = key.seal(lock.to_string().as_bytes())?;
    let path = format!("{FOLDER}/{}", hex::encode(digest::digest(&digest::SHA256, &file)));
    store.write(&path, &[file.into()])?;
    Ok(path)
}
