//! The operators of the console: how they sign in, what they may do, what they did, and their notices.

pub mod auth;
pub mod notice;
mod screens;
pub mod staff;

use base::domain::Domain;

/// The domains of this group. Operators first: rows of the others refer to them.
pub const DOMAINS: &[Domain] = &[staff::DOMAIN, auth::DOMAIN, notice::DOMAIN];
