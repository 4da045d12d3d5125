//! Cards as targets of operations.

use std::collections::HashMap;

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::Case;
use base::http::ops::OpCtx;
use base::list::next_of;
use db::WriteTx;
use db::journal::Entry;
use entity::card::{Fact, Lifecycle, Model as Card, Occupancy};
use entity::operation::{Model, OperationKind, Target};
use entity::operation_task::TaskStep;
use entity::phone::DiskState;
use entity::placement::Role;
use entity::{CardId, bmc_range, card};
use futures::FutureExt as _;
use futures::future::BoxFuture;
use kernel::lang::Lang;
use kernel::time::UtcTime;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _};
use wire::Reason;

use super::act::Act;
use super::targets::{Applied, Chosen, Class, Judged, Piece, Targets, Wanted};
use super::{chosen, rights, view};
use crate::card::acts::CardSelection;
use crate::card::record_act::{self, RecordAct};
use crate::card::stay::{Stay, phones_on};
use crate::card::stray::{Stray, strays};
use crate::state::Fleet;

/// Cards.
pub struct CardTargets;

impl Targets for CardTargets {
    fn target(&self) -> Target {
        Target::Card
    }

    fn case(&self, kind: OperationKind) -> Case {
        rights::case_of(kind)
    }

    fn detail(&self, act: &str, lang: Lang) -> String {
        serde_json::from_str(act).map_or_else(|_| String::new(), |act| view::detail(act, lang))
    }

    fn chosen<'a>(&'a self, ctx: &'a OpCtx, selection: &'a str) -> BoxFuture<'a, Outcome<Chosen>> {
        chosen::of(ctx, selection).boxed()
    }

    fn next<'a>(&'a self, app: &'a App, wanted: Wanted<'a>, after: i64, limit: usize) -> BoxFuture<'a, Outcome<Piece>> {
        next(app, wanted, CardId(after), limit).boxed()
    }

    fn refusal(&self, kind: OperationKind) -> Option<Reason> {
        // A move that fails must not undo others.
        (kind == OperationKind::Move).then_some(Reason::PlaceRefused)
    }

    fn apply<'a>(
        &'a self,
        app: &'a App,
        tx: &'a mut WriteTx,
        operation: &'a Model,
        ids: &'a [i64],
        now: UtcTime,
    ) -> BoxFuture<'a, Outcome<Applied>> {
        apply(app, tx, operation, ids, now).boxed()
    }
}

/// What is to be done, and what has to be known to judge cards.
pub struct Preflight {
    kind: OperationKind,
    /// The record change, as far as it is known.
    record_act: Option<RecordAct>,
    is_forced: bool,
    ranges: Vec<bmc_range::Model>,
}

impl Preflight {
    /// For an act that is wanted.
    ///
    /// # Errors
    /// The act cannot be read, or the database refuses.
    pub async fn new(app: &App, wanted: Wanted<'_>) -> Outcome<Self> {
        let Wanted { kind, act, is_forced, .. } = wanted;
        let record_act = match act {
            Some(act) => stored(act)?.record_act(),
            None => Act::record_act_of(kind),
        };
        let ranges = if kind.is_power() { bmc_range::Entity::find().all(app.db.read()).await? } else { Vec::new() };
        Ok(Self { kind, record_act, is_forced, ranges })
    }

    /// What becomes of a card, when its task is written down and again when an agent is about to get it: somebody may
    /// have taken it in between. Whether it can be reached, the agent sees for itself.
    /// `stray` is what [`strays`] has found on it, if this [erases](Self::erases).
    pub fn judge(&self, card: &Card, stay: Option<&Stay>, stray: Option<&Stray>) -> Class {
        let has_phone = stay.is_some();
        let incompatible = |why| Class { step: TaskStep::Incompatible, why: Some(why), hits_user: false };
        if card.lifecycle == Lifecycle::Retired {
            return incompatible(Reason::Retired);
        }
        if self.kind.is_of_records() {
            // A preview of a move has no frame yet.
            let moves = self.kind == OperationKind::Move;
            let is_busy = (moves && card.occupancy != Occupancy::Free).then_some(Reason::Busy);
            let holds = (moves && has_phone).then_some(Reason::HoldsPhone);
            let left_out = self.record_act.as_ref().and_then(|act| act.leaves_out(card, has_phone));
            return left_out.or(holds).or(is_busy).map_or(Class::WAITS, Class::skipped);
        }
        if has_phone && self.kind.ends_phones() {
            return Class::skipped(Reason::HoldsPhone);
        }
        // Forced or not: nobody has bought the space. What a phone has left is nobody's any more.
        let is_full = stay.is_some_and(|stay| stay.role != Role::Outgoing && stay.disk == DiskState::Over);
        if is_full && self.kind == OperationKind::Install {
            return Class::skipped(Reason::PhoneDiskOver);
        }
        if self.kind.erases() {
            // Forced or not: what is there may be nowhere else, and whoever forces this does not know whose it is.
            if self.kind == OperationKind::WipeStray {
                if !stray.is_some_and(|stray| stray.is_for_two()) {
                    return Class::skipped(Reason::NoStray);
                }
            } else if stray.is_some_and(|stray| stray.is_left_out()) {
                return Class::skipped(Reason::StrayPhone);
            }
        }
        if self.kind.is_power() {
            let has_bmc = self.ranges.iter().any(|range| {
                range.room_id == card.room_id && range.start_ip <= card.intranet_ip && range.end_ip >= card.intranet_ip
            });
            if !has_bmc {
                return incompatible(Reason::NoBmc);
            }
        }
        let has_user = has_phone || card.occupancy != Occupancy::Free;
        let disturbs = self.kind.disturbs() || (has_phone && self.kind.reaches_phones());
        if has_user && disturbs && !self.is_forced {
            return Class::skipped(Reason::Busy);
        }
        Class { hits_user: has_user && disturbs, ..Class::WAITS }
    }

