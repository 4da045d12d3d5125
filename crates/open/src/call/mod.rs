//! The log of the Open API: noted in memory, written in batches, pruned by age and length.

mod list;
mod log;
mod prune;

pub use list::{OpenCalls, router};
pub use log::{Call, CallLog, flush, keep, note};
pub use prune::{PruneCalls, prune};

use db::kept::{List, Place};
use entity::OpenAppId;
use entity::open_call::OpenOutcome;

/// The kept counters of this list. A row's cell is its application and what became of it.
const LIST: List = List(30);
/// Cells of an application: the outcomes have the numbers 1 to 3.
const SHIFT: u8 = 2;

/// The cell of calls of an application with this outcome.
fn cell(app: OpenAppId, outcome: OpenOutcome) -> i32 {
    // A number that no application has has no row either.
    let app = app.0.checked_mul(1 << SHIFT).and_then(|cell| i32::try_from(cell).ok()).unwrap_or(0);
    app | i32::from(outcome.code())
}

/// A row's place in the kept counters.
fn place(id: i64, app: OpenAppId, status: i16) -> Place {
    Place { cell: cell(app, OpenOutcome::of(status)), id }
}
