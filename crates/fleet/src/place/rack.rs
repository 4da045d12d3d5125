//! A whole rack at once: a frame with its hosts and their positions for cards, all of it or nothing.

use std::collections::BTreeSet;

use base::fault::{Fault, Outcome};
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::{FrameId, HostId, RoomId, address_plan, card, host};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation, integer_between, max_chars, single_line};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::frame::{self, FrameInput};
use super::host::{self as hosts, HostInput};
use super::{check_words, room};

/// A rack to build, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RackInput {
    /// Its room.
    pub room_id: RoomId,
    /// The frame's name: 1 to 64 characters, unique in the room.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// Its location in the room; up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub location: String,
    /// Number of hosts, one a slot from the first on: 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub hosts: i32,
    /// Number of positions for cards in each host, 1 to 256.
    #[schema(minimum = 1, maximum = 256)]
    pub positions: i32,
    /// The first host's blade address; the others follow it. No addresses if omitted.
    #[serde(default)]
    pub blade_start: Option<Ip4>,
}

impl Validate for RackInput {
    fn check(&self, check: &mut Check) {
        let Self { room_id: _, name, location, hosts, positions, blade_start } = self;
        check_words(check, name, "");
        check.field("location", single_line(location).and_then(|()| max_chars(location, 64)));
        check.field("hosts", integer_between((*hosts).into(), 1, 100));
        check.field("positions", integer_between((*positions).into(), 1, 256));
        if let Some(start) = blade_start
            && u32::try_from(*hosts).is_ok_and(|count| start.plus(count.saturating_sub(1)).is_none())
        {
            check.add("bladeStart", Violation::new("ip.spanTooLarge").with("max", u32::MAX - start.number() + 1));
        }
    }
}

impl RackInput {
    fn slots(&self) -> impl Iterator<Item = RackHost> {
        let start = self.blade_start;
        (1..=self.hosts).map(move |slot| RackHost {
            slot,
            name: format!("H-{slot:02}"),
            blade_address: start.and_then(|start| start.plus(slot.unsigned_abs() - 1)),
        })
    }
}

/// A host of a rack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RackHost {
    pub slot: i32,
    pub name: String,
    pub blade_address: Option<Ip4>,
}

/// What building a rack would make, and what is in its way.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RackPreview {
    /// The hosts that it would make.
    pub hosts: Vec<RackHost>,
    /// Positions for cards, in all of them together.
    pub positions: i32,
    /// This very rack stands already: building it again makes nothing.
    pub is_built: bool,
    /// Another frame of the room has the name.
    pub is_name_taken: bool,
    /// Blade addresses that hosts of the room have already.
    pub taken_addresses: Vec<Ip4>,
    /// A first blade address that leaves room for all: behind the room's last one, outside of its address plans.
    pub proposed_start: Option<Ip4>,
    /// Addresses of the room's plans that no card has yet; nothing if it has no plan.
    pub free_addresses: Option<i64>,
}

/// What was built.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RackMade {
    pub frame_id: FrameId,
    pub host_ids: Vec<HostId>,
    /// It stood already, and nothing was made.
    pub was_built: bool,
}

/// The frame that has the name, with its hosts.
async fn standing(
    db: &impl ConnectionTrait,
    input: &RackInput,
) -> Outcome<Option<(entity::frame::Model, Vec<host::Model>)>> {
    let named = entity::frame::Entity::find()
        .filter(entity::frame::Column::RoomId.eq(input.room_id))
        .filter(entity::frame::Column::Name.eq(&input.name))
        .one(db)
        .await?;
    let Some(found) = named else { return Ok(None) };
    let within = host::Entity::find()
        .filter(host::Column::FrameId.eq(found.id))
        .order_by_asc(host::Column::Slot)
        .all(db)
        .await?;
    Ok(Some((found, within)))
}

/// Whether it is what the input would build: a request that was sent twice is no mistake.
fn is_same(input: &RackInput, found: &entity::frame::Model, within: &[host::Model]) -> bool {
    let stand = within.iter().map(|row| (row.slot, row.name.clone(), row.blade_address, row.positions));
    let wanted = input.slots().map(|host| (host.slot, host.name, host.blade_address, input.positions));
    found.location == input.location && found.slots == input.hosts && stand.eq(wanted)
}

async fn blade_addresses(db: &impl ConnectionTrait, room: RoomId) -> Outcome<BTreeSet<Ip4>> {
    let rows = host::Entity::find().filter(host::Column::RoomId.eq(room)).all(db).await?;
    Ok(rows.into_iter().filter_map(|row| row.blade_address).collect())
}

