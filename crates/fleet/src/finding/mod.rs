//! Differences between the records and the rooms: unexpected cards that agents find, expected cards that they do not
//! find, and how both are resolved.

mod fix;
mod list;
mod proposal;
mod service;
mod sight;

use utoipa_axum::routes;

pub use list::Findings;
pub use service::FindingView;
pub use sight::{Sighting, sighted};

use base::http::DomainRouter;

use crate::screens::perm;

/// The access table of findings.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::FINDING_LIST, routes!(list::finding_list))
        .act(perm::FINDING_EXPORT, routes!(list::finding_export))
        .act(perm::FINDING_FIX, routes!(service::finding_fix))
        .act(perm::FINDING_IGNORE, routes!(service::finding_ignore))
}
