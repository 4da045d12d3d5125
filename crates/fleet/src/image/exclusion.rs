//! What copies of phones may leave out on an image, besides what agents leave out on any ([`wire::leave_out`]). A phone with
//! something that nobody has decided about stays on its card, for nothing is lost in silence: here two operators decide.
//! It hangs on the image and not on a profile, so that it outlives the next one that is read.

use base::attention::{self, Concern};
use base::fault::{Fault, OrMissing as _, Outcome, unique};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use entity::image_exclusion::{ActiveModel, Column, Entity, Model};
use entity::{ImageExclusionId, ImageId, OperatorId};
use kernel::rules::{Check, Verdict, Violation, line};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, PaginatorTrait as _,
    QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::copy::DropReason;
use wire::leave_out::{BOUND, KEPT, MAX_PATH, MOST, OWNER, SYSTEM, everywhere};

use super::known;

const NOT_FOUND: Text = text("备份排除不存在", "There is no such path");
const APPROVED: Text = text("已经审批过", "It is approved already");
const OWN: Text = text("不能审批自己提出的备份排除", "You cannot approve a path that you named yourself");
const FULL: Text =
    text("一个镜像最多 {most} 条备份排除，请先取消不再需要的", "An image has at most {most} paths; remove some first");
const UNIQUE: &[(&str, &str)] = &[("path", "path")];

/// Where all of it is.
const DATA: &str = "/data/";

kernel::named_enum! {
    /// Why something is not copied.
    pub enum DropWhy {
        /// Apps make it again.
        Cache = "cache" ("缓存，应用会重新生成", "Cache; apps make it again"),
        /// Android makes it again.
        System = "system" ("系统数据，会重新生成", "System data; made again"),
        /// It is bound to the board.
        Bound = "bound" ("与板卡绑定：密钥、账号、网络", "Bound to the board: keys, accounts, networks"),
        /// Two operators have allowed it for the image.
        Allowed = "allowed" ("经审批，在该镜像上排除", "Allowed on this image by two operators"),
        /// Another reason, of a newer agent.
        Other = "other" ("其他", "Other"),
    }
}

impl From<DropReason> for DropWhy {
    fn from(told: DropReason) -> Self {
        match told {
            DropReason::Cache => Self::Cache,
            DropReason::System => Self::System,
            DropReason::Bound => Self::Bound,
            DropReason::Allowed => Self::Allowed,
            DropReason::Other => Self::Other,
        }
    }
}

/// A path that copies may leave out on an image.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExclusionView {
    pub id: ImageExclusionId,
    pub image_id: ImageId,
    /// Absolute, with everything in it; a `*` stands for any characters of a name.
    pub path: String,
    pub reason: String,
    pub created_at: UtcTime,
    pub created_by: String,
    /// The caller has named it: another operator has to approve it.
    pub is_own: bool,
    /// It holds.
    pub is_approved: bool,
    pub approved_at: Option<UtcTime>,
    pub approved_by: String,
}

impl ExclusionView {
    fn of(row: Model, operator: OperatorId) -> Self {
        let Model { id, image_id, path, reason, created_at, created_by_id, created_by, approved_at, approved_by } = row;
        let (is_own, is_approved) = (created_by_id == operator, approved_at.is_some());
        Self { id, image_id, path, reason, created_at, created_by, is_own, is_approved, approved_at, approved_by }
    }
}

/// Paths that copies leave out on any image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutEverywhere {
    pub why: DropWhy,
    /// Below `/data`, or what they have in common.
    pub paths: Vec<String>,
}

/// What copies leave out on an image.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImageExclusions {
    /// On any image: agents know these by themselves.
    pub everywhere: Vec<LeftOutEverywhere>,
    /// On this one besides, oldest first; also those that nobody has approved yet.
    pub list: Vec<ExclusionView>,
}

