//! What an operation does at one card.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{CardId, FrameId, HostId, OperationId, OperationTaskId, RoomAgentId, RoomId};

kernel::coded_enum! {
    /// How a task stands.
    pub enum TaskStep {
        /// It waits.
        Pending = 1,
        /// An agent has it.
        Running = 2,
        /// It was done.
        Succeeded = 3,
        /// It was not done, or not seen to be done.
        Failed = 4,
        /// It was left out, for now.
        Skipped = 5,
        /// The card can not do it.
        Incompatible = 6,
        /// It was called off before it began.
        Cancelled = 7,
        /// Its time ran out.
        Expired = 8,
    }
}

impl TaskStep {
    /// Whether a task in this state says why it was not done.
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
            // Back to waiting: it never arrived at its agent.
            Self::Running => !matches!(next, Self::Running | Self::Skipped | Self::Incompatible),
            // Tried again.
            Self::Failed | Self::Expired => matches!(next, Self::Pending),
            Self::Succeeded | Self::Skipped | Self::Incompatible | Self::Cancelled => false,
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
    pub card_id: CardId,
    pub room_id: RoomId,
    pub frame_id: Option<FrameId>,
    pub host_id: Option<HostId>,
    /// Where the card was when it was chosen, for people.
    pub address: String,
    pub state: TaskStep,
    /// Counts the tries; a result of an older one is refused.
    pub attempt: i32,
    pub agent_id: Option<RoomAgentId>,
    /// Why it did not succeed: a short name.
    pub code: String,
    /// The same in the words of whoever found out.
    pub reason: String,
    pub output: String,
    pub is_cut: bool,
    pub exit_code: Option<i16>,
    /// A file that the card gave, in the object storage.
    pub file_key: String,
    pub started_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    pub millis: i64,
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
