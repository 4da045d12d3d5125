//! What has become of phones since the console started, for Prometheus, and how its labels call that.

use entity::phone_session::SessionEnd;
use entity::saga::{SagaKind, SagaState};

/// What a label calls it.
pub const fn kind_of(kind: SagaKind) -> &'static str {
    match kind {
        SagaKind::PutOn => "put_on",
        SagaKind::BackUp => "back_up",
        SagaKind::Clear => "clear",
        SagaKind::Verify => "verify",
        SagaKind::Apps => "apps",
        SagaKind::TakeOff => "take_off",
        SagaKind::Erase => "erase",
        SagaKind::Restart => "restart",
        SagaKind::Lost => "card_lost",
    }
}

/// What a label calls it.
pub const fn state_of(state: SagaState) -> &'static str {
    match state {
        SagaState::Waiting => "waiting",
        SagaState::Running => "running",
        SagaState::GoingBack => "going_back",
        SagaState::Done => "done",
        SagaState::Failed => "failed",
        SagaState::Held => "held",
        SagaState::Cancelled => "cancelled",
    }
}

/// Why a phone was taken off.
const fn cause_of(cause: Option<SessionEnd>) -> &'static str {
    match cause {
        Some(SessionEnd::NotAllowed) => "not_allowed",
        Some(SessionEnd::Expired) => "expired",
        Some(SessionEnd::LongestSession) => "longest_session",
        Some(SessionEnd::DailyHours) => "daily_hours",
        Some(SessionEnd::NightClose) => "night_close",
        Some(SessionEnd::Needed) => "needed",
        Some(SessionEnd::Idle) => "idle",
        Some(SessionEnd::TakenOff | SessionEnd::CardLost | SessionEnd::GivenUp | SessionEnd::Erased) | None => "asked",
    }
}

/// Something that was done to a phone is over; a phone that was taken off was so for this rule, or because somebody has asked.
pub fn ended(kind: SagaKind, state: SagaState, cause: Option<SessionEnd>) {
    metrics::counter!("skyrack_phone_sagas_ended_total", "kind" => kind_of(kind), "outcome" => state_of(state))
        .increment(1);
    if kind == SagaKind::TakeOff && state == SagaState::Done {
        metrics::counter!("skyrack_phones_taken_off_total", "cause" => cause_of(cause)).increment(1);
    }
}
