//! Rooms, with their network lines.

use std::collections::HashMap;

use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use entity::card::{Maintenance, MaintenanceScope};
use entity::room::{ActiveModel, Column, Entity, Model};
use entity::room_line::{self, Carrier};
use entity::{RoomId, address_plan, bmc, card, frame, room, service_address};
use kernel::rules::{
    Check, Violation, at_most, download_speed, integer_between, line, max_chars, single_line, unique_keys, upload_speed,
};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use outbound::Net;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MaintenanceView, check_words, earth, nets, zone};
use crate::counts::{self, Counted, StatusCounts};
use crate::state::Fleet;

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name")];
const NOT_FOUND: Text = text("机房不存在", "Room not found");
const IN_USE: Text = text(
    "机房中还有机架、卡、地址规划、BMC、代理、云手机或服务地址，请先删除或移走",
    "The room still has frames, cards, address plans, BMCs, agents, cloud phones or addresses of services; delete or move them first",
);
const FULL: Text = text("机房数量已达上限 {max}", "The limit of {max} rooms has been reached");

/// A network line into a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoomLine {
    /// The carrier.
    pub carrier: Carrier,
    /// 1 to 64 characters, unique in the room.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// Mbit/s, 1 to 1000000.
    #[schema(minimum = 1, maximum = 1_000_000)]
    pub mbit: i32,
    /// Whom to call when it is down; up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub contact: String,
}

/// A room, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RoomInput {
    /// 1 to 64 characters, unique.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub city: String,
    /// Degrees north, -90 to 90; with the longitude or not at all.
    #[serde(default)]
    #[schema(minimum = -90, maximum = 90)]
    pub latitude: Option<f64>,
    /// Degrees east, -180 to 180.
    #[serde(default)]
    #[schema(minimum = -180, maximum = 180)]
    pub longitude: Option<f64>,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
    /// Its network lines, at most 10.
    #[serde(default)]
    pub lines: Vec<RoomLine>,
    /// IPv4 networks such as `10.1.0.0/16` that its BMCs must be in, at most 16; any private network if empty.
    #[serde(default)]
    #[schema(max_items = 16)]
    pub management_nets: Vec<String>,
    /// Its time zone, such as `Asia/Shanghai`; that of the console if empty. By its clocks the rules of its phones count days and
    /// nights.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub time_zone: String,
    /// Mbit/s at which its agents together may read from storage nodes, 1 to 1000; none is that of all rooms.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    pub download_mbit: Option<i16>,
    /// The same for what they write there.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 1000)]
    pub upload_mbit: Option<i16>,
}

impl Validate for RoomInput {
    fn check(&self, check: &mut Check) {
        let Self {
            name,
            city,
            latitude,
            longitude,
            remark,
            lines,
            management_nets,
            download_mbit,
            upload_mbit,
            time_zone,
        } = self;
        check_speed(check, *download_mbit, *upload_mbit);
        check_words(check, name, remark);
        check.field("city", line(city, 64));
        earth::check(check, *latitude, *longitude);
        check.field("managementNets", at_most(management_nets.len(), 16));
        let bad = management_nets.iter().find(|text| !text.parse::<Net>().is_ok_and(|net| net.is_ip4()));
        if let Some(bad) = bad {
            let shown: String = bad.chars().take(40).collect();
            check.add("managementNets", Violation::new("net.bad").with("net", shown));
        }
        zone::check(check, time_zone);
        check.field("lines", at_most(lines.len(), 10));
        check.field("lines", unique_keys(lines.iter().map(|line| line.name.as_str())));
        check.each("lines", lines, |check, one| {
            check.field("name", line(&one.name, 64));
            check.field("mbit", integer_between(one.mbit.into(), 1, 1_000_000));
            check.field("contact", single_line(&one.contact).and_then(|()| max_chars(&one.contact, 64)));
        });
    }
}

impl RoomInput {
    /// What an operator may say of a row, the rest is as it was; and the room's lines.
    fn into_row(self, now: UtcTime) -> (ActiveModel, Vec<RoomLine>) {
        let Self {
            name,
            city,
            latitude,
            longitude,
            remark,
            lines,
            management_nets,
            download_mbit,
            upload_mbit,
            time_zone,
        } = self;
        let row = ActiveModel {
            name: Set(name),
            city: Set(city),
            latitude_e6: Set(latitude.map(earth::to_e6)),
            longitude_e6: Set(longitude.map(earth::to_e6)),
            remark: Set(remark),
            management_nets: Set(management_nets.join(" ")),
            time_zone: Set(time_zone),
            download_mbit: Set(download_mbit),
            upload_mbit: Set(upload_mbit),
            updated_at: Set(now),
            ..Default::default()
        };
        (row, lines)
    }
}

