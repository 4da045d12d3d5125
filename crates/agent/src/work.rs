//! Doing tasks: never more than the limits at once, each card one thing at a time, each try once.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{Semaphore, mpsc};
use wire::{Act, Held, Key, Limits, Outcome, Task, TaskResult};

use crate::act::{Controllers, Done, act, look_at_bmc, look_into, mistaken, power, state};
use crate::cards::Cards;
use crate::files::Files;
use crate::journal::{Before, Entry, Journal, Phase};
use crate::recover::recover;

/// What acts work with.
#[derive(Debug)]
pub struct Tools {
    /// Connections to the cards.
    pub cards: Arc<Cards>,
    /// Files from and for the console.
    pub files: Files,
    /// BMCs.
    pub controllers: Controllers,
}

impl Tools {
    /// Where the task's card is; none where the console sent no address.
    #[must_use]
    pub fn address(&self, task: &Task) -> Option<SocketAddr> {
        task.address.parse().ok()
    }
}

/// Places for tasks, of a room, of its hosts and of its BMCs.
#[derive(Debug)]
struct Gates {
    limits: Limits,
    room: Arc<Semaphore>,
    hosts: HashMap<i64, Arc<Semaphore>>,
    bmcs: HashMap<String, Arc<Semaphore>>,
}

impl Gates {
    fn new(limits: Limits) -> Self {
        Self { limits, room: gate(limits.per_room), hosts: HashMap::new(), bmcs: HashMap::new() }
    }
}

fn gate(places: u32) -> Arc<Semaphore> {
    Arc::new(Semaphore::new(usize::try_from(places.max(1)).unwrap_or(1)))
}

/// A try that the agent holds.
#[derive(Debug)]
enum Holding {
    /// In the journal from an earlier life; goes on when the console has confirmed it.
    Waiting(Box<Entry>),
    /// Under way, or waiting for its place.
    Running,
    /// Ended; the console has not confirmed that it has the result.
    Ended(Box<TaskResult>),
}

/// What happens with tries, for the console.
#[derive(Debug)]
pub enum News {
    /// It begins.
    Begun(Key),
    /// It ended.
    Ended(Box<TaskResult>),
    /// Everything that answers in the room.
    Swept(Vec<wire::Sighting>),
}

/// The tasks of the agent.
#[derive(Clone, Debug)]
pub struct Work(Arc<Parts>);

#[derive(Debug)]
struct Parts {
    tools: Tools,
    journal: Journal,
    gates: Mutex<Gates>,
    held: Mutex<HashMap<Key, Holding>>,
    cancelled: Mutex<HashSet<Key>>,
    news: mpsc::UnboundedSender<News>,
}

impl Work {
    /// Takes up what the journal holds.
    #[must_use]
    pub fn new(tools: Tools, journal: Journal, entries: Vec<Entry>, news: mpsc::UnboundedSender<News>) -> Self {
        let held = entries
            .into_iter()
            .map(|entry| {
                let key = entry.task.key;
                let holding = match entry.phase {
                    Phase::Ended(result) => Holding::Ended(result),
                    Phase::Arrived | Phase::Begun(_) => Holding::Waiting(Box::new(entry)),
                };
                (key, holding)
            })
            .collect();
        let limits = Limits { per_host: 1, per_bmc: 1, per_room: 1 };
        Self(Arc::new(Parts {
            tools,
            journal,
            gates: Mutex::new(Gates::new(limits)),
            held: Mutex::new(held),
            cancelled: Mutex::default(),
            news,
        }))
    }

    /// Ends what is kept open to BMCs: they have few sessions.
    pub async fn close(&self) {
        self.0.tools.controllers.close().await;
    }

