//! What all other crates need: time, ids, pages, texts, rules.
//!
//! This crate knows neither HTTP nor SQL; it only derives the column, JSON and OpenAPI forms of its small types.

pub mod clock;
pub mod coded;
pub mod id;
pub mod ip4;
pub mod lang;
pub mod page;
pub mod rules;
pub mod text;
pub mod time;
