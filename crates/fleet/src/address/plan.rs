//! Address plans: a range inside a room and the outside range that it maps to.

use std::collections::HashMap;

use base::app::App;
use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use base::reference::Reference;
use entity::address_plan::{ActiveModel, Column, Entity, Model};
use entity::{AddressPlanId, RoomId};
use kernel::ip4::Ip4;
use kernel::rules::{Check, MAX_SPAN, Verdict, Violation, max_chars, port_range};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::reach;
use crate::place::{names, room};

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name")];
const NOT_FOUND: Text = text("地址规划不存在", "Address plan not found");
const STAYS: Text = text("地址规划不能换到别的机房", "An address plan cannot be moved to another room");
/// Number of pairs shown at the beginning and at the end of a preview.
const SHOWN: i32 = 50;

/// A range of addresses and ports: one address and many ports, many addresses and one port, or as many of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddressRange {
    /// The first address.
    pub start_ip: Ip4,
    /// The last one, greater than the first; omitted for a single address.
    #[serde(default)]
    pub end_ip: Option<Ip4>,
    /// The first port.
    #[schema(minimum = 1, maximum = 65535)]
    pub start_port: i32,
    /// The last one, not less than the first; omitted for a single port.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 65535)]
    pub end_port: Option<i32>,
}

impl AddressRange {
    /// Number of cards in the range.
    fn span(&self, check: &mut Check) -> Option<u32> {
        let addresses = match self.end_ip {
            Some(end) => check.field("endIp", addresses(self.start_ip, end))?,
            None => 1,
        };
        let end = self.end_port.unwrap_or(self.start_port);
        let ports = match port_range(self.start_port.into(), end.into()) {
            Ok(ports) => ports,
            Err(violation) => {
                let field = if violation.code == "port.range" && !(1..=65535).contains(&self.start_port) {
                    "startPort"
                } else {
                    "endPort"
                };
                check.add(field, violation);
                return None;
            }
        };
        if addresses > 1 && ports > 1 && addresses != ports {
            let unequal = Violation::new("span.unequal").with("addresses", addresses).with("ports", ports);
            check.add("endPort", unequal);
            return None;
        }
        Some(addresses.max(ports))
    }

    pub(super) fn last_ip(&self) -> Ip4 {
        self.end_ip.unwrap_or(self.start_ip)
    }

    pub(super) fn last_port(&self) -> i32 {
        self.end_port.unwrap_or(self.start_port)
    }
}

/// The number of addresses between two, both included.
fn addresses(start: Ip4, end: Ip4) -> Verdict<u32> {
    kernel::rules::ip_range(&start.to_string(), &end.to_string())
}

/// An address plan, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AddressPlanInput {
    /// Its room; it cannot be changed.
    pub room_id: RoomId,
    /// 1 to 64 characters, unique in the room.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// The inside: the cards' addresses and ADB ports.
    pub intranet: AddressRange,
    /// The outside; as many as inside.
    pub extranet: AddressRange,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl AddressPlanInput {
    fn span(&self, check: &mut Check) -> Option<u32> {
        let (mut inside, mut outside) = (None, None);
        check.nested("intranet", |check| inside = self.intranet.span(check));
        check.nested("extranet", |check| outside = self.extranet.span(check));
        let (inside, outside) = (inside?, outside?);
        if inside != outside {
            let unequal = Violation::new("plan.unequal").with("inside", inside).with("outside", outside);
            check.add("extranet", unequal);
            return None;
        }
        if inside > MAX_SPAN {
            check.add("intranet", Violation::new("ip.spanTooLarge").with("max", MAX_SPAN));
            return None;
        }
        Some(inside)
    }

    fn row(&self, now: UtcTime) -> ActiveModel {
        let Self { room_id, name, intranet, extranet, remark } = self;
        let span = self.span(&mut Check::new()).and_then(|span| i32::try_from(span).ok()).unwrap_or(1);
        ActiveModel {
            room_id: Set(*room_id),
            name: Set(name.clone()),
            span: Set(span),
            start_ip: Set(intranet.start_ip),
            end_ip: Set(intranet.last_ip()),
            start_port: Set(intranet.start_port),
            end_port: Set(intranet.last_port()),
            extranet_start_ip: Set(extranet.start_ip),
            extranet_end_ip: Set(extranet.last_ip()),
            extranet_start_port: Set(extranet.start_port),
            extranet_end_port: Set(extranet.last_port()),
            remark: Set(remark.clone()),
            updated_at: Set(now),
            ..Default::default()
        }
    }
}

impl Validate for AddressPlanInput {
    fn check(&self, check: &mut Check) {
        check.field("name", kernel::rules::line(&self.name, 64));
        check.field("remark", max_chars(&self.remark, 256));
        self.span(check);
    }
}

