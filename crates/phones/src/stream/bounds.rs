//! Until when a phone may be used, and why no longer.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use db::WriteTx;
use entity::PhoneId;
use entity::phone::Model as Phone;
use entity::phone_session::SessionEnd;
use entity::saga::{Model as Saga, SagaState};
use fleet::room_zones;
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait;

use super::warned::{AskedOff, WARNED, Warned};
use crate::rule::effective_many;
use crate::rule::moment::Moment;
use crate::rule::off::ends_at;
use crate::session::used::used_many;

/// When a use has to end, and why.
pub(super) type Limit = (UtcTime, SessionEnd);

/// Until when a use that has just begun may go on, as far as that is known by then.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    pub until: UtcTime,
    /// Why no longer, for programs.
    pub code: &'static str,
    /// From when on whoever uses it is warned.
    pub warn_at: UtcTime,
}

/// Until when a phone may be used of which a use begins in this transaction: it is written there already. Who may not for long any
/// more is warned from now on.
///
/// # Errors
/// When a read fails.
pub async fn bounds(app: &App, tx: &WriteTx, phone: &Phone, now: UtcTime) -> Outcome<Bounds> {
    let limit = limits(app, &**tx, vec![phone.clone()], &HashMap::new(), now).await?.remove(&phone.id);
    let (until, why) = first(phone, limit);
    Ok(Bounds { until, code: why.code_word(), warn_at: until.plus_seconds(-WARNED).max(now) })
}

/// What ends a use first: the phone's time, or what limits it.
pub(super) fn first(phone: &Phone, limit: Option<Limit>) -> Limit {
    limit.filter(|(at, _)| *at <= phone.expires_at).unwrap_or((phone.expires_at, SessionEnd::Expired))
}

/// When the present uses of these phones have to end by the rules, or since an operator takes them off: of those that have to within
/// sight. Nobody's ends before he was warned.
pub(super) async fn limits(
    app: &App,
    db: &impl ConnectionTrait,
    phones: Vec<Phone>,
    sagas: &HashMap<PhoneId, Saga>,
    now: UtcTime,
) -> Outcome<HashMap<PhoneId, Limit>> {
    let steady = app.clock.steady();
    let rules = effective_many(db, &phones).await?;
    let used = used_many(db, &phones.iter().map(|phone| phone.id).collect::<Vec<_>>()).await?;
    let console = app.config.zone();
    let zones = room_zones(db, console, phones.iter().map(|phone| phone.room_id)).await?;
    let (warned, asked_off) = (app.part::<Warned>(), &app.part::<AskedOff>().0);
    let by_rule = |phone: &Phone| {
        let used = *used.get(&phone.id)?;
        let zone = zones.get(&phone.room_id).copied().unwrap_or(console);
        let (at, why) = ends_at(rules.get(&phone.id)?, used, Moment { at: now, zone })?;
        if now.plus_seconds(WARNED) < at {
            return Some((at, why));
        }
        let left = warned.left(phone.id, used.since?, steady);
        Some((at.max(now.plus_seconds(left)), why))
    };
    let by_operator = |phone: &Phone| {
        sagas.get(&phone.id).filter(|saga| saga.warns_user && saga.state == SagaState::Waiting)?;
        let left = asked_off.left(phone.id, used.get(&phone.id)?.since?, steady);
        Some((now.plus_seconds(left), SessionEnd::TakenOff))
    };
    let limit = |phone: &Phone| by_rule(phone).into_iter().chain(by_operator(phone)).min_by_key(|(at, _)| *at);
    Ok(phones.iter().filter_map(|phone| Some((phone.id, limit(phone)?))).collect())
}
