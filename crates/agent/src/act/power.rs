//! Power through the BMC: one client for each, one request at a time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use outbound::{Net, Rule};
use parking_lot::Mutex;
use redfish::{
    Abilities, Bmc, Client, Error, Limits, Login, Order, Rules, Sensor, Slot, SlotId, Trust, Wanted, confirm,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;
use url::{Host, Url};
use wire::{BmcAccess, Effect, Outcome, PowerOrder};

use crate::done::Done;

/// Interval between checks of a slot whose power changes.
const POLL: Duration = Duration::from_secs(1);
/// A BMC that did not answer is asked again after this time: requests in between fail like the first one.
const DEAD: Duration = Duration::from_secs(10);

/// A BMC that has been used.
#[derive(Debug)]
pub(super) struct Controller {
    access: BmcAccess,
    pub(super) client: Client,
    /// Its slots in the order in which it lists them; read once.
    slots: OnceCell<Vec<SlotId>>,
}

impl Controller {
    /// The BMC's name for a slot, counted from 1.
    async fn slot(&self, number: u32) -> Result<&SlotId, Error> {
        let ask = || async { Ok(self.client.slots().await?.into_iter().map(|slot| slot.id).collect()) };
        let slots = self.slots.get_or_try_init(ask).await?;
        let at = usize::try_from(number).unwrap_or(0).checked_sub(1);
        at.and_then(|at| slots.get(at))
            .ok_or_else(|| Error::Unsupported { what: format!("slot {number}: it has {}", slots.len()) })
    }
}

/// A client that counts the commands that it sends.
struct Counting<'a> {
    client: &'a Client,
    sent: AtomicU32,
}

#[async_trait]
impl Bmc for Counting<'_> {
    async fn abilities(&self) -> Result<Abilities, Error> {
        self.client.abilities().await
    }

    async fn slots(&self) -> Result<Vec<Slot>, Error> {
        self.client.slots().await
    }

    async fn slot(&self, id: &SlotId) -> Result<Slot, Error> {
        self.client.slot(id).await
    }

    async fn order(&self, slot: &Slot, order: Order) -> Result<(), Error> {
        // Before sending: a command without an answer may have arrived.
        self.sent.fetch_add(1, Ordering::Relaxed);
        self.client.order(slot, order).await
    }

    async fn sensors(&self) -> Result<Vec<Sensor>, Error> {
        self.client.sensors().await
    }

    async fn close(&self) {
        self.client.close().await;
    }
}

/// The BMCs that have been used, kept for their sessions.
#[derive(Debug)]
pub struct Controllers {
    known: Mutex<HashMap<String, Arc<Controller>>>,
    /// Those that did not answer, since when.
    silent: Mutex<HashMap<String, (Instant, Error)>>,
    targets: Rule,
    /// The networks of the agent's own flags, outside which nothing is connected to; no restriction if empty.
    own_nets: Vec<Net>,
    /// The room's networks as the console told them last; none before it has.
    told_nets: Mutex<Option<Vec<Net>>>,
}

impl Controllers {
    /// None yet.
    #[must_use]
    pub fn new(targets: Rule, own_nets: Vec<Net>) -> Self {
        let (known, silent, told_nets) = (Mutex::default(), Mutex::default(), Mutex::default());
        Self { known, silent, targets, own_nets, told_nets }
    }

    /// From now on BMCs are in these networks of the room. A console of an older version tells none: that changes
    /// nothing.
    pub fn confine(&self, nets: &[String]) {
        if nets.is_empty() {
            return;
        }
        let told = nets.iter().filter_map(|net| {
            net.parse::<Net>()
                .inspect_err(|error| tracing::warn!(%error, "the console told a network that is none"))
                .ok()
        });
        let mut known = self.told_nets.lock();
        let before = known.replace(told.collect());
        // Who widens them is in the console's operation log; here it is on record on the other side too.
        if before.is_some() && before != *known {
            tracing::warn!(?before, now = ?*known, "the console changed the room's management networks");
        }
    }

    /// A BMC's URL must contain its address: a name could resolve differently each time.
    fn permit(&self, url: &str) -> Result<(), Error> {
        let refused = |why: String| Error::AddressRefused { why };
        let url = Url::parse(url).map_err(|_| refused("the BMC has no valid address".to_owned()))?;
        let address: IpAddr = match url.host() {
            Some(Host::Ipv4(address)) => address.into(),
            Some(Host::Ipv6(address)) => address.into(),
            Some(Host::Domain(_)) | None => {
                return Err(refused("a BMC must be given by address, not by name".to_owned()));
            }
        };
        self.targets.check(address).map_err(|error| refused(error.to_string()))?;
        let is_in = |nets: &[Net]| nets.iter().any(|net| net.contains(address));
        if !self.own_nets.is_empty() && !is_in(&self.own_nets) {
            return Err(refused(format!("{address} is outside the agent's --management-net")));
        }
        if self.told_nets.lock().as_deref().is_some_and(|nets| !is_in(nets)) {
            return Err(refused(format!("{address} is outside the room's management networks")));
        }
        Ok(())
    }

