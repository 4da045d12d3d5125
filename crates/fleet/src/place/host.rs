//! Hosts: blades in a frame. Their positions for cards are numbered from 1.

use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use base::reference::Reference;
use entity::card::{Maintenance, MaintenanceScope};
use entity::host::{ActiveModel, Entity, Model};
use entity::{FrameId, HostId, RoomId, bmc, card, position_history};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation, integer_between};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{HAS_CARDS, MaintenanceView, check_words, frame, names};
use crate::card::service::name as card_name;
use crate::card::view::{self as card_view, CardView};
use crate::counts::{self, Counted, StatusCounts};

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("slot", "slot"), ("blade_address", "bladeAddress")];
const NOT_FOUND: Text = text("主机不存在", "Host not found");
const STAYS: Text = text("主机不能换到别的机架", "A host cannot be moved to another frame");
/// The largest number of former cards of a position that is shown.
const TOLD: u64 = 100;

/// A host, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HostInput {
    /// Its frame; it cannot be changed.
    pub frame_id: FrameId,
    /// Its slot in the frame, from 1; unique there.
    #[schema(minimum = 1, maximum = 100)]
    pub slot: i32,
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// Unique in the room; may be omitted.
    #[serde(default)]
    pub blade_address: Option<Ip4>,
    /// Number of positions for cards, 1 to 256.
    #[schema(minimum = 1, maximum = 256)]
    pub positions: i32,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl Validate for HostInput {
    fn check(&self, check: &mut Check) {
        let Self { frame_id: _, slot, name, blade_address: _, positions, remark } = self;
        check_words(check, name, remark);
        check.field("slot", integer_between((*slot).into(), 1, 100));
        check.field("positions", integer_between((*positions).into(), 1, 256));
    }
}

/// A host.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostView {
    pub id: HostId,
    pub room_id: RoomId,
    pub room: Reference,
    pub frame_id: FrameId,
    pub frame: Reference,
    pub slot: i32,
    pub name: String,
    pub blade_address: Option<Ip4>,
    pub positions: i32,
    pub remark: String,
    pub maintenance: MaintenanceView,
    pub counts: StatusCounts,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl Counted for HostView {
    fn counts(&self) -> &StatusCounts {
        &self.counts
    }
}

/// A card's time in a position of the host.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StayView {
    pub card: Reference,
    pub position: i32,
    pub since: UtcTime,
    pub until: Option<UtcTime>,
    pub reason: String,
    pub by: String,
}

/// A host with its current and former cards.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HostDetail {
    #[serde(flatten)]
    pub host: HostView,
    /// The cards in its positions.
    pub cards: Vec<CardView>,
    /// The last 100 former cards, newest first.
    pub history: Vec<StayView>,
}

