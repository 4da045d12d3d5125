//! The caller's own notices.

use base::fault::Outcome;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use entity::operator_notice::{Column, Entity, Model, NoticeKind};
use kernel::lang::Lang;
use kernel::rules::Check;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The caller's own notices: all stored ones, and how many of them are unread.
#[derive(Debug, Serialize, ToSchema)]
pub struct Notices {
    /// How many are unread.
    pub unread: usize,
    /// All of them, newest first.
    pub list: Vec<NoticeView>,
}

/// A notice as shown to its operator.
#[derive(Debug, Serialize, ToSchema)]
pub struct NoticeView {
    pub id: i64,
    pub kind: NoticeKind,
    /// What happened, in the caller's language.
    pub title: String,
    pub at: UtcTime,
    /// Who did it.
    pub by: String,
    /// From which address; empty if it was on the server itself.
    pub ip: String,
    /// The provider, or the browser; empty if there is none.
    pub detail: String,
    pub read: bool,
}

impl NoticeView {
    fn new(row: Model, lang: Lang) -> Self {
        let Model { id, operator_id: _, at, kind, by_name, ip, detail, read_at } = row;
        Self { id, kind, title: title(kind).get(lang).to_owned(), at, by: by_name, ip, detail, read: read_at.is_some() }
    }
}

const fn title(kind: NoticeKind) -> Text {
    match kind {
        NoticeKind::PasswordChanged => text("您修改了登录密码", "You changed your password"),
        NoticeKind::PasswordReset => text("您的登录密码被重置", "Your password was reset"),
        NoticeKind::SecondFactorOn => text("两步验证已开启", "Two-step verification was turned on"),
        NoticeKind::SecondFactorOff => text("两步验证已关闭", "Two-step verification was turned off"),
        NoticeKind::SecondFactorReset => {
            text("您的两步验证被他人关闭", "Somebody else turned off your two-step verification")
        }
        NoticeKind::RecoveryCodesRenewed => text("恢复码已更换", "The recovery codes were replaced"),
        NoticeKind::IdentityLinked => text("绑定了第三方账号", "A third-party account was linked"),
        NoticeKind::IdentityUnlinked => text("第三方账号已解绑", "The third-party account was unlinked"),
        NoticeKind::SessionsEnded => text("您的会话被他人结束", "Somebody else ended your sessions"),
        NoticeKind::NewDevice => text("有新的浏览器登录了您的账号", "A new browser signed in to your account"),
    }
}

/// Which notices were read.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct NoticesReadInput {
    /// This one and everything older. Newer ones stay unread.
    pub up_to: i64,
}

impl Validate for NoticesReadInput {
    // An unknown id marks nothing.
    fn check(&self, _: &mut Check) {}
}

/// Lists the caller's notices.
#[utoipa::path(get, path = "/api/user/v1/me/notices", tag = "me", responses((status = 200, body = Reply<Notices>)))]
pub async fn own_notice_list(ctx: OpCtx) -> ApiResult<Notices> {
    reply(list(&ctx).await?)
}

/// Marks the caller's notices as read.
#[utoipa::path(post, path = "/api/user/v1/me/notices/read", tag = "me", request_body = NoticesReadInput,
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn own_notice_read(ctx: OpCtx, Valid(input): Valid<NoticesReadInput>) -> ApiResult<()> {
    mark_read(&ctx, input.up_to).await?;
    done()
}

async fn list(ctx: &OpCtx) -> Outcome<Notices> {
    let mine = Entity::find().filter(Column::OperatorId.eq(ctx.operator())).order_by_desc(Column::Id);
    let list: Vec<NoticeView> =
        mine.all(ctx.read()).await?.into_iter().map(|row| NoticeView::new(row, ctx.lang())).collect();
    Ok(Notices { unread: list.iter().filter(|notice| !notice.read).count(), list })
}

async fn mark_read(ctx: &OpCtx, up_to: i64) -> Outcome<()> {
    let tx = ctx.begin_write().await?;
    let marked = Entity::update_many()
        .col_expr(Column::ReadAt, Expr::value(ctx.now().millis()))
        .filter(Column::OperatorId.eq(ctx.operator()))
        .filter(Column::Id.lte(up_to))
        .filter(Column::ReadAt.is_null())
        .exec(&*tx)
        .await?
        .rows_affected;
    tx.commit(Audit::of("notice").id(up_to).note(format!("{marked} notices"))).await
}
