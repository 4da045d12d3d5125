//! A retry that waits for a second operator. It is kept with its operation until somebody has decided: the tasks stay
//! as they ended, so that one that is rejected has changed nothing.

use base::fault::{Fault, Outcome};
use entity::OperatorId;
use entity::operation::Model;
use entity::operation_task::TaskEffect;
use kernel::lang::Lang;
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::reasons;

/// What is kept of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub by_id: OperatorId,
    pub by: String,
    pub at: UtcTime,
    /// How many tasks these were then.
    pub count: i64,
    /// When the operation expired without it.
    pub expires_at: UtcTime,
    /// Which tasks, as in the request.
    pub code: Option<String>,
    pub effect: Option<TaskEffect>,
    pub confirmed: bool,
}

impl Asked {
    /// The one that waits, if there is one.
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of(row: &Model) -> Outcome<Option<Self>> {
        let kept = row.retry_asked.as_deref().map(serde_json::from_str).transpose();
        kept.map_err(|error| Fault::Internal(error.into()))
    }

    /// As it is kept.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn kept(&self) -> Outcome<String> {
        serde_json::to_string(self).map_err(|error| Fault::Internal(error.into()))
    }
}

/// A retry that waits for a second operator, as shown to people.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RetryAsked {
    /// Who asks for it, and so cannot approve it.
    pub by: String,
    pub at: UtcTime,
    /// How many tasks.
    pub count: i64,
    /// The reason of those tasks in words; empty if they are of all reasons.
    pub words: String,
    /// Tasks that may have run are among them.
    pub confirmed: bool,
}

impl RetryAsked {
    pub fn of(row: &Model, lang: Lang) -> Option<Self> {
        let Asked { by, at, count, code, confirmed, .. } = Asked::of(row).ok()??;
        let words = code.map_or_else(String::new, |code| reasons::words(&code, lang));
        Some(Self { by, at, count, words, confirmed })
    }
}
