//! What a caller asks of a list: a page or a file, in a query string or in a body.

use std::borrow::Cow;

use axum::extract::FromRequestParts;
use axum::response::Response;
use http::request::Parts;
use kernel::page::{Page, PageQuery};
use kernel::rules::Check;
use serde::{Deserialize, Serialize};
use utoipa::openapi::path::{Parameter, ParameterIn};
use utoipa::openapi::schema::{AllOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{IntoParams, PartialSchema, ToSchema};

use super::{List, Query, Reader, Sort};
use crate::export::{FormatQuery, export};
use crate::fault::{Fault, Outcome};
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, PageInput, Params, Validate, reply};
use crate::sheet::Format;

/// The filter of a list that is searched and nothing else.
#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams, ToSchema)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct KeyWord {
    /// Part of what the list is searched by; up to 64 characters.
    #[serde(default)]
    #[schema(max_length = 64)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
}

impl KeyWord {
    /// What is searched for, if anything is.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.key_word.as_deref().filter(|text| !text.is_empty())
    }
}

impl Validate for KeyWord {
    fn check(&self, check: &mut Check) {
        check.key_word(self.key_word.as_deref());
    }
}

/// A page that is asked for in a query string.
#[derive(Debug)]
pub struct Asked<L: List> {
    /// Which rows, in which order.
    pub query: Query<L>,
    /// Which page of them.
    pub page: PageQuery,
}

impl<L: List> Asked<L> {
    /// The page.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn answer(self, ctx: &OpCtx) -> ApiResult<Page<L::Row>>
    where
        L::Row: serde::Serialize,
    {
        reply(self.query.page(&Reader::of(ctx), self.page).await?)
    }
}

impl<S: Send + Sync, L: List> FromRequestParts<S> for Asked<L> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let query = query(parts, state).await?;
        let Params(page) = Params::<PageInput>::from_request_parts(parts, state).await?;
        Ok(Self { query, page: page.get()? })
    }
}

impl<L: List<Filter: IntoParams>> IntoParams for Asked<L> {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        [L::Filter::into_params(&place), Sort::<L>::into_params(&place), PageInput::into_params(&place)].concat()
    }
}

/// A file that is asked for in a query string.
#[derive(Debug)]
pub struct AskedFile<L: List> {
    /// Which rows, in which order.
    pub query: Query<L>,
    /// As what.
    pub format: Format,
}

impl<L: List> AskedFile<L> {
    /// The file or, when it is long (`export_rows`), the background task that makes it.
    ///
    /// # Errors
    /// When a read fails.
    pub async fn answer(self, ctx: &OpCtx) -> Outcome<Response> {
        export(ctx, self.query, self.format).await
    }
}

impl<S: Send + Sync, L: List> FromRequestParts<S> for AskedFile<L> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let mut query: Query<L> = query(parts, state).await?;
        if !L::SORTED_FILE {
            query.sort = Sort::default();
        }
        let Params(FormatQuery { format }) = Params::from_request_parts(parts, state).await?;
        Ok(Self { query, format })
    }
}

impl<L: List<Filter: IntoParams>> IntoParams for AskedFile<L> {
    fn into_params(place: impl Fn() -> Option<ParameterIn>) -> Vec<Parameter> {
        let sort = if L::SORTED_FILE { Sort::<L>::into_params(&place) } else { Vec::new() };
        [FormatQuery::into_params(&place), L::Filter::into_params(&place), sort].concat()
    }
}

async fn query<S: Send + Sync, L: List>(parts: &mut Parts, state: &S) -> Outcome<Query<L>> {
    let Params(filter) = Params::from_request_parts(parts, state).await?;
    let Params(sort) = Params::from_request_parts(parts, state).await?;
    Query { filter, sort }.checked()
}

/// A page that is asked for in a body: `Valid<PageOf<L>>`.
#[derive(Debug, Deserialize)]
#[serde(bound = "")]
pub struct PageOf<L: List> {
    /// Which of them.
    #[serde(flatten)]
    pub filter: L::Filter,
    /// In which order.
    #[serde(flatten)]
    pub sort: Sort<L>,
    /// Which page.
    #[serde(flatten)]
    pub page: PageInput,
}

impl<L: List> PageOf<L> {
    /// The page.
    ///
    /// # Errors
    /// When its number is out of range, or a read fails.
    pub async fn answer(self, ctx: &OpCtx) -> ApiResult<Page<L::Row>>
    where
        L::Row: serde::Serialize,
    {
        let Self { filter, sort, page } = self;
        Asked::<L> { query: Query { filter, sort }, page: page.get()? }.answer(ctx).await
    }
}

impl<L: List> Validate for PageOf<L> {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

impl<L: List<Filter: ToSchema>> PartialSchema for PageOf<L> {
    fn schema() -> RefOr<Schema> {
        let parts = AllOfBuilder::new()
            .item(Ref::from_schema_name(L::Filter::name()))
            .item(Sort::<L>::schema())
            .item(Ref::from_schema_name(PageInput::name()));
        RefOr::T(Schema::AllOf(parts.build()))
    }
}

impl<L: List<Filter: ToSchema>> ToSchema for PageOf<L> {
    fn name() -> Cow<'static, str> {
        format!("PageOf_{}", L::Filter::name()).into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((L::Filter::name().into_owned(), L::Filter::schema()));
        L::Filter::schemas(schemas);
        schemas.push((PageInput::name().into_owned(), PageInput::schema()));
        PageInput::schemas(schemas);
    }
}
