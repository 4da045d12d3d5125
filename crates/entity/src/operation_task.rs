//! The part of an operation that concerns one card, or one of its other targets.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::operation::Target;
use crate::{CardId, FrameId, HostId, OperationId, OperationTaskId, OperatorId, RoomAgentId, RoomId};

kernel::coded_enum! {
    /// The state of a task.
    pub enum TaskStep {
        /// Waiting.
        Pending = 1 ("等待", "Waiting"),
        /// An agent is executing it.
        Running = 2 ("执行中", "Running"),
        /// It was done.
        Succeeded = 3 ("成功", "Succeeded"),
        /// It was not done, or nobody saw that it was.
        Failed = 4 ("失败", "Failed"),
        /// It was skipped.
        Skipped = 5 ("跳过", "Skipped"),
        /// The card does not support it.
        Incompatible = 6 ("不支持", "Not supported"),
        /// It was cancelled before it started.
        Cancelled = 7 ("已取消", "Cancelled"),
        /// It expired.
        Expired = 8 ("已过期", "Expired"),
    }
}

impl TaskStep {
    /// Whether a task in this state has a reason for not being done.
    #[must_use]
    pub const fn has_reason(self) -> bool {
        match self {
            Self::Pending | Self::Running | Self::Succeeded => false,
            Self::Failed | Self::Skipped | Self::Incompatible | Self::Cancelled | Self::Expired => true,
        }
    }

    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(next, Self::Running | Self::Failed | Self::Cancelled | Self::Expired),
            // Back to waiting: it never reached its agent.
            Self::Running => !matches!(next, Self::Running | Self::Skipped | Self::Incompatible),
            // Retried.
            Self::Failed | Self::Expired => matches!(next, Self::Pending),
            Self::Succeeded | Self::Skipped | Self::Incompatible | Self::Cancelled => false,
        }
    }
}

kernel::coded_enum! {
    /// The effect on the card of a task that did not succeed.
    pub enum TaskEffect {
        /// None: it never started, or only read.
        NeverBegan = 1 ("未到达设备", "Never ran"),
        /// It started, and the effect is known: it ran to its end, or was verified afterwards.
        Proved = 2 ("已执行，结果已确认", "Ran, effect confirmed"),
        /// It started, or may have started, and nobody knows how far it got.
        Unknown = 3 ("可能已执行，结果未知", "May have run, effect unknown"),
    }
}

impl TaskEffect {
    /// Whether the card may have been changed: then it is not retried without asking.
    #[must_use]
    pub const fn may_have_run(self) -> bool {
        match self {
            Self::NeverBegan => false,
            Self::Proved | Self::Unknown => true,
        }
    }

    /// The effect of all attempts, after one with this effect: an attempt that never began changes nothing about what an
    /// earlier one may have done.
    #[must_use]
    pub const fn after(self, earlier: Option<Self>) -> Self {
        match (self, earlier) {
            (Self::NeverBegan, Some(earlier)) => earlier,
            _ => self,
        }
    }
}

/// A task.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "operation_task")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OperationTaskId,
    pub operation_id: OperationId,
    /// What it is done to: `target_id` is the id of one of these.
    pub target: Target,
    pub target_id: i64,
    pub room_id: RoomId,
    pub frame_id: Option<FrameId>,
    pub host_id: Option<HostId>,
    /// What the target was called when it was selected, for display: a card's address, a phone's code.
    pub address: String,
    pub state: TaskStep,
    /// Counts the attempts; a result of an older one is refused.
    pub attempt: i32,
    pub agent_id: Option<RoomAgentId>,
    /// Who has it tried again; none if that was not asked for since the operation was created or resumed.
    pub retried_by_id: Option<OperatorId>,
    /// A code saying why it did not succeed.
    pub code: String,
    /// Details from the agent or the console.
    pub reason: String,
    /// The effect of its attempts on the card, if the last one did not succeed: see [`TaskEffect::after`].
    pub effect: Option<TaskEffect>,
    pub output: String,
    pub is_cut: bool,
    pub exit_code: Option<i16>,
    /// A file fetched from the card, in the object storage.
    pub file_key: String,
    /// How often an upload of one was started, over all attempts.
    pub file_sendings: i32,
    pub started_at: Option<UtcTime>,
    /// When it ends if its agent is away at that time: stored while it is running.
    pub deadline: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    pub millis: i64,
}

impl Model {
    /// The card; none if it is about something else.
    #[must_use]
    pub fn card(&self) -> Option<CardId> {
        (self.target == Target::Card).then_some(CardId(self.target_id))
    }
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::TaskStep as T;

    #[test]
    fn what_succeeded_is_never_done_again() {
        for next in T::ALL {
            assert!(!T::Succeeded.may_become(*next));
        }
        assert!(T::Running.may_become(T::Pending) && T::Failed.may_become(T::Pending));
        assert!(!T::Failed.may_become(T::Running), "a try begins from waiting");
    }
}
