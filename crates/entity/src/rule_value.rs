//! Values of the rules by which phones are used.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::RoomId;

kernel::coded_enum! {
    /// For whom a value holds. A larger number is narrower, and its value wins.
    pub enum RuleScope {
        /// All phones.
        Everybody = 1 ("全部", "Everybody"),
        /// Those of a plan.
        Plan = 2 ("套餐", "Plan"),
        /// Those of a room.
        Room = 3 ("机房", "Room"),
        /// Those of a plan in a room.
        RoomPlan = 4 ("机房和套餐", "Room and plan"),
        /// One phone.
        Phone = 5 ("云手机", "Phone"),
    }
}

kernel::coded_enum! {
    /// A rule by which phones are used.
    pub enum RuleField {
        /// Minutes without a stream after which a phone leaves its card; 0 is never.
        IdleMinutes = 1 ("空闲下机", "Off when idle for"),
        /// Hours a day on the machine.
        DailyHours = 2 ("每日时长", "Use a day"),
        /// Minutes that a session may last: one use, or several with short breaks.
        LongestSession = 3 ("单次最长", "Longest session"),
        /// A part of the night in which phones are off.
        NightClose = 4 ("夜间停用", "Closed at night"),
        /// Phones that may wait in a queue.
        QueueMax = 5 ("排队上限", "Longest queue"),
        /// Minutes after which a wait ends in vain.
        QueueWait = 6 ("最长等待", "Longest wait"),
        /// Minutes for which a place is kept for somebody whose connection broke.
        ReconnectGrace = 7 ("断线保留", "Kept after a broken connection"),
        /// Seconds by which a waiting user is ahead in the queue.
        Head = 8 ("排队优先", "Head start in the queue"),
        /// Days before its expiry on which a phone's user is told.
        ExpiryNotice = 9 ("到期提醒", "Notice before expiry"),
        /// Days for which an expired phone is kept.
        ReleaseGrace = 10 ("到期保留", "Kept after expiry"),
        /// Whether phones that were bought for a year are taken off by rule.
        YearCardOffline = 11 ("年卡下机类型", "Year cards go off"),
    }
}

kernel::coded_enum! {
    /// The specification's `year_card_offline_type`.
    pub enum YearCardOffline {
        /// As all others.
        AsOthers = 1 ("与其他套餐相同", "Like all others"),
        /// Only while the night closes.
        AtNight = 2 ("仅在夜间停用时", "Only when closed at night"),
        /// Never by rule.
        Never = 3 ("不自动下机", "Never by rule"),
    }
}

/// A value that a scope has of its own.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "rule_value")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub scope: RuleScope,
    /// What the scope names, as one number; 0 for everybody.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: i64,
    #[sea_orm(primary_key, auto_increment = false)]
    pub field: RuleField,
    pub value: i64,
    /// The room that the scope names, if it names one.
    pub room_id: Option<RoomId>,
    pub at: UtcTime,
    /// Who set it.
    pub by_name: String,
}

impl ActiveModelBehavior for ActiveModel {}
