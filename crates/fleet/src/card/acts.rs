//! Actions on a selection of cards: flags, drain, maintenance, return, retire. Rows are changed in steps, each
//! acknowledged by its own entry in the operation log.

use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use base::list::Selection;
use entity::card::{self, Lifecycle, Maintenance, MaintenanceScope, Model, Occupancy};
use entity::{CardId, FrameId, HostId, RoomId, frame, host, room};
use kernel::rules::{Check, Violation, after_now, line, max_chars};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, Select};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::stay::{Stay, phones_on};
use super::store::{self, CardFilter};
use super::{bulk, service};
use crate::place;
use crate::state::Fleet;
use crate::state::{self, By, Change, Written};

/// Rows changed in one transaction.
const STEP: u64 = 1000;

/// Some cards.
pub type CardSelection = Selection<CardId, CardFilter>;

/// The selected rows.
///
/// # Errors
/// When a read fails.
async fn rows(ctx: &OpCtx, selection: &CardSelection) -> Outcome<Select<card::Entity>> {
    Ok(match selection {
        Selection::Ids(ids) => card::Entity::find().filter(card::Column::Id.is_in(ids.iter().copied())),
        Selection::Filter(filter) => filter.resolve(&ctx.app).await?.apply(ctx.db().backend(), card::Entity::find()),
    })
}

/// The result for a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct CardsChanged {
    /// Cards that were changed.
    pub changed: u64,
    /// Cards that needed no change, are retired, or must not be changed now.
    pub skipped: u64,
}

/// A change of flags for a selection.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlagInput {
    /// Which cards.
    pub selection: CardSelection,
    /// Whether they may be assigned to cloud phones; unchanged if omitted.
    #[serde(default)]
    pub assignable: Option<bool>,
    /// Whether they take part in overcommit; unchanged if omitted.
    #[serde(default)]
    pub overcommit: Option<bool>,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for FlagInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", max_chars(&self.reason, 256));
        if self.assignable.is_none() && self.overcommit.is_none() {
            check.add("assignable", Violation::new("required"));
        }
    }
}

/// A change of the maintenance state.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MaintainInput {
    /// 1 returns to service, 2 drains, 3 starts maintenance.
    pub state: Maintenance,
    /// Reason; 1 to 256 characters, unless it returns to service.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
    /// Planned end; must be in the future.
    #[serde(default)]
    pub until: Option<UtcTime>,
}

impl MaintainInput {
    /// What the log says became of every card.
    fn told(&self) -> serde_json::Value {
        let until = self.until.filter(|_| self.state != Maintenance::None);
        serde_json::json!({ "maintenance": self.state, "maintenanceUntil": until, "reason": self.reason })
    }
}

impl Validate for MaintainInput {
    fn check(&self, check: &mut Check) {
        if self.state == Maintenance::None {
            check.field("reason", max_chars(&self.reason, 256));
        } else {
            check.field("reason", line(&self.reason, 256));
        }
    }
}

/// The same for a selection of cards.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MaintainCardsInput {
    /// Which cards.
    pub selection: CardSelection,
    /// 1 returns to service, 2 drains, 3 starts maintenance.
    pub state: Maintenance,
    /// Reason; 1 to 256 characters, unless it returns to service.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
    /// Planned end; must be in the future.
    #[serde(default)]
    pub until: Option<UtcTime>,
}

impl MaintainCardsInput {
    // Flattened, the two would be documented as one object that forbids the fields of the other.
    fn work(&self) -> MaintainInput {
        let Self { selection: _, state, reason, until } = self;
        MaintainInput { state: *state, reason: reason.clone(), until: *until }
    }
}

impl Validate for MaintainCardsInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        self.work().check(check);
    }
}

/// Cards to be retired.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetireInput {
    /// Which cards. Those with a phone on them are skipped.
    pub selection: CardSelection,
    /// Reason; 1 to 256 characters.
    #[schema(min_length = 1, max_length = 256)]
    pub reason: String,
}

impl Validate for RetireInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", line(&self.reason, 256));
    }
}

/// One action on many cards, step by step.
struct Act<'a> {
    ctx: &'a OpCtx,
    reason: &'a str,
    /// What the log says was done.
    what: serde_json::Value,
}

