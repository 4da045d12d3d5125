//! Single copies.

use base::fault::Fault;
use base::prelude::*;
use entity::backup::Entity;
use entity::{BackupId, phone, repo, store_node};
use serde::Serialize;

use super::place::{Door, Locked};
use super::view::{BackupDetail, detail};

const NOT_FOUND: Text = text("备份不存在", "There is no such backup");
const ERASED: Text =
    text("云手机已清除，其备份无法再打开", "The phone is erased: nobody can open its backups any more");
const NOT_MADE: Text =
    text("该备份没有完成，没有可打开的内容", "This backup was not completed: there is nothing to open");

/// How people open the repository of a copy without this product.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RecoveryView {
    /// The password for `restic`.
    pub code: String,
    /// The folder of the repository, as its agents see it.
    pub repository: String,
    /// What to type where that folder can be read: everything goes into a folder `restored`.
    pub command: String,
}

/// Returns one copy with what it holds.
#[utoipa::path(get, path = "/api/storage/v1/backups/{id}", tag = "storage",
    params(("id" = i64, Path, description = "The copy's id")), responses((status = 200, body = Reply<BackupDetail>)))]
pub async fn backup_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<BackupDetail> {
    let row = Entity::find_by_id(BackupId(id)).one(ctx.read()).await?.or_missing(NOT_FOUND)?;
    reply(detail(&ctx.app, ctx.read(), row, ctx.lang()).await?.or_missing(NOT_FOUND)?)
}

async fn reveal(ctx: &OpCtx, id: BackupId) -> Outcome<RecoveryView> {
    let tx = ctx.begin_write().await?;
    let row = Entity::find_by_id(id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let repo = repo::Entity::find_by_id(row.repo_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let node = store_node::Entity::find_by_id(repo.node_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    let phone = phone::Entity::find_by_id(row.phone_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    if repo.erase_at.is_some() {
        return Err(Fault::conflict(ERASED));
    }
    if row.snapshot.is_empty() {
        return Err(Fault::conflict(NOT_MADE));
    }
    let code = Door::Recovery.read(&ctx.app, &*tx, Locked::Repo(repo.id)).await?;
    let repository = format!("{}/{}", node.place.trim_end_matches('/'), repo.folder);
    let command = format!("restic -r '{repository}' --no-lock restore {} --target restored", row.snapshot);
    tx.commit(Audit::of("phone").id(phone.id).name(&phone.code).note(format!("backup {id}"))).await?;
    Ok(RecoveryView { code, repository, command })
}

/// Shows with which code `restic` opens the repository of a copy, for the day when this product is not at hand. Everybody
/// with that code and access to the storage node reads all copies of the phone.
#[utoipa::path(post, path = "/api/storage/v1/backups/{id}/reveal", tag = "storage",
    params(("id" = i64, Path, description = "The copy's id")), responses((status = 200, body = Reply<RecoveryView>)))]
pub async fn backup_reveal(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<RecoveryView> {
    reply(reveal(&ctx, BackupId(id)).await?)
}
