//! The menu endpoints. Each is available under `/api/user/v1/menus` and, as in the specification, under `/v1/menus`.

use axum::response::Response;
use base::export::TableFile;
use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Nothing, PageInput, Params, Reply, Valid, done, reply};
use base::list::AskedFile;
use entity::{GroupId, MenuId};
use kernel::page::Page;
use serde::Deserialize;
use utoipa::IntoParams;

use super::assign::{self, AllotInput};
use super::export::Menus;
use super::service::{self, MenuInput, MenuVisibleInput, entry_above};
use super::store;
use super::tree::MenuNode;
use super::view::MenuView;

/// Whose tree is requested.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MenuTreeQuery {
    /// The group; the caller's own if omitted.
    #[serde(default)]
    #[param(value_type = Option<i64>)]
    pub group_id: Option<GroupId>,
    /// Whether a cached copy would do. Nothing is cached here, so that changes take effect at once.
    #[serde(default)]
    #[expect(dead_code, reason = "clients send it; it is read so that an invalid value is reported")]
    pub cacheable: Option<bool>,
}

/// Returns the menu tree of a group: sections, pages, buttons.
#[utoipa::path(get, path = "/api/user/v1/menus/tree", tag = "menu", params(MenuTreeQuery),
    responses((status = 200, body = Reply<Vec<MenuNode>>)))]
pub async fn menu_tree(ctx: OpCtx, Params(query): Params<MenuTreeQuery>) -> ApiResult<Vec<MenuNode>> {
    reply(service::tree(&ctx, query.group_id).await?)
}

/// Lists all entries: sections, then pages, then buttons, each level in its order.
#[utoipa::path(get, path = "/api/user/v1/menus/findAll", tag = "menu", params(PageInput),
    responses((status = 200, body = Reply<Page<MenuView>>)))]
pub async fn menu_list(ctx: OpCtx, Params(page): Params<PageInput>) -> ApiResult<Page<MenuView>> {
    let found = store::page(ctx.read(), page.get()?).await?;
    reply(found.map(|row| MenuView::new(row, &ctx)))
}

/// Exports entries as a file, in the order of the tree.
#[utoipa::path(get, path = "/api/user/v1/menus/file", tag = "menu", params(AskedFile<Menus>), responses(TableFile))]
pub async fn menu_export(ctx: OpCtx, asked: AskedFile<Menus>) -> Outcome<Response> {
    asked.answer(&ctx).await
}

/// The entry whose children are requested.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MenuParentQuery {
    /// The entry above; the sections if omitted or 0.
    #[serde(default, deserialize_with = "entry_above")]
    #[param(value_type = Option<i64>)]
    pub parent_id: Option<MenuId>,
}

/// Lists the direct children of an entry.
#[utoipa::path(get, path = "/api/user/v1/menus/findByParentId", tag = "menu", params(MenuParentQuery),
    responses((status = 200, body = Reply<Vec<MenuView>>)))]
pub async fn menu_list_below(ctx: OpCtx, Params(query): Params<MenuParentQuery>) -> ApiResult<Vec<MenuView>> {
    let rows = store::below(ctx.read(), query.parent_id).await?;
    reply(rows.into_iter().map(|row| MenuView::new(row, &ctx)).collect())
}

/// One entry.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct MenuKey {
    /// The entry's id.
    #[param(value_type = i64)]
    pub id: MenuId,
}

/// Returns one entry.
#[utoipa::path(get, path = "/api/user/v1/menus/findById", tag = "menu", params(MenuKey),
    responses((status = 200, body = Reply<MenuView>)))]
pub async fn menu_get(ctx: OpCtx, Params(key): Params<MenuKey>) -> ApiResult<MenuView> {
    reply(service::get(&ctx, key.id).await?)
}

/// Creates an entry.
#[utoipa::path(post, path = "/api/user/v1/menus/create", tag = "menu", request_body = MenuInput,
    responses((status = 200, body = Reply<MenuView>)))]
pub async fn menu_create(ctx: OpCtx, Valid(input): Valid<MenuInput>) -> ApiResult<MenuView> {
    reply(service::create(&ctx, input).await?)
}

/// Updates or moves an entry.
#[utoipa::path(put, path = "/api/user/v1/menus/update/{id}", tag = "menu", request_body = MenuInput,
    params(("id" = i64, Path, description = "The entry's id")), responses((status = 200, body = Reply<MenuView>)))]
pub async fn menu_update(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<MenuInput>) -> ApiResult<MenuView> {
    reply(service::update(&ctx, MenuId(id), input).await?)
}

/// Shows or hides an entry.
#[utoipa::path(put, path = "/api/user/v1/menus/update/{id}/visible", tag = "menu", request_body = MenuVisibleInput,
    params(("id" = i64, Path, description = "The entry's id")), responses((status = 200, body = Reply<MenuView>)))]
pub async fn menu_set_visible(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<MenuVisibleInput>,
) -> ApiResult<MenuView> {
    reply(service::set_visible(&ctx, MenuId(id), input.visible).await?)
}

/// Deletes an entry that is not built in.
#[utoipa::path(delete, path = "/api/user/v1/menus/delete/{id}", tag = "menu",
    params(("id" = i64, Path, description = "The entry's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn menu_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    service::delete(&ctx, MenuId(id)).await?;
    done()
}

/// Assigns entries to a group: the complete set, including the entries above them.
#[utoipa::path(post, path = "/api/user/v1/menus/allot", tag = "menu", request_body = AllotInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn menu_allot(ctx: OpCtx, Valid(input): Valid<AllotInput>) -> ApiResult<()> {
    assign::assign(&ctx, input).await?;
    done()
}
