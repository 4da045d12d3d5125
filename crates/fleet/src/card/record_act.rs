//! Actions on the records of cards, for operations: nothing is done on the cards themselves, and each skipped card has
//! a reason.

use std::collections::{HashMap, HashSet};

use base::fault::{OrMissing as _, Outcome};
use db::WriteTx;
use entity::card::{self, Lifecycle, Maintenance, MaintenanceScope, Model, Occupancy};
use entity::{CardId, FrameId, HostId, frame, host};
use kernel::time::UtcTime;
use outbound::Rule;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use wire::Reason;

use super::acts::{MaintainInput, worked_on};
use super::service::{self, MoveInput};
use super::stay::phones_on;
use crate::state::{self, By, Change, Written};

/// A change of the records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordAct {
    /// Maintenance starts, changes or ends.
    Maintain { state: Maintenance, until: Option<UtcTime> },
    /// Flags; `None` leaves one unchanged.
    SetFlags { assignable: Option<bool>, overcommit: Option<bool> },
    /// Cards move to the free positions of a frame, from its first host on.
    Move { frame: FrameId },
}

/// The result for some cards.
#[derive(Debug, Default)]
pub struct Applied {
    /// To be published after the commit; none if nothing was changed.
    pub written: Option<Written>,
    /// Skipped cards, and why.
    pub left_out: HashMap<CardId, Reason>,
}

impl RecordAct {
    /// Why a card would be skipped, which a phone may be on; none if it would be changed.
    #[must_use]
    pub fn leaves_out(&self, row: &Model, has_phone: bool) -> Option<Reason> {
        let is_others = row.maintenance != Maintenance::None && row.maintenance_scope != MaintenanceScope::Card;
        match self {
            _ if row.lifecycle == Lifecycle::Retired => Some(Reason::Retired),
            Self::Maintain { .. } if is_others => Some(Reason::PlaceMaintained),
            Self::Maintain { state: Maintenance::None, .. } if row.maintenance == Maintenance::None => {
                Some(Reason::AlreadySo)
            }
            Self::SetFlags { assignable, overcommit }
                if assignable.is_none_or(|flag| flag == row.is_assignable)
                    && overcommit.is_none_or(|flag| flag == row.is_overcommit) =>
            {
                Some(Reason::AlreadySo)
            }
            Self::Move { frame } if row.frame_id == Some(*frame) => Some(Reason::AlreadySo),
            Self::Move { .. } if has_phone => Some(Reason::HoldsPhone),
            Self::Move { .. } if row.occupancy != Occupancy::Free => Some(Reason::Busy),
            Self::Maintain { .. } | Self::SetFlags { .. } | Self::Move { .. } => None,
        }
    }
}

/// Applies `act` to cards, in the caller's transaction. A move needs a transaction for each card: one that the database
/// refuses must not undo others.
///
/// # Errors
/// When a place does not take a card, or the database refuses.
pub async fn apply(
    tx: &mut WriteTx,
    outbound: &Rule,
    ids: &[CardId],
    act: &RecordAct,
    by: &str,
    reason: &str,
    now: UtcTime,
) -> Outcome<Applied> {
    let rows = card::Entity::find()
        .filter(card::Column::Id.is_in(ids.iter().copied()))
        .order_by_asc(card::Column::Id)
        .lock_exclusive()
        .all(&**tx)
        .await?;
    let mut applied = Applied::default();
    let there: HashSet<CardId> = rows.iter().map(|row| row.id).collect();
    applied.left_out.extend(ids.iter().filter(|id| !there.contains(id)).map(|id| (*id, Reason::Retired)));
    let mut changes = Vec::new();
    let phones = phones_on(&**tx, ids.iter().copied()).await?;
    for row in rows {
        if let Some(code) = act.leaves_out(&row, phones.contains_key(&row.id)) {
            applied.left_out.insert(row.id, code);
            continue;
        }
        let after = match act {
            RecordAct::Maintain { state, until } => {
                let work = MaintainInput { state: *state, reason: reason.to_owned(), until: *until };
                worked_on(&row, &work, MaintenanceScope::Card, by)
            }
            RecordAct::SetFlags { assignable, overcommit } => Some(Model {
                is_assignable: assignable.unwrap_or(row.is_assignable),
                is_overcommit: overcommit.unwrap_or(row.is_overcommit),
                ..row.clone()
            }),
            RecordAct::Move { frame } => {
                match move_to(tx, outbound, &row, *frame, by, reason, now).await? {
                    Some(written) => applied.written = Some(written),
                    None => _ = applied.left_out.insert(row.id, Reason::NoPosition),
                }
                continue;
            }
        };
        changes.extend(after.map(|after| Change { before: row, after, reason: reason.to_owned() }));
    }
    if !changes.is_empty() {
        applied.written = Some(state::write(tx, changes, &By::operator(by), now).await?);
    }
    Ok(applied)
}

/// Moves a card to the first free position of a frame; none if there is none.
async fn move_to(
    tx: &mut WriteTx,
    outbound: &Rule,
    row: &Model,
    frame: FrameId,
    by: &str,
    reason: &str,
    now: UtcTime,
) -> Outcome<Option<Written>> {
    let place = frame::Entity::find_by_id(frame).one(&**tx).await?.or_missing(service::NOT_FOUND)?;
    let Some((host, position)) = free_position(&**tx, frame).await? else { return Ok(None) };
    let to = MoveInput {
        room_id: place.room_id,
        host_id: Some(host),
        position: Some(position),
        intranet_ip: None,
        reason: reason.to_owned(),
    };
    Ok(Some(service::relocate_in(tx, outbound, row, to, &By::operator(by), now).await?))
}

async fn free_position(db: &impl ConnectionTrait, frame: FrameId) -> Outcome<Option<(HostId, i32)>> {
    let hosts = host::Entity::find().filter(host::Column::FrameId.eq(frame)).order_by_asc(host::Column::Slot);
    let taken: HashSet<(HostId, i32)> = card::Entity::find()
        .select_only()
        .columns([card::Column::HostId, card::Column::Position])
        .filter(card::Column::FrameId.eq(frame))
        .filter(card::Column::HostId.is_not_null())
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let hosts = hosts.all(db).await?;
    let mut places = hosts.iter().flat_map(|host| (1..=host.positions).map(|position| (host.id, position)));
    Ok(places.find(|place| !taken.contains(place)))
}
