//! Views of the whole business: the dashboard, the search, whether the data is intact, and tasks.

pub mod general;
mod screens;
pub mod task;

use base::domain::Domain;

/// The domains of this group.
pub const DOMAINS: &[Domain] = &[general::DOMAIN, task::DOMAIN];
