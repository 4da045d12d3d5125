//! An act of an operator on a selection of cards.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{OperationFileId, OperationId, OperatorId};

kernel::coded_enum! {
    /// What an operation does at each card.
    pub enum OperationKind {
        /// Restart Android.
        Reboot = 1,
        /// Power on, by the BMC.
        PowerOn = 2,
        /// Power off.
        PowerOff = 3,
        /// Power off and on.
        PowerCycle = 4,
        /// Run a script.
        Shell = 5,
        /// Remove a package.
        Uninstall = 6,
        /// Fetch the system's log.
        PullLog = 7,
        /// Fetch the screen.
        Screenshot = 8,
        /// Limit the network.
        SpeedLimit = 9,
        /// Set a system property.
        SetProperty = 10,
        /// Give the card back as it came.
        FactoryReset = 11,
        /// Remove what users left.
        Wipe = 12,
        /// Install a package, over an older one too.
        Install = 13,
        /// Write a file.
        Push = 14,
        /// No new users; those on it stay until they leave.
        Drain = 15,
        /// Somebody works on it.
        Maintain = 16,
        /// Back to service.
        Return = 17,
        /// Whether phones may be put on it, and whether it takes part in overcommit.
        SetFlags = 18,
        /// To a free position of a frame.
        Move = 19,
        /// Fetch a file.
        Pull = 20,
    }
}

impl OperationKind {
    /// Whoever is on the card loses it: such a card is left out unless it is forced.
    #[must_use]
    pub const fn disturbs(self) -> bool {
        matches!(self, Self::Reboot | Self::PowerOff | Self::PowerCycle | Self::FactoryReset | Self::Wipe)
    }

    /// A reason has to be given, and many cards at once need a second operator.
    #[must_use]
    pub const fn is_dangerous(self) -> bool {
        matches!(self, Self::Reboot | Self::PowerOff | Self::PowerCycle | Self::FactoryReset | Self::Wipe)
    }

    /// It is done in the books: by the console itself, and not at the cards.
    #[must_use]
    pub const fn is_books(self) -> bool {
        matches!(self, Self::Drain | Self::Maintain | Self::Return | Self::SetFlags | Self::Move)
    }

    /// People who find a card so have to know why.
    #[must_use]
    pub const fn wants_reason(self) -> bool {
        self.is_dangerous() || matches!(self, Self::Drain | Self::Maintain)
    }

    /// It goes by the BMC and not by ADB.
    #[must_use]
    pub const fn is_power(self) -> bool {
        matches!(self, Self::PowerOn | Self::PowerOff | Self::PowerCycle)
    }
}

kernel::coded_enum! {
    /// How an operation stands.
    pub enum OperationState {
        /// Its cards are being written down.
        Freezing = 1,
        /// A second operator has to agree.
        AwaitingApproval = 2,
        /// It waits for its time.
        Scheduled = 3,
        /// Its tasks are being done.
        Running = 4,
        /// No new task begins.
        Paused = 5,
        /// No new task begins, and those under way come to their end.
        Cancelling = 6,
        /// Every task has ended.
        Finished = 7,
        /// It was called off.
        Cancelled = 8,
        /// Its time ran out.
        Expired = 9,
    }
}

impl OperationState {
    /// Nothing happens any more, unless what failed is tried again.
    #[must_use]
    pub const fn is_over(self) -> bool {
        matches!(self, Self::Finished | Self::Cancelled | Self::Expired)
    }

    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        use OperationState as S;
        match self {
            S::Freezing => matches!(next, S::AwaitingApproval | S::Scheduled | S::Running | S::Finished | S::Cancelled),
            S::AwaitingApproval => matches!(next, S::Scheduled | S::Running | S::Cancelled | S::Expired),
            S::Scheduled => matches!(next, S::Running | S::Cancelled | S::Expired),
            S::Running => matches!(next, S::Paused | S::Cancelling | S::Cancelled | S::Finished | S::Expired),
            S::Paused => matches!(next, S::Running | S::Cancelling | S::Cancelled | S::Expired | S::Finished),
            S::Cancelling => matches!(next, S::Cancelled | S::Expired),
            // What failed is tried again.
            S::Finished => matches!(next, S::Running),
            S::Cancelled | S::Expired => false,
        }
    }
}

/// An operation, with the counters of its tasks.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "operation")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: OperationId,
    pub kind: OperationKind,
    /// What the kind needs, as JSON.
    pub act: String,
    /// What it installs or pushes.
    pub file_id: Option<OperationFileId>,
    /// Which cards, as JSON: written down once.
    pub selection: String,
    /// The last card that has its task; all have when the state is no longer `Freezing`.
    pub frozen_after: i64,
    pub state: OperationState,
    /// Why it stands so, where somebody has to know: a code.
    pub why: String,
    pub reason: String,
    /// Cards with a user on them are not left out.
    pub is_forced: bool,
    /// For each task.
    pub seconds: i32,
    /// It pauses when more than so many percent have failed.
    pub stop_at_percent: i16,
    /// At most so many tasks at a time on a host, in a frame, in a room; the settings alone where there is none.
    pub per_host: Option<i32>,
    pub per_frame: Option<i32>,
    pub per_room: Option<i32>,
    pub not_before: Option<UtcTime>,
    pub expires_at: UtcTime,
    pub created_by_id: OperatorId,
    pub created_by: String,
    pub approved_by: String,
    pub total: i64,
    /// Cards with a user on them that it will hit.
    pub users_hit: i64,
    pub pending: i64,
    pub running: i64,
    pub succeeded: i64,
    pub failed: i64,
    pub skipped: i64,
    pub incompatible: i64,
    pub cancelled: i64,
    pub expired: i64,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
    pub finished_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::OperationState as S;

    #[test]
    fn what_is_over_stays_over_but_for_a_retry() {
        for state in S::ALL {
            for next in S::ALL {
                let may = state.may_become(*next);
                if state.is_over() {
                    assert_eq!(may, (*state, *next) == (S::Finished, S::Running), "{state:?} to {next:?}");
                }
                assert!(!(may && state == next), "{state:?} to itself");
                assert!(!(may && *next == S::Freezing), "{state:?} back to the beginning");
            }
        }
        assert!(S::Paused.may_become(S::Running) && S::Running.may_become(S::Paused));
        assert!(!S::Cancelling.may_become(S::Running));
    }
}
