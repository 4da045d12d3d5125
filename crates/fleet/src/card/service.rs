//! Creating, updating and moving one card.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::card::{Lifecycle, Maintenance, MaintenanceScope, Model};
use entity::{CardId, FrameId, HostId, RoomId, host};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation, line, max_chars, port, single_line};
use kernel::text::{Text, text};
use outbound::Rule;
use sea_orm::{ConnectionTrait, EntityTrait as _};
use serde::Deserialize;
use utoipa::ToSchema;

use super::bulk::{self, Inherited, NewCard};
use super::model::{self, ModelName};
use super::store;
use super::view::{self, CardView};
use crate::address::plan;
use crate::place::{frame, room};
use crate::state::Fleet;
use crate::state::{self, By, Change, Written};

pub const NOT_FOUND: Text = text("设备不存在", "Card not found");
const NO_CARD: Text = text("没有这张安卓卡", "Card not found");
const RETIRED: Text = text("设备已报废，不能再修改", "The card is retired and can no longer be changed");
const BUSY: Text = text("设备正被云手机占用，请先下机", "A cloud phone is on this card; take it off the machine first");

/// A card, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CardInput {
    /// Up to 64 characters, unique; omitted if unknown yet.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub serial: Option<String>,
    /// Its room.
    pub room_id: RoomId,
    /// Its host; requires the position. An existing card is moved with `/move`.
    #[serde(default)]
    pub host_id: Option<HostId>,
    /// From 1.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 256)]
    pub position: Option<i32>,
    /// Unique with the port in the room.
    pub intranet_ip: Ip4,
    /// 1 to 65535; 5555 if omitted.
    #[serde(default = "adb_port")]
    #[schema(minimum = 1, maximum = 65535)]
    pub adb_port: i32,
    /// Requires its port; if omitted, it follows from an address plan of the room.
    #[serde(default)]
    pub extranet_ip: Option<Ip4>,
    /// 1 to 65535.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 65535)]
    pub extranet_port: Option<i32>,
    #[serde(flatten)]
    pub kind: KindInput,
}

/// The model and the use of a card: the same for one card and for a range.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct KindInput {
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub manufacturer: String,
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub model: String,
    /// 1 to 32 characters, such as `RK_3399`.
    #[schema(min_length = 1, max_length = 32)]
    pub board: String,
    /// Memory and storage; up to 32 characters.
    #[serde(default)]
    #[schema(max_length = 32)]
    pub size: String,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
    /// Whether it may be assigned to cloud phones.
    #[serde(default = "yes")]
    pub is_assignable: bool,
    /// Whether it takes part in overcommit: phones share it. Otherwise a phone has it for itself.
    #[serde(default = "yes")]
    pub is_overcommit: bool,
}

pub const fn adb_port() -> i32 {
    5555
}

pub const fn yes() -> bool {
    true
}

impl KindInput {
    /// Records what is wrong.
    pub fn check(&self, check: &mut Check) {
        let Self { manufacturer, model, board, size, remark, is_assignable: _, is_overcommit: _ } = self;
        check.field("manufacturer", line(manufacturer, 64));
        check.field("model", line(model, 64));
        check.field("board", line(board, 32));
        check.field("size", single_line(size).and_then(|()| max_chars(size, 32)));
        check.field("remark", max_chars(remark, 256));
    }

    /// The model, as the dictionary names it.
    #[must_use]
    pub fn name(&self) -> ModelName {
        ModelName { manufacturer: self.manufacturer.clone(), model: self.model.clone(), board: self.board.clone() }
    }
}

impl Validate for CardInput {
    fn check(&self, check: &mut Check) {
        let Self { serial, room_id: _, host_id, position, intranet_ip: _, adb_port, extranet_ip, extranet_port, kind } =
            self;
        check.optional("serial", serial.as_deref(), |text| line(text, 64));
        check.field("adbPort", port((*adb_port).into()));
        if host_id.is_some() != position.is_some() {
            check.add(if host_id.is_some() { "position" } else { "hostId" }, Violation::new("required"));
        }
        if extranet_ip.is_some() != extranet_port.is_some() {
            let missing = if extranet_ip.is_some() { "extranetPort" } else { "extranetIp" };
            check.add(missing, Violation::new("required"));
        }
        if let Some(number) = extranet_port {
            check.field("extranetPort", port((*number).into()));
        }
        kind.check(check);
    }
}

/// A position for a card, and the maintenance state that it would inherit there.
#[derive(Clone, Debug)]
pub struct Spot {
    pub place: Option<(FrameId, HostId, i32)>,
    pub inherited: Option<Inherited>,
}