/// An address plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AddressPlanView {
    pub id: AddressPlanId,
    pub room_id: RoomId,
    pub room: Reference,
    pub name: String,
    /// Number of cards.
    pub span: i32,
    pub intranet: AddressRange,
    pub extranet: AddressRange,
    pub remark: String,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl AddressPlanView {
    fn of(row: Model, rooms: &HashMap<RoomId, String>) -> Self {
        let range = |start_ip, end_ip, start_port, end_port| AddressRange {
            start_ip,
            end_ip: (start_ip != end_ip).then_some(end_ip),
            start_port,
            end_port: (start_port != end_port).then_some(end_port),
        };
        Self {
            id: row.id,
            room: Reference::among(row.room_id, rooms),
            room_id: row.room_id,
            name: row.name,
            span: row.span,
            intranet: range(row.start_ip, row.end_ip, row.start_port, row.end_port),
            extranet: range(row.extranet_start_ip, row.extranet_end_ip, row.extranet_start_port, row.extranet_end_port),
            remark: row.remark,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

/// One pair of an expanded plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PairView {
    /// The card's number in the plan, from 0.
    pub at: i32,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet_ip: Ip4,
    pub extranet_port: i32,
}

/// A preview of a plan.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanPreview {
    /// Number of cards.
    pub span: i32,
    /// The first 50 pairs.
    pub first: Vec<PairView>,
    /// The last 50, if there are more.
    pub last: Vec<PairView>,
    /// A plan that already has some of these addresses.
    pub overlaps: Option<AddressPlanView>,
}

/// `rows` with the names of their rooms.
///
/// # Errors
/// When the read fails.
pub(super) async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<AddressPlanView>, DbErr> {
    let rooms = names::rooms(db, rows.iter().map(|row| row.room_id)).await?;
    Ok(rows.into_iter().map(|row| AddressPlanView::of(row, &rooms)).collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Result<AddressPlanView, DbErr> {
    let rooms = names::rooms(db, [row.room_id]).await?;
    Ok(AddressPlanView::of(row, &rooms))
}

/// A plan other than `own` that shares an address with `row`.
async fn overlap(
    db: &impl ConnectionTrait,
    input: &AddressPlanInput,
    own: Option<AddressPlanId>,
) -> Result<Option<(&'static str, Model)>, DbErr> {
    let inside = &input.intranet;
    let mut select = Entity::find()
        .filter(Column::RoomId.eq(input.room_id))
        .filter(Column::StartIp.lte(inside.last_ip()))
        .filter(Column::EndIp.gte(inside.start_ip))
        .filter(Column::StartPort.lte(inside.last_port()))
        .filter(Column::EndPort.gte(inside.start_port));
    let outside = &input.extranet;
    let mut other = Entity::find()
        .filter(Column::ExtranetStartIp.lte(outside.last_ip()))
        .filter(Column::ExtranetEndIp.gte(outside.start_ip))
        .filter(Column::ExtranetStartPort.lte(outside.last_port()))
        .filter(Column::ExtranetEndPort.gte(outside.start_port));
    if let Some(own) = own {
        select = select.filter(Column::Id.ne(own));
        other = other.filter(Column::Id.ne(own));
    }
    if let Some(row) = select.one(db).await? {
        return Ok(Some(("intranet", row)));
    }
    Ok(other.one(db).await?.map(|row| ("extranet", row)))
}

async fn refuse_overlap(
    db: &impl ConnectionTrait,
    input: &AddressPlanInput,
    own: Option<AddressPlanId>,
) -> Outcome<()> {
    match overlap(db, input, own).await? {
        Some((field, row)) => Err(Fault::field(field, Violation::new("range.overlaps").with("name", row.name))),
        None => Ok(()),
    }
}

/// The plan, or "not found".
async fn find(db: &impl ConnectionTrait, id: AddressPlanId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// The plan that a field refers to, or an error at that field.
///
/// # Errors
/// When there is none.
pub async fn named(db: &impl ConnectionTrait, field: &'static str, id: AddressPlanId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.ok_or_else(|| Fault::field(field, Violation::unknown_reference()))
}

/// The outside address of a card with this inside address, by the plans of its room.
///
/// # Errors
/// When the read fails.
pub async fn outside(db: &impl ConnectionTrait, room: RoomId, ip: Ip4, port: i32) -> Result<Option<(Ip4, i32)>, DbErr> {
    let plan = Entity::find()
        .filter(Column::RoomId.eq(room))
        .filter(Column::StartIp.lte(ip))
        .filter(Column::EndIp.gte(ip))
        .filter(Column::StartPort.lte(port))
        .filter(Column::EndPort.gte(port))
        .one(db)
        .await?;
    Ok(plan.and_then(|plan| plan.outside(ip, port)).map(|pair| (pair.extranet_ip, pair.extranet_port)))
}

/// A new plan, for forms and for the demo company.
///
/// # Errors
/// When there is no such room, the name is taken there, or the ranges overlap with others.
pub async fn insert(tx: &impl ConnectionTrait, input: &AddressPlanInput, now: UtcTime) -> Outcome<Model> {
    room::named(tx, "roomId", input.room_id).await?;
    refuse_overlap(tx, input, None).await?;
    let row = ActiveModel { created_at: Set(now), ..input.row(now) };
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique("address_plan", UNIQUE))
}

async fn create(ctx: &OpCtx, input: AddressPlanInput) -> Outcome<AddressPlanView> {
    check_reach(ctx, &input)?;
    let tx = ctx.begin_write().await?;
    let made = view(&*tx, insert(&*tx, &input, ctx.now()).await?).await?;
    tx.commit(Audit::of("addressPlan").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

/// The room agent connects to every card of a plan.
fn check_reach(ctx: &OpCtx, input: &AddressPlanInput) -> Outcome<()> {
    reach::check(&ctx.app.config.outbound(), "intranet", input.intranet.start_ip, input.intranet.last_ip())
}

async fn update(ctx: &OpCtx, id: AddressPlanId, input: AddressPlanInput) -> Outcome<AddressPlanView> {
    check_reach(ctx, &input)?;
    let tx = ctx.begin_write().await?;
    let before = find(&*tx, id).await?;
    if before.room_id != input.room_id {
        return Err(Fault::conflict(STAYS));
    }
    refuse_overlap(&*tx, &input, Some(id)).await?;
    let row = ActiveModel { id: Set(id), ..input.row(ctx.now()) };
    let after = view(&*tx, Entity::update(row).exec(&*tx).await.map_err(unique("address_plan", UNIQUE))?).await?;
    let before = view(&*tx, before).await?;
    tx.commit(Audit::of("addressPlan").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: AddressPlanId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("addressPlan").id(id).name(&before.name).before(&before)).await?;
    Ok(())
}

async fn preview(ctx: &OpCtx, input: AddressPlanInput) -> Outcome<PlanPreview> {
    let row = input.row(ctx.now());
    let plan = Model {
        id: AddressPlanId(0),
        room_id: input.room_id,
        name: input.name.clone(),
        span: *row.span.as_ref(),
        start_ip: input.intranet.start_ip,
        end_ip: input.intranet.last_ip(),
        start_port: input.intranet.start_port,
        end_port: input.intranet.last_port(),
        extranet_start_ip: input.extranet.start_ip,
        extranet_end_ip: input.extranet.last_ip(),
        extranet_start_port: input.extranet.start_port,
        extranet_end_port: input.extranet.last_port(),
        remark: String::new(),
        created_at: ctx.now(),
        updated_at: ctx.now(),
    };
    let line = |at: i32| {
        plan.pair(at).map(|pair| PairView {
            at,
            intranet_ip: pair.intranet_ip,
            adb_port: pair.adb_port,
            extranet_ip: pair.extranet_ip,
            extranet_port: pair.extranet_port,
        })
    };
    let overlaps = match overlap(ctx.read(), &input, None).await? {
        Some((_, row)) => Some(view(ctx.read(), row).await?),
        None => None,
    };
    Ok(PlanPreview {
        span: plan.span,
        first: (0..plan.span.min(SHOWN)).filter_map(line).collect(),
        last: ((plan.span - SHOWN).max(SHOWN)..plan.span).filter_map(line).collect(),
        overlaps,
    })
}

/// Previews a plan's addresses, card by card, and the plans it overlaps; nothing is saved.
#[utoipa::path(post, path = "/api/fleet/v1/address-plans/preview", tag = "fleet", request_body = AddressPlanInput,
    responses((status = 200, body = Reply<PlanPreview>)))]
pub async fn address_plan_preview(ctx: OpCtx, Valid(input): Valid<AddressPlanInput>) -> ApiResult<PlanPreview> {
    reply(preview(&ctx, input).await?)
}

/// Creates an address plan.
#[utoipa::path(post, path = "/api/fleet/v1/address-plans", tag = "fleet", request_body = AddressPlanInput,
    responses((status = 200, body = Reply<AddressPlanView>)))]
pub async fn address_plan_create(ctx: OpCtx, Valid(input): Valid<AddressPlanInput>) -> ApiResult<AddressPlanView> {
    reply(create(&ctx, input).await?)
}

/// Updates an address plan. Cards keep their addresses.
#[utoipa::path(put, path = "/api/fleet/v1/address-plans/{id}", tag = "fleet", request_body = AddressPlanInput,
    params(("id" = i64, Path, description = "The plan's id")), responses((status = 200, body = Reply<AddressPlanView>)))]
pub async fn address_plan_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<AddressPlanInput>,
) -> ApiResult<AddressPlanView> {
    reply(update(&ctx, AddressPlanId(id), input).await?)
}

/// Deletes an address plan. Cards keep their addresses.
#[utoipa::path(delete, path = "/api/fleet/v1/address-plans/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The plan's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn address_plan_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, AddressPlanId(id)).await?;
    done()
}

/// The addresses at which cards of a room may answer, for its agents.
///
/// # Errors
/// When the read fails.
pub async fn adb_ranges(app: &App, room: RoomId) -> Outcome<Vec<wire::Range>> {
    let plans = Entity::find().filter(Column::RoomId.eq(room)).order_by_asc(Column::Id).all(app.db.read()).await?;
    let port = |port: i32| u16::try_from(port).unwrap_or(0);
    let range = |plan: Model| wire::Range {
        first: plan.start_ip.number().into(),
        last: plan.end_ip.number().into(),
        first_port: port(plan.start_port),
        last_port: port(plan.end_port),
    };
    Ok(plans.into_iter().map(range).collect())
}
