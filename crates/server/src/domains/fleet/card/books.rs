//! Acts on the books of cards, as operations do them: nothing is done at the cards themselves, and there is a word for
//! each card that is left out.

use std::collections::{HashMap, HashSet};

use db::WriteTx;
use entity::card::{self, Lifecycle, Maintenance, Model, Occupancy, Scope};
use entity::{CardId, FrameId, HostId, frame, host};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};

use super::acts::{MaintainInput, worked_on};
use super::service::{self, MoveInput};
use crate::domains::fleet::state::{self, By, Change, Written};
use crate::fault::{Fault, Outcome};

/// What is changed in the books.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookAct {
    /// Work begins, changes or ends.
    Maintain { state: Maintenance, until: Option<UtcTime> },
    /// Flags; what is none stays.
    SetFlags { assignable: Option<bool>, overcommit: Option<bool> },
    /// Cards go to the free positions of a frame, from its first host on.
    Move { frame: FrameId },
}

/// What became of cards.
#[derive(Debug, Default)]
pub struct Booked {
    /// To be told when the transaction is done; none where nothing was changed.
    pub written: Option<Written>,
    /// Those that were left out, and why: a code of `agent_link::codes`.
    pub left_out: HashMap<CardId, &'static str>,
}

impl BookAct {
    /// Why a card would be left out; none where it would be changed.
    #[must_use]
    pub fn leaves_out(&self, row: &Model) -> Option<&'static str> {
        let is_others = row.maintenance != Maintenance::None && row.maintenance_scope != Scope::Card;
        match self {
            _ if row.lifecycle == Lifecycle::Retired => Some("retired"),
            Self::Maintain { .. } if is_others => Some("place_maintained"),
            Self::Maintain { state: Maintenance::None, .. } if row.maintenance == Maintenance::None => {
                Some("already_so")
            }
            Self::SetFlags { assignable, overcommit }
                if assignable.is_none_or(|flag| flag == row.is_assignable)
                    && overcommit.is_none_or(|flag| flag == row.is_overcommit) =>
            {
                Some("already_so")
            }
            Self::Move { frame } if row.frame_id == Some(*frame) => Some("already_so"),
            Self::Move { .. } if row.occupancy != Occupancy::Free => Some("busy"),
            Self::Maintain { .. } | Self::SetFlags { .. } | Self::Move { .. } => None,
        }
    }
}

/// Does `act` to cards, in the caller's transaction. A move wants a transaction for each card: one that the database
/// refuses must not take others with it.
///
/// # Errors
/// When a place does not take a card, or the database refuses.
pub async fn book(
    tx: &mut WriteTx,
    ids: &[CardId],
    act: &BookAct,
    by: &str,
    reason: &str,
    now: UtcTime,
) -> Outcome<Booked> {
    let rows = card::Entity::find()
        .filter(card::Column::Id.is_in(ids.iter().copied()))
        .order_by_asc(card::Column::Id)
        .lock_exclusive()
        .all(&**tx)
        .await?;
    let mut booked = Booked::default();
    let there: HashSet<CardId> = rows.iter().map(|row| row.id).collect();
    booked.left_out.extend(ids.iter().filter(|id| !there.contains(id)).map(|id| (*id, "retired")));
    let mut changes = Vec::new();
    for row in rows {
        if let Some(code) = act.leaves_out(&row) {
            booked.left_out.insert(row.id, code);
            continue;
        }
        let after = match act {
            BookAct::Maintain { state, until } => {
                let work = MaintainInput { state: *state, reason: reason.to_owned(), until: *until };
                worked_on(&row, &work, Scope::Card, by)
            }
            BookAct::SetFlags { assignable, overcommit } => Some(Model {
                is_assignable: assignable.unwrap_or(row.is_assignable),
                is_overcommit: overcommit.unwrap_or(row.is_overcommit),
                ..row.clone()
            }),
            BookAct::Move { frame } => {
                match move_to(tx, &row, *frame, by, reason, now).await? {
                    Some(written) => booked.written = Some(written),
                    None => _ = booked.left_out.insert(row.id, "no_position"),
                }
                continue;
            }
        };
        changes.extend(after.map(|after| Change { before: row, after, reason: reason.to_owned() }));
    }
    if !changes.is_empty() {
        booked.written = Some(state::write(tx, changes, &By::operator(by), now).await?);
    }
    Ok(booked)
}

/// Moves a card to the first free position of a frame; none if there is none.
async fn move_to(
    tx: &mut WriteTx,
    row: &Model,
    frame: FrameId,
    by: &str,
    reason: &str,
    now: UtcTime,
) -> Outcome<Option<Written>> {
    let place =
        frame::Entity::find_by_id(frame).one(&**tx).await?.ok_or_else(|| Fault::not_found(service::NOT_FOUND))?;
    let Some((host, position)) = free_position(&**tx, frame).await? else { return Ok(None) };
    let to = MoveInput {
        room_id: place.room_id,
        host_id: Some(host),
        position: Some(position),
        intranet_ip: None,
        reason: reason.to_owned(),
    };
    Ok(Some(service::relocate_in(tx, row, to, &By::operator(by), now).await?))
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
