//! Phones of a room in which no agent is there are opened in another room. Those that are on cards leave these as if they
//! were lost; the other room is the home of all of them from then on, and whoever wants one gets it there. When the agent is
//! back, what runs on the cards that they have left is stopped before anything else ([`super::lost`]).

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use entity::operation::Model as Operation;
use entity::phone::{Life, Model as Phone};
use entity::{PhoneId, PlacementId, RoomId, saga};
use fleet::{Connections, Fleet};
use sea_orm::sea_query::Expr;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use wire::Reason;

use super::admit::waiting;
use super::advance::Desk;
use super::decided::{Lost, is_seconded, of};
use super::lost::whole;
use super::states;
use crate::backup::place::within_reach;
use crate::phone::hold::rehomed;

/// What has to be known to open a phone in another room.
#[derive(Clone, Copy, Debug)]
pub struct Elsewhere {
    /// Why it cannot be, whatever is known of its card.
    refused: Option<Reason>,
    /// It is on a card.
    on: Option<Lost>,
}

impl Elsewhere {
    /// These phones, of which some are `busy`, and that room.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(
        app: &App,
        db: &impl ConnectionTrait,
        (phones, busy): (&[Phone], &HashSet<PhoneId>),
        room: RoomId,
    ) -> Outcome<HashMap<PhoneId, Self>> {
        let copies = whole(db, phones).await?;
        let stays = phones.iter().filter_map(|phone| Some((phone.id, phone.holds_id?)));
        let stays: HashMap<PhoneId, PlacementId> = stays.collect();
        let on = Lost::on(db, &stays, &copies).await?;
        let waiting = waiting(db, phones).await?;
        let agents = app.part::<Connections>().that_restore(room);
        let reached = within_reach(db, &agents, copies.values().copied()).await?;
        let refused = |phone: &Phone| {
            let here = on.get(&phone.id).map_or(phone.room_id, |(_, card)| card.room_id);
            let copy = copies.get(&phone.id).copied();
            if phone.life == Life::Erased {
                Some(Reason::PhoneErased)
            } else if here == room {
                Some(Reason::AlreadySo)
            } else if !app.part::<Fleet>().is_away(here) {
                Some(Reason::RoomThere)
            } else if busy.contains(&phone.id) && !waiting.contains(&phone.id) {
                Some(Reason::PhoneUnderWay)
            } else if phone.holds_id.is_none() && copy != phone.kept_id {
                Some(Reason::CopyDamaged)
            } else if agents.is_empty() || copy.is_some_and(|copy| !reached.contains(&copy)) {
                Some(Reason::CopyOutOfReach)
            } else {
                None
            }
        };
        let known = |phone: &Phone| Self { refused: refused(phone), on: on.get(&phone.id).map(|(lost, _)| *lost) };
        Ok(phones.iter().map(|phone| (phone.id, known(phone))).collect())
    }

    /// Whether the phone may be opened there, if somebody answers for its card or not.
    ///
    /// # Errors
    /// Why not.
    pub fn opens(self, is_answered_for: bool) -> Result<(), Reason> {
        match (self.refused, self.on) {
            (Some(why), _) => Err(why),
            (None, None) => Ok(()),
            // Its card is not lost: nobody reaches any of that room.
            (None, Some(lost)) => lost
                .goes_on(is_answered_for)
                .map_err(|why| if why == Reason::CardLostNoCopy { Reason::NoWholeCopy } else { why }),
        }
    }
}

impl Desk<'_> {
    /// A phone is at home in another room, by the word of two operators: off its card, if it is on one, it lives by its copy.
    /// It is not put on there before somebody wants it; who waits for it already waits there.
    ///
    /// # Errors
    /// When the write fails.
    pub async fn open_elsewhere(
        &mut self,
        before: &Phone,
        room: RoomId,
        operation: &Operation,
    ) -> Outcome<Result<(), Reason>> {
        if !is_seconded(operation) {
            return Ok(Err(Reason::NeedsSecond));
        }
        let mut note = format!("{}; {}", operation.approved_by, operation.reason);
        let off = if let Some(stay) = before.holds_id {
            let copies = whole(&**self.tx, std::slice::from_ref(before)).await?;
            let Some(copy) = copies.get(&before.id).copied() else { return Ok(Err(Reason::NoWholeCopy)) };
            note = format!("backup {copy}; {note}");
            let lost = of(self.tx, before.id).await?;
            self.leaves_behind(before, (stay, copy), lost.as_ref()).await?
        } else {
            self.waits_in(before.id, room).await?;
            before.clone()
        };
        let after = rehomed(self.tx, &off, room, self.now).await?;
        self.told.phones.push(after.id);
        self.decided("phone_opened_elsewhere", operation.into(), (before, &after), note);
        Ok(Ok(()))
    }

    /// Whoever waits for a phone in the queue keeps his rank in that of another room.
    async fn waits_in(&mut self, phone: PhoneId, room: RoomId) -> Outcome<()> {
        let moves = saga::ActiveModel { room_id: Set(room), code: Set(String::new()), ..Default::default() };
        let waits = saga::Entity::update_many().set(moves).filter(Expr::cust(states::PUT_ON_WAITS));
        waits.filter(saga::Column::PhoneId.eq(phone)).exec(&**self.tx).await?;
        Ok(())
    }
}
