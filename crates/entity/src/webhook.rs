//! Where an application of the Open API is told what happens, and of what.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::OpenAppId;

kernel::coded_enum! {
    /// What applications are told of.
    pub enum HookEvent {
        /// Somebody has tried whether they hear.
        Test = 1 ("测试", "Test"),
        /// A phone is on a card.
        PhoneOn = 2 ("云手机上机", "Phone on its card"),
        /// A phone has left its card.
        PhoneOff = 3 ("云手机下机", "Phone off its card"),
        /// A phone expires within as many days as the rules say.
        PhoneExpiring = 4 ("云手机即将到期", "Phone about to expire"),
        /// A phone has expired.
        PhoneExpired = 5 ("云手机到期", "Phone expired"),
        /// A phone can be used again: it was renewed, thawed or had back.
        PhoneActive = 6 ("云手机恢复使用", "Phone usable again"),
        /// Nobody may use a phone for now.
        PhoneFrozen = 7 ("云手机冻结", "Phone frozen"),
        /// A phone was given up, and can be had back for some days.
        PhoneReleased = 8 ("云手机释放", "Phone given up"),
        /// Nothing of a phone is left.
        PhoneErased = 9 ("云手机清除", "Phone erased"),
        /// A phone is there that somebody has waited for.
        ConnectReady = 10 ("连接就绪", "Connection ready"),
        /// A phone does not come that somebody has waited for.
        ConnectFailed = 11 ("连接失败", "Connection failed"),
    }
}

impl HookEvent {
    /// Its name, as it is sent.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::PhoneOn => "phone.on",
            Self::PhoneOff => "phone.off",
            Self::PhoneExpiring => "phone.expiring",
            Self::PhoneExpired => "phone.expired",
            Self::PhoneActive => "phone.active",
            Self::PhoneFrozen => "phone.frozen",
            Self::PhoneReleased => "phone.released",
            Self::PhoneErased => "phone.erased",
            Self::ConnectReady => "connect.ready",
            Self::ConnectFailed => "connect.failed",
        }
    }

    /// Its bit among those that an application has chosen.
    #[must_use]
    pub const fn bit(self) -> i64 {
        1_i64 << self.code()
    }

    /// The events whose bits are set.
    #[must_use]
    pub fn chosen(bits: i64) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|event| bits & event.bit() != 0).collect()
    }
}

/// Where an application is told, and of what. One row at most for each.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub app_id: OpenAppId,
    pub url: String,
    /// See [`HookEvent::chosen`].
    pub events: i64,
    /// What receivers name the secret by; empty if there is none. Its value is sealed in the table of secrets.
    pub key_code: String,
    pub is_enabled: bool,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::HookEvent;

    #[test]
    fn each_event_has_a_name_and_a_bit_of_its_own() {
        let names: BTreeSet<&str> = HookEvent::ALL.iter().map(|event| event.name()).collect();
        assert_eq!(names.len(), HookEvent::ALL.len());
        let all = HookEvent::ALL.iter().fold(0, |bits, event| bits | event.bit());
        assert_eq!(HookEvent::chosen(all), HookEvent::ALL);
        let two = HookEvent::PhoneOff.bit() | HookEvent::ConnectReady.bit();
        assert_eq!(HookEvent::chosen(two), [HookEvent::PhoneOff, HookEvent::ConnectReady]);
        assert!(HookEvent::chosen(0).is_empty());
    }
}
