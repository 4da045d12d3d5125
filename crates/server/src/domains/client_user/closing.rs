//! Customers' requests to close their accounts: an operator withdraws one or carries it out, once.

use std::collections::HashMap;

use db::search;
use entity::client_user;
use entity::logout_request::{Column, Entity, Model, Status};
use entity::{ClientUserId, LogoutRequestId};
use kernel::page::{Page, PageQuery};
use kernel::rules::{Check, max_chars};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QuerySelect as _,
    QueryTrait as _,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::store::{self, LIST, SEARCHED, TABLE, place};
use crate::fault::{Fault, Outcome};
use crate::http::ops::{Audit, OpCtx};
use crate::http::{Direction, PageInput, Sort, SortBy, Validate};

const NOT_FOUND: Text = text("注销申请不存在", "There is no such request");
const HANDLED: Text = text("该申请已被处理，请刷新列表", "The request has been handled already; refresh the list");
const CHANGED: Text = text("该用户刚刚被他人修改，请重试", "Somebody has just changed this client user; try again");

/// Which requests are meant.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct LogoutRequestFilter {
    /// Part of the customer's name, phone, email or identification code.
    #[serde(default)]
    #[schema(max_length = 64)]
    #[param(max_length = 64)]
    pub key_word: Option<String>,
    /// Where the request stands.
    #[serde(default)]
    #[param(value_type = Option<i16>)]
    pub status: Option<Status>,
}

impl LogoutRequestFilter {
    /// Notes what is wrong with it.
    pub fn check(&self, check: &mut Check) {
        if let Some(text) = &self.key_word {
            check.field("keyWord", max_chars(text, 64));
        }
    }
}

/// What the list can be sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum LogoutRequestBy {
    RequestedAt,
    Status,
    HandledAt,
}

impl SortBy for LogoutRequestBy {
    type Entity = Entity;

    fn column(self) -> Column {
        match self {
            Self::RequestedAt => Column::RequestedAt,
            Self::Status => Column::Status,
            Self::HandledAt => Column::HandledAt,
        }
    }
}

/// A page of requests that is asked for.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LogoutRequestPageInput {
    /// Which of them.
    #[serde(flatten)]
    pub filter: LogoutRequestFilter,
    /// In which order.
    #[serde(flatten)]
    pub sort: Sort<LogoutRequestBy>,
    /// Which page.
    #[serde(flatten)]
    pub page: PageInput,
}

impl Validate for LogoutRequestPageInput {
    fn check(&self, check: &mut Check) {
        self.filter.check(check);
    }
}

/// Names one request.
#[derive(Debug, Deserialize, ToSchema)]
pub struct LogoutRequestKey {
    /// The request's id.
    pub id: LogoutRequestId,
}

impl Validate for LogoutRequestKey {
    fn check(&self, _: &mut Check) {}
}

/// A request with the customer it is about.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct LogoutRequestView {
    pub id: LogoutRequestId,
    pub user_id: ClientUserId,
    pub name: String,
    pub phone: String,
    pub requested_at: UtcTime,
    pub status: Status,
    pub re_registered: bool,
    pub re_registered_at: Option<UtcTime>,
    pub handled_at: Option<UtcTime>,
    pub handled_by: String,
}

impl LogoutRequestView {
    fn of(row: Model, name: String, phone: String) -> Self {
        let Model { id, user_id, requested_at, status, handled_at, handled_by, re_registered, re_registered_at } = row;
        Self { id, user_id, name, phone, requested_at, status, re_registered, re_registered_at, handled_at, handled_by }
    }
}

