//! The customer endpoints.

use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Params, Reply, Valid, reply};
use entity::ClientUserId;
use entity::client_user::{ClientType, ClientUserStatus as Status, LoginMethod, Model};
use kernel::time::UtcTime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::service::{self, Changed, ClientUserInput, SetStatusInput};

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
}

impl From<Model> for ClientUserView {
    fn from(row: Model) -> Self {
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
            app_id: _,
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
    reply(service::get(&ctx, ClientUserId(key.id)).await?.into())
}

/// Registers a customer manually.
#[utoipa::path(post, path = "/api/user/v1/client-users", tag = "clientUser", request_body = ClientUserInput,
    responses((status = 200, body = Reply<ClientUserView>)))]
pub async fn client_user_create(ctx: OpCtx, Valid(input): Valid<ClientUserInput>) -> ApiResult<ClientUserView> {
    reply(service::create(&ctx, input).await?.into())
}

/// Updates a customer.
#[utoipa::path(put, path = "/api/user/v1/client-users/{id}", tag = "clientUser", request_body = ClientUserInput,
    params(("id" = i64, Path, description = "The customer's id")), responses((status = 200, body = Reply<ClientUserView>)))]
pub async fn client_user_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ClientUserInput>,
) -> ApiResult<ClientUserView> {
    reply(service::update(&ctx, ClientUserId(id), input).await?.into())
}

/// Enables or disables a selection of customers.
#[utoipa::path(post, path = "/api/user/v1/client-users/status", tag = "clientUser", request_body = SetStatusInput,
    responses((status = 200, body = Reply<Changed>)))]
pub async fn client_user_set_status(ctx: OpCtx, Valid(input): Valid<SetStatusInput>) -> ApiResult<Changed> {
    reply(service::set_status(&ctx, input).await?)
}
