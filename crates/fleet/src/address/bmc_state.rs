//! What BMCs did when they were asked the last time, as checks and acts on the power of their cards tell it.

use std::collections::{BTreeMap, BTreeSet};

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::bmc::{ActiveModel, BmcState, Column, Entity, Model};
use entity::{BmcId, CardId, bmc_range, card};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, DbErr, EntityTrait as _, QueryFilter as _};
use wire::Reason;

/// A BMC that goes on as before is written again only after this while: an act on a frame tells of it for every card.
const SAME_FOR: i64 = 60_000;
/// Keys in one query.
const KEYS: usize = 500;

/// What a result says of the BMC; none if it says nothing of it.
fn state_of(code: &str) -> Option<BmcState> {
    if code.is_empty() {
        return Some(BmcState::Reachable);
    }
    let reason = Reason::from_code(code)?;
    if matches!(
        reason,
        Reason::BmcAuthRefused
            | Reason::BmcForbidden
            | Reason::BmcCertificateChanged
            | Reason::BmcSessionRefused
            | Reason::BmcNoScheme
            | Reason::BmcNoSession
    ) {
        return Some(BmcState::Refused);
    }
    if matches!(reason, Reason::BmcUnreachable | Reason::BmcTimeout | Reason::AddressRefused) {
        return Some(BmcState::Unreachable);
    }
    if matches!(reason, Reason::BmcUnsupported | Reason::BmcFailed | Reason::BmcProtocol) {
        return Some(BmcState::Failing);
    }
    // It answered; what it was asked for is another matter.
    let has_answered = matches!(reason, Reason::PowerUnknown | Reason::PowerStuck);
    has_answered.then_some(BmcState::Reachable)
}

/// What is known of it no longer holds: it has another address, or another password.
pub fn forget(change: &mut ActiveModel) {
    change.state = Set(BmcState::NeverAsked);
    change.state_code = Set(String::new());
    change.state_since = Set(None);
    change.asked_at = Set(None);
}

/// Keeps what a BMC just did; an empty code means that it let us in.
///
/// # Errors
/// When the database refuses.
pub async fn write(tx: &WriteTx, bmc: &Model, code: &str, now: UtcTime) -> Result<(), DbErr> {
    let Some(state) = state_of(code) else { return Ok(()) };
    let code = if state == BmcState::Reachable { "" } else { code };
    let mut change = ActiveModel { id: Set(bmc.id), asked_at: Set(Some(now)), ..Default::default() };
    if (bmc.state, bmc.state_code.as_str()) != (state, code) {
        change.state = Set(state);
        change.state_code = Set(code.to_owned());
        change.state_since = Set(Some(now));
    }
    Entity::update(change).exec(&**tx).await.map(|_| ())
}

/// Keeps what the results of acts on the power of cards say of their BMCs: the last result of each counts.
///
/// # Errors
/// When the database refuses.
pub async fn told(app: &App, results: &[(CardId, String)]) -> Outcome<()> {
    let now = app.clock.now();
    let db = app.db.read();
    let codes: BTreeMap<CardId, &str> =
        results.iter().filter(|(_, code)| state_of(code).is_some()).map(|(id, code)| (*id, code.as_str())).collect();
    let ids: Vec<CardId> = codes.keys().copied().collect();
    let mut last: BTreeMap<BmcId, &str> = BTreeMap::new();
    for chunk in ids.chunks(KEYS) {
        let cards = card::Entity::find().filter(card::Column::Id.is_in(chunk.iter().copied())).all(db).await?;
        let rooms: BTreeSet<_> = cards.iter().map(|card| card.room_id).collect();
        let ranges = bmc_range::Entity::find().filter(bmc_range::Column::RoomId.is_in(rooms)).all(db).await?;
        for card in &cards {
            let range =
                ranges.iter().find(|range| range.room_id == card.room_id && range.slot(card.intranet_ip).is_some());
            if let (Some(range), Some(code)) = (range, codes.get(&card.id)) {
                last.insert(range.bmc_id, code);
            }
        }
    }
    if last.is_empty() {
        return Ok(());
    }
    let tx = app.db.begin_write().await?;
    for bmc in Entity::find().filter(Column::Id.is_in(last.keys().copied())).all(&*tx).await? {
        let code = last[&bmc.id];
        let is_fresh = bmc.asked_at.is_some_and(|at| now.millis() - at.millis() < SAME_FOR);
        let is_same = state_of(code) == Some(bmc.state) && (bmc.state == BmcState::Reachable || bmc.state_code == code);
        if !(is_fresh && is_same) {
            write(&tx, &bmc, code, now).await?;
        }
    }
    tx.commit().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{BmcState, state_of};

    #[test]
    fn a_result_says_what_the_bmc_did_or_nothing_of_it() {
        for (code, state) in [
            ("", Some(BmcState::Reachable)),
            ("power_stuck", Some(BmcState::Reachable)),
            ("bmc_auth_refused", Some(BmcState::Refused)),
            ("bmc_certificate_changed", Some(BmcState::Refused)),
            ("bmc_timeout", Some(BmcState::Unreachable)),
            ("bmc_protocol", Some(BmcState::Failing)),
            ("agent_gone", None),
            ("no_bmc", None),
            ("of_a_newer_agent", None),
        ] {
            assert_eq!(state_of(code), state, "{code}");
        }
    }
}