/// Limits of speed each way, where there are any.
pub fn check_speed(check: &mut Check, download: Option<i16>, upload: Option<i16>) {
    if let Some(mbit) = download {
        check.field("downloadMbit", download_speed(mbit.into()));
    }
    if let Some(mbit) = upload {
        check.field("uploadMbit", upload_speed(mbit.into()));
    }
}

/// A room.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomView {
    pub id: RoomId,
    pub name: String,
    pub city: String,
    pub latitude: Option<f64>,
    pub longitude: Option<f64>,
    pub remark: String,
    pub lines: Vec<RoomLine>,
    /// Networks that its BMCs must be in; any private network if empty.
    pub management_nets: Vec<String>,
    /// Its time zone; that of the console if empty.
    pub time_zone: String,
    /// Mbit/s at which its agents together may read from storage nodes; none is that of all rooms.
    pub download_mbit: Option<i16>,
    /// The same for what they write there.
    pub upload_mbit: Option<i16>,
    pub maintenance: MaintenanceView,
    pub counts: StatusCounts,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl Counted for RoomView {
    fn counts(&self) -> &StatusCounts {
        &self.counts
    }
}

pub(super) fn place_on_earth(row: &Model) -> (Option<f64>, Option<f64>) {
    (row.latitude_e6.map(earth::from_e6), row.longitude_e6.map(earth::from_e6))
}

