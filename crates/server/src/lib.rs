//! The program: it assembles the domains, and starts, stops, backs up and shows them.
//!
//! What a domain consists of is in `base`; see ARCHITECTURE.md.

pub mod admin;
pub mod alone;
pub mod backup;
pub mod boot;
pub mod catalogue;
pub mod cli;
mod console;
pub mod demo;
pub mod domains;
pub mod duty;
mod exposition;
pub mod modes;
pub mod router;
pub mod web;
