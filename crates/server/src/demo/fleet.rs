//! The demo company's fleet: rooms, frames, hosts and cards. A card is a pure function of its index, so that a million
//! of them need no more memory than a few hundred.

use std::collections::HashMap;

use base::app::App;
use base::demo::Random;
use base::fault::Fault;
use entity::card::{Fact, Lifecycle, Maintenance, MaintenanceScope, Model, Occupancy, Power, RunStatus};
use entity::{CardModelId, FrameId, HostId, RoomId};
use fleet::{
    AddressPlanInput, AddressRange, By, FrameInput, HostInput, ModelName, NewCard, RoomInput, RoomLine, ensure_models,
    insert_cards, insert_frame, insert_host, insert_plan, insert_room,
};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;

/// Cards in one transaction.
const STEP: u32 = 1000;
const POSITIONS: u32 = 12;
const HOSTS: u32 = 12;
/// Cards of a full frame.
const FRAME: u32 = POSITIONS * HOSTS;
/// Cards of a full room.
const ROOM: u32 = 20_000;

const CITIES: [(&str, &str, f64, f64); 8] = [
    ("杭州滨江", "杭州", 30.2084, 120.2120),
    ("成都双流", "成都", 30.5745, 103.9237),
    ("广州南沙", "广州", 22.8016, 113.5253),
    ("北京亦庄", "北京", 39.7955, 116.5062),
    ("西安高新", "西安", 34.2324, 108.8864),
    ("武汉光谷", "武汉", 30.5054, 114.4002),
    ("南京江宁", "南京", 31.9522, 118.8400),
    ("贵阳贵安", "贵阳", 26.3866, 106.4776),
];

const MODELS: [(&str, &str, &str, &str, u64); 4] = [
    ("瑞芯微", "SR-3399A", "RK_3399", "4G/64G", 50),
    ("瑞芯微", "SR-3399B", "RK_3399", "4G/128G", 20),
    ("联发科", "SM-G90", "MTK_G90", "6G/128G", 20),
    ("星河", "StarPro-1", "STARPRO", "8G/256G", 10),
];

/// A frame with its hosts, slot by slot.
struct Rack {
    id: FrameId,
    hosts: Vec<HostId>,
}

pub fn failed(fault: Fault) -> anyhow::Error {
    anyhow::anyhow!("{fault:?}")
}

/// Puts `count` cards into as few rooms as possible, at least three, in key order and in steps.
pub async fn fill(app: &App, count: u32) -> anyhow::Result<()> {
    if count == 0 {
        return Ok(());
    }
    let now = app.clock.now();
    let rooms = count.div_ceil(ROOM).clamp(3, 1000).min(count);
    let per_room = count.div_ceil(rooms);
    let names = MODELS.map(|(manufacturer, model, board, _, _)| ModelName {
        manufacturer: manufacturer.to_owned(),
        model: model.to_owned(),
        board: board.to_owned(),
    });
    let tx = app.db.begin_write().await?;
    let models = ensure_models(&*tx, names.clone()).await.map_err(failed)?;
    tx.commit().await?;
    for number in 0..rooms {
        let (first, last) = (number * per_room, count.min((number + 1) * per_room));
        if first >= last {
            break;
        }
        let (room, racks) = furnish(app, number, last - first, now).await?;
        let mut from = first;
        while from < last {
            let to = last.min(from + STEP);
            let rows: Vec<Model> = (from..to)
                .map(|index| card(index, index - first, number, room, &racks, &names, &models, now))
                .collect();
            let mut tx = app.db.begin_write().await?;
            insert_cards(&mut tx, &app.config.outbound(), rows, &By::console(), "").await.map_err(failed)?;
            tx.commit().await?;
            from = to;
        }
    }
    Ok(())
}

/// A room with the frames, hosts and addresses for that many cards.
async fn furnish(app: &App, number: u32, cards: u32, now: UtcTime) -> anyhow::Result<(RoomId, Vec<Rack>)> {
    let (name, city, latitude, longitude) = CITIES[number as usize % CITIES.len()];
    let round = number as usize / CITIES.len();
    let line = |carrier, name: &str, mbit| RoomLine { carrier, name: name.to_owned(), mbit, contact: String::new() };
    let tx = app.db.begin_write().await?;
    let input = RoomInput {
        name: if round == 0 { format!("{name}机房") } else { format!("{name}机房 {}", round + 1) },
        city: city.to_owned(),
        latitude: Some(latitude),
        longitude: Some(longitude),
        remark: String::new(),
        management_nets: Vec::new(),
        time_zone: String::new(),
        download_mbit: None,
        upload_mbit: None,
        lines: vec![
            line(entity::room_line::Carrier::Telecom, "电信主线", 10_000),
            line(entity::room_line::Carrier::Unicom, "联通备线", 5_000),
        ],
    };
    let room = insert_room(&*tx, input, now).await.map_err(failed)?.id;
    let mut racks = Vec::new();
    for frame in 0..cards.div_ceil(FRAME) {
        let input = FrameInput {
            room_id: room,
            name: format!("{}{:02}", char::from(b'A' + (frame / 20 % 26) as u8), frame % 20 + 1 + frame / 520 * 20),
            location: format!("{} 排 {} 列", frame / 20 + 1, frame % 20 + 1),
            slots: HOSTS as i32,
            remark: String::new(),
        };
        let id = insert_frame(&*tx, input, now).await.map_err(failed)?.id;
        let mut hosts = Vec::new();
        for slot in 0..HOSTS.min((cards - frame * FRAME).div_ceil(POSITIONS)) {
            let index = frame * HOSTS + slot;
            let input = HostInput {
                frame_id: id,
                slot: slot as i32 + 1,
                name: format!("blade-{:04}", index + 1),
                blade_address: Ip4::from((172 << 24) | ((16 + number % 16) << 16)).plus(index + 1),
                positions: POSITIONS as i32,
                remark: String::new(),
            };
            hosts.push(insert_host(&*tx, input, now).await.map_err(failed)?.id);
        }
        racks.push(Rack { id, hosts });
    }
    let (start, outside) = (intranet(number), extranet(number));
    let input = AddressPlanInput {
        room_id: room,
        name: "卡网段".to_owned(),
        intranet: AddressRange {
            start_ip: start,
            end_ip: (cards > 1).then(|| Ip4(start.0 + i64::from(cards) - 1)),
            start_port: 5555,
            end_port: None,
        },
        extranet: AddressRange {
            start_ip: outside,
            end_ip: None,
            start_port: 20_000,
            end_port: Some(19_999 + cards as i32),
        },
        remark: String::new(),
    };
    insert_plan(&*tx, &input, now).await.map_err(failed)?;
    tx.commit().await?;
    Ok((room, racks))
}

