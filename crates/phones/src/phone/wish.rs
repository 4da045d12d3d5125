//! What is done to phones by operations.

use entity::operation::OperationKind;
use entity::phone::Plan;
use entity::{BackupId, RoomId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::act;

/// What is done to phones, as it is sent and stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = PhoneAct)]
#[serde(tag = "kind", rename_all = "camelCase", deny_unknown_fields)]
pub enum Act {
    /// They are paid for.
    Renew {
        /// For so many days, from now or from the expiry, whichever is later.
        #[schema(minimum = 1, maximum = 999)]
        days: i64,
    },
    /// They get another plan.
    ChangePlan {
        /// The new plan.
        plan: Plan,
    },
    /// Nobody may use them.
    Freeze,
    /// They may be used again.
    Thaw,
    /// They are given up.
    Release,
    /// They are had back.
    Restore,
    /// They come on cards.
    PutOn,
    /// They come on cards with what a copy holds.
    FromBackup {
        /// The copy.
        backup_id: BackupId,
    },
    /// They live by an older copy of their own again; those on cards are taken off for that, and put on with it.
    SetBack {
        /// The copy.
        #[serde(rename = "backupId")]
        backup_id: BackupId,
        /// At once: whoever uses one is not warned before.
        #[serde(default)]
        now: bool,
    },
    /// They go off their cards.
    TakeOff {
        /// At once: whoever uses one is not warned before.
        #[serde(default)]
        now: bool,
    },
    /// They restart on their cards.
    Restart,
    /// Copies of them are made.
    BackUp,
    /// Their cards are lost: they go on elsewhere with what their copies hold.
    AcceptCopy {
        /// Somebody answers for it that no card comes back and runs as well.
        #[serde(default, rename = "answeredFor")]
        answered_for: bool,
        /// The copy that whoever asks has seen; none if he takes the newest whole one.
        #[serde(default, rename = "backupId")]
        backup_id: Option<BackupId>,
    },
    /// What they had on lost cards is given up.
    GiveUp,
    /// What they have left on cards in quarantine is wiped, also where it is in no copy.
    WipeLeft,
    /// What waits of them until a person says so goes on.
    GoOn {
        /// Also where a copy has far less than the one before, which is accepted by that.
        #[serde(default, rename = "acceptShrunk")]
        accept_shrunk: bool,
        /// Whoever asks may let phones leave their cards.
        #[serde(default, rename = "takeOff")]
        #[schema(ignore)]
        take_off: bool,
    },
    /// No agent of their room is there: they have their home in another one.
    OpenElsewhere {
        /// The other room.
        #[serde(rename = "roomId")]
        room_id: RoomId,
        /// What it is called, for whoever has to approve it.
        #[serde(default)]
        #[schema(ignore)]
        name: String,
        /// Somebody answers for it that no card of the old room runs a phone as well.
        #[serde(default, rename = "answeredFor")]
        answered_for: bool,
    },
}

impl Act {
    /// The kind of operation that does it.
    pub const fn kind(&self) -> OperationKind {
        match self {
            Self::Renew { .. } => OperationKind::PhoneRenew,
            Self::ChangePlan { .. } => OperationKind::PhonePlan,
            Self::Freeze => OperationKind::PhoneFreeze,
            Self::Thaw => OperationKind::PhoneThaw,
            Self::Release => OperationKind::PhoneRelease,
            Self::Restore => OperationKind::PhoneRestore,
            Self::PutOn => OperationKind::PhonePutOn,
            Self::FromBackup { .. } => OperationKind::PhoneFromBackup,
            Self::SetBack { .. } => OperationKind::PhoneSetBack,
            Self::TakeOff { .. } => OperationKind::PhoneTakeOff,
            Self::Restart => OperationKind::PhoneRestart,
            Self::BackUp => OperationKind::PhoneBackUp,
            Self::AcceptCopy { .. } => OperationKind::PhoneAcceptCopy,
            Self::GiveUp => OperationKind::PhoneGiveUp,
            Self::WipeLeft => OperationKind::PhoneWipeLeft,
            Self::GoOn { .. } => OperationKind::PhoneGoOn,
            Self::OpenElsewhere { .. } => OperationKind::PhoneOpenElsewhere,
        }
    }

    /// The rule that it follows, for a reason; none if it takes more than a change of the record.
    pub(super) fn rule(&self, reason: &str) -> Option<act::Act> {
        Some(match self {
            Self::PutOn
            | Self::FromBackup { .. }
            | Self::SetBack { .. }
            | Self::TakeOff { .. }
            | Self::Restart
            | Self::BackUp
            | Self::AcceptCopy { .. }
            | Self::GiveUp
            | Self::WipeLeft
            | Self::GoOn { .. }
            | Self::OpenElsewhere { .. } => return None,
            Self::Renew { days } => act::Act::Renew { days: *days },
            Self::ChangePlan { plan } => act::Act::ChangePlan(*plan),
            Self::Freeze => act::Act::Freeze { reason: reason.to_owned() },
            Self::Thaw => act::Act::Thaw,
            Self::Release => act::Act::Release,
            Self::Restore => act::Act::Restore,
        })
    }
}
