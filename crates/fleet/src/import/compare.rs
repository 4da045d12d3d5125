//! What the rows of a file would do: new cards, changes field by field, or nothing.

use std::collections::{BTreeSet, HashMap};

use base::fault::Outcome;
use base::import::{Import as _, Row, flag};
use entity::card::{self, Lifecycle, Model};
use entity::{CardId, FrameId, HostId, RoomId, frame, host, room};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation};
use kernel::text::Text;
use outbound::Rule;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::ImportCards;
use crate::address::reach;
use crate::card::model::{self, ModelName};

/// A value that would change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FieldDifference {
    pub field: &'static str,
    pub from: String,
    pub to: String,
}

/// What a good row would do.
#[derive(Debug)]
pub enum CardEffect {
    /// Make a card.
    New(Target),
    /// Change one.
    Changed { before: Box<Model>, target: Target, differences: Vec<FieldDifference> },
    /// Nothing.
    Same,
}

/// A card as a row says it should be.
#[derive(Clone, Debug)]
pub struct Target {
    pub serial: Option<String>,
    pub room: RoomId,
    pub place: Option<(FrameId, HostId, i32)>,
    pub ip: Ip4,
    pub port: i32,
    pub extranet: Option<(Ip4, i32)>,
    pub model: ModelName,
    pub size: String,
    pub remark: String,
    pub is_assignable: bool,
    pub is_overcommit: bool,
}

/// A cell that says something else than the cell under `field` of the same row.
fn contradicts(field: &'static str) -> Violation {
    let columns = ImportCards::columns();
    let label = columns.iter().find(|column| column.key == field).map(|column| column.label);
    Violation::new("sheet.contradicts")
        .with("column", label.map_or(field.to_owned(), |Text { zh, en }| format!("{zh} / {en}")))
}

/// The recorded fleet, as far as a batch is compared with it.
pub struct Recorded {
    /// Which addresses may be connected to.
    outbound: Rule,
    rooms: HashMap<String, RoomId>,
    frames: HashMap<(RoomId, String), frame::Model>,
    hosts: HashMap<(FrameId, i32), host::Model>,
    by_id: HashMap<CardId, Model>,
    by_serial: HashMap<String, Model>,
    by_address: HashMap<(RoomId, Ip4, i32), Model>,
    by_place: HashMap<(HostId, i32), CardId>,
    by_extranet: HashMap<(Ip4, i32), CardId>,
    models: HashMap<entity::CardModelId, ModelName>,
}

