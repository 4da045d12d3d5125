//! An import, written once: its columns, what stands in the way of a row, and what a good row does.
//!
//! Whoever uploads a spreadsheet gets a preview that names every bad row; nothing is written. Then a task takes the
//! good ones, batch by batch: the rows of a batch and the mark of how far it is are one transaction, so that after a
//! crash it goes on behind the last batch that was acknowledged, and no row is taken twice.

mod bad;
mod calls;
pub mod column;
mod effect;
pub mod entry;
mod job;
mod judge;
mod places;
mod preview;
mod prune;
mod read;
mod row;
mod start;
mod taken;

use std::fmt::Debug;

use db::WriteTx;
use kernel::rules::Check;
use kernel::text::Text;
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait;
use serde_json::Value;

pub use column::{Column, flag, of, own};
pub use effect::{Effect, GoodRows, New};
pub use preview::BadCell;
pub use prune::PruneImports;
pub use row::Row;
pub use taken::taken;

use crate::access::need::JobNeeds;
use crate::app::App;
use crate::fault::Outcome;
use crate::http::Need;
use crate::list::List;
use entry::Entry;

/// A value of several cells that no two rows of a file may share, and the field that is named when they do.
pub type Unique = (&'static str, fn(&Row) -> Option<String>);

/// An import. It is implemented for a type that names it and holds nothing: `pub struct CardImport;`.
pub trait Import: Copy + Debug + Send + Sync + 'static {
    /// The list whose headings its files have, and whose export can be sent back.
    type List: List;
    /// What a good row does.
    type Effect: Effect;
    /// What there is already, as far as the rows of a batch are judged by it.
    type Known: Send + Sync;
    /// What its rows are, as [`crate::http::ops::Audit::of`] names them; never to be changed.
    const OF: &'static str;
    /// The path of its calls: the file is sent by POST, or in pieces to `/uploads` under it; `/template`, `/{importId}/run`
    /// and `/{importId}/bad` are there too.
    const PATH: &'static str;
    /// Its heading in the API document.
    const TAG: &'static str;
    /// Its operations are called `<this>_preview`, `<this>_run`, `<this>_bad` and `<this>_template`, and those of a file in
    /// pieces as [`crate::resumable::Resumable::CALLS`] says, with `<this>_finish`.
    const CALLS: &'static str;
    /// The name of the task that takes the rows; never to be changed.
    const KIND: &'static str;
    /// What whoever imports needs.
    const NEED: Need;
    /// What whoever retries the task needs.
    const NEEDS: JobNeeds = JobNeeds { needs: &[Self::NEED], makes_file: false };
    /// The title of the task, with the file's `{name}`.
    const TITLE: Text;
    /// What the table to fill in is called.
    const TEMPLATE: Text;
    /// Rows that are taken in one transaction.
    const BATCH: usize = 1000;
    /// What no two rows of a file may share, beyond what a column says of itself by [`Column::unique`].
    const UNIQUE: &'static [Unique] = &[];

    /// The columns that are taken, in the order of the template.
    fn columns() -> Vec<Column>;

    /// What is wrong with a row, beyond the rules of its columns.
    fn check(_row: &Row, _check: &mut Check) {}

    /// Reads what `rows` are judged by. It runs for a preview, and again in the transaction that takes the rows: what
    /// was so in the preview may have changed.
    fn known(app: &App, db: &impl ConnectionTrait, rows: &[&Row]) -> impl Future<Output = Outcome<Self::Known>> + Send;

    /// What a row would do; `check` is told what stands in the way.
    fn judge(known: &Self::Known, row: &Row, check: &mut Check) -> Option<Self::Effect>;

    /// Does it, in the transaction of the batch. `effects` are those that act.
    fn apply(
        tx: &mut WriteTx,
        by: &Importer<'_>,
        effects: Vec<Self::Effect>,
    ) -> impl Future<Output = Outcome<Applied>> + Send;
}

/// Who imports, from where, and when.
#[derive(Clone, Copy, Debug)]
pub struct Importer<'a> {
    /// The application that imports.
    pub app: &'a App,
    /// The operator's name.
    pub name: &'a str,
    /// The address that the import was begun from.
    pub ip: &'a str,
    /// Now.
    pub now: UtcTime,
}

/// What was done with a batch.
pub struct Applied {
    /// What the operation log says of it, in a few words.
    pub note: String,
    /// And what else belongs there, such as which records were made: the fields of a JSON object.
    pub facts: Vec<(&'static str, Value)>,
    /// The ids of the records, for the history of each.
    pub ids: Vec<i64>,
    /// What follows once it is committed, such as telling those who watch the rows.
    pub then: Option<Then>,
}

/// What follows a commit.
pub type Then = Box<dyn FnOnce(&App) + Send>;

/// The import `I`.
#[must_use]
pub const fn entry<I: Import>() -> Entry {
    Entry { routes: calls::routes::<I>, job: |jobs| jobs.asked::<job::ImportJob<I>>(I::NEEDS), act: job::act::<I> }
}