    /// How a BMC is, for a person who waits for it.
    pub fn look_at_bmc(&self, access: wire::BmcAccess) -> impl Future<Output = wire::BmcLook> + Send + 'static {
        let parts = Arc::clone(&self.0);
        async move { look_at_bmc(&parts.tools.controllers, &access).await }
    }

    /// What is in a folder of a card, for a person who waits for it.
    pub fn look_into(
        &self,
        address: String,
        serial: Option<String>,
        path: String,
    ) -> impl Future<Output = wire::FolderLook> + Send + 'static {
        let cards = Arc::clone(&self.0.tools.cards);
        async move { look_into(&cards, &address, serial.as_deref(), &path).await }
    }

    /// New limits. What runs already keeps its place among the old ones.
    pub fn set_limits(&self, limits: Limits) {
        let mut gates = self.0.gates.lock();
        if gates.limits != limits {
            *gates = Gates::new(limits);
        }
    }

    /// Every try that the agent holds, for the greeting.
    #[must_use]
    pub fn held(&self) -> Vec<Held> {
        let held = self.0.held.lock();
        held.iter().map(|(key, holding)| Held { key: *key, has_ended: matches!(holding, Holding::Ended(_)) }).collect()
    }

    /// Results that the console has not confirmed.
    #[must_use]
    pub fn unconfirmed(&self) -> Vec<TaskResult> {
        let held = self.0.held.lock();
        held.values()
            .filter_map(|holding| match holding {
                Holding::Ended(result) => Some((**result).clone()),
                Holding::Waiting(_) | Holding::Running => None,
            })
            .collect()
    }

    /// The console does not want these any more, or has their results.
    ///
    /// # Errors
    /// The journal can not be written.
    pub async fn forget(&self, keys: Vec<Key>) -> anyhow::Result<()> {
        {
            let mut held = self.0.held.lock();
            for key in &keys {
                // What runs goes on to its end; its result is refused then.
                if !matches!(held.get(key), Some(Holding::Running)) {
                    held.remove(key);
                }
            }
        }
        self.0.cancelled.lock().retain(|key| !keys.contains(key));
        self.0.journal.forget(keys).await
    }

    /// Goes on with what was interrupted. To be called once the console has said what it still wants.
    pub fn go_on(&self) {
        let waiting: Vec<Entry> = {
            let mut held = self.0.held.lock();
            held.values_mut()
                .filter_map(|holding| match holding {
                    Holding::Waiting(entry) => {
                        let entry = (**entry).clone();
                        *holding = Holding::Running;
                        Some(entry)
                    }
                    Holding::Running | Holding::Ended(_) => None,
                })
                .collect()
        };
        for Entry { task, phase } in waiting {
            let before = if let Phase::Begun(before) = phase { Some(before) } else { None };
            self.start(task, before);
        }
    }

    /// Takes tasks. What is known already is left out.
    ///
    /// # Errors
    /// The journal can not be written; then none of them runs.
    pub async fn take(&self, tasks: Vec<Task>) -> anyhow::Result<()> {
        // The journal keeps no passwords, so that what runs is what came and not what was kept.
        let fresh = self.0.journal.arrive(tasks).await?;
        {
            let mut held = self.0.held.lock();
            for task in &fresh {
                held.insert(task.key, Holding::Running);
            }
        }
        for task in fresh {
            self.start(task, None);
        }
        Ok(())
    }

    /// Holds back what has not begun.
    pub fn cancel(&self, keys: Vec<Key>) {
        let held = self.0.held.lock();
        self.0.cancelled.lock().extend(keys.into_iter().filter(|key| held.contains_key(key)));
    }

    fn start(&self, task: Task, begun: Option<Before>) {
        let parts = Arc::clone(&self.0);
        tokio::spawn(async move {
            let started = Instant::now();
            let key = task.key;
            let done = parts.through_the_gates(&task, begun).await;
            let Some(done) = done else { return };
            parts.finish(key, done, started).await;
        });
    }
}

