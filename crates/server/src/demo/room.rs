//! The demo company's simulated rooms: cards and BMCs with real room agents, all in this process.
//!
//! One of them is new: nobody has seen its cards yet, and some are broken on purpose. The others have been at work for
//! a while, and most of their cards have users.

use std::collections::HashMap;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use base::app::App;
use base::demo::Random;
use entity::card::{Fact, Lifecycle, Maintenance, MaintenanceScope, Occupancy, Power};
use entity::room_line::Carrier;
use entity::{CardId, RoomId, address_plan, bmc, card, placement, room};
use fleet::{
    AddressPlanInput, AddressRange, BmcInput, By, FrameInput, HostInput, ModelName, NewCard, RoomInput, RoomLine,
    SlotRange, ensure_models, insert_bmc, insert_cards, insert_frame, insert_host, insert_plan, insert_room,
    issue_token,
};
use kernel::ip4::Ip4;
use kernel::time::UtcTime;
use phones::{DemoNode, make_demo_node};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use tokio_util::sync::CancellationToken;
use url::Url;
use vault::Secret;

use super::company::ROOM_STAFF_NAME;
use super::fleet::failed;
use super::{Company, calendar};

/// How often the apps of a company that lives write, but for those that somebody uses. With the bounds that the simulator
/// keeps, a week of it is some hundred megabytes.
const WRITES: Duration = Duration::from_mins(1);

/// A simulated room.
#[derive(Debug)]
pub struct Site {
    pub name: &'static str,
    city: &'static str,
    latitude: f64,
    longitude: f64,
    /// The agent's name in the console, and its folder.
    agent: &'static str,
    /// What its storage node is called.
    node: &'static str,
    /// Which addresses are its own: all of 127.0.0.0/8 is this machine, and nobody else reaches it.
    net: u8,
    frames: i32,
    hosts: i32,
    positions: i32,
    /// Recorded cards that do not exist, at the end.
    missing: i32,
    /// Cards that exist but are not recorded: the agent's scan finds them.
    found: i32,
    /// Problems in the room, so that there is something to do.
    faults: &'static str,
    is_settled: bool,
}

/// The room that every demo has.
pub const NEW: Site = Site {
    name: "上海演示机房（仿真）",
    city: "上海",
    latitude: 31.2304,
    longitude: 121.4737,
    agent: "demo-agent",
    node: "上海-存储-01",
    net: 0,
    frames: 2,
    hosts: 12,
    positions: 6,
    missing: 2,
    found: 4,
    faults: "hot=2,no_space=3,boot_loop@17,hangs@40,refuses@66+67",
    is_settled: false,
};

/// The rooms of a whole company besides it.
pub const SETTLED: [Site; 3] = [
    Site {
        name: "杭州滨江机房",
        city: "杭州",
        latitude: 30.2084,
        longitude: 120.2120,
        agent: "demo-agent-hangzhou",
        node: "杭州-存储-01",
        net: 1,
        frames: 2,
        hosts: 10,
        positions: 12,
        missing: 0,
        found: 0,
        faults: "hot=1,refuses@31+150,hangs@88",
        is_settled: true,
    },
    Site {
        name: "成都双流机房",
        city: "成都",
        latitude: 30.5745,
        longitude: 103.9237,
        agent: "demo-agent-chengdu",
        node: "成都-存储-01",
        net: 2,
        frames: 2,
        hosts: 8,
        positions: 12,
        missing: 0,
        found: 0,
        faults: "refuses@12+13+14,no_space=1",
        is_settled: true,
    },
    Site {
        name: "广州南沙机房",
        city: "广州",
        latitude: 22.8016,
        longitude: 113.5253,
        agent: "demo-agent-guangzhou",
        node: "广州-存储-01",
        net: 3,
        frames: 1,
        hosts: 12,
        positions: 12,
        missing: 0,
        found: 1,
        faults: "boot_loop@70,silent@101",
        is_settled: true,
    },
];

impl Site {
    /// Recorded cards, including those that do not exist.
    pub const fn cards(&self) -> i32 {
        self.frames * self.hosts * self.positions
    }

    /// Its cards are known, and people use them.
    pub const fn is_settled(&self) -> bool {
        self.is_settled
    }

    /// How far a card's address is from the first one of the plan, inside and outside.
    const fn step(&self, index: i32) -> i32 {
        // Nothing answers where the missing ones are recorded.
        if index < self.cards() - self.missing { index } else { index + self.found }
    }

