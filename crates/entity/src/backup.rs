//! A copy of a phone on a storage node.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{BackupId, CardId, PhoneId, RepoId, StoreNodeId};

kernel::coded_enum! {
    /// What a copy holds.
    pub enum BackupKind {
        /// All of the phone; only such a copy allows to wipe its card.
        Full = 1 ("全量", "Full"),
        /// Some apps.
        App = 2 ("应用", "Apps"),
        /// Some folders.
        Path = 3 ("路径", "Folders"),
    }
}

kernel::coded_enum! {
    /// The state of a copy.
    pub enum BackupState {
        /// It waits for its turn.
        Pending = 1 ("待执行", "Pending"),
        /// It is being made.
        Running = 2 ("运行中", "Running"),
        /// All of it is at the store, and nobody has read it back.
        Uploaded = 3 ("已上传", "Uploaded"),
        /// It was read back.
        Verified = 4 ("已校验", "Verified"),
        /// It was not made.
        Failed = 5 ("失败", "Failed"),
        /// It is being removed from the store.
        Deleting = 6 ("删除中", "Being deleted"),
        /// The store no longer has it.
        Lost = 7 ("丢失", "Lost"),
    }
}

impl BackupState {
    /// Those of a copy that is at the store, as far as anybody knows.
    pub const MADE: [Self; 2] = [Self::Uploaded, Self::Verified];

    /// Whether it is at the store, as far as anybody knows.
    #[must_use]
    pub fn is_made(self) -> bool {
        Self::MADE.contains(&self)
    }

    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Pending => matches!(next, Self::Running | Self::Failed),
            Self::Running => matches!(next, Self::Uploaded | Self::Failed),
            Self::Uploaded => matches!(next, Self::Verified | Self::Failed | Self::Deleting | Self::Lost),
            // One that is kept is never deleted: the database refuses it.
            Self::Verified => matches!(next, Self::Deleting | Self::Lost),
            Self::Deleting => matches!(next, Self::Lost),
            Self::Failed | Self::Lost => false,
        }
    }
}

/// A copy of a phone.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "backup")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: BackupId,
    pub phone_id: PhoneId,
    pub repo_id: RepoId,
    /// That of its repository, which never moves.
    pub node_id: StoreNodeId,
    /// Its id in the repository; empty until it is uploaded.
    pub snapshot: String,
    pub kind: BackupKind,
    /// The copy that it was compared with: what had not changed was not read.
    pub parent_id: Option<BackupId>,
    /// From where it was taken.
    pub card_id: CardId,
    pub image: String,
    pub board: String,
    pub state: BackupState,
    /// What is wrong with it, if a later reading found it damaged.
    pub damage: String,
    /// Taken from a running phone: it never allows to wipe the card.
    pub is_live: bool,
    /// It has far less than the one before it that its phone lived by.
    pub is_shrunk: bool,
    /// What the phone had left on a card in quarantine: it lives by such a copy only if a person chooses that.
    pub is_salvaged: bool,
    /// Its row was made anew from what lies at its node: from which card it was taken is not known, nor whether something was
    /// salvaged with it. Its phone lives by it once a person has had it read back.
    pub is_rebuilt: bool,
    /// Nothing removes it before then.
    pub safe_until: Option<UtcTime>,
    /// When its phone was set back to an older copy: it lives by this one again only if a person chooses that.
    pub left_at: Option<UtcTime>,
    pub files: i64,
    /// What it restores to.
    pub bytes: i64,
    /// What the store has grown by.
    pub added_bytes: i64,
    /// Packages, versions, counts, as JSON; empty until it is uploaded.
    pub manifest: String,
    /// The id of its root: copies with the same one hold the same.
    pub tree: String,
    /// The packs that it has written, line by line, until they were read back.
    pub packs: String,
    /// Files whose content was read.
    pub read_files: i64,
    /// A code saying why it failed.
    pub code: String,
    pub restores: i32,
    pub millis: i64,
    pub began_at: UtcTime,
    pub verified_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::BackupState as S;

    #[test]
    fn nothing_is_verified_that_was_not_uploaded() {
        for state in S::ALL {
            assert_eq!(state.may_become(S::Verified), *state == S::Uploaded, "{state:?}");
            assert!(!state.may_become(*state) && !state.may_become(S::Pending), "{state:?}");
        }
    }
}
