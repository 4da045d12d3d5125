//! What applications of the Open API are told of phones by themselves, with the names and fields of its page. Each is written in
//! the transaction of what has happened.

use base::outbox::{self, News, To};
use db::WriteTx;
use entity::OpenAppId;
use entity::phone::{Life, Model as Phone, UseType};
use entity::phone_session::SessionEnd;
use entity::webhook::HookEvent;
use kernel::time::UtcTime;
use sea_orm::DbErr;
use serde::Serialize;

/// What is told of a phone. Ids are texts, as everywhere in the Open API.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    phone_id: String,
    phone_code: String,
    user_id: String,
    life: Life,
    use_type: UseType,
    expires_at: UtcTime,
    /// Until when a released one can be had back.
    #[serde(skip_serializing_if = "Option::is_none")]
    stays_until: Option<UtcTime>,
    /// Why it has left its card.
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'static str>,
    /// Why nobody can connect.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<String>,
}

fn of(kind: HookEvent, phone: &Phone, to: To, at: UtcTime) -> News<Data> {
    let data = Data {
        phone_id: phone.id.to_string(),
        phone_code: phone.code.clone(),
        user_id: phone.user_id.to_string(),
        life: phone.life,
        use_type: phone.use_type,
        expires_at: phone.expires_at,
        stays_until: phone.stays_until,
        why: None,
        code: None,
    };
    News { kind, object: format!("phone.{}", phone.id), subject: phone.code.clone(), to, at, data }
}

/// For whoever may see the phone.
fn seen(kind: HookEvent, phone: &Phone, at: UtcTime) -> News<Data> {
    of(kind, phone, To::WhoSees(phone.app_id), at)
}

/// A phone is on a card.
///
/// # Errors
/// When the write fails.
pub async fn on(tx: &mut WriteTx, phone: &Phone, at: UtcTime) -> Result<(), DbErr> {
    outbox::write(tx, &[seen(HookEvent::PhoneOn, phone, at)]).await
}

/// A phone has left its card.
///
/// # Errors
/// When the write fails.
pub async fn off(tx: &mut WriteTx, phone: &Phone, why: SessionEnd, at: UtcTime) -> Result<(), DbErr> {
    let mut news = seen(HookEvent::PhoneOff, phone, at);
    news.data.why = Some(word(why));
    outbox::write(tx, &[news]).await
}

/// Phones that were changed, `(before, after)`: what is new in their lives.
///
/// # Errors
/// When the write fails.
pub async fn lives(tx: &mut WriteTx, changes: &[(Phone, Phone)]) -> Result<(), DbErr> {
    let turned = changes.iter().filter(|(before, after)| before.life != after.life);
    let news = turned.filter_map(|(_, after)| Some(seen(turn(after.life)?, after, after.updated_at)));
    let news: Vec<News<Data>> = news.collect();
    outbox::write(tx, &news).await
}

/// Phones that expire soon.
///
/// # Errors
/// When the write fails.
pub async fn expiring(tx: &mut WriteTx, phones: &[Phone], at: UtcTime) -> Result<(), DbErr> {
    let news: Vec<News<Data>> = phones.iter().map(|phone| seen(HookEvent::PhoneExpiring, phone, at)).collect();
    outbox::write(tx, &news).await
}

/// A phone is there for which somebody has waited: whoever connects him asks for a ticket now.
///
/// # Errors
/// When the write fails.
pub async fn ready(tx: &mut WriteTx, by: OpenAppId, phone: &Phone, at: UtcTime) -> Result<(), DbErr> {
    outbox::write(tx, &[of(HookEvent::ConnectReady, phone, To::One(by), at)]).await
}

/// A phone does not come for which somebody has waited.
///
/// # Errors
/// When the write fails.
pub async fn failed(tx: &mut WriteTx, by: OpenAppId, phone: &Phone, code: &str, at: UtcTime) -> Result<(), DbErr> {
    let mut news = of(HookEvent::ConnectFailed, phone, To::One(by), at);
    news.data.code = Some(code.to_owned());
    outbox::write(tx, &[news]).await
}

/// What is told of a phone whose life has become that.
const fn turn(life: Life) -> Option<HookEvent> {
    match life {
        Life::Creating => None,
        Life::Active => Some(HookEvent::PhoneActive),
        Life::Frozen => Some(HookEvent::PhoneFrozen),
        Life::Expired => Some(HookEvent::PhoneExpired),
        Life::Released => Some(HookEvent::PhoneReleased),
        Life::Erased => Some(HookEvent::PhoneErased),
    }
}

/// Why a phone has left its card, for programs.
const fn word(why: SessionEnd) -> &'static str {
    match why {
        SessionEnd::TakenOff => "taken_off",
        SessionEnd::CardLost => "card_lost",
        SessionEnd::GivenUp => "given_up",
        SessionEnd::Erased => "erased",
        SessionEnd::NotAllowed => "not_allowed",
        SessionEnd::Expired => "expired",
        SessionEnd::LongestSession => "longest_session",
        SessionEnd::DailyHours => "daily_hours",
        SessionEnd::NightClose => "night_close",
        SessionEnd::Needed => "needed",
        SessionEnd::Idle => "idle",
    }
}
