//! Executing tasks: within the limits, one at a time on each card, each attempt once.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use wire::{Act, Book, Effect, Held, Key, Limits, Outcome, Reason, Task, TaskResult};

use crate::act::{
    COPIES_AT_ONCE, Done, act, act_at_store, look_at_bmc, look_at_copy, look_into, mistaken, package, power, ready,
    script,
};
use crate::gates::Gates;
use crate::guard::guarded;
use crate::journal::{Before, Entry, Journal, Phase};
use crate::recover::{look_again, recover, stopped};
use crate::tools::Tools;

/// An attempt that the agent holds.
#[derive(Debug)]
enum Holding {
    /// In the journal from before a restart; resumes when the console has confirmed it.
    Waiting(Box<Entry>),
    /// Running, or waiting for its place.
    Running,
    /// Ended; the console has not confirmed the result.
    Ended(Box<TaskResult>),
}

/// What happens to attempts, for the console.
#[derive(Debug)]
pub enum News {
    /// It starts.
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
    /// Steps of phones that wait for their place.
    waiting: Mutex<HashSet<Key>>,
    /// Looks at what a copy would hold that may go on at once.
    copy_looks: Semaphore,
    news: mpsc::UnboundedSender<News>,
}

impl Work {
    /// The highest number of a phone's stay on a card that ever arrived.
    #[must_use]
    pub fn highest_stay(&self) -> i64 {
        self.0.journal.highest_stay()
    }

    /// How many copies and restores there are places for at once.
    #[must_use]
    pub fn places(&self) -> u32 {
        self.0.tools.room.places()
    }