impl Act<'_> {
    /// Applies `turn` to the cards of `which`, which a phone may be on. `None` leaves a card as it is.
    async fn run(
        &self,
        which: Select<card::Entity>,
        turn: impl Fn(&Model, Option<&Stay>) -> Option<Model>,
    ) -> Outcome<CardsChanged> {
        let (mut done, mut after) = (CardsChanged::default(), CardId(0));
        loop {
            let ctx = self.ctx;
            let mut tx = ctx.begin_write().await?;
            tx.inner().plan_by_values().await?;
            let rows = store::next(&*tx, which.clone(), after, STEP).await?;
            let Some(last) = rows.last() else { return Ok(done) };
            after = last.id;
            let count = rows.len() as u64;
            let phones = phones_on(&*tx, rows.iter().map(|row| row.id)).await?;
            let changes: Vec<Change> = rows
                .into_iter()
                .filter_map(|before| {
                    let after = turn(&before, phones.get(&before.id)).filter(|after| *after != before)?;
                    Some(Change { before, after, reason: self.reason.to_owned() })
                })
                .collect();
            let gone: Vec<CardId> = changes
                .iter()
                .filter(|change| change.before.host_id.is_some() && change.after.host_id.is_none())
                .map(|change| change.before.id)
                .collect();
            if !gone.is_empty() {
                unplace(tx.inner(), &gone, ctx.now()).await?;
            }
            let audit = self.audit(&changes);
            let by = By::operator(&ctx.session.username);
            let written = state::write(tx.inner(), changes, &by, ctx.now()).await?;
            done.changed += written.len() as u64;
            done.skipped += count - written.len() as u64;
            if written.is_empty() {
                // Nothing to report: the transaction is dropped.
                drop(tx);
            } else {
                tx.commit(audit).await?;
                ctx.app.part::<Fleet>().committed(&ctx.app.events, written);
            }
            if count < STEP {
                return Ok(done);
            }
        }
    }

    fn audit(&self, changes: &[Change]) -> Audit {
        let before: Vec<_> = changes
            .iter()
            .map(|Change { before: row, .. }| {
                serde_json::json!({
                    "id": row.id, "name": service::name(row), "lifecycle": row.lifecycle,
                    "maintenance": row.maintenance, "maintenanceUntil": row.maintenance_until,
                    "isAssignable": row.is_assignable, "isOvercommit": row.is_overcommit,
                })
            })
            .collect();
        let cards = changes.iter().map(|change| (change.before.id.0, service::name(&change.before)));
        Audit::each("card", cards).before(&before).after(&self.what).note(format!("{} rows", changes.len()))
    }
}

async fn unplace(tx: &mut db::WriteTx, ids: &[CardId], now: UtcTime) -> Outcome<()> {
    let nowhere =
        card::ActiveModel { frame_id: Set(None), host_id: Set(None), position: Set(None), ..Default::default() };
    card::Entity::update_many().set(nowhere).filter(card::Column::Id.is_in(ids.iter().copied())).exec(&**tx).await?;
    bulk::end_stays(tx, ids, now).await?;
    Ok(())
}

/// Sets flags of a selection.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn set_flags(ctx: &OpCtx, input: FlagInput) -> Outcome<CardsChanged> {
    let FlagInput { selection, assignable, overcommit, reason } = input;
    let flags = [("isAssignable", assignable), ("isOvercommit", overcommit)];
    let flags = flags.into_iter().filter_map(|(name, flag)| Some((name.to_owned(), flag?.into())));
    let why = ("reason".to_owned(), serde_json::Value::from(reason.as_str()));
    let what: serde_json::Map<String, serde_json::Value> = flags.chain([why]).collect();
    let act = Act { ctx, reason: &reason, what: what.into() };
    act.run(rows(ctx, &selection).await?, |row, _| {
        (row.lifecycle != Lifecycle::Retired).then(|| Model {
            is_assignable: assignable.unwrap_or(row.is_assignable),
            is_overcommit: overcommit.unwrap_or(row.is_overcommit),
            ..row.clone()
        })
    })
    .await
}

/// Retires a selection. Cards with a phone stay; the others, those that are only to be cleared of one among them, leave their positions and free their addresses.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn retire(ctx: &OpCtx, input: RetireInput) -> Outcome<CardsChanged> {
    let RetireInput { selection, reason } = input;
    let act =
        Act { ctx, reason: &reason, what: serde_json::json!({ "lifecycle": Lifecycle::Retired, "reason": reason }) };
    act.run(rows(ctx, &selection).await?, |row, stay| {
        let is_empty = stay.map_or(row.occupancy == Occupancy::Free, Stay::is_left_behind);
        let may = row.lifecycle.may_become(Lifecycle::Retired) && is_empty;
        may.then(|| Model {
            lifecycle: Lifecycle::Retired,
            frame_id: None,
            host_id: None,
            position: None,
            is_assignable: false,
            ..row.clone()
        })
    })
    .await
}

