//! A phone's stay on a card, and who used it meanwhile.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::{CardId, OpenAppId, PhoneId, PhoneSessionId, PlacementId, RoomId};

kernel::coded_enum! {
    /// Why a phone has left its card.
    pub enum SessionEnd {
        /// It was taken off, and lives by its copy.
        TakenOff = 1 ("下机", "Taken off"),
        /// Its card was lost, and it went on from a copy.
        CardLost = 2 ("卡失联，改用备份", "Card lost, went on from a copy"),
        /// What it had on a lost card was given up.
        GivenUp = 3 ("数据已放弃", "Data given up"),
        /// It was erased.
        Erased = 4 ("已清除", "Erased"),
        /// It was frozen or released.
        NotAllowed = 5 ("已冻结或释放", "Frozen or released"),
        /// It has expired.
        Expired = 6 ("已到期", "Expired"),
        /// Somebody has used it for as long as he may at a time.
        LongestSession = 7 ("达到单次最长", "Longest session reached"),
        /// Somebody has used it for as long as he may a day.
        DailyHours = 8 ("达到每日时长", "Hours of the day used up"),
        /// The night has begun in which it is off.
        NightClose = 9 ("夜间停用", "Closed at night"),
        /// Others waited for a card, and it was idle for longest.
        Needed = 10 ("有人排队", "Others were waiting"),
        /// Nobody has used it for long enough.
        Idle = 11 ("空闲", "Idle"),
    }
}

impl SessionEnd {
    /// Those for which rules take phones off that nobody has asked for.
    pub const BY_RULE: [Self; 7] = [
        Self::NotAllowed,
        Self::Expired,
        Self::LongestSession,
        Self::DailyHours,
        Self::NightClose,
        Self::Needed,
        Self::Idle,
    ];

    /// Whether a rule has taken the phone off.
    #[must_use]
    pub fn is_by_rule(self) -> bool {
        Self::BY_RULE.contains(&self)
    }

    /// Why whoever uses a phone is told to stop, for programs.
    #[must_use]
    pub const fn code_word(self) -> &'static str {
        match self {
            Self::TakenOff | Self::CardLost | Self::GivenUp | Self::Erased | Self::Needed | Self::Idle => {
                "phone_off_machine"
            }
            Self::NotAllowed => "phone_frozen",
            Self::Expired => "phone_expired",
            Self::LongestSession => "longest_session",
            Self::DailyHours => "daily_hours",
            Self::NightClose => "night_close",
        }
    }
}

/// A phone's stay on a card. It is written when the phone comes and goes, and when somebody begins or ends to use it.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "phone_session")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: PhoneSessionId,
    pub phone_id: PhoneId,
    pub placement_id: PlacementId,
    pub card_id: CardId,
    /// The card's room.
    pub room_id: RoomId,
    pub board: String,
    /// When somebody asked for it; none where that is not known.
    pub asked_at: Option<UtcTime>,
    pub began_at: UtcTime,
    pub ended_at: Option<UtcTime>,
    pub why: Option<SessionEnd>,
    /// Who used it last; none if nobody has, or the application is gone.
    pub app_id: Option<OpenAppId>,
    /// The gateway by which it was used last; empty if nobody has.
    pub gateway: String,
    /// How often somebody began to use it.
    pub streams: i32,
    /// For how many seconds it was used, without the present use.
    pub streamed_s: i64,
    pub first_stream_at: Option<UtcTime>,
    /// When somebody used it last; none if nobody has, or somebody uses it for the first time.
    pub last_stream_at: Option<UtcTime>,
    /// Since when somebody uses it; none if nobody does.
    pub stream_at: Option<UtcTime>,
}

impl ActiveModelBehavior for ActiveModel {}
