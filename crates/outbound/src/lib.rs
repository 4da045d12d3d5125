//! Which configured addresses the product may connect to: BMCs, cards, object storage, providers.
//!
//! ```text
//! let rule = Rule::new(config.allow_outbound.clone());
//! rule.check("169.254.169.254".parse()?)?;                 // refused: the metadata of a cloud
//! let http = Http::new(rule, reqwest::Client::builder())?; // connects to nothing that the rule refuses
//! ```
//!
//! An address is refused if it leads to this machine, to its link, to many machines or to none, in any notation:
//! otherwise whoever may enter an address could use the server as a proxy. A name is resolved once, and the connection
//! goes to the address that was checked.

mod http;
mod net;
mod pin;
mod rule;

pub use http::Http;
pub use net::{BadNet, Net};
pub use pin::{BadFingerprint, Fingerprint, Seen, tls};
pub use rule::{Refused, Rule};
