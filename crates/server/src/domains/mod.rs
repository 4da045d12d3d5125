//! The domains, and nothing else.

pub mod auth;
pub mod client_user;
pub mod fleet;
pub mod general;
pub mod operation;
pub mod staff;
pub mod task;