/// `rows` with their counts.
///
/// # Errors
/// When a read fails.
pub async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<HostView>, DbErr> {
    let ids: Vec<HostId> = rows.iter().map(|row| row.id).collect();
    let counts = counts::hosts(db, &ids).await?;
    let rooms = names::rooms(db, rows.iter().map(|row| row.room_id)).await?;
    let frames = names::frames(db, rows.iter().map(|row| row.frame_id)).await?;
    let view = |row: Model| HostView {
        counts: counts.get(&row.id).copied().unwrap_or_default(),
        id: row.id,
        room: Reference::among(row.room_id, &rooms),
        room_id: row.room_id,
        frame: Reference::among(row.frame_id, &frames),
        frame_id: row.frame_id,
        slot: row.slot,
        name: row.name,
        blade_address: row.blade_address,
        positions: row.positions,
        remark: row.remark,
        maintenance: MaintenanceView {
            state: row.maintenance,
            scope: MaintenanceScope::Host,
            reason: row.maintenance_reason,
            by: row.maintenance_by,
            until: row.maintenance_until,
        },
        created_at: row.created_at,
        updated_at: row.updated_at,
    };
    Ok(rows.into_iter().map(view).collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Outcome<HostView> {
    views(db, vec![row]).await?.pop().ok_or_else(|| Fault::internal(anyhow::anyhow!("a host lost its view")))
}

/// The host, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: HostId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

fn check_slot(frame: &entity::frame::Model, slot: i32) -> Outcome<()> {
    if slot > frame.slots {
        return Err(Fault::field("slot", Violation::new("integer.range").with("min", 1).with("max", frame.slots)));
    }
    Ok(())
}

/// A new, empty host, for forms and for the demo company.
///
/// # Errors
/// When there is no such frame or slot, or the slot or the address is taken.
pub async fn insert(tx: &impl ConnectionTrait, input: HostInput, now: UtcTime) -> Outcome<Model> {
    let HostInput { frame_id, slot, name, blade_address, positions, remark } = input;
    let frame = entity::frame::Entity::find_by_id(frame_id)
        .one(tx)
        .await?
        .ok_or_else(|| Fault::field("frameId", Violation::unknown_reference()))?;
    check_slot(&frame, slot)?;
    let row = ActiveModel {
        room_id: Set(frame.room_id),
        frame_id: Set(frame.id),
        slot: Set(slot),
        name: Set(name),
        blade_address: Set(blade_address),
        positions: Set(positions),
        remark: Set(remark),
        maintenance: Set(Maintenance::None),
        maintenance_reason: Set(String::new()),
        maintenance_by: Set(String::new()),
        maintenance_until: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique("host", UNIQUE))
}

async fn create(ctx: &OpCtx, input: HostInput) -> Outcome<HostView> {
    let tx = ctx.begin_write().await?;
    let row = insert(&*tx, input, ctx.now()).await?;
    let made = view(&*tx, row).await?;
    tx.commit(Audit::of("host").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

async fn update(ctx: &OpCtx, id: HostId, input: HostInput) -> Outcome<HostView> {
    let HostInput { frame_id, slot, name, blade_address, positions, remark } = input;
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    if before.frame_id != frame_id {
        return Err(Fault::conflict(STAYS));
    }
    check_slot(&frame::find(&*tx, frame_id).await?, slot)?;
    let last = card::Entity::find()
        .filter(card::Column::HostId.eq(id))
        .order_by_desc(card::Column::Position)
        .one(&*tx)
        .await?
        .and_then(|row| row.position)
        .unwrap_or(1);
    if positions < last {
        return Err(Fault::field("positions", Violation::new("integer.range").with("min", last).with("max", 256)));
    }
    let row = ActiveModel {
        id: Set(id),
        slot: Set(slot),
        name: Set(name),
        blade_address: Set(blade_address),
        positions: Set(positions),
        remark: Set(remark),
        updated_at: Set(ctx.now()),
        ..Default::default()
    };
    let row = Entity::update(row).exec(&*tx).await.map_err(unique("host", UNIQUE))?;
    let after = view(&*tx, row).await?;
    tx.commit(Audit::of("host").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: HostId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    let cards = card::Entity::find().filter(card::Column::HostId.eq(id)).count(&*tx).await?;
    if cards > 0 {
        return Err(Fault::conflict(HAS_CARDS.with("count", cards)));
    }
    let unlink = bmc::ActiveModel { host_id: Set(None), ..Default::default() };
    bmc::Entity::update_many().set(unlink).filter(bmc::Column::HostId.eq(id)).exec(&*tx).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("host").id(id).name(&before.name).before(&before)).await?;
    Ok(())
}

async fn detail(ctx: &OpCtx, id: HostId) -> Outcome<HostDetail> {
    let db = ctx.read();
    let host = view(db, find(db, id).await?).await?;
    let rows =
        card::Entity::find().filter(card::Column::HostId.eq(id)).order_by_asc(card::Column::Position).all(db).await?;
    let stays = position_history::Entity::find()
        .filter(position_history::Column::HostId.eq(id))
        .order_by_desc(position_history::Column::Id)
        .limit(TOLD)
        .all(db)
        .await?;
    let ids = stays.iter().map(|stay| stay.card_id);
    let gone = card::Entity::find().filter(card::Column::Id.is_in(ids)).all(db).await?;
    let names = gone.into_iter().map(|row| (row.id, card_name(&row))).collect();
    let history = stays.into_iter().map(|stay| StayView {
        card: Reference::among(stay.card_id, &names),
        position: stay.position,
        since: stay.since,
        until: stay.until,
        reason: stay.reason,
        by: stay.by_name,
    });
    Ok(HostDetail { host, cards: card_view::views(&ctx.app, rows).await?, history: history.collect() })
}

/// Returns one host with the cards in its positions, and which cards were there before.
#[utoipa::path(get, path = "/api/fleet/v1/hosts/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The host's id")), responses((status = 200, body = Reply<HostDetail>)))]
pub async fn host_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<HostDetail> {
    reply(detail(&ctx, HostId(id)).await?)
}

/// Creates a host.
#[utoipa::path(post, path = "/api/fleet/v1/hosts", tag = "fleet", request_body = HostInput,
    responses((status = 200, body = Reply<HostView>)))]
pub async fn host_create(ctx: OpCtx, Valid(input): Valid<HostInput>) -> ApiResult<HostView> {
    reply(create(&ctx, input).await?)
}

/// Updates a host.
#[utoipa::path(put, path = "/api/fleet/v1/hosts/{id}", tag = "fleet", request_body = HostInput,
    params(("id" = i64, Path, description = "The host's id")), responses((status = 200, body = Reply<HostView>)))]
pub async fn host_update(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<HostInput>) -> ApiResult<HostView> {
    reply(update(&ctx, HostId(id), input).await?)
}

/// Deletes an empty host.
#[utoipa::path(delete, path = "/api/fleet/v1/hosts/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The host's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn host_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, HostId(id)).await?;
    done()
}
