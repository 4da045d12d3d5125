//! What waits for a person goes on at his word, or ends.

use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx, OpTx};
use base::http::{ApiResult, Need, Nothing, Reply, Valid, Validate, done};
use entity::saga::{self, SagaKind, SagaState};
use entity::{SagaId, phone};
use fleet::{operation, reasons};
use kernel::rules::{Check, line, max_chars};
use kernel::text::{Text, text};
use sea_orm::{EntityTrait as _, QuerySelect as _};
use serde::Deserialize;
use utoipa::ToSchema;
use wire::Reason;

use super::advance::Desk;
use super::onward::untried;
use super::told::Told;
use crate::screens::perm;

const NOT_FOUND: Text = text("记录不存在", "There is no such record");
const NOT_HELD: Text =
    text("只有“待处理”的清理和下机可以继续", "Only a clearing or a take-off that waits for a person can go on");

const NOT_ASKED: Text = text(
    "只有等待确认较早备份的上机可以取消",
    "Only a put-on that waits until somebody accepts an older backup can be cancelled",
);

const NOT_LEAVING: Text = text(
    "只有受阻、等待重试或处理的下机可以在此取消",
    "Only a take-off that is held, to be tried again or decided about, can be cancelled here",
);

/// Why something goes on that waited for a person.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SagaRetryInput {
    /// Reason; up to 256 characters. Needed where it is accepted that a copy has far less than the one before, and where a card is
    /// wiped by a profile that nobody has tried.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for SagaRetryInput {
    fn check(&self, check: &mut Check) {
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// Commits what a person said of a saga, and why, written down with its phone, and tells it.
async fn commit(
    ctx: &OpCtx,
    tx: OpTx,
    told: Told,
    (before, after): (&saga::Model, &saga::Model),
    reason: &str,
) -> Outcome<()> {
    let code = phone::Entity::find_by_id(after.phone_id).one(&*tx).await?.map(|row| row.code);
    let audit = Audit::of("phone").id(after.phone_id).name(code.unwrap_or_default()).before(before).after(after);
    tx.commit(audit.note(reason)).await?;
    told.tell(&ctx.app);
    Ok(())
}

/// What going on with it does is a right of its own: that its phone leaves its card, and that it lives by a copy with far less
/// than the one before.
fn right_to(saga: &saga::Model) -> Option<Need> {
    (saga.kind == SagaKind::TakeOff)
        .then(|| if saga.code == Reason::Shrunk.code() { perm::PHONE_ACCEPT_COPY } else { perm::PHONE_TAKE_OFF })
}

async fn go_on(ctx: &OpCtx, id: SagaId, reason: &str) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let before = saga::Entity::find_by_id(id).lock_exclusive().one(&*tx).await?.or_missing(NOT_FOUND)?;
    if !matches!(before.kind, SagaKind::Clear | SagaKind::TakeOff) || before.state != SagaState::Held {
        return Err(Fault::conflict(NOT_HELD));
    }
    if let Some(right) = right_to(&before)
        && !ctx.holds(right)
    {
        drop(tx);
        return ctx.require(right.code()).await;
    }
    // Whoever looks for what became of the phone's data has to find why.
    let wants_reason = before.code == Reason::Shrunk.code() || untried(&*tx, [before.phone_id]).await?.contains(&id);
    let mut desk = Desk::new(&ctx.app, tx.inner());
    let after = if before.kind == SagaKind::TakeOff {
        desk.requeue(&before).await?
    } else {
        desk.retry(&before).await?.map_err(|why| Fault::conflict(reasons::text_of(why)))?
    };
    let told = desk.told;
    if wants_reason {
        line(reason, 256).map_err(|violation| Fault::field("reason", violation))?;
    }
    operation::begin_alone(ctx, &tx, before.room_id, id.0).await?;
    commit(ctx, tx, told, (&before, &after), reason).await
}

/// Goes on with a clearing that waits for a person: with what is known by now of the card's image, also if nobody has
/// tried that on such a board before. What is on a card in quarantine, and may be in no copy, is copied before that, as soon as
/// the card answers. Tries a take-off that is held again now, for which `phone:takeOff` is needed as well; or, where it is held
/// since its copy has far less than the one before, accepts that, for which `phone:acceptCopy` is. It counts with what else one
/// operator lets begin within some minutes.
#[utoipa::path(post, path = "/api/phone/v1/sagas/{id}/retry", tag = "phone", request_body = SagaRetryInput,
    params(("id" = i64, Path, description = "The saga's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn saga_retry(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(SagaRetryInput { reason }): Valid<SagaRetryInput>,
) -> ApiResult<()> {
    go_on(&ctx, SagaId(id), &reason).await?;
    done()
}

async fn cancel(ctx: &OpCtx, id: SagaId, kind: SagaKind, why_not: Text) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let before = saga::Entity::find_by_id(id).lock_exclusive().one(&*tx).await?.or_missing(NOT_FOUND)?;
    if before.kind != kind || before.state != SagaState::Held {
        return Err(Fault::conflict(why_not));
    }
    let mut desk = Desk::new(&ctx.app, tx.inner());
    if kind == SagaKind::TakeOff {
        desk.leaves_off(&before).await?;
    } else {
        desk.withdraws(&before, "").await?;
    }
    let told = desk.told;
    let after = saga::Entity::find_by_id(id).one(&*tx).await?.or_missing(NOT_FOUND)?;
    commit(ctx, tx, told, (&before, &after), "").await
}

/// Cancels a put-on whose copy is damaged and that waits until somebody accepts an older one: the phone stays off.
#[utoipa::path(post, path = "/api/phone/v1/sagas/{id}/cancel", tag = "phone",
    params(("id" = i64, Path, description = "The saga's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn saga_cancel(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    cancel(&ctx, SagaId(id), SagaKind::PutOn, NOT_ASKED).await?;
    done()
}

/// Cancels a take-off that is held, whoever or whichever rule asked for it: its phone stays on its card. Rules that want it to
/// leave ask again half an hour later at the earliest.
#[utoipa::path(post, path = "/api/phone/v1/sagas/{id}/stay", tag = "phone",
    params(("id" = i64, Path, description = "The saga's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn saga_stay(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    cancel(&ctx, SagaId(id), SagaKind::TakeOff, NOT_LEAVING).await?;
    done()
}
