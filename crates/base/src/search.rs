//! The sources of the global search: each domain finds its own things.

use db::search::scan;
use futures::future::BoxFuture;
use kernel::text::Text;
use kernel::time::UtcTime;
use sea_orm::sea_query::{Expr, Func};
use sea_orm::{
    ColumnTrait as _, EntityTrait, FromQueryResult, IdenStatic as _, Order, QueryFilter as _, QueryOrder as _,
    QuerySelect as _,
};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;

use crate::fault::Outcome;
use crate::http::Need;
use crate::http::ops::OpCtx;
use crate::log::{self, last};
use crate::screens::perm;

/// The largest number of hits of each kind.
pub const HITS: u64 = 8;

/// How many lines of the log are looked through for the act that put something out of use.
const LINES: u64 = 20;

/// A kind of things that the global search finds.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// Its name in the API.
    pub kind: &'static str,
    /// What such things are called.
    pub name: Text,
    /// What whoever searches needs in order to find them.
    pub need: Need,
    /// At most [`HITS`] of them for a text of two bytes or more, best first. One that no index finds finds nothing.
    pub find: for<'a> fn(&'a OpCtx, &'a str) -> BoxFuture<'a, Outcome<Vec<Hit>>>,
}

/// The sources of all domains.
#[derive(Debug)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// These sources.
    pub fn of<'a>(sources: impl Iterator<Item = &'a Source>) -> Self {
        Self(sources.copied().collect())
    }
}

/// What a source has found.
#[derive(Clone, Debug, Default, Serialize, ToSchema)]
pub struct Hit {
    /// Its id within its kind.
    pub id: String,
    /// Its name.
    pub title: String,
    /// What distinguishes it from others of the same name.
    pub subtitle: String,
    /// The page of the console that shows it.
    pub path: String,
    /// That it is out of use; null for the usual.
    pub state: Option<HitState>,
}

/// That something is out of use. Who did it, when and why is told to those who may read the operation log.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct HitState {
    /// In the caller's language.
    pub label: String,
    /// Who did it; empty if that is not known.
    pub by: String,
    /// When.
    pub at: Option<UtcTime>,
    /// Why; empty if nobody said.
    pub reason: String,
}

impl HitState {
    /// The state `label` of the object `id` of a `kind`, by the newest of `acts` that brought it about.
    ///
    /// # Errors
    /// When the read fails.
    pub async fn of(
        ctx: &OpCtx,
        label: Text,
        (kind, id): (&str, i64),
        acts: &[&str],
        did: impl Fn(Option<&Value>, &Value) -> bool,
    ) -> Outcome<Self> {
        let mut state =
            Self { label: label.get(ctx.lang()).to_owned(), by: String::new(), at: None, reason: String::new() };
        if !ctx.holds(perm::OPERATION_LOG_LIST) {
            return Ok(state);
        }
        let read = |text: &Option<String>| text.as_deref().and_then(|text| serde_json::from_str::<Value>(text).ok());
        for line in last::lines(ctx.read(), kind, id, acts, LINES).await? {
            let Some(after) = read(&line.after) else { continue };
            if did(read(&line.before).as_ref(), &after) {
                state.reason = log::reason(&line.message, Some(&after));
                (state.by, state.at) = (line.operator_name, Some(line.at));
                break;
            }
        }
        Ok(state)
    }
}

/// What the global search has found.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct SearchHit {
    /// What it is: a kind of `x-console.search`.
    pub kind: &'static str,
    /// The thing.
    #[serde(flatten)]
    pub hit: Hit,
}

/// What all sources find together, for whoever asks: those whose permission he lacks are not asked.
///
/// # Errors
/// When a read fails.
pub async fn find(ctx: &OpCtx, text: &str) -> Outcome<Vec<SearchHit>> {
    let mut found = Vec::new();
    // One Latin letter is in almost every name; one Chinese character is half of one.
    if text.len() < 2 {
        return Ok(found);
    }
    for source in ctx.app.part::<Sources>().0.iter().filter(|source| ctx.holds(source.need)) {
        let hits = (source.find)(ctx, text).await?;
        found.extend(hits.into_iter().map(|hit| SearchHit { kind: source.kind, hit }));
    }
    Ok(found)
}

/// Rows of a small table whose name contains `text`. The shortest first: the one that is the text itself leads.
///
/// # Errors
/// When the read fails.
pub async fn named<E>(ctx: &OpCtx, name: E::Column, text: &str) -> Outcome<Vec<E::Model>>
where
    E: EntityTrait,
    E::Model: FromQueryResult,
{
    let db = ctx.read();
    let table = E::default();
    let select = E::find().filter(scan(db.get_database_backend(), table.table_name(), &[name.as_str()], text));
    let length = Func::char_length(Expr::col(name.as_column_ref()));
    Ok(select.order_by(Expr::expr(length), Order::Asc).order_by_asc(name).limit(HITS).all(db).await?)
}

/// The sources as the API document has them: the console has their names from there.
pub fn described(sources: impl Iterator<Item = Source>) -> Value {
    let described = sources.map(|Source { kind, name, need, find: _ }| {
        json!({ "kind": kind, "title": [name.zh, name.en], "need": need.code() })
    });
    described.collect()
}