fn left_out_everywhere() -> Vec<LeftOutEverywhere> {
    let mut all: Vec<LeftOutEverywhere> = Vec::new();
    for (path, why) in everywhere() {
        let why = DropWhy::from(why);
        match all.last_mut().filter(|last| last.why == why) {
            Some(last) => last.paths.push(path),
            None => all.push(LeftOutEverywhere { why, paths: vec![path] }),
        }
    }
    all
}

/// A path that copies may be allowed to leave out: absolute, below `/data`, with one `*` in a name at most and none in the
/// first. It is neither what copies keep nor above or below that. The data of one app is left alone by agents for as long as
/// that is installed, and may be named for when it is not.
fn path(text: &str) -> Verdict {
    line(text, MAX_PATH)?;
    let names: Vec<&str> = text.strip_prefix(DATA).unwrap_or_default().split('/').collect();
    let is_name = |name: &&str| !matches!(*name, "" | "." | "..") && name.matches('*').count() <= 1;
    if !names.iter().all(is_name) || names[0].contains('*') {
        return Err(Violation::new("exclusion.path"));
    }
    match names.as_slice() {
        ["data", package] | ["user" | "user_de", OWNER, package] if !package.contains('*') => Ok(()),
        [first, ..] if KEPT.contains(first) => Err(Violation::new("exclusion.kept")),
        [first, ..] if SYSTEM.contains(first) || BOUND.contains(first) => Err(Violation::new("exclusion.known")),
        _ => Ok(()),
    }
}

/// Whether copies may be allowed to leave this out: an absolute path.
#[must_use]
pub fn may_be_excluded(absolute: &str) -> bool {
    path(absolute).is_ok()
}

/// What copies may leave out on an image, for its agents: approved paths, below `/data`.
///
/// # Errors
/// When the read fails.
pub async fn exclusions(db: &impl ConnectionTrait, image: Option<ImageId>) -> Result<Vec<String>, DbErr> {
    let Some(image) = image else { return Ok(Vec::new()) };
    let rows = Entity::find().filter(Column::ImageId.eq(image)).filter(Column::ApprovedAt.is_not_null());
    let rows = rows.order_by_asc(Column::Id).all(db).await?;
    Ok(rows.iter().filter_map(|row| row.path.strip_prefix(DATA)).map(str::to_owned).collect())
}

/// Paths that wait for the caller to approve them, the oldest first.
///
/// # Errors
/// When the read fails.
pub async fn waiting(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let rows = Entity::find().filter(Column::ApprovedAt.is_null()).filter(Column::CreatedById.ne(ctx.operator()));
    let rows = rows.order_by_asc(Column::Id).limit(attention::MOST as u64).all(ctx.read()).await?;
    let lang = ctx.lang();
    let concern = |row: Model| Concern {
        key: format!("exclusion-{}", row.id),
        urgent: false,
        title: text("{path} · 备份排除待审批", "{path} · to be left out of backups, awaits approval")
            .with("path", row.path)
            .get(lang),
        cause: text("{who} 提出：{reason}", "By {who}: {reason}")
            .with("who", row.created_by)
            .with("reason", row.reason)
            .get(lang),
        since: Some(row.created_at),
        act: text("去审批", "Approve").get(lang).to_owned(),
        path: format!("/storage/machineSystem?imageId={}", row.image_id),
    };
    Ok(rows.into_iter().map(concern).collect())
}

/// What copies may leave out.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExcludeInput {
    /// Absolute, below `/data`, such as `/data/vendor_log`, with everything in it. A `*` stands for any characters of a name,
    /// once in each and not in the first. What copies keep is refused.
    #[schema(max_length = 200)]
    pub path: String,
    /// Why nobody needs it.
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for ExcludeInput {
    fn check(&self, check: &mut Check) {
        check.field("path", path(&self.path));
        check.field("reason", line(&self.reason, 256));
    }
}