    /// Takes over the entries of the journal.
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
            waiting: Mutex::default(),
            copy_looks: Semaphore::new(COPIES_AT_ONCE),
            news,
        }))
    }

    /// Closes the sessions with BMCs: these have few.
    pub async fn close(&self) {
        self.0.tools.controllers.close().await;
    }

    /// Checks a BMC, for a person who waits for the answer.
    pub fn look_at_bmc(&self, access: wire::BmcAccess) -> impl Future<Output = wire::BmcLook> + Send + 'static {
        let parts = Arc::clone(&self.0);
        async move { look_at_bmc(&parts.tools.controllers, &access).await }
    }

    /// Lists a folder of a card, for a person who waits for the answer.
    pub fn look_into(
        &self,
        address: String,
        serial: Option<String>,
        path: String,
    ) -> impl Future<Output = wire::FolderLook> + Send + 'static {
        let cards = Arc::clone(&self.0.tools.cards);
        async move { look_into(&cards, &address, serial.as_deref(), &path).await }
    }

    /// Looks at what a copy of the phone on a card would hold, for a person who waits for the answer.
    pub fn look_at_copy(
        &self,
        address: String,
        serial: Option<String>,
        mark: wire::Mark,
        leave_out: Vec<String>,
    ) -> impl Future<Output = wire::CopyLook> + Send + 'static {
        let parts = Arc::clone(&self.0);
        async move {
            let (cards, turns) = (&parts.tools.cards, &parts.copy_looks);
            look_at_copy(cards, turns, &address, serial.as_deref(), mark, &leave_out).await
        }
    }

    /// How far attempts are that take long, and which steps of phones wait for their place: of nothing.
    #[must_use]
    pub fn progress(&self) -> Vec<wire::Progress> {
        let (progress, waiting) = (self.0.tools.progress.lock(), self.0.waiting.lock());
        let told = progress.iter().map(|(key, (done, total))| wire::Progress { key: *key, done: *done, total: *total });
        told.chain(waiting.iter().map(|key| wire::Progress { key: *key, done: 0, total: 0 })).collect()
    }

    /// New limits. Running tasks keep their places under the old ones.
    pub fn set_limits(&self, limits: Limits) {
        let mut gates = self.0.gates.lock();
        if gates.limits != limits {
            *gates = Gates::new(limits);
        }
    }

    /// The console has said something, after it has said which attempts it still wants.
    pub fn heard(&self) {
        self.0.tools.leash.heard();
    }

    /// The console says in which networks the room's BMCs are.
    pub fn confine_bmcs(&self, nets: &[String]) {
        self.0.tools.controllers.confine(nets);
    }

    /// Every attempt that the agent holds, for the greeting.
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

    /// The console does not want these any more, or has their results. What has not begun by then never does.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub async fn forget(&self, keys: Vec<Key>) -> anyhow::Result<()> {
        {
            let (mut held, mut cancelled) = (self.0.held.lock(), self.0.tools.called_off.lock());
            for key in &keys {
                // What runs goes on to its end, or stops if that is far, and its result is refused then; what waits for its
                // place does not begin.
                if matches!(held.get(key), Some(Holding::Running)) {
                    cancelled.insert(*key);
                } else {
                    held.remove(key);
                    cancelled.remove(key);
                }
            }
        }
        self.0.journal.forget(keys).await
    }

    /// Resumes interrupted attempts. To be called once the console has confirmed which it still wants.
    pub fn resume(&self) {
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

    /// Accepts tasks. Known ones are skipped.
    ///
    /// # Errors
    /// The journal cannot be written; then none of them runs.
    pub async fn take(&self, tasks: Vec<Task>) -> anyhow::Result<()> {
        // The journal has no passwords, so the tasks as received are executed, not those read back.
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

    /// Cancels what has not started, and what started before a restart and would have to be done again; what copies or reads
    /// for long stops.
    pub fn cancel(&self, keys: Vec<Key>) {
        let held = self.0.held.lock();
        self.0.tools.called_off.lock().extend(keys.into_iter().filter(|key| held.contains_key(key)));
    }

    fn start(&self, task: Task, begun: Option<Before>) {
        let parts = Arc::clone(&self.0);
        tokio::spawn(async move {
            let started = Instant::now();
            let done = guarded(&task, parts.through_the_gates(&task, begun)).await;
            parts.finish(&task, done, started).await;
        });
    }
}

impl Parts {
    /// Waits for a place on the card, its host or BMC and in the room, and executes the task.
    async fn through_the_gates(&self, task: &Task, begun: Option<Before>) -> Done {
        let has_begun = AtomicBool::new(begun.is_some());
        let deadline = Duration::from_secs(u64::from(task.seconds.max(1)));
        // A step for a phone has its time from when it has its place: how long it waits for that is up to others.
        let is_step = task.key.book == Book::Phone;
        let (whole, own) = match is_step {
            true if task.act.is_paced() => (Duration::MAX, Duration::MAX),
            true => (Duration::MAX, deadline),
            false => (deadline, Duration::MAX),
        };
        if is_step {
            self.waiting.lock().insert(task.key);
        }
        let at_card = self.tools.address(task).filter(|_| !task.act.is_of_store());
        let place = at_card.map(|address| self.tools.cards.place(address));
        let work = async {
            let _busy = match &place {
                Some(place) => Some(place.busy.lock().await),
                None => None,
            };
            // What is read at a storage node for half an hour is in no card's way; it has limits of its own.
            let _gates = if task.act.is_of_store() { None } else { Some(self.gates(task).await) };
            self.waiting.lock().remove(&task.key);
            let run = async {
                // Only the console knows what has been called off, and whose the card is.
                self.tools.leash.hold().await;
                if begun.is_none() && self.is_called_off(task.key) {
                    return Done::so(Outcome::Cancelled);
                }
                self.run(task, begun, &has_begun).await
            };
            tokio::time::timeout(own, run).await
        };
        match tokio::time::timeout(whole, work).await.flatten() {
            Ok(done) => done,
            Err(_) => {
                let touched = has_begun.load(Ordering::Relaxed) && !task.act.only_reads();
                if let Some(address) = self.tools.address(task) {
                    if touched && script::script_of(task).is_some() {
                        self.stop(address, task).await;
                    }
                    self.tools.cards.drop_connection(address).await;
                }
                let is_power = matches!(task.act, Act::Power { .. });
                let code = if is_power {
                    Reason::BmcTimeout
                } else if matches!(task.act, Act::Health { .. } | Act::Start { .. }) {
                    Reason::Unhealthy
                } else {
                    Reason::AdbTimeout
                };
                let effect = if touched { Effect::Unknown } else { Effect::NeverBegan };
                Done::so(Outcome::failed(code, format!("not done within {} s", deadline.as_secs())).with(effect))
            }
        }
    }

    /// A place at the task's host or BMC, and in the room. Our semaphores are never closed.
    async fn gates(&self, task: &Task) -> [Option<OwnedSemaphorePermit>; 2] {
        let near = self.gates.lock().near(task);
        let near = near.acquire_owned().await.ok();
        let room = Arc::clone(&self.gates.lock().room);
        [near, room.acquire_owned().await.ok()]
    }

    /// Stops a script after its timeout.
    async fn stop(&self, address: SocketAddr, task: &Task) {
        let stopped = async { script::stop(&self.tools.cards.get(address).await?, task).await };
        if let Err(error) = stopped.await {
            tracing::warn!(%address, %error, "could not stop a script after its timeout");
        }
    }

    async fn run(&self, task: &Task, begun: Option<Before>, has_begun: &AtomicBool) -> Done {
        if let Act::Power { order, bmc } = &task.act {
            if begun.is_some() {
                let why = "the agent stopped while the power was being changed; check the card and repeat the command if necessary";
                return Done::so(Outcome::failed(Reason::Interrupted, why));
            }
            if let Some(refused) = self.begin(task.key, Before::default(), has_begun).await {
                return refused;
            }
            return power(&self.tools.controllers, bmc, *order, task.serial.as_deref()).await;
        }
        if task.act.is_of_store() {
            if begun.is_none() {
                if let Some(refused) = self.begin(task.key, Before::default(), has_begun).await {
                    return refused;
                }
            } else if self.is_called_off(task.key) {
                return stopped(task);
            }
            return act_at_store(&self.tools, task).await;
        }
        if let Some(before) = begun {
            return recover(&self.tools, task, &before, || self.is_called_off(task.key)).await;
        }
        let nothing_done = |code, why| Done::so(Outcome::failed(code, why).with(Effect::NeverBegan));
        if task.act == Act::Unknown {
            return nothing_done(Reason::UnknownAct, "this agent is older than what it was asked for".to_owned());
        }
        let Some(address) = self.tools.address(task) else {
            return nothing_done(Reason::BadArgument, format!("{} is not a valid address", task.address));
        };
        let known = async {
            let card = self.tools.cards.get(address).await?;
            let now = ready(&card, task).await?;
            let package = match package::named_by(&task.act) {
                Some(name) => Some(package::package(&card, name).await?),
                None => None,
            };
            Ok::<_, adb::Error>((card, now, package))
        };
        let (card, now, package) = match known.await {
            Ok(found) => found,
            Err(error) => {
                self.tools.cards.drop_connection(address).await;
                return Done::untouched(&error);
            }
        };
        if let Some(why) = mistaken(address, &now, task.serial.as_deref()) {
            return nothing_done(Reason::WrongCard, why);
        }
        let before = Before { boot_id: now.boot_id.clone(), package };
        if let Some(refused) = self.begin(task.key, before.clone(), has_begun).await {
            return refused;
        }
        let done = act(&self.tools, &card, task, &now).await;
        if !done.has_lost_the_card() {
            return done;
        }
        self.tools.cards.drop_connection(address).await;
        look_again(&self.tools, task, &before).await.unwrap_or(done)
    }

    fn is_called_off(&self, key: Key) -> bool {
        self.tools.called_off.lock().contains(&key)
    }

    /// Records that an attempt starts. If the journal cannot be written, or the attempt was called off while its card was
    /// looked at, nothing is done, and the result says so.
    async fn begin(&self, key: Key, before: Before, has_begun: &AtomicBool) -> Option<Done> {
        if self.is_called_off(key) {
            return Some(Done::so(Outcome::Cancelled));
        }
        match self.journal.begin(key, before).await {
            Ok(true) => {}
            Ok(false) => return Some(Done::so(Outcome::Cancelled)),
            Err(error) => {
                tracing::error!(%error, "a task was not started");
                let why = format!("it was not begun, because {error:#}");
                return Some(Done::so(Outcome::failed(Reason::AgentJournal, why).with(Effect::NeverBegan)));
            }
        }
        has_begun.store(true, Ordering::Relaxed);
        // The link reads until the process ends.
        let _ = self.news.send(News::Begun(key));
        None
    }

    async fn finish(&self, task: &Task, done: Done, started: Instant) {
        let key = task.key;
        let Done { mut outcome, output, truncated, exit, file, certificate } = done;
        let mut has_file = false;
        if let Some(bytes) = file {
            match self.tools.files.send(key, bytes).await {
                Ok(()) => has_file = true,
                Err(error) => {
                    let why = format!("the file was fetched from the card, but {error:#}");
                    let effect = if task.act.only_reads() { Effect::NeverBegan } else { Effect::Proved };
                    outcome = Outcome::failed(Reason::UploadFailed, why).with(effect);
                }
            }
        }
        let millis = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let result = TaskResult { key, outcome, output, truncated, exit, has_file, certificate, millis };
        if let Err(error) = self.journal.end(result.clone()).await {
            tracing::error!(%error, "could not journal a result; it is sent to the console anyway");
        }
        {
            let (mut held, mut cancelled) = (self.held.lock(), self.tools.called_off.lock());
            held.insert(key, Holding::Ended(Box::new(result.clone())));
            cancelled.remove(&key);
        }
        // If it broke down, it has left them.
        self.waiting.lock().remove(&key);
        self.tools.progress.lock().remove(&key);
        // The link reads until the process ends.
        let _ = self.news.send(News::Ended(Box::new(result)));
    }
}