    fn card_address(&self, index: i32) -> Ip4 {
        ip(self.first_card(), self.step(index))
    }

    const fn first_card(&self) -> Ipv4Addr {
        Ipv4Addr::new(127, 64 + self.net, 0, 1)
    }

    const fn first_bmc(&self) -> Ipv4Addr {
        Ipv4Addr::new(127, 96 + self.net, 0, 1)
    }

    /// Of everything random in it.
    pub const fn seed(&self) -> u64 {
        self.net as u64 + 1
    }
}

/// Writes the rooms that do not exist yet into the records of a demo company.
///
/// # Errors
/// When the database refuses.
pub async fn found(app: &App, sites: &[Site]) -> anyhow::Result<()> {
    for site in sites {
        if of(app, site).await?.is_none() {
            furnish(app, site).await?;
        }
    }
    Ok(())
}

/// The record of a room.
///
/// # Errors
/// When the database refuses.
pub async fn of(app: &App, site: &Site) -> anyhow::Result<Option<room::Model>> {
    Ok(room::Entity::find().filter(room::Column::Name.eq(site.name)).one(app.db.read()).await?)
}

async fn furnish(app: &App, site: &Site) -> anyhow::Result<()> {
    let now = app.clock.now();
    // Stored in the records from now on: two demos started side by side have rooms of their own.
    let (cards_at, bmcs_at) = (free_port()?, free_port()?);
    let names = sim::BOARDS.map(|(_, model, board)| ModelName {
        manufacturer: "Skyrack".to_owned(),
        model: model.to_owned(),
        board: board.to_owned(),
    });
    let mut tx = app.db.begin_write().await?;
    let models = ensure_models(&*tx, names.clone()).await.map_err(failed)?;
    let input = RoomInput {
        name: site.name.to_owned(),
        city: site.city.to_owned(),
        latitude: Some(site.latitude),
        longitude: Some(site.longitude),
        remark: "本机仿真的安卓卡与 BMC，由真实的机房代理管理".to_owned(),
        management_nets: vec!["127.0.0.0/8".to_owned()],
        time_zone: String::new(),
        download_mbit: None,
        upload_mbit: None,
        lines: if site.is_settled { lines() } else { Vec::new() },
    };
    let room = insert_room(&*tx, input, now).await.map_err(failed)?.id;
    let last_port = 20_000 + site.cards() + site.found - 1;
    let outside = ip(Ipv4Addr::new(203, 0, 113, 200), i32::from(site.net));
    let plan = AddressPlanInput {
        room_id: room,
        name: "仿真卡网段".to_owned(),
        intranet: AddressRange {
            start_ip: ip(site.first_card(), 0),
            end_ip: Some(ip(site.first_card(), site.cards() + site.found - 1)),
            start_port: cards_at.into(),
            end_port: None,
        },
        extranet: AddressRange { start_ip: outside, end_ip: None, start_port: 20_000, end_port: Some(last_port) },
        remark: String::new(),
    };
    insert_plan(&*tx, &plan, now).await.map_err(failed)?;
    let mut rows = Vec::new();
    for frame in 0..site.frames {
        let input = FrameInput {
            room_id: room,
            name: format!("S{:02}", frame + 1),
            location: format!("1 排 {} 列", frame + 1),
            slots: site.hosts,
            remark: String::new(),
        };
        let frame_id = insert_frame(&*tx, input, now).await.map_err(failed)?.id;
        for slot in 0..site.hosts {
            let number = frame * site.hosts + slot;
            let input = HostInput {
                frame_id,
                slot: slot + 1,
                name: format!("sim-{:02}", number + 1),
                blade_address: Some(ip(Ipv4Addr::new(127, 95, site.net, 1), number)),
                positions: site.positions,
                remark: String::new(),
            };
            let host = insert_host(&*tx, input, now).await.map_err(failed)?.id;
            let first = number * site.positions;
            let input = BmcInput {
                room_id: room,
                host_id: Some(host),
                address: ip(site.first_bmc(), number),
                port: bmcs_at.into(),
                username: "admin".to_owned(),
                password: None,
                ranges: vec![SlotRange {
                    start_slot: 1,
                    end_slot: site.positions,
                    start_ip: ip(site.first_card(), first),
                    end_ip: ip(site.first_card(), first + site.positions - 1),
                }],
                remark: String::new(),
            };
            insert_bmc(&app.vault, &mut tx, &input, &Secret::from("simulated".to_owned()), now)
                .await
                .map_err(failed)?;
            for position in 0..site.positions {
                let at = first + position;
                let new = NewCard {
                    serial: site.is_settled.then(|| sim::serial(site.seed(), at.unsigned_abs() as usize)),
                    room_id: room,
                    place: Some((frame_id, host, position + 1)),
                    intranet_ip: site.card_address(at),
                    adb_port: cards_at.into(),
                    extranet: Some((outside, 20_000 + site.step(at))),
                    model_id: models[&names[at as usize % names.len()]],
                    size: "4G/64G".to_owned(),
                    remark: String::new(),
                    lifecycle: if site.is_settled { Lifecycle::Registered } else { Lifecycle::Expected },
                    is_assignable: true,
                    is_overcommit: true,
                    inherited: None,
                };
                rows.push(if site.is_settled { settled(new, site, at, now) } else { new.into_row(now) });
            }
        }
    }
    insert_cards(&mut tx, &app.config.outbound(), rows, &By::console(), "").await.map_err(failed)?;
    Ok(tx.commit().await?)
}

