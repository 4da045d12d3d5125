//! The menu tree for clients. Pure: it is built from rows that were read before.

use std::collections::{HashMap, HashSet};

use entity::MenuId;
use entity::menu::{MenuKind as Kind, Model};
use serde::Serialize;
use utoipa::ToSchema;

/// The code that stands for "no code at all".
///
/// Clients take a tree without codes for an administrator's (specification, section 6), so a tree without one is never
/// sent.
pub const NO_CODE: &str = "none";

/// An entry with its children: a section, a page, or a button.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(no_recursion)]
pub struct MenuNode {
    /// The entry's id.
    pub id: MenuId,
    /// The id of the entry above; null for a section.
    pub parent_id: Option<MenuId>,
    /// Its part of the path; empty for a button.
    pub path: String,
    /// Shown if the client has no translation.
    pub name: String,
    /// The name of an icon; empty for a button.
    pub icon: String,
    /// False if the entry is not shown. Its page and its permissions stay.
    pub visible: bool,
    /// On the third level: the permission code.
    pub code: String,
    /// Its children, in their order.
    pub children: Vec<MenuNode>,
}

/// The ids in `wanted` and of everything above them. Unknown ids are skipped.
#[must_use]
pub fn with_ancestors(rows: &[Model], wanted: &HashSet<MenuId>) -> HashSet<MenuId> {
    let parents: HashMap<MenuId, Option<MenuId>> = rows.iter().map(|row| (row.id, row.parent_id)).collect();
    let mut found = HashSet::new();
    for id in wanted.iter().filter(|id| parents.contains_key(id)) {
        let mut next = Some(*id);
        // The ancestors of a known id are already included; this also ends a cycle.
        while let Some(id) = next.filter(|id| found.insert(*id)) {
            next = parents.get(&id).copied().flatten();
        }
    }
    found
}

/// The tree of the entries in `assigned` and those above them, never without a code.
///
/// `rows` are all entries, in their order.
#[must_use]
pub fn build(rows: &[Model], assigned: &HashSet<MenuId>) -> Vec<MenuNode> {
    let shown = with_ancestors(rows, assigned);
    let mut tree = below(rows, &shown, None);
    if !has_code(&tree) {
        mark_codeless(rows, &mut tree);
    }
    tree
}

fn below(rows: &[Model], shown: &HashSet<MenuId>, parent: Option<MenuId>) -> Vec<MenuNode> {
    rows.iter()
        .filter(|row| row.parent_id == parent && shown.contains(&row.id))
        .map(|row| MenuNode { children: below(rows, shown, Some(row.id)), ..node(row) })
        .collect()
}

fn node(row: &Model) -> MenuNode {
    MenuNode {
        id: row.id,
        parent_id: row.parent_id,
        path: row.path.clone(),
        name: row.name.clone(),
        icon: row.icon.clone(),
        visible: row.is_visible,
        code: row.code.clone(),
        children: Vec::new(),
    }
}

fn has_code(tree: &[MenuNode]) -> bool {
    tree.iter().flat_map(|section| &section.children).any(|screen| !screen.children.is_empty())
}

/// Adds the button [`NO_CODE`] to the first page or, if there is none, to the introduction, which everybody may read.
fn mark_codeless(rows: &[Model], tree: &mut Vec<MenuNode>) {
    if tree.iter().all(|section| section.children.is_empty()) {
        *tree = introduction(rows);
    }
    if let Some(screen) = tree.iter_mut().find_map(|section| section.children.first_mut()) {
        screen.children.push(MenuNode {
            id: MenuId(0),
            parent_id: Some(screen.id),
            path: String::new(),
            name: NO_CODE.to_owned(),
            icon: String::new(),
            visible: false,
            code: NO_CODE.to_owned(),
            children: Vec::new(),
        });
    }
}

fn introduction(rows: &[Model]) -> Vec<MenuNode> {
    let screens = || rows.iter().filter(|row| row.kind == Kind::Screen);
    let screen = screens().find(|row| row.code == "introduction").or_else(|| screens().next());
    let Some(screen) = screen else { return vec![nowhere()] };
    let Some(section) = rows.iter().find(|row| Some(row.id) == screen.parent_id) else { return vec![nowhere()] };
    vec![MenuNode { children: vec![node(screen)], ..node(section) }]
}

/// A hidden section with a hidden page, for a table without pages.
fn nowhere() -> MenuNode {
    let hidden = |id: i64, parent_id: Option<MenuId>| MenuNode {
        id: MenuId(id),
        parent_id,
        path: NO_CODE.to_owned(),
        name: NO_CODE.to_owned(),
        icon: String::new(),
        visible: false,
        code: NO_CODE.to_owned(),
        children: Vec::new(),
    };
    MenuNode { children: vec![hidden(-1, Some(MenuId(-2)))], ..hidden(-2, None) }
}

#[cfg(test)]
mod tests;
