//! Operations on permission groups.

use base::access::rights;
use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::GroupId;
use entity::permission_group::ActiveModel;
use kernel::rules::{Check, at_least_one, at_most, group_name};
use kernel::text::{Text, text};
use sea_orm::ActiveValue::Set;
use serde::Deserialize;
use utoipa::ToSchema;

use super::store::{self, GroupView};
use crate::staff::menu;

pub(super) const NOT_FOUND: Text = text("权限组不存在", "Permission group not found");
const BUILT_IN: Text = text("内置权限组不能删除", "The built-in group cannot be deleted");
const HAS_OPERATORS: Text = text(
    "权限组中还有 {count} 名操作员，请先把他们移到别的组",
    "Operators still in this group: {count}; move them to another group first",
);
const MAX_SELECTED: usize = 500;

/// The name of a new group, or of a copy.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupNameInput {
    /// 6 to 32 characters, unique.
    #[schema(min_length = 6, max_length = 32)]
    pub group_name: String,
}

/// The new name of a group.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupUpdateInput {
    /// Which group.
    pub id: GroupId,
    /// 6 to 32 characters, unique.
    #[schema(min_length = 6, max_length = 32)]
    pub group_name: String,
}

/// Some groups.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GroupIdsInput {
    /// Their ids, 1 to 500.
    pub id_list: Vec<GroupId>,
}

impl Validate for GroupNameInput {
    fn check(&self, check: &mut Check) {
        check.field("groupName", group_name(&self.group_name));
    }
}

impl Validate for GroupUpdateInput {
    fn check(&self, check: &mut Check) {
        check.field("groupName", group_name(&self.group_name));
    }
}

impl Validate for GroupIdsInput {
    fn check(&self, check: &mut Check) {
        check.field("idList", at_least_one(self.id_list.len()));
        check.field("idList", at_most(self.id_list.len(), MAX_SELECTED));
    }
}

/// All groups, for those who manage groups or assign operators to them.
///
/// # Errors
/// When the caller does neither.
pub async fn all(ctx: &OpCtx) -> Outcome<Vec<GroupView>> {
    if !["group:list", "operator:list", "operator:create", "operator:update"].iter().any(|code| ctx.may(code)) {
        return Err(Fault::Denied("group:list"));
    }
    Ok(store::all(ctx.read()).await?)
}

fn new_row(ctx: &OpCtx, name: String) -> ActiveModel {
    let now = ctx.now();
    ActiveModel {
        name: Set(name),
        is_builtin: Set(false),
        created_at: Set(now),
        updated_at: Set(now),
        ..Default::default()
    }
}

/// Creates an empty group.
///
/// # Errors
/// When the name is taken.
pub async fn create(ctx: &OpCtx, input: GroupNameInput) -> Outcome<GroupView> {
    let tx = ctx.begin_write().await?;
    let row = store::insert(&*tx, new_row(ctx, input.group_name)).await?;
    let made = store::view(&*tx, row).await?;
    tx.commit(Audit::of("group").id(made.id).name(&made.group_name).after(&made)).await?;
    Ok(made)
}

/// Renames a group.
///
/// # Errors
/// When there is none, it has a permission that the caller lacks, or the name is taken.
pub async fn update(ctx: &OpCtx, input: GroupUpdateInput) -> Outcome<GroupView> {
    let GroupUpdateInput { id, group_name } = input;
    let tx = ctx.begin_write().await?;
    let before = super::find(&*tx, id).await?;
    rights::must_cover(&*tx, ctx, id).await?;
    let row = ActiveModel { id: Set(id), name: Set(group_name), updated_at: Set(ctx.now()), ..Default::default() };
    let after = store::update(&*tx, row).await?;
    let (before, after) = (store::view(&*tx, before).await?, store::view(&*tx, after).await?);
    tx.commit(Audit::of("group").id(id).name(&after.group_name).before(&before).after(&after)).await?;
    Ok(after)
}

/// Deletes groups, all of them or none.
///
/// # Errors
/// When one of them does not exist, is the built-in one, still has operators, or has a permission that the caller
/// lacks.
pub async fn delete(ctx: &OpCtx, input: GroupIdsInput) -> Outcome<()> {
    let GroupIdsInput { mut id_list } = input;
    id_list.sort_unstable();
    id_list.dedup();
    let tx = ctx.begin_write().await?;
    let rows = store::find_all(&*tx, &id_list).await?;
    if rows.len() != id_list.len() {
        return Err(Fault::not_found(NOT_FOUND));
    }
    if rows.iter().any(|row| row.is_builtin) {
        return Err(Fault::conflict(BUILT_IN));
    }
    for id in &id_list {
        rights::must_cover(&*tx, ctx, *id).await?;
    }
    let count = store::operators_in(&*tx, &id_list).await?;
    if count > 0 {
        return Err(Fault::conflict(HAS_OPERATORS.with("count", count)));
    }
    let before = store::views(&*tx, rows).await?;
    store::remove(&*tx, &id_list).await?;
    let audit = Audit::each("group", before.iter().map(|view| (view.id.0, view.group_name.as_str())))
        .before(&before)
        .note(format!("{} groups", before.len()));
    tx.commit(audit).await?;
    Ok(())
}

/// Copies a group with its permissions. That assigns permissions, and therefore needs the permission to do so.
///
/// # Errors
/// When there is no such group, it has a permission that the caller lacks, or the name is taken.
pub async fn copy(ctx: &OpCtx, id: GroupId, input: GroupNameInput) -> Outcome<GroupView> {
    if !ctx.may("group:allot") {
        return Err(Fault::Denied("group:allot"));
    }
    let tx = ctx.begin_write().await?;
    let source = super::find(&*tx, id).await?;
    rights::must_cover(&*tx, ctx, id).await?;
    let row = store::insert(&*tx, new_row(ctx, input.group_name)).await?;
    let held = menu::store::assigned(&*tx, id).await?;
    menu::store::assign(&*tx, row.id, held).await?;
    let made = store::view(&*tx, row).await?;
    tx.commit(
        Audit::of("group").id(made.id).name(&made.group_name).after(&made).note(format!("copy of {}", source.name)),
    )
    .await?;
    Ok(made)
}
