//! What may be done to a selection of cards: flags, drain, maintenance, return, retire. Rows go in steps,
//! each acknowledged by its own line in the operation log.

use entity::card::{self, Lifecycle, Maintenance, Model, Occupancy, Scope};
use entity::{CardId, FrameId, HostId, RoomId, frame, host, room};
use kernel::rules::{Check, Violation, after_now, at_least_one, at_most, line, max_chars};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, EntityTrait as _, QueryFilter as _, Select};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::store::{self, CardFilter};
use super::{bulk, service};
use crate::domains::fleet::place;
use crate::domains::fleet::state::{self, By, Change, Written};
use crate::fault::{Fault, Outcome};
use crate::http::Validate;
use crate::http::ops::{Audit, OpCtx};

/// Rows changed in one transaction.
const STEP: u64 = 1000;
/// Cards that may be named one by one.
const MOST_IDS: usize = 10_000;

/// Some cards: named one by one, or by a filter.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum CardSelection {
    /// These, at most 10,000.
    Ids(Vec<CardId>),
    /// All that the filter matches, however many.
    Filter(CardFilter),
}

impl CardSelection {
    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        match self {
            Self::Ids(ids) => {
                check.field("selection", at_least_one(ids.len()));
                check.field("selection", at_most(ids.len(), MOST_IDS));
            }
            Self::Filter(filter) => check.nested("selection.filter", |check| filter.check(check)),
        }
    }

    /// The rows that are meant.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn rows(&self, ctx: &OpCtx) -> Outcome<Select<card::Entity>> {
        Ok(match self {
            Self::Ids(ids) => card::Entity::find().filter(card::Column::Id.is_in(ids.iter().copied())),
            Self::Filter(filter) => filter.resolve(&ctx.app).await?.apply(ctx.db().backend(), card::Entity::find()),
        })
    }
}

/// What became of a selection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct CardsChanged {
    /// Cards that were changed.
    pub changed: u64,
    /// Cards that were so already, are retired, or must not be changed now.
    pub skipped: u64,
}

/// A change of flags for a selection.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FlagInput {
    /// Which cards.
    pub selection: CardSelection,
    /// Whether phones may be put on them; left out, it stays.
    #[serde(default)]
    pub assignable: Option<bool>,
    /// Whether they take part in overcommit; left out, it stays.
    #[serde(default)]
    pub overcommit: Option<bool>,
    /// Why; up to 256 characters.
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

/// Somebody's work that begins, changes or ends.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MaintainInput {
    /// 1 returns to service, 2 drains, 3 begins the work.
    pub state: Maintenance,
    /// Why; 1 to 256 characters, unless it returns.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
    /// When it is meant to end; after now.
    #[serde(default)]
    pub until: Option<UtcTime>,
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
    /// 1 returns to service, 2 drains, 3 begins the work.
    pub state: Maintenance,
    /// Why; 1 to 256 characters, unless it returns.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
    /// When it is meant to end; after now.
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

/// Cards that are gone for good.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RetireInput {
    /// Which cards. Those with a phone on them stay.
    pub selection: CardSelection,
    /// Why; 1 to 256 characters.
    #[schema(min_length = 1, max_length = 256)]
    pub reason: String,
}

impl Validate for RetireInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", line(&self.reason, 256));
    }
}

/// One act on many cards, step by step.
struct Act<'a> {
    ctx: &'a OpCtx,
    reason: &'a str,
    /// What the log says was done.
    what: serde_json::Value,
}

