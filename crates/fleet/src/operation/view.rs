//! Operations and tasks as shown to people.

use base::app::App;
use base::reference::Reference;
use entity::operation::{Model, OperationKind, OperationState, Target};
use entity::operation_task::{self as task, TaskEffect, TaskStep};
use entity::{OperationId, OperationTaskId, RoomId};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

use super::act::Act;
use super::asked::RetryAsked;
use super::targets::{self, Chosen};
use crate::reasons;

/// An operation with its results so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationView {
    pub id: OperationId,
    pub kind: OperationKind,
    /// What it is done to.
    pub target: Target,
    /// The permission that beginning it needs, and so letting it go on and trying it again.
    pub need: &'static str,
    /// The parameters of the kind in one line: the script, the package, the figure.
    pub detail: String,
    pub state: OperationState,
    /// Why it is in this state; empty if there is nothing to add.
    pub why: String,
    pub reason: String,
    /// Cards in use are included.
    pub forced: bool,
    /// Timeout of each task in seconds.
    pub seconds: i32,
    pub stop_at_percent: i16,
    /// Maximum number of concurrent cards; null if only the settings limit it.
    pub per_host: Option<i32>,
    pub per_frame: Option<i32>,
    pub per_room: Option<i32>,
    pub not_before: Option<UtcTime>,
    pub expires_at: UtcTime,
    pub created_by: String,
    pub approved_by: String,
    /// The retry that a second operator has to approve; null if none waits.
    pub retry_asked: Option<RetryAsked>,
    /// Number of targets.
    pub total: i64,
    /// Affected users.
    pub users_hit: i64,
    pub pending: i64,
    pub running: i64,
    pub succeeded: i64,
    pub failed: i64,
    pub skipped: i64,
    pub incompatible: i64,
    pub cancelled: i64,
    pub expired: i64,
    pub created_at: UtcTime,
    pub started_at: Option<UtcTime>,
    pub finished_at: Option<UtcTime>,
}

impl OperationView {
    pub fn of(app: &App, row: Model, lang: Lang) -> Self {
        // One of a later version is shown without.
        let known = targets::of(app, row.kind.target());
        let (need, detail) =
            known.map_or_else(|_| ("", String::new()), |of| (of.case(row.kind).code, of.detail(&row.act, lang)));
        Self {
            need,
            detail,
            why: reasons::words(&row.why, lang),
            retry_asked: RetryAsked::of(&row, lang),
            id: row.id,
            target: row.kind.target(),
            kind: row.kind,
            state: row.state,
            reason: row.reason,
            forced: row.is_forced,
            seconds: row.seconds,
            stop_at_percent: row.stop_at_percent,
            per_host: row.per_host,
            per_frame: row.per_frame,
            per_room: row.per_room,
            not_before: row.not_before,
            expires_at: row.expires_at,
            created_by: row.created_by,
            approved_by: row.approved_by,
            total: row.total,
            users_hit: row.users_hit,
            pending: row.pending,
            running: row.running,
            succeeded: row.succeeded,
            failed: row.failed,
            skipped: row.skipped,
            incompatible: row.incompatible,
            cancelled: row.cancelled,
            expired: row.expired,
            created_at: row.created_at,
            started_at: row.started_at,
            finished_at: row.finished_at,
        }
    }
}

/// The parameters of an act on cards in one line.
pub fn detail(act: Act, lang: Lang) -> String {
    match act {
        Act::Shell { script } => script,
        Act::Install { file, package: Some(package) } => format!("{} ({package})", file.name),
        Act::Install { file, package: None } => file.name,
        Act::Uninstall { package } => package,
        Act::Push { file, path } => format!("{} → {path}", file.name),
        Act::Pull { path } => path,
        Act::SpeedLimit { kbit: Some(kbit) } => format!("{kbit} kbit/s"),
        Act::SetProperty { name, value } => format!("{name}={value}"),
        Act::SetFlags { assignable, overcommit } => flags(assignable, overcommit, lang),
        Act::Move { name, .. } => format!("→ {name}"),
        Act::Reboot
        | Act::Power { .. }
        | Act::PullLog
        | Act::Screenshot
        | Act::SpeedLimit { kbit: None }
        | Act::FactoryReset
        | Act::Wipe
        | Act::Profile
        | Act::WipeStray
        | Act::Maintain { .. } => String::new(),
    }
}

const ASSIGNABLE: [Text; 2] = [text("不可分配", "not assignable"), text("可分配", "assignable")];
const OVERCOMMIT: [Text; 2] = [text("不允许超分", "no overcommit"), text("允许超分", "overcommit")];

