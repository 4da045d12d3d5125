//! Hosts out of a spreadsheet, and the frames that they are in.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::Outcome;
use base::http::Need;
use base::import::{Applied, Column, Import, Importer, New, Row, Unique, of};
use db::WriteTx;
use entity::{FrameId, RoomId, frame, host, room};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation, integer_text_between, line, max_chars};
use kernel::text::{Text, text};
use sea_orm::{ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _};

use super::UNIT;
use crate::place::frame::{self as frames, FrameInput};
use crate::place::host::{self as hosts, HostInput};
use crate::place::host_list::Hosts;
use crate::screens::perm;

/// New hosts; a frame that is not there yet is made with the first host in it. Known hosts are not changed.
#[derive(Clone, Copy, Debug)]
pub struct ImportHosts;

/// A host as a row says it should be.
#[derive(Clone, Debug)]
pub struct Wanted {
    room: RoomId,
    frame: String,
    slot: i32,
    name: String,
    blade_address: Option<Ip4>,
    positions: i32,
    remark: String,
}

/// What is there already, as far as a batch is compared with it.
pub struct Standing {
    rooms: HashMap<String, RoomId>,
    frames: HashMap<(RoomId, String), frame::Model>,
    slots: HashSet<(FrameId, i32)>,
    addresses: HashSet<(RoomId, Ip4)>,
}

impl Import for ImportHosts {
    type List = Hosts;
    type Effect = New<Wanted>;
    type Known = Standing;
    const OF: &'static str = "host";
    const PATH: &'static str = "/api/fleet/v1/hosts/import";
    const TAG: &'static str = "fleet";
    const CALLS: &'static str = "host_import";
    const KIND: &'static str = "host.import";
    const NEED: Need = perm::ROOM_CREATE;
    const TITLE: Text = text("导入主机：{name}", "Import hosts: {name}");
    const TEMPLATE: Text = text("主机导入模板", "Host import");
    // A frame that is made here has as many slots as its hosts need: it must not be cut by the end of a batch.
    const BATCH: usize = 10_000;
    const UNIQUE: &'static [Unique] = &[
        ("slot", |row| Some([&row.text("room"), &row.text("frame"), row.given("slot")?].join(UNIT))),
        ("bladeAddress", |row| Some([&row.text("room"), row.given("bladeAddress")?].join(UNIT))),
    ];

    fn columns() -> Vec<Column> {
        vec![
            of::<Hosts>("room").required().rule(|cell| line(cell, 64)),
            of::<Hosts>("frame").required().rule(|cell| line(cell, 64)),
            of::<Hosts>("slot")
                .also(&["主机槽位", "Host slot"])
                .required()
                .rule(|cell| integer_text_between(cell, 1, 100).map(drop)),
            of::<Hosts>("name").required().rule(|cell| line(cell, 64)),
            of::<Hosts>("bladeAddress").rule(|cell| cell.parse::<Ip4>().map(drop)),
            of::<Hosts>("positions").required().rule(|cell| integer_text_between(cell, 1, 256).map(drop)),
            of::<Hosts>("remark").rule(|cell| max_chars(cell, 256)),
        ]
    }

    async fn known(_app: &App, db: &impl ConnectionTrait, rows: &[&Row]) -> Outcome<Standing> {
        let rooms: HashMap<String, RoomId> =
            room::Entity::find().all(db).await?.into_iter().map(|row| (row.name, row.id)).collect();
        let named: HashSet<RoomId> = rows.iter().filter_map(|row| rooms.get(row.given("room")?).copied()).collect();
        let there = frame::Entity::find().filter(frame::Column::RoomId.is_in(named.iter().copied())).all(db).await?;
        let within = host::Entity::find().filter(host::Column::RoomId.is_in(named)).all(db).await?;
        Ok(Standing {
            rooms,
            frames: there.into_iter().map(|row| ((row.room_id, row.name.clone()), row)).collect(),
            slots: within.iter().map(|row| (row.frame_id, row.slot)).collect(),
            addresses: within.iter().filter_map(|row| Some((row.room_id, row.blade_address?))).collect(),
        })
    }

    fn judge(known: &Standing, row: &Row, check: &mut Check) -> Option<New<Wanted>> {
        let Some(room) = known.rooms.get(row.given("room")?).copied() else {
            check.add("room", Violation::unknown_reference());
            return None;
        };
        let wanted = Wanted {
            room,
            frame: row.text("frame"),
            slot: row.parsed("slot")?,
            name: row.text("name"),
            blade_address: row.parsed("bladeAddress"),
            positions: row.parsed("positions")?,
            remark: row.text("remark"),
        };
        if let Some(frame) = known.frames.get(&(room, wanted.frame.clone())) {
            if wanted.slot > frame.slots {
                check.add("slot", Violation::new("integer.range").with("min", 1).with("max", frame.slots));
            } else if known.slots.contains(&(frame.id, wanted.slot)) {
                check.add("slot", Violation::taken());
            }
        }
        if wanted.blade_address.is_some_and(|ip| known.addresses.contains(&(room, ip))) {
            check.add("bladeAddress", Violation::taken());
        }
        Some(New(wanted))
    }

    async fn apply(tx: &mut WriteTx, by: &Importer<'_>, effects: Vec<New<Wanted>>) -> Outcome<Applied> {
        let mut needed: HashMap<(RoomId, String), i32> = HashMap::new();
        for New(wanted) in &effects {
            let slots = needed.entry((wanted.room, wanted.frame.clone())).or_default();
            *slots = (*slots).max(wanted.slot);
        }
        let mut ids: HashMap<(RoomId, String), FrameId> = HashMap::new();
        let there = frame::Entity::find()
            .filter(frame::Column::RoomId.is_in(needed.keys().map(|(room, _)| *room).collect::<HashSet<_>>()))
            .all(&**tx)
            .await?;
        ids.extend(there.into_iter().map(|row| ((row.room_id, row.name), row.id)));
        let (mut made_frames, count) = (0, effects.len());
        for New(wanted) in effects {
            let Wanted { room, frame, slot, name, blade_address, positions, remark } = wanted;
            let key = (room, frame);
            let frame_id = match ids.get(&key) {
                Some(id) => *id,
                None => {
                    let slots = needed.get(&key).copied().unwrap_or(slot);
                    let (location, remark) = (String::new(), String::new());
                    let input = FrameInput { room_id: room, name: key.1.clone(), location, slots, remark };
                    let id = frames::insert(&**tx, input, by.now).await?.id;
                    made_frames += 1;
                    ids.insert(key, id);
                    id
                }
            };
            hosts::insert(&**tx, HostInput { frame_id, slot, name, blade_address, positions, remark }, by.now).await?;
        }
        Ok(Applied {
            note: format!("{made_frames} frames, {count} hosts"),
            facts: Vec::new(),
            ids: Vec::new(),
            then: None,
        })
    }
}
