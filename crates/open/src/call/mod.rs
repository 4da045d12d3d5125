//! The log of the Open API: noted in memory, written in batches, pruned by age and length.

mod list;
mod log;
mod prune;

pub use list::{OpenCalls, router};
pub use log::{Call, CallLog, flush, keep, note};
pub use prune::{PruneCalls, prune};

use db::kept::{Field, List, Packed, Place};
use entity::OpenAppId;
use entity::open_call::OpenOutcome;

const OUTCOME: Field = Field::new(0, 2, "CASE WHEN status < 400 THEN 1 WHEN status < 500 THEN 2 ELSE 3 END");
const APP: Field = Field::new(2, 29, "app_id");

/// Calls by application and by what became of them.
pub const CALLS: Packed = Packed { list: List(30), table: "open_call", word: None, fields: &[OUTCOME, APP] };

/// A row's place in the kept counters.
fn place(id: i64, app: OpenAppId, status: i16) -> Place {
    Place { cell: APP.put(app.0) | OUTCOME.put(OpenOutcome::of(status).code().into()), id }
}
