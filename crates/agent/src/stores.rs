//! Looks at storage nodes: whether it is the node, whether it can be written, how full it is.
//!
//! A node is known by its marker, a file in it and in each of its partitions that names it. It is written where the console
//! says that there was none yet, and only where nothing else lies. Where it is missing later, the disk is not mounted, and
//! what was written there would be lost below it.

use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use parking_lot::Mutex;
use store::{Folder, Kind, Pace, Step, Store, Trouble, Urgency};
use tokio::sync::oneshot;
use wire::copy::SEALED_KEY;
use wire::store::{MARKER, Marker, partition_folder};
use wire::{Reason, SealedKey, StoreAim, StoreAt, StoreNode, StoreSeen, StoreStep, StoreTrouble};

use crate::limits::Limits;

/// How long a look or a test takes at most.
const PATIENCE: Duration = Duration::from_secs(20);
/// How long it takes at most where what lies there is added up, and how long the adding.
const PATIENCE_TO_MEASURE: Duration = Duration::from_secs(50);
const ADDING: Duration = Duration::from_secs(30);
/// Bytes of a file for a test.
const SIZE: usize = 64 << 10;
/// How the names of these files begin; then come the seconds since 1970.
const TRIAL: &str = "skyrack-test-";
/// After so many seconds whoever wrote such a file was killed before he removed it.
const STALE: u64 = 3_600;
/// So many things are looked at in a place that should be empty.
const THINGS: usize = 200;
/// Where file systems show the snapshots that they keep of a folder: NetApp and others over NFS, ZFS (of a dataset as a whole), CephFS.
const SNAPSHOTS: [&str; 3] = [".snapshot", ".zfs/snapshot", ".snap"];

/// Where storage nodes may lie on this machine, and which of them do not answer.
#[derive(Debug)]
pub struct Stores {
    /// The agent's own folder for them: relative places are below it.
    own: PathBuf,
    /// Where they may lie besides.
    allowed: Vec<PathBuf>,
    /// Nodes at which somebody has waited in vain and still does: a disk that hangs would take one thread after another.
    hung: Mutex<HashSet<String>>,
    /// How fast is read and written there. Looks and tests are little, and a person waits for them: they go by no limit.
    pub limits: Limits,
}

/// How far a look has come, also if it comes no further.
#[derive(Debug)]
struct Progress {
    made: u16,
    step: StoreStep,
    partition: Option<u16>,
    has_ended: bool,
    is_given_up: bool,
}

/// What was found at a node.
struct Found {
    free: Option<u64>,
    /// None if it was not to be added up.
    used: Option<u64>,
    /// Files that were sealed anew, or are not there.
    sealed: u64,
}

type Seen<T> = Result<T, StoreTrouble>;

impl Stores {
    /// Nodes may lie in the folder `own`, and in these.
    #[must_use]
    pub fn new(own: PathBuf, allowed: Vec<PathBuf>) -> Self {
        Self { own, allowed, hung: Mutex::default(), limits: Limits::default() }
    }

    /// Looks at a node. It takes a minute at most, whatever the node does.
    pub async fn look(self: Arc<Self>, node: StoreNode, aim: StoreAim) -> StoreSeen {
        self.look_and_seal(node, aim, Vec::new()).await
    }

    /// The same, and puts these in the place of what lies there.
    pub async fn look_and_seal(self: Arc<Self>, node: StoreNode, aim: StoreAim, seal: Vec<SealedKey>) -> StoreSeen {
        let patience = if aim == StoreAim::Measure { PATIENCE_TO_MEASURE } else { PATIENCE };
        self.look_within(node, aim, seal, patience).await
    }

