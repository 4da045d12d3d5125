//! The people who run this console: operators, permission groups, the menu tree that rights hang on,
//! and the log of what was done.
//!
//! What it is not: proving who somebody is (`auth`).

pub mod group;
pub mod log;
pub mod menu;
pub mod operator;
mod rights;

pub use group::Groups;
pub use log::LogLines;
pub use menu::Menus;
pub use operator::Operators;
pub use rights::must_cover;

use crate::http::DomainRouter;

/// The access table of this domain.
#[must_use]
pub fn router() -> DomainRouter {
    DomainRouter::new().merge(menu::router()).merge(operator::router()).merge(group::router()).merge(log::router())
}
