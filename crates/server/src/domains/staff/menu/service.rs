//! What may be done to the menu tree.

use entity::menu::{ActiveModel, Kind, Model};
use entity::{GroupId, MenuId, permission_group};
use kernel::rules::{Check, Violation, integer_between, line};
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait as _};
use serde::Deserialize;
use utoipa::ToSchema;

use super::store;
use super::tree::{self, MenuNode};
use super::view::MenuView;
use crate::fault::{Fault, Outcome};
use crate::http::Validate;
use crate::http::ops::{Audit, OpCtx};

const GROUP_NOT_FOUND: Text = text("权限组不存在", "There is no such permission group");
const NOT_FOUND: Text = text("菜单不存在", "There is no such menu entry");
const HAS_CHILDREN: Text = text("请先删除它下面的条目", "Delete the entries below it first");
const BUILT_IN: Text = text("内置菜单不能删除，可以隐藏", "A built-in entry can not be deleted; hide it instead");
/// Codes that mean something to clients: everything, and nothing.
const RESERVED: [&str; 2] = ["admin", tree::NO_CODE];
const MAX_SORT: i64 = 99_999;
/// Room between neighbours, for entries that come between them.
const SORT_STEP: i32 = 10;

/// What is written about an entry. What it is follows from its place: a section at the top, a screen
/// in a section, a button on a screen.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuInput {
    /// The entry above; none for a section.
    #[serde(default)]
    pub parent_id: Option<MenuId>,
    /// 1 to 64 characters.
    #[schema(min_length = 1, max_length = 64)]
    pub name: String,
    /// What it adds to the path above. A button has none.
    #[serde(default)]
    #[schema(max_length = 128)]
    pub path: Option<String>,
    /// The name of an icon.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub icon: Option<String>,
    /// Unique; a button needs one, others get one where it is left out.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub code: Option<String>,
    /// 0 to 99999; the end of its level where it is left out.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 99999)]
    pub sort: Option<i64>,
    /// Whether it is drawn.
    #[serde(default = "yes")]
    pub visible: bool,
}

const fn yes() -> bool {
    true
}

/// Whether an entry is drawn from now on.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MenuVisibleInput {
    /// False hides it; its page and its rights stay.
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

/// Letters, digits and these marks.
fn has_only(text: &str, marks: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || marks.contains(c))
}

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
        permission_group::Entity::find_by_id(group)
            .one(ctx.read())
            .await?
            .ok_or_else(|| Fault::not_found(GROUP_NOT_FOUND))?;
    }
    let rows = store::all(ctx.read()).await?;
    Ok(tree::build(&rows, &store::allotted(ctx.read(), group).await?))
}

/// The entry, or "not found".
///
/// # Errors
/// When there is none.
pub async fn get(ctx: &OpCtx, id: MenuId) -> Outcome<MenuView> {
    Ok(MenuView::new(find(ctx.read(), id).await?, ctx.lang()))
}

async fn find(db: &impl ConnectionTrait, id: MenuId) -> Outcome<Model> {
    store::find(db, id).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))
}

/// What an entry below `parent` is.
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

/// The path that an entry is stored with: a button has none, a place needs one of its own.
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

/// Makes an entry.
///
/// # Errors
/// When the parent does not exist or can have none below it, or the path or the code is taken.
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
    let made = MenuView::new(store::insert(&*tx, row).await?, ctx.lang());
    tx.commit(Audit::of("menu").id(made.id).name(&made.name).after(&made)).await?;
    ctx.app.sessions.forget();
    Ok(made)
}

/// Changes an entry, or moves it to another one of the level above.
///
/// An entry keeps its level, so that no move can make a cycle or a fourth level.
///
/// # Errors
/// When there is none, its place does not fit it, its path or code is taken, or it is built in and its
/// path or code would change.
pub async fn update(ctx: &OpCtx, id: MenuId, input: MenuInput) -> Outcome<MenuView> {
    let MenuInput { parent_id, name, path, icon, code, sort, visible } = input;
    let tx = ctx.begin_write().await?;
    let before = find(&*tx, id).await?;
    if kind_below(&*tx, parent_id).await? != before.kind {
        return Err(Fault::field("parentId", Violation::new("menu.level")));
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
    let after = MenuView::new(store::update(&*tx, row).await?, ctx.lang());
    let before = MenuView::new(before, ctx.lang());
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
    let before = MenuView::new(find(&*tx, id).await?, ctx.lang());
    let row = ActiveModel { id: Set(id), is_visible: Set(visible), updated_at: Set(ctx.now()), ..Default::default() };
    let after = MenuView::new(store::update(&*tx, row).await?, ctx.lang());
    tx.commit(Audit::of("menu").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

/// Deletes an entry that operators made.
///
/// # Errors
/// When there is none, it is built in, or something lies below it.
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
    let before = MenuView::new(before, ctx.lang());
    tx.commit(Audit::of("menu").id(id).name(&before.name).before(&before)).await?;
    ctx.app.sessions.forget();
    Ok(())
}