    async fn look_within(
        self: Arc<Self>,
        node: StoreNode,
        aim: StoreAim,
        seal: Vec<SealedKey>,
        patience: Duration,
    ) -> StoreSeen {
        let started = Instant::now();
        let millis = || u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mark = node.mark.clone();
        let step = StoreStep::Connect;
        let progress = Progress { made: node.made, step, partition: None, has_ended: false, is_given_up: false };
        let progress = Arc::new(Mutex::new(progress));
        if self.hung.lock().contains(&mark) {
            let trouble = silent(StoreStep::Connect, None, "it has not answered an earlier look yet");
            return StoreSeen { made: node.made, millis: millis(), trouble: Some(trouble), ..StoreSeen::default() };
        }
        let (tell, told) = oneshot::channel();
        let (stores, at) = (Arc::clone(&self), Arc::clone(&progress));
        // A thread that nobody waits for when the agent ends: a disk that hangs holds it for ever.
        let spawned = std::thread::Builder::new().name("store".to_owned()).spawn(move || {
            let seen = stores.visit(&node, aim, &seal, &at);
            let is_given_up = {
                let mut at = at.lock();
                at.has_ended = true;
                at.is_given_up
            };
            if is_given_up {
                stores.hung.lock().remove(&node.mark);
            }
            // Nobody waits any more.
            _ = tell.send(seen);
        });
        let seen = match spawned {
            Err(cause) => Err(silent(StoreStep::Connect, None, &cause.to_string())),
            Ok(_) => match tokio::time::timeout(patience, told).await {
                Ok(Ok(seen)) => seen,
                Ok(Err(_)) => Err(silent(StoreStep::Other, None, "the look broke off")),
                Err(_) => {
                    let mut at = progress.lock();
                    if !at.has_ended {
                        at.is_given_up = true;
                        self.hung.lock().insert(mark);
                    }
                    Err(silent(at.step, at.partition, &format!("no answer within {} s", patience.as_secs())))
                }
            },
        };
        let made = progress.lock().made;
        match seen {
            Ok(Found { free, used, sealed }) => StoreSeen { made, free, used, sealed, millis: millis(), trouble: None },
            Err(trouble) => StoreSeen { made, millis: millis(), trouble: Some(trouble), ..StoreSeen::default() },
        }
    }

    fn visit(&self, node: &StoreNode, aim: StoreAim, seal: &[SealedKey], at: &Mutex<Progress>) -> Seen<Found> {
        let visit = Visit { store: self.open(node, Pace::default())?, node, at };
        visit.identify()?;
        if aim == StoreAim::Test {
            (0..node.partitions).try_for_each(|partition| visit.try_out(partition))?;
            visit.has_snapshots()?;
        }
        visit.now_at(StoreStep::List, None);
        let free = visit.store.free().map_err(|trouble| told(None, trouble))?;
        let used = match aim {
            StoreAim::Measure => visit.store.used_in("", ADDING).map_err(|trouble| told(None, trouble))?,
            StoreAim::Look | StoreAim::Test => None,
        };
        for file in seal {
            visit.seal(file)?;
        }
        Ok(Found { free, used, sealed: seal.len() as u64 })
    }

    /// A node, once its marker has said that it is the node. It takes as long as the node does. What is read and written there
    /// goes within the limits, for as long as `goes_on` says yes.
    ///
    /// # Errors
    /// It is not there, or it is another one.
    pub fn find(
        &self,
        node: &StoreNode,
        urgency: Urgency,
        goes_on: impl Fn() -> bool + Send + Sync + 'static,
    ) -> Seen<Arc<dyn Store>> {
        let progress = Progress {
            made: node.made,
            step: StoreStep::Connect,
            partition: None,
            has_ended: false,
            is_given_up: false,
        };
        let at = Mutex::new(progress);
        let pace = self.limits.pace(&node.mark, urgency, goes_on);
        let visit = Visit { store: self.open(node, pace)?, node, at: &at };
        visit.identify()?;
        Ok(Arc::from(visit.store))
    }

    fn open(&self, node: &StoreNode, pace: Pace) -> Seen<Box<dyn Store>> {
        let StoreAt::Folder { path } = &node.at else {
            return Err(trouble(StoreStep::Connect, Reason::UnknownAct, "this agent knows no such driver"));
        };
        let failed = |path: &Path, cause: &std::io::Error| {
            let text = format!("{}: {cause}", path.display());
            told(None, Trouble { text, ..Trouble::of(Step::Connect, cause) })
        };
        let refused = |text| trouble(StoreStep::Connect, Reason::StorePlaceRefused, text);
        let place = Path::new(path);
        if place.components().any(|part| !matches!(part, Component::Normal(_) | Component::RootDir)) || path.is_empty()
        {
            return Err(refused(format!("{path:?} is no place for a node")));
        }
        let whole = self.own.join(place);
        if node.made == 0 && place.is_relative() {
            std::fs::create_dir_all(&whole).map_err(|cause| failed(&whole, &cause))?;
        }
        // Where it really is: a link may lead anywhere.
        let whole = whole.canonicalize().map_err(|cause| failed(&whole, &cause))?;
        let roots = std::iter::once(&self.own).chain(&self.allowed).filter_map(|root| root.canonicalize().ok());
        if !roots.into_iter().any(|root| whole.starts_with(root)) {
            return Err(refused(format!("{} is in no folder that --store-root names", whole.display())));
        }
        Ok(Box::new(Folder::open(whole).map_err(|trouble| told(None, trouble))?.at_pace(pace)))
    }
}

