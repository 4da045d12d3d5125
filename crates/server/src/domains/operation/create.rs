//! Beginning operations: a call for each group of acts, since each needs a right of its own.

use std::collections::BTreeMap;

use entity::card::Maintenance;
use entity::operation::{self, OperationState};
use entity::operation_task::TaskStep;
use entity::{CardId, FrameId};
use kernel::rules::{Check, Violation, after_now, integer_between, line, max_chars};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, EntityTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use wire::PowerOrder;

use super::act::Act;
use super::freeze::{self, Preflight};
use super::view::{OperationView, ReasonGroup};
use crate::agent_link::codes;
use crate::domains::fleet::{CardSelection, FleetSettings};
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, Reply, Valid, Validate, reply};

/// Pieces that are written down before the call answers; the rest follows by itself.
const AT_ONCE: usize = 6;
/// Cards that a preview looks at; a larger selection is judged by these.
const LOOKED_AT: usize = 20_000;
const DAY: i64 = 86_400;

/// How an operation goes about it.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationOptions {
    /// Why; wanted of what disturbs users or destroys. Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub reason: String,
    /// Cards with a user on them are not left out; wants a reason.
    #[serde(default)]
    pub force: bool,
    /// Seconds for each task, 5 to 3600; 120 where it is left out.
    #[serde(default)]
    #[schema(minimum = 5, maximum = 3600)]
    pub seconds: Option<i32>,
    /// It pauses when more than so many percent have failed, 1 to 100; the settings say how many where it is left out.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 100)]
    pub stop_at_percent: Option<i16>,
    /// At most so many cards at a time on a host, 1 to 10,000; the limits of the settings hold as well.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10000)]
    pub per_host: Option<i32>,
    /// The same in a frame.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10000)]
    pub per_frame: Option<i32>,
    /// The same in a room.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10000)]
    pub per_room: Option<i32>,
    /// When it may begin; after now.
    #[serde(default)]
    pub not_before: Option<UtcTime>,
    /// When it is over, whatever was done; after now. A day where it is left out.
    #[serde(default)]
    pub expires_at: Option<UtcTime>,
}

impl OperationOptions {
    pub(super) fn check(&self, act: &Act, check: &mut Check) {
        if act.kind().wants_reason() || self.force {
            check.field("options.reason", line(&self.reason, 256));
        } else {
            check.field("options.reason", max_chars(&self.reason, 256));
        }
        if let Some(seconds) = self.seconds {
            check.field("options.seconds", integer_between(i64::from(seconds), 5, 3600));
        }
        if let Some(percent) = self.stop_at_percent {
            check.field("options.stopAtPercent", integer_between(i64::from(percent), 1, 100));
        }
        for (field, limit) in [
            ("options.perHost", self.per_host),
            ("options.perFrame", self.per_frame),
            ("options.perRoom", self.per_room),
        ] {
            if let Some(limit) = limit {
                check.field(field, integer_between(i64::from(limit), 1, 10_000));
            }
        }
    }

    /// What only a clock can tell.
    fn check_times(&self, now: UtcTime) -> Outcome<()> {
        for (field, at) in [("options.notBefore", self.not_before), ("options.expiresAt", self.expires_at)] {
            if let Some(Err(violation)) = at.map(|at| after_now(at, now)) {
                return Err(Fault::field(field, violation));
            }
        }
        if let (Some(begin), Some(end)) = (self.not_before, self.expires_at)
            && begin >= end
        {
            return Err(Fault::field("options.expiresAt", Violation::new("time.endBeforeStart")));
        }
        Ok(())
    }
}

