//! Menu entries as administrators see them.

use entity::MenuId;
use entity::menu::{Kind, Model};
use kernel::lang::Lang;
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

use crate::access::catalog;

/// A menu entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MenuView {
    pub id: MenuId,
    pub parent_id: Option<MenuId>,
    pub kind: Kind,
    /// Unique. A button's code is the permission that is checked.
    pub code: String,
    /// As it is stored.
    pub name: String,
    /// In the caller's language.
    pub title: String,
    pub path: String,
    pub icon: String,
    pub sort: i32,
    pub visible: bool,
    /// Comes with the console: it can be renamed, moved and hidden, not deleted.
    pub builtin: bool,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl MenuView {
    /// `row`, for somebody who reads `lang`.
    #[must_use]
    pub fn new(row: Model, lang: Lang) -> Self {
        let Model { id, parent_id, kind, code, name, path, icon, sort, is_visible, is_builtin, created_at, updated_at } =
            row;
        let title = catalog::title(&code, &name, lang);
        Self {
            id,
            parent_id,
            kind,
            code,
            name,
            title,
            path,
            icon,
            sort,
            visible: is_visible,
            builtin: is_builtin,
            created_at,
            updated_at,
        }
    }
}
