//! The border between HTTP and the domains: envelope, errors, extractors, guard, server.

pub mod answer;
pub mod body;
pub mod docs;
pub mod envelope;
pub mod events;
pub mod file;
pub mod guard;
pub mod health;
pub mod meta;
pub mod openapi;
pub mod ops;
pub mod outer;
pub mod page;
pub mod serve;
pub mod sort;
pub mod upload;
pub mod web;

pub use body::{Params, Valid, Validate};
pub use envelope::{ApiResult, Nothing, Reply, done, reply};
pub use guard::{DomainRouter, Need};
pub use meta::Meta;
pub use page::PageInput;
pub use sort::{Direction, Sort, SortBy};
