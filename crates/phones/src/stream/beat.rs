//! A gateway says which streams go on, and is told which to end.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use base::owned::Owned;
use entity::connect::{Column, Entity, Model as Connect};
use entity::phone::{self, Model as Phone, UseType};
use entity::phone_session::SessionEnd;
use entity::saga::{Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{ConnectId, PhoneId};
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use wire::Reason;

use super::bounds::{Limit, first, limits};
use super::id::StreamId;
use super::live::Streams;
use super::warned::WARNED;
use crate::connect::{LEFT, Stand, TAKEN_OVER, UNKNOWN, out_of_use, stand};
use crate::saga as sagas;

/// What a gateway is to do with a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Nothing: it goes on.
    GoesOn,
    /// Tell whoever uses it that it ends then.
    Warn(UtcTime),
    /// End it, for this reason.
    End(&'static str),
    /// End it, and have the client connect again: the phone is there, or will be in a moment.
    Reconnect(&'static str),
}

/// A stream that something is to be done with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Told {
    pub stream: StreamId,
    pub order: Order,
}

/// A gateway that may see these phones says which streams it has; it is told what to do with those that do not just go on.
/// Nothing is written.
///
/// # Errors
/// When a read fails.
pub async fn beat(app: &App, whose: Owned, streams: &[StreamId]) -> Outcome<Vec<Told>> {
    let (db, now) = (app.db.read(), app.clock.now());
    let rows = Entity::find().filter(Column::Id.is_in(streams.iter().map(|id| id.connect))).all(db).await?;
    let phones = phone::Entity::find().filter(phone::Column::Id.is_in(rows.iter().map(|row| row.phone_id)));
    let phones = whose.only_of(app.db.backend(), phones, phone::Column::AppId).all(db).await?;
    let sagas = sagas::locking_many(db, phones.iter().map(|phone| phone.id)).await?;
    let rows: HashMap<ConnectId, Connect> = rows.into_iter().map(|row| (row.id, row)).collect();
    let phones: HashMap<PhoneId, Phone> = phones.into_iter().map(|phone| (phone.id, phone)).collect();
    let sagas: HashMap<PhoneId, Saga> = sagas.into_iter().map(|saga| (saga.phone_id, saga)).collect();
    let barred = customers::out_of_use(db, phones.values().map(|phone| phone.user_id)).await?;
    let barred = |phone: &Phone| barred.get(&phone.user_id).copied().and_then(out_of_use);
    let limits = limits(app, db, phones.values().cloned().collect(), &sagas, now).await?;
    let (mut told, mut live, mut named) = (Vec::new(), Vec::new(), Vec::new());
    for id in streams {
        let found = rows.get(&id.connect).and_then(|row| Some((row, phones.get(&row.phone_id)?)));
        let (saga, limit) = match found {
            Some((_, phone)) => (sagas.get(&phone.id), limits.get(&phone.id).copied()),
            None => (None, None),
        };
        let order = match found.and_then(|(_, phone)| barred(phone)) {
            // At once, whatever the rules are.
            Some((code, _)) => Order::End(code),
            None => judge(*id, found, (saga, limit), now),
        };
        match (order, found) {
            (Order::GoesOn | Order::Warn(_), Some((row, _))) => live.push((row.phone_id, *id)),
            // Its gateway speaks of it, whatever becomes of it. One that is over is not what goes on of its phone.
            (Order::End(_) | Order::Reconnect(_), Some((row, _)))
                if row.stream == id.number && row.stream_at.is_some() =>
            {
                named.push((row.phone_id, *id));
            }
            (_, _) => {}
        }
        if order != Order::GoesOn {
            told.push(Told { stream: *id, order });
        }
    }
    heard(streams.len());
    let (known, steady) = (app.part::<Streams>(), app.clock.steady());
    known.name(named, steady);
    known.hear(live, steady);
    Ok(told)
}

/// What is to be done with a stream of which this is known: a rule without a database.
fn judge(
    id: StreamId,
    found: Option<(&Connect, &Phone)>,
    (saga, limit): (Option<&Saga>, Option<Limit>),
    now: UtcTime,
) -> Order {
    let Some((row, phone)) = found else { return Order::End(UNKNOWN) };
    if row.stream != id.number {
        return Order::End(if row.stream > id.number { TAKEN_OVER } else { UNKNOWN });
    }
    if row.stream_at.is_none() {
        if row.code == TAKEN_OVER {
            return Order::End(TAKEN_OVER);
        }
        return match stand(phone, saga) {
            Stand::Off => Order::End(Reason::PhoneOffMachine.code()),
            Stand::No(why) if phone.use_type == UseType::Off => Order::End(why.code()),
            Stand::Ready | Stand::Comes | Stand::Leaves | Stand::Turns | Stand::No(_) => Order::End(LEFT),
        };
    }
    match stand(phone, saga) {
        Stand::Ready => bounded(phone, limit, now),
        Stand::Comes => Order::GoesOn,
        // It waits for its turn still.
        Stand::Leaves | Stand::Turns if saga.is_some_and(|saga| saga.state == SagaState::Waiting) => {
            bounded(phone, limit, now)
        }
        // It is back in a while.
        Stand::Turns => Order::Reconnect(Reason::PhoneUnderWay.code()),
        Stand::Leaves | Stand::Off => {
            let why = saga.and_then(|saga| saga.cause).map_or(Reason::PhoneOffMachine.code(), SessionEnd::code_word);
            Order::End(why)
        }
        // Its card is out of our reach, and not out of the gateway's.
        Stand::No(Reason::CardLost) => Order::GoesOn,
        Stand::No(Reason::PhoneUnderWay) if saga.is_some_and(interrupts) => {
            Order::Reconnect(Reason::PhoneUnderWay.code())
        }
        Stand::No(Reason::PhoneUnderWay) => Order::GoesOn,
        Stand::No(why) => Order::End(why.code()),
    }
}

/// What becomes of a stream of a phone that is there: it ends with the phone's time, or by what limits its use.
fn bounded(phone: &Phone, limit: Option<Limit>, now: UtcTime) -> Order {
    let (at, why) = first(phone, limit);
    match at.seconds_since(now) {
        // That it has expired is written down within the minute.
        ..=0 if why != SessionEnd::Expired => Order::End(why.code_word()),
        ..=WARNED => Order::Warn(at),
        _ => Order::GoesOn,
    }
}

/// Whether what is being done to a phone interrupts whoever uses it, for a while.
fn interrupts(saga: &Saga) -> bool {
    let stops = match saga.kind {
        SagaKind::Restart => true,
        // Until then it goes on.
        SagaKind::BackUp => saga.step != StepName::Packages,
        SagaKind::PutOn
        | SagaKind::Clear
        | SagaKind::Verify
        | SagaKind::Erase
        | SagaKind::Apps
        | SagaKind::TakeOff
        | SagaKind::Lost => false,
    };
    stops && saga.state == SagaState::Running
}

/// Gateways say that so many streams go on.
fn heard(streams: usize) {
    let streams = u64::try_from(streams).unwrap_or(u64::MAX);
    metrics::counter!("skyrack_stream_heartbeats_total").increment(streams);
}

#[cfg(test)]
#[path = "beat_tests.rs"]
mod tests;
