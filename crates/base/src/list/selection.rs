//! Some rows of a list, for an act on many.

use std::borrow::Cow;

use kernel::rules::{Check, at_least_one, at_most};
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ArrayBuilder, Object, OneOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::http::Validate;

/// Rows that may be listed one by one.
const MOST_IDS: usize = 10_000;

/// Some rows of a list with the filter `F` and ids `I`: listed one by one, or by a filter.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Selection<I, F> {
    /// These, at most 10,000.
    Ids(Vec<I>),
    /// All that the filter matches, however many.
    Filter(F),
}

impl<I, F: Validate> Selection<I, F> {
    /// Records what is wrong with it, for an input that calls it `selection`.
    pub fn check(&self, check: &mut Check) {
        match self {
            Self::Ids(ids) => {
                check.field("selection.ids", at_least_one(ids.len()));
                check.field("selection.ids", at_most(ids.len(), MOST_IDS));
            }
            Self::Filter(filter) => check.nested("selection.filter", |check| filter.check(check)),
        }
    }
}

/// Of rows that were listed one by one, the next `limit` after one in the order of their ids, each once; and whether these
/// are the last.
pub fn next_of<I: Copy + Ord>(ids: Vec<I>, after: I, limit: usize) -> (Vec<I>, bool) {
    let mut next: Vec<I> = ids.into_iter().filter(|id| *id > after).collect();
    next.sort_unstable();
    next.dedup();
    let is_last = next.len() <= limit;
    next.truncate(limit);
    (next, is_last)
}

impl<I: ToSchema, F: ToSchema> PartialSchema for Selection<I, F> {
    fn schema() -> RefOr<Schema> {
        const IDS: &str = "These, at most 10,000.";
        const FILTER: &str = "All that the filter matches, however many.";
        let ids = ArrayBuilder::new().items(Ref::from_schema_name(I::name())).description(Some(IDS));
        let filter = Ref::builder().ref_location_from_schema_name(F::name()).description(Some(FILTER)).build();
        let one_of = OneOfBuilder::new()
            .item(Object::builder().property("ids", ids).required("ids").description(Some(IDS)))
            .item(Object::builder().property("filter", filter).required("filter").description(Some(FILTER)))
            .description(Some("Some rows of a list: listed one by one, or by a filter."));
        RefOr::T(Schema::OneOf(one_of.build()))
    }
}

/// Made by hand: a derived one would have the same name for every list.
impl<I: ToSchema, F: ToSchema> ToSchema for Selection<I, F> {
    fn name() -> Cow<'static, str> {
        format!("SelectionBy_{}", F::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((I::name().into_owned(), I::schema()));
        I::schemas(schemas);
        schemas.push((F::name().into_owned(), F::schema()));
        F::schemas(schemas);
    }
}
