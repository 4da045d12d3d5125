//! The endpoints of phones.

use base::fault::OrMissing as _;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, Valid, reply};
use entity::PhoneId;
use entity::phone::{Life, UseType};
use fleet::operation::{OperationDetail, OperationPreview};
use serde::Serialize;
use tokio::try_join;
use utoipa::ToSchema;

use super::acts::{
    AcceptCopyInput, ChangePlanInput, FreezeInput, GoOnInput, OpenElsewhereInput, PhonePreviewInput, PhonesInput,
    RenewInput, TakeOffInput, accept_copy, begin, go_on, open_elsewhere, preview,
};
use super::filter::PhoneFilter;
use super::service::{self, NOT_FOUND, PhoneCreateInput, PhoneUpdateInput, PhonesCreated};
use super::view::{self, PhoneView};
use super::wish::Act;

/// How many phones are in the views of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhoneCounts {
    /// All but the erased ones.
    pub all: u64,
    /// On the machine.
    pub on: u64,
    /// Active and off the machine.
    pub off: u64,
    pub frozen: u64,
    /// Expired, and not released yet.
    pub expired: u64,
    /// Active, and expiring within seven days.
    pub expires_soon: u64,
    /// Of which something waits for a person.
    pub held: u64,
}

/// Counts phones by state.
#[utoipa::path(get, path = "/api/phone/v1/phones/counts", tag = "phone",
    responses((status = 200, body = Reply<PhoneCounts>)))]
pub async fn phone_counts(ctx: OpCtx) -> ApiResult<PhoneCounts> {
    let of = async |filter: PhoneFilter| filter.at(ctx.now()).total(ctx.db()).await;
    let of_life = |life: Life| PhoneFilter { life: Some(life), ..PhoneFilter::default() };
    let (all, on, off, frozen, expired, expires_soon, held) = try_join!(
        of(PhoneFilter::default()),
        of(PhoneFilter { use_type: Some(UseType::On), ..PhoneFilter::default() }),
        of(PhoneFilter { use_type: Some(UseType::Off), ..of_life(Life::Active) }),
        of(of_life(Life::Frozen)),
        of(of_life(Life::Expired)),
        of(PhoneFilter { expires_soon: Some(true), ..PhoneFilter::default() }),
        of(PhoneFilter { held: Some(true), ..PhoneFilter::default() }),
    )?;
    reply(PhoneCounts { all, on, off, frozen, expired, expires_soon, held })
}

async fn view(ctx: &OpCtx, id: PhoneId) -> ApiResult<PhoneView> {
    reply(view::view(&ctx.app, ctx.app.db.lookups(), id).await?.or_missing(NOT_FOUND)?)
}

/// Returns one phone.
#[utoipa::path(get, path = "/api/phone/v1/phones/{id}", tag = "phone",
    params(("id" = i64, Path, description = "The phone's id")), responses((status = 200, body = Reply<PhoneView>)))]
pub async fn phone_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<PhoneView> {
    view(&ctx, PhoneId(id)).await
}

/// Makes phones for a user: one, or several that differ in their codes.
#[utoipa::path(post, path = "/api/phone/v1/phones", tag = "phone", request_body = PhoneCreateInput,
    responses((status = 200, body = Reply<PhonesCreated>)))]
pub async fn phone_create(ctx: OpCtx, Valid(input): Valid<PhoneCreateInput>) -> ApiResult<PhonesCreated> {
    reply(service::create(&ctx, input).await?)
}

/// Updates a phone.
#[utoipa::path(put, path = "/api/phone/v1/phones/{id}", tag = "phone", request_body = PhoneUpdateInput,
    params(("id" = i64, Path, description = "The phone's id")), responses((status = 200, body = Reply<PhoneView>)))]
pub async fn phone_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<PhoneUpdateInput>,
) -> ApiResult<PhoneView> {
    let row = service::update(&ctx, PhoneId(id), input).await?;
    view(&ctx, row.id).await
}

/// Previews an operation on phones: to how many of a selection it would be done, and why not to the others. Nothing is
/// done.
#[utoipa::path(post, path = "/api/phone/v1/phones/preview", tag = "phone", request_body = PhonePreviewInput,
    responses((status = 200, body = Reply<OperationPreview>)))]
pub async fn phone_preview(ctx: OpCtx, Valid(input): Valid<PhonePreviewInput>) -> ApiResult<OperationPreview> {
    reply(preview(&ctx, &input).await?)
}

/// Prolongs phones. Answers the operation that does it; a small one has ended by then.
#[utoipa::path(post, path = "/api/phone/v1/phones/renew", tag = "phone", request_body = RenewInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_renew(ctx: OpCtx, Valid(input): Valid<RenewInput>) -> ApiResult<OperationDetail> {
    let RenewInput { selection, days } = input;
    reply(begin(&ctx, &selection, &Act::Renew { days }, "").await?)
}

/// Gives phones another plan. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/plan", tag = "phone", request_body = ChangePlanInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_change_plan(ctx: OpCtx, Valid(input): Valid<ChangePlanInput>) -> ApiResult<OperationDetail> {
    let ChangePlanInput { selection, plan } = input;
    reply(begin(&ctx, &selection, &Act::ChangePlan { plan }, "").await?)
}

/// Freezes phones: nobody may use them. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/freeze", tag = "phone", request_body = FreezeInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_freeze(ctx: OpCtx, Valid(input): Valid<FreezeInput>) -> ApiResult<OperationDetail> {
    let FreezeInput { selection, reason } = input;
    reply(begin(&ctx, &selection, &Act::Freeze, &reason).await?)
}

/// Thaws phones. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/thaw", tag = "phone", request_body = PhonesInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_thaw(ctx: OpCtx, Valid(input): Valid<PhonesInput>) -> ApiResult<OperationDetail> {
    reply(begin(&ctx, &input.selection, &Act::Thaw, &input.reason).await?)
}

