//! Having a phone that was never used come on a card with what a copy holds.

use base::fault::Fault;
use base::list::Selection;
use base::prelude::*;
use entity::backup::Entity;
use entity::{BackupId, PhoneId, phone, repo};
use fleet::operation::OperationDetail;
use fleet::{Connections, reasons};
use wire::Reason;

use super::place::is_reached_by;
use crate::phone::act::takes_copy;
use crate::phone::acts::begin;
use crate::phone::wish::Act;
use crate::saga;

const NOT_FOUND: Text = text("备份不存在", "There is no such backup");
const NO_PHONE: Text = text("云手机不存在", "There is no such cloud phone");
const NOBODY: Text = text(
    "云手机归属机房没有已连接且能访问该备份存储节点的代理，或代理版本过旧",
    "No connected agent of the phone's home room reaches the storage node of this backup, or it is too old for this",
);

/// With which phone a copy comes on a card.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupRestoreInput {
    /// A phone that was never used, of the user whose copy it is, with a plan of the same board.
    pub phone_id: PhoneId,
}

impl Validate for BackupRestoreInput {
    fn check(&self, _: &mut Check) {}
}

/// Refuses at once what would fail in the queue. The operation looks again.
async fn may_begin(ctx: &OpCtx, id: BackupId, to: PhoneId) -> Outcome<()> {
    let db = ctx.app.db.read();
    let copy = Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)?;
    let from = phone::Entity::find_by_id(copy.phone_id).one(db).await?.or_missing(NOT_FOUND)?;
    let phone = phone::Entity::find_by_id(to).one(db).await?.or_missing(NO_PHONE)?;
    let refused = |why: Reason| Fault::conflict(reasons::text_of(why));
    saga::fits(&copy, &from, &phone).map_err(refused)?;
    takes_copy(&phone).map_err(refused)?;
    if !saga::busy(db, std::slice::from_ref(&phone)).await?.is_empty() {
        return Err(refused(Reason::PhoneUnderWay));
    }
    let repo = repo::Entity::find_by_id(copy.repo_id).one(db).await?.or_missing(NOT_FOUND)?;
    if !is_reached_by(db, ctx.app.part::<Connections>().that_restore(phone.room_id), repo.node_id).await? {
        return Err(Fault::conflict(NOBODY));
    }
    Ok(())
}

/// Puts a phone that was never used on a card of its home room, with the apps and the data that a copy holds. The phone that
/// was copied is not touched. Answers the operation, whose task ends when the phone is on.
#[utoipa::path(post, path = "/api/storage/v1/backups/{id}/restore", tag = "storage", request_body = BackupRestoreInput,
    params(("id" = i64, Path, description = "The copy's id")),
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn backup_restore(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<BackupRestoreInput>,
) -> ApiResult<OperationDetail> {
    may_begin(&ctx, BackupId(id), input.phone_id).await?;
    let act = Act::FromBackup { backup_id: BackupId(id) };
    reply(begin(&ctx, &Selection::Ids(vec![input.phone_id]), &act, "").await?)
}
