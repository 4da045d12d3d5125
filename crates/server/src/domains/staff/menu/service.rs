//! What may be done to the menu tree.

use entity::{GroupId, permission_group};
use kernel::text::{Text, text};
use sea_orm::EntityTrait as _;

use super::store;
use super::tree::{self, MenuNode};
use crate::fault::{Fault, Outcome};
use crate::http::ops::OpCtx;

const GROUP_NOT_FOUND: Text = text("权限组不存在", "There is no such permission group");

/// The tree of a group: one's own or, for those who arrange menus or allot them, any other.
///
/// # Errors
/// When it is another group's and the operator may do neither.
pub async fn tree(ctx: &OpCtx, group: Option<GroupId>) -> Outcome<Vec<MenuNode>> {
    let group = group.unwrap_or_else(|| ctx.group());
    if group != ctx.group() {
        if !ctx.may("group:allot") && !ctx.may("menu:list") {
            return Err(Fault::Denied("group:allot"));
        }
        permission_group::Entity::find_by_id(group).one(ctx.read()).await?.ok_or_else(|| Fault::not_found(GROUP_NOT_FOUND))?;
    }
    let rows = store::all(ctx.read()).await?;
    Ok(tree::build(&rows, &store::allotted(ctx.read(), group).await?))
}
