//! What needs an operator among customers: requests to close an account.

use base::attention::Concern;
use base::fault::Outcome;
use base::http::ops::OpCtx;
use entity::logout_request::{Column, Entity, LogoutStatus};
use kernel::text::text;
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _, QueryOrder as _};

/// Open requests, as one item.
///
/// # Errors
/// When a read fails.
pub async fn requests(ctx: &OpCtx) -> Outcome<Vec<Concern>> {
    let open = Entity::find().filter(Column::Status.eq(LogoutStatus::Requested));
    let Some(oldest) = open.clone().order_by_asc(Column::Id).one(ctx.read()).await? else { return Ok(Vec::new()) };
    let waiting = open.count(ctx.read()).await?;
    let lang = ctx.lang();
    Ok(vec![Concern {
        key: "logoutRequests".to_owned(),
        urgent: false,
        title: text("有注销申请待处理", "Requests to close accounts").get(lang).to_owned(),
        cause: text("待处理：{n}", "Open: {n}").with("n", waiting).get(lang),
        since: Some(oldest.requested_at),
        act: text("去处理", "Handle").get(lang).to_owned(),
        path: format!("/clientUser/loggedOut?status={}", LogoutStatus::Requested.code()),
    }])
}