/// The first address of a room's cards: each room has a quarter of a million.
fn intranet(room: u32) -> Ip4 {
    if room < 60 {
        Ip4::from((10 << 24) + ((room + 1) << 18) + 1)
    } else {
        Ip4::from((100 << 24) + (64 << 16) + (room << 15) + 1)
    }
}

fn extranet(room: u32) -> Ip4 {
    Ip4::from((203 << 24) + (113 << 8) + room + 1)
}

#[expect(clippy::too_many_arguments, reason = "a card follows from all of them")]
fn card(
    index: u32,
    at: u32,
    number: u32,
    room: RoomId,
    racks: &[Rack],
    names: &[ModelName; 4],
    models: &HashMap<ModelName, CardModelId>,
    now: UtcTime,
) -> Model {
    let mut random = Random::stream(21, index);
    // A frame has cards of one kind, as purchased.
    let rack = &racks[(at / FRAME) as usize];
    let mut bought = Random::stream(22, number * 1000 + at / FRAME);
    let kind = bought.weighted(&[(0_usize, MODELS[0].4), (1, MODELS[1].4), (2, MODELS[2].4), (3, MODELS[3].4)]);
    let host = rack.hosts[(at % FRAME / POSITIONS) as usize];
    let start = intranet(number);
    let new = NewCard {
        serial: Some(format!("SR{:02}{:08}", kind + 1, index + 1)),
        room_id: room,
        place: Some((rack.id, host, (at % POSITIONS) as i32 + 1)),
        intranet_ip: Ip4(start.0 + i64::from(at)),
        adb_port: 5555,
        extranet: Some((extranet(number), 20_000 + at as i32)),
        model_id: models[&names[kind]],
        size: MODELS[kind].3.to_owned(),
        remark: String::new(),
        lifecycle: Lifecycle::Registered,
        is_assignable: random.chance(96),
        is_overcommit: random.chance(92),
        inherited: None,
    };
    let since = now.plus_seconds(-300 - i64::try_from(random.below(40 * 86_400)).unwrap_or(0));
    let mut row = new.into_row(since);
    let status = random.weighted(&[
        (RunStatus::InUse, 60),
        (RunStatus::Idle, 27),
        (RunStatus::Offline, 4),
        (RunStatus::Fault, 3),
        (RunStatus::Maintenance, 3),
        (RunStatus::Upgrading, 1),
        (RunStatus::Unknown, 2),
    ]);
    set(&mut row, status, since, &mut random);
    row.created_at = now.plus_seconds(-420 * 86_400);
    row.derived(since)
}

/// Facts that result in the status.
fn set(row: &mut Model, status: RunStatus, since: UtcTime, random: &mut Random) {
    if status == RunStatus::Unknown {
        row.lifecycle = Lifecycle::Expected;
        return;
    }
    row.power = Power::On;
    (row.reached, row.tcp_open, row.adb_answers, row.booted) = (Fact::Yes, Fact::Yes, Fact::Yes, Fact::Yes);
    match status {
        RunStatus::InUse => row.occupancy = Occupancy::InUse,
        RunStatus::Offline => {
            (row.tcp_open, row.adb_answers, row.booted) = (Fact::No, Fact::No, Fact::No);
            row.booted_ok_at = Some(since);
        }
        RunStatus::Fault if random.chance(50) => {
            (row.adb_answers, row.booted) = (Fact::No, Fact::No);
            row.booted_ok_at = Some(since);
        }
        RunStatus::Fault => {
            row.lifecycle = Lifecycle::Faulty;
            row.fault_reason = random.pick(&["闪存坏块", "反复重启", "温度过高", "网口无链路"]).to_owned();
        }
        RunStatus::Maintenance => {
            (row.maintenance, row.maintenance_scope) = (Maintenance::InMaintenance, MaintenanceScope::Card);
            row.maintenance_reason = random.pick(&["更换散热", "排查掉线", "重刷系统"]).to_owned();
            row.maintenance_by = "yunying_zhou".to_owned();
        }
        RunStatus::Upgrading => row.is_upgrading = true,
        RunStatus::Idle | RunStatus::Unknown => {}
    }
}