/// One page, the newest request first where no order is asked for.
///
/// # Errors
/// When a read fails.
pub async fn list(
    db: &impl ConnectionTrait,
    filter: &LogoutRequestFilter,
    sort: Sort<LogoutRequestBy>,
    page: PageQuery,
) -> Result<Page<LogoutRequestView>, DbErr> {
    let LogoutRequestFilter { key_word, status } = filter;
    let mut select = Entity::find();
    if let Some(status) = status {
        select = select.filter(Column::Status.eq(*status));
    }
    if let Some(text) = key_word {
        let users = client_user::Entity::find().select_only().column(client_user::Column::Id).filter(search::contains(
            db.get_database_backend(),
            TABLE,
            &SEARCHED,
            text,
        ));
        select = select.filter(Column::UserId.in_subquery(users.into_query()));
    }
    let page = db::list::list_page(db, sort.apply(select, Direction::Desc), page).await?;
    let ids: Vec<ClientUserId> = page.list.iter().map(|row| row.user_id).collect();
    let users = client_user::Entity::find().filter(client_user::Column::Id.is_in(ids)).all(db).await?;
    let mut users: HashMap<ClientUserId, (String, String)> =
        users.into_iter().map(|user| (user.id, (user.name, user.phone))).collect();
    Ok(page.map(|row| {
        let (name, phone) = users.get_mut(&row.user_id).cloned().unwrap_or_default();
        LogoutRequestView::of(row, name, phone)
    }))
}

/// The request is withdrawn; the account lives on.
///
/// # Errors
/// When there is no such request, or it was handled before.
pub async fn cancel(ctx: &OpCtx, id: LogoutRequestId) -> Outcome<LogoutRequestView> {
    let tx = ctx.begin_write().await?;
    let (before, after) = settle(ctx, &*tx, id, Status::Withdrawn).await?;
    let user = customer(&*tx, after.user_id).await?;
    tx.commit(Audit::of("logoutRequest").id(id).name(&user.name).before(&before.status).after(&after.status)).await?;
    Ok(LogoutRequestView::of(after, user.name, user.phone))
}

/// The account is closed for good.
///
/// # Errors
/// When there is no such request, or it was handled before.
pub async fn complete(ctx: &OpCtx, id: LogoutRequestId) -> Outcome<LogoutRequestView> {
    let mut tx = ctx.begin_write().await?;
    let (before, after) = settle(ctx, &*tx, id, Status::Completed).await?;
    let user = customer(&*tx, after.user_id).await?;
    let closed = client_user::Model { status: client_user::Status::LoggedOut, updated_at: ctx.now(), ..user.clone() };
    if !store::move_status(&*tx, &user, closed.status, closed.updated_at).await? {
        return Err(Fault::conflict(CHANGED));
    }
    tx.counts().moved(LIST, Some(place(&user)), Some(place(&closed)));
    let audit = Audit::of("logoutRequest")
        .id(id)
        .name(&user.name)
        .before(&serde_json::json!({ "status": before.status, "userId": user.id, "userStatus": user.status }))
        .after(&serde_json::json!({ "status": after.status, "userId": user.id, "userStatus": closed.status }));
    tx.commit(audit).await?;
    Ok(LogoutRequestView::of(after, user.name, user.phone))
}

/// Moves an open request on. Two operators pressing a button at once is normal: one wins, the other is told.
async fn settle(ctx: &OpCtx, tx: &impl ConnectionTrait, id: LogoutRequestId, to: Status) -> Outcome<(Model, Model)> {
    let before = Entity::find_by_id(id).one(tx).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    let after = before.settle(to, ctx.now(), &ctx.session.username).ok_or_else(|| Fault::conflict(HANDLED))?;
    let change = entity::logout_request::ActiveModel {
        status: Set(after.status),
        handled_at: Set(after.handled_at),
        handled_by: Set(after.handled_by.clone()),
        ..Default::default()
    };
    let done = Entity::update_many()
        .set(change)
        .filter(Column::Id.eq(id))
        .filter(Column::Status.eq(before.status))
        .exec(tx)
        .await?;
    if done.rows_affected == 0 {
        return Err(Fault::conflict(HANDLED));
    }
    Ok((before, after))
}

async fn customer(tx: &impl ConnectionTrait, id: ClientUserId) -> Outcome<client_user::Model> {
    store::find(tx, id)
        .await?
        .ok_or_else(|| Fault::internal(anyhow::anyhow!("a request names customer {id}, who does not exist")))
}
