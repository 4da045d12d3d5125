//! Starting operations, and previewing what would become of them.

use std::collections::BTreeMap;

use base::fault::{Fault, Outcome};
use base::http::decided::Decided;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use entity::OperationFileId;
use entity::operation::{self, Model, OperationKind, OperationState, Target};
use entity::operation_task::{TaskEffect, TaskStep};
use kernel::rules::{Check, Violation};
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::Reason;

use super::approval::{Rooms, Window};
use super::input::{OperationInput, OperationOptions};
use super::targets::{self, Judged, Wanted};
use super::view::{OperationView, ReasonGroup};
use super::{expand, look, record_acts};
use crate::card::acts::CardSelection;
use crate::settings::FleetSettings;

/// Pieces that are expanded before the request is answered; the rest follows in the background.
const AT_ONCE: usize = 6;
/// Targets that a preview checks; a larger selection is judged by these.
const LOOKED_AT: usize = 20_000;
const DAY: i64 = 86_400;

/// An operation that is to begin.
#[derive(Debug)]
pub struct NewOperation {
    pub kind: OperationKind,
    /// Its parameters, as [`Targets`](super::targets::Targets) read them again.
    pub act: String,
    /// The file that it hands out.
    pub file_id: Option<OperationFileId>,
    /// Which targets, as [`Targets`](super::targets::Targets) read it again.
    pub selection: String,
    pub options: OperationOptions,
}

impl NewOperation {
    /// One with this act on this selection; both can be written.
    ///
    /// # Errors
    /// They cannot.
    pub fn of(
        kind: OperationKind,
        act: &impl Serialize,
        selection: &impl Serialize,
        options: OperationOptions,
    ) -> Outcome<Self> {
        let json = |error: serde_json::Error| Fault::Internal(error.into());
        let act = serde_json::to_string(act).map_err(json)?;
        let selection = serde_json::to_string(selection).map_err(json)?;
        Ok(Self { kind, act, file_id: None, selection, options })
    }
}

/// Begins an operation: it is there, with its first targets, when this returns. Of one that only changes records, the
/// first are changed by then.
///
/// # Errors
/// Its times are over, or the database refuses.
pub async fn begin(ctx: &OpCtx, new: NewOperation) -> Outcome<Model> {
    let NewOperation { kind, act, file_id, selection, options } = new;
    let now = ctx.now();
    options.check_times(now)?;
    let settings = ctx.app.settings.get::<FleetSettings>(&ctx.app).await?;
    let begins_at = options.not_before.unwrap_or(now);
    let expires_at = options.expires_at.unwrap_or_else(|| begins_at.plus_seconds(DAY));
    let row = operation::ActiveModel {
        kind: Set(kind),
        file_id: Set(file_id),
        act: Set(act),
        selection: Set(selection),
        frozen_after: Set(0),
        state: Set(OperationState::Freezing),
        why: Set(String::new()),
        reason: Set(options.reason.clone()),
        is_forced: Set(options.force),
        seconds: Set(options.seconds.unwrap_or(kind.seconds())),
        stop_at_percent: Set(options
            .stop_at_percent
            .unwrap_or_else(|| i16::try_from(settings.stop_at_failed_percent).unwrap_or(100))),
        per_host: Set(options.per_host),
        per_frame: Set(options.per_frame),
        per_room: Set(options.per_room),
        not_before: Set(options.not_before),
        expires_at: Set(expires_at),
        lasts: Set(expires_at.seconds_since(begins_at).max(60)),
        created_by_id: Set(ctx.operator()),
        created_by: Set(ctx.session.username.clone()),
        approved_by: Set(String::new()),
        total: Set(0),
        users_hit: Set(0),
        pending: Set(0),
        running: Set(0),
        succeeded: Set(0),
        failed: Set(0),
        skipped: Set(0),
        incompatible: Set(0),
        cancelled: Set(0),
        expired: Set(0),
        created_at: Set(now),
        ..Default::default()
    };
    let tx = ctx.begin_write().await?;
    let made = operation::Entity::insert(row).exec_with_returning(&*tx).await?;
    let view = OperationView::of(&ctx.app, made.clone(), ctx.lang());
    tx.commit(Audit::of("operation").id(made.id).after(&view).note(options.reason.clone())).await?;
    for _ in 0..AT_ONCE {
        if expand::step(&ctx.app, &made).await? {
            break;
        }
    }
    let row = super::api::named(ctx, made.id).await?;
    let is_due = row.kind.is_of_records() && row.state == OperationState::Running && row.pending > 0;
    if !is_due {
        return Ok(row);
    }
    record_acts::step(&ctx.app, &row).await?;
    super::api::named(ctx, made.id).await
}