/// `rows` with their lines and counts.
///
/// # Errors
/// When a read fails.
pub async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<RoomView>, DbErr> {
    let ids: Vec<RoomId> = rows.iter().map(|row| row.id).collect();
    let mut lines: HashMap<RoomId, Vec<RoomLine>> = HashMap::new();
    let found = room_line::Entity::find()
        .filter(room_line::Column::RoomId.is_in(ids))
        .order_by_asc(room_line::Column::Id)
        .all(db)
        .await?;
    for room_line::Model { id: _, room_id, carrier, name, mbit, contact } in found {
        lines.entry(room_id).or_default().push(RoomLine { carrier, name, mbit, contact });
    }
    let counts = counts::rooms(db).await?;
    let view = |row: Model| {
        let (latitude, longitude) = place_on_earth(&row);
        RoomView {
            lines: lines.remove(&row.id).unwrap_or_default(),
            counts: counts.get(&row.id).copied().unwrap_or_default(),
            id: row.id,
            name: row.name,
            city: row.city,
            latitude,
            longitude,
            remark: row.remark,
            management_nets: row.management_nets.split_whitespace().map(str::to_owned).collect(),
            time_zone: row.time_zone,
            download_mbit: row.download_mbit,
            upload_mbit: row.upload_mbit,
            maintenance: MaintenanceView {
                state: row.maintenance,
                scope: MaintenanceScope::Room,
                reason: row.maintenance_reason,
                by: row.maintenance_by,
                until: row.maintenance_until,
            },
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    };
    Ok(rows.into_iter().map(view).collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Outcome<RoomView> {
    views(db, vec![row]).await?.pop().ok_or_else(|| Fault::internal(anyhow::anyhow!("a room lost its view")))
}

/// The room, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: RoomId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// The room that a field of an input refers to, or an error at that field.
///
/// # Errors
/// When there is none.
pub async fn named(db: &impl ConnectionTrait, field: &'static str, id: RoomId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.ok_or_else(|| Fault::field(field, Violation::unknown_reference()))
}

async fn write_lines(tx: &impl ConnectionTrait, room: RoomId, lines: Vec<RoomLine>) -> Result<(), DbErr> {
    room_line::Entity::delete_many().filter(room_line::Column::RoomId.eq(room)).exec(tx).await?;
    let rows = lines.into_iter().map(|RoomLine { carrier, name, mbit, contact }| room_line::ActiveModel {
        room_id: Set(room),
        carrier: Set(carrier),
        name: Set(name),
        mbit: Set(mbit),
        contact: Set(contact),
        ..Default::default()
    });
    let rows: Vec<_> = rows.collect();
    if !rows.is_empty() {
        room_line::Entity::insert_many(rows).exec_without_returning(tx).await?;
    }
    Ok(())
}

/// A new, empty room, for forms and for the demo company.
///
/// # Errors
/// When the name is taken, or there are too many rooms.
pub async fn insert(tx: &impl ConnectionTrait, input: RoomInput, now: UtcTime) -> Outcome<Model> {
    let last = Entity::find().order_by_desc(Column::Id).one(tx).await?;
    if last.is_some_and(|row| row.id.0 >= room::MOST) {
        return Err(Fault::conflict(FULL.with("max", room::MOST)));
    }
    let (said, lines) = input.into_row(now);
    let row = ActiveModel {
        maintenance: Set(Maintenance::None),
        maintenance_reason: Set(String::new()),
        maintenance_by: Set(String::new()),
        maintenance_until: Set(None),
        created_at: Set(now),
        ..said
    };
    let row = Entity::insert(row).exec_with_returning(tx).await.map_err(unique("room", UNIQUE))?;
    write_lines(tx, row.id, lines).await?;
    Ok(row)
}

async fn create(ctx: &OpCtx, input: RoomInput) -> Outcome<RoomView> {
    let tx = ctx.begin_write().await?;
    let row = insert(&*tx, input, ctx.now()).await?;
    let made = view(&*tx, row).await?;
    tx.commit(Audit::of("room").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

async fn update(ctx: &OpCtx, id: RoomId, input: RoomInput) -> Outcome<RoomView> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    let (said, lines) = input.into_row(ctx.now());
    let row = Entity::update(ActiveModel { id: Set(id), ..said }).exec(&*tx).await.map_err(unique("room", UNIQUE))?;
    if before.management_nets != row.management_nets.split_whitespace().collect::<Vec<_>>() {
        nets::check_bmcs(&*tx, &ctx.app.config.outbound(), &row).await?;
    }
    write_lines(&*tx, id, lines).await?;
    let after = view(&*tx, row).await?;
    tx.commit(Audit::of("room").id(id).name(&after.name).before(&before).after(&after)).await?;
    if before.management_nets != after.management_nets {
        ctx.app.part::<Fleet>().networks_changed(id);
    }
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: RoomId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    let db = &*tx;
    let in_use = frame::Entity::find().filter(frame::Column::RoomId.eq(id)).count(db).await? > 0
        || card::Entity::find().filter(card::Column::RoomId.eq(id)).one(db).await?.is_some()
        || address_plan::Entity::find().filter(address_plan::Column::RoomId.eq(id)).count(db).await? > 0
        || bmc::Entity::find().filter(bmc::Column::RoomId.eq(id)).count(db).await? > 0
        || entity::room_agent::Entity::find().filter(entity::room_agent::Column::RoomId.eq(id)).count(db).await? > 0
        || entity::join_token::Entity::find().filter(entity::join_token::Column::RoomId.eq(id)).count(db).await? > 0
        || entity::phone::Entity::find().filter(entity::phone::Column::RoomId.eq(id)).one(db).await?.is_some()
        || entity::finding::Entity::find().filter(entity::finding::Column::RoomId.eq(id)).count(db).await? > 0
        || service_address::Entity::find().filter(service_address::Column::RoomId.eq(id)).count(db).await? > 0;
    if in_use {
        return Err(Fault::conflict(IN_USE));
    }
    Entity::delete_by_id(id).exec(db).await?;
    tx.commit(Audit::of("room").id(id).name(&before.name).before(&before)).await?;
    Ok(())
}

/// Returns one room.
#[utoipa::path(get, path = "/api/fleet/v1/rooms/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The room's id")), responses((status = 200, body = Reply<RoomView>)))]
pub async fn room_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<RoomView> {
    reply(view(ctx.read(), find(ctx.read(), RoomId(id)).await?).await?)
}

/// Creates a room.
#[utoipa::path(post, path = "/api/fleet/v1/rooms", tag = "fleet", request_body = RoomInput,
    responses((status = 200, body = Reply<RoomView>)))]
pub async fn room_create(ctx: OpCtx, Valid(input): Valid<RoomInput>) -> ApiResult<RoomView> {
    reply(create(&ctx, input).await?)
}

/// Updates a room, including its lines.
#[utoipa::path(put, path = "/api/fleet/v1/rooms/{id}", tag = "fleet", request_body = RoomInput,
    params(("id" = i64, Path, description = "The room's id")), responses((status = 200, body = Reply<RoomView>)))]
pub async fn room_update(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<RoomInput>) -> ApiResult<RoomView> {
    reply(update(&ctx, RoomId(id), input).await?)
}

/// Deletes an empty room.
#[utoipa::path(delete, path = "/api/fleet/v1/rooms/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The room's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn room_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, RoomId(id)).await?;
    done()
}
