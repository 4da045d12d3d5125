//! What it comes to that somebody wants to connect to a phone: a rule without a database.

use entity::RoomId;
use entity::client_user::ClientUserStatus;
use entity::phone::{Model as Phone, UseType};
use entity::phone_session::SessionEnd;
use entity::saga::{Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use fleet::reasons;
use kernel::lang::Lang;
use kernel::text::{Message, Text, text};
use wire::Reason;

use super::told::{self, LEFT, QUEUE_FULL, QUEUE_TIMEOUT, TAKEN_OVER, TOO_OFTEN, UNKNOWN, USER_CLOSED, USER_DISABLED};
use crate::phone::act::stays;

const DISABLED: Text = text("该客户已被平台禁用", "The account was disabled by those who run the platform");
const CLOSED: Text = text("该客户的账号已注销", "The account is closed");
const TAKEN: Text = text("已在别处连接，此处已断开", "Somebody else has connected since; this one is over");
const WAITED: Text = text("排队超时，请稍后再试", "It took too long in the queue; try again later");
const LONG: Text =
    text("达到单次最长时长，{n} 分钟后可再连接", "Used as long as it may be at a time. Connect again in {n} min");
const HOURS: Text =
    text("今日时长已用完，{n} 分钟后可再连接", "The hours of the day are used up. Connect again in {n} min");
const NIGHT: Text = text("夜间停用，{n} 分钟后可再连接", "Closed at night. Connect again in {n} min");
const GONE: Text = text("用户已离开", "The customer has left");
const NO_STREAM: Text = text("没有这路串流", "There is no such stream");
const EXPIRED: Text = text("云手机已到期，请续费", "The phone has expired. Renew it");
const FROZEN: Text = text("云手机已冻结：{reason}", "The phone is frozen: {reason}");
const RELEASED: Text = text("云手机已释放", "The phone was given up");
const LOST: Text = text(
    "卡已失联，等待运营人员处理；恢复后可再连接",
    "Its card is lost and it waits for those who run the platform; connect again later",
);
const OFTEN: Text = text("连接过于频繁，请 {n} 分钟后再试", "Connected too often. Try again in {n} min");
const FULL: Text = text("排队已满，请稍后再试", "The queue is full; try again later");

/// Where a phone is, for whoever wants to connect to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stand {
    /// On its card.
    Ready,
    /// On the way there, or back to it.
    Comes,
    /// Being taken off, and could still stay.
    Leaves,
    /// Being taken off, and put on with an older copy then: somebody has set it back to that.
    Turns,
    /// Off: it has to be put on.
    Off,
    /// Nobody can connect to it.
    No(Reason),
}

/// Where a phone is; `open` is what is being done to it.
#[must_use]
pub fn stand(phone: &Phone, open: Option<&Saga>) -> Stand {
    if let Err(why) = stays(phone) {
        return Stand::No(why);
    }
    let is_on = phone.use_type == UseType::On;
    let Some(saga) = open else { return if is_on { Stand::Ready } else { Stand::Off } };
    if saga.state == SagaState::Held {
        // It goes on where it is.
        if saga.kind == SagaKind::TakeOff {
            return Stand::Ready;
        }
        return Stand::No(if saga.kind == SagaKind::Lost {
            Reason::CardLost
        } else if saga.kind == SagaKind::PutOn {
            // Whether an older one comes is decided by a person.
            Reason::CopyDamaged
        } else {
            Reason::PhoneUnderWay
        });
    }
    match saga.kind {
        SagaKind::PutOn => Stand::Comes,
        SagaKind::TakeOff if saga.is_wanted_back || saga.state == SagaState::GoingBack => Stand::Comes,
        SagaKind::TakeOff if saga.comes_with_id.is_some() => Stand::Turns,
        SagaKind::TakeOff => Stand::Leaves,
        SagaKind::Lost => Stand::No(Reason::CardLost),
        SagaKind::BackUp if is_on && goes_on(saga) => Stand::Ready,
        SagaKind::Apps if is_on => Stand::Ready,
        SagaKind::BackUp
        | SagaKind::Apps
        | SagaKind::Restart
        | SagaKind::Clear
        | SagaKind::Verify
        | SagaKind::Erase => Stand::No(Reason::PhoneUnderWay),
    }
}

