//! What operations are done to: cards, and whatever other domains hand over. The engine knows of a target its id, its
//! room and what it is called; all else is said here.

use std::collections::{HashMap, HashSet};

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::Case;
use base::http::ops::OpCtx;
use base::list::Selection;
use db::WriteTx;
use db::journal::Entry;
use entity::operation::{Model, OperationKind, Target};
use entity::operation_task::TaskStep;
use entity::{FrameId, HostId, RoomId};
use futures::future::BoxFuture;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use utoipa::ToSchema;
use wire::Reason;

/// One kind of targets.
pub trait Targets: Send + Sync {
    /// Which.
    fn target(&self) -> Target;

    /// How an operation of a kind is begun: its name in the operation log, and its permission. Resuming, retrying and
    /// reading what it printed needs the same one.
    fn case(&self, kind: OperationKind) -> Case;

    /// The permissions that an act uses beside that of its kind; `act` as it was stored. Whoever began it had them, and so has
    /// whoever lets it go on.
    fn also(&self, _act: &str) -> Vec<&'static str> {
        Vec::new()
    }

    /// The parameters of an act in one line; `act` as it was stored.
    fn detail(&self, act: &str, lang: Lang) -> String;

    /// What was selected, as it was stored, in words.
    fn chosen<'a>(&'a self, ctx: &'a OpCtx, selection: &'a str) -> BoxFuture<'a, Outcome<Chosen>>;

    /// The next of the selected targets in the order of their ids, at most so many, each judged.
    fn next<'a>(&'a self, app: &'a App, wanted: Wanted<'a>, after: i64, limit: usize) -> BoxFuture<'a, Outcome<Piece>>;

    /// Why a target whose record the database or a rule refuses has failed, if each is changed in a transaction of its own:
    /// then it fails alone. Otherwise they are changed together, and nothing may be refused that [`Self::next`] took.
    fn refusal(&self, kind: OperationKind) -> Option<Reason>;

    /// Changes the records of some targets in the caller's transaction, for an operation that only changes records.
    fn apply<'a>(
        &'a self,
        app: &'a App,
        tx: &'a mut WriteTx,
        operation: &'a Model,
        ids: &'a [i64],
        now: UtcTime,
    ) -> BoxFuture<'a, Outcome<Applied>>;
}

/// One kind of targets, as a domain hands it over among its parts.
pub struct Kind(pub &'static dyn Targets);

/// The targets of this kind.
///
/// # Errors
/// No domain of this program has such targets: a later version wrote the operation.
pub fn of(app: &App, target: Target) -> Outcome<&'static dyn Targets> {
    let found = app.parts::<Kind>().find(|Kind(targets)| targets.target() == target);
    found.map(|Kind(targets)| *targets).ok_or_else(|| Fault::internal(anyhow::anyhow!("nobody knows {target:?}s")))
}

/// What is to be done, to which targets.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    pub kind: OperationKind,
    /// The act, as it is stored; none where only its kind is known yet.
    pub act: Option<&'a str>,
    /// The selection, as it is stored.
    pub selection: &'a str,
    /// Those in use are included.
    pub is_forced: bool,
}

/// What was selected when an operation was created.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Chosen {
    /// In words: the conditions of the filter, or the number of targets.
    pub words: String,
    /// The filter, if it was one, as the list of the targets takes it; what matches it today may differ.
    #[schema(value_type = Option<Object>)]
    pub filter: Option<Value>,
}

impl Chosen {
    /// Reads a selection as it was stored: those that were named one by one are told by their number, a filter by its
    /// conditions.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn of<I, F>(
        stored: &str,
        named: impl FnOnce(usize) -> String,
        conditions: impl AsyncFnOnce(&F) -> Outcome<String>,
    ) -> Outcome<Self>
    where
        I: DeserializeOwned,
        F: Serialize + DeserializeOwned,
    {
        match serde_json::from_str::<Selection<I, F>>(stored) {
            Ok(Selection::Ids(ids)) => Ok(Self { words: named(ids.len()), filter: None }),
            Ok(Selection::Filter(filter)) => {
                let told = serde_json::to_value(&filter).map_err(|error| Fault::Internal(error.into()))?;
                Ok(Self { words: conditions(&filter).await?, filter: Some(told) })
            }
            Err(_) => Ok(Self { words: String::new(), filter: None }),
        }
    }
}

/// The conditions of a filter in one line: `all` if there are none.
#[must_use]
pub fn conditions(parts: impl IntoIterator<Item = (Text, String)>, all: Text, lang: Lang) -> String {
    let said: Vec<String> = parts.into_iter().map(|(name, value)| format!("{} {value}", name.get(lang))).collect();
    if said.is_empty() { all.get(lang).to_owned() } else { said.join(" · ") }
}

/// A condition that holds or not.
#[must_use]
pub const fn yes_no(holds: bool) -> Text {
    if holds { text("是", "yes") } else { text("否", "no") }
}

/// A piece of a selection.
#[derive(Debug)]
pub struct Piece {
    pub targets: Vec<Judged>,
    /// The next piece starts after this target.
    pub after: i64,
    pub is_last: bool,
}

/// A target, and what will become of it.
#[derive(Clone, Debug)]
pub struct Judged {
    pub id: i64,
    pub room_id: RoomId,
    pub frame_id: Option<FrameId>,
    pub host_id: Option<HostId>,
    /// What it is called: for a card its address.
    pub name: String,
    pub class: Class,
}

/// The pre-flight result of one target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    pub step: TaskStep,
    /// Why it is left out; none if it is not.
    pub why: Option<Reason>,
    /// It is in use, and its user would be affected.
    pub hits_user: bool,
}

impl Class {
    /// It will be done.
    pub const WAITS: Self = Self { step: TaskStep::Pending, why: None, hits_user: false };

    /// It will not, since nothing has to be done or something stands in the way.
    #[must_use]
    pub const fn skipped(why: Reason) -> Self {
        Self { step: TaskStep::Skipped, why: Some(why), hits_user: false }
    }
}

/// What is done once the records are committed.
pub type Committed = Box<dyn FnOnce(&App) + Send>;

/// What has become of some targets.
#[derive(Default)]
pub struct Applied {
    /// Those whose tasks are running from here on, and end when what was begun with them does ([`super::end_begun`]).
    pub begun: HashSet<i64>,
    /// Those that were not changed, how their tasks end, and why.
    pub left: HashMap<i64, (TaskStep, Reason)>,
    /// What the operation log says of those that were.
    pub entries: Vec<Entry>,
    /// What is done once it is committed.
    pub committed: Option<Committed>,
}
