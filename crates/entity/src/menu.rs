//! An entry of the menu tree: a section, a screen of it, or a button of a screen.

use kernel::time::UtcTime;
use sea_orm::entity::prelude::*;

use crate::MenuId;

kernel::coded_enum! {
    /// The level of an entry.
    pub enum MenuKind {
        /// A top-level group of screens.
        Section = 1 ("分组", "Section"),
        /// A page.
        Screen = 2 ("页面", "Page"),
        /// A permission on a page.
        Button = 3 ("按钮", "Button"),
    }
}

/// An entry of the menu tree: a section, a screen of it, or a button of a screen.
#[sea_orm::model]
#[derive(Clone, Debug, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "menu")]
pub struct Model {
    #[sea_orm(primary_key)]
    pub id: MenuId,
    /// None for a section.
    pub parent_id: Option<MenuId>,
    pub kind: MenuKind,
    /// Unique. A button's code is the permission that the server checks: `<screen>:<act>`.
    pub code: String,
    /// Shown if the console has no translation for the code.
    pub name: String,
    pub path: String,
    pub icon: String,
    pub sort: i32,
    /// Hidden entries are not drawn; hiding takes no permission away.
    pub is_visible: bool,
    /// Defined by the catalogue in code: it can be renamed, moved and hidden, not deleted.
    pub is_builtin: bool,
    pub created_at: UtcTime,
    pub updated_at: UtcTime,
}

impl ActiveModelBehavior for ActiveModel {}
