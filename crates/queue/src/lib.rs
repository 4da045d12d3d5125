//! The durable task engine: what must survive a crash is a task.
//!
//! A [`Job`] is serialised into a row of the table `task` inside the caller's own transaction
//! ([`Queue::enqueue`]); a [`Runner`] claims due rows in batches, runs them, and writes their end.
//! The crate knows no job and nothing of the application: jobs are registered ([`Registry`]) and get the application's
//! state through their [`JobCtx`].
//!
//! # Guarantees
//!
//! * **One runner at a time.** A claim grants a lease and increments `attempt`. That number is the
//!   fencing token: every write of a run checks it, so a run that has lost its lease can write nothing.
//! * **Nothing twice.** [`JobCtx::checkpoint`] is written in the transaction that holds a batch's
//!   work. After `kill -9` the next run starts from the last checkpoint that was committed. What a
//!   job does outside the database it must make idempotent itself.
//! * **One at a time per lane.** Tasks that name the same [`Job::lane`] never run side by side.
//! * **Every task ends.** A run that fails is retried with increasing waits, at most
//!   [`Job::MAX_ATTEMPTS`] times; a run that vanishes with its process counts as a failed one. A
//!   checkpoint resets the count: a task that makes progress does not fail.
//! * **Cancel** ends a queued task at once, and a running one at its next checkpoint; the batch
//!   in progress is rolled back. **Retry** of a failed or cancelled task continues from its checkpoint.
//!
//! Leases compare wall clocks. Servers that share a database must keep theirs in step to within
//! [`Settings::lease`].

mod ctx;
mod job;
mod queue;
mod registry;
mod runner;
mod schedule;
mod store;
pub mod task;

pub use ctx::JobCtx;
pub use job::{Job, JobError, Outcome, Pool, ResultFile, Stop};
pub use queue::{Cancelled, Expired, Queue, TaskEvent};
pub use registry::Registry;
pub use runner::{Runner, Settings};
pub use schedule::BadSchedule;
pub use task::{Creator, TaskId, TaskState, Words};
