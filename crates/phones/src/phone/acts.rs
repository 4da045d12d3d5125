//! Acts on a selection of phones: each begins an operation ([`super::targets`]).

use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::OpCtx;
use base::list::Selection;
use entity::phone::Plan;
use entity::{BackupId, PhoneId, RoomId};
use fleet::operation::targets::Wanted;
use fleet::operation::{self, NewOperation, OperationDetail, OperationOptions, OperationPreview};
use kernel::rules::{Check, Violation, integer_between, line, max_chars};
use serde::Deserialize;
use utoipa::ToSchema;

use super::filter::PhoneFilter;
use super::known::seen;
use super::wish::Act;
use crate::screens::perm;

/// Some phones.
pub type PhoneSelection = Selection<PhoneId, PhoneFilter>;

/// Phones that are paid for.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RenewInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// For how many days, 1 to 999, from now or from the expiry, whichever is later.
    #[schema(minimum = 1, maximum = 999)]
    pub days: i64,
}

impl Validate for RenewInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("days", integer_between(self.days, 1, 999));
    }
}

/// Phones that get another plan.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChangePlanInput {
    /// Which phones. Those on the machine stay as they are; a used one keeps its board.
    pub selection: PhoneSelection,
    /// The new plan.
    pub plan: Plan,
}

impl Validate for ChangePlanInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
    }
}

/// Phones that nobody may use, that are released, or of which something is given up or wiped.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FreezeInput {
    /// Which phones. Those of which it cannot be done stay as they are.
    pub selection: PhoneSelection,
    /// Reason; 1 to 256 characters.
    #[schema(min_length = 1, max_length = 256)]
    pub reason: String,
}

impl Validate for FreezeInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", line(&self.reason, 256));
    }
}

/// Phones whose cards are lost, and that go on with their copies.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AcceptCopyInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// Whoever asks answers for it that no card comes back and runs as well; needs a reason. If false, only those phones go
    /// on whose cards are off.
    #[serde(default)]
    pub answered_for: bool,
    /// The copy that whoever asks has seen. A phone comes with an older copy only if that is named; a lost one goes on with its newest
    /// whole copy, whichever that is, unless one is named.
    #[serde(default)]
    pub backup_id: Option<BackupId>,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for AcceptCopyInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", if self.answered_for { line(&self.reason, 256) } else { max_chars(&self.reason, 256) });
    }
}

/// Phones of rooms in which no agent is there that are opened in another room.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenElsewhereInput {
    /// Which phones. Those of which it cannot be done stay as they are.
    pub selection: PhoneSelection,
    /// The other room.
    pub room_id: RoomId,
    /// Whoever asks answers for it that the cards of the old room are off, or cut off. If false, only those phones are opened
    /// whose cards are off, and those that are on none.
    #[serde(default)]
    pub answered_for: bool,
    /// Reason; 1 to 256 characters.
    #[schema(min_length = 1, max_length = 256)]
    pub reason: String,
}

impl Validate for OpenElsewhereInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", line(&self.reason, 256));
    }
}

/// Phones of which something waits until a person says that it goes on.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GoOnInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// Also with take-offs that are held since a copy has far less than the one before: that is accepted by it, for which
    /// `phone:acceptCopy` and a reason are needed.
    #[serde(default)]
    pub accept_shrunk: bool,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for GoOnInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", if self.accept_shrunk { line(&self.reason, 256) } else { max_chars(&self.reason, 256) });
    }
}

/// Phones that are taken off their cards.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TakeOffInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// At once, which needs a reason. If false, whoever uses one is warned for five minutes first, and it is taken off then, or as
    /// soon as he leaves.
    #[serde(default)]
    pub now: bool,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for TakeOffInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", if self.now { line(&self.reason, 256) } else { max_chars(&self.reason, 256) });
    }
}

/// Phones that are thawed, restored, put on, restarted or copied.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhonesInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// Reason; up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
}