async fn of(ctx: &OpCtx, image: ImageId) -> Outcome<ImageExclusions> {
    known::find(ctx.read(), image).await?;
    let rows = Entity::find().filter(Column::ImageId.eq(image)).order_by_asc(Column::Id).all(ctx.read()).await?;
    let list = rows.into_iter().map(|row| ExclusionView::of(row, ctx.operator())).collect();
    Ok(ImageExclusions { everywhere: left_out_everywhere(), list })
}

async fn exclude(ctx: &OpCtx, image: ImageId, input: ExcludeInput) -> Outcome<ExclusionView> {
    let tx = ctx.begin_write().await?;
    // One after the other, for their number.
    known::locked(&*tx, image).await?;
    if Entity::find().filter(Column::ImageId.eq(image)).count(&*tx).await? >= MOST as u64 {
        return Err(Fault::conflict(FULL.with("most", MOST)));
    }
    let row = ActiveModel {
        image_id: Set(image),
        path: Set(input.path),
        reason: Set(input.reason),
        created_at: Set(ctx.now()),
        created_by_id: Set(ctx.operator()),
        created_by: Set(ctx.session.username.clone()),
        approved_at: Set(None),
        approved_by: Set(String::new()),
        ..Default::default()
    };
    let row = Entity::insert(row).exec_with_returning(&*tx).await.map_err(unique("image_exclusion", UNIQUE))?;
    let after = ExclusionView::of(row, ctx.operator());
    tx.commit(Audit::of("imageExclusion").id(after.id).name(&after.path).after(&after)).await?;
    Ok(after)
}

async fn locked(db: &impl ConnectionTrait, id: ImageExclusionId) -> Outcome<Model> {
    Entity::find_by_id(id).lock_exclusive().one(db).await?.or_missing(NOT_FOUND)
}

async fn approve(ctx: &OpCtx, id: ImageExclusionId) -> Outcome<ExclusionView> {
    let tx = ctx.begin_write().await?;
    let row = locked(&*tx, id).await?;
    if row.approved_at.is_some() {
        return Err(Fault::conflict(APPROVED));
    }
    // The name of one who was deleted may be another's by now: the record has to show two of them.
    if row.created_by_id == ctx.operator() || row.created_by == ctx.session.username {
        return Err(Fault::conflict(OWN));
    }
    let change = ActiveModel {
        id: Set(id),
        approved_at: Set(Some(ctx.now())),
        approved_by: Set(ctx.session.username.clone()),
        ..Default::default()
    };
    let before = ExclusionView::of(row, ctx.operator());
    let after = ExclusionView::of(Entity::update(change).exec(&*tx).await?, ctx.operator());
    tx.commit(Audit::of("imageExclusion").id(id).name(&after.path).before(&before).after(&after)).await?;
    Ok(after)
}

async fn remove(ctx: &OpCtx, id: ImageExclusionId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = ExclusionView::of(locked(&*tx, id).await?, ctx.operator());
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("imageExclusion").id(id).name(&before.path).before(&before)).await?;
    Ok(())
}

/// What copies of phones leave out on an image, and on any.
#[utoipa::path(get, path = "/api/fleet/v1/images/{id}/exclusions", tag = "fleet",
    params(("id" = i64, Path, description = "The image's id")), responses((status = 200, body = Reply<ImageExclusions>)))]
pub async fn image_exclusions(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ImageExclusions> {
    reply(of(&ctx, ImageId(id)).await?)
}

/// Names a path that copies of phones may leave out on an image. It holds once another operator approves it.
#[utoipa::path(post, path = "/api/fleet/v1/images/{id}/exclusions", tag = "fleet", request_body = ExcludeInput,
    params(("id" = i64, Path, description = "The image's id")), responses((status = 200, body = Reply<ExclusionView>)))]
pub async fn image_exclude(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ExcludeInput>,
) -> ApiResult<ExclusionView> {
    reply(exclude(&ctx, ImageId(id), input).await?)
}

