//! Operations and tasks as people see them.

use entity::operation::{Model, OperationKind, OperationState};
use entity::operation_task::{self as task, TaskStep};
use entity::{CardId, OperationId, OperationTaskId, RoomId};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

use super::act::Act;
use crate::agent_link::codes;

/// An operation with what became of it so far.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationView {
    pub id: OperationId,
    pub kind: OperationKind,
    /// What the kind needs, in one line: the script, the package, the figure.
    pub detail: String,
    pub state: OperationState,
    /// Why it stands so, in words; empty where nothing has to be said.
    pub why: String,
    pub reason: String,
    /// Cards with a user on them are not left out.
    pub forced: bool,
    /// Seconds for each task.
    pub seconds: i32,
    pub stop_at_percent: i16,
    /// At most so many cards at a time; null where the settings alone limit it.
    pub per_host: Option<i32>,
    pub per_frame: Option<i32>,
    pub per_room: Option<i32>,
    pub not_before: Option<UtcTime>,
    pub expires_at: UtcTime,
    pub created_by: String,
    pub approved_by: String,
    /// Cards in all.
    pub total: i64,
    /// Users that it hits.
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
    pub fn of(row: Model, lang: Lang) -> Self {
        let detail = match serde_json::from_str::<Act>(&row.act) {
            Ok(Act::Shell { script }) => script,
            Ok(Act::Install { file, package: Some(package) }) => format!("{} ({package})", file.name),
            Ok(Act::Install { file, package: None }) => file.name,
            Ok(Act::Uninstall { package }) => package,
            Ok(Act::Push { file, path }) => format!("{} → {path}", file.name),
            Ok(Act::Pull { path }) => path,
            Ok(Act::SpeedLimit { kbit: Some(kbit) }) => format!("{kbit} kbit/s"),
            Ok(Act::SetProperty { name, value }) => format!("{name}={value}"),
            Ok(Act::SetFlags { assignable, overcommit }) => flags(assignable, overcommit, lang),
            Ok(Act::Move { name, .. }) => format!("→ {name}"),
            Ok(_) | Err(_) => String::new(),
        };
        Self {
            detail,
            why: codes::words(&row.why, lang),
            id: row.id,
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

const ASSIGNABLE: [Text; 2] = [text("不可分配", "not assignable"), text("可分配", "assignable")];
const OVERCOMMIT: [Text; 2] = [text("不允许超分", "no overcommit"), text("允许超分", "overcommit")];

fn flags(assignable: Option<bool>, overcommit: Option<bool>, lang: Lang) -> String {
    let of = |flag: Option<bool>, words: [Text; 2]| flag.map(|flag| words[usize::from(flag)].get(lang));
    [of(assignable, ASSIGNABLE), of(overcommit, OVERCOMMIT)].into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// Tasks that did not succeed for one reason.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ReasonGroup {
    /// The state of these tasks.
    pub state: TaskStep,
    /// The reason's short name.
    pub code: String,
    /// In words.
    pub words: String,
    pub count: i64,
}

/// An operation with the reasons of what did not succeed.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OperationDetail {
    #[serde(flatten)]
    pub operation: OperationView,
    /// Largest first.
    pub reasons: Vec<ReasonGroup>,
}

/// What an operation does at one card.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationTaskView {
    pub id: OperationTaskId,
    pub card_id: CardId,
    pub room_id: RoomId,
    /// The card's address when it was chosen.
    pub address: String,
    pub state: TaskStep,
    pub attempt: i32,
    /// Why it did not succeed: a short name, and the same in words.
    pub code: String,
    pub words: String,
    /// In the words of whoever found out.
    pub reason: String,
    /// What was printed.
    pub output: String,
    /// Something of it was cut.
    pub truncated: bool,
    pub exit_code: Option<i16>,
    /// A picture or a log can be fetched.
    pub has_file: bool,
    pub started_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    /// Milliseconds that it took at the agent.
    pub millis: i64,
}

impl OperationTaskView {
    pub fn of(row: task::Model, lang: Lang) -> Self {
        Self {
            words: codes::words(&row.code, lang),
            id: row.id,
            card_id: row.card_id,
            room_id: row.room_id,
            address: row.address,
            state: row.state,
            attempt: row.attempt,
            code: row.code,
            reason: row.reason,
            output: row.output,
            truncated: row.is_cut,
            exit_code: row.exit_code,
            has_file: !row.file_key.is_empty(),
            started_at: row.started_at,
            ended_at: row.ended_at,
            millis: row.millis,
        }
    }
}

/// What was done at one card by an operation.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CardTaskView {
    pub id: OperationTaskId,
    pub operation_id: OperationId,
    pub kind: OperationKind,
    /// What the kind needs, in one line.
    pub detail: String,
    pub created_by: String,
    pub created_at: UtcTime,
    pub task: OperationTaskView,
}

impl CardTaskView {
    pub fn of(row: task::Model, operation: Model, lang: Lang) -> Self {
        let operation = OperationView::of(operation, lang);
        Self {
            id: row.id,
            operation_id: operation.id,
            kind: operation.kind,
            detail: operation.detail,
            created_by: operation.created_by,
            created_at: operation.created_at,
            task: OperationTaskView::of(row, lang),
        }
    }
}
