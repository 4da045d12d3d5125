//! The calls of uploads that go on after a broken line.

use axum::routing::{delete, get, patch, post};
use entity::upload::{Column, Entity};
use futures::future::try_join_all;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::{HttpMethod, Required};
use utoipa::{PartialSchema, ToSchema};

use super::begin::{UploadInput, begin};
use super::piece::{OFFSET, Piece, TYPE, append};
use super::place::{find, own, remove};
use super::{Resumable, UploadView};
use crate::http::body::PathId;
use crate::http::described::{Described, Shape};
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, DomainRouter, Nothing, Valid, done, reply};

/// The bytes from the offset on.
#[derive(ToSchema)]
#[schema(value_type = String, format = Binary)]
struct UploadPiece(#[expect(dead_code, reason = "it only describes the body")] Vec<u8>);

/// The access table of uploads for `R`. What is made of a whole one, its domain adds.
#[must_use]
pub fn routes<R: Resumable>() -> DomainRouter {
    let all = R::path();
    let one = format!("{all}/{{id}}");
    let view = Shape::of::<UploadView>;
    let call = |name: &str, summary: &str| Described::new(R::TAG, format!("{}_{name}", R::CALLS), summary);
    let begin = call("begin", "Announces a file that is sent in pieces, or finds the upload that was begun with it.")
        .body("application/json", Shape::of::<UploadInput>())
        .answer(view())
        .at(HttpMethod::Post, &all, post(begin_call::<R>));
    let mine = call("mine", "Lists the caller's unfinished uploads, oldest first.").answer(view().many()).at(
        HttpMethod::Get,
        &all,
        get(mine_call::<R>),
    );
    let state = call("state", "Tells how much of a file has come.").params(vec![id()]).answer(view()).at(
        HttpMethod::Get,
        &one,
        get(state_call::<R>),
    );
    let piece = call("piece", "Adds the next piece of a file; what has come of it counts, even if it breaks off.")
        .params(vec![id(), offset()])
        .body(TYPE, Shape::of::<UploadPiece>())
        .answer(view())
        .at(HttpMethod::Patch, &one, patch(piece_call::<R>));
    let give_up = call("give_up", "Gives an upload up; what has come of it is deleted.")
        .params(vec![id()])
        .answer(Shape::of::<Nothing>())
        .at(HttpMethod::Delete, &one, delete(give_up_call::<R>));
    DomainRouter::new()
        .act(R::NEED, begin)
        .view(R::NEED, mine)
        .view(R::NEED, state)
        // No act of its own: the log has the announcement, and what is made of the file.
        .view(R::NEED, piece)
        .act(R::NEED, give_up)
}

async fn begin_call<R: Resumable>(ctx: OpCtx, Valid(input): Valid<UploadInput>) -> ApiResult<UploadView> {
    reply(begin::<R>(&ctx, input).await?)
}

async fn mine_call<R: Resumable>(ctx: OpCtx) -> ApiResult<Vec<UploadView>> {
    let open = Entity::find().filter(own::<R>(&ctx)).filter(Column::Answer.is_null()).order_by_asc(Column::Id);
    let open = open.all(ctx.read()).await?;
    reply(try_join_all(open.into_iter().map(|row| UploadView::of(&ctx.app, row))).await?)
}

async fn state_call<R: Resumable>(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<UploadView> {
    reply(UploadView::of(&ctx.app, find::<R>(ctx.read(), &ctx, id).await?).await?)
}

async fn piece_call<R: Resumable>(ctx: OpCtx, PathId(id): PathId<String>, piece: Piece) -> ApiResult<UploadView> {
    reply(append::<R>(&ctx, id, piece).await?)
}

async fn give_up_call<R: Resumable>(ctx: OpCtx, PathId(id): PathId<String>) -> ApiResult<Nothing> {
    let tx = ctx.begin_write().await?;
    let row = find::<R>(&*tx, &ctx, id).await?;
    Entity::delete_by_id(&row.id).exec(&*tx).await?;
    tx.commit(Audit::of("upload").id(&row.id).name(row.file_name)).await?;
    remove(&ctx.app, &row.id).await?;
    done()
}

fn id() -> Parameter {
    parameter("id", ParameterIn::Path, "The upload's id").schema(Some(String::schema())).build()
}

fn offset() -> Parameter {
    let said = "Where the piece begins: the bytes that have come so far";
    parameter(OFFSET, ParameterIn::Header, said).schema(Some(u64::schema())).build()
}

fn parameter(name: &str, place: ParameterIn, description: &str) -> ParameterBuilder {
    let parameter = ParameterBuilder::new().name(name).parameter_in(place).required(Required::True);
    parameter.description(Some(description))
}
