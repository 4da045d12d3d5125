//! An import, as a domain hands it over.

use kernel::text::Text;

use crate::domain::Jobs;
use crate::http::DomainRouter;

/// An import; [`super::entry`] makes it.
#[derive(Clone, Copy)]
pub struct Entry {
    /// Its calls.
    pub routes: fn() -> DomainRouter,
    /// Adds the task that takes the rows.
    pub job: fn(Jobs) -> Jobs,
    /// What the operation log calls that a batch of rows was written.
    pub act: fn() -> (&'static str, Text),
}
