//! Who may do what: the catalogue of screens and codes, and sessions.

pub mod awaiting;
pub mod catalog;
mod devices;
pub mod half;
pub mod session;
pub mod sync;
