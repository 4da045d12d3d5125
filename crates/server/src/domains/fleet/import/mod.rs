//! Cards out of a spreadsheet: a preview that names every bad row and says what the others would change,
//! then a task that takes the good ones.

mod api;
mod compare;
mod preview;
mod rows;
mod run;

use axum::extract::DefaultBodyLimit;
use utoipa_axum::router::UtoipaMethodRouterExt as _;
use utoipa_axum::routes;

pub use run::ImportCards;

use crate::access::catalog::perm;
use crate::http::DomainRouter;

/// What `import_file.kind` says.
const KIND: &str = "card";
/// Where uploaded files wait in the object storage.
const FOLDER: &str = "import";

/// The access table of imports.
pub fn router() -> DomainRouter {
    let preview = routes!(api::card_import_preview).layer(DefaultBodyLimit::max(api::BODY_LIMIT));
    DomainRouter::new()
        .act(perm::DEVICE_IMPORT, preview)
        .act(perm::DEVICE_IMPORT, routes!(api::card_import_run))
        .view(perm::DEVICE_IMPORT, routes!(api::card_import_template))
}
