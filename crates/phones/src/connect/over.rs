//! Nobody is at a phone any more that has left its card, and no ticket for it is good.

use base::fault::Outcome;
use db::WriteTx;
use entity::PhoneId;
use entity::connect::{ActiveModel, Column, ConnectState, Entity, Model};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _};

/// What becomes of a row whose application is not at the phone any more, for this reason.
pub fn over(code: &str, now: UtcTime) -> ActiveModel {
    ActiveModel {
        state: Set(ConnectState::Over),
        code: Set(code.to_owned()),
        ticket_hash: Set(None),
        until: Set(None),
        ended_at: Set(Some(now)),
        stream_at: Set(None),
        ..Default::default()
    }
}

/// What becomes of a row of whom nobody has heard any more: one whose stream goes on is there still, and only its ticket ends.
pub fn unheard(row: &Model, now: UtcTime) -> ActiveModel {
    if row.stream_at.is_none() {
        return over("", now);
    }
    ActiveModel {
        state: Set(ConnectState::Connected),
        ticket_hash: Set(None),
        until: Set(None),
        connected_at: Set(row.stream_at),
        ..Default::default()
    }
}

/// Ends whatever a phone is connected by that is not there any more, and whoever waits for it waits for nothing.
///
/// # Errors
/// When the write fails.
pub async fn nobody(tx: &WriteTx, phone: PhoneId, now: UtcTime) -> Outcome<()> {
    let ends = Entity::update_many().set(over("", now));
    ends.filter(Column::PhoneId.eq(phone)).filter(Column::State.is_in(ConnectState::OPEN)).exec(&**tx).await?;
    Ok(())
}

/// Ends what a phone that leaves its card was connected by. Whoever waits goes on waiting, and has no stream any more: the next
/// card has another one.
///
/// # Errors
/// When the write fails.
pub async fn gone(tx: &WriteTx, phone: PhoneId, now: UtcTime) -> Outcome<()> {
    let there = [ConnectState::Granted, ConnectState::Connected];
    let ends = Entity::update_many().set(over("", now));
    ends.filter(Column::PhoneId.eq(phone)).filter(Column::State.is_in(there)).exec(&**tx).await?;
    let waits = Entity::update_many().set(ActiveModel { stream_at: Set(None), ..Default::default() });
    let waits = waits.filter(Column::PhoneId.eq(phone)).filter(Column::State.eq(ConnectState::Waiting));
    waits.filter(Column::StreamAt.is_not_null()).exec(&**tx).await?;
    Ok(())
}
