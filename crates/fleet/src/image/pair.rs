//! Which image takes phones of which other one: copies that were made with one come on cards that run the other, whole. An
//! operator says so, for one direction; without that a copy comes on cards of its own image alone.

use std::collections::{BTreeSet, HashMap};

use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use base::reference::Reference;
use entity::image_compat::{ActiveModel, Column, Entity, MOST, Model};
use entity::{ImageId, ImagePairId, image_known};
use kernel::rules::{Check, Violation, line};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, Condition, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::known::{self, names};

const NOT_FOUND: Text = text("镜像兼容声明不存在", "There is no such pair of images");
const SAME: Text = text("云手机本来就能在同一镜像上恢复", "Phones come on cards of their own image anyway");
const OTHER_BOARD: Text = text("两个镜像属于不同的板卡", "The two images are of different boards");
const FULL: Text = text(
    "一个镜像最多声明 {most} 个兼容镜像，请先取消不再需要的",
    "At most {most} images take phones of one; withdraw some first",
);
const UNIQUE: &[(&str, &str)] = &[("pair", "toId"), ("to_id", "toId")];

/// An image takes phones of another one.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImagePairView {
    pub id: ImagePairId,
    /// The image with which their copies were made.
    pub from: Reference,
    /// The image of the cards on which they may come.
    pub to: Reference,
    pub reason: String,
    pub created_at: UtcTime,
    pub created_by: String,
}

/// The pairs of an image, oldest first.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImagePairs {
    /// On cards of which other images its phones may come.
    pub to: Vec<ImagePairView>,
    /// The phones of which other images may come on its cards.
    pub from: Vec<ImagePairView>,
}

/// Which other images take phones of these, by the image with which the copies were made.
///
/// # Errors
/// When the read fails.
pub async fn takers(
    db: &impl ConnectionTrait,
    images: &[ImageId],
) -> Result<HashMap<ImageId, BTreeSet<ImageId>>, DbErr> {
    let pairs = Entity::find().select_only().columns([Column::FromId, Column::ToId]);
    let pairs = pairs.filter(Column::FromId.is_in(images.iter().copied()));
    let pairs: Vec<(ImageId, ImageId)> = pairs.into_tuple().all(db).await?;
    let mut found: HashMap<ImageId, BTreeSet<ImageId>> = HashMap::new();
    for (from, to) in pairs {
        found.entry(from).or_default().insert(to);
    }
    Ok(found)
}

/// `rows` with what their images are called.
async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<ImagePairView>, DbErr> {
    let names = names(db, rows.iter().flat_map(|row| [row.from_id, row.to_id])).await?;
    let view = |row: Model| {
        let Model { id, from_id, to_id, reason, created_at, created_by } = row;
        let [from, to] = [from_id, to_id].map(|image| Reference::among(image, &names));
        ImagePairView { id, from, to, reason, created_at, created_by }
    };
    Ok(rows.into_iter().map(view).collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Outcome<ImagePairView> {
    views(db, vec![row]).await?.pop().or_missing(NOT_FOUND)
}

async fn of(ctx: &OpCtx, image: ImageId) -> Outcome<ImagePairs> {
    let db = ctx.read();
    known::find(db, image).await?;
    let its = Condition::any().add(Column::FromId.eq(image)).add(Column::ToId.eq(image));
    let rows = Entity::find().filter(its).order_by_asc(Column::Id).all(db).await?;
    let (to, from): (Vec<Model>, Vec<Model>) = rows.into_iter().partition(|row| row.from_id == image);
    Ok(ImagePairs { to: views(db, to).await?, from: views(db, from).await? })
}

/// That an image takes phones of another one.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeclareInput {
    /// The image of the cards on which the phones may come: another one of the same board.
    pub to_id: ImageId,
    /// How it is known that they fit.
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for DeclareInput {
    fn check(&self, check: &mut Check) {
        check.field("reason", line(&self.reason, 256));
    }
}

async fn declare(ctx: &OpCtx, image: ImageId, input: DeclareInput) -> Outcome<ImagePairView> {
    let DeclareInput { to_id, reason } = input;
    let tx = ctx.begin_write().await?;
    // One after the other, for their number.
    let from = known::locked(&*tx, image).await?;
    let to = image_known::Entity::find_by_id(to_id).one(&*tx).await?;
    let to = to.ok_or_else(|| Fault::field("toId", Violation::unknown_reference()))?;
    if from.id == to.id {
        return Err(Fault::conflict(SAME));
    }
    if from.board != to.board {
        return Err(Fault::conflict(OTHER_BOARD));
    }
    if Entity::find().filter(Column::FromId.eq(image)).count(&*tx).await? >= MOST {
        return Err(Fault::conflict(FULL.with("most", MOST)));
    }
    let row = ActiveModel {
        from_id: Set(from.id),
        to_id: Set(to.id),
        reason: Set(reason),
        created_at: Set(ctx.now()),
        created_by: Set(ctx.session.username.clone()),
        ..Default::default()
    };
    let row = Entity::insert(row).exec_with_returning(&*tx).await.map_err(unique("image_compat", UNIQUE))?;
    let after = view(&*tx, row).await?;
    let name = format!("{} → {}", from.name(), to.name());
    tx.commit(Audit::of("imagePair").id(after.id).name(&name).after(&after)).await?;
    Ok(after)
}

async fn withdraw(ctx: &OpCtx, id: ImagePairId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let row = Entity::find_by_id(id).lock_exclusive().one(&*tx).await?.or_missing(NOT_FOUND)?;
    let before = view(&*tx, row).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    let name = format!("{} → {}", before.from.name(), before.to.name());
    tx.commit(Audit::of("imagePair").id(id).name(&name).before(&before)).await?;
    Ok(())
}

/// On cards of which other images phones of an image may come, and the other way round.
#[utoipa::path(get, path = "/api/fleet/v1/images/{id}/pairs", tag = "fleet",
    params(("id" = i64, Path, description = "The image's id")), responses((status = 200, body = Reply<ImagePairs>)))]
pub async fn image_pairs(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ImagePairs> {
    reply(of(&ctx, ImageId(id)).await?)
}

/// Says that phones whose copies were made with an image may come, with everything, on cards that run another one of the same
/// board. The other way round is not said by that. Put-ons that wait for such a card get it at once.
#[utoipa::path(post, path = "/api/fleet/v1/images/{id}/pairs", tag = "fleet", request_body = DeclareInput,
    params(("id" = i64, Path, description = "The id of the image with which the copies were made")),
    responses((status = 200, body = Reply<ImagePairView>)))]
pub async fn image_declare(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<DeclareInput>,
) -> ApiResult<ImagePairView> {
    reply(declare(&ctx, ImageId(id), input).await?)
}

/// Withdraws that: phones that are on such cards stay there, and their next copies are of the image that these run.
#[utoipa::path(delete, path = "/api/fleet/v1/pairs/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The pair's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn image_undeclare(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    withdraw(&ctx, ImagePairId(id)).await?;
    done()
}