/// Releases phones, for a reason: they are erased after their stay, unless they are restored. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/release", tag = "phone", request_body = FreezeInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_release(ctx: OpCtx, Valid(input): Valid<FreezeInput>) -> ApiResult<OperationDetail> {
    reply(begin(&ctx, &input.selection, &Act::Release, &input.reason).await?)
}

/// Restores released phones. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/restore", tag = "phone", request_body = PhonesInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_restore(ctx: OpCtx, Valid(input): Valid<PhonesInput>) -> ApiResult<OperationDetail> {
    reply(begin(&ctx, &input.selection, &Act::Restore, &input.reason).await?)
}

/// Puts phones on cards of their home rooms, one that was used with everything that its copy holds: each waits in its room's
/// queue for a card of its board. Answers the operation, whose tasks end when the phones are on.
#[utoipa::path(post, path = "/api/phone/v1/phones/put-on", tag = "phone", request_body = PhonesInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_put_on(ctx: OpCtx, Valid(input): Valid<PhonesInput>) -> ApiResult<OperationDetail> {
    reply(begin(&ctx, &input.selection, &Act::PutOn, &input.reason).await?)
}

/// Takes phones off their cards: whoever uses one is warned for five minutes, unless it is to be at once; then each is stopped and
/// copied to a storage node, and off once its copy was read back, and its card is wiped. Whatever fails before that, it goes on
/// where it is. Answers the operation, whose tasks end when the phones are off.
#[utoipa::path(post, path = "/api/phone/v1/phones/take-off", tag = "phone", request_body = TakeOffInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_take_off(ctx: OpCtx, Valid(input): Valid<TakeOffInput>) -> ApiResult<OperationDetail> {
    let TakeOffInput { selection, now, reason } = input;
    reply(begin(&ctx, &selection, &Act::TakeOff { now }, &reason).await?)
}

/// Restarts phones on their cards, and waits until they are well again. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/restart", tag = "phone", request_body = PhonesInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_restart(ctx: OpCtx, Valid(input): Valid<PhonesInput>) -> ApiResult<OperationDetail> {
    reply(begin(&ctx, &input.selection, &Act::Restart, &input.reason).await?)
}

/// Lets phones whose cards are lost go on elsewhere with what their copies hold: what was written since is on the lost cards
/// alone, which stay as they are. A card has to be off, as its BMC says, or somebody answers for it with a reason. Phones whose own
/// copies are damaged come with the older ones on offer (`underWay.offer`), each of which has to be named: 409 if another one is on
/// offer by now. Answers the operation, whose tasks end when the phones are on.
#[utoipa::path(post, path = "/api/phone/v1/phones/accept-copy", tag = "phone", request_body = AcceptCopyInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_accept_copy(ctx: OpCtx, Valid(input): Valid<AcceptCopyInput>) -> ApiResult<OperationDetail> {
    reply(accept_copy(&ctx, &input).await?)
}

/// Gives up what phones had on lost cards, where there is no whole copy of it: another operator has to approve it, and then
/// they are as new. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/give-up", tag = "phone", request_body = FreezeInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_give_up(ctx: OpCtx, Valid(input): Valid<FreezeInput>) -> ApiResult<OperationDetail> {
    let FreezeInput { selection, reason } = input;
    reply(begin(&ctx, &selection, &Act::GiveUp, &reason).await?)
}

/// Opens phones of a room in which no agent is there in another room: those on cards leave these and live by their copies, as
/// if the cards were lost, and the other room is the home of all of them. A card has to be off, as its BMC says, or somebody
/// answers for it. Another operator has to approve it. Answers the operation that does it; the phones are put on in the other
/// room when somebody wants them.
#[utoipa::path(post, path = "/api/phone/v1/phones/open-elsewhere", tag = "phone", request_body = OpenElsewhereInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_open_elsewhere(ctx: OpCtx, Valid(input): Valid<OpenElsewhereInput>) -> ApiResult<OperationDetail> {
    reply(open_elsewhere(&ctx, &input).await?)
}

/// Wipes what phones have left on cards in quarantine and what waits for a decision, also where it is in no copy: another
/// operator has to approve it. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/wipe-left", tag = "phone", request_body = FreezeInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_wipe_left(ctx: OpCtx, Valid(input): Valid<FreezeInput>) -> ApiResult<OperationDetail> {
    let FreezeInput { selection, reason } = input;
    reply(begin(&ctx, &selection, &Act::WipeLeft, &reason).await?)
}

/// Goes on with what waits of phones until a person says so, as `sagas/{id}/retry` does with one: what they have left on cards in
/// quarantine is copied as soon as that can be done; other cards are wiped, after a profile that was tried; take-offs that are held
/// are tried again now, if whoever asks has `phone:takeOff`. Nothing is wiped that may be in no copy. Answers the operation that
/// does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/go-on", tag = "phone", request_body = GoOnInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_go_on(ctx: OpCtx, Valid(input): Valid<GoOnInput>) -> ApiResult<OperationDetail> {
    reply(go_on(&ctx, &input).await?)
}

/// Makes copies of phones that are on cards: each is stopped, copied to a storage node, and goes on; then its copy is read
/// back. Answers the operation that does it.
#[utoipa::path(post, path = "/api/phone/v1/phones/back-up", tag = "phone", request_body = PhonesInput,
    responses((status = 200, body = Reply<OperationDetail>)))]
pub async fn phone_back_up(ctx: OpCtx, Valid(input): Valid<PhonesInput>) -> ApiResult<OperationDetail> {
    reply(begin(&ctx, &input.selection, &Act::BackUp, &input.reason).await?)
}
