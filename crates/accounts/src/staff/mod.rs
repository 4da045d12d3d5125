//! The staff of the console: operators, permission groups, the menu tree that carries permissions, and the operation
//! log.
//!
//! It does not authenticate anybody (`auth`).

pub mod group;
pub mod log;
pub mod menu;
pub mod operator;

pub use log::chain_fault;

use base::domain::{Domain, Table};
use base::http::DomainRouter;
use base::search::Source;
use base::{list, log as oplog};
use futures::FutureExt as _;
use group::{Groups, Members};
use kernel::text::text;
use log::LogLines;
use menu::Menus;
use operator::{Operators, SignIns};
use utoipa::ToSchema as _;

use crate::screens::{SCREENS, perm};

/// What this domain registers.
pub const DOMAIN: Domain = Domain {
    screens: &[SCREENS],
    lists: &[
        list::entry::<Operators>(),
        list::entry::<SignIns>(),
        list::entry::<Groups>(),
        list::entry::<Members>(),
        list::entry::<Menus>(),
        list::entry::<LogLines>(),
    ],
    search: &[Source {
        kind: "operator",
        name: text("操作员", "Operators"),
        need: perm::OPERATOR_LIST,
        find: |ctx, text| operator::find(ctx, text).boxed(),
    }],
    acts: &[
        ("group_copy", text("复制权限组", "Copy a permission group")),
        ("menu_set_visible", text("显示或隐藏菜单", "Show or hide a menu entry")),
        ("operator_disable", text("禁用操作员", "Disable an operator")),
        ("operator_enable", text("启用操作员", "Enable an operator")),
        ("operator_session_end", text("结束操作员的会话", "End an operator's session")),
        ("own_profile_update", text("修改自己的资料", "Change own profile")),
        ("own_session_end", text("结束自己的会话", "End own session")),
    ],
    turns: &[
        oplog::turn("menu_set_visible", "visible", "true", text("显示菜单", "Show a menu entry")),
        oplog::turn("menu_set_visible", "visible", "false", text("隐藏菜单", "Hide a menu entry")),
    ],
    shapes: &[
        oplog::shape("group", group::GroupView::name).fields(&[
            ("codes", text("权限", "Permissions")),
            ("menus", text("菜单与权限", "Menus and permissions")),
            ("permissions", text("权限", "Permissions")),
            ("screens", text("页面", "Screens")),
        ]),
        oplog::shape("menu", menu::MenuView::name).fields(&[
            ("icon", text("图标", "Icon")),
            ("name", text("名称", "Name")),
            ("parentId", text("上级菜单 ID", "Parent ID")),
        ]),
        oplog::shape("operator", operator::view::OperatorView::name).fields(&[
            ("groupId", text("权限组 ID", "Permission group ID")),
            ("linkedProvider", text("登录身份", "Linked identity")),
        ]),
    ],
    kinds: &[
        ("group", text("权限组", "Permission group")),
        ("menu", text("菜单", "Menu entry")),
        ("operationLog", text("操作日志", "Operation log")),
        ("operator", text("操作员", "Operator")),
        ("permission", text("权限", "Permission")),
    ],
    tables: &[
        Table::kept("permission_group", "id"),
        // Sections before pages before buttons.
        Table::kept("menu", "kind, id"),
        Table::kept("group_menu", "group_id, menu_id"),
        Table::kept("operator", "id"),
    ],
    ..Domain::new("staff", router)
};

/// The access table of this domain.
fn router() -> DomainRouter {
    DomainRouter::new().merge(menu::router()).merge(operator::router()).merge(group::router()).merge(log::router())
}
