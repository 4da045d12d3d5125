//! Ends of shells that the database did not take when they came: they are written as soon as it does.

use std::collections::BTreeMap;
use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use entity::ShellId;
use kernel::time::UtcTime;
use parking_lot::Mutex;

use super::record;

/// Interval between two tries.
pub const RETRY: Duration = Duration::from_secs(2);

/// When and why a shell ended.
#[derive(Clone, Debug)]
pub struct End {
    pub at: UtcTime,
    pub why: String,
}

/// Ends that are not in the log yet. A stop of the console loses them; its next start closes those records
/// ([`record::close_open`]).
#[derive(Debug, Default)]
pub struct LateEnds(Mutex<BTreeMap<ShellId, End>>);

/// Writes the end of a shell, now or later.
pub async fn write(app: &App, id: ShellId, end: End) {
    if let Err(fault) = record::end(app, id, &end).await {
        tracing::error!(shell = id.0, ?fault, "could not close a shell record; it is tried again");
        app.part::<LateEnds>().0.lock().insert(id, end);
    }
}

/// Writes what is late. Never asks to be called again at once.
///
/// # Errors
/// None: what fails is tried again.
pub async fn round(app: &App) -> Outcome<bool> {
    let late = app.part::<LateEnds>().0.lock().clone();
    for (id, end) in late {
        match record::end(app, id, &end).await {
            Ok(()) => _ = app.part::<LateEnds>().0.lock().remove(&id),
            // The others have no better luck, and the database says on its own that it is away.
            Err(Fault::Unavailable(_)) => break,
            Err(fault) => tracing::warn!(shell = id.0, ?fault, "a shell record is still open; it is tried again"),
        }
    }
    Ok(false)
}

/// How many shells have ended without a line in the log so far.
#[must_use]
pub fn count(app: &App) -> usize {
    app.part::<LateEnds>().0.lock().len()
}