impl Validate for PhonesInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        check.field("reason", max_chars(&self.reason, 256));
    }
}

/// Begins an operation that does `act` to a selection.
///
/// # Errors
/// When the selection is not valid, or the database refuses.
pub async fn begin(ctx: &OpCtx, selection: &PhoneSelection, act: &Act, reason: &str) -> Outcome<OperationDetail> {
    let options = OperationOptions { reason: reason.to_owned(), ..OperationOptions::default() };
    let row = operation::begin(ctx, NewOperation::of(act.kind(), act, selection, options)?).await?;
    operation::detail(ctx, row).await
}

/// Begins to let phones go on with their copies.
///
/// # Errors
/// When it is one phone, and the copy that is named is not the one on offer to it, or none is and one has to be; when the selection is
/// not valid, or the database refuses.
pub async fn accept_copy(ctx: &OpCtx, input: &AcceptCopyInput) -> Outcome<OperationDetail> {
    let AcceptCopyInput { selection, answered_for, backup_id, reason } = input;
    if let Selection::Ids(ids) = selection
        && let [phone] = ids[..]
    {
        seen(ctx.read(), phone, *backup_id).await?;
    }
    let act = Act::AcceptCopy { answered_for: *answered_for, backup_id: *backup_id };
    begin(ctx, selection, &act, reason).await
}

/// Begins to open phones in another room.
///
/// # Errors
/// When there is no such room, the selection is not valid, or the database refuses.
pub async fn open_elsewhere(ctx: &OpCtx, input: &OpenElsewhereInput) -> Outcome<OperationDetail> {
    let OpenElsewhereInput { selection, room_id, answered_for, reason } = input;
    let Some(name) = fleet::room_names(ctx.read(), [*room_id]).await?.remove(room_id) else {
        return Err(Fault::field("roomId", Violation::unknown_reference()));
    };
    let act = Act::OpenElsewhere { room_id: *room_id, name, answered_for: *answered_for };
    begin(ctx, selection, &act, reason).await
}

/// Begins to go on with what waits of phones.
///
/// # Errors
/// When a permission is missing, the selection is not valid, or the database refuses.
pub async fn go_on(ctx: &OpCtx, input: &GoOnInput) -> Outcome<OperationDetail> {
    let GoOnInput { selection, accept_shrunk, reason } = input;
    if *accept_shrunk {
        ctx.require(perm::PHONE_ACCEPT_COPY.code()).await?;
    }
    let act = Act::GoOn { accept_shrunk: *accept_shrunk, take_off: ctx.holds(perm::PHONE_TAKE_OFF) };
    begin(ctx, selection, &act, reason).await
}

/// An act as whoever asks may do it, whatever rights he says that he has.
fn as_allowed(ctx: &OpCtx, act: &Act) -> Act {
    let Act::GoOn { accept_shrunk, .. } = *act else { return act.clone() };
    let accept_shrunk = accept_shrunk && ctx.holds(perm::PHONE_ACCEPT_COPY);
    Act::GoOn { accept_shrunk, take_off: ctx.holds(perm::PHONE_TAKE_OFF) }
}

/// What would be done to which phones.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PhonePreviewInput {
    /// Which phones.
    pub selection: PhoneSelection,
    /// What would be done.
    pub act: Act,
}

impl Validate for PhonePreviewInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
    }
}

/// To how many phones of a selection something would be done, and why not to the others.
///
/// # Errors
/// When a read fails.
pub async fn preview(ctx: &OpCtx, input: &PhonePreviewInput) -> Outcome<OperationPreview> {
    let json = |error: serde_json::Error| Fault::Internal(error.into());
    let wanted = as_allowed(ctx, &input.act);
    let (act, selection) = (serde_json::to_string(&wanted), serde_json::to_string(&input.selection));
    let (act, selection) = (act.map_err(json)?, selection.map_err(json)?);
    let kind = wanted.kind();
    operation::preflight(ctx, Wanted { kind, act: Some(&act), selection: &selection, is_forced: false }).await
}
