//! What groups hold, in words: every code with its name and screen, the tree to allot from, and the
//! difference between two groups.

use std::collections::{HashMap, HashSet};

use entity::menu::{Kind, Model};
use entity::{GroupId, MenuId};
use kernel::lang::Lang;
use serde::Serialize;
use utoipa::ToSchema;

use super::store::{self, GroupView};
use crate::access::catalog;
use crate::domains::staff::menu::store as menus;
use crate::fault::Outcome;
use crate::http::ops::OpCtx;

/// A permission code, in the caller's language.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionView {
    /// The entry that carries it.
    pub menu_id: MenuId,
    pub code: String,
    pub name: String,
    /// The code and the name of its screen.
    pub screen: String,
    pub screen_name: String,
    /// The code and the name of its section.
    pub section: String,
    pub section_name: String,
}

/// An entry of the tree to allot from.
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
    /// The group holds it.
    pub allotted: bool,
    /// The caller holds it and may therefore grant it.
    pub grantable: bool,
    pub children: Vec<RightNode>,
}

/// A group with everything that it could hold.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupRights {
    pub group: GroupView,
    /// Sections, screens, buttons.
    pub tree: Vec<RightNode>,
}

/// What two groups hold.
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
    Ok(in_words(&rows, ctx.lang(), |_| true))
}

fn in_words(rows: &[Model], lang: Lang, which: impl Fn(MenuId) -> bool) -> Vec<PermissionView> {
    let by_id: HashMap<MenuId, &Model> = rows.iter().map(|row| (row.id, row)).collect();
    let above = |row: &Model| row.parent_id.and_then(|id| by_id.get(&id).copied());
    let title = |row: Option<&Model>| row.map(|row| catalog::title(&row.code, &row.name, lang)).unwrap_or_default();
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

/// A group with the whole tree: what it holds, and what the caller may grant.
///
/// # Errors
/// When there is no such group.
pub async fn rights(ctx: &OpCtx, id: GroupId) -> Outcome<GroupRights> {
    let row = super::find(ctx.read(), id).await?;
    let rows = menus::all(ctx.read()).await?;
    let allotted = menus::allotted(ctx.read(), id).await?;
    let own = menus::allotted(ctx.read(), ctx.group()).await?;
    let tree = below(&rows, &allotted, &own, ctx.lang(), None);
    Ok(GroupRights { group: store::view(ctx.read(), row).await?, tree })
}

fn below(
    rows: &[Model],
    allotted: &HashSet<MenuId>,
    own: &HashSet<MenuId>,
    lang: Lang,
    parent: Option<MenuId>,
) -> Vec<RightNode> {
    rows.iter()
        .filter(|row| row.parent_id == parent)
        .map(|row| RightNode {
            id: row.id,
            parent_id: row.parent_id,
            kind: row.kind,
            code: row.code.clone(),
            name: catalog::title(&row.code, &row.name, lang),
            allotted: allotted.contains(&row.id),
            grantable: own.contains(&row.id),
            children: below(rows, allotted, own, lang, Some(row.id)),
        })
        .collect()
}

/// What only one of two groups holds, and what both do.
///
/// # Errors
/// When one of them does not exist.
pub async fn compare(ctx: &OpCtx, left: GroupId, right: GroupId) -> Outcome<GroupComparison> {
    let db = ctx.read();
    let (left_row, right_row) = (super::find(db, left).await?, super::find(db, right).await?);
    let rows = menus::all(db).await?;
    let (lefts, rights) = (menus::allotted(db, left).await?, menus::allotted(db, right).await?);
    Ok(GroupComparison {
        left: store::view(db, left_row).await?,
        right: store::view(db, right_row).await?,
        only_left: in_words(&rows, ctx.lang(), |id| lefts.contains(&id) && !rights.contains(&id)),
        only_right: in_words(&rows, ctx.lang(), |id| rights.contains(&id) && !lefts.contains(&id)),
        both: in_words(&rows, ctx.lang(), |id| lefts.contains(&id) && rights.contains(&id)),
    })
}
