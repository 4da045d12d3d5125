//! Operations on the menu tree.

use base::access::rights;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::menu::{ActiveModel, MenuKind as Kind, Model};
use entity::{GroupId, MenuId, permission_group};
use kernel::coded::optional_number;
use kernel::rules::{Check, Violation, integer_between, line};
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait as _};
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

use super::store;
use super::tree::{self, MenuNode};
use super::view::MenuView;

const GROUP_NOT_FOUND: Text = text("权限组不存在", "Permission group not found");
const NOT_FOUND: Text = text("菜单不存在", "Menu entry not found");
const HAS_CHILDREN: Text = text("请先删除它下面的条目", "Delete the entries below it first");
const BUILT_IN: Text = text("内置菜单不能删除，可以隐藏", "A built-in entry cannot be deleted; hide it instead");
/// Codes with a meaning for clients: everything, and nothing.
const RESERVED: [&str; 2] = ["admin", tree::NO_CODE];
const MAX_SORT: i64 = 99_999;
/// Gap between neighbours, for entries inserted between them.
const SORT_STEP: i32 = 10;

/// A menu entry, as an operator enters it. Its kind follows from its place: a section at the top, a page in a section,
/// a button on a page.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuInput {
    /// The entry above; none or 0 for a section.
    #[serde(default, deserialize_with = "entry_above")]
    #[schema(value_type = Option<i64>)]
    pub parent_id: Option<MenuId>,
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// Its part of the path. A button has none.
    #[serde(default)]
    #[schema(max_length = 128)]
    pub path: Option<String>,
    /// The name of an icon.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub icon: Option<String>,
    /// Unique; required for a button, generated for others if omitted.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub code: Option<String>,
    /// 0 to 99999; the end of its level if omitted.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 99999)]
    pub sort: Option<i64>,
    /// Whether it is shown.
    #[serde(default = "yes")]
    pub visible: bool,
}

/// Some clients send `0` (or `"0"`) for the top where others send null.
pub(super) fn entry_above<'de, D: Deserializer<'de>>(from: D) -> Result<Option<MenuId>, D::Error> {
    Ok(optional_number(from)?.filter(|id| *id != 0).map(MenuId))
}

const fn yes() -> bool {
    true
}

/// Whether an entry is shown.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuVisibleInput {
    /// False hides it; its page and its permissions stay.
    pub visible: bool,
}

impl Validate for MenuVisibleInput {
    fn check(&self, _: &mut Check) {}
}

impl Validate for MenuInput {
    fn check(&self, check: &mut Check) {
        let Self { parent_id: _, name, path, icon, code, sort, visible: _ } = self;
        check.field("name", line(name, 64));
        check.optional("path", path.as_deref(), |text| {
            line(text, 128)?;
            if has_only(text, "_-/") { Ok(()) } else { Err(Violation::new("menu.path")) }
        });
        check.optional("icon", icon.as_deref(), |text| line(text, 64));
        check.optional("code", code.as_deref(), |text| {
            line(text, 64)?;
            let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic());
            if starts_well && has_only(text, ":._-") { Ok(()) } else { Err(Violation::new("menu.code")) }
        });
        if let Some(sort) = sort {
            check.field("sort", integer_between(*sort, 0, MAX_SORT));
        }
    }
}

/// Letters, digits and these characters.
fn has_only(text: &str, marks: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
}

/// The tree of a group: the caller's own or, for those who manage or assign menus, any other.
///
/// # Errors
/// When it is another group's and the operator may do neither.
pub async fn tree(ctx: &OpCtx, group: Option<GroupId>) -> Outcome<Vec<MenuNode>> {
    let group = group.unwrap_or_else(|| ctx.group());
    if group != ctx.group() {
        ctx.must_be_past_password()?;
        if !ctx.may("group:allot") && !ctx.may("menu:list") {
            return Err(Fault::Denied("group:allot"));
        }
        permission_group::Entity::find_by_id(group).one(ctx.read()).await?.or_missing(GROUP_NOT_FOUND)?;
    }
    let rows = store::all(ctx.read()).await?;
    Ok(tree::build(&rows, &store::assigned(ctx.read(), group).await?))
}

/// The entry, or "not found".
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: MenuId) -> Outcome<MenuView> {
    Ok(MenuView::new(find(ctx.read(), id).await?, ctx))
}

async fn find(db: &impl ConnectionTrait, id: MenuId) -> Outcome<Model> {
    store::find(db, id).await?.or_missing(NOT_FOUND)
}

/// The kind of an entry below `parent`.
async fn kind_below(db: &impl ConnectionTrait, parent: Option<MenuId>) -> Outcome<Kind> {
    let Some(parent) = parent else { return Ok(Kind::Section) };
    let parent =
        store::find(db, parent).await?.ok_or_else(|| Fault::field("parentId", Violation::unknown_reference()))?;
    match parent.kind {
        Kind::Section => Ok(Kind::Screen),
        Kind::Screen => Ok(Kind::Button),
        Kind::Button => Err(Fault::field("parentId", Violation::new("menu.level"))),
    }
}

/// The stored path of an entry: a button has none, others need a unique one.
async fn path_of(
    db: &impl ConnectionTrait,
    kind: Kind,
    path: Option<String>,
    parent: Option<MenuId>,
    own: Option<MenuId>,
) -> Outcome<String> {
    if kind == Kind::Button {
        return Ok(String::new());
    }
    let path = path.filter(|path| !path.is_empty()).ok_or_else(|| Fault::field("path", Violation::new("required")))?;
    let bare = |path: &str| path.trim_matches('/').to_owned();
    let beside = store::below(db, parent).await?;
    if beside.iter().any(|row| Some(row.id) != own && bare(&row.path) == bare(&path)) {
        return Err(Fault::taken("path"));
    }
    Ok(path)
}

