//! Tasks as people see them.

use base::http::ops::OpCtx;
use kernel::lang::Lang;
use kernel::time::UtcTime;
use queue::TaskState;
use queue::task::Model;
use serde::Serialize;
use utoipa::ToSchema;

use super::service;

kernel::named_enum! {
    /// The state of a task.
    pub enum TaskStateName {
        /// Waiting for its turn.
        Queued = "queued" ("排队中", "Queued"),
        /// Running.
        Running = "running" ("进行中", "Running"),
        /// It did everything.
        Succeeded = "succeeded" ("已完成", "Succeeded"),
        /// It failed.
        Failed = "failed" ("失败", "Failed"),
        /// A person cancelled it.
        Cancelled = "cancelled" ("已取消", "Cancelled"),
    }
}

impl From<TaskState> for TaskStateName {
    fn from(state: TaskState) -> Self {
        match state {
            TaskState::Queued => Self::Queued,
            TaskState::Running => Self::Running,
            TaskState::Succeeded => Self::Succeeded,
            TaskState::Failed => Self::Failed,
            TaskState::Cancelled => Self::Cancelled,
        }
    }
}

impl From<TaskStateName> for TaskState {
    fn from(name: TaskStateName) -> Self {
        match name {
            TaskStateName::Queued => Self::Queued,
            TaskStateName::Running => Self::Running,
            TaskStateName::Succeeded => Self::Succeeded,
            TaskStateName::Failed => Self::Failed,
            TaskStateName::Cancelled => Self::Cancelled,
        }
    }
}

/// The progress of a task.
#[derive(Debug, Serialize, ToSchema)]
pub struct Progress {
    /// Steps that are done.
    pub done: i64,
    /// Total steps; 0 if unknown yet.
    pub total: i64,
}

/// A result file of a task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultView {
    pub file_name: String,
    /// Bytes.
    pub size: i64,
    /// Whether the caller has the permission for its content.
    pub can_download: bool,
}

/// A background task.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub id: String,
    /// The job, such as `clientUser.import`.
    pub kind: String,
    /// What it is, in the caller's language.
    pub title: String,
    pub state: TaskStateName,
    pub progress: Progress,
    /// Its current message, or why it failed, in the caller's language.
    pub message: Option<String>,
    /// Null for the system.
    pub created_by: Option<String>,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
    pub finished_at: Option<UtcTime>,
    pub result: Option<ResultView>,
    pub can_cancel: bool,
    pub can_retry: bool,
}

impl TaskView {
    /// For readers who may not download its result.
    pub fn of(row: Model, lang: Lang) -> Self {
        Self {
            title: row.title().get(lang).to_owned(),
            message: row.message().map(|words| words.get(lang).to_owned()),
            result: row.result().map(|file| ResultView { file_name: file.name, size: file.size, can_download: false }),
            state: row.state.into(),
            can_cancel: row.state.can_cancel() && !row.cancel_requested,
            can_retry: row.state.can_retry(),
            progress: Progress { done: row.done, total: row.total.unwrap_or(0) },
            created_by: Some(row.created_by_name).filter(|name| !name.is_empty()),
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
            id: row.id.0,
            kind: row.kind,
        }
    }

    /// The same for the caller, who may have the permission for its result, and may lack that for what it does.
    pub fn seen_by(mut self, ctx: &OpCtx) -> Self {
        self.can_retry &= service::lacked(ctx, &self.kind).is_none();
        if let Some(result) = &mut self.result {
            result.can_download = service::may_download(ctx, &self.kind).is_ok();
        }
        self
    }
}