macro_rules! inputs {
    ($($(#[$doc:meta])* $name:ident { $($(#[$fdoc:meta])* $field:ident: $type:ty,)* } => |$this:ident| $act:expr;)+) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Debug, Deserialize, ToSchema)]
            #[serde(rename_all = "camelCase", deny_unknown_fields)]
            pub struct $name {
                /// Which cards.
                pub selection: CardSelection,
                /// How it goes about it.
                #[serde(default)]
                pub options: OperationOptions,
                $($(#[$fdoc])* pub $field: $type,)*
            }

            impl $name {
                fn act(&self) -> Act {
                    let $this = self;
                    $act
                }
            }

            impl Validate for $name {
                fn check(&self, check: &mut Check) {
                    let act = self.act();
                    self.selection.check(check);
                    self.options.check(&act, check);
                    act.check(check);
                }
            }
        )+
    };
}

/// What the BMC is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum PowerWish {
    On,
    Off,
    Cycle,
}

/// What is fetched of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum FetchWish {
    Screenshot,
    Log,
}

/// How a card is cleaned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum ResetWish {
    /// Android's factory reset.
    FactoryReset,
    /// What users left is removed; packages and settings stay.
    Wipe,
}

/// What is declared for cards.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum MaintainWish {
    /// No new users.
    Drain,
    /// Somebody works on them.
    Begin,
    /// Back to service.
    Return,
}

inputs! {
    /// Restart Android.
    RebootInput {} => |_this| Act::Reboot;
    /// Change the power by the BMCs.
    PowerInput {
        /// What they are to do.
        order: PowerWish,
    } => |this| Act::Power { order: match this.order {
        PowerWish::On => PowerOrder::On,
        PowerWish::Off => PowerOrder::Off,
        PowerWish::Cycle => PowerOrder::Cycle,
    } };
    /// Run a script.
    ScriptInput {
        /// For the card's shell, up to 8,000 characters. It succeeded when it ends with exit code 0.
        #[schema(min_length = 1, max_length = 8000)]
        script: String,
    } => |this| Act::Shell { script: this.script.clone() };
    /// Fetch a picture of the screen, or the system's log.
    FetchInput {
        /// Which.
        what: FetchWish,
    } => |this| match this.what { FetchWish::Screenshot => Act::Screenshot, FetchWish::Log => Act::PullLog };
    /// Fetch a file.
    OperationPullInput {
        /// Which, absolute, such as `/sdcard/Download/a.txt`. Up to 32 MiB are fetched of each card.
        #[schema(min_length = 1, max_length = 1024)]
        path: String,
    } => |this| Act::Pull { path: this.path.clone() };
    /// Limit the network.
    SpeedInput {
        /// Kilobits a second, 8 to 10,000,000; without it the limit is lifted.
        #[serde(default)]
        #[schema(minimum = 8, maximum = 10_000_000)]
        kbit: Option<u32>,
    } => |this| Act::SpeedLimit { kbit: this.kbit };
    /// Set a system property.
    PropertyInput {
        /// Its name, such as `persist.sys.timezone`.
        #[schema(min_length = 1, max_length = 128)]
        name: String,
        /// Its value, 1 to 91 characters.
        #[schema(min_length = 1, max_length = 91)]
        value: String,
    } => |this| Act::SetProperty { name: this.name.clone(), value: this.value.clone() };
    /// Remove a package with its data.
    UninstallInput {
        /// Its name, such as `com.example.app`.
        #[schema(min_length = 1, max_length = 255)]
        package: String,
    } => |this| Act::Uninstall { package: this.package.clone() };
    /// Clean cards.
    ResetInput {
        /// How.
        what: ResetWish,
    } => |this| match this.what { ResetWish::FactoryReset => Act::FactoryReset, ResetWish::Wipe => Act::Wipe };
    /// Drain, maintain or return cards, in the books.
    OperationMaintainInput {
        /// What is declared.
        what: MaintainWish,
        /// When the work is meant to end; after now.
        #[serde(default)]
        until: Option<UtcTime>,
    } => |this| match this.what {
        MaintainWish::Drain => Act::Maintain { state: Maintenance::Draining, until: this.until },
        MaintainWish::Begin => Act::Maintain { state: Maintenance::InMaintenance, until: this.until },
        MaintainWish::Return => Act::Maintain { state: Maintenance::None, until: None },
    };
    /// Set flags of cards, in the books.
    OperationFlagsInput {
        /// Whether phones may be put on them; left out, it stays.
        #[serde(default)]
        assignable: Option<bool>,
        /// Whether they take part in overcommit; left out, it stays.
        #[serde(default)]
        overcommit: Option<bool>,
    } => |this| Act::SetFlags { assignable: this.assignable, overcommit: this.overcommit };
    /// Move cards, in the books.
    OperationMoveInput {
        /// To the free positions of this frame, from its first host on.
        frame_id: FrameId,
    } => |this| Act::Move { frame: this.frame_id, name: String::new() };
}

