//! Having a phone live by another copy of its own again.

use base::fault::Fault;
use base::list::Selection;
use base::prelude::*;
use entity::backup::Entity;
use entity::{BackupId, phone};
use fleet::operation::OperationDetail;
use fleet::reasons;
use kernel::rules::{line, max_chars};
use wire::Reason;

use crate::phone::acts::begin;
use crate::phone::wish::Act;
use crate::saga;

const NOT_FOUND: Text = text("备份不存在", "There is no such backup");

/// How a phone is set back to a copy.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BackupSetBackInput {
    /// At once, which needs a reason. If false, whoever uses the phone is warned for five minutes first.
    #[serde(default)]
    pub now: bool,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for BackupSetBackInput {
    fn check(&self, check: &mut Check) {
        check.field("reason", if self.now { line(&self.reason, 256) } else { max_chars(&self.reason, 256) });
    }
}

/// Refuses at once what would be skipped. The operation looks again.
async fn may_begin(ctx: &OpCtx, id: BackupId) -> Outcome<phone::Model> {
    let db = ctx.app.db.read();
    let copy = Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)?;
    let phone = phone::Entity::find_by_id(copy.phone_id).one(db).await?.or_missing(NOT_FOUND)?;
    let refused = |why: Reason| Fault::conflict(reasons::text_of(why));
    saga::goes_back_to(&ctx.app, db, &phone, id).await?.map_err(refused)?;
    let one = std::slice::from_ref(&phone);
    if !saga::busy(db, one).await?.is_empty() && saga::give_way(db, one).await?.is_empty() {
        return Err(refused(Reason::PhoneUnderWay));
    }
    Ok(phone)
}

/// Sets a phone back to a copy of its own. If it is off, it comes with that when it is wanted. If it is on a card, it is taken off
/// first, as by a take-off, and put on with it: nothing moves unless a card of its room runs the copy's image. What it had until then
/// is in a copy that is safe for 14 days, and can be chosen back. Answers the operation, whose task ends when the phone is on again.
#[utoipa::path(post, path = "/api/storage/v1/backups/{id}/set-back", tag = "storage", request_body = BackupSetBackInput,
    params(("id" = i64, Path, description = "The copy's id")),
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn backup_set_back(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<BackupSetBackInput>,
) -> ApiResult<OperationDetail> {
    let BackupSetBackInput { now, reason } = input;
    let phone = may_begin(&ctx, BackupId(id)).await?;
    let act = Act::SetBack { backup_id: BackupId(id), now };
    reply(begin(&ctx, &Selection::Ids(vec![phone.id]), &act, &reason).await?)
}