    /// Whether it erases what is on cards: then strays are looked for.
    pub const fn erases(&self) -> bool {
        self.kind.erases()
    }

    /// Whether it would have to be reached by ADB, and does not answer.
    fn is_out_of_reach(&self, card: &Card) -> bool {
        !self.kind.is_of_records() && !self.kind.is_power() && card.adb_answers != Fact::Yes
    }

    fn judged(&self, card: &Card, stay: Option<&Stay>, stray: Option<&Stray>) -> Judged {
        let class = match self.judge(card, stay, stray) {
            class if class.step == TaskStep::Pending && self.is_out_of_reach(card) => Class::skipped(Reason::Offline),
            class => class,
        };
        Judged {
            id: card.id.0,
            room_id: card.room_id,
            frame_id: card.frame_id,
            host_id: card.host_id,
            name: card.adb_address(),
            class,
        }
    }
}

fn stored(act: &str) -> Outcome<Act> {
    serde_json::from_str(act).map_err(|error| Fault::Internal(error.into()))
}

async fn next(app: &App, wanted: Wanted<'_>, after: CardId, limit: usize) -> Outcome<Piece> {
    let selection = serde_json::from_str(wanted.selection).map_err(|error| Fault::Internal(error.into()))?;
    let preflight = Preflight::new(app, wanted).await?;
    let (cards, after, is_last) = match selection {
        CardSelection::Ids(ids) => {
            let (wanted, is_last) = next_of(ids, after, limit);
            let mut cards = Vec::with_capacity(wanted.len());
            // In pieces: a statement has its limits.
            for chunk in wanted.chunks(500) {
                let select = card::Entity::find().filter(card::Column::Id.is_in(chunk.iter().copied()));
                cards.extend(select.order_by_asc(card::Column::Id).all(app.db.read()).await?);
            }
            (cards, wanted.last().copied().unwrap_or(after), is_last)
        }
        CardSelection::Filter(filter) => {
            let select = filter.resolve(app).await?.apply(app.db.backend(), card::Entity::find());
            let select = select.filter(card::Column::Id.gt(after)).order_by_asc(card::Column::Id);
            let cards = select.limit(limit as u64).all(app.db.read()).await?;
            let is_last = cards.len() < limit;
            let after = cards.last().map_or(after, |card| card.id);
            (cards, after, is_last)
        }
    };
    let phones = phones_on(app.db.read(), cards.iter().map(|card| card.id)).await?;
    let erased = if preflight.erases() { cards.as_slice() } else { &[] };
    let strays = strays(app.db.read(), erased, &phones).await?;
    let judged = |card: &Card| preflight.judged(card, phones.get(&card.id), strays.get(&card.id));
    let targets = cards.iter().map(judged).collect();
    Ok(Piece { targets, after: after.0, is_last })
}

async fn apply(app: &App, tx: &mut WriteTx, operation: &Model, ids: &[i64], now: UtcTime) -> Outcome<Applied> {
    let Some(act) = stored(&operation.act)?.record_act() else { return Ok(Applied::default()) };
    let ids: Vec<CardId> = ids.iter().copied().map(CardId).collect();
    let outbound = app.config.outbound();
    let record_act::Applied { written, left_out } =
        record_act::apply(tx, &outbound, &ids, &act, &operation.created_by, &operation.reason, now).await?;
    let end = |why| if why == Reason::NoPosition { TaskStep::Failed } else { TaskStep::Skipped };
    let left: HashMap<i64, _> = left_out.into_iter().map(|(card, why)| (card.0, (end(why), why))).collect();
    let Some(written) = written else { return Ok(Applied { left, ..Applied::default() }) };
    let entry =
        Entry { objects: written.ids().map(|id| ("card", id)).collect(), ..changed(operation, written.len(), now) };
    let committed = move |app: &App| app.part::<Fleet>().committed(&app.events, written);
    Ok(Applied { left, entries: vec![entry], committed: Some(Box::new(committed)), ..Applied::default() })
}

/// The entry in the operation log: cards were changed, on behalf of whoever started the operation.
fn changed(operation: &Model, cards: usize, now: UtcTime) -> Entry {
    Entry {
        at: now,
        operator_id: Some(operation.created_by_id.0),
        operator_name: operation.created_by.clone(),
        action: "operation_books_run".to_owned(),
        object_kind: "operation".to_owned(),
        object_id: operation.id.to_string(),
        after: Some(operation.act.clone()),
        message: format!("{cards} cards"),
        ..Entry::default()
    }
}
