//! Assigning entries to a group.

use std::collections::HashSet;

use base::access::rights;
use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::menu::{MenuKind as Kind, Model};
use entity::{GroupId, MenuId};
use kernel::rules::{Check, Violation, at_most};
use kernel::text::{Text, text};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::store;
use super::tree;
use crate::staff::group;

const BUILT_IN: Text =
    text("内置权限组拥有全部权限，不能修改", "The built-in group always has all permissions; this cannot be changed");
const MAX_ENTRIES: usize = 10_000;

/// The new permissions of a group.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct AllotInput {
    /// The group.
    pub group_id: GroupId,
    /// The complete set. The entries above an entry are included.
    pub menu_ids: Vec<MenuId>,
}

impl Validate for AllotInput {
    fn check(&self, check: &mut Check) {
        check.field("menuIds", at_most(self.menu_ids.len(), MAX_ENTRIES));
    }
}

/// The permissions of a group, for the operation log.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Holding<'a> {
    codes: Vec<&'a str>,
    screens: Vec<&'a str>,
}

impl<'a> Holding<'a> {
    fn new(rows: &'a [Model], ids: &HashSet<MenuId>) -> Self {
        let of = |kind: Kind| {
            rows.iter().filter(|row| row.kind == kind && ids.contains(&row.id)).map(|row| row.code.as_str()).collect()
        };
        Self { codes: of(Kind::Button), screens: of(Kind::Screen) }
    }
}

/// Replaces the permissions of a group. They apply from the next request of each of its operators.
///
/// # Errors
/// When the group or an entry does not exist, the group is the built-in one, the caller lacks a permission that they
/// would grant or that the group has now, or nobody would remain who may manage operators.
pub async fn assign(ctx: &OpCtx, input: AllotInput) -> Outcome<()> {
    let AllotInput { group_id, menu_ids } = input;
    let wanted: HashSet<MenuId> = menu_ids.into_iter().collect();
    let tx = ctx.begin_write().await?;
    let target = group::find(&*tx, group_id).await?;
    if target.is_builtin {
        return Err(Fault::conflict(BUILT_IN));
    }
    rights::must_cover(&*tx, ctx, group_id).await?;
    let rows = store::all(&*tx).await?;
    if wanted.iter().any(|id| rows.iter().all(|row| row.id != *id)) {
        return Err(Fault::field("menuIds", Violation::unknown_reference()));
    }
    let own = store::assigned(&*tx, ctx.group()).await?;
    if let Some(row) = first_lacking(&rows, &wanted, &own) {
        return Err(rights::lacking(&row.code));
    }
    let before = store::assigned(&*tx, group_id).await?;
    let after = tree::with_ancestors(&rows, &wanted);
    let gone: Vec<MenuId> = before.difference(&after).copied().collect();
    store::withdraw(&*tx, group_id, &gone).await?;
    store::assign(&*tx, group_id, after.difference(&before).copied()).await?;
    rights::must_leave_a_manager(&*tx).await?;
    let audit = Audit::of("group")
        .id(group_id)
        .name(target.name)
        .before(&Holding::new(&rows, &before))
        .after(&Holding::new(&rows, &after));
    tx.commit(audit).await?;
    ctx.app.sessions.forget();
    Ok(())
}

/// The first wanted entry that the caller does not have, and that is not above one they have.
fn first_lacking<'a>(rows: &'a [Model], wanted: &HashSet<MenuId>, own: &HashSet<MenuId>) -> Option<&'a Model> {
    let granted = tree::with_ancestors(rows, &wanted.intersection(own).copied().collect());
    // The deepest first: a button's code says more than its section's.
    rows.iter().rev().find(|row| wanted.contains(&row.id) && !granted.contains(&row.id))
}
