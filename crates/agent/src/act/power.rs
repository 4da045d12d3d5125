//! Power by the BMC: one client for each, asked one thing at a time.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use redfish::{Client, Error, Limits, Login, Rules, SlotId, Trust, Wanted, confirm};
use tokio::sync::OnceCell;
use wire::{BmcAccess, Outcome, PowerOrder};

use super::Done;

/// Between two looks at a slot whose power changes.
const POLL: Duration = Duration::from_secs(1);

/// A BMC that was visited.
#[derive(Debug)]
pub(super) struct Controller {
    access: BmcAccess,
    pub(super) client: Client,
    /// Its slots in the order in which it lists them; asked once.
    slots: OnceCell<Vec<SlotId>>,
}

impl Controller {
    /// The BMC's name of a slot, counted from 1.
    async fn slot(&self, number: u32) -> Result<&SlotId, Error> {
        use redfish::Bmc as _;
        let ask = || async { Ok(self.client.slots().await?.into_iter().map(|slot| slot.id).collect()) };
        let slots = self.slots.get_or_try_init(ask).await?;
        let at = usize::try_from(number).unwrap_or(0).checked_sub(1);
        at.and_then(|at| slots.get(at))
            .ok_or_else(|| Error::Unsupported { what: format!("slot {number}: it has {}", slots.len()) })
    }
}

/// The BMCs that were visited, kept for their sessions.
#[derive(Debug, Default)]
pub struct Controllers(Mutex<HashMap<String, Arc<Controller>>>);

impl Controllers {
    /// The client of a BMC. A certificate that nobody has pinned is believed once, and told.
    pub(super) async fn visit(&self, access: &BmcAccess) -> Result<(Arc<Controller>, Option<String>), Error> {
        let same = |kept: &BmcAccess| {
            (&kept.username, &kept.password) == (&access.username, &access.password)
                && (kept.certificate == access.certificate || access.certificate.is_empty())
        };
        if let Some(known) = self.0.lock().get(&access.url).filter(|known| same(&known.access)) {
            return Ok((Arc::clone(known), None));
        }
        let limits = Limits::default();
        let (trust, seen) = if access.url.starts_with("http://") {
            (Trust::NoTls, None)
        } else if access.certificate.is_empty() {
            let found = redfish::fingerprint(&access.url, limits).await?;
            (Trust::Pinned(found), Some(found.to_string()))
        } else {
            (Trust::Pinned(access.certificate.parse()?), None)
        };
        let client = Client::new(&access.url, Login::new(&access.username, &access.password), trust, limits)?;
        let mut access = access.clone();
        if let Some(certificate) = &seen {
            access.certificate.clone_from(certificate);
        }
        let url = access.url.clone();
        let made = Arc::new(Controller { access, client, slots: OnceCell::new() });
        self.0.lock().insert(url, Arc::clone(&made));
        Ok((made, seen))
    }

    /// Ends all sessions.
    pub async fn close(&self) {
        use redfish::Bmc as _;
        let all: Vec<Arc<Controller>> = self.0.lock().drain().map(|(_, known)| known).collect();
        for known in all {
            known.client.close().await;
        }
    }
}

/// Changes the power of the card in a slot, and sees that it changed.
pub async fn power(all: &Controllers, access: &BmcAccess, order: PowerOrder, serial: Option<&str>) -> Done {
    let (bmc, certificate) = match all.visit(access).await {
        Ok(found) => found,
        Err(error) => return failed(&error, None),
    };
    let wanted = match order {
        PowerOrder::On => Wanted::On,
        PowerOrder::Off => Wanted::Off,
        PowerOrder::Cycle => Wanted::Cycle,
    };
    let rules = Rules { poll: POLL, serial: serial.map(str::to_owned), ..Rules::default() };
    let ordered = async { confirm(&bmc.client, bmc.slot(access.slot).await?, wanted, &rules).await };
    match ordered.await {
        Ok(done) => {
            let output = format!("orders sent: {}", done.sent);
            Done { certificate, output, ..Done::so(Outcome::Succeeded) }
        }
        Err(error) => failed(&error, certificate),
    }
}

fn failed(error: &Error, certificate: Option<String>) -> Done {
    Done { certificate, ..Done::so(Outcome::failed(error.code(), error.to_string())) }
}
