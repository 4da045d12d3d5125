//! The domains, and nothing else.

pub mod auth;
pub mod client_user;
pub mod general;
pub mod staff;
pub mod task;