/// Creates an entry.
///
/// # Errors
/// When the parent does not exist or cannot have children, or the path or the code is taken.
pub async fn create(ctx: &OpCtx, input: MenuInput) -> Outcome<MenuView> {
    let MenuInput { parent_id, name, path, icon, code, sort, visible } = input;
    let now = ctx.now();
    let tx = ctx.begin_write().await?;
    let kind = kind_below(&*tx, parent_id).await?;
    let code = match code.filter(|code| !code.is_empty()) {
        Some(code) if RESERVED.contains(&code.as_str()) => {
            return Err(Fault::field("code", Violation::new("menu.reserved")));
        }
        Some(code) => code,
        None if kind == Kind::Button => return Err(Fault::field("code", Violation::new("required"))),
        None => format!("custom-{}", hex::encode(rand::random::<[u8; 8]>())),
    };
    let sort = match sort {
        Some(sort) => small(sort),
        None => store::below(&*tx, parent_id).await?.last().map_or(0, |row| row.sort + SORT_STEP),
    };
    let row = ActiveModel {
        parent_id: Set(parent_id),
        kind: Set(kind),
        code: Set(code),
        name: Set(name),
        path: Set(path_of(&*tx, kind, path, parent_id, None).await?),
        icon: Set(icon.unwrap_or_default()),
        sort: Set(sort),
        is_visible: Set(visible),
        is_builtin: Set(false),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    };
    let made = MenuView::new(store::insert(&*tx, row).await?, ctx);
    tx.commit(Audit::of("menu").id(made.id).name(&made.name).after(&made)).await?;
    ctx.app.sessions.forget();
    Ok(made)
}

/// Updates an entry, or moves it to another parent on the level above.
///
/// An entry keeps its level, so that no move can make a cycle or a fourth level.
///
/// # Errors
/// When there is none, its new parent is not valid for it, its path or code is taken, it is built in and its path or
/// code would change, or it is a button that would move and whose permission the operator lacks.
pub async fn update(ctx: &OpCtx, id: MenuId, input: MenuInput) -> Outcome<MenuView> {
    let MenuInput { parent_id, name, path, icon, code, sort, visible } = input;
    let tx = ctx.begin_write().await?;
    let before = find(&*tx, id).await?;
    if kind_below(&*tx, parent_id).await? != before.kind {
        return Err(Fault::field("parentId", Violation::new("menu.level")));
    }
    // The place of a button is part of what its group is told that it allows.
    if before.kind == Kind::Button && parent_id != before.parent_id && !ctx.may(&before.code) {
        return Err(rights::lacking(&before.code));
    }
    let code = code.filter(|code| !code.is_empty()).unwrap_or_else(|| before.code.clone());
    if before.is_builtin {
        if code != before.code {
            return Err(Fault::field("code", Violation::new("menu.fixed")));
        }
        if path.as_ref().is_some_and(|path| *path != before.path) {
            return Err(Fault::field("path", Violation::new("menu.fixed")));
        }
    } else if RESERVED.contains(&code.as_str()) {
        return Err(Fault::field("code", Violation::new("menu.reserved")));
    }
    let path = path.or_else(|| Some(before.path.clone()));
    let row = ActiveModel {
        id: Set(id),
        parent_id: Set(parent_id),
        code: Set(code),
        name: Set(name),
        path: Set(path_of(&*tx, before.kind, path, parent_id, Some(id)).await?),
        icon: Set(icon.unwrap_or_else(|| before.icon.clone())),
        sort: Set(sort.map_or(before.sort, small)),
        is_visible: Set(visible),
        updated_at: Set(ctx.now()),
        ..Default::default()
    };
    let after = MenuView::new(store::update(&*tx, row).await?, ctx);
    let before = MenuView::new(before, ctx);
    tx.commit(Audit::of("menu").id(id).name(&after.name).before(&before).after(&after)).await?;
    ctx.app.sessions.forget();
    Ok(after)
}

/// A sort number that was found valid.
fn small(sort: i64) -> i32 {
    i32::try_from(sort).unwrap_or(i32::MAX)
}

/// Shows or hides an entry.
///
/// # Errors
/// When there is none.
pub async fn set_visible(ctx: &OpCtx, id: MenuId, visible: bool) -> Outcome<MenuView> {
    let tx = ctx.begin_write().await?;
    let before = MenuView::new(find(&*tx, id).await?, ctx);
    let row = ActiveModel { id: Set(id), is_visible: Set(visible), updated_at: Set(ctx.now()), ..Default::default() };
    let after = MenuView::new(store::update(&*tx, row).await?, ctx);
    tx.commit(Audit::of("menu").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

/// Deletes an entry that is not built in.
///
/// # Errors
/// When there is none, it is built in, or it has children.
pub async fn delete(ctx: &OpCtx, id: MenuId) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let before = find(&*tx, id).await?;
    if before.is_builtin {
        return Err(Fault::conflict(BUILT_IN));
    }
    if store::has_children(&*tx, id).await? {
        return Err(Fault::conflict(HAS_CHILDREN));
    }
    store::remove(&*tx, id).await?;
    let before = MenuView::new(before, ctx);
    tx.commit(Audit::of("menu").id(id).name(&before.name).before(&before)).await?;
    ctx.app.sessions.forget();
    Ok(())
}
