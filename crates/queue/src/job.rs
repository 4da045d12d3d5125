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
/// The value is the task's payload: it carries ids and choices, not data, and still reads what an
/// older release wrote. `run` may be called again after a crash, a failure or a retry; it goes on
/// from its last checkpoint.
pub trait Job: Serialize + DeserializeOwned + Send + Sync + 'static {
    /// The application's state that the job works with.
    type State: Clone + Send + Sync + 'static;

    /// The stored name, such as `clientUser.import`. Never reuse one.
    const KIND: &'static str;
    /// Runs without progress before the task is given up.
    const MAX_ATTEMPTS: u8 = 3;
    /// Which of the runner's pools takes it.
    const POOL: Pool = Pool::Heavy;
    /// Higher goes first.
    const PRIORITY: i16 = 0;

    /// What people read in the list of tasks.
    fn title(&self) -> Message;

    /// Tasks that name the same lane run one after the other.
    fn lane(&self) -> Option<String> {
        None
    }

    /// Does the work.
    fn run(&self, ctx: &JobCtx<Self::State>) -> impl Future<Output = Result<Outcome, JobError>> + Send;
}

/// Two sorts of work, so that neither waits for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pool {
    /// Takes a core or much memory for a while: imports, exports, backups. A few at once.
    Heavy = 1,
    /// Mostly waits for something else, such as a card. Many at once.
    Light = 2,
}

/// How a job ended well.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub(crate) message: Option<Words>,
    pub(crate) file: Option<ResultFile>,
}

impl Outcome {
    /// There is nothing more to say.
    #[must_use]
    pub fn done() -> Self {
        Self::default()
    }

    /// Says what was achieved.
    #[must_use]
    pub fn say(mut self, message: impl Into<Message>) -> Self {
        self.message = Some(message.into().into());
        self
    }

    /// Leaves a file to fetch.
    #[must_use]
    pub fn with_file(mut self, file: ResultFile) -> Self {
        self.file = Some(file);
        self
    }
}

/// A file that a task has made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResultFile {
    /// Its key in the object storage.
    pub key: String,
    /// The name under which people get it.
    pub name: String,
    /// Bytes.
    pub size: i64,
}

/// Why a run ends before its work is done, for no fault of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Stop {
    /// A person has cancelled the task.
    #[error("the task was cancelled")]
    Cancelled,
    /// The lease ran out, and the task is another's now.
    #[error("the lease was lost")]
    Lost,
    /// The server stops; the task goes on elsewhere or later.
    #[error("the server is stopping")]
    Stopping,
}

/// How a run ends otherwise than well.
#[derive(Debug, thiserror::Error)]
pub enum JobError {
    /// It had to end. Jobs pass this on with `?` and never make it.
    #[error(transparent)]
    Stop(#[from] Stop),
    /// It can not succeed, however often it is tried. People read the sentence.
    #[error("{}", .0.en)]
    Hopeless(Words),
    /// It may succeed later: it is tried again, up to [`Job::MAX_ATTEMPTS`]. The log has the chain
    /// of causes; people read a general sentence.
    #[error(transparent)]
    Passing(#[from] anyhow::Error),
}

impl JobError {
    /// An end that another try would not change.
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
