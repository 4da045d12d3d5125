//! The integration tests: one binary, one file per domain.

#![expect(clippy::unwrap_used, reason = "a test that can not go on should panic")]
#![allow(dead_code, reason = "the support offers more than the first tests use")]

mod access;
mod architecture;
mod auth;
mod backup;
mod client_user;
mod contract;
mod events;
mod fleet;
mod general;
mod lists;
mod login_key;
mod openid;
mod operation;
mod second_factor;
mod settings;
mod sign_in_limits;
mod staff;
mod support;
mod task;
