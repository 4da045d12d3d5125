//! What the rows of a file would do to the books: new cards, changes field by field, or nothing.

use std::collections::{BTreeSet, HashMap};

use entity::card::{self, Lifecycle, Model};
use entity::{CardId, FrameId, HostId, RoomId, frame, host, room};
use kernel::ip4::Ip4;
use kernel::rules::Violation;
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use utoipa::ToSchema;

use super::rows::{Field, Line, flag};
use crate::domains::fleet::card::model::{self, ModelName};
use crate::fault::Outcome;

/// A value that would change.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FieldDifference {
    pub field: &'static str,
    pub from: String,
    pub to: String,
}

/// What a good row would do.
#[derive(Debug)]
pub enum Effect {
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

/// The books, as far as a batch needs them.
struct Books {
    rooms: HashMap<String, RoomId>,
    frames: HashMap<(RoomId, String), frame::Model>,
    hosts: HashMap<(FrameId, i32), host::Model>,
    by_serial: HashMap<String, Model>,
    by_address: HashMap<(RoomId, Ip4, i32), Model>,
    by_place: HashMap<(HostId, i32), CardId>,
    by_extranet: HashMap<(Ip4, i32), CardId>,
    models: HashMap<entity::CardModelId, ModelName>,
}

impl Books {
    async fn read(db: &impl ConnectionTrait, lines: &[Line]) -> Outcome<Self> {
        let rooms: HashMap<String, RoomId> =
            room::Entity::find().all(db).await?.into_iter().map(|row| (row.name, row.id)).collect();
        let named: BTreeSet<RoomId> =
            lines.iter().filter_map(|line| rooms.get(line.text(Field::Room)?).copied()).collect();
        let frames: Vec<frame::Model> =
            frame::Entity::find().filter(frame::Column::RoomId.is_in(named.iter().copied())).all(db).await?;
        let names: BTreeSet<&str> = lines.iter().filter_map(|line| line.text(Field::Frame)).collect();
        let ids: Vec<FrameId> =
            frames.iter().filter(|row| names.contains(row.name.as_str())).map(|row| row.id).collect();
        let hosts: Vec<host::Model> =
            host::Entity::find().filter(host::Column::FrameId.is_in(ids.clone())).all(db).await?;
        // In key order, as the indexes are.
        let serials: BTreeSet<&str> = lines.iter().filter_map(|line| line.text(Field::Serial)).collect();
        let ips: BTreeSet<Ip4> = lines.iter().filter_map(|line| line.ip(Field::IntranetIp)).collect();
        let outside: BTreeSet<Ip4> = lines.iter().filter_map(|line| line.ip(Field::ExtranetIp)).collect();
        let living = || card::Entity::find().filter(card::Column::Lifecycle.ne(Lifecycle::Retired));
        let by_serial = card::Entity::find().filter(card::Column::Serial.is_in(serials)).all(db).await?;
        let by_address = living().filter(card::Column::IntranetIp.is_in(ips)).all(db).await?;
        let by_extranet = living().filter(card::Column::ExtranetIp.is_in(outside)).all(db).await?;
        let by_place = card::Entity::find().filter(card::Column::FrameId.is_in(ids)).all(db).await?;
        Ok(Self {
            rooms,
            frames: frames.into_iter().map(|row| ((row.room_id, row.name.clone()), row)).collect(),
            hosts: hosts.into_iter().map(|row| ((row.frame_id, row.slot), row)).collect(),
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
    fn place(&self, line: &mut Line, room: RoomId) -> Option<(FrameId, HostId, i32)> {
        let name = line.text(Field::Frame)?.to_owned();
        let Some(frame) = self.frames.get(&(room, name)) else {
            line.problem(Field::Frame, Violation::unknown_reference());
            return None;
        };
        let (Some(slot), Some(position)) = (line.number(Field::Slot), line.number(Field::Position)) else {
            let missing = if line.text(Field::Slot).is_none() { Field::Slot } else { Field::Position };
            line.problem(missing, Violation::new("required"));
            return None;
        };
        let Some(host) = self.hosts.get(&(frame.id, slot)) else {
            line.problem(Field::Slot, Violation::unknown_reference());
            return None;
        };
        if position > host.positions {
            let range = Violation::new("integer.range").with("min", 1).with("max", host.positions);
            line.problem(Field::Position, range);
            return None;
        }
        Some((frame.id, host.id, position))
    }

    fn judge(&self, line: &mut Line) -> Option<Effect> {
        let room = self.rooms.get(line.text(Field::Room)?).copied();
        let Some(room) = room else {
            line.problem(Field::Room, Violation::unknown_reference());
            return None;
        };
        let ip = line.ip(Field::IntranetIp)?;
        let serial = line.text(Field::Serial).map(str::to_owned);
        let known = serial.as_ref().and_then(|serial| self.by_serial.get(serial));
        let port = line.number(Field::AdbPort).or(known.map(|row| row.adb_port)).unwrap_or(5555);
        let there = self.by_address.get(&(room, ip, port));
        let before = match (known, there) {
            (Some(row), _) if row.lifecycle == Lifecycle::Retired => {
                line.problem(Field::Serial, Violation::taken());
                return None;
            }
            (Some(row), Some(other)) if row.id != other.id => {
                line.problem(Field::IntranetIp, Violation::taken());
                return None;
            }
            // A card that was written down without a serial gets one; another's is not overwritten.
            (None, Some(row)) if serial.is_some() && row.serial.is_some() => {
                line.problem(Field::IntranetIp, Violation::taken());
                return None;
            }
            (Some(row), _) | (None, Some(row)) => Some(row),
            (None, None) => None,
        };
        let named = self.place(line, room);
        let model = before.and_then(|row| self.models.get(&row.model_id)).cloned().unwrap_or_default();
        let text = |line: &Line, field: Field, was: &str| line.text(field).unwrap_or(was).to_owned();
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
            extranet: line
                .ip(Field::ExtranetIp)
                .zip(line.number(Field::ExtranetPort))
                .or_else(|| before.and_then(|row| row.extranet_ip.zip(row.extranet_port))),
            model: ModelName {
                manufacturer: text(line, Field::Manufacturer, &model.manufacturer),
                model: text(line, Field::Model, &model.model),
                board: text(line, Field::Board, &model.board),
            },
            size: text(line, Field::Size, before.map_or("", |row| &row.size)),
            remark: text(line, Field::Remark, before.map_or("", |row| &row.remark)),
            is_assignable: line
                .text(Field::Assignable)
                .and_then(flag)
                .unwrap_or_else(|| before.is_none_or(|row| row.is_assignable)),
            is_overcommit: line
                .text(Field::Overcommit)
                .and_then(flag)
                .unwrap_or_else(|| before.is_some_and(|row| row.is_overcommit)),
        };
        self.check(line, before, &target);
        if !line.problems.is_empty() {
            return None;
        }
        let Some(before) = before else { return Some(Effect::New(target)) };
        let differences = self.differences(before, &target);
        Some(if differences.is_empty() {
            Effect::Same
        } else {
            Effect::Changed { before: Box::new(before.clone()), target, differences }
        })
    }

    /// What stands in the way of a target that is well formed.
    fn check(&self, line: &mut Line, before: Option<&Model>, target: &Target) {
        for (field, value) in [
            (Field::Manufacturer, &target.model.manufacturer),
            (Field::Model, &target.model.model),
            (Field::Board, &target.model.board),
        ] {
            if value.is_empty() {
                line.problem(field, Violation::new("required"));
            }
        }
        if line.text(Field::ExtranetIp).is_some() != line.text(Field::ExtranetPort).is_some() {
            let missing = if line.text(Field::ExtranetIp).is_some() { Field::ExtranetPort } else { Field::ExtranetIp };
            line.problem(missing, Violation::new("required"));
        }
        let is_other = |id: &CardId| before.is_none_or(|row| row.id != *id);
        if let Some((_, host, position)) = target.place
            && self.by_place.get(&(host, position)).is_some_and(is_other)
        {
            line.problem(Field::Position, Violation::taken());
        }
        if target.extranet.and_then(|address| self.by_extranet.get(&address)).is_some_and(is_other) {
            line.problem(Field::ExtranetIp, Violation::taken());
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
            (Field::Serial, before.serial.clone().unwrap_or_default(), target.serial.clone().unwrap_or_default()),
            (Field::Room, room(before.room_id), room(target.room)),
            (
                Field::Position,
                place(before.frame_id, before.host_id, before.position),
                place(to.map(|to| to.0), to.map(|to| to.1), to.map(|to| to.2)),
            ),
            (Field::IntranetIp, before.intranet_ip.to_string(), target.ip.to_string()),
            (Field::AdbPort, before.adb_port.to_string(), target.port.to_string()),
            (Field::ExtranetIp, outside(before.extranet_ip.zip(before.extranet_port)), outside(target.extranet)),
            (Field::Manufacturer, model.manufacturer, target.model.manufacturer.clone()),
            (Field::Model, model.model, target.model.model.clone()),
            (Field::Board, model.board, target.model.board.clone()),
            (Field::Size, before.size.clone(), target.size.clone()),
            (Field::Assignable, before.is_assignable.to_string(), target.is_assignable.to_string()),
            (Field::Overcommit, before.is_overcommit.to_string(), target.is_overcommit.to_string()),
            (Field::Remark, before.remark.clone(), target.remark.clone()),
        ];
        values
            .into_iter()
            .filter(|(_, from, to)| from != to)
            .map(|(field, from, to)| FieldDifference { field: field.name(), from, to })
            .collect()
    }
}

/// What each row would do; none for a bad one, whose problems are noted in it.
///
/// # Errors
/// When a read fails.
pub async fn compare(db: &impl ConnectionTrait, lines: &mut [Line]) -> Outcome<Vec<Option<Effect>>> {
    let books = Books::read(db, lines).await?;
    let judge = |line: &mut Line| if line.problems.is_empty() { books.judge(line) } else { None };
    Ok(lines.iter_mut().map(judge).collect())
}
