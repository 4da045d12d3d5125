//! A client of BMCs that speak Redfish (DMTF DSP0266), for what the room agent needs: who is in which slot, power with
//! proof, sensors.
//!
//! ```text
//! let pin = redfish::fingerprint(&url, limits).await?;                   // once, at enrolment; kept by the console
//! let bmc = Client::new(&url, login, Trust::Pinned(pin), limits)?;
//! let done = confirm(&bmc, &slot, Wanted::On, &Rules::default()).await?;
//! bmc.close().await;
//! ```
//!
//! Rules: one request at a time for each BMC, since slow ones break under more; one session, reused and ended; after a
//! refused password nothing is tried for a minute; a certificate is known by its SHA-256; and a slot whose power is
//! unknown gets no power command.

mod client;
mod device;
mod error;
mod power;
mod tls;

pub use client::{Client, Limits, Login};
pub use device::{Abilities, Bmc, Health, Order, Power, Sensor, SensorKind, Slot, SlotId};
pub use error::Error;
pub use power::{Done, Rules, Wanted, confirm};
pub use tls::{Fingerprint, Trust, fingerprint};
