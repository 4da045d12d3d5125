//! The book of rules by which phones are used and leave their cards: values for everybody, a plan, a room, a room and plan, a
//! phone. Of each rule the narrowest value holds; where nobody has set one, the program's own.

mod api;
pub mod demo;
pub mod field;
mod history;
pub mod moment;
pub mod off;
mod preview;
mod resolve;
mod scope;
mod scopes;
mod service;
mod store;
mod values;

use base::http::DomainRouter;
use utoipa_axum::routes;

pub use history::RuleChanges;
pub use resolve::{Held, Place, Rules};
pub use scope::Scope;
pub use scopes::RuleScopes;
pub use store::{effective, effective_at, effective_many, forget, grace, least_grace, most_notice, notice};
pub use values::{Night, RuleValues};

use crate::screens::perm;

/// The access table of rules.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::PHONE_RULE_GET, routes!(api::phone_rule_get))
        .view(perm::PHONE_RULE_GET, routes!(api::phone_rule_preview))
        .view(perm::PHONE_RULE_GET, routes!(api::phone_rule_held))
        .act(perm::PHONE_RULE_UPDATE, routes!(api::phone_rule_update))
        .step_up()
        .merge(scopes::router())
        .merge(history::router())
}