fn proposed(taken: &BTreeSet<Ip4>, plans: &[address_plan::Model], count: u32) -> Option<Ip4> {
    let start = taken.last()?.plus(1)?;
    let end = start.plus(count.checked_sub(1)?)?;
    let is_planned = plans.iter().any(|plan| plan.start_ip <= end && start <= plan.end_ip);
    (!is_planned).then_some(start)
}

async fn free_addresses(
    db: &impl ConnectionTrait,
    room: RoomId,
    plans: &[address_plan::Model],
) -> Outcome<Option<i64>> {
    if plans.is_empty() {
        return Ok(None);
    }
    let mut free = 0;
    for plan in plans {
        let used = card::Entity::find()
            .filter(card::Column::RoomId.eq(room))
            .filter(card::Column::Lifecycle.ne(card::Lifecycle::Retired))
            .filter(card::Column::IntranetIp.between(plan.start_ip, plan.end_ip))
            .filter(card::Column::AdbPort.between(plan.start_port, plan.end_port))
            .count(db)
            .await?;
        free += (i64::from(plan.span) - i64::try_from(used).unwrap_or(i64::MAX)).max(0);
    }
    Ok(Some(free))
}

async fn preview(ctx: &OpCtx, input: &RackInput) -> Outcome<RackPreview> {
    let db = ctx.read();
    room::named(db, "roomId", input.room_id).await?;
    let found = standing(db, input).await?;
    let is_built = found.as_ref().is_some_and(|(frame, within)| is_same(input, frame, within));
    let taken = blade_addresses(db, input.room_id).await?;
    let plans = address_plan::Entity::find().filter(address_plan::Column::RoomId.eq(input.room_id)).all(db).await?;
    let made: Vec<RackHost> = input.slots().collect();
    let clashes = made.iter().filter_map(|host| host.blade_address).filter(|ip| taken.contains(ip));
    Ok(RackPreview {
        positions: input.hosts * input.positions,
        is_built,
        is_name_taken: found.is_some() && !is_built,
        taken_addresses: if is_built { Vec::new() } else { clashes.collect() },
        proposed_start: proposed(&taken, &plans, input.hosts.unsigned_abs()),
        free_addresses: free_addresses(db, input.room_id, &plans).await?,
        hosts: made,
    })
}

async fn create(ctx: &OpCtx, input: &RackInput) -> Outcome<RackMade> {
    let tx = ctx.begin_write().await?;
    if let Some((found, within)) = standing(&*tx, input).await? {
        if !is_same(input, &found, &within) {
            return Err(Fault::taken("name"));
        }
        let made =
            RackMade { frame_id: found.id, host_ids: within.into_iter().map(|row| row.id).collect(), was_built: true };
        tx.commit(Audit::of("frame").id(found.id).name(&found.name).note("built before")).await?;
        return Ok(made);
    }
    let taken = blade_addresses(&*tx, input.room_id).await?;
    if input.slots().any(|host| host.blade_address.is_some_and(|ip| taken.contains(&ip))) {
        return Err(Fault::taken("bladeStart"));
    }
    let RackInput { room_id, name, location, hosts: slots, positions, blade_start: _ } = input.clone();
    let frame =
        frame::insert(&*tx, FrameInput { room_id, name, location, slots, remark: String::new() }, ctx.now()).await?;
    let mut host_ids = Vec::new();
    for RackHost { slot, name, blade_address } in input.slots() {
        let host = HostInput { frame_id: frame.id, slot, name, blade_address, positions, remark: String::new() };
        host_ids.push(hosts::insert(&*tx, host, ctx.now()).await?.id);
    }
    let note = format!("{} hosts of {positions} positions", host_ids.len());
    let made = RackMade { frame_id: frame.id, host_ids, was_built: false };
    tx.commit(Audit::of("frame").id(frame.id).name(&frame.name).after(&frame).note(note)).await?;
    Ok(made)
}

/// Tells what building a rack would make and what is in its way, and proposes addresses. Nothing is saved.
#[utoipa::path(post, path = "/api/fleet/v1/racks/preview", tag = "fleet", request_body = RackInput,
    responses((status = 200, body = Reply<RackPreview>)))]
pub async fn rack_preview(ctx: OpCtx, Valid(input): Valid<RackInput>) -> ApiResult<RackPreview> {
    reply(preview(&ctx, &input).await?)
}

/// Creates a frame with its hosts and their positions, all of it or nothing. The same request again creates nothing.
#[utoipa::path(post, path = "/api/fleet/v1/racks", tag = "fleet", request_body = RackInput,
    responses((status = 200, body = Reply<RackMade>)))]
pub async fn rack_create(ctx: OpCtx, Valid(input): Valid<RackInput>) -> ApiResult<RackMade> {
    reply(create(&ctx, &input).await?)
}
