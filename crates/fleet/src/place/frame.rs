//! Frames: racks and chassis in a room.

use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use base::reference::Reference;
use entity::card::{Maintenance, MaintenanceScope};
use entity::frame::{ActiveModel, Entity, Model};
use entity::{FrameId, RoomId, host};
use kernel::rules::{Check, Violation, integer_between, max_chars, single_line};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{MaintenanceView, check_words, names, room};
use crate::counts::{self, Counted, StatusCounts};

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name")];
const NOT_FOUND: Text = text("机架不存在", "Frame not found");
const HAS_HOSTS: Text =
    text("机架中还有 {count} 台主机，请先删除", "Hosts still in the frame: {count}; delete them first");
const STAYS: Text = text("机架不能换到别的机房", "A frame cannot be moved to another room");

/// A frame, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FrameInput {
    /// Its room; it cannot be changed.
    pub room_id: RoomId,
    /// 1 to 64 characters, unique in the room.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// Its location in the room; up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub location: String,
    /// Number of slots for blades, 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub slots: i32,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl Validate for FrameInput {
    fn check(&self, check: &mut Check) {
        let Self { room_id: _, name, location, slots, remark } = self;
        check_words(check, name, remark);
        check.field("location", single_line(location).and_then(|()| max_chars(location, 64)));
        check.field("slots", integer_between((*slots).into(), 1, 100));
    }
}

/// A frame.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FrameView {
    pub id: FrameId,
    pub room_id: RoomId,
    pub room: Reference,
    pub name: String,
    pub location: String,
    pub slots: i32,
    pub remark: String,
    pub maintenance: MaintenanceView,
    pub counts: StatusCounts,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl Counted for FrameView {
    fn counts(&self) -> &StatusCounts {
        &self.counts
    }
}

/// `rows` with their counts.
///
/// # Errors
/// When a read fails.
pub async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<FrameView>, DbErr> {
    let ids: Vec<FrameId> = rows.iter().map(|row| row.id).collect();
    let counts = counts::frames(db, &ids).await?;
    let rooms = names::rooms(db, rows.iter().map(|row| row.room_id)).await?;
    let view = |row: Model| FrameView {
        counts: counts.get(&row.id).copied().unwrap_or_default(),
        id: row.id,
        room: Reference::among(row.room_id, &rooms),
        room_id: row.room_id,
        name: row.name,
        location: row.location,
        slots: row.slots,
        remark: row.remark,
        maintenance: MaintenanceView {
            state: row.maintenance,
            scope: MaintenanceScope::Frame,
            reason: row.maintenance_reason,
            by: row.maintenance_by,
            until: row.maintenance_until,
        },
        created_at: row.created_at,
        updated_at: row.updated_at,
    };
    Ok(rows.into_iter().map(view).collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Outcome<FrameView> {
    views(db, vec![row]).await?.pop().ok_or_else(|| Fault::internal(anyhow::anyhow!("a frame lost its view")))
}

/// The frame, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: FrameId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// A new, empty frame, for forms and for the demo company.
///
/// # Errors
/// When there is no such room, or the name is taken there.
pub async fn insert(tx: &impl ConnectionTrait, input: FrameInput, now: UtcTime) -> Outcome<Model> {
    let FrameInput { room_id, name, location, slots, remark } = input;
    let room = room::named(tx, "roomId", room_id).await?;
    let row = ActiveModel {
        room_id: Set(room.id),
        name: Set(name),
        location: Set(location),
        slots: Set(slots),
        remark: Set(remark),
        maintenance: Set(Maintenance::None),
        maintenance_reason: Set(String::new()),
        maintenance_by: Set(String::new()),
        maintenance_until: Set(None),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    // SQLite names all columns of an index: the room's comes first and says nothing about the name.
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique("frame", UNIQUE))
}

async fn create(ctx: &OpCtx, input: FrameInput) -> Outcome<FrameView> {
    let tx = ctx.begin_write().await?;
    let row = insert(&*tx, input, ctx.now()).await?;
    let made = view(&*tx, row).await?;
    tx.commit(Audit::of("frame").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

async fn update(ctx: &OpCtx, id: FrameId, input: FrameInput) -> Outcome<FrameView> {
    let FrameInput { room_id, name, location, slots, remark } = input;
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    if before.room_id != room_id {
        return Err(Fault::conflict(STAYS));
    }
    let last = host::Entity::find()
        .filter(host::Column::FrameId.eq(id))
        .order_by_desc(host::Column::Slot)
        .one(&*tx)
        .await?
        .map_or(1, |row| row.slot);
    if slots < last {
        return Err(Fault::field("slots", Violation::new("integer.range").with("min", last).with("max", 100)));
    }
    let row = ActiveModel {
        id: Set(id),
        name: Set(name),
        location: Set(location),
        slots: Set(slots),
        remark: Set(remark),
        updated_at: Set(ctx.now()),
        ..Default::default()
    };
    let row = Entity::update(row).exec(&*tx).await.map_err(unique("frame", UNIQUE))?;
    let after = view(&*tx, row).await?;
    tx.commit(Audit::of("frame").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: FrameId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    let hosts = host::Entity::find().filter(host::Column::FrameId.eq(id)).count(&*tx).await?;
    if hosts > 0 {
        return Err(Fault::conflict(HAS_HOSTS.with("count", hosts)));
    }
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("frame").id(id).name(&before.name).before(&before)).await?;
    Ok(())
}

/// Creates a frame.
#[utoipa::path(post, path = "/api/fleet/v1/frames", tag = "fleet", request_body = FrameInput,
    responses((status = 200, body = Reply<FrameView>)))]
pub async fn frame_create(ctx: OpCtx, Valid(input): Valid<FrameInput>) -> ApiResult<FrameView> {
    reply(create(&ctx, input).await?)
}

/// Updates a frame.
#[utoipa::path(put, path = "/api/fleet/v1/frames/{id}", tag = "fleet", request_body = FrameInput,
    params(("id" = i64, Path, description = "The frame's id")), responses((status = 200, body = Reply<FrameView>)))]
pub async fn frame_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<FrameInput>,
) -> ApiResult<FrameView> {
    reply(update(&ctx, FrameId(id), input).await?)
}

/// Deletes an empty frame.
#[utoipa::path(delete, path = "/api/fleet/v1/frames/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The frame's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn frame_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, FrameId(id)).await?;
    done()
}