pub(super) async fn create(
    ctx: &OpCtx,
    selection: &CardSelection,
    options: &OperationOptions,
    mut act: Act,
) -> Outcome<OperationView> {
    let now = ctx.now();
    options.check_times(now)?;
    if let Act::Maintain { until: Some(until), .. } = &act
        && let Err(violation) = after_now(*until, now)
    {
        return Err(Fault::field("until", violation));
    }
    if let Act::Move { frame, name } = &mut act {
        let found = entity::frame::Entity::find_by_id(*frame).one(ctx.read()).await?;
        *name = found.ok_or_else(|| Fault::field("frameId", Violation::new("reference.unknown")))?.name;
    }
    if let CardSelection::Filter(filter) = selection {
        filter.checked()?;
    }
    let settings = ctx.app.settings.get::<FleetSettings>(&ctx.app).await?;
    let json = |error: serde_json::Error| Fault::Internal(error.into());
    let row = operation::ActiveModel {
        kind: Set(act.kind()),
        file_id: Set(act.file_id()),
        act: Set(serde_json::to_string(&act).map_err(json)?),
        selection: Set(serde_json::to_string(selection).map_err(json)?),
        frozen_after: Set(0),
        state: Set(OperationState::Freezing),
        why: Set(String::new()),
        reason: Set(options.reason.clone()),
        is_forced: Set(options.force),
        seconds: Set(options.seconds.unwrap_or(120)),
        stop_at_percent: Set(options
            .stop_at_percent
            .unwrap_or_else(|| i16::try_from(settings.stop_at_failed_percent).unwrap_or(100))),
        per_host: Set(options.per_host),
        per_frame: Set(options.per_frame),
        per_room: Set(options.per_room),
        not_before: Set(options.not_before),
        expires_at: Set(options.expires_at.unwrap_or_else(|| options.not_before.unwrap_or(now).plus_seconds(DAY))),
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
    let view = OperationView::of(made.clone(), ctx.lang());
    tx.commit(Audit::of("operation").id(made.id).after(&view).note(options.reason.clone())).await?;
    for _ in 0..AT_ONCE {
        if freeze::step(&ctx.app, &made).await? {
            break;
        }
    }
    let row = super::api::named(ctx, made.id).await?;
    Ok(OperationView::of(row, ctx.lang()))
}

macro_rules! begins {
    ($($name:ident, $input:ident, $path:literal, $words:literal;)+) => {
        $(
            #[doc = $words]
            #[utoipa::path(post, path = $path, tag = "operation", request_body = $input,
                responses((status = 200, body = Reply<OperationView>)))]
            pub async fn $name(ctx: OpCtx, Valid(input): Valid<$input>) -> ApiResult<OperationView> {
                reply(create(&ctx, &input.selection, &input.options, input.act()).await?)
            }
        )+
    };
}

