//! The permissions of groups in words: every code with its name and page, the tree to assign from, and the difference
//! between two groups.

use std::collections::{HashMap, HashSet};

use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::menu::{MenuKind as Kind, Model};
use entity::{GroupId, MenuId};
use serde::Serialize;
use utoipa::ToSchema;

use super::store::{self, GroupView};
use crate::staff::menu::store as menus;

/// A permission code, in the caller's language.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionView {
    /// The menu entry of the code.
    pub menu_id: MenuId,
    pub code: String,
    pub name: String,
    /// The code and the name of its page.
    pub screen: String,
    pub screen_name: String,
    /// The code and the name of its section.
    pub section: String,
    pub section_name: String,
}

/// An entry of the tree to assign from.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(no_recursion)]
pub struct RightNode {
    pub id: MenuId,
    pub parent_id: Option<MenuId>,
    pub kind: Kind,
    pub code: String,
    /// In the caller's language.
    pub name: String,
    /// The group has it.
    #[serde(rename = "allotted")]
    pub assigned: bool,
    /// The caller has it and may therefore grant it.
    pub grantable: bool,
    pub children: Vec<RightNode>,
}

/// A group with all possible permissions.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupRights {
    pub group: GroupView,
    /// Sections, pages, buttons.
    pub tree: Vec<RightNode>,
}

/// The permissions of two groups.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupComparison {
    pub left: GroupView,
    pub right: GroupView,
    pub only_left: Vec<PermissionView>,
    pub only_right: Vec<PermissionView>,
    pub both: Vec<PermissionView>,
}

/// Every code, in the order of the menu.
///
/// # Errors
/// When the read fails.
pub async fn permissions(ctx: &OpCtx) -> Outcome<Vec<PermissionView>> {
    let rows = menus::all(ctx.read()).await?;
    Ok(in_words(&rows, ctx, |_| true))
}

fn in_words(rows: &[Model], ctx: &OpCtx, which: impl Fn(MenuId) -> bool) -> Vec<PermissionView> {
    let by_id: HashMap<MenuId, &Model> = rows.iter().map(|row| (row.id, row)).collect();
    let above = |row: &Model| row.parent_id.and_then(|id| by_id.get(&id).copied());
    let title = |row: Option<&Model>| row.map(|row| named(ctx, row)).unwrap_or_default();
    let code = |row: Option<&Model>| row.map(|row| row.code.clone()).unwrap_or_default();
    let place = |row: &Model| {
        let screen = above(row);
        let section = screen.and_then(above);
        let sort = |row: Option<&Model>| row.map_or((0, MenuId(0)), |row| (row.sort, row.id));
        (sort(section), sort(screen), sort(Some(row)))
    };
    let mut buttons: Vec<&Model> = rows.iter().filter(|row| row.kind == Kind::Button && which(row.id)).collect();
    buttons.sort_by_key(|row| place(row));
    buttons
        .into_iter()
        .map(|row| {
            let screen = above(row);
            let section = screen.and_then(above);
            PermissionView {
                menu_id: row.id,
                code: row.code.clone(),
                name: title(Some(row)),
                screen: code(screen),
                screen_name: title(screen),
                section: code(section),
                section_name: title(section),
            }
        })
        .collect()
}

/// What an entry is called, in the caller's language.
fn named(ctx: &OpCtx, row: &Model) -> String {
    ctx.app.catalogue.title(&row.code, &row.name, ctx.lang())
}

/// A group with the whole tree: which permissions it has, and which the caller may grant.
///
/// # Errors
/// When there is no such group.
pub async fn rights(ctx: &OpCtx, id: GroupId) -> Outcome<GroupRights> {
    let row = super::find(ctx.read(), id).await?;
    let rows = menus::all(ctx.read()).await?;
    let assigned = menus::assigned(ctx.read(), id).await?;
    let own = menus::assigned(ctx.read(), ctx.group()).await?;
    let tree = below(&rows, &assigned, &own, ctx, None);
    Ok(GroupRights { group: store::view(ctx.read(), row).await?, tree })
}

fn below(
    rows: &[Model],
    assigned: &HashSet<MenuId>,
    own: &HashSet<MenuId>,
    ctx: &OpCtx,
    parent: Option<MenuId>,
) -> Vec<RightNode> {
    rows.iter()
        .filter(|row| row.parent_id == parent)
        .map(|row| RightNode {
            id: row.id,
            parent_id: row.parent_id,
            kind: row.kind,
            code: row.code.clone(),
            name: named(ctx, row),
            assigned: assigned.contains(&row.id),
            grantable: own.contains(&row.id),
            children: below(rows, assigned, own, ctx, Some(row.id)),
        })
        .collect()
}

/// The permissions that only one of two groups has, and those of both.
///
/// # Errors
/// When one of them does not exist.
pub async fn compare(ctx: &OpCtx, left: GroupId, right: GroupId) -> Outcome<GroupComparison> {
    let db = ctx.read();
    let (left_row, right_row) = (super::find(db, left).await?, super::find(db, right).await?);
    let rows = menus::all(db).await?;
    let (lefts, rights) = (menus::assigned(db, left).await?, menus::assigned(db, right).await?);
    Ok(GroupComparison {
        left: store::view(db, left_row).await?,
        right: store::view(db, right_row).await?,
        only_left: in_words(&rows, ctx, |id| lefts.contains(&id) && !rights.contains(&id)),
        only_right: in_words(&rows, ctx, |id| rights.contains(&id) && !lefts.contains(&id)),
        both: in_words(&rows, ctx, |id| lefts.contains(&id) && rights.contains(&id)),
    })
}