/// Looks a position up.
///
/// # Errors
/// When the room, the host or the position does not exist, or the host is in another room.
pub async fn spot(
    db: &impl ConnectionTrait,
    room_id: RoomId,
    host_id: Option<HostId>,
    position: Option<i32>,
) -> Outcome<Spot> {
    let room = room::named(db, "roomId", room_id).await?;
    let declared = |state, scope, reason: &str, by: &str, until| {
        (state != Maintenance::None).then(|| Inherited {
            state,
            scope,
            reason: reason.to_owned(),
            by: by.to_owned(),
            until,
        })
    };
    let of_room = declared(
        room.maintenance,
        MaintenanceScope::Room,
        &room.maintenance_reason,
        &room.maintenance_by,
        room.maintenance_until,
    );
    let (Some(host_id), Some(position)) = (host_id, position) else {
        return Ok(Spot { place: None, inherited: of_room });
    };
    let host = host::Entity::find_by_id(host_id)
        .one(db)
        .await?
        .filter(|host| host.room_id == room_id)
        .ok_or_else(|| Fault::field("hostId", Violation::unknown_reference()))?;
    if !(1..=host.positions).contains(&position) {
        let range = Violation::new("integer.range").with("min", 1).with("max", host.positions);
        return Err(Fault::field("position", range));
    }
    let frame = frame::find(db, host.frame_id).await?;
    // Maintenance at the widest level is the best explanation.
    let inherited = of_room
        .or_else(|| {
            declared(
                frame.maintenance,
                MaintenanceScope::Frame,
                &frame.maintenance_reason,
                &frame.maintenance_by,
                frame.maintenance_until,
            )
        })
        .or_else(|| {
            declared(
                host.maintenance,
                MaintenanceScope::Host,
                &host.maintenance_reason,
                &host.maintenance_by,
                host.maintenance_until,
            )
        });
    Ok(Spot { place: Some((host.frame_id, host.id, position)), inherited })
}

/// An empty serial counts as none.
#[must_use]
pub fn serial(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.is_empty())
}

/// Creates a card.
///
/// # Errors
/// When its place does not exist, or its serial, address or position is taken.
pub async fn create(ctx: &OpCtx, input: CardInput) -> Outcome<CardView> {
    let CardInput {
        serial: number,
        room_id,
        host_id,
        position,
        intranet_ip,
        adb_port,
        extranet_ip,
        extranet_port,
        kind,
    } = input;
    let mut tx = ctx.begin_write().await?;
    let spot = spot(&*tx, room_id, host_id, position).await?;
    let models = model::ensure(&*tx, [kind.name()]).await?;
    let extranet = match extranet_ip.zip(extranet_port) {
        Some(given) => Some(given),
        None => plan::outside(&*tx, room_id, intranet_ip, adb_port).await?,
    };
    let new = NewCard {
        serial: serial(number),
        room_id,
        place: spot.place,
        intranet_ip,
        adb_port,
        extranet,
        model_id: models[&kind.name()],
        size: kind.size,
        remark: kind.remark,
        lifecycle: Lifecycle::Expected,
        is_assignable: kind.is_assignable,
        is_overcommit: kind.is_overcommit,
        inherited: spot.inherited,
    };
    let by = By::operator(&ctx.session.username);
    let row = new.into_row(ctx.now());
    store::refuse_taken_address(&*tx, &row).await?;
    let made = bulk::insert_many(tx.inner(), &ctx.app.config.outbound(), vec![row], &by, "").await?;
    let audit = Audit::of("card").id(made[0].id).name(name(&made[0])).after(&made[0]);
    tx.commit(audit).await?;
    let id = made[0].id;
    ctx.app.part::<Fleet>().committed(&ctx.app.events, Written::inserted(made));
    view::view(&ctx.app, id).await
}

/// How people refer to a card: by its serial or, without one, its address.
#[must_use]
pub fn name(row: &Model) -> String {
    row.serial.clone().unwrap_or_else(|| row.adb_address())
}

/// The card, unless it is retired.
///
/// # Errors
/// When there is none, or it is retired.
pub async fn living(db: &impl ConnectionTrait, id: CardId) -> Outcome<Model> {
    let row = store::find(db, id).await?.or_missing(NOT_FOUND)?;
    if row.lifecycle == Lifecycle::Retired {
        return Err(Fault::conflict(RETIRED));
    }
    Ok(row)
}

/// The card, unless it is retired or in no room.
///
/// # Errors
/// When there is none, or it is retired.
pub async fn standing(db: &impl ConnectionTrait, id: CardId) -> Outcome<Model> {
    let found = store::find(db, id).await?.filter(|row| row.lifecycle != Lifecycle::Retired);
    found.or_missing(NO_CARD)
}

