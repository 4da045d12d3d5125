//! The calls of an import.

use std::collections::BTreeMap;
use std::marker::PhantomData;

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
use super::preview::{PreviewOf, again, preview};
use super::start::{start, template};
use crate::export::{FormatQuery, TaskStarted};
use crate::fault::Outcome;
use crate::http::body::PathId;
use crate::http::described::{Described, Shape};
use crate::http::ops::OpCtx;
use crate::http::upload::{Sent, body_limit};
use crate::http::{ApiResult, DomainRouter, Need, Params, Valid, reply};
use crate::resumable::{self, FinishInput, Found, Resumable, whole};

/// The largest size of a file in bytes.
const FILE_LIMIT: u64 = 32 << 20;
const PREVIEW_ID: &str = "The preview's id";

/// A file to be imported.
#[derive(ToSchema)]
#[expect(dead_code, reason = "it only describes the body")]
struct ImportUpload {
    /// XLSX, or CSV in UTF-8 or GBK; 32 MB at most.
    #[schema(value_type = String, format = Binary)]
    file: Vec<u8>,
}

/// Files of the import `I` that are sent in pieces.
#[derive(Clone, Copy, Debug)]
struct InPieces<I>(PhantomData<I>);

impl<I: Import> Resumable for InPieces<I> {
    const OF: &'static str = I::KIND;
    const TAG: &'static str = I::TAG;
    const CALLS: &'static str = I::CALLS;
    const NEED: Need = I::NEED;
    const LIMIT: u64 = FILE_LIMIT;

    fn path() -> String {
        format!("{}/uploads", I::PATH)
    }
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
    let finish = call(
        "finish",
        "Previews a spreadsheet that was sent in pieces, once it has come completely. Asked again, because the answer \
         was lost, it reads the same file again.",
    )
    .params(vec![id("id", "The upload's id")])
    .body("application/json", Shape::of::<FinishInput>())
    .answer(Shape::of::<<I::Effect as Effect>::Found>().within::<PreviewOf<I>>())
    .at(HttpMethod::Post, &format!("{}/{{id}}/finish", InPieces::<I>::path()), post(finish_call::<I>));
    let run = call("run", "Starts to import the valid rows of a previewed file; a background task does it.")
        .params(vec![id("importId", PREVIEW_ID)])
        .answer(Shape::of::<TaskStarted>())
        .at(HttpMethod::Post, &format!("{}/{{importId}}/run", I::PATH), post(run_call::<I>));
    let bad =
        call("bad", "Gives the invalid rows of a previewed file with the reasons, to be corrected and sent again.")
            .params([vec![id("importId", PREVIEW_ID)], FormatQuery::into_params(|| Some(ParameterIn::Query))].concat())
            .answers::<Template>()
            .at(HttpMethod::Get, &format!("{}/{{importId}}/bad", I::PATH), get(bad_call::<I>));
    let template = call("template", "Returns the template for an import.")
        .params(FormatQuery::into_params(|| Some(ParameterIn::Query)))
        .answers::<Template>()
        .at(HttpMethod::Get, &format!("{}/template", I::PATH), get(template_call::<I>));
    DomainRouter::new()
        .act(I::NEED, preview)
        .merge(resumable::routes::<InPieces<I>>())
        .act(I::NEED, finish)
        .act(I::NEED, run)
        .act(I::NEED, bad)
        .view(I::NEED, template)
}

async fn preview_call<I: Import>(ctx: OpCtx, sent: Sent) -> ApiResult<PreviewOf<I>> {
    let file = sent.receive(&ctx.app, FILE_LIMIT).await?;
    reply(preview::<I>(&ctx, &file, None).await.map_err(|fault| fault.of_file(&file.name))?)
}

async fn finish_call<I: Import>(
    ctx: OpCtx,
    PathId(id): PathId<String>,
    Valid(said): Valid<FinishInput>,
) -> ApiResult<PreviewOf<I>> {
    match whole::<InPieces<I>, String>(&ctx, id, said).await? {
        Found::Taken(import) => reply(again::<I>(&ctx, import).await?),
        Found::Whole(whole) => {
            ctx.app.inspection.admit(whole.upload.size)?;
            let found = preview::<I>(&ctx, &whole.upload, Some(&whole)).await;
            let found = found.map_err(|fault| fault.of_file(&whole.upload.name))?;
            whole.remove(&ctx.app).await;
            reply(found)
        }
    }
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

fn id(name: &str, description: &str) -> Parameter {
    let id = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
    id.description(Some(description)).schema(Some(String::schema())).build()
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