fn lines() -> Vec<RoomLine> {
    [(Carrier::Telecom, "电信主线", 10_000), (Carrier::Unicom, "联通备线", 5_000)]
        .map(|(carrier, name, mbit)| RoomLine { carrier, name: name.to_owned(), mbit, contact: String::new() })
        .into()
}

/// A card that has been there for a while: as many have a user as the hour of the day has it.
fn settled(mut new: NewCard, site: &Site, at: i32, now: UtcTime) -> card::Model {
    let mut random = Random::stream(40 + u64::from(site.net), at.unsigned_abs());
    (new.is_assignable, new.is_overcommit) = (random.chance(96), random.chance(92));
    let since = now.plus_seconds(-600 - i64::try_from(random.below(5 * 3600)).unwrap_or(0));
    let mut row = new.into_row(since);
    row.power = Power::On;
    (row.reached, row.tcp_open, row.adb_answers, row.booted) = (Fact::Yes, Fact::Yes, Fact::Yes, Fact::Yes);
    row.booted_ok_at = Some(since);
    let fate = random.below(100);
    if fate < 3 {
        (row.maintenance, row.maintenance_scope) = (Maintenance::InMaintenance, MaintenanceScope::Card);
        row.maintenance_reason = random.pick(&["更换散热", "排查掉线", "重刷系统"]).to_owned();
        ROOM_STAFF_NAME.clone_into(&mut row.maintenance_by);
    } else if fate < 5 {
        row.lifecycle = Lifecycle::Faulty;
        row.fault_reason = random.pick(&["闪存坏块", "温度过高", "网口无链路"]).to_owned();
    } else if random.fraction() < calendar::busy(now) {
        row.occupancy = Occupancy::InUse;
    }
    row.created_at = now.plus_seconds(-420 * 86_400);
    row.derived(since)
}

fn ip(first: Ipv4Addr, steps: i32) -> Ip4 {
    Ip4(i64::from(u32::from(first)) + i64::from(steps))
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("0.0.0.0:0").context("no port is free")?.local_addr()?.port())
}

/// Rooms that live.
#[derive(Debug, Default)]
pub struct Alive {
    pub sites: Vec<&'static Site>,
    /// The cards of all of them.
    pub cards: Vec<Arc<sim::Card>>,
}

/// Starts the rooms that are recorded, and tells which. One whose ports are used by another program has no agent, and
/// the console shows that.
///
/// # Errors
/// When the database refuses.
pub async fn live(app: &App, which: Company, console: SocketAddr, stop: &CancellationToken) -> anyhow::Result<Alive> {
    let mut alive = Alive::default();
    if app.config.tls_cert.is_some() {
        tracing::warn!("the demo rooms have no agent: it does not trust the certificate of this console");
        return Ok(alive);
    }
    let writes = (which == Company::Whole).then_some(WRITES);
    for site in std::iter::once(&NEW).chain(&SETTLED) {
        match start(app, site, writes, console, stop).await {
            Ok(Some(cards)) => {
                alive.sites.push(site);
                alive.cards.extend(cards.iter().cloned());
            }
            Ok(None) => {}
            Err(error) => tracing::warn!("the demo room {} has no agent: {error:#}", site.name),
        }
    }
    Ok(alive)
}