fn flags(assignable: Option<bool>, overcommit: Option<bool>, lang: Lang) -> String {
    let of = |flag: Option<bool>, words: [Text; 2]| flag.map(|flag| words[usize::from(flag)].get(lang));
    [of(assignable, ASSIGNABLE), of(overcommit, OVERCOMMIT)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Tasks that did not succeed for the same reason.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReasonGroup {
    /// The state of these tasks.
    pub state: TaskStep,
    /// The reason's code.
    pub code: String,
    /// In words.
    pub words: String,
    pub count: i64,
    /// Of these, those without an effect on the card: they never started, or only read.
    pub never_began: i64,
    /// Those that started, with known effect.
    pub proved: i64,
    /// Those that started, or may have, with unknown effect.
    pub unknown: i64,
}

impl ReasonGroup {
    /// A group without tasks yet.
    pub fn of(state: TaskStep, code: &str, lang: Lang) -> Self {
        let words = reasons::words(code, lang);
        Self { state, code: code.to_owned(), words, count: 0, never_began: 0, proved: 0, unknown: 0 }
    }

    /// Adds tasks with the same effect.
    pub const fn add(&mut self, effect: Option<TaskEffect>, count: i64) {
        self.count += count;
        match effect {
            Some(TaskEffect::NeverBegan) => self.never_began += count,
            Some(TaskEffect::Proved) => self.proved += count,
            Some(TaskEffect::Unknown) | None => self.unknown += count,
        }
    }
}

/// An operation with the reasons of what did not succeed.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationDetail {
    #[serde(flatten)]
    pub operation: OperationView,
    /// What was selected when it was created.
    pub chosen: Chosen,
    /// Largest first.
    pub reasons: Vec<ReasonGroup>,
    /// Failed and expired tasks that may have changed their cards: these are retried only with a confirmation.
    pub may_have_run: i64,
    /// Retrying all failed tasks is more than the caller may let begin alone: a second operator has to approve it.
    pub retry_needs_approval: bool,
}

/// The part of an operation that concerns one of its targets.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationTaskView {
    pub id: OperationTaskId,
    /// What it is done to, by its name when it was selected: a card by its address, a phone by its code.
    pub target: Reference,
    pub room_id: RoomId,
    pub state: TaskStep,
    pub attempt: i32,
    /// Why it did not succeed: a code, and the same in words.
    pub code: String,
    pub words: String,
    /// Details from the agent or the console.
    pub reason: String,
    /// The effect on the card if it did not succeed: 1 none (never started, or only read), 2 known, 3 unknown.
    pub effect: Option<TaskEffect>,
    /// The output; empty if it is withheld.
    pub output: String,
    /// There is output that the caller may not see: what a script printed needs the permission to run scripts.
    pub output_withheld: bool,
    /// It was truncated.
    pub truncated: bool,
    pub exit_code: Option<i16>,
    /// A screenshot, log or file can be fetched.
    pub has_file: bool,
    pub started_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    /// Duration on the agent in milliseconds.
    pub millis: i64,
}

impl OperationTaskView {
    /// For somebody who may see the output, or may not.
    pub fn of(row: task::Model, sees_output: bool, lang: Lang) -> Self {
        Self {
            output_withheld: !sees_output && !row.output.is_empty(),
            output: if sees_output { row.output } else { String::new() },
            words: reasons::words(&row.code, lang),
            id: row.id,
            target: Reference { id: row.target_id, name: Some(row.address) },
            room_id: row.room_id,
            state: row.state,
            attempt: row.attempt,
            code: row.code,
            reason: row.reason,
            effect: row.effect,
            truncated: row.is_cut,
            exit_code: row.exit_code,
            has_file: !row.file_key.is_empty(),
            started_at: row.started_at,
            ended_at: row.ended_at,
            millis: row.millis,
        }
    }
}

/// What an operation did on one card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTaskView {
    pub id: OperationTaskId,
    pub operation_id: OperationId,
    pub kind: OperationKind,
    /// The parameters of the kind in one line.
    pub detail: String,
    pub created_by: String,
    pub created_at: UtcTime,
    pub task: OperationTaskView,
}

impl CardTaskView {
    pub fn of(app: &App, row: task::Model, operation: Model, sees_output: bool, lang: Lang) -> Self {
        let operation = OperationView::of(app, operation, lang);
        Self {
            id: row.id,
            operation_id: operation.id,
            kind: operation.kind,
            detail: operation.detail,
            created_by: operation.created_by,
            created_at: operation.created_at,
            task: OperationTaskView::of(row, sees_output, lang),
        }
    }
}
