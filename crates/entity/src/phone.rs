//! A cloud phone: what a customer rents. It is on a card while it is used, and a copy in storage otherwise.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;
use serde::Serialize;

use crate::{BackupId, ClientUserId, OpenAppId, PhoneId, PlacementId, RoomId};

kernel::coded_enum! {
    /// What was bought. Numbers and names are the specification's.
    pub enum Plan {
        /// On RK_3399 boards.
        Vip = 2 ("VIP", "VIP"),
        /// On MTK_G90 boards.
        Vvip = 3 ("VVIP", "VVIP"),
        /// On STARPRO boards.
        Svip = 4 ("SVIP", "SVIP"),
    }
}

impl Plan {
    /// The hardware family that it runs on.
    #[must_use]
    pub const fn board(self) -> &'static str {
        match self {
            Self::Vip => "RK_3399",
            Self::Vvip => "MTK_G90",
            Self::Svip => "STARPRO",
        }
    }
}

kernel::coded_enum! {
    /// Where a phone is in its life.
    pub enum Life {
        /// It is being made.
        Creating = 1 ("创建中", "Being created"),
        /// It can be used.
        Active = 2 ("正常", "Active"),
        /// An operator has frozen it, with a reason.
        Frozen = 3 ("已冻结", "Frozen"),
        /// Its time is up.
        Expired = 4 ("已到期", "Expired"),
        /// Given up; it can be had back for some days.
        Released = 5 ("已释放", "Released"),
        /// Its copies are gone.
        Erased = 6 ("已清除", "Erased"),
    }
}

impl Life {
    /// Whether this state may follow that one.
    #[must_use]
    pub const fn may_become(self, next: Self) -> bool {
        match self {
            Self::Creating => matches!(next, Self::Active),
            Self::Active => matches!(next, Self::Frozen | Self::Expired | Self::Released),
            // It expires all the same, and stays what it is forbidden for.
            Self::Frozen => matches!(next, Self::Active | Self::Expired | Self::Released),
            // Renewed: frozen, if it was so when it expired.
            Self::Expired => matches!(next, Self::Active | Self::Frozen | Self::Released),
            // Had back, with its time running or over.
            Self::Released => matches!(next, Self::Active | Self::Expired | Self::Erased),
            Self::Erased => false,
        }
    }
}

kernel::coded_enum! {
    /// The specification's device use type.
    pub enum UseType {
        /// On a card.
        On = 1 ("上机", "On the machine"),
        /// Off the machine: in storage, or never used.
        Off = 2 ("下机", "Off the machine"),
    }
}

kernel::coded_enum! {
    /// How a phone came to be.
    pub enum PhoneSource {
        /// Bought.
        Order = 1 ("订单", "Order"),
        /// By an activation code.
        Code = 2 ("激活码", "Activation code"),
        /// Given.
        Gift = 3 ("赠送", "Gift"),
        /// To try.
        Trial = 4 ("试用", "Trial"),
        /// An operator made it.
        Operator = 5 ("运营", "Operator"),
    }
}

kernel::coded_enum! {
    /// On which cards a phone comes.
    pub enum PhonePool {
        /// On those that phones share: who is idle leaves by rule, and others come.
        Shared = 1 ("共享", "Shared"),
        /// On those that a phone has for itself: no rule takes it off.
        Dedicated = 2 ("专属", "Dedicated"),
    }
}

impl PhonePool {
    /// The pool of a card that takes part in overcommit, or does not.
    #[must_use]
    pub const fn of_card(is_overcommit: bool) -> Self {
        if is_overcommit { Self::Shared } else { Self::Dedicated }
    }

    /// Whether its cards take part in overcommit.
    #[must_use]
    pub const fn is_overcommit(self) -> bool {
        matches!(self, Self::Shared)
    }
}

kernel::coded_enum! {
    /// How full a phone's disk is, by what its last copy held.
    pub enum DiskState {
        /// There is space.
        Fine = 1 ("正常", "Fine"),
        /// Nine tenths of it and more are used.
        Nearly = 2 ("将满", "Nearly full"),
        /// More is used than was bought: we install nothing there.
        Over = 3 ("超出云盘", "Over its disk"),
    }
}

/// Bytes of a GB of a phone's disk.
pub const DISK_GB: i64 = 1 << 30;

impl DiskState {
    /// That of a phone of which so much is used. The list's filter and an index say the same in SQL.
    #[must_use]
    pub fn of(used_bytes: i64, disk_gb: i32) -> Self {
        let disk = i64::from(disk_gb) * DISK_GB;
        if used_bytes > disk {
            Self::Over
        } else if used_bytes >= disk / 10 * 9 {
            Self::Nearly
        } else {
            Self::Fine
        }
    }
}

/// A cloud phone. `kept_state`, `kept_kind` and `holds_role` are constants of the schema (the foreign keys need them)
/// and no fields here.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel, Serialize)]
#[serde(rename_all = "camelCase")]
#[sea_orm(table_name = "phone")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: PhoneId,
    /// Unique; what people call it by: `CP-0000001`.
    pub code: String,
    pub name: String,
    pub user_id: ClientUserId,
    pub plan: Plan,
    /// Its home: where it is put on.
    pub room_id: RoomId,
    /// On which cards it comes.
    pub pool: PhonePool,
    pub life: Life,
    pub use_type: UseType,
    /// It was never on a card.
    pub is_blank: bool,
    /// The copy it lives by.
    pub kept_id: Option<BackupId>,
    /// The card that holds it.
    pub holds_id: Option<PlacementId>,
    /// Tickets of another revision are dead.
    pub endpoint_rev: i64,
    pub disk_gb: i32,
    pub used_bytes: i64,
    pub expires_at: UtcTime,
    /// Days bought in one piece; 0 where that is not known.
    pub term: i32,
    /// The version of its system image; empty until it has been on a card.
    pub image: String,
    pub source: PhoneSource,
    /// Why it is frozen.
    pub frozen_reason: String,
    /// Until when it can be had back, once released.
    pub stays_until: Option<UtcTime>,
    pub last_used_at: Option<UtcTime>,
    pub last_backup_at: Option<UtcTime>,
    pub remark: String,
    /// The application that brought it, or its customer; none if the company did.
    pub app_id: Option<OpenAppId>,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use super::{DISK_GB, DiskState, Life as L};

    #[test]
    fn a_disk_is_nearly_full_from_nine_tenths_on_and_over_beyond_what_was_bought() {
        for (used, state) in [
            (0, DiskState::Fine),
            (9 * DISK_GB - 1, DiskState::Fine),
            (9 * DISK_GB, DiskState::Nearly),
            (10 * DISK_GB, DiskState::Nearly),
            (10 * DISK_GB + 1, DiskState::Over),
            (i64::MAX, DiskState::Over),
        ] {
            assert_eq!(DiskState::of(used, 10), state, "{used}");
        }
    }

    #[test]
    fn only_a_released_phone_is_erased_and_then_for_good() {
        for life in L::ALL {
            assert_eq!(life.may_become(L::Erased), *life == L::Released, "{life:?}");
            assert!(!L::Erased.may_become(*life) && !life.may_become(*life), "{life:?}");
        }
    }
}