/// Approves a path that another operator has named: from now on copies leave it out, and take-offs that are held for such a
/// thing on a card of the image are tried again.
#[utoipa::path(post, path = "/api/fleet/v1/exclusions/{id}/approve", tag = "fleet",
    params(("id" = i64, Path, description = "The path's id")), responses((status = 200, body = Reply<ExclusionView>)))]
pub async fn image_exclusion_approve(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ExclusionView> {
    reply(approve(&ctx, ImageExclusionId(id)).await?)
}

/// Removes a path, approved or not: what is there stands in the way of copies again.
#[utoipa::path(delete, path = "/api/fleet/v1/exclusions/{id}", tag = "fleet",
    params(("id" = i64, Path, description = "The path's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn image_exclusion_remove(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    remove(&ctx, ImageExclusionId(id)).await?;
    done()
}

#[cfg(test)]
mod tests {
    use wire::copy::DropReason;

    use super::{DropWhy, left_out_everywhere, may_be_excluded, path};

    #[test]
    fn a_path_is_below_data_and_never_near_what_copies_keep() {
        for fine in [
            "/data/vendor_game",
            "/data/vendor_game/saves/*/log-*.txt",
            "/data/一 二/三",
            "/data/user/0/com.gone",
            "/data/user_de/0/com.gone",
            "/data/data/com.gone",
            "/data/systems",
        ] {
            assert!(may_be_excluded(fine), "{fine}");
        }
        for (wrong, code) in [
            ("", "required"),
            (" /data/a", "text.leadingSpace"),
            ("/data/a\nb", "text.control"),
            ("/data", "exclusion.path"),
            ("/data/", "exclusion.path"),
            ("data/a", "exclusion.path"),
            ("/sdcard/a", "exclusion.path"),
            ("/DATA/a", "exclusion.path"),
            ("/data/../system", "exclusion.path"),
            ("/data/a/../user", "exclusion.path"),
            ("/data/a/./b", "exclusion.path"),
            ("/data//a", "exclusion.path"),
            ("/data/a/", "exclusion.path"),
            ("/data/*", "exclusion.path"),
            ("/data/use*", "exclusion.path"),
            ("/data/a/**", "exclusion.path"),
            ("/data/user", "exclusion.kept"),
            ("/data/user/0", "exclusion.kept"),
            ("/data/user/*/com.gone", "exclusion.kept"),
            ("/data/user/0/*", "exclusion.kept"),
            ("/data/user/0/com.game/files", "exclusion.kept"),
            ("/data/user/10/com.game", "exclusion.kept"),
            ("/data/user_de/0", "exclusion.kept"),
            ("/data/data", "exclusion.kept"),
            ("/data/data/com.*", "exclusion.kept"),
            ("/data/media/0/DCIM", "exclusion.kept"),
            ("/data/app/com.game-1", "exclusion.kept"),
            ("/data/system", "exclusion.known"),
            ("/data/system/users/0", "exclusion.known"),
            ("/data/misc/keystore", "exclusion.known"),
        ] {
            assert_eq!(path(wrong).map_err(|broken| broken.code), Err(code), "{wrong}");
        }
        assert_eq!(path(&format!("/data/{}", "a".repeat(195))).map_err(|broken| broken.code), Err("text.tooLong"));
    }

    #[test]
    fn what_agents_leave_out_by_themselves_is_shown_by_its_reason() {
        let all = left_out_everywhere();
        assert_eq!(
            all.iter().map(|one| one.why).collect::<Vec<_>>(),
            [DropWhy::Cache, DropWhy::System, DropWhy::Bound]
        );
        assert_eq!(all[0].paths, ["*/cache", "*/code_cache"]);
        assert!(all[1].paths.contains(&"dalvik-cache".to_owned()) && all[2].paths.contains(&"misc".to_owned()));
        assert_eq!(DropWhy::from(DropReason::Allowed), DropWhy::Allowed);
    }
}
