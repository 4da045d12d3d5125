//! Customers.

use base::fault::{OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::{ApiResult, Params, Reply, reply};
use customers::{Sought, owned, owned_list};
use entity::ClientUserId;
use entity::client_user::{ClientUserStatus, Model};
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use phones::connect::out_of_use;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::acts::{Acted, Doing};
use super::cursor::{OpenList, Window, number};
use super::guard::Caller;
use super::refusal::Refusal;

/// Said of one that belongs to somebody else as well.
pub const NO_USER: Text = text("客户不存在", "There is no such user");

/// A customer.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenUser {
    pub id: String,
    pub name: String,
    /// 11 digits; empty if there is none.
    pub phone: String,
    /// Empty if there is none.
    pub email: String,
    /// What support asks for; unique.
    pub ident_code: String,
    /// 1 active, 2 disabled, 3 closed.
    pub status: ClientUserStatus,
    /// The same in words.
    pub status_name: String,
    /// How many cloud phones they have.
    pub phone_count: i32,
    pub registered_at: UtcTime,
    /// Null if they never did.
    pub last_login_at: Option<UtcTime>,
}

impl OpenUser {
    pub fn of(row: Model, lang: Lang) -> Self {
        Self {
            id: row.id.to_string(),
            name: row.name,
            phone: row.phone,
            email: row.email,
            ident_code: row.ident_code,
            status: row.status,
            status_name: row.status.label().get(lang).to_owned(),
            phone_count: row.phone_count,
            registered_at: row.registered_at,
            last_login_at: row.last_login_at,
        }
    }
}

/// Which customers.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(rename_all = "camelCase")]
#[into_params(parameter_in = Query)]
pub struct OpenUserQuery {
    /// The one with this phone number, all 11 digits of it.
    #[serde(default)]
    pub phone: Option<String>,
    /// The one with this identification code.
    #[serde(default)]
    pub ident_code: Option<String>,
    /// `next` of the answer before.
    #[serde(default)]
    pub after: Option<String>,
    /// 1 to 500; 100 if it is left out.
    #[serde(default, deserialize_with = "kernel::coded::optional_number")]
    #[param(value_type = Option<u64>, minimum = 1, maximum = 500)]
    pub limit: Option<i64>,
}

/// The customer whom an address names, if the caller may see them.
pub async fn find(caller: &Caller, id: &str) -> Outcome<Model> {
    let found = match number(id) {
        Some(id) => owned(caller.app.db.read(), caller.whose(), ClientUserId(id)).await?,
        None => None,
    };
    found.or_missing(NO_USER)
}

/// The same within an act.
pub async fn find_within(doing: &Doing, id: &str) -> Acted<Model> {
    let found = match number(id) {
        Some(id) => owned(&*doing.tx, doing.caller.whose(), ClientUserId(id)).await?,
        None => None,
    };
    Ok(found.or_missing(NO_USER)?)
}

/// Refuses what only a customer may do whose account is in use.
pub fn in_use(user: &Model) -> Acted<()> {
    match out_of_use(user.status) {
        Some((code, why)) => Err(Refusal::Conflict(code, why)),
        None => Ok(()),
    }
}

/// Refuses what nobody may do whose account is closed.
pub fn not_closed(user: &Model) -> Acted<()> {
    if user.status == ClientUserStatus::LoggedOut { in_use(user) } else { Ok(()) }
}

/// Lists customers in the order of registration, or finds one by phone number or identification code.
#[utoipa::path(get, path = "/open/v1/users", tag = "user", params(OpenUserQuery),
    responses((status = 200, body = Reply<OpenList<OpenUser>>)))]
pub async fn open_user_list(caller: Caller, Params(asked): Params<OpenUserQuery>) -> ApiResult<OpenList<OpenUser>> {
    let OpenUserQuery { phone, ident_code, after, limit } = asked;
    let window = Window::of(after.as_deref(), limit)?;
    let sought = Sought { phone, ident_code };
    let (db, from) = (caller.app.db.read(), ClientUserId(window.after));
    let rows = owned_list(db, caller.whose(), &sought, from, window.to_read()).await?;
    reply(window.answer(rows, |row| row.id.0, |row| OpenUser::of(row, caller.lang)))
}

/// Returns one customer.
#[utoipa::path(get, path = "/open/v1/users/{id}", tag = "user",
    params(("id" = String, Path, description = "The customer's id")), responses((status = 200, body = Reply<OpenUser>)))]
pub async fn open_user_get(caller: Caller, PathId(id): PathId<String>) -> ApiResult<OpenUser> {
    reply(OpenUser::of(find(&caller, &id).await?, caller.lang))
}
