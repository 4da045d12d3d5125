//! Views of the whole business: the dashboard, the search, whether the data is intact, and tasks; and where the company's
//! gateways and services answer.

mod address;
pub mod general;
mod screens;
pub mod task;

pub use address::make_demo_gateway;
use base::domain::Domain;

/// The domains of this group.
pub const DOMAINS: &[Domain] = &[general::DOMAIN, task::DOMAIN, address::DOMAIN];
