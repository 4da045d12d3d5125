//! Where the books and the rooms differ: what agents find that is not expected, what is expected and not
//! found, and how either is put right.

mod fix;
mod list;
mod service;
mod sight;

use utoipa_axum::routes;

pub use list::Findings;
pub use sight::{Sighting, sighted};

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// The access table of findings.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::FINDING_LIST, routes!(list::finding_list))
        .act(perm::FINDING_EXPORT, routes!(list::finding_export))
        .act(perm::FINDING_FIX, routes!(service::finding_fix))
        .act(perm::FINDING_IGNORE, routes!(service::finding_ignore))
}
