//! The images that cards run, as the cards themselves say, and what operators call them.

pub mod exclusion;
mod known;
mod list;
pub mod pair;
pub mod profile;
mod service;
pub mod trial;

pub use known::{Said, name_of, note};
pub use list::Images;
pub use service::ImageView;

use base::http::DomainRouter;
use utoipa_axum::routes;

use crate::screens::perm;

/// The access table of images.
pub fn router() -> DomainRouter {
    DomainRouter::new()
        .view(perm::SYSTEM_IMAGE_LIST, routes!(list::image_list))
        .act(perm::SYSTEM_IMAGE_EXPORT, routes!(list::image_export))
        .act(perm::SYSTEM_IMAGE_ADOPT, routes!(service::image_adopt))
        .act(perm::SYSTEM_IMAGE_PROFILE, routes!(profile::profile_tried))
        .view(perm::SYSTEM_IMAGE_LIST, routes!(exclusion::image_exclusions))
        .act(perm::SYSTEM_IMAGE_EXCLUDE, routes!(exclusion::image_exclude))
        .step_up()
        .act(perm::SYSTEM_IMAGE_EXCLUDE, routes!(exclusion::image_exclusion_approve))
        .step_up()
        .act(perm::SYSTEM_IMAGE_INCLUDE, routes!(exclusion::image_exclusion_remove))
        .view(perm::SYSTEM_IMAGE_LIST, routes!(pair::image_pairs))
        .act(perm::SYSTEM_IMAGE_DECLARE, routes!(pair::image_declare))
        .act(perm::SYSTEM_IMAGE_UNDECLARE, routes!(pair::image_undeclare))
        .view(perm::SYSTEM_IMAGE_LIST, routes!(trial::image_trials))
        .act(perm::SYSTEM_IMAGE_TRIAL, routes!(trial::image_trial))
}
