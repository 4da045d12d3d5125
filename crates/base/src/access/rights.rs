//! Who may manage whom.
//!
//! Two rules hold everywhere in this domain: nobody manages a group, or an operator in it, that holds
//! a code which he lacks himself; and somebody remains who can put things right.

use entity::GroupId;
use kernel::text::{Text, text};
use sea_orm::ConnectionTrait;

use crate::access::catalog;
use crate::fault::{Fault, Outcome};
use crate::http::ops::OpCtx;

const LACKING: Text = text(
    "自己没有 {code}，不能分配它，也不能管理拥有它的操作员和权限组",
    "You do not have {code}, so you cannot assign it or manage operators and groups that have it",
);
const LAST: Text = text(
    "至少要保留一名可以管理操作员和分配权限的启用操作员",
    "At least one enabled operator who can manage operators and assign permissions must remain",
);

/// Refuses when `group` holds a code that the operator lacks.
///
/// # Errors
/// A conflict that names the code. It is not 4003: the code for the call itself is there.
pub async fn must_cover(db: &impl ConnectionTrait, ctx: &OpCtx, group: GroupId) -> Outcome<()> {
    if group == ctx.group() {
        return Ok(());
    }
    let own = catalog::codes_of(db, ctx.group()).await?;
    let theirs = catalog::codes_of(db, group).await?;
    theirs.difference(&own).min().map_or(Ok(()), |code| Err(lacking(code)))
}

/// The refusal to hand out, or to touch whoever holds, `code`.
#[must_use]
pub fn lacking(code: &str) -> Fault {
    Fault::conflict(LACKING.with("code", code))
}

/// Refuses a change after which nobody could manage operators. Called last in the transaction.
///
/// # Errors
/// A conflict; the caller then drops the transaction.
pub async fn must_leave_a_manager(tx: &impl ConnectionTrait) -> Outcome<()> {
    let found = tx
        .query_one_raw(db::sql::statement(
            tx.get_database_backend(),
            "SELECT 1 AS one FROM operator WHERE is_enabled AND 2 = (SELECT COUNT(*) FROM group_menu \
             JOIN menu ON menu.id = group_menu.menu_id \
             WHERE group_menu.group_id = operator.group_id AND menu.code IN ($1, $2)) LIMIT 1",
            ["operator:update".into(), "group:allot".into()],
        ))
        .await?;
    found.map(|_| ()).ok_or_else(|| Fault::conflict(LAST))
}