impl Parts {
    /// Waits for a place at the card, its host or BMC and in the room, and does the task. `None` when the journal can
    /// not be written: then nothing was done, and the try is left to the next life.
    async fn through_the_gates(&self, task: &Task, begun: Option<Before>) -> Option<Done> {
        let deadline = Duration::from_secs(u64::from(task.seconds.max(1)));
        let place = self.tools.address(task).map(|address| self.tools.cards.place(address));
        let work = async {
            let _busy = match &place {
                Some(place) => Some(place.busy.lock().await),
                None => None,
            };
            let near = self.near(task);
            // A semaphore of ours is never closed.
            let _near = near.acquire().await.ok();
            let room = Arc::clone(&self.gates.lock().room);
            let _room = room.acquire().await.ok();
            if begun.is_none() && self.cancelled.lock().remove(&task.key) {
                return Some(Done::so(Outcome::Cancelled));
            }
            self.run(task, begun).await
        };
        match tokio::time::timeout(deadline, work).await {
            Ok(done) => done,
            Err(_) => {
                if let Some(address) = self.tools.address(task) {
                    self.tools.cards.drop_connection(address).await;
                }
                Some(Done::so(Outcome::failed("adb_timeout", format!("not done within {} s", deadline.as_secs()))))
            }
        }
    }

    /// The gate of the task's host, or of its BMC.
    fn near(&self, task: &Task) -> Arc<Semaphore> {
        let mut gates = self.gates.lock();
        let Limits { per_host, per_bmc, .. } = gates.limits;
        if let Act::Power { bmc, .. } = &task.act {
            return Arc::clone(gates.bmcs.entry(bmc.url.clone()).or_insert_with(|| gate(per_bmc)));
        }
        match task.host {
            Some(host) => Arc::clone(gates.hosts.entry(host).or_insert_with(|| gate(per_host))),
            None => Arc::clone(&gates.room),
        }
    }

    async fn run(&self, task: &Task, begun: Option<Before>) -> Option<Done> {
        if let Act::Power { order, bmc } = &task.act {
            if begun.is_some() {
                let why =
                    "the agent stopped while the power was changed; look at the card and order it again if need be";
                return Some(Done::so(Outcome::failed("interrupted", why)));
            }
            self.begin(task.key, Before::default()).await?;
            return Some(power(&self.tools.controllers, bmc, *order, task.serial.as_deref()).await);
        }
        if let Some(before) = begun {
            return Some(recover(&self.tools, task, &before).await);
        }
        let Some(address) = self.tools.address(task) else {
            return Some(Done::so(Outcome::failed("bad_argument", format!("{} is no address", task.address))));
        };
        let known = async {
            let card = self.tools.cards.get(address).await?;
            let now = state(&card).await?;
            Ok::<_, adb::Error>((card, now))
        };
        let (card, now) = match known.await {
            Ok(found) => found,
            Err(error) => {
                self.tools.cards.drop_connection(address).await;
                return Some(error.into());
            }
        };
        if let Some(why) = mistaken(address, &now, task.serial.as_deref()) {
            return Some(Done::so(Outcome::failed("wrong_card", why)));
        }
        self.begin(task.key, Before { boot_id: now.boot_id.clone() }).await?;
        Some(act(&self.tools, &card, task, &now.boot_id).await)
    }

    async fn begin(&self, key: Key, before: Before) -> Option<()> {
        if let Err(error) = self.journal.begin(key, before).await {
            tracing::error!(%error, "a task was not begun");
            return None;
        }
        // The link reads until the process ends.
        let _ = self.news.send(News::Begun(key));
        Some(())
    }

    async fn finish(&self, key: Key, done: Done, started: Instant) {
        let Done { mut outcome, output, truncated, exit, file, certificate } = done;
        let mut has_file = false;
        if let Some(bytes) = file {
            match self.tools.files.send(key, bytes).await {
                Ok(()) => has_file = true,
                Err(error) => {
                    outcome = Outcome::failed("upload_failed", format!("the card gave the file, but {error:#}"))
                }
            }
        }
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let result = TaskResult { key, outcome, output, truncated, exit, has_file, certificate, millis };
        if let Err(error) = self.journal.end(result.clone()).await {
            tracing::error!(%error, "a result was not kept; the console hears it all the same");
        }
        self.held.lock().insert(key, Holding::Ended(Box::new(result.clone())));
        // The link reads until the process ends.
        let _ = self.news.send(News::Ended(Box::new(result)));
    }
}