fn check_until(ctx: &OpCtx, work: &MaintainInput) -> Outcome<()> {
    let mut check = Check::new();
    if let Some(until) = work.until {
        check.field("until", after_now(until, ctx.now()));
    }
    Ok(check.finish()?)
}

/// The row with the maintenance declared for `scope`; none if it is not affected.
pub fn worked_on(row: &Model, work: &MaintainInput, scope: MaintenanceScope, by: &str) -> Option<Model> {
    let is_return = work.state == Maintenance::None;
    // A card returns at the level at which maintenance was declared; the wider level is not affected by the narrower
    // one.
    let concerned = row.lifecycle != Lifecycle::Retired
        && (row.maintenance == Maintenance::None || row.maintenance_scope == scope)
        && !(is_return && row.maintenance == Maintenance::None);
    concerned.then(|| Model {
        maintenance: work.state,
        maintenance_scope: if is_return { MaintenanceScope::Card } else { scope },
        maintenance_reason: if is_return { String::new() } else { work.reason.clone() },
        maintenance_by: if is_return { String::new() } else { by.to_owned() },
        maintenance_until: work.until.filter(|_| !is_return),
        ..row.clone()
    })
}

/// Drains, maintains or returns a selection of cards. Those whose place is in maintenance keep that state.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn maintain_cards(ctx: &OpCtx, input: MaintainCardsInput) -> Outcome<CardsChanged> {
    let work = input.work();
    check_until(ctx, &work)?;
    let act = Act { ctx, reason: &work.reason, what: work.told() };
    act.run(rows(ctx, &input.selection).await?, |row, _| {
        worked_on(row, &work, MaintenanceScope::Card, &ctx.session.username)
    })
    .await
}

/// A room, a frame or a host.
#[derive(Clone, Copy, Debug)]
pub enum PlaceId {
    Room(RoomId),
    Frame(FrameId),
    Host(HostId),
}

/// Drains, maintains or returns a place and the cards in it.
///
/// # Errors
/// When there is no such place, or the database refuses; the steps that were acknowledged stay.
pub async fn maintain_place(ctx: &OpCtx, place: PlaceId, work: MaintainInput) -> Outcome<CardsChanged> {
    check_until(ctx, &work)?;
    let is_return = work.state == Maintenance::None;
    let by = if is_return { String::new() } else { ctx.session.username.clone() };
    let reason = if is_return { String::new() } else { work.reason.clone() };
    let until = work.until.filter(|_| !is_return);
    let tx = ctx.begin_write().await?;
    // Three tables with the same columns: the macro lists them once.
    macro_rules! declare {
        ($entity:ident, $id:expr, $kind:literal, $find:path) => {{
            let before = $find(&*tx, $id).await?;
            let row = $entity::ActiveModel {
                id: Set($id),
                maintenance: Set(work.state),
                maintenance_reason: Set(reason),
                maintenance_by: Set(by),
                maintenance_until: Set(until),
                ..Default::default()
            };
            let after = $entity::Entity::update(row).exec(&*tx).await?;
            Audit::of($kind).id($id).name(&after.name).before(&before).after(&after)
        }};
    }
    let (audit, scope, which) = match place {
        PlaceId::Room(id) => {
            (declare!(room, id, "room", place::room::find), MaintenanceScope::Room, card::Column::RoomId.eq(id))
        }
        PlaceId::Frame(id) => {
            (declare!(frame, id, "frame", place::frame::find), MaintenanceScope::Frame, card::Column::FrameId.eq(id))
        }
        PlaceId::Host(id) => {
            (declare!(host, id, "host", place::host::find), MaintenanceScope::Host, card::Column::HostId.eq(id))
        }
    };
    tx.commit(audit).await?;
    let act = Act { ctx, reason: &work.reason, what: work.told() };
    act.run(card::Entity::find().filter(which), |row, _| worked_on(row, &work, scope, &ctx.session.username)).await
}

/// Marks one card as faulty, for findings and for operators.
///
/// # Errors
/// When it may not become faulty, or the write fails.
pub async fn mark_faulty(tx: &mut db::WriteTx, row: &Model, reason: &str, by: &By, now: UtcTime) -> Outcome<Written> {
    if !row.lifecycle.may_become(Lifecycle::Faulty) {
        return Err(Fault::not_found(service::NOT_FOUND));
    }
    let after = Model { lifecycle: Lifecycle::Faulty, fault_reason: reason.to_owned(), ..row.clone() };
    let change = Change { before: row.clone(), after, reason: reason.to_owned() };
    Ok(state::write(tx, vec![change], by, now).await?)
}
