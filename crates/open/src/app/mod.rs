//! Applications that call the Open API, and their keys.

mod keys;
mod list;
mod service;
mod view;

use base::http::DomainRouter;
use utoipa_axum::routes;

pub use keys::draw;
pub use list::OpenApps;
pub use service::{OpenAppInput, find, insert};
pub use view::OpenAppView;

use crate::screens::perm;

/// Their access table.
pub fn router() -> DomainRouter {
    list::router()
        .view(perm::OPEN_APP_GET, routes!(service::open_app_get))
        .act(perm::OPEN_APP_CREATE, routes!(service::open_app_create))
        .act(perm::OPEN_APP_UPDATE, routes!(service::open_app_update))
        .step_up()
        .act(perm::OPEN_APP_UPDATE, routes!(service::open_app_set_enabled))
        .act(perm::OPEN_APP_DELETE, routes!(service::open_app_delete))
        .act(perm::OPEN_APP_NEW_KEY, routes!(keys::open_key_create))
        .step_up()
        .act(perm::OPEN_APP_DROP_KEY, routes!(keys::open_key_revoke))
        .step_up()
}
