//! The durable task engine: what must survive a crash is a task.
//!
//! A [`Job`] is serialised into a row of the table `task` inside the caller's own transaction
//! ([`Queue::enqueue`]); a [`Runner`] claims due rows in batches, runs them, and writes their end.
//! The crate knows no job and nothing of the application: jobs are registered ([`Registry`]) and
//! get the application's state through their [`JobCtx`].
//!
//! # What is promised
//!
//! * **One runner at a time.** A claim gives a lease and counts `attempt` up. That number is the
//!   fencing token: every write of a run names it, so a run whose lease was lost can write nothing.
//! * **Nothing twice.** [`JobCtx::checkpoint`] is written in the transaction that holds a batch's
//!   work. After `kill -9` the next run starts from the last checkpoint that was committed. What a
//!   job does outside the database it must make idempotent itself.
//! * **One at a time per lane.** Tasks that name the same [`Job::lane`] never run side by side.
//! * **Every task ends.** A run that fails is tried again with growing waits, at most
//!   [`Job::MAX_ATTEMPTS`] times; a run that vanishes with its process counts as a failed one. A
//!   checkpoint starts the count anew: a task that moves is not given up.
//! * **Cancel** ends a queued task at once, and a running one at its next checkpoint; the batch
//!   under way is undone. **Retry** of a failed or cancelled task goes on from its checkpoint.
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
