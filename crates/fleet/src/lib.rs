//! The fleet: rooms, frames, hosts and the cards in them; their addresses, their power, their state.
//!
//! It does not contain the cloud phones that customers rent.

mod address;
mod agent;
mod agent_link;
mod card;
mod counts;
mod finding;
mod image;
mod import;
mod logged;
pub mod operation;
mod place;
pub mod reasons;
mod screens;
mod settings;
mod shell;
mod state;
mod steps;
mod trouble;

use std::future::ready;

use axum::Router;
use axum::routing::get;
use futures::FutureExt as _;
use kernel::text::text;

pub use address::bmc::{
    BmcInput, SlotRange, insert as insert_bmc, of_card as bmc_of_card, password as bmc_password, pin as pin_certificate,
};
pub use address::check::access as bmc_access;
pub use address::plan::{AddressPlanInput, AddressRange, adb_ranges, insert as insert_plan};
pub use address::{AddressPlans, Bmcs};
pub use agent::connections::{Connections, Line, Unasked};
pub use agent::{
    Enrolled, JoinRefusal, JoinTokens, Joins, RoomAgents, authenticate, enrol, is_revoked, issue_token,
    out as agents_out, tell_refused,
};
pub use card::acts::CardSelection;
pub use card::bulk::{NewCard, insert_many as insert_cards};
use card::events::CardEvents;
pub use card::list::Cards;
pub use card::look::{FILES as LOOK_AT_FILES, SCREEN as LOOK_AT_SCREEN};
pub use card::model::{ModelName, ensure as ensure_models, of_board as models_of_board};
pub use card::power::surely_off;
pub use card::stay::{card_addresses, phones_at};
pub use counts::{StatusCounts, all as count_all};
pub use finding::{Findings, Sighting, sighted};
pub use image::Images;
pub use image::exclusion::{DropWhy, exclusions, may_be_excluded};
pub use image::name_of as image_of;
pub use image::pair::takers;
pub use image::profile::{best as best_profile, file as profile_file, tried as tried_profile};
use import::ImportCards;
use import::hosts::ImportHosts;
pub use place::earth;
pub use place::frame::{FrameInput, insert as insert_frame};
pub use place::frame_list::Frames;
pub use place::host::{HostInput, insert as insert_host};
pub use place::host_list::Hosts;
pub use place::names::{rooms as room_names, rooms_named};
pub use place::nets::named as management_nets;
pub use place::room::{RoomInput, RoomLine, check_speed, insert as insert_room, named as room_named};
pub use place::room_list::Rooms;
pub use place::zone::{zone as room_zone, zones as room_zones};
use screens::perm;
pub use settings::FleetSettings;
pub use shell::{ShellChunks, Tickets, changed_record, close_records, connect as connect_shell, late_ends};
pub use state::{
    By, Change, FINE_MINUTES, Fleet, HOST_STEP, HistoryOf, Metrics, PlacePoint, Probe, Refusal, Report, RosterCard,
    Session, Taken, Written, apply, close_session, end as end_minute, holds as holds_session, open_session,
    room_gauges, room_label, roster, round, take, write as write_cards, write_history,
};
pub use steps::{Book, Steps};

use base::access::catalog::title_of;
use base::app::Own;
use base::domain::{Domain, Loop, Table, passes};
use base::http::DomainRouter;
use base::list;
use base::search::Source;
use base::{attention, log};

/// The domains of this group.
pub const DOMAINS: &[Domain] = &[DOMAIN, operation::DOMAIN, agent_link::DOMAIN];

