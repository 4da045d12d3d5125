//! Where a card that nobody recorded probably is: what the BMC mapping says of its address, or the recorded cards whose
//! addresses are near.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use base::reference::Reference;
use entity::card::{self, Lifecycle};
use entity::finding::{FindingKind as Kind, Model};
use entity::{BmcId, FindingId, HostId, RoomId, bmc, bmc_range, host};
use kernel::ip4::Ip4;
use sea_orm::{ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use utoipa::ToSchema;

use crate::place::names;

/// Addresses on either side that count as near: as many as a large host has positions.
const NEAR: i64 = 16;
/// Keys in one query.
const KEYS: usize = 200;

/// Why a place is proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum Basis {
    /// The mapping of a BMC has this address in a slot of a host.
    Bmc,
    /// The recorded cards with the addresses next to it are on this host, and their positions go on like this.
    Neighbours,
}

/// A free position where a card probably is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProposedPlace {
    pub frame: Reference,
    pub host: Reference,
    /// From 1.
    pub position: i32,
    pub basis: Basis,
}

impl ProposedPlace {
    /// The place in a file.
    pub fn words(&self) -> String {
        format!("{} / {} / {}", self.frame.name(), self.host.name(), self.position)
    }
}

/// A card that is recorded at a place.
struct Placed {
    host: HostId,
    position: i32,
}

/// What is recorded of the rooms, as far as it tells where cards are.
struct Books {
    hosts: HashMap<HostId, host::Model>,
    ranges: Vec<bmc_range::Model>,
    /// The hosts of the BMCs.
    blades: HashMap<BmcId, HostId>,
    cards: BTreeMap<(RoomId, Ip4), Placed>,
    taken: HashSet<(HostId, i32)>,
}

/// The proposed places of new cards. No two cards get the same.
///
/// # Errors
/// When a read fails.
pub async fn places(db: &impl ConnectionTrait, rows: &[Model]) -> Result<HashMap<FindingId, ProposedPlace>, DbErr> {
    let new: Vec<&Model> = rows.iter().filter(|row| row.kind == Kind::New).collect();
    if new.is_empty() {
        return Ok(HashMap::new());
    }
    let mut books = Books::read(db, &new).await?;
    let mut chosen = Vec::new();
    for row in new {
        if let Some((host, position, basis)) = books.place(row.room_id, row.intranet_ip) {
            books.taken.insert((host, position));
            chosen.push((row.id, host, position, basis));
        }
    }
    let frames = names::frames(db, chosen.iter().filter_map(|(_, id, ..)| Some(books.hosts.get(id)?.frame_id))).await?;
    let place = |(id, host, position, basis)| {
        let row: &host::Model = books.hosts.get(&host)?;
        let host = Reference { id: row.id.0, name: Some(row.name.clone()) };
        Some((id, ProposedPlace { frame: Reference::among(row.frame_id, &frames), host, position, basis }))
    };
    Ok(chosen.into_iter().filter_map(place).collect())
}

impl Books {
    async fn read(db: &impl ConnectionTrait, new: &[&Model]) -> Result<Self, DbErr> {
        let rooms: BTreeSet<RoomId> = new.iter().map(|row| row.room_id).collect();
        let ranges = bmc_range::Entity::find().filter(bmc_range::Column::RoomId.is_in(rooms.iter().copied()));
        let mut ranges = ranges.all(db).await?;
        ranges.retain(|range| {
            new.iter().any(|row| row.room_id == range.room_id && range.slot(row.intranet_ip).is_some())
        });
        let ids: BTreeSet<BmcId> = ranges.iter().map(|range| range.bmc_id).collect();
        let bmcs = bmc::Entity::find().filter(bmc::Column::Id.is_in(ids)).all(db).await?;
        let blades: HashMap<BmcId, HostId> = bmcs.into_iter().filter_map(|bmc| Some((bmc.id, bmc.host_id?))).collect();

        let mut books = Self { hosts: HashMap::new(), ranges, blades, cards: BTreeMap::new(), taken: HashSet::new() };
        for (room, from, to) in books.near(new) {
            let cards = card::Entity::find()
                .filter(card::Column::RoomId.eq(room))
                .filter(card::Column::Lifecycle.ne(Lifecycle::Retired))
                .filter(card::Column::IntranetIp.between(from, to));
            for row in cards.all(db).await? {
                if let (Some(host), Some(position)) = (row.host_id, row.position) {
                    books.cards.insert((room, row.intranet_ip), Placed { host, position });
                }
            }
        }
        let hosts: BTreeSet<HostId> =
            books.cards.values().map(|card| card.host).chain(books.blades.values().copied()).collect();
        let hosts: Vec<HostId> = hosts.into_iter().collect();
        for chunk in hosts.chunks(KEYS) {
            let found = host::Entity::find().filter(host::Column::Id.is_in(chunk.iter().copied())).all(db).await?;
            books.hosts.extend(found.into_iter().map(|host| (host.id, host)));
            let there = Condition::all().add(card::Column::HostId.is_in(chunk.iter().copied()));
            for row in card::Entity::find().filter(there).all(db).await? {
                books.taken.extend(row.host_id.zip(row.position));
            }
        }
        Ok(books)
    }