/// A look at an open node.
struct Visit<'a> {
    store: Box<dyn Store>,
    node: &'a StoreNode,
    at: &'a Mutex<Progress>,
}

impl Visit<'_> {
    fn now_at(&self, step: StoreStep, partition: Option<u16>) {
        let mut at = self.at.lock();
        (at.step, at.partition) = (step, partition);
    }

    /// Sees by the markers that it is the node, and writes those that were never written.
    fn identify(&self) -> Seen<()> {
        let StoreNode { partitions, made, .. } = *self.node;
        self.marked(None, made > 0)?;
        // Fewer than before: those that are no longer used hold what they held.
        for partition in 0..partitions.max(made) {
            self.marked(Some(partition), partition < made)?;
            let mut at = self.at.lock();
            at.made = at.made.max(partition + 1);
        }
        Ok(())
    }

    fn marked(&self, partition: Option<u16>, was_made: bool) -> Seen<()> {
        self.now_at(StoreStep::Marker, partition);
        let folder = partition.map_or_else(String::new, partition_folder);
        let path = within(&folder, MARKER);
        let wrong = |text: String| StoreTrouble { partition, ..trouble(StoreStep::Marker, Reason::WrongStore, text) };
        let ours = |bytes: &[u8]| match serde_json::from_slice::<Marker>(bytes) {
            Ok(found) if found.mark == self.node.mark && found.partition == partition => Ok(()),
            Ok(found) => Err(wrong(format!("{path} is that of {:?}", found.name))),
            Err(_) => Err(wrong(format!("{path} is no marker"))),
        };
        match self.store.read(&path) {
            Ok(found) => return ours(&found),
            Err(missing) if missing.kind == Kind::Missing && was_made => {
                return Err(wrong(format!("{path} is missing")));
            }
            Err(missing) if missing.kind == Kind::Missing => {}
            Err(other) => return Err(StoreTrouble { step: StoreStep::Marker, ..told(partition, other) }),
        }
        let things = self.store.things_in(&folder, THINGS).map_err(|other| told(partition, other))?;
        // Disks of their own may be mounted at the partitions before.
        let is_partition = |name: &String| (0..self.node.partitions).any(|one| partition_folder(one) == **name);
        if let Some(thing) = things.iter().find(|name| partition.is_some() || !is_partition(name)) {
            let text = format!("{:?} lies there", within(&folder, thing));
            return Err(StoreTrouble { partition, ..trouble(StoreStep::Marker, Reason::StoreNotEmpty, text) });
        }
        let marker = Marker { mark: self.node.mark.clone(), name: self.node.name.clone(), partition };
        let bytes = serde_json::to_vec(&marker).unwrap_or_default();
        self.store.write(&path, &[bytes.into()]).map_err(|other| told(partition, other))?;
        ours(&self.store.read(&path).map_err(|other| told(partition, other))?)
    }

    /// Writes a file into a partition, reads it back, and removes it.
    fn try_out(&self, partition: u16) -> Seen<()> {
        let folder = partition_folder(partition);
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
        self.tidy(&folder, seconds);
        let name = format!("{TRIAL}{seconds}-{:08x}", rand::random::<u32>());
        let path = within(&folder, &name);
        let tried = self.written_and_read(partition, &folder, &name);
        self.now_at(StoreStep::Remove, Some(partition));
        let removed = self.store.remove(&path).map_err(|other| told(Some(partition), other));
        tried?;
        removed?;
        match self.store.read(&path) {
            Err(missing) if missing.kind == Kind::Missing => Ok(()),
            Err(other) => Err(told(Some(partition), other)),
            Ok(_) => {
                let still = trouble(StoreStep::Remove, Reason::StoreDamaged, format!("{path} is still there"));
                Err(StoreTrouble { partition: Some(partition), ..still })
            }
        }
    }

    /// Puts a sealed key in the place of the one that lies there. Where none does, the repository was removed.
    fn seal(&self, file: &SealedKey) -> Seen<()> {
        self.now_at(StoreStep::Write, None);
        let path = within(&file.folder, SEALED_KEY);
        match self.store.read(&path) {
            Err(missing) if missing.kind == Kind::Missing => return Ok(()),
            read => read.map_err(|other| told(None, other))?,
        };
        self.store.write(&path, &[file.text.clone().into()]).map_err(|other| told(None, other))
    }

    /// Sees that the file system keeps snapshots, if it is said to: the node's marker is read from one of them.
    fn has_snapshots(&self) -> Seen<()> {
        if !self.node.snapshots {
            return Ok(());
        }
        self.now_at(StoreStep::Read, None);
        for folder in SNAPSHOTS {
            for name in self.store.things_in(folder, THINGS).map_err(|other| told(None, other))? {
                let found = self.store.read(&within(&within(folder, &name), MARKER));
                let marker = found.ok().and_then(|bytes| serde_json::from_slice::<Marker>(&bytes).ok());
                if marker.is_some_and(|marker| marker.mark == self.node.mark) {
                    return Ok(());
                }
            }
        }
        let text = format!("none of {} has one with the node's marker", SNAPSHOTS.join(", "));
        Err(trouble(StoreStep::Read, Reason::NoSnapshots, text))
    }

    fn written_and_read(&self, partition: u16, folder: &str, name: &str) -> Seen<()> {
        let path = within(folder, name);
        let wrong = |step, text: String| StoreTrouble {
            partition: Some(partition),
            ..trouble(step, Reason::StoreDamaged, text)
        };
        let mut bytes = vec![0; SIZE];
        rand::fill(&mut bytes[..]);
        self.now_at(StoreStep::Write, Some(partition));
        self.store.write(&path, &[bytes.clone().into()]).map_err(|other| told(Some(partition), other))?;
        self.now_at(StoreStep::Read, Some(partition));
        let read = self.store.read(&path).map_err(|other| told(Some(partition), other))?;
        if read != bytes {
            return Err(wrong(StoreStep::Read, format!("{path} has other bytes than were written")));
        }
        self.now_at(StoreStep::List, Some(partition));
        let listed = self.store.list(folder, false).map_err(|other| told(Some(partition), other))?;
        match listed.iter().find(|found| found.name == name) {
            Some(found) if found.size == SIZE as u64 => Ok(()),
            Some(found) => Err(wrong(StoreStep::List, format!("{path} is listed with {} bytes", found.size))),
            None => Err(wrong(StoreStep::List, format!("{path} is not listed"))),
        }
    }

    /// Removes what somebody has left who was killed. It is no part of the test.
    fn tidy(&self, folder: &str, now: u64) {
        let Ok(found) = self.store.list(folder, false) else { return };
        let began = |name: &str| name.strip_prefix(TRIAL)?.split('-').next()?.parse::<u64>().ok();
        for file in found {
            if began(&file.name).is_some_and(|began| began + STALE < now) {
                _ = self.store.remove(&within(folder, &file.name));
            }
        }
    }
}