impl Act<'_> {
    /// Applies `turn` to the cards of `which`. `None` leaves a card as it is.
    async fn run(&self, which: Select<card::Entity>, turn: impl Fn(&Model) -> Option<Model>) -> Outcome<CardsChanged> {
        let (mut done, mut after) = (CardsChanged::default(), CardId(0));
        loop {
            let ctx = self.ctx;
            let mut tx = ctx.begin_write().await?;
            let rows = store::next(&*tx, which.clone(), after, STEP).await?;
            let Some(last) = rows.last() else { return Ok(done) };
            after = last.id;
            let count = rows.len() as u64;
            let changes: Vec<Change> = rows
                .into_iter()
                .filter_map(|before| {
                    let after = turn(&before).filter(|after| *after != before)?;
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
                // Nothing to say: the transaction is dropped.
                drop(tx);
            } else {
                tx.commit(audit).await?;
                ctx.app.fleet.committed(&ctx.app.events, written);
            }
            if count < STEP {
                return Ok(done);
            }
        }
    }

    fn audit(&self, changes: &[Change]) -> Audit {
        let names = changes.iter().take(8).map(|change| service::name(&change.before)).collect::<Vec<_>>().join(", ");
        let before: Vec<_> = changes
            .iter()
            .map(|Change { before, .. }| {
                (before.id, before.lifecycle, before.maintenance, before.is_assignable, before.is_overcommit)
            })
            .collect();
        Audit::of("card")
            .id(if changes.len() == 1 { changes[0].before.id.to_string() } else { String::new() })
            .name(names)
            .before(&before)
            .after(&self.what)
            .note(format!("{} rows", changes.len()))
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
    let what = serde_json::json!({ "assignable": assignable, "overcommit": overcommit, "reason": reason });
    let act = Act { ctx, reason: &reason, what };
    act.run(selection.rows(ctx).await?, |row| {
        (row.lifecycle != Lifecycle::Retired).then(|| Model {
            is_assignable: assignable.unwrap_or(row.is_assignable),
            is_overcommit: overcommit.unwrap_or(row.is_overcommit),
            ..row.clone()
        })
    })
    .await
}

/// Retires a selection. Cards with a phone stay; the others leave their positions and free their addresses.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn retire(ctx: &OpCtx, input: RetireInput) -> Outcome<CardsChanged> {
    let RetireInput { selection, reason } = input;
    let act = Act { ctx, reason: &reason, what: serde_json::json!({ "retired": true, "reason": reason }) };
    act.run(selection.rows(ctx).await?, |row| {
        let may = row.lifecycle.may_become(Lifecycle::Retired) && row.occupancy == Occupancy::Free;
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

/// The row with the work that was declared for `scope`; none if it is not concerned.
pub fn worked_on(row: &Model, work: &MaintainInput, scope: Scope, by: &str) -> Option<Model> {
    let is_return = work.state == Maintenance::None;
    // A card returns with what it went with, and the wider work is not touched by the narrower.
    let concerned = row.lifecycle != Lifecycle::Retired
        && (row.maintenance == Maintenance::None || row.maintenance_scope == scope)
        && !(is_return && row.maintenance == Maintenance::None);
    concerned.then(|| Model {
        maintenance: work.state,
        maintenance_scope: if is_return { Scope::Card } else { scope },
        maintenance_reason: if is_return { String::new() } else { work.reason.clone() },
        maintenance_by: if is_return { String::new() } else { by.to_owned() },
        maintenance_until: work.until.filter(|_| !is_return),
        ..row.clone()
    })
}

/// Drains, maintains or returns a selection of cards. Those whose place is being worked on stay with it.
///
/// # Errors
/// When the database refuses; the steps that were acknowledged stay.
pub async fn maintain_cards(ctx: &OpCtx, input: MaintainCardsInput) -> Outcome<CardsChanged> {
    let work = input.work();
    check_until(ctx, &work)?;
    let act = Act { ctx, reason: &work.reason, what: serde_json::json!(work) };
    act.run(input.selection.rows(ctx).await?, |row| worked_on(row, &work, Scope::Card, &ctx.session.username)).await
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
    // Three tables with the same columns: the macro names them once.
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
        PlaceId::Room(id) => (declare!(room, id, "room", place::room::find), Scope::Room, card::Column::RoomId.eq(id)),
        PlaceId::Frame(id) => {
            (declare!(frame, id, "frame", place::frame::find), Scope::Frame, card::Column::FrameId.eq(id))
        }
        PlaceId::Host(id) => (declare!(host, id, "host", place::host::find), Scope::Host, card::Column::HostId.eq(id)),
    };
    tx.commit(audit).await?;
    let act = Act { ctx, reason: &work.reason, what: serde_json::json!(work) };
    act.run(card::Entity::find().filter(which), |row| worked_on(row, &work, scope, &ctx.session.username)).await
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
