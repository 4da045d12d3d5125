//! The integration tests: one binary, one file per domain.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

mod access;
mod alone;
mod append_only;
mod architecture;
mod auth;
mod backup;
mod border;
mod circles;
mod client_user;
mod contract;
mod demo;
mod events;
mod filters;
mod fleet;
mod general;
mod inspection;
mod integrity;
mod lists;
mod login_key;
mod modes;
mod nodes;
mod notices;
mod openid;
mod operation;
mod ready;
mod resumable;
mod sample;
mod second_factor;
mod service_addresses;
mod settings;
mod sign_in_limits;
mod staff;
mod step_up;
mod taken;
mod task;
mod uploads;
