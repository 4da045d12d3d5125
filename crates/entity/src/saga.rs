//! What is done to a phone, step by step.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::phone::PhonePool;
use crate::phone_session::SessionEnd;
use crate::{BackupId, BoardProfileId, OperationId, PhoneId, PlacementId, RoomId, SagaId, SagaStepId};

kernel::coded_enum! {
    /// What a saga does.
    pub enum SagaKind {
        /// A phone comes on a card.
        PutOn = 1 ("上机", "Put on"),
        /// A copy of a phone is made, and read back.
        BackUp = 2 ("备份", "Back up"),
        /// What a phone left on a card goes, and the card is free.
        Clear = 3 ("清理卡", "Clear the card"),
        /// A copy is read back, for as long as that takes: its phone goes on meanwhile, and may be dealt with.
        Verify = 4 ("校验备份", "Verify a backup"),
        /// The packages of a copy are installed on a phone that is on a card, and goes on.
        Apps = 5 ("安装应用", "Install apps"),
        /// A phone goes off its card: it is copied, and what is left on the card is wiped.
        TakeOff = 6 ("下机", "Take off"),
        /// What an erased phone has left at a storage node is removed.
        Erase = 7 ("清除备份", "Erase the backups"),
        /// A phone restarts on its card.
        Restart = 8 ("重启", "Restart"),
        /// The card of a phone that is on does not answer any more: it comes back, or a person decides.
        Lost = 9 ("卡失联", "Card lost"),
    }
}

impl SagaKind {
    /// Those that are about a copy itself: the others only take something from it.
    pub const OF_COPIES: [Self; 3] = [Self::BackUp, Self::TakeOff, Self::Verify];
}

kernel::coded_enum! {
    /// How far a saga is.
    pub enum SagaState {
        /// It waits for its turn.
        Waiting = 1 ("排队", "Queued"),
        /// It is under way.
        Running = 2 ("进行中", "Under way"),
        /// What it has done is undone.
        GoingBack = 3 ("回退中", "Going back"),
        /// It has done what it was for.
        Done = 4 ("完成", "Done"),
        /// It has not, and will not.
        Failed = 5 ("失败", "Failed"),
        /// It waits for a person.
        Held = 6 ("待处理", "Waits for a person"),
        /// It was not wanted any more before it began.
        Cancelled = 7 ("已取消", "Cancelled"),
    }
}

impl SagaState {
    /// Whether nothing more comes.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Done | Self::Failed | Self::Cancelled)
    }

    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            // A take-off for which there is no place for a copy just now is held, and tried again.
            Self::Waiting => matches!(next, Self::Running | Self::Failed | Self::Cancelled | Self::Held),
            // Back to its place in the queue, for another card.
            Self::Running => matches!(next, Self::Waiting | Self::GoingBack | Self::Done | Self::Failed | Self::Held),
            Self::GoingBack => matches!(next, Self::Waiting | Self::Failed | Self::Held),
            // A take-off goes back to the queue.
            Self::Held => matches!(next, Self::Waiting | Self::Running | Self::GoingBack | Self::Done | Self::Failed),
            Self::Done | Self::Failed | Self::Cancelled => false,
        }
    }
}

/// What is done to a phone, step by step: its row is the truth, processes are guests.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "saga")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: SagaId,
    pub kind: SagaKind,
    pub phone_id: PhoneId,
    /// Nothing else is done to the phone meanwhile.
    pub locks_phone: bool,
    /// The stay that it is about; none while it has no card.
    pub placement_id: Option<PlacementId>,
    /// The room in whose queue it is.
    pub room_id: RoomId,
    /// The hardware family that it needs.
    pub board: String,
    /// Of a put-on: on which cards its phone is to come.
    pub pool: PhonePool,
    /// The operation whose task it is.
    pub operation_id: Option<OperationId>,
    /// Who asked for it; empty if the console did.
    pub created_by: String,
    pub enqueued_at: UtcTime,
    /// Whose turn it is: the smallest first. A moment before `enqueued_at` by the head start of its class.
    pub rank_at: UtcTime,
    /// The step that is being done, or comes next.
    pub step: crate::saga_step::StepName,
    pub state: SagaState,
    /// Cards on which it did not go.
    pub cards: i16,
    /// Why it waits, is held or has failed.
    pub code: String,
    /// What a wipe goes by; none before it has begun.
    pub profile_id: Option<BoardProfileId>,
    /// The start of the card (its boot id) after which a wipe was proved, or during which the phone was stopped; before that
    /// what stands for the apps whose packages were saved, or nothing.
    pub proof: String,
    /// What stands for everything that was on the card when the phone was copied; empty before that.
    pub still: String,
    /// The copy that it makes or reads back, whose repository it removes, whose packages it installs, with which the phone comes on its card, or could go
    /// on elsewhere.
    pub backup_id: Option<BackupId>,
    /// Somebody wants the phone that is being taken off: it stays on its card, and goes on there.
    pub is_wanted_back: bool,
    /// The operation that wants it.
    pub back_for_id: Option<OperationId>,
    /// Why a phone is taken off that nobody has asked for.
    pub cause: Option<SessionEnd>,
    /// Whoever uses the phone is warned before it begins, and ended.
    pub warns_user: bool,
    /// How often it was held.
    pub holds: i16,
    /// When it is tried again by itself, or copied by a clearing; none if it waits for a person alone, or is not held.
    pub retry_at: Option<UtcTime>,
    /// The last try of a step before it was held, or came on another card: tries up to that one say nothing of those that follow.
    pub held_after: Option<SagaStepId>,
    /// A person has seen that the phone has far less than its copy, and it leaves its card all the same.
    pub is_accepted: bool,
    /// The copy by which the phone of a take-off lives once it is off, and with which it comes back: somebody sets it back to that.
    pub comes_with_id: Option<BackupId>,
    pub ended_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::SagaState as S;

    #[test]
    fn what_is_over_stays_so_and_a_queue_is_left_before_anything_is_done() {
        for state in S::ALL {
            for next in S::ALL {
                assert!(!(state.is_over() && state.may_become(*next)), "{state:?} {next:?}");
            }
            assert_eq!(state.may_become(S::Cancelled), *state == S::Waiting, "{state:?}");
            assert!(!state.may_become(*state), "{state:?}");
        }
    }
}