/// Updates a card. Its room and its position stay.
///
/// # Errors
/// When there is none, it is retired, or its serial or address is taken.
pub async fn update(ctx: &OpCtx, id: CardId, input: CardInput) -> Outcome<CardView> {
    let CardInput {
        serial: number,
        room_id: _,
        host_id: _,
        position: _,
        intranet_ip,
        adb_port,
        extranet_ip,
        extranet_port,
        kind,
    } = input;
    let mut tx = ctx.begin_write().await?;
    let before = living(&*tx, id).await?;
    let models = model::ensure(&*tx, [kind.name()]).await?;
    let after = Model {
        serial: serial(number),
        intranet_ip,
        adb_port,
        extranet_ip,
        extranet_port,
        model_id: models[&kind.name()],
        size: kind.size,
        remark: kind.remark,
        is_assignable: kind.is_assignable,
        is_overcommit: kind.is_overcommit,
        ..before.clone()
    };
    store::update_record(&*tx, &ctx.app.config.outbound(), &before, &after).await?;
    let change = Change { before: before.clone(), after, reason: String::new() };
    let by = By::operator(&ctx.session.username);
    let written = state::write(tx.inner(), vec![change], &by, ctx.now()).await?;
    let after = store::find(&*tx, id).await?.unwrap_or(before.clone());
    tx.commit(Audit::of("card").id(id).name(name(&after)).before(&before).after(&after)).await?;
    ctx.app.part::<Fleet>().committed(&ctx.app.events, written);
    view::view(&ctx.app, id).await
}

/// The target of a move.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MoveInput {
    /// The room.
    pub room_id: RoomId,
    /// The host; requires the position. Without both the card has no position.
    #[serde(default)]
    pub host_id: Option<HostId>,
    /// From 1.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 256)]
    pub position: Option<i32>,
    /// Its new address, if it changes.
    #[serde(default)]
    pub intranet_ip: Option<Ip4>,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for MoveInput {
    fn check(&self, check: &mut Check) {
        if self.host_id.is_some() != self.position.is_some() {
            check.add(if self.host_id.is_some() { "position" } else { "hostId" }, Violation::new("required"));
        }
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// Moves a card, and records its old position. In another room it gets the outside address of that room's plan.
///
/// # Errors
/// When there is none, a phone is on it, the place does not exist, or it or the address is taken there.
pub async fn relocate(ctx: &OpCtx, id: CardId, input: MoveInput) -> Outcome<CardView> {
    let mut tx = ctx.begin_write().await?;
    let before = living(&*tx, id).await?;
    if before.occupancy != entity::card::Occupancy::Free {
        return Err(Fault::conflict(BUSY));
    }
    let by = By::operator(&ctx.session.username);
    let written = relocate_in(tx.inner(), &ctx.app.config.outbound(), &before, input, &by, ctx.now()).await?;
    let after = store::find(&*tx, id).await?.unwrap_or(before.clone());
    tx.commit(Audit::of("card").id(id).name(name(&after)).before(&before).after(&after)).await?;
    ctx.app.part::<Fleet>().committed(&ctx.app.events, written);
    view::view(&ctx.app, id).await
}

/// The same in the caller's transaction.
///
/// # Errors
/// When the place does not exist, it or the address is taken there, or `outbound` refuses the address.
pub async fn relocate_in(
    tx: &mut db::WriteTx,
    outbound: &Rule,
    before: &Model,
    input: MoveInput,
    by: &By,
    now: kernel::time::UtcTime,
) -> Outcome<Written> {
    let MoveInput { room_id, host_id, position, intranet_ip, reason } = input;
    let spot = spot(&**tx, room_id, host_id, position).await?;
    let ip = intranet_ip.unwrap_or(before.intranet_ip);
    let extranet = if room_id == before.room_id && ip == before.intranet_ip {
        before.extranet_ip.zip(before.extranet_port)
    } else {
        plan::outside(&**tx, room_id, ip, before.adb_port).await?
    };
    // Maintenance declared for its old place stays there.
    let own = before.maintenance_scope == MaintenanceScope::Card;
    let inherited = spot.inherited.filter(|_| !own || before.maintenance == Maintenance::None);
    let mut after = Model {
        room_id,
        frame_id: spot.place.map(|(frame, _, _)| frame),
        host_id: spot.place.map(|(_, host, _)| host),
        position: spot.place.map(|(_, _, position)| position),
        intranet_ip: ip,
        extranet_ip: extranet.map(|(ip, _)| ip),
        extranet_port: extranet.map(|(_, port)| port),
        ..before.clone()
    };
    if let Some(Inherited { state, scope, reason, by, until }) = inherited {
        (after.maintenance, after.maintenance_scope) = (state, scope);
        (after.maintenance_reason, after.maintenance_by, after.maintenance_until) = (reason, by, until);
    } else if !own {
        (after.maintenance, after.maintenance_scope) = (Maintenance::None, MaintenanceScope::Card);
        (after.maintenance_reason, after.maintenance_by, after.maintenance_until) =
            (String::new(), String::new(), None);
    }
    store::update_record(&**tx, outbound, before, &after).await?;
    if (before.host_id, before.position) != (after.host_id, after.position) {
        bulk::end_stays(tx, &[before.id], now).await?;
        let row = Model { updated_at: now, ..after.clone() };
        bulk::begin_stays(tx, &[row], by, &reason).await?;
    }
    let change = Change { before: before.clone(), after, reason };
    Ok(state::write(tx, vec![change], by, now).await?)
}
