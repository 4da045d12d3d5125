//! How every call that changes an operation ends, or does not begin.

use base::fault::Outcome;
use base::http::ops::{Audit, OpCtx, OpTx};
use entity::operation::Model;
use kernel::text::{Text, text};

use super::expand;
use super::store::tell;
use super::view::OperationView;

pub const NOT_NOW: Text =
    text("该操作当前的状态不允许这样做，请刷新", "The operation's current state does not allow this; refresh");

/// Commits the change, and notifies everybody concerned.
///
/// # Errors
/// When the database refuses.
pub async fn finish(ctx: &OpCtx, tx: OpTx, before: Model, after: Model) -> Outcome<OperationView> {
    let id = after.id;
    let view = |row| OperationView::of(&ctx.app, row, ctx.lang());
    let (old, new) = (view(before), view(after.clone()));
    tx.commit(Audit::of("operation").id(id).before(&old).after(&new)).await?;
    tell(&ctx.app, [id]);
    expand::wake(&ctx.app, &after).await?;
    Ok(new)
}
