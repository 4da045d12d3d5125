//! Menu entries as administrators see them.

use base::http::ops::OpCtx;
use entity::MenuId;
use entity::menu::{MenuKind as Kind, Model};
use kernel::time::UtcTime;
use serde::Serialize;
use utoipa::ToSchema;

/// A menu entry.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MenuView {
    pub id: MenuId,
    pub parent_id: Option<MenuId>,
    pub kind: Kind,
    /// Unique. A button's code is the permission that is checked.
    pub code: String,
    /// As stored.
    pub name: String,
    /// In the caller's language.
    pub title: String,
    pub path: String,
    pub icon: String,
    pub sort: i32,
    pub visible: bool,
    /// Built in: it can be renamed, moved and hidden, not deleted.
    pub builtin: bool,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl MenuView {
    /// `row`, in the caller's language.
    #[must_use]
    pub fn new(row: Model, ctx: &OpCtx) -> Self {
        let Model { id, parent_id, kind, code, name, path, icon, sort, is_visible, is_builtin, created_at, updated_at } =
            row;
        let title = ctx.app.catalogue.title(&code, &name, ctx.lang());
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
