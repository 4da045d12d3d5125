//! Customers out of a spreadsheet: a preview that names every bad row, then a task that takes the good ones.

pub mod preview;
mod prune;
mod rows;
mod run;
pub mod start;

pub use prune::PruneImports;
pub use run::ImportClientUsers;

/// What `import_file.kind` says.
const KIND: &str = "clientUser";
/// Where uploaded files wait in the object storage.
const FOLDER: &str = "import";
