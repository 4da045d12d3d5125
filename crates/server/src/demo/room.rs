//! The demo company's living room: simulated cards and BMCs, and a real room agent that looks after them, all in
//! this process. What the other rooms' cards show is what somebody wrote down; here it happens.

use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::PathBuf;

use anyhow::Context as _;
use entity::card::Lifecycle;
use entity::{RoomId, address_plan, bmc, room};
use kernel::ip4::Ip4;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use tokio_util::sync::CancellationToken;
use url::Url;
use vault::Secret;

use super::fleet::failed;
use crate::app::App;
use crate::domains::fleet::{
    AddressPlanInput, AddressRange, BmcInput, By, FrameInput, HostInput, ModelName, NewCard, RoomInput, SlotRange,
    ensure_models, insert_bmc, insert_cards, insert_frame, insert_host, insert_plan, insert_room, issue_token,
};

const NAME: &str = "上海演示机房（仿真）";
/// The agent's name in the console.
const AGENT: &str = "demo-agent";
const FRAMES: i32 = 2;
const HOSTS: i32 = 12;
const POSITIONS: i32 = 6;
/// Cards in the books: two that are not there among them.
const CARDS: i32 = FRAMES * HOSTS * POSITIONS;
/// Cards that are there but in no book: they are found by the agent's sweep.
const FOUND: i32 = 4;
const MISSING: i32 = 2;
/// The first card's and the first BMC's address. All of 127.0.0.0/8 is this machine, and nobody else reaches it.
const FIRST_CARD: Ipv4Addr = Ipv4Addr::new(127, 64, 0, 1);
const FIRST_BMC: Ipv4Addr = Ipv4Addr::new(127, 96, 0, 1);
/// The last cards of the books stand where nothing is.
const LAST: i32 = CARDS - MISSING;
/// What is wrong in the room, so that there is something to do.
const FAULTS: &str = "hot=2,no_space=3,boot_loop@17,hangs@40,refuses@66+67";

/// Writes the room into the books of a demo company, unless it is there.
///
/// # Errors
/// When the database refuses.
pub async fn found(app: &App) -> anyhow::Result<()> {
    if room::Entity::find().filter(room::Column::Name.eq(NAME)).one(app.db.read()).await?.is_some() {
        return Ok(());
    }
    let now = app.clock.now();
    // Kept in the books from now on: whoever starts two demos side by side has two rooms.
    let (cards_at, bmcs_at) = (free_port()?, free_port()?);
    let names = sim::BOARDS.map(|(_, model, board)| ModelName {
        manufacturer: "Skyrack".to_owned(),
        model: model.to_owned(),
        board: board.to_owned(),
    });
    let mut tx = app.db.begin_write().await?;
    let models = ensure_models(&*tx, names.clone()).await.map_err(failed)?;
    let input = RoomInput {
        name: NAME.to_owned(),
        city: "上海".to_owned(),
        latitude: Some(31.2304),
        longitude: Some(121.4737),
        remark: "本机仿真的安卓卡与 BMC，由真实的机房代理管理".to_owned(),
        lines: Vec::new(),
    };
    let room = insert_room(&*tx, input, now).await.map_err(failed)?.id;
    let plan = AddressPlanInput {
        room_id: room,
        name: "仿真卡网段".to_owned(),
        intranet: AddressRange {
            start_ip: ip(FIRST_CARD, 0),
            end_ip: Some(ip(FIRST_CARD, CARDS + FOUND - 1)),
            start_port: cards_at.into(),
            end_port: None,
        },
        extranet: AddressRange {
            start_ip: ip(Ipv4Addr::new(203, 0, 113, 200), 0),
            end_ip: None,
            start_port: 20_000,
            end_port: Some(20_000 + CARDS + FOUND - 1),
        },
        remark: String::new(),
    };
    insert_plan(&*tx, &plan, now).await.map_err(failed)?;
    let mut rows = Vec::new();
    for frame in 0..FRAMES {
        let input = FrameInput {
            room_id: room,
            name: format!("S{:02}", frame + 1),
            location: format!("1 排 {} 列", frame + 1),
            slots: HOSTS,
            remark: String::new(),
        };
        let frame_id = insert_frame(&*tx, input, now).await.map_err(failed)?.id;
        for slot in 0..HOSTS {
            let number = frame * HOSTS + slot;
            let input = HostInput {
                frame_id,
                slot: slot + 1,
                name: format!("sim-{:02}", number + 1),
                blade_address: Some(ip(Ipv4Addr::new(127, 95, 0, 1), number)),
                positions: POSITIONS,
                remark: String::new(),
            };
            let host = insert_host(&*tx, input, now).await.map_err(failed)?.id;
            let first = number * POSITIONS;
            let input = BmcInput {
                room_id: room,
                host_id: Some(host),
                address: ip(FIRST_BMC, number),
                port: bmcs_at.into(),
                username: "admin".to_owned(),
                password: None,
                ranges: vec![SlotRange {
                    start_slot: 1,
                    end_slot: POSITIONS,
                    start_ip: ip(FIRST_CARD, first),
                    end_ip: ip(FIRST_CARD, first + POSITIONS - 1),
                }],
                remark: String::new(),
            };
            insert_bmc(&app.vault, &mut tx, &input, &Secret::from("simulated".to_owned()), now)
                .await
                .map_err(failed)?;
            for position in 0..POSITIONS {
                let at = first + position;
                // Behind the last card that is there nothing answers.
                let address = if at < LAST { at } else { at + FOUND };
                let new = NewCard {
                    serial: None,
                    room_id: room,
                    place: Some((frame_id, host, position + 1)),
                    intranet_ip: ip(FIRST_CARD, address),
                    adb_port: cards_at.into(),
                    extranet: Some((plan.extranet.start_ip, 20_000 + address)),
                    model_id: models[&names[at as usize % names.len()]],
                    size: "4G/64G".to_owned(),
                    remark: String::new(),
                    lifecycle: Lifecycle::Expected,
                    is_assignable: true,
                    is_overcommit: false,
                    inherited: None,
                };
                rows.push(new.into_row(now));
            }
        }
    }
    insert_cards(&mut tx, rows, &By::console(), "").await.map_err(failed)?;
    Ok(tx.commit().await?)
}