async fn create(ctx: &OpCtx, input: &OperationInput) -> Outcome<OperationView> {
    let OperationInput { selection, options, act } = input;
    options.check_times(ctx.now())?;
    let act = act.resolved(ctx).await?;
    // His word weighs as much as that of the second one, who proves who he is as well.
    if act.kind().wants_second() {
        ctx.proved()?;
    }
    if let CardSelection::Filter(filter) = selection {
        filter.checked()?;
    }
    look::check_new(ctx, act.kind(), selection).await?;
    let new = NewOperation::of(act.kind(), &act, selection, options.clone())?;
    let row = begin(ctx, NewOperation { file_id: act.file_id(), ..new }).await?;
    Ok(OperationView::of(&ctx.app, row, ctx.lang()))
}

/// Starts an operation on cards. Its kind decides which permission is needed, and under which name it is logged. Where a cloud phone is
/// on one of the cards a screenshot needs `phone:screen` as well, and a file to or from there `phone:files`.
#[utoipa::path(post, path = "/api/operation/v1/operations", tag = "operation", request_body = OperationInput,
    responses((status = 200, body = Reply<OperationView>)))]
pub async fn operation_create(Decided(ctx, input): Decided<OperationInput>) -> ApiResult<OperationView> {
    reply(create(&ctx, &input).await?)
}

/// The operation to preview.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationPreviewInput {
    /// Which cards.
    pub selection: CardSelection,
    /// The kind of operation; one that is done to cards.
    pub kind: OperationKind,
    /// Include cards in use.
    #[serde(default)]
    pub force: bool,
}

impl Validate for OperationPreviewInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
        if self.kind.target() != Target::Card {
            let of_cards = OperationKind::ALL.iter().filter(|kind| kind.target() == Target::Card);
            let allowed: Vec<_> = of_cards.map(|kind| kind.code().to_string()).collect();
            check.add("kind", Violation::not_a_choice(&allowed.join(", ")));
        }
    }
}

/// The pre-flight result.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationPreview {
    /// Targets that were checked.
    pub total: i64,
    /// The selection is larger than what was checked.
    pub has_more: bool,
    /// Those to which it would be done.
    pub will_run: i64,
    /// Users it would affect.
    pub users_hit: i64,
    /// Why the others would be skipped.
    pub left_out: Vec<ReasonGroup>,
    /// Whether a second operator would have to approve this, alone or together with what was started just before.
    pub needs_approval: bool,
}

/// What would become of the first targets of a selection.
///
/// # Errors
/// The selection cannot be read, or the database refuses.
pub async fn preflight(ctx: &OpCtx, wanted: Wanted<'_>) -> Outcome<OperationPreview> {
    let targets = targets::of(&ctx.app, wanted.kind.target())?;
    let piece = targets.next(&ctx.app, wanted, 0, LOOKED_AT).await?;
    let (mut groups, mut will_run, mut users_hit) = (BTreeMap::<(TaskStep, &str), i64>::new(), 0, 0);
    let mut rooms = Rooms::new();
    for Judged { room_id, class, .. } in &piece.targets {
        if class.step == TaskStep::Pending {
            will_run += 1;
            *rooms.entry(*room_id).or_default() += 1;
            users_hit += i64::from(class.hits_user);
        } else {
            *groups.entry((class.step, class.why.map_or("", Reason::code))).or_default() += 1;
        }
    }
    let settings = ctx.app.settings.get::<FleetSettings>(&ctx.app).await?;
    let left_out = groups
        .into_iter()
        .map(|((state, code), count)| {
            let mut group = ReasonGroup::of(state, code, ctx.lang());
            group.add(Some(TaskEffect::NeverBegan), count);
            group
        })
        .collect();
    let window = Window::of(&settings, wanted.kind, ctx.operator(), ctx.now());
    let needs_approval = match window {
        Some(window) => will_run > window.most || window.is_exceeded(ctx.read(), rooms).await?,
        None => false,
    };
    let needs_approval = needs_approval || wanted.kind.wants_second() && will_run > 0;
    Ok(OperationPreview {
        total: i64::try_from(piece.targets.len()).unwrap_or(i64::MAX),
        has_more: !piece.is_last,
        will_run,
        users_hit,
        left_out,
        needs_approval,
    })
}

async fn preview(ctx: &OpCtx, input: &OperationPreviewInput) -> Outcome<OperationPreview> {
    if let CardSelection::Filter(filter) = &input.selection {
        filter.checked()?;
    }
    let selection = serde_json::to_string(&input.selection).map_err(|error| Fault::Internal(error.into()))?;
    let wanted = Wanted { kind: input.kind, act: None, selection: &selection, is_forced: input.force };
    preflight(ctx, wanted).await
}

/// Previews an operation: how many cards of a selection it would run on, and why not on the others. Nothing is done.
#[utoipa::path(post, path = "/api/operation/v1/operations/preview", tag = "operation", request_body = OperationPreviewInput,
    responses((status = 200, body = Reply<OperationPreview>)))]
pub async fn operation_preview(ctx: OpCtx, Valid(input): Valid<OperationPreviewInput>) -> ApiResult<OperationPreview> {
    reply(preview(&ctx, &input).await?)
}