    /// The client of a BMC. A certificate is trusted on first use, and reported.
    pub(super) async fn visit(&self, access: &BmcAccess) -> Result<(Arc<Controller>, Option<String>), Error> {
        self.permit(&access.url)?;
        let same = |kept: &BmcAccess| {
            (&kept.username, &kept.password) == (&access.username, &access.password)
                && (kept.certificate == access.certificate || access.certificate.is_empty())
        };
        if let Some(known) = self.known.lock().get(&access.url).filter(|known| same(&known.access)) {
            return Ok((Arc::clone(known), None));
        }
        let limits = Limits::default();
        let (trust, seen) = if access.url.starts_with("http://") {
            (Trust::NoTls, None)
        } else if access.certificate.is_empty() {
            let found = redfish::fingerprint(&access.url, limits).await?;
            (Trust::Pinned(found), Some(found.to_string()))
        } else {
            (Trust::pinned(&access.certificate)?, None)
        };
        let client = Client::new(&access.url, Login::new(&access.username, &access.password), trust, limits)?;
        let mut access = access.clone();
        if let Some(certificate) = &seen {
            access.certificate.clone_from(certificate);
        }
        let url = access.url.clone();
        let made = Arc::new(Controller { access, client, slots: OnceCell::new() });
        self.known.lock().insert(url, Arc::clone(&made));
        Ok((made, seen))
    }

    /// Why a BMC does not answer, if that was found just now.
    fn silence(&self, url: &str) -> Option<Error> {
        let silent = self.silent.lock();
        silent.get(url).filter(|(since, _)| since.elapsed() < DEAD).map(|(_, error)| error.clone())
    }

    /// Records whether a BMC answers.
    fn note(&self, url: &str, error: Option<&Error>) {
        let mut silent = self.silent.lock();
        match error {
            Some(error @ (Error::Unreachable { .. } | Error::Timeout { .. })) => {
                silent.insert(url.to_owned(), (Instant::now(), error.clone()));
            }
            _ => {
                silent.remove(url);
            }
        }
    }

    /// Ends all sessions.
    pub async fn close(&self) {
        let all: Vec<Arc<Controller>> = self.known.lock().drain().map(|(_, known)| known).collect();
        for known in all {
            known.client.close().await;
        }
    }
}

/// Changes the power of the card in a slot, and verifies that it changed.
pub async fn power(all: &Controllers, access: &BmcAccess, order: PowerOrder, serial: Option<&str>) -> Done {
    if let Some(error) = all.silence(&access.url) {
        return failed(&error, 0, None);
    }
    let (bmc, certificate) = match all.visit(access).await {
        Ok(found) => found,
        Err(error) => {
            all.note(&access.url, Some(&error));
            return failed(&error, 0, None);
        }
    };
    let wanted = match order {
        PowerOrder::On => Wanted::On,
        PowerOrder::Off => Wanted::Off,
        PowerOrder::Cycle => Wanted::Cycle,
    };
    let rules = Rules { poll: POLL, serial: serial.map(str::to_owned), ..Rules::default() };
    let counting = Counting { client: &bmc.client, sent: AtomicU32::new(0) };
    let ordered = async { confirm(&counting, bmc.slot(access.slot).await?, wanted, &rules).await };
    let ordered = ordered.await;
    all.note(&access.url, ordered.as_ref().err());
    match ordered {
        Ok(done) => {
            let output = format!("commands sent: {}", done.sent);
            Done { certificate, output, ..Done::so(Outcome::Succeeded) }
        }
        Err(error) => failed(&error, counting.sent.load(Ordering::Relaxed), certificate),
    }
}

/// Without a command nothing was done; with one the effect is unknown yet.
fn failed(error: &Error, sent: u32, certificate: Option<String>) -> Done {
    let effect = if sent == 0 { Effect::NeverBegan } else { Effect::Unknown };
    let output = if sent == 0 { String::new() } else { format!("commands sent: {sent}") };
    Done { certificate, output, ..Done::so(Outcome::failed(error.reason(), error.to_string()).with(effect)) }
}