fn ip(first: Ipv4Addr, steps: i32) -> Ip4 {
    Ip4(i64::from(u32::from(first)) + i64::from(steps))
}

fn free_port() -> anyhow::Result<u16> {
    Ok(TcpListener::bind("0.0.0.0:0").context("no port is free")?.local_addr()?.port())
}

/// Brings the room to life. When its ports are taken by another program it stays dark, and the console says that it is.
///
/// # Errors
/// When the database refuses.
pub async fn live(app: &App, console: SocketAddr, stop: CancellationToken) -> anyhow::Result<()> {
    let Some(room) = room::Entity::find().filter(room::Column::Name.eq(NAME)).one(app.db.read()).await? else {
        return Ok(());
    };
    if app.config.tls_cert.is_some() {
        tracing::warn!("the demo's room stays dark: its agent does not know the certificate of this console");
        return Ok(());
    }
    let plan = address_plan::Entity::find().filter(address_plan::Column::RoomId.eq(room.id)).one(app.db.read()).await?;
    let bmc = bmc::Entity::find().filter(bmc::Column::RoomId.eq(room.id)).one(app.db.read()).await?;
    let (Some(plan), Some(bmc)) = (plan, bmc) else { return Ok(()) };
    let settings = sim::Settings {
        cards: usize::try_from(LAST + FOUND).unwrap_or(0),
        layout: sim::Layout::Addresses(FIRST_CARD, u16::try_from(plan.start_port)?),
        bmcs: Some(sim::Layout::Addresses(FIRST_BMC, u16::try_from(bmc.port)?)),
        cards_per_host: POSITIONS as usize,
        faults: FAULTS.parse().map_err(anyhow::Error::msg)?,
        ..sim::Settings::default()
    };
    let simulated = match sim::Room::start(settings).await {
        Ok(simulated) => simulated,
        Err(error) => {
            tracing::warn!("the demo's room stays dark: {error:#}");
            return Ok(());
        }
    };
    let folder = app.config.data_dir.join("demo-agent");
    let (app, id) = (app.clone(), room.id);
    tokio::spawn(async move {
        let ran = tokio::select! {
            ran = tend(&app, id, folder, console, stop.clone()) => ran,
            () = stop.cancelled() => Ok(()),
        };
        if let Err(error) = ran {
            tracing::warn!("the demo's room agent ended: {error:#}");
        }
        drop(simulated);
    });
    Ok(())
}

async fn tend(
    app: &App,
    room: RoomId,
    folder: PathBuf,
    console: SocketAddr,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let version = env!("CARGO_PKG_VERSION");
    let mut url = Url::parse("http://localhost")?;
    // An address that is none in particular is this machine.
    let host = if console.ip().is_unspecified() { Ipv4Addr::LOCALHOST.into() } else { console.ip() };
    url.set_ip_host(host).ok().context("the console's address")?;
    url.set_port(Some(console.port())).ok().context("the console's port")?;
    let tls = agent::trust(None)?;
    let token =
        if agent::Identity::is_kept(&folder) { None } else { Some(issue_token(app, room).await.map_err(failed)?) };
    let identity = agent::Identity::open(&folder, &url, token.as_deref(), AGENT, version, &tls).await?;
    let settings = agent::Settings { data_dir: folder, version, looks: 32, tls };
    agent::Agent::open(identity, settings).await?.run(stop).await
}