    /// The addresses near the cards, as few intervals as there are.
    fn near(&self, new: &[&Model]) -> Vec<(RoomId, Ip4, Ip4)> {
        let around = |row: &&Model| {
            let (mut from, mut to) = (row.intranet_ip.0 - NEAR, row.intranet_ip.0 + NEAR);
            // The cards in the same range tell which slot is which position.
            for range in self.ranges.iter().filter(|range| range.room_id == row.room_id) {
                if range.slot(row.intranet_ip).is_some() {
                    from = from.min(range.start_ip.0);
                    to = to.max(range.end_ip.0);
                }
            }
            (row.room_id, from, to)
        };
        let mut all: Vec<(RoomId, i64, i64)> = new.iter().map(around).collect();
        all.sort_unstable();
        let mut merged: Vec<(RoomId, Ip4, Ip4)> = Vec::new();
        for (room, from, to) in all {
            match merged.last_mut() {
                Some(last) if last.0 == room && from <= last.2.0 + 1 => last.2 = Ip4(last.2.0.max(to)),
                _ => merged.push((room, Ip4(from.max(0)), Ip4(to))),
            }
        }
        merged
    }

    fn place(&self, room: RoomId, ip: Ip4) -> Option<(HostId, i32, Basis)> {
        let by_bmc = || self.by_bmc(room, ip).map(|(host, position)| (host, position, Basis::Bmc));
        let by_neighbours = || self.by_neighbours(room, ip).map(|(host, position)| (host, position, Basis::Neighbours));
        by_bmc().filter(|place| self.is_free(place.0, place.1)).or_else(by_neighbours)
    }

    fn is_free(&self, host: HostId, position: i32) -> bool {
        self.hosts.get(&host).is_some_and(|row| (1..=row.positions).contains(&position))
            && !self.taken.contains(&(host, position))
    }

    fn by_bmc(&self, room: RoomId, ip: Ip4) -> Option<(HostId, i32)> {
        let range = self.ranges.iter().find(|range| range.room_id == room && range.slot(ip).is_some())?;
        let host = *self.blades.get(&range.bmc_id)?;
        // BMCs count slots from 0 or from 1; what is recorded of the other cards in the range tells how this one does.
        let mut shifts: BTreeMap<i32, usize> = BTreeMap::new();
        for ((_, ip), card) in self.cards.range((room, range.start_ip)..=(room, range.end_ip)) {
            if let (true, Some(slot)) = (card.host == host, range.slot(*ip)) {
                *shifts.entry(card.position - slot).or_default() += 1;
            }
        }
        let usual = i32::from(range.start_slot == 0);
        let shift = shifts.into_iter().max_by_key(|(_, cards)| *cards).map_or(usual, |(shift, _)| shift);
        Some((host, range.slot(ip)? + shift))
    }

    /// The positions of the nearest card below and of the nearest above go on to this address.
    fn by_neighbours(&self, room: RoomId, ip: Ip4) -> Option<(HostId, i32)> {
        let step = |other: &Ip4| i32::try_from(ip.0 - other.0).ok();
        let below = self.cards.range((room, Ip4((ip.0 - NEAR).max(0)))..(room, ip)).next_back();
        let above = self.cards.range((room, Ip4(ip.0 + 1))..=(room, Ip4(ip.0 + NEAR))).next();
        let near = [below, above].into_iter().flatten();
        let mut places = near.filter_map(|((_, other), card)| Some((card.host, card.position + step(other)?)));
        places.find(|(host, position)| self.is_free(*host, *position))
    }
}
