//! The HTTP layer: envelope, errors, extractors, guard, server.

pub mod answer;
pub mod body;
pub mod connections;
pub mod cookies;
pub mod deadline;
pub mod decided;
pub mod described;
mod disks;
pub mod docs;
pub mod envelope;
pub mod events;
pub mod file;
pub mod guard;
mod hang_up;
pub mod health;
mod held;
pub mod leased;
pub mod listen;
pub mod meta;
pub mod openapi;
pub mod ops;
pub mod outage;
pub mod outer;
pub mod page;
mod requests;
pub mod serve;
mod shared_schemas;
mod taken;
pub mod upload;

pub use crate::access::need::{Case, Need};
pub use body::{Params, Valid, Validate};
pub use envelope::{ApiResult, Nothing, Reply, done, reply};
pub use guard::DomainRouter;
pub use meta::Meta;
pub use page::PageInput;