impl Recorded {
    /// Reads what `rows` name.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn read(outbound: Rule, db: &impl ConnectionTrait, rows: &[&Row]) -> Outcome<Self> {
        let rooms: HashMap<String, RoomId> =
            room::Entity::find().all(db).await?.into_iter().map(|row| (row.name, row.id)).collect();
        let named: BTreeSet<RoomId> = rows.iter().filter_map(|row| rooms.get(row.given("room")?).copied()).collect();
        let frames: Vec<frame::Model> =
            frame::Entity::find().filter(frame::Column::RoomId.is_in(named.iter().copied())).all(db).await?;
        let names: BTreeSet<&str> = rows.iter().filter_map(|row| row.given("frame")).collect();
        let ids: Vec<FrameId> =
            frames.iter().filter(|row| names.contains(row.name.as_str())).map(|row| row.id).collect();
        let hosts: Vec<host::Model> =
            host::Entity::find().filter(host::Column::FrameId.is_in(ids.clone())).all(db).await?;
        // In key order, as the indexes are.
        let serials: BTreeSet<&str> = rows.iter().filter_map(|row| row.given("serial")).collect();
        let ips: BTreeSet<Ip4> = rows.iter().filter_map(|row| row.parsed::<Ip4>("intranetIp")).collect();
        let outside: BTreeSet<Ip4> = rows.iter().filter_map(|row| row.parsed::<Ip4>("extranetIp")).collect();
        let living = || card::Entity::find().filter(card::Column::Lifecycle.ne(Lifecycle::Retired));
        let ids_given: BTreeSet<CardId> = rows.iter().filter_map(|row| row.parsed("id").map(CardId)).collect();
        let by_id = card::Entity::find().filter(card::Column::Id.is_in(ids_given)).all(db).await?;
        let by_serial = card::Entity::find().filter(card::Column::Serial.is_in(serials)).all(db).await?;
        let by_address = living().filter(card::Column::IntranetIp.is_in(ips)).all(db).await?;
        let by_extranet = living().filter(card::Column::ExtranetIp.is_in(outside)).all(db).await?;
        let by_place = card::Entity::find().filter(card::Column::FrameId.is_in(ids)).all(db).await?;
        Ok(Self {
            outbound,
            rooms,
            frames: frames.into_iter().map(|row| ((row.room_id, row.name.clone()), row)).collect(),
            hosts: hosts.into_iter().map(|row| ((row.frame_id, row.slot), row)).collect(),
            by_id: by_id.into_iter().map(|row| (row.id, row)).collect(),
            by_serial: by_serial.into_iter().filter_map(|row| Some((row.serial.clone()?, row))).collect(),
            by_address: by_address.into_iter().map(|row| ((row.room_id, row.intranet_ip, row.adb_port), row)).collect(),
            by_place: by_place.into_iter().filter_map(|row| Some(((row.host_id?, row.position?), row.id))).collect(),
            by_extranet: by_extranet
                .into_iter()
                .filter_map(|row| Some(((row.extranet_ip?, row.extranet_port?), row.id)))
                .collect(),
            models: model::all(db).await?,
        })
    }

    /// The place that a row names. None where it names none.
    fn place(&self, row: &Row, check: &mut Check, room: RoomId) -> Option<(FrameId, HostId, i32)> {
        let within = ["host", "slot", "position"];
        let Some(name) = row.given("frame") else {
            if within.iter().any(|field| row.given(field).is_some()) {
                check.add("frame", Violation::new("required"));
            }
            return None;
        };
        let name = name.to_owned();
        let Some(frame) = self.frames.get(&(room, name)) else {
            check.add("frame", Violation::unknown_reference());
            return None;
        };
        let Some(position) = row.parsed::<i32>("position") else {
            check.add("position", Violation::new("required"));
            return None;
        };
        let host = self.host(row, check, frame.id)?;
        if position > host.positions {
            let range = Violation::new("integer.range").with("min", 1).with("max", host.positions);
            check.add("position", range);
            return None;
        }
        Some((frame.id, host.id, position))
    }

    /// The host that a row names, by its slot or by its name.
    fn host(&self, row: &Row, check: &mut Check, frame: FrameId) -> Option<&host::Model> {
        let name = row.given("host");
        let Some(slot) = row.parsed::<i32>("slot") else {
            let Some(name) = name else {
                check.add("slot", Violation::new("required"));
                return None;
            };
            let found = self.hosts.values().find(|host| host.frame_id == frame && host.name == name);
            if found.is_none() {
                check.add("host", Violation::unknown_reference());
            }
            return found;
        };
        let Some(found) = self.hosts.get(&(frame, slot)) else {
            check.add("slot", Violation::unknown_reference());
            return None;
        };
        if name.is_some_and(|name| name != found.name) {
            check.add("slot", contradicts("host"));
            return None;
        }
        Some(found)
    }

    /// The card that a row means, by its id, its serial or its address, and the port. None is a row that cannot be.
    fn before(&self, row: &Row, check: &mut Check, room: RoomId, ip: Ip4) -> Option<(Option<&Model>, i32)> {
        let serial = row.given("serial");
        let named = match row.parsed::<i64>("id").map(|id| self.by_id.get(&CardId(id))) {
            Some(None) => {
                check.add("id", Violation::unknown_reference());
                return None;
            }
            Some(Some(row)) => Some(row),
            None => None,
        };
        let known = serial.and_then(|serial| self.by_serial.get(serial));
        // An identity of its own is not overwritten by another's.
        if let Some(row) = named
            && serial.is_some_and(|serial| row.serial.as_deref().is_some_and(|was| was != serial))
        {
            check.add("serial", contradicts("id"));
            return None;
        }
        let known = match (named, known) {
            (Some(named), Some(other)) if named.id != other.id => {
                check.add("serial", Violation::taken());
                return None;
            }
            (named, known) => named.or(known),
        };
        let port = row.parsed::<i32>("adbPort").or(known.map(|row| row.adb_port)).unwrap_or(5555);
        let there = self.by_address.get(&(room, ip, port));
        match (known, there) {
            (Some(card), _) if card.lifecycle == Lifecycle::Retired => {
                check.add(if named.is_some() { "id" } else { "serial" }, Violation::taken());
                None
            }
            (Some(card), Some(other)) if card.id != other.id => {
                check.add("intranetIp", Violation::taken());
                None
            }
            // A card that was written down without a serial gets one; another's is not overwritten.
            (None, Some(card)) if serial.is_some() && card.serial.is_some() => {
                check.add("intranetIp", Violation::taken());
                None
            }
            (Some(card), _) | (None, Some(card)) => Some((Some(card), port)),
            (None, None) => Some((None, port)),
        }
    }

    /// What a row would do; `check` is told what stands in the way.
    pub fn judge(&self, row: &Row, check: &mut Check) -> Option<CardEffect> {
        let room = self.rooms.get(row.given("room")?).copied();
        let Some(room) = room else {
            check.add("room", Violation::unknown_reference());
            return None;
        };
        let ip = row.parsed("intranetIp")?;
        let serial = row.given("serial").map(str::to_owned);
        let (before, port) = self.before(row, check, room, ip)?;
        let named = self.place(row, check, room);
        let model = before.and_then(|row| self.models.get(&row.model_id)).cloned().unwrap_or_default();
        let text = |field: &str, was: &str| row.given(field).unwrap_or(was).to_owned();
        let target = Target {
            serial: serial.or_else(|| before.and_then(|row| row.serial.clone())),
            room,
            place: named.or_else(|| {
                // In another room it stands nowhere until somebody says where.
                let row = before.filter(|row| row.room_id == room)?;
                Some((row.frame_id?, row.host_id?, row.position?))
            }),
            ip,
            port,
            extranet: row
                .parsed("extranetIp")
                .zip(row.parsed("extranetPort"))
                .or_else(|| before.and_then(|row| row.extranet_ip.zip(row.extranet_port))),
            model: ModelName {
                manufacturer: text("manufacturer", &model.manufacturer),
                model: text("model", &model.model),
                board: text("board", &model.board),
            },
            size: text("size", before.map_or("", |row| &row.size)),
            remark: text("remark", before.map_or("", |row| &row.remark)),
            is_assignable: row
                .given("isAssignable")
                .and_then(|cell| flag(cell).ok())
                .unwrap_or_else(|| before.is_none_or(|row| row.is_assignable)),
            is_overcommit: row
                .given("isOvercommit")
                .and_then(|cell| flag(cell).ok())
                .unwrap_or_else(|| before.is_none_or(|row| row.is_overcommit)),
        };
        self.check(row, check, before, &target);
        if !check.is_clean() {
            return None;
        }
        let Some(before) = before else { return Some(CardEffect::New(target)) };
        let differences = self.differences(before, &target);
        Some(if differences.is_empty() {
            CardEffect::Same
        } else {
            CardEffect::Changed { before: Box::new(before.clone()), target, differences }
        })
    }

    /// What stands in the way of a target that is well formed.
    fn check(&self, row: &Row, check: &mut Check, before: Option<&Model>, target: &Target) {
        for (field, value) in [
            ("manufacturer", &target.model.manufacturer),
            ("model", &target.model.model),
            ("board", &target.model.board),
        ] {
            if value.is_empty() {
                check.add(field, Violation::new("required"));
            }
        }
        if row.given("extranetIp").is_some() != row.given("extranetPort").is_some() {
            let missing = if row.given("extranetIp").is_some() { "extranetPort" } else { "extranetIp" };
            check.add(missing, Violation::new("required"));
        }
        if before.is_none_or(|row| row.intranet_ip != target.ip) {
            check.field("intranetIp", reach::verdict(&self.outbound, target.ip, target.ip));
        }
        let is_other = |id: &CardId| before.is_none_or(|row| row.id != *id);
        if let Some((_, host, position)) = target.place
            && self.by_place.get(&(host, position)).is_some_and(is_other)
        {
            check.add("position", Violation::taken());
        }
        if target.extranet.and_then(|address| self.by_extranet.get(&address)).is_some_and(is_other) {
            check.add("extranetIp", Violation::taken());
        }
    }

    fn differences(&self, before: &Model, target: &Target) -> Vec<FieldDifference> {
        let model = self.models.get(&before.model_id).cloned().unwrap_or_default();
        let room = |id: RoomId| {
            self.rooms.iter().find(|(_, room)| **room == id).map(|(name, _)| name.clone()).unwrap_or_default()
        };
        let place = |frame: Option<FrameId>, host: Option<HostId>, position: Option<i32>| match (frame, host) {
            (Some(frame), Some(host)) => {
                let name = self.frames.values().find(|row| row.id == frame).map(|row| row.name.clone());
                let slot = self.hosts.values().find(|row| row.id == host).map(|row| row.slot);
                format!(
                    "{}/{}/{}",
                    name.unwrap_or_else(|| frame.to_string()),
                    slot.map_or_else(|| format!("#{host}"), |slot| slot.to_string()),
                    position.unwrap_or_default()
                )
            }
            _ => String::new(),
        };
        let outside =
            |address: Option<(Ip4, i32)>| address.map_or_else(String::new, |(ip, port)| format!("{ip}:{port}"));
        let to = target.place;
        let values = [
            ("serial", before.serial.clone().unwrap_or_default(), target.serial.clone().unwrap_or_default()),
            ("room", room(before.room_id), room(target.room)),
            (
                "position",
                place(before.frame_id, before.host_id, before.position),
                place(to.map(|to| to.0), to.map(|to| to.1), to.map(|to| to.2)),
            ),
            ("intranetIp", before.intranet_ip.to_string(), target.ip.to_string()),
            ("adbPort", before.adb_port.to_string(), target.port.to_string()),
            ("extranetIp", outside(before.extranet_ip.zip(before.extranet_port)), outside(target.extranet)),
            ("manufacturer", model.manufacturer, target.model.manufacturer.clone()),
            ("model", model.model, target.model.model.clone()),
            ("board", model.board, target.model.board.clone()),
            ("size", before.size.clone(), target.size.clone()),
            ("isAssignable", before.is_assignable.to_string(), target.is_assignable.to_string()),
            ("isOvercommit", before.is_overcommit.to_string(), target.is_overcommit.to_string()),
            ("remark", before.remark.clone(), target.remark.clone()),
        ];
        values
            .into_iter()
            .filter(|(_, from, to)| from != to)
            .map(|(field, from, to)| FieldDifference { field, from, to })
            .collect()
    }
}
