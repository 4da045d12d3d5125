//! The customer endpoints.

use std::collections::HashMap;

use base::fault::Outcome;
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, Valid, reply};
use base::reference::Reference;
use entity::client_user::{ClientType, ClientUserStatus as Status, LoginMethod, Model};
use entity::{ClientUserId, OpenAppId};
use kernel::time::UtcTime;
use sea_orm::{ConnectionTrait, DbErr};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::service::{self, Changed, ClientUserInput, SetStatusInput};
use super::store;

/// A customer, as lists and details show them.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClientUserView {
    pub id: ClientUserId,
    pub name: String,
    pub phone: String,
    pub email: String,
    pub ident_code: String,
    pub login_method: LoginMethod,
    pub device_name: String,
    pub register_ip: String,
    pub client_type: ClientType,
    pub client_version: String,
    pub status: Status,
    pub star_coins: i64,
    pub phone_count: i32,
    pub remark: String,
    pub registered_at: UtcTime,
    pub last_login_at: Option<UtcTime>,
    /// The application of the Open API that brought them; none if the company did.
    pub app: Option<Reference>,
}

/// These customers, with the names of the applications that brought them.
///
/// # Errors
/// When the read fails.
pub async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<ClientUserView>, DbErr> {
    let apps = store::app_names(db, &rows).await?;
    Ok(rows.into_iter().map(|row| ClientUserView::of(row, &apps)).collect())
}

async fn view(ctx: &OpCtx, row: Model) -> Outcome<ClientUserView> {
    let apps = store::app_names(ctx.read(), std::slice::from_ref(&row)).await?;
    Ok(ClientUserView::of(row, &apps))
}

impl ClientUserView {
    fn of(row: Model, apps: &HashMap<OpenAppId, String>) -> Self {
        let Model {
            id,
            name,
            phone,
            email,
            ident_code,
            login_method,
            device_name,
            register_ip,
            client_type,
            client_version,
            status,
            star_coins,
            phone_count,
            remark,
            registered_at,
            last_login_at,
            app_id,
            is_closed: _,
            updated_at: _,
        } = row;
        Self {
            id,
            name,
            phone,
            email,
            ident_code,
            login_method,
            device_name,
            register_ip,
            client_type,
            client_version,
            status,
            star_coins,
            phone_count,
            remark,
            registered_at,
            last_login_at,
            app: app_id.map(|id| Reference::among(id, apps)),
        }
    }
}

/// One customer, in a query string.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ClientUserKey {
    /// The customer's id.
    #[param(value_type = i64)]
    pub id: i64,
}

/// Returns one customer.
#[utoipa::path(get, path = "/api/user/v1/designjet/client_info", tag = "clientUser", params(ClientUserKey),
    responses((status = 200, body = Reply<ClientUserView>)))]
pub async fn client_user_get(ctx: OpCtx, Params(key): Params<ClientUserKey>) -> ApiResult<ClientUserView> {
    reply(view(&ctx, service::get(&ctx, ClientUserId(key.id)).await?).await?)
}

/// Registers a customer manually.
#[utoipa::path(post, path = "/api/user/v1/client-users", tag = "clientUser", request_body = ClientUserInput,
    responses((status = 200, body = Reply<ClientUserView>)))]
pub async fn client_user_create(ctx: OpCtx, Valid(input): Valid<ClientUserInput>) -> ApiResult<ClientUserView> {
    reply(view(&ctx, service::create(&ctx, input).await?).await?)
}

/// Updates a customer.
#[utoipa::path(put, path = "/api/user/v1/client-users/{id}", tag = "clientUser", request_body = ClientUserInput,
    params(("id" = i64, Path, description = "The customer's id")), responses((status = 200, body = Reply<ClientUserView>)))]
pub async fn client_user_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ClientUserInput>,
) -> ApiResult<ClientUserView> {
    reply(view(&ctx, service::update(&ctx, ClientUserId(id), input).await?).await?)
}

/// Enables or disables a selection of customers.
#[utoipa::path(post, path = "/api/user/v1/client-users/status", tag = "clientUser", request_body = SetStatusInput,
    responses((status = 200, body = Reply<Changed>)))]
pub async fn client_user_set_status(ctx: OpCtx, Valid(input): Valid<SetStatusInput>) -> ApiResult<Changed> {
    reply(service::set_status(&ctx, input).await?)
}
