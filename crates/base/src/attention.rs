//! What needs an operator: each domain says what is wrong in it, and where it is set right.

use futures::future::BoxFuture;
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

use crate::fault::Outcome;
use crate::http::Need;
use crate::http::ops::OpCtx;

/// Items of one source at most. What is wrong in more places than these is told as a whole.
pub const MOST: usize = 20;

/// A part of a domain in which something may be wrong.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    /// What whoever is told needs.
    pub need: Need,
    /// What is wrong now, [`MOST`] items or less.
    pub look: for<'a> fn(&'a OpCtx) -> BoxFuture<'a, Outcome<Vec<Concern>>>,
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

/// Something that needs an operator, in the caller's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Concern {
    /// The same for as long as it lasts.
    pub key: String,
    /// Customers suffer, or soon will.
    pub urgent: bool,
    /// What is wrong, and where.
    pub title: String,
    /// The cause or the extent.
    pub cause: String,
    /// Since when.
    pub since: Option<UtcTime>,
    /// What to do about it.
    pub act: String,
    /// The page of the console where that is done.
    pub path: String,
}

/// What needs the caller: the urgent first, and of these what has lasted longest.
///
/// # Errors
/// When a read fails.
pub async fn gather(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let mut found = Vec::new();
    for source in ctx.app.part::<Sources>().0.iter().filter(|source| ctx.holds(source.need)) {
        found.extend((source.look)(ctx).await?);
    }
    found.sort_by_key(|item| (!item.urgent, item.since.unwrap_or(UtcTime(i64::MAX))));
    Ok(found)
}
