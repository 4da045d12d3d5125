//! How many phones are copied at once: as follows from what the agents of a room have places for, and no more of a host than its line
//! carries. What an agent has no place for after all waits there, and the agent says so.

use std::collections::HashMap;

use base::app::App;
use base::fault::Outcome;
use entity::placement::{self, Role};
use entity::saga_step::StepName;
use entity::{CardId, HostId, PlacementId, RoomId, SagaId, card, saga};
use fleet::Connections;
use sea_orm::sea_query::SelectStatement;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
    QueryTrait as _, Select,
};

use super::states;

/// Transfers to and from the cards of a host at once.
const OF_HOST: u64 = 4;
/// Take-offs for each place of an agent: for about half of the time one is stopped, looked at or read back without it.
const FOR_A_PLACE: u64 = 2;
/// Those that wait and are looked at.
pub(super) const LOOK: u64 = 500;

/// How many phones of a room are copied at once: those that go on meanwhile (`is_live`), or those that are stopped for it.
pub(super) fn most(app: &App, room: RoomId, is_live: bool) -> u64 {
    let connections = app.part::<Connections>();
    if is_live {
        return connections.places(room, &connections.that_copy_live(room));
    }
    let places = connections.places(room, &connections.that_copy(room));
    // Without anybody who does it they end, and say so.
    places.max(1) * FOR_A_PLACE
}

/// How many transfers are under way at the cards of each host of a room.
#[derive(Debug)]
pub(super) struct Hosts(HashMap<HostId, u64>);

impl Hosts {
    /// As it is just now.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of(db: &impl ConnectionTrait, room: RoomId) -> Outcome<Self> {
        // A copy is read back from the storage node.
        let copied = states::of_room(room, states::COPY_RUNS).filter(saga::Column::Step.ne(StepName::Verify));
        let restored = states::of_room(room, states::PUT_ON_RUNS);
        let restored = restored.filter(saga::Column::Step.is_in([StepName::Install, StepName::Restore]));
        let salvaged = states::of_room(room, states::SALVAGES).filter(saga::Column::Step.ne(StepName::Verify));
        let mut hosts = HashMap::new();
        for sagas in [copied, restored, salvaged] {
            let stays = sagas.select_only().column(saga::Column::PlacementId).into_query();
            let cards = placement::Entity::find().select_only().column(placement::Column::CardId);
            let cards = cards.filter(placement::Column::Id.in_subquery(stays)).into_query();
            let counts: Vec<(HostId, i64)> = card::Entity::find()
                .select_only()
                .column(card::Column::HostId)
                .column_as(card::Column::Id.count(), "n")
                .filter(card::Column::Id.in_subquery(cards))
                .filter(card::Column::HostId.is_not_null())
                .group_by(card::Column::HostId)
                .into_tuple()
                .all(db)
                .await?;
            for (host, n) in counts {
                *hosts.entry(host).or_default() += n.unsigned_abs();
            }
        }
        Ok(Self(hosts))
    }

    /// The stays on cards of hosts that carry no more; none if all do.
    pub fn full(&self) -> Option<SelectStatement> {
        let full: Vec<HostId> = self.0.iter().filter(|(_, n)| **n >= OF_HOST).map(|(host, _)| *host).collect();
        if full.is_empty() {
            return None;
        }
        let cards = card::Entity::find().select_only().column(card::Column::Id);
        let cards = cards.filter(card::Column::HostId.is_in(full)).into_query();
        let stays = placement::Entity::find().select_only().column(placement::Column::Id);
        let stays = stays.filter(placement::Column::Role.eq(Role::Holds));
        Some(stays.filter(placement::Column::CardId.in_subquery(cards)).into_query())
    }

    /// Of those that wait, each with its stay, the first that their hosts carry, at most so many. They are under way from now on.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn choose<T>(
        &mut self,
        db: &impl ConnectionTrait,
        waiting: Vec<(T, Option<PlacementId>)>,
        most: u64,
    ) -> Outcome<Vec<T>> {
        let stays = waiting.iter().filter_map(|(_, stay)| *stay).collect();
        let hosts = hosts_of(db, stays).await?;
        let mut chosen = Vec::new();
        for (one, stay) in waiting {
            if chosen.len() as u64 >= most {
                break;
            }
            if self.carries(stay.and_then(|stay| hosts.get(&stay).copied())) {
                chosen.push(one);
            }
        }
        Ok(chosen)
    }

    /// Whether a host carries one more, which there is from now on. A card that stands nowhere is on a line of its own.
    fn carries(&mut self, host: Option<HostId>) -> bool {
        let Some(host) = host else { return true };
        let there = self.0.entry(host).or_default();
        if *there >= OF_HOST {
            return false;
        }
        *there += 1;
        true
    }
}

/// The hosts of the cards of some stays.
async fn hosts_of(db: &impl ConnectionTrait, stays: Vec<PlacementId>) -> Outcome<HashMap<PlacementId, HostId>> {
    let select = placement::Entity::find().select_only();
    let select = select.columns([placement::Column::Id, placement::Column::CardId]);
    let stays: Vec<(PlacementId, CardId)> =
        select.filter(placement::Column::Id.is_in(stays)).into_tuple().all(db).await?;
    let select = card::Entity::find().select_only().columns([card::Column::Id, card::Column::HostId]);
    let select = select.filter(card::Column::Id.is_in(stays.iter().map(|(_, card)| *card)));
    let cards: Vec<(CardId, Option<HostId>)> = select.into_tuple().all(db).await?;
    let cards: HashMap<CardId, Option<HostId>> = cards.into_iter().collect();
    let host = |(stay, card): (PlacementId, CardId)| Some((stay, cards.get(&card).copied().flatten()?));
    Ok(stays.into_iter().filter_map(host).collect())
}

/// The first of a room's copies that wait and may begin, as far as their hosts carry them, at most so many.
///
/// # Errors
/// When a read fails.
pub(super) async fn begin(
    db: &impl ConnectionTrait,
    room: RoomId,
    waiting: Select<saga::Entity>,
    most: u64,
) -> Outcome<Vec<SagaId>> {
    let mut hosts = Hosts::of(db, room).await?;
    let waiting = waiting.select_only().columns([saga::Column::Id, saga::Column::PlacementId]);
    let waiting =
        waiting.apply_if(hosts.full(), |select, full| select.filter(saga::Column::PlacementId.not_in_subquery(full)));
    let waiting = waiting.order_by_asc(saga::Column::RankAt).order_by_asc(saga::Column::Id);
    let waiting: Vec<(SagaId, Option<PlacementId>)> = waiting.limit(LOOK).into_tuple().all(db).await?;
    hosts.choose(db, waiting, most).await
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use entity::HostId;

    use super::Hosts;

    #[test]
    fn a_host_carries_four_and_cards_that_stand_nowhere_are_not_counted() {
        let mut hosts = Hosts(HashMap::from([(HostId(1), 3)]));
        assert!(hosts.full().is_none());
        let carried = [Some(HostId(1)), Some(HostId(1)), Some(HostId(2)), None].map(|host| hosts.carries(host));
        assert_eq!(carried, [true, false, true, true]);
        assert!(hosts.full().is_some());
    }
}