/// Its cards; none: the room is not recorded, or not as one of these.
async fn start(
    app: &App,
    site: &'static Site,
    writes: Option<Duration>,
    console: SocketAddr,
    stop: &CancellationToken,
) -> anyhow::Result<Option<Arc<[Arc<sim::Card>]>>> {
    let Some(room) = of(app, site).await? else { return Ok(None) };
    let plan = address_plan::Entity::find().filter(address_plan::Column::RoomId.eq(room.id)).one(app.db.read()).await?;
    let bmc = bmc::Entity::find().filter(bmc::Column::RoomId.eq(room.id)).one(app.db.read()).await?;
    let (Some(plan), Some(bmc)) = (plan, bmc) else { return Ok(None) };
    if plan.start_ip != ip(site.first_card(), 0) {
        return Ok(None);
    }
    let settings = sim::Settings {
        cards: usize::try_from(site.cards() - site.missing + site.found).unwrap_or(0),
        layout: sim::Layout::Addresses(site.first_card(), u16::try_from(plan.start_port)?),
        bmcs: Some(sim::Layout::Addresses(site.first_bmc(), u16::try_from(bmc.port)?)),
        cards_per_host: site.positions.unsigned_abs() as usize,
        seed: site.seed(),
        faults: site.faults.parse().map_err(anyhow::Error::msg)?,
        writes,
        ..sim::Settings::default()
    };
    let simulated = sim::Room::start(settings).await?;
    mark_cards(app, room.id, &simulated).await?;
    let cards = Arc::clone(&simulated.cards);
    let (app, stop) = (app.clone(), stop.clone());
    tokio::spawn(async move {
        let ran = tokio::select! {
            ran = tend(&app, room.id, site, console, stop.clone()) => ran,
            () = stop.cancelled() => Ok(()),
        };
        if let Err(error) = ran {
            tracing::warn!("the agent of the demo room {} ended: {error:#}", site.name);
        }
        drop(simulated);
    });
    Ok(Some(cards))
}

/// Simulated cards carry whose they are, as the books say: they forget all else with this process.
async fn mark_cards(app: &App, room: RoomId, simulated: &sim::Room) -> anyhow::Result<()> {
    let cards = card::Entity::find().filter(card::Column::RoomId.eq(room)).all(app.db.read()).await?;
    let serials: HashMap<CardId, String> = cards.into_iter().filter_map(|card| Some((card.id, card.serial?))).collect();
    let held = placement::Column::Role.is_in([placement::Role::Holds, placement::Role::Outgoing]);
    let here = placement::Column::CardId.is_in(serials.keys().copied());
    let stays = placement::Entity::find().filter(held).filter(here).all(app.db.read()).await?;
    let by_serial: HashMap<String, _> = simulated.cards.iter().map(|card| (card.serial(), card)).collect();
    for stay in stays {
        let there = serials.get(&stay.card_id).and_then(|serial| by_serial.get(serial));
        if let Some(there) = there {
            let mark = wire::Mark { phone: stay.phone_id.0, placement: stay.id.0 };
            let done = there.put_file(wire::Mark::FOLDER, wire::Mark::NAME, format!("{mark}\n").as_bytes());
            done.map_err(|why| anyhow::anyhow!("the mark of a simulated card: {why:?}"))?;
        }
    }
    Ok(())
}

/// Where what lives in this process finds the console.
pub fn address(console: SocketAddr) -> anyhow::Result<Url> {
    let mut url = Url::parse("http://localhost")?;
    // An unspecified address is this machine.
    let host = if console.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { console.ip() };
    url.set_ip_host(host).ok().context("the console's address")?;
    url.set_port(Some(console.port())).ok().context("the console's port")?;
    Ok(url)
}

async fn tend(
    app: &App,
    room: RoomId,
    site: &Site,
    console: SocketAddr,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let folder = app.config.data_dir.join(site.agent);
    let url = address(console)?;
    let tls = agent::trust(None)?;
    let token =
        if agent::Identity::is_kept(&folder) { None } else { Some(issue_token(app, room).await.map_err(failed)?) };
    let identity = agent::Identity::open(&folder, &url.into(), token.as_deref(), site.agent, version, &tls).await?;
    if token.is_some() {
        let Site { node: name, city, latitude, longitude, .. } = *site;
        let node = DemoNode { name, city, latitude, longitude };
        make_demo_node(app, entity::RoomAgentId(identity.agent), node).await.map_err(failed)?;
    }
    let settings = agent::Settings {
        data_dir: folder,
        version,
        looks: 32,
        pace: 1,
        leash: agent::LEASH,
        tls,
        targets: agent::simulated_room(),
        management_nets: Vec::new(),
        store_roots: Vec::new(),
    };
    agent::Agent::open(identity, settings).await?.run(stop).await
}