begins! {
    operation_reboot, RebootInput, "/api/operation/v1/operations/reboot", "Begins to restart cards.";
    operation_power, PowerInput, "/api/operation/v1/operations/power", "Begins to change the power of cards by their BMCs.";
    operation_shell, ScriptInput, "/api/operation/v1/operations/shell", "Begins to run a script on cards.";
    operation_fetch, FetchInput, "/api/operation/v1/operations/fetch", "Begins to fetch screens or logs of cards.";
    operation_pull, OperationPullInput, "/api/operation/v1/operations/pull", "Begins to fetch a file of cards.";
    operation_speed, SpeedInput, "/api/operation/v1/operations/speed", "Begins to limit the network of cards, or to lift the limit.";
    operation_property, PropertyInput, "/api/operation/v1/operations/property", "Begins to set a system property on cards.";
    operation_uninstall, UninstallInput, "/api/operation/v1/operations/uninstall", "Begins to remove a package from cards.";
    operation_reset, ResetInput, "/api/operation/v1/operations/reset", "Begins to clean cards.";
    operation_maintain, OperationMaintainInput, "/api/operation/v1/operations/maintain", "Begins to drain, maintain or return cards.";
    operation_flags, OperationFlagsInput, "/api/operation/v1/operations/flags", "Begins to set flags of cards.";
    operation_move, OperationMoveInput, "/api/operation/v1/operations/move", "Begins to move cards to a frame.";
}

/// What would be done.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OperationPreviewInput {
    /// Which cards.
    pub selection: CardSelection,
    /// What would be done at each.
    pub kind: entity::operation::OperationKind,
    /// Cards with a user on them would not be left out.
    #[serde(default)]
    pub force: bool,
}

impl Validate for OperationPreviewInput {
    fn check(&self, check: &mut Check) {
        self.selection.check(check);
    }
}

/// How a selection fits an operation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationPreview {
    /// Cards that were looked at.
    pub total: i64,
    /// There are more than were looked at.
    pub has_more: bool,
    /// Cards at which it would be done.
    pub will_run: i64,
    /// Users that it would hit.
    pub users_hit: i64,
    /// Why the others would be left out.
    pub left_out: Vec<ReasonGroup>,
    /// A second operator would have to agree.
    pub needs_approval: bool,
}

async fn preview(ctx: &OpCtx, input: &OperationPreviewInput) -> Outcome<OperationPreview> {
    if let CardSelection::Filter(filter) = &input.selection {
        filter.checked()?;
    }
    let preflight = Preflight::new(&ctx.app, input.kind, Act::books_of(input.kind), input.force).await?;
    let piece = freeze::next(&ctx.app, &input.selection, CardId(0), LOOKED_AT).await?;
    let (mut groups, mut will_run, mut users_hit) = (BTreeMap::<(TaskStep, &str), i64>::new(), 0, 0);
    for card in &piece.cards {
        let class = preflight.judge(card);
        if class.step == TaskStep::Pending {
            will_run += 1;
            users_hit += i64::from(class.hits_user);
        } else {
            *groups.entry((class.step, class.code)).or_default() += 1;
        }
    }
    let settings = ctx.app.settings.get::<FleetSettings>(&ctx.app).await?;
    let left_out = groups
        .into_iter()
        .map(|((state, code), count)| ReasonGroup {
            state,
            code: code.to_owned(),
            words: codes::words(code, ctx.lang()),
            count,
        })
        .collect();
    Ok(OperationPreview {
        total: i64::try_from(piece.cards.len()).unwrap_or(i64::MAX),
        has_more: !piece.is_last,
        will_run,
        users_hit,
        left_out,
        needs_approval: input.kind.is_dangerous() && settings.approval_above > 0 && will_run > settings.approval_above,
    })
}

/// Tells at how many cards of a selection something would be done, and why not at the others; nothing is done.
#[utoipa::path(post, path = "/api/operation/v1/operations/preview", tag = "operation", request_body = OperationPreviewInput,
    responses((status = 200, body = Reply<OperationPreview>)))]
pub async fn operation_preview(ctx: OpCtx, Valid(input): Valid<OperationPreviewInput>) -> ApiResult<OperationPreview> {
    reply(preview(&ctx, &input).await?)
}
