//! Verified power control: send a command, check, send it again if it was lost, and give up in the end.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::device::{Bmc, Order, Power, Slot, SlotId};
use crate::error::Error;

/// The desired power of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// On.
    On,
    /// Off, at once.
    Off,
    /// Off and on again, each verified. `ForceRestart` is not used: no change would be visible.
    Cycle,
}

/// Timing. The defaults are RackN's: check every 5 s, send again every 30 s, give up after 300 s.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Interval between checks.
    pub poll: Duration,
    /// Until a command is considered lost.
    pub resend: Duration,
    /// Until it is given up.
    pub give_up: Duration,
    /// Until a BMC that does not answer at all is given up: one that is busy with the power may miss some requests.
    pub silence: Duration,
    /// The serial that must be in the slot, if the BMC reports serials.
    pub serial: Option<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(5),
            resend: Duration::from_secs(30),
            give_up: Duration::from_mins(5),
            silence: Duration::from_secs(15),
            serial: None,
        }
    }
}

/// The effort it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Commands that were sent; 0 if the power was already as desired.
    pub sent: u32,
    /// How long it took.
    pub took: Duration,
}

/// Changes the power of a slot and returns when the change is confirmed.
///
/// # Errors
/// The power is unknown before the first command, another card is in the slot, or it does not change in time.
pub async fn confirm(bmc: &dyn Bmc, id: &SlotId, wanted: Wanted, rules: &Rules) -> Result<Done, Error> {
    let started = Instant::now();
    let first = look(bmc, id, rules).await?;
    if first.power == Power::Unknown {
        return Err(Error::PowerUnknown);
    }
    let mut sent = 0;
    if matches!(wanted, Wanted::Off | Wanted::Cycle) {
        sent += reach(bmc, id, Power::Off, Order::ForceOff, rules).await?;
    }
    if matches!(wanted, Wanted::On | Wanted::Cycle) {
        sent += reach(bmc, id, Power::On, Order::On, rules).await?;
    }
    Ok(Done { sent, took: started.elapsed() })
}

/// The slot, if the right card is in it.
async fn look(bmc: &dyn Bmc, id: &SlotId, rules: &Rules) -> Result<Slot, Error> {
    let slot = bmc.slot(id).await?;
    match (&rules.serial, &slot.serial) {
        (Some(expected), Some(found)) if expected != found => {
            Err(Error::WrongCard { expected: expected.clone(), found: found.clone() })
        }
        _ => Ok(slot),
    }
}

async fn reach(bmc: &dyn Bmc, id: &SlotId, goal: Power, order: Order, rules: &Rules) -> Result<u32, Error> {
    let started = Instant::now();
    let (mut sent, mut ordered): (u32, Option<Instant>) = (0, None);
    let mut heard = started;
    loop {
        let trouble = match look(bmc, id, rules).await {
            Ok(slot) if slot.power == goal => return Ok(sent),
            Ok(slot) => {
                heard = Instant::now();
                let due = ordered.is_none_or(|at| at.elapsed() >= rules.resend);
                // Only the confirmed opposite state gets a command: a changing or unknown state is waited for.
                if due && matches!(slot.power, Power::On | Power::Off) {
                    bmc.order(&slot, order).await?;
                    sent += 1;
                    ordered = Some(Instant::now());
                }
                None
            }
            // A BMC that is busy with the power may miss a request.
            Err(error @ (Error::Timeout { .. } | Error::Unreachable { .. })) => Some(error),
            Err(error) => return Err(error),
        };
        match trouble {
            Some(error) if heard.elapsed() >= rules.silence => return Err(error),
            _ if started.elapsed() < rules.give_up => {}
            Some(error) => return Err(error),
            None => return Err(Error::PowerStuck { sent, after: started.elapsed() }),
        }
        sleep(rules.poll).await;
    }
}