fn within(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn trouble(step: StoreStep, code: Reason, text: impl Into<String>) -> StoreTrouble {
    StoreTrouble { step, code: code.into(), partition: None, reason: text.into() }
}

fn silent(step: StoreStep, partition: Option<u16>, text: &str) -> StoreTrouble {
    StoreTrouble { partition, ..trouble(step, Reason::StoreUnreachable, text) }
}

/// The store's trouble in the words of the protocol.
pub fn told(partition: Option<u16>, Trouble { kind, step, text }: Trouble) -> StoreTrouble {
    let step = match step {
        Step::Connect => StoreStep::Connect,
        Step::Encrypt => StoreStep::Encrypt,
        Step::SignIn => StoreStep::SignIn,
        Step::List => StoreStep::List,
        Step::Write => StoreStep::Write,
        Step::Read => StoreStep::Read,
        Step::Rename => StoreStep::Rename,
        Step::Remove => StoreStep::Remove,
    };
    let code = match kind {
        Kind::Missing if step == StoreStep::Connect => Reason::StoreUnreachable,
        // It was there a moment ago.
        Kind::Missing | Kind::Broken => Reason::StoreDamaged,
        Kind::Refused => Reason::StoreRefused,
        Kind::Full => Reason::StoreFull,
        Kind::Unreachable => Reason::StoreUnreachable,
    };
    StoreTrouble { partition, ..trouble(step, code, text) }
}

#[cfg(test)]
#[path = "stores_tests.rs"]
mod tests;
