//! A client for BMCs with Redfish (DMTF DSP0266), for what the room agent needs: which card is in which slot, verified
//! power control, sensors.
//!
//! ```text
//! let pin = redfish::fingerprint(&url, limits).await?;                   // once, at enrolment; kept by the console
//! let bmc = Client::new(&url, login, Trust::Pinned(pin), limits)?;
//! let done = confirm(&bmc, &slot, Wanted::On, &Rules::default()).await?;
//! bmc.close().await;
//! ```
//!
//! Rules: one request at a time for each BMC, since slow ones fail under more; one session, reused and closed, and HTTP
//! Basic only if the BMC has no sessions; after a refused password nothing is tried for a minute; a certificate is
//! identified by its SHA-256; and a slot whose power is unknown gets no power command.

mod answer;
mod client;
mod device;
mod error;
mod power;
mod sign_in;
mod tls;

pub use client::{Client, Limits};
pub use device::{Abilities, Bmc, Health, Order, Power, Sensor, SensorKind, Slot, SlotId};
pub use error::Error;
pub use power::{Done, Rules, Wanted, confirm};
pub use sign_in::Login;
pub use tls::{Fingerprint, Trust, fingerprint};
