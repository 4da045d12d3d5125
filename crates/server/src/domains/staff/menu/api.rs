//! The calls about the menu tree.

use entity::GroupId;
use serde::Deserialize;
use utoipa::IntoParams;

use super::service;
use super::tree::MenuNode;
use crate::http::ops::OpCtx;
use crate::http::{ApiResult, Params, Reply, reply};

/// Whose tree is wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct MenuTreeQuery {
    /// The group; one's own where it is left out.
    #[serde(default)]
    #[param(value_type = Option<i64>)]
    pub group_id: Option<GroupId>,
    /// Whether a kept copy would do. Nothing is kept here, so that a change acts at once.
    #[serde(default)]
    #[expect(dead_code, reason = "clients send it; it is read so that a wrong value is told")]
    pub cacheable: Option<bool>,
}

/// The menu tree of a group: sections, screens, buttons.
#[utoipa::path(get, path = "/api/user/v1/menus/tree", tag = "menu", params(MenuTreeQuery),
    responses((status = 200, body = Reply<Vec<MenuNode>>)))]
pub async fn menu_tree(ctx: OpCtx, Params(query): Params<MenuTreeQuery>) -> ApiResult<Vec<MenuNode>> {
    reply(service::tree(&ctx, query.group_id).await?)
}
