//! A BMC that dies while the power is being changed.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use redfish::{Abilities, Bmc, Error, Health, Order, Power, Rules, Sensor, Slot, SlotId, Wanted, confirm};

/// A BMC that answers until its first command, and never again.
struct Dying(AtomicU32);

#[async_trait::async_trait]
impl Bmc for Dying {
    async fn abilities(&self) -> Result<Abilities, Error> {
        Ok(Abilities::default())
    }

    async fn slots(&self) -> Result<Vec<Slot>, Error> {
        Ok(Vec::new())
    }

    async fn slot(&self, id: &SlotId) -> Result<Slot, Error> {
        if self.0.load(Ordering::Relaxed) > 0 {
            return Err(Error::Unreachable { why: "it is dead".into() });
        }
        let (name, serial, health) = (String::new(), None, Health::Unknown);
        Ok(Slot { id: id.clone(), name, serial, power: Power::On, health, orders: Vec::new(), target: None })
    }

    async fn order(&self, _: &Slot, _: Order) -> Result<(), Error> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    async fn sensors(&self) -> Result<Vec<Sensor>, Error> {
        Ok(Vec::new())
    }

    async fn close(&self) {}
}

#[tokio::test]
async fn a_bmc_that_dies_on_the_way_is_not_waited_for_as_long_as_the_power() {
    let moment = Duration::from_millis(20);
    // Waiting for the power would take for ever.
    let rules = Rules { poll: moment, silence: moment * 5, give_up: Duration::MAX, ..Rules::default() };
    let bmc = Dying(AtomicU32::new(0));
    let error = confirm(&bmc, &SlotId("1".into()), Wanted::Off, &rules).await.unwrap_err();
    assert_eq!((error.reason().code(), bmc.0.load(Ordering::Relaxed)), ("bmc_unreachable", 1));
}
