//! Having the packages of a copy installed on a phone that is on a card.

use base::fault::Fault;
use base::prelude::*;
use entity::backup::Entity;
use entity::phone::DiskState;
use entity::{BackupId, PhoneId, card, phone, placement, repo};
use fleet::{Connections, operation, reasons};
use sea_orm::QuerySelect as _;
use wire::Reason;

use super::packages;
use super::place::is_reached_by;
use crate::phone::act::is_on;
use crate::saga::{self, Desk};

const NOT_FOUND: Text = text("备份不存在", "There is no such backup");
const NO_PHONE: Text = text("云手机不存在", "There is no such cloud phone");
const NOT_MADE: Text =
    text("该备份没有完成，没有可安装的应用", "This backup was not completed: there is nothing to install");
const NO_APPS: Text = text("该备份没有保存应用安装包", "No packages of apps were saved with this backup");
const OF_OTHER: Text = text(
    "该云手机属于其他用户：只能安装到同一用户的云手机",
    "The phone is another user's: choose one of the user whose backup it is",
);
const NOBODY: Text = text(
    "云手机所在机房没有已连接且能访问该备份存储节点的代理",
    "No connected agent of the phone's room reaches the storage node of this backup",
);

/// Where the apps of a copy go.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupAppsInput {
    /// A phone that is on a card, of the user whose copy it is; the one that was copied, or another.
    pub phone_id: PhoneId,
}

impl Validate for BackupAppsInput {
    fn check(&self, _: &mut Check) {}
}

async fn install(ctx: &OpCtx, id: BackupId, to: PhoneId) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let copy = Entity::find_by_id(id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    if !copy.state.is_made() {
        return Err(Fault::conflict(NOT_MADE));
    }
    if packages::of_copy(&*tx, id).await?.is_empty() {
        return Err(Fault::conflict(NO_APPS));
    }
    // Two who press at once: the second one finds the first one's.
    let phone = phone::Entity::find_by_id(to).lock_exclusive().one(&*tx).await?.or_missing(NO_PHONE)?;
    let from = phone::Entity::find_by_id(copy.phone_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    if phone.user_id != from.user_id {
        return Err(Fault::conflict(OF_OTHER));
    }
    let refused = |why: Reason| Fault::conflict(reasons::text_of(why));
    is_on(&phone).map_err(refused)?;
    if DiskState::of(phone.used_bytes, phone.disk_gb) == DiskState::Over {
        return Err(refused(Reason::PhoneDiskOver));
    }
    if !saga::busy(&*tx, std::slice::from_ref(&phone)).await?.is_empty() {
        return Err(refused(Reason::PhoneUnderWay));
    }
    let stay = match phone.holds_id {
        Some(stay) => placement::Entity::find_by_id(stay).one(&*tx).await?,
        None => None,
    };
    let stay = stay.ok_or_else(|| refused(Reason::PhoneOffMachine))?;
    let card = card::Entity::find_by_id(stay.card_id).one(&*tx).await?;
    let room = card.ok_or_else(|| refused(Reason::PhoneOffMachine))?.room_id;
    let repo = repo::Entity::find_by_id(copy.repo_id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    if !is_reached_by(&*tx, ctx.app.part::<Connections>().that_copy(room), repo.node_id).await? {
        return Err(Fault::conflict(NOBODY));
    }
    let mut desk = Desk::new(&ctx.app, tx.inner());
    let saga = desk.bring_apps(&copy, &phone, (&stay, room), &ctx.session.username).await?;
    let told = desk.told;
    operation::begin_alone(ctx, &tx, room, saga.0).await?;
    tx.commit(Audit::of("phone").id(phone.id).name(&phone.code).note(format!("backup {id}"))).await?;
    told.tell(&ctx.app);
    Ok(())
}

/// Installs the packages of a copy on a phone that is on a card: those that it lacks or has in an older version, with the
/// permissions that they had been granted. The phone goes on. What becomes of it is on the phone's page.
#[utoipa::path(post, path = "/api/storage/v1/backups/{id}/apps", tag = "storage", request_body = BackupAppsInput,
    params(("id" = i64, Path, description = "The copy's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn backup_apps(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<BackupAppsInput>) -> ApiResult<()> {
    install(&ctx, BackupId(id), input.phone_id).await?;
    done()
}
