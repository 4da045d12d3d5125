//! Power with proof: order, look, order again if it was lost, give up in the end.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::device::{Bmc, Order, Power, Slot, SlotId};
use crate::error::Error;

/// What is wanted of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Power.
    On,
    /// No power, at once.
    Off,
    /// Off and on again, each proved. `ForceRestart` is not used: from on to on nothing could be seen.
    Cycle,
}

/// How to insist. The defaults are RackN's: look every 5 s, order again every 30 s, give up after 300 s.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Between two looks.
    pub poll: Duration,
    /// Until an order counts as lost.
    pub resend: Duration,
    /// Until it is given up.
    pub give_up: Duration,
    /// The serial that must be in the slot, where the BMC tells serials.
    pub serial: Option<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            poll: Duration::from_secs(5),
            resend: Duration::from_secs(30),
            give_up: Duration::from_mins(5),
            serial: None,
        }
    }
}

/// What it took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done {
    /// Orders that were sent; 0: it was so already.
    pub sent: u32,
    /// How long it took.
    pub took: Duration,
}

/// Changes the power of a slot and returns when the change is seen.
///
/// # Errors
/// The power is unknown before the first order, another card is in the slot, or it does not change in time.
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
    loop {
        let trouble = match look(bmc, id, rules).await {
            Ok(slot) if slot.power == goal => return Ok(sent),
            Ok(slot) => {
                let due = ordered.is_none_or(|at| at.elapsed() >= rules.resend);
                // Only a confirmed opposite gets an order: what is on its way is waited for, what is unknown too.
                if due && matches!(slot.power, Power::On | Power::Off) {
                    bmc.order(&slot, order).await?;
                    sent += 1;
                    ordered = Some(Instant::now());
                }
                None
            }
            // A BMC that is busy with the power may miss a question.
            Err(error @ (Error::Timeout { .. } | Error::Unreachable { .. })) => Some(error),
            Err(error) => return Err(error),
        };
        if started.elapsed() >= rules.give_up {
            return Err(trouble.unwrap_or(Error::PowerStuck { sent, after: started.elapsed() }));
        }
        sleep(rules.poll).await;
    }
}
