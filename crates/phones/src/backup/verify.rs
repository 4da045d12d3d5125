//! Having a copy read back.

use base::fault::Fault;
use base::prelude::*;
use entity::backup::Entity;
use entity::{BackupId, phone, repo};
use fleet::{operation, reasons};
use sea_orm::QuerySelect as _;
use wire::Reason;

use super::place::{in_hand, room_that_reaches};
use crate::saga::Desk;

const NOT_FOUND: Text = text("备份不存在", "There is no such backup");
const NOT_MADE: Text = text("该备份没有完成，无法校验", "This backup was not completed: there is nothing to verify");
const IN_HAND: Text = text("该备份正在生成或校验", "This backup is being made or verified just now");

async fn verify(ctx: &OpCtx, id: BackupId) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    // Two who press at once: the second one finds the first one's.
    let copy = Entity::find_by_id(id).lock_exclusive().one(&*tx).await?.or_missing(NOT_FOUND)?;
    if !copy.state.is_made() {
        return Err(Fault::conflict(NOT_MADE));
    }
    if in_hand(&*tx, id).await? {
        return Err(Fault::conflict(IN_HAND));
    }
    let repo = repo::Entity::find_by_id(copy.repo_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let phone = phone::Entity::find_by_id(copy.phone_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let room = room_that_reaches(&ctx.app, &*tx, repo.node_id, phone.room_id).await?;
    let room = room.ok_or_else(|| Fault::conflict(reasons::text_of(Reason::StoreUnreachable)))?;
    let mut desk = Desk::new(&ctx.app, tx.inner());
    let saga = desk.verify(&copy, room, &ctx.session.username).await?;
    let told = desk.told;
    operation::begin_alone(ctx, &tx, room, saga.0).await?;
    tx.commit(Audit::of("phone").id(phone.id).name(&phone.code).note(format!("backup {id}"))).await?;
    told.tell(&ctx.app);
    Ok(())
}

/// Has all of a copy read back from its storage node. What is found is in the list: when it was verified, or what is
/// damaged. The phone is not interrupted.
#[utoipa::path(post, path = "/api/storage/v1/backups/{id}/verify", tag = "storage",
    params(("id" = i64, Path, description = "The copy's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn backup_verify(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    verify(&ctx, BackupId(id)).await?;
    done()
}
