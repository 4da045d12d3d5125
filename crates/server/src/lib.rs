//! The server of Skyrack: the back-office console of cloud-phone and cloud-game companies.
//!
//! `http` is the border, `access` says who may do what, `domains` hold the business. ARCHITECTURE.md
//! draws the map.

pub mod access;
pub mod admin;
pub mod agent_link;
pub mod anchor;
pub mod app;
pub mod backup;
pub mod boot;
pub mod cli;
pub mod config;
pub mod demo;
pub mod domains;
pub mod export;
mod exposition;
pub mod fault;
pub mod http;
pub mod router;
pub mod settings;
pub mod sheet;
pub mod work;
