//! What operators say about images.

use std::collections::HashMap;

use base::fault::{OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::ImageId;
use entity::card::{self, Lifecycle};
use entity::image_known::{ActiveModel, Entity, Model};
use kernel::rules::{Check, version};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::known::{self, NOT_FOUND};
use super::profile::{self, ProfileView};

/// An image that cards run.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageView {
    pub id: ImageId,
    /// As cards report it (`ro.build.fingerprint`).
    pub fingerprint: String,
    /// The board of these cards.
    pub board: String,
    /// What operators call it; empty while nobody has adopted it.
    pub version: String,
    /// How many cards run it; retired ones are not among them.
    pub cards: i64,
    pub adopted_at: Option<UtcTime>,
    pub adopted_by: String,
    /// When a card first said that it runs it.
    pub found_at: UtcTime,
    /// What a clean card of it looks like; none while nobody has read one.
    pub profile: Option<ProfileView>,
}

/// `rows` with how many cards run them.
///
/// # Errors
/// When the read fails.
pub(super) async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<ImageView>, DbErr> {
    let images: Vec<ImageId> = rows.iter().map(|row| row.id).collect();
    let counts = card::Entity::find()
        .select_only()
        .column(card::Column::ImageId)
        .column_as(card::Column::Id.count(), "cards")
        .filter(card::Column::ImageId.is_in(images))
        .filter(card::Column::Lifecycle.ne(Lifecycle::Retired))
        .group_by(card::Column::ImageId)
        .into_tuple::<(ImageId, i64)>();
    let counts: HashMap<ImageId, i64> = counts.all(db).await?.into_iter().collect();
    let mut profiles = profile::of_images(db, rows.iter().map(|row| row.id)).await?;
    Ok(rows.into_iter().map(|row| ImageView::of(row, &counts, &mut profiles)).collect())
}

impl ImageView {
    fn of(row: Model, counts: &HashMap<ImageId, i64>, profiles: &mut HashMap<ImageId, ProfileView>) -> Self {
        let Model { id, board, fingerprint, version, adopted_at, adopted_by, found_at } = row;
        let cards = counts.get(&id).copied().unwrap_or_default();
        let profile = profiles.remove(&id);
        Self { id, fingerprint, board, version, cards, adopted_at, adopted_by, found_at, profile }
    }
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Outcome<ImageView> {
    views(db, vec![row]).await?.pop().or_missing(NOT_FOUND)
}

/// What an image is.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AdoptInput {
    /// Its version, such as `3.2.1`.
    #[schema(max_length = 64)]
    pub version: String,
}

impl Validate for AdoptInput {
    fn check(&self, check: &mut Check) {
        check.field("version", version(&self.version));
    }
}

async fn adopt(ctx: &OpCtx, id: ImageId, input: AdoptInput) -> Outcome<ImageView> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, known::find(&*tx, id).await?).await?;
    let row = ActiveModel {
        id: Set(id),
        version: Set(input.version),
        adopted_at: Set(Some(ctx.now())),
        adopted_by: Set(ctx.session.username.clone()),
        ..Default::default()
    };
    let after = view(&*tx, Entity::update(row).exec(&*tx).await?).await?;
    tx.commit(Audit::of("image").id(id).name(&after.fingerprint).before(&before).after(&after)).await?;
    Ok(after)
}

/// Says which version an image is: cards that run it are then shown with it instead of its fingerprint.
#[utoipa::path(post, path = "/api/fleet/v1/images/{id}/adopt", tag = "fleet", request_body = AdoptInput,
    params(("id" = i64, Path, description = "The image's id")), responses((status = 200, body = Reply<ImageView>)))]
pub async fn image_adopt(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<AdoptInput>) -> ApiResult<ImageView> {
    reply(adopt(&ctx, ImageId(id), input).await?)
}
