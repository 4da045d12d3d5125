//! What a job is, and how it ends.

use std::future::Future;

use kernel::text::Message;
use sea_orm::DbErr;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::JobCtx;
use crate::task::Words;

/// Work that must survive a crash.
///
/// The value is the task's payload: it contains ids and choices, not data, and can still be read if an older release
/// wrote it. `run` may be called again after a crash, a failure or a retry; it continues from its last checkpoint.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The application's state that the job works with.
    type State: Clone + Send + Sync + 'static;

    /// The stored name, such as `clientUser.import`. Never reuse one.
    const KIND: &'static str;
    /// Runs without progress after which the task fails.
    const MAX_ATTEMPTS: u8 = 3;
    /// The runner's pool for it.
    const POOL: Pool = Pool::Heavy;
    /// Higher runs first.
    const PRIORITY: i16 = 0;

    /// The title in the list of tasks.
    fn title(&self) -> Message;

    /// Tasks of the same lane run one after the other.
    fn lane(&self) -> Option<String> {
        None
    }

    /// Does the work.
    fn run(&self, ctx: &JobCtx<Self::State>) -> impl Future<Output = Result<Outcome, JobError>> + Send;
}

/// Two kinds of work, so that neither waits for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// Uses a core or much memory for a while: imports, exports, backups. A few at once.
    Heavy = 1,
    /// Mostly waits for something else, such as a card. Many at once.
    Light = 2,
}

/// The result of a successful job.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub(crate) message: Option<Words>,
    pub(crate) file: Option<ResultFile>,
}

impl Outcome {
    /// Without further details.
    #[must_use]
    pub fn done() -> Self {
        Self::default()
    }

    /// With a message for people.
    #[must_use]
    pub fn say(mut self, message: impl Into<Message>) -> Self {
        self.message = Some(message.into().into());
        self
    }

    /// With a file to download.
    #[must_use]
    pub fn with_file(mut self, file: ResultFile) -> Self {
        self.file = Some(file);
        self
    }
}

/// A result file of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// Its key in the object storage.
    pub key: String,
    /// The file name for people.
    pub name: String,
    /// Bytes.
    pub size: i64,
}

/// Why a run ends before its work is done, through no fault of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A person has cancelled the task.
    #[error("the task was cancelled")]
    Cancelled,
    /// The lease expired, and another runner has the task now.
    #[error("the lease was lost")]
    Lost,
    /// The server is shutting down; the task continues elsewhere or later.
    #[error("the server is stopping")]
    Stopping,
}

/// How a run ends otherwise.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// It had to end. Jobs pass this on with `?` and never create it.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// It cannot succeed, however often it is retried. People see the sentence.
    #[error("{}", .0.en)]
    Hopeless(Words),
    /// It may succeed later: it is retried, up to [`Job::MAX_ATTEMPTS`]. The log has the chain of causes; people see a
    /// general sentence.
    #[error(transparent)]
    Passing(#[from] anyhow::Error),
}

impl JobError {
    /// A failure that another attempt would not change.
    #[must_use]
    pub fn hopeless(message: impl Into<Message>) -> Self {
        Self::Hopeless(message.into().into())
    }
}

impl From<DbErr> for JobError {
    fn from(error: DbErr) -> Self {
        Self::Passing(error.into())
    }
}
