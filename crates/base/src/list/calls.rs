//! The calls of a list that is asked for in a query string: a page of it, and all of it as a file.

use axum::response::Response;
use axum::routing::get;
use kernel::page::Page;
use serde::Serialize;
use utoipa::IntoParams;
use utoipa::openapi::HttpMethod;
use utoipa::openapi::path::ParameterIn;

use super::{Asked, AskedFile, List};
use crate::export::TableFile;
use crate::fault::Outcome;
use crate::http::described::{Described, Shape};
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, DomainRouter, Need};

/// Where the calls of a list are. The file needs [`List::NEED`].
#[derive(Clone, Copy, Debug)]
pub struct Calls {
    /// The path of a page; the file is at `/file` under it.
    pub path: &'static str,
    /// The heading in the API document.
    pub tag: &'static str,
    /// The operations are called `<name>_list` and `<name>_export`.
    pub name: &'static str,
    /// What the API document calls the rows, such as "announcements".
    pub what: &'static str,
    /// What whoever sees the list needs.
    pub see: Need,
}

impl Calls {
    /// The access table of the list `L`.
    #[must_use]
    pub fn routes<L>(self) -> DomainRouter
    where
        L: List<Filter: IntoParams, Row: Serialize>,
    {
        let Self { path, tag, name, what, see } = self;
        let query = || Some(ParameterIn::Query);
        let page = Described::new(tag, format!("{name}_list"), format!("Lists {what}."))
            .params(Asked::<L>::into_params(query))
            .answer(Shape::of::<L::Row>().within::<Page<()>>())
            .at(HttpMethod::Get, path, get(page::<L>));
        let told = format!("Gives {what} as a file; a long one (`export_rows`) is made by a background task.");
        let file = Described::new(tag, format!("{name}_export"), told)
            .params(AskedFile::<L>::into_params(query))
            .answers::<TableFile>()
            .at(HttpMethod::Get, &format!("{path}/file"), get(file::<L>));
        DomainRouter::new().view(see, page).act(L::NEED, file)
    }
}

async fn page<L: List<Row: Serialize>>(ctx: OpCtx, asked: Asked<L>) -> ApiResult<Page<L::Row>> {
    asked.answer(&ctx).await
}

async fn file<L: List>(ctx: OpCtx, asked: AskedFile<L>) -> Outcome<Response> {
    asked.answer(&ctx).await
}
