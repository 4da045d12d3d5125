//! A row of the task table.

use entity::OperatorId;
use kernel::lang::Lang;
use kernel::text::{Message, Text};
use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::{Deserialize, Serialize};

/// A task's id: a UUIDv7 as text, so that ids sort by the time of their making.
#[derive(
    Clone,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    sea_orm::DeriveValueType,
    utoipa::ToSchema,
)]
#[serde(transparent)]
#[schema(value_type = String)]
pub struct TaskId(pub String);

impl TaskId {
    pub(crate) fn new() -> Self {
        Self(uuid::Uuid::now_v7().to_string())
    }
}

// SeaORM asks for it where a key might be numbered by the database; ours never is.
impl sea_orm::TryFromU64 for TaskId {
    fn try_from_u64(_: u64) -> Result<Self, DbErr> {
        Err(DbErr::ConvertFromU64("a task's id is not a number"))
    }
}

impl std::fmt::Display for TaskId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

kernel::coded_enum! {
    /// Where a task stands.
    pub enum TaskState {
        /// It waits for its turn, its time, or the end of another task in its lane.
        Queued = 1,
        /// A runner holds its lease.
        Running = 2,
        /// It did all it had to.
        Succeeded = 3,
        /// It was given up; `message` says why. It can be retried.
        Failed = 4,
        /// A person ended it. It can be retried.
        Cancelled = 5,
    }
}

impl TaskState {
    /// Whether a task in this state moves no more by itself.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed | Self::Cancelled)
    }

    /// Whether a person can still end it.
    #[must_use]
    pub const fn can_cancel(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }

    /// Whether a person can start it again.
    #[must_use]
    pub const fn can_retry(self) -> bool {
        matches!(self, Self::Failed | Self::Cancelled)
    }
}

/// A sentence that is stored in both languages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// 中文
    pub zh: String,
    /// English
    pub en: String,
}

impl Words {
    /// The sentence in `lang`.
    #[must_use]
    pub fn get(&self, lang: Lang) -> &str {
        match lang {
            Lang::Zh => &self.zh,
            Lang::En => &self.en,
        }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("two strings always serialise")
    }

    /// Reads what `to_json` wrote; what else stands there is shown as it is.
    pub(crate) fn from_json(text: &str) -> Self {
        serde_json::from_str(text).unwrap_or_else(|_| Self { zh: text.to_owned(), en: text.to_owned() })
    }
}

impl From<Message> for Words {
    fn from(message: Message) -> Self {
        Self { zh: message.get(Lang::Zh), en: message.get(Lang::En) }
    }
}

impl From<Text> for Words {
    fn from(text: Text) -> Self {
        Message::from(text).into()
    }
}

/// Who asked for a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Creator {
    /// None for the system itself.
    pub id: Option<OperatorId>,
    /// The name at the time; it stays readable after the operator is gone.
    pub name: String,
}

impl Creator {
    /// An operator.
    #[must_use]
    pub fn operator(id: OperatorId, name: impl Into<String>) -> Self {
        Self { id: Some(id), name: name.into() }
    }

    /// The system itself, for what follows a schedule.
    #[must_use]
    pub const fn system() -> Self {
        Self { id: None, name: String::new() }
    }
}

/// A task.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "task")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: TaskId,
    /// Which job it is, such as `clientUser.import`.
    pub kind: String,
    /// What people read, in both languages; see [`Model::title`].
    pub title: String,
    /// The job, as JSON.
    pub payload: String,
    pub state: TaskState,
    /// Which of a runner's pools takes it.
    pub pool: i16,
    /// Higher goes first.
    pub priority: i16,
    /// At most one task of a lane runs at a time.
    pub lane: Option<String>,
    /// Counts claims: the fencing token of the present run.
    pub attempt: i32,
    /// Runs since the last progress; at `max_attempts` the task is given up.
    pub tries: i32,
    pub max_attempts: i32,
    /// Not before this time.
    pub run_after: UtcTime,
    /// Until when the present run may be silent.
    pub lease_until: Option<UtcTime>,
    /// A person wants it to end.
    pub cancel_requested: bool,
    pub done: i64,
    /// None while the extent is not known.
    pub total: Option<i64>,
    /// What it says for itself, or why it failed; see [`Model::message`].
    pub message: Option<String>,
    /// Where the next run goes on, as JSON.
    pub checkpoint: Option<String>,
    /// The result file's key in the object storage.
    pub result_key: Option<String>,
    pub result_name: Option<String>,
    pub result_size: Option<i64>,
    /// The schedule that asked for it, and for which time.
    pub schedule: Option<String>,
    pub fire_time: Option<UtcTime>,
    pub created_by: Option<OperatorId>,
    pub created_by_name: String,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
    pub finished_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    /// What the task is, for people.
    #[must_use]
    pub fn title(&self) -> Words {
        Words::from_json(&self.title)
    }

    /// What the task says for itself, or why it failed.
    #[must_use]
    pub fn message(&self) -> Option<Words> {
        self.message.as_deref().map(Words::from_json)
    }

    /// The file that it made.
    #[must_use]
    pub fn result(&self) -> Option<crate::ResultFile> {
        Some(crate::ResultFile {
            key: self.result_key.clone()?,
            name: self.result_name.clone()?,
            size: self.result_size?,
        })
    }
}