/// What the fleet registers.
const DOMAIN: Domain = Domain {
    screens: &[screens::SCREENS],
    links: || Router::new().route("/api/fleet/v1/shells/{ticket}", get(connect_shell)),
    parts: |_| {
        let own = Own::default().with(Fleet::default()).with(Joins::default());
        ready(Ok(own.with(Tickets::default()).with(shell::LateEnds::default()).with(card::look::Looks::default())))
            .boxed()
    },
    lists: &[
        list::entry::<Rooms>(),
        list::entry::<Frames>(),
        list::entry::<Hosts>(),
        list::entry::<Cards>(),
        list::entry::<CardEvents>(),
        list::entry::<AddressPlans>(),
        list::entry::<Bmcs>(),
        list::entry::<RoomAgents>(),
        list::entry::<JoinTokens>(),
        list::entry::<Findings>(),
        list::entry::<Images>(),
        list::entry::<ShellChunks>(),
    ],
    imports: &[base::import::entry::<ImportCards>(), base::import::entry::<ImportHosts>()],
    settings: &[base::settings::entry::entry::<FleetSettings>(title_of(screens::SCREENS, "deviceSettings"))],
    start: |app| {
        async move {
            // A crash has ended shells; their input is recorded, and gets its log entry now.
            close_records(app).await?;
            state::begin(app).await
        }
        .boxed()
    },
    loops: &[
        Loop::Told(|app, stop| state::rounds(app, stop).boxed()),
        Loop::Anywhere(|app| {
            passes(app, "ends of shells", shell::RETRY, |app| shell::write_late_ends(app).boxed()).boxed()
        }),
    ],
    events: &[state::TOPIC],
    proof: Some(|app| async { Ok(changed_record(app.db.read()).await?) }.boxed()),
    search: &[
        Source {
            kind: "card",
            name: text("设备", "Cards"),
            need: perm::DEVICE_LIST,
            find: |ctx, text| card::search::find(ctx, text).boxed(),
        },
        Source {
            kind: "host",
            name: text("主机", "Hosts"),
            need: perm::ROOM_LIST,
            find: |ctx, text| place::search::hosts(ctx, text).boxed(),
        },
        Source {
            kind: "frame",
            name: text("机架", "Frames"),
            need: perm::ROOM_LIST,
            find: |ctx, text| place::search::frames(ctx, text).boxed(),
        },
        Source {
            kind: "room",
            name: text("机房", "Rooms"),
            need: perm::ROOM_LIST,
            find: |ctx, text| place::search::rooms(ctx, text).boxed(),
        },
    ],
    attention: &[
        attention::Source { need: perm::ROOM_AGENT_LIST, look: |ctx| trouble::rooms(ctx).boxed() },
        attention::Source { need: perm::DEVICE_LIST, look: |ctx| trouble::hosts(ctx).boxed() },
        attention::Source { need: perm::DEVICE_LIST, look: |ctx| trouble::faults(ctx).boxed() },
        attention::Source { need: perm::FINDING_LIST, look: |ctx| trouble::findings(ctx).boxed() },
        attention::Source { need: perm::SYSTEM_IMAGE_EXCLUDE, look: |ctx| image::exclusion::waiting(ctx).boxed() },
    ],
    acts: &[
        ("card_shell_end", text("结束设备终端", "End shell on card")),
        ("phone_screen", text("查看云手机画面", "Look at a phone's screen")),
        ("phone_files", text("查看云手机文件", "Look at a phone's files")),
    ],
    turns: &[
        log::turn("image_exclusion_approve", "isApproved", "true", text("审批备份排除", "Approve leaving a path out")),
        log::turn("card_maintain", "maintenance", "1", text("恢复设备使用", "Return cards to service")),
        log::turn("card_maintain", "maintenance", "2", text("排空设备", "Drain cards")),
        log::turn("card_maintain", "maintenance", "3", text("设备进入维护", "Start maintenance of cards")),
        log::turn("room_maintain", "maintenance", "1", text("恢复机房使用", "Return a room to service")),
        log::turn("room_maintain", "maintenance", "2", text("排空机房", "Drain a room")),
        log::turn("room_maintain", "maintenance", "3", text("机房进入维护", "Start maintenance of a room")),
        log::turn("frame_maintain", "maintenance", "1", text("恢复机架使用", "Return a frame to service")),
        log::turn("frame_maintain", "maintenance", "2", text("排空机架", "Drain a frame")),
        log::turn("frame_maintain", "maintenance", "3", text("机架进入维护", "Start maintenance of a frame")),
        log::turn("host_maintain", "maintenance", "1", text("恢复主机使用", "Return a host to service")),
        log::turn("host_maintain", "maintenance", "2", text("排空主机", "Drain a host")),
        log::turn("host_maintain", "maintenance", "3", text("主机进入维护", "Start maintenance of a host")),
    ],
    shapes: logged::SHAPES,
    kinds: &[
        ("room", text("机房", "Room")),
        ("frame", text("机架", "Frame")),
        ("host", text("主机", "Host")),
        ("card", text("设备", "Card")),
        ("addressPlan", text("地址规划", "Address plan")),
        ("bmc", text("BMC 映射", "BMC mapping")),
        ("roomAgent", text("机房代理", "Room agent")),
        ("joinToken", text("接入令牌", "Join token")),
        ("finding", text("设备差异", "Difference")),
        ("image", text("系统镜像", "System image")),
        ("boardProfile", text("干净画像", "Profile of a clean card")),
        ("boardTrial", text("实机试验", "Trial on the board")),
        ("imageExclusion", text("备份排除", "Path left out of backups")),
        ("imagePair", text("镜像兼容", "Pair of images")),
    ],
    counted: &[counts::CARDS],
    tables: &[
        Table::kept("room", "id"),
        Table::kept("room_line", "id"),
        Table::kept("frame", "id"),
        Table::kept("host", "id"),
        Table::kept("card_model", "id"),
        // Before the cards, which refer to it.
        Table::kept("image_known", "id"),
        Table::kept("card", "id"),
        Table::kept("board_profile", "id").with_file("object_key"),
        Table::kept("board_trial", "id"),
        Table::kept("image_exclusion", "id"),
        Table::kept("image_compat", "id"),
        Table::kept("card_event", "id"),
        Table::kept("position_history", "id"),
        Table::kept("address_plan", "id"),
        Table::kept("bmc", "id"),
        Table::kept("bmc_range", "id"),
        Table::kept("room_agent", "id"),
        Table::kept("join_token", "id"),
        Table::kept("finding", "id"),
        Table::kept("shell_record", "id").append_only(),
        Table::kept("shell_chunk", "shell_id, number").append_only(),
        Table::kept("shell_end", "shell_id").append_only(),
        // Rebuilt.
        Table::left_out("card_search"),
        // Figures of past minutes: measured again every minute, and large.
        Table::left_out("card_minute"),
        Table::left_out("place_minute"),
    ],
    reindex: |tx| card::search::reindex(tx).boxed(),
    ..Domain::new("fleet", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    DomainRouter::new()
        .merge(place::router())
        .merge(card::router())
        .merge(address::router())
        .merge(agent::router())
        .merge(finding::router())
        .merge(image::router())
        .merge(shell::router())
        .merge(settings::router())
}
