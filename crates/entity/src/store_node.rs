//! A storage node: where copies of phones lie.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::StoreNodeId;

kernel::coded_enum! {
    /// How a storage node is reached.
    pub enum StoreDriver {
        /// A folder as the room agent sees it.
        Folder = 1 ("本地目录", "Local folder"),
        /// FTP without encryption.
        Ftp = 2 ("FTP", "FTP"),
        /// FTP over TLS, explicit (RFC 4217).
        Ftps = 3 ("FTPS", "FTPS"),
        /// S3 or a compatible service.
        S3 = 4 ("S3", "S3"),
    }
}

kernel::coded_enum! {
    /// The state of a storage node.
    pub enum StoreState {
        /// In use.
        Normal = 1 ("正常", "Normal"),
        /// Its copies are moved to other nodes; it takes no new ones.
        Draining = 2 ("排空中", "Draining"),
        /// Out of use for good.
        Retired = 3 ("已停用", "Retired"),
        /// It could not be reached when it was last tried.
        Unreachable = 4 ("不可达", "Unreachable"),
    }
}

impl StoreState {
    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Normal => matches!(next, Self::Draining | Self::Unreachable),
            Self::Unreachable => matches!(next, Self::Normal | Self::Draining),
            // Called off, or empty.
            Self::Draining => matches!(next, Self::Normal | Self::Retired),
            Self::Retired => false,
        }
    }

    /// Whether it takes new copies.
    #[must_use]
    pub const fn takes_copies(self) -> bool {
        matches!(self, Self::Normal)
    }
}

kernel::coded_enum! {
    /// When phones are copied to a storage node. Whatever it is, a phone is copied when it goes off its card, and when somebody asks.
    pub enum BackupStrategy {
        /// And once soon after they have come on a card, if they have no copy.
        AtTakeOff = 1 ("下机即备", "At take-off"),
        /// And then again while they stay, each so many days.
        Daily = 2 ("每天", "Daily"),
        /// And then again while they stay, each so many weeks.
        Weekly = 3 ("每周", "Weekly"),
        /// And never by themselves.
        Manual = 4 ("手动", "Manual"),
    }
}

impl BackupStrategy {
    /// Days of its cycle's unit; none where it has no cycle.
    #[must_use]
    pub const fn unit_days(self) -> Option<i16> {
        match self {
            Self::Daily => Some(1),
            Self::Weekly => Some(7),
            Self::AtTakeOff | Self::Manual => None,
        }
    }
}

/// A storage node.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "store_node")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: StoreNodeId,
    /// Unique.
    pub name: String,
    pub city: String,
    pub driver: StoreDriver,
    /// A name or an address; empty for a folder.
    pub host: String,
    pub port: Option<i32>,
    /// The user, or the access key of S3.
    pub account: String,
    /// Sealed; empty if none is set.
    pub secret: String,
    /// The folder, or the bucket of S3.
    pub place: String,
    /// Whether S3 is reached over TLS.
    pub is_tls: bool,
    /// SHA-256 of the trusted certificate in hexadecimal; empty if none is pinned.
    pub pin: String,
    /// Millionths of a degree; none if not given.
    pub latitude_e6: Option<i32>,
    pub longitude_e6: Option<i32>,
    pub capacity_bytes: i64,
    /// Of what lies there, as it was last added up.
    pub used_bytes: i64,
    /// What can still be written, as the node says; none if it does not say.
    pub free_bytes: Option<i64>,
    /// When `used_bytes` was added up; none if it never was.
    pub measured_at: Option<UtcTime>,
    /// Days until it is full, if it goes on as it did; none if it is not known, or does not grow.
    pub days_to_full: Option<i32>,
    pub partitions: i16,
    /// How many partitions have their marker, from the first one on; none of them, nor the node
    /// itself, if it is 0.
    pub made: i16,
    /// What its markers say.
    pub mark: String,
    /// Its file system keeps snapshots, as an operator says: tests look for one.
    pub has_snapshots: bool,
    pub strategy: BackupStrategy,
    /// A phone that stays on its card is copied again after so many days, where its strategy has a cycle.
    pub cycle_days: i16,
    /// Mbit/s from and to it for all of its agents together, 1 to 1000; line rate if there is none. That of a room binds besides.
    pub download_mbit: Option<i16>,
    pub upload_mbit: Option<i16>,
    pub state: StoreState,
    /// When it was last tried.
    pub checked_at: Option<UtcTime>,
    /// What was wrong then; empty if nothing was.
    pub trouble: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
    /// Incremented with each change that an operator saves, from 1 on.
    pub version: i32,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::StoreState as S;

    #[test]
    fn only_an_empty_node_is_retired_and_then_for_good() {
        for next in S::ALL {
            assert!(!S::Retired.may_become(*next));
        }
        for state in S::ALL {
            assert_eq!(state.may_become(S::Retired), *state == S::Draining, "{state:?}");
        }
    }
}