/// Why a customer whose account is in this state may do nothing, for programs and for people; none where it is in use.
#[must_use]
pub const fn out_of_use(status: ClientUserStatus) -> Option<(&'static str, Text)> {
    match status {
        ClientUserStatus::Active => None,
        ClientUserStatus::Disabled => Some((USER_DISABLED, DISABLED)),
        ClientUserStatus::LoggedOut => Some((USER_CLOSED, CLOSED)),
    }
}

/// Whether a phone goes on while it is copied: the first copy is made so; any other stops it for a while, once it has begun and
/// until it is read back.
fn goes_on(saga: &Saga) -> bool {
    saga.operation_id.is_none() || saga.state == SagaState::Waiting || saga.step == StepName::Verify
}

/// Why nobody can connect.
#[derive(Clone, Debug)]
pub struct Refused {
    pub code: &'static str,
    /// The same for people.
    pub words: Message,
}

impl Refused {
    /// What stands in the way of a phone.
    pub(crate) fn of(why: Reason, phone: &Phone) -> Self {
        let why = told::refused(why);
        let own = [(Reason::PhoneExpired, EXPIRED), (Reason::PhoneReleased, RELEASED), (Reason::CardLost, LOST)];
        let words: Message = if why == Reason::PhoneFrozen {
            FROZEN.with("reason", &phone.frozen_reason)
        } else {
            own.into_iter().find(|(of, _)| *of == why).map_or_else(|| reasons::text_of(why), |(_, words)| words).into()
        };
        Self { code: why.code(), words }
    }

    /// The phone was put on too often; it may be again in so many seconds.
    pub(crate) fn too_often(seconds: i64) -> Self {
        Self { code: TOO_OFTEN, words: OFTEN.with("n", (seconds + 59) / 60) }
    }

    /// The rules let nobody use it for so many seconds more.
    pub(super) fn limit(why: SessionEnd, seconds: i64) -> Self {
        let words = match why {
            SessionEnd::DailyHours => HOURS,
            SessionEnd::NightClose => NIGHT,
            SessionEnd::TakenOff
            | SessionEnd::CardLost
            | SessionEnd::GivenUp
            | SessionEnd::Erased
            | SessionEnd::NotAllowed
            | SessionEnd::Expired
            | SessionEnd::LongestSession
            | SessionEnd::Needed
            | SessionEnd::Idle => LONG,
        };
        Self { code: why.code_word(), words: words.with("n", (seconds.max(0) + 59) / 60) }
    }

    /// As many as may wait do.
    pub(super) fn queue_full() -> Self {
        Self { code: QUEUE_FULL, words: FULL.into() }
    }
}

/// The words of a code that is kept.
#[must_use]
pub fn words(code: &str, lang: Lang) -> String {
    match code {
        TAKEN_OVER => TAKEN.get(lang).to_owned(),
        QUEUE_TIMEOUT => WAITED.get(lang).to_owned(),
        LEFT => GONE.get(lang).to_owned(),
        UNKNOWN => NO_STREAM.get(lang).to_owned(),
        USER_DISABLED => DISABLED.get(lang).to_owned(),
        USER_CLOSED => CLOSED.get(lang).to_owned(),
        other => match limit_of(other).map(SessionEnd::label).or_else(|| told::own_words(other)) {
            Some(words) => words.get(lang).to_owned(),
            None => reasons::words(other, lang),
        },
    }
}

/// The limit of use that has this code.
fn limit_of(code: &str) -> Option<SessionEnd> {
    told::LIMITS.into_iter().find(|why| why.code_word() == code)
}

/// What somebody who connects is told.
#[derive(Clone, Debug)]
pub enum Seen {
    /// The application does not connect to it.
    Nobody,
    /// In the queue, from 1; it takes so many seconds, if anybody knows, and waits for that, once somebody has looked.
    Queued { position: Option<i64>, wait: Option<i64>, why: Option<Reason> },
    /// On the way, in hundredths of the present step, if anybody knows.
    Coming { percent: Option<i64> },
    /// On a card of this room.
    Ready(RoomId),
    /// It is over, for this reason.
    Failed(String),
    /// It cannot be connected to just now.
    No(Refused),
}

#[cfg(test)]
#[path = "stand_tests.rs"]
mod tests;
