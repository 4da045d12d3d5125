//! What a clean card of each image looks like: read from one by an agent, tried by a person, and what wipes go by.

use std::collections::HashMap;

use base::app::App;
use base::fault::{OrMissing as _, Outcome};
use base::fetch::object;
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, reply};
use courier::{Outgoing, Stored};
use entity::board_profile::{ActiveModel, Column, Entity, Model};
use entity::{BoardProfileId, CardId, ImageId, card, image_known, room_agent};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _,
};
use serde::Serialize;
use utoipa::ToSchema;
use wire::{FileRef, ProfileSummary};

const NOT_FOUND: Text = text("画像不存在", "Profile not found");
/// How the ids of these files begin, for agents: those of other files are numbers.
const PREFIX: &str = "profile-";

/// What a clean card of an image looks like.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProfileView {
    pub id: BoardProfileId,
    pub image_id: ImageId,
    /// From which card it was read.
    pub card_id: CardId,
    /// Files, folders and links that a clean card has.
    pub things: i64,
    /// Partitions of the system whose sums it has.
    pub partitions: i32,
    /// What a tenant with root has changed of the system is found: by the board itself, or by the sums of its partitions.
    /// Otherwise tenants are not separated.
    pub separates: bool,
    pub taken_at: UtcTime,
    pub taken_by: String,
    /// Since when cards of the image are wiped after it by themselves; none while nobody has tried it.
    pub tried_at: Option<UtcTime>,
    pub tried_by: String,
}

impl From<Model> for ProfileView {
    fn from(row: Model) -> Self {
        let separates = row.is_verified || row.partitions > 0;
        let Model { id, image_id, card_id, things, partitions, taken_at, taken_by, tried_at, tried_by, .. } = row;
        Self { id, image_id, card_id, things, partitions, separates, taken_at, taken_by, tried_at, tried_by }
    }
}

/// Writes down what an agent has read from a card. False if the card runs another image by now, or none that is known.
///
/// # Errors
/// When a read or the write fails.
pub async fn keep(
    tx: &impl ConnectionTrait,
    id: CardId,
    stored: &Stored,
    summary: &ProfileSummary,
    by: &str,
    now: UtcTime,
) -> Result<bool, DbErr> {
    let Some(image) = card::Entity::find_by_id(id).one(tx).await?.and_then(|row| row.image_id) else {
        return Ok(false);
    };
    let known = image_known::Entity::find_by_id(image).one(tx).await?;
    if known.is_none_or(|known| known.fingerprint != summary.fingerprint) {
        return Ok(false);
    }
    let row = ActiveModel {
        image_id: Set(image),
        card_id: Set(id),
        object_key: Set(stored.key.to_string()),
        size: Set(i64::try_from(stored.size).unwrap_or(i64::MAX)),
        sha256: Set(stored.sha256.clone()),
        things: Set(i64::try_from(summary.things).unwrap_or(i64::MAX)),
        partitions: Set(i32::try_from(summary.partitions).unwrap_or(i32::MAX)),
        is_verified: Set(summary.is_verified),
        taken_at: Set(now),
        taken_by: Set(by.to_owned()),
        tried_at: Set(None),
        tried_by: Set(String::new()),
        ..Default::default()
    };
    Entity::insert(row).exec_without_returning(tx).await?;
    Ok(true)
}

/// The newest profile of each of these images; those that were tried come first.
///
/// # Errors
/// When the read fails.
pub async fn of_images(
    db: &impl ConnectionTrait,
    images: impl IntoIterator<Item = ImageId>,
) -> Result<HashMap<ImageId, ProfileView>, DbErr> {
    let rows = Entity::find().filter(Column::ImageId.is_in(images)).order_by_asc(Column::Id).all(db).await?;
    let mut newest: HashMap<ImageId, ProfileView> = HashMap::new();
    for row in rows {
        let has_tried = newest.get(&row.image_id).is_some_and(|view| view.tried_at.is_some());
        if row.tried_at.is_some() || !has_tried {
            newest.insert(row.image_id, row.into());
        }
    }
    Ok(newest)
}

/// What cards of an image are wiped after: the newest profile that somebody has tried.
///
/// # Errors
/// When the read fails.
pub async fn tried(db: &impl ConnectionTrait, image: Option<ImageId>) -> Result<Option<BoardProfileId>, DbErr> {
    let Some(image) = image else { return Ok(None) };
    let found = Entity::find().filter(Column::ImageId.eq(image)).filter(Column::TriedAt.is_not_null());
    Ok(found.order_by_desc(Column::Id).one(db).await?.map(|row| row.id))
}

/// What cards of an image are wiped after at a person's word: as [`tried`], or else the newest.
///
/// # Errors
/// When the read fails.
pub async fn best(db: &impl ConnectionTrait, image: Option<ImageId>) -> Result<Option<BoardProfileId>, DbErr> {
    if let Some(tried) = tried(db, image).await? {
        return Ok(Some(tried));
    }
    let Some(image) = image else { return Ok(None) };
    let found = Entity::find().filter(Column::ImageId.eq(image)).order_by_desc(Column::Id).one(db).await?;
    Ok(found.map(|row| row.id))
}

/// The file of a profile, for an agent.
///
/// # Errors
/// When the read fails.
pub async fn file(db: &impl ConnectionTrait, id: BoardProfileId) -> Result<Option<FileRef>, DbErr> {
    Ok(Entity::find_by_id(id).one(db).await?.map(|row| FileRef {
        id: format!("{PREFIX}{id}"),
        name: "profile".to_owned(),
        size: u64::try_from(row.size).unwrap_or(0),
        sha256: row.sha256,
    }))
}

/// The profile that an agent asks for; none if it asks for another file.
#[must_use]
pub fn id_of(file: &str) -> Option<BoardProfileId> {
    file.strip_prefix(PREFIX)?.parse().ok().map(BoardProfileId)
}

/// The file of a profile, if the agent's room has a card of its image: it says what is on every such card anyway.
///
/// # Errors
/// When the read fails, or the object storage does not answer.
pub async fn file_for(app: &App, agent: &room_agent::Model, id: BoardProfileId) -> Outcome<Option<Outgoing>> {
    let Some(row) = Entity::find_by_id(id).one(app.db.read()).await? else { return Ok(None) };
    let cards = card::Entity::find()
        .filter(card::Column::RoomId.eq(agent.room_id))
        .filter(card::Column::ImageId.eq(row.image_id))
        .count(app.db.read());
    if cards.await? == 0 {
        return Ok(None);
    }
    object(app, &row.object_key).await
}

async fn try_out(ctx: &OpCtx, id: BoardProfileId) -> Outcome<ProfileView> {
    let tx = ctx.begin_write().await?;
    let before = Entity::find_by_id(id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let row = ActiveModel {
        id: Set(id),
        tried_at: Set(Some(ctx.now())),
        tried_by: Set(ctx.session.username.clone()),
        ..Default::default()
    };
    let after = Entity::update(row).exec(&*tx).await?;
    tx.commit(Audit::of("boardProfile").id(id).before(&before).after(&after)).await?;
    Ok(after.into())
}

/// Says that somebody has tried on the board itself what a wipe after this profile leaves and what survives it: from then
/// on cards of the image are wiped after it by themselves.
#[utoipa::path(post, path = "/api/fleet/v1/profiles/{id}/tried", tag = "fleet",
    params(("id" = i64, Path, description = "The profile's id")), responses((status = 200, body = Reply<ProfileView>)))]
pub async fn profile_tried(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ProfileView> {
    reply(try_out(&ctx, BoardProfileId(id)).await?)
}
