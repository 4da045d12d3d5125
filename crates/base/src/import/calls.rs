//! The calls of an import.

use std::collections::BTreeMap;

use axum::extract::DefaultBodyLimit;
use axum::response::Response;
use axum::routing::{get, post};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::response::Response as Documented;
use utoipa::openapi::schema::{KnownFormat, Object, SchemaFormat, Type};
use utoipa::openapi::{ContentBuilder, HttpMethod, RefOr, Required, ResponseBuilder};
use utoipa::{IntoParams as _, IntoResponses, PartialSchema as _, ToSchema};
use utoipa_axum::router::UtoipaMethodRouterExt as _;

use super::Import;
use super::bad::bad;
use super::effect::Effect;
use super::preview::{PreviewOf, preview};
use super::start::{start, template};
use crate::export::{FormatQuery, TaskStarted};
use crate::fault::Outcome;
use crate::http::body::PathId;
use crate::http::described::{Described, Shape};
use crate::http::ops::OpCtx;
use crate::http::upload::{Sent, body_limit};
use crate::http::{ApiResult, DomainRouter, Params, reply};

/// The largest size of a file in bytes.
const FILE_LIMIT: u64 = 32 << 20;

/// A file to be imported.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes the body")]
struct ImportUpload {
    /// XLSX, or CSV in UTF-8 or GBK; 32 MB at most.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// The access table of the import `I`.
pub(super) fn routes<I: Import>() -> DomainRouter {
    let call = |name: &str, summary: &str| Described::new(I::TAG, format!("{}_{name}", I::CALLS), summary);
    let preview = call(
        "preview",
        "Reads a spreadsheet, names every invalid row and says what the others would do; nothing is saved yet.",
    )
    .body("multipart/form-data", Shape::of::<ImportUpload>())
    .answer(Shape::of::<<I::Effect as Effect>::Found>().within::<PreviewOf<I>>())
    .at(HttpMethod::Post, I::PATH, post(preview_call::<I>))
    .layer(DefaultBodyLimit::max(body_limit(FILE_LIMIT)));
    let run = call("run", "Starts to import the valid rows of a previewed file; a background task does it.")
        .params(vec![import_id()])
        .answer(Shape::of::<TaskStarted>())
        .at(HttpMethod::Post, &format!("{}/{{importId}}/run", I::PATH), post(run_call::<I>));
    let bad =
        call("bad", "Gives the invalid rows of a previewed file with the reasons, to be corrected and sent again.")
            .params([vec![import_id()], FormatQuery::into_params(|| Some(ParameterIn::Query))].concat())
            .answers::<Template>()
            .at(HttpMethod::Get, &format!("{}/{{importId}}/bad", I::PATH), get(bad_call::<I>));
    let template = call("template", "Returns the template for an import.")
        .params(FormatQuery::into_params(|| Some(ParameterIn::Query)))
        .answers::<Template>()
        .at(HttpMethod::Get, &format!("{}/template", I::PATH), get(template_call::<I>));
    DomainRouter::new().act(I::NEED, preview).act(I::NEED, run).act(I::NEED, bad).view(I::NEED, template)
}

async fn preview_call<I: Import>(ctx: OpCtx, sent: Sent) -> ApiResult<PreviewOf<I>> {
    let file = sent.receive(&ctx.app, FILE_LIMIT).await?;
    let name = file.name.clone();
    reply(preview::<I>(&ctx, file).await.map_err(|fault| fault.of_file(&name))?)
}

async fn run_call<I: Import>(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<TaskStarted> {
    reply(start::<I>(&ctx, id).await?)
}

async fn bad_call<I: Import>(
    ctx: OpCtx,
    PathId(id): PathId<String>,
    Params(file): Params<FormatQuery>,
) -> Outcome<Response> {
    bad::<I>(&ctx, id, file.format).await
}

async fn template_call<I: Import>(ctx: OpCtx, Params(file): Params<FormatQuery>) -> Outcome<Response> {
    template::<I>(&ctx, file.format).await
}

fn import_id() -> Parameter {
    let id = ParameterBuilder::new().name("importId").parameter_in(ParameterIn::Path).required(Required::True);
    id.description(Some("The preview's id")).schema(Some(String::schema())).build()
}

/// The table to fill in, for the documentation.
struct Template;

impl IntoResponses for Template {
    fn responses() -> BTreeMap<String, RefOr<Documented>> {
        let binary = SchemaFormat::KnownFormat(KnownFormat::Binary);
        let workbook = Object::builder().schema_type(Type::String).format(Some(binary));
        let answer = ResponseBuilder::new()
            .description("The file")
            .content(
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
                ContentBuilder::new().schema(Some(workbook)).build(),
            )
            .content("text/csv", ContentBuilder::new().schema(Some(String::schema())).build());
        BTreeMap::from([("200".to_owned(), answer.build().into())])
    }
}
