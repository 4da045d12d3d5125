//! Addresses: made, changed, tried, switched on and off, deleted.

use base::app::App;
use base::fault::Fault;
use base::prelude::*;
use entity::service_address::{ActiveModel, Entity, Model, ServiceKind, ServiceReach};
use entity::{RoomId, ServiceAddressId};
use kernel::rules::{Violation, host, integer_between, line, port};
use sea_orm::ConnectionTrait;

use super::list::{ServiceAddressView, views};
use super::reach;

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name"), ("name_all", "name")];
const NOT_FOUND: Text = text("服务地址不存在", "There is no such address");
const MOVED: Text =
    text("检测期间地址已被修改，请重新检测", "The address was changed while it was checked; check it again");

/// Where a gateway or a service answers, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceAddressInput {
    /// 1 to 48 characters, unique within its room.
    #[schema(min_length = 1, max_length = 48)]
    pub name: String,
    /// Which room it serves; every room if it is left out.
    #[serde(default)]
    pub room_id: Option<RoomId>,
    /// What answers there.
    pub kind: ServiceKind,
    /// A host name or an IP address, 1 to 128 characters, without a port. It is not this machine, its link or several
    /// machines; in a private network it is only within the management networks of its room.
    #[schema(min_length = 1, max_length = 128)]
    pub host: String,
    /// 1 to 65535.
    #[schema(minimum = 1, maximum = 65_535)]
    pub port: i32,
    /// Of several, each is drawn as often as its weight says: 1 to 100.
    #[schema(minimum = 1, maximum = 100)]
    pub weight: i32,
}

/// Gateways are called by their names or their numbers: a name that is one could be another's.
fn not_a_number(name: &str) -> Result<(), Violation> {
    if name.parse::<i64>().is_ok() { Err(Violation::new("name.number")) } else { Ok(()) }
}

impl Validate for ServiceAddressInput {
    fn check(&self, check: &mut Check) {
        let Self { name, room_id: _, kind: _, host: at, port: number, weight } = self;
        check.field("name", line(name, 48).and_then(|()| not_a_number(name)));
        check.field("host", line(at, 128).and_then(|()| host(at)));
        check.field("port", port((*number).into()));
        check.field("weight", integer_between((*weight).into(), 1, 100));
    }
}

impl ServiceAddressInput {
    /// What an operator may say of a row; the rest is as it was.
    fn into_row(self, now: UtcTime) -> ActiveModel {
        let Self { name, room_id, kind, host, port, weight } = self;
        ActiveModel {
            name: Set(name),
            room_id: Set(room_id),
            kind: Set(kind),
            host: Set(host),
            port: Set(port),
            weight: Set(weight),
            updated_at: Set(now),
            ..Default::default()
        }
    }
}

async fn find(db: &impl ConnectionTrait, id: ServiceAddressId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

async fn view(app: &App, db: &impl ConnectionTrait, row: Model) -> Outcome<ServiceAddressView> {
    let seen = views(app, db, vec![row]).await?.pop();
    seen.ok_or_else(|| Fault::internal(anyhow::anyhow!("an address lost its view")))
}

/// A new address that is on, for the form and for the demo company.
///
/// # Errors
/// When its name is taken in its room, or the write fails.
pub async fn insert(tx: &impl ConnectionTrait, input: ServiceAddressInput, now: UtcTime) -> Outcome<Model> {
    let row = ActiveModel {
        is_enabled: Set(true),
        reached: Set(ServiceReach::Unknown),
        checked_at: Set(None),
        created_at: Set(now),
        ..input.into_row(now)
    };
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique("service_address", UNIQUE))
}

async fn change(ctx: &OpCtx, id: ServiceAddressId, mut change: ActiveModel) -> Outcome<ServiceAddressView> {
    let tx = ctx.begin_write().await?;
    let found = find(&*tx, id).await?;
    let is_elsewhere = matches!(&change.host, Set(host) if *host != found.host)
        || matches!(&change.port, Set(port) if *port != found.port);
    if is_elsewhere {
        (change.reached, change.checked_at) = (Set(ServiceReach::Unknown), Set(None));
    }
    let before = view(&ctx.app, &*tx, found).await?;
    if let (Set(room), Set(host)) = (&change.room_id, &change.host) {
        reach::check(&ctx.app, &*tx, *room, host).await?;
    }
    let row = Entity::update(ActiveModel { id: Set(id), ..change }).exec(&*tx).await;
    let after = view(&ctx.app, &*tx, row.map_err(unique("service_address", UNIQUE))?).await?;
    tx.commit(Audit::of("serviceAddress").id(id).name(&after.name).before(&before).after(&after)).await?;
    Ok(after)
}

/// Returns one address.
#[utoipa::path(get, path = "/api/platform/v1/service-addresses/{id}", tag = "serviceAddress",
    params(("id" = i64, Path, description = "The address's id")),
    responses((status = 200, body = Reply<ServiceAddressView>)))]
pub async fn service_address_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ServiceAddressView> {
    reply(view(&ctx.app, ctx.read(), find(ctx.read(), ServiceAddressId(id)).await?).await?)
}

/// Creates an address. It is on.
#[utoipa::path(post, path = "/api/platform/v1/service-addresses", tag = "serviceAddress",
    request_body = ServiceAddressInput, responses((status = 200, body = Reply<ServiceAddressView>)))]
pub async fn service_address_create(
    ctx: OpCtx,
    Valid(input): Valid<ServiceAddressInput>,
) -> ApiResult<ServiceAddressView> {
    let tx = ctx.begin_write().await?;
    reach::check(&ctx.app, &*tx, input.room_id, &input.host).await?;
    let row = insert(&*tx, input, ctx.now()).await?;
    let made = view(&ctx.app, &*tx, row).await?;
    tx.commit(Audit::of("serviceAddress").id(made.id).name(&made.name).after(&made)).await?;
    reply(made)
}

/// Changes an address; whoever connects next is given the new one.
#[utoipa::path(put, path = "/api/platform/v1/service-addresses/{id}", tag = "serviceAddress",
    request_body = ServiceAddressInput, params(("id" = i64, Path, description = "The address's id")),
    responses((status = 200, body = Reply<ServiceAddressView>)))]
pub async fn service_address_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ServiceAddressInput>,
) -> ApiResult<ServiceAddressView> {
    let row = input.into_row(ctx.now());
    reply(change(&ctx, ServiceAddressId(id), row).await?)
}

/// Tries whether the console reaches an address. It does not connect where no address may be, and says so.
#[utoipa::path(post, path = "/api/platform/v1/service-addresses/{id}/check", tag = "serviceAddress",
    params(("id" = i64, Path, description = "The address's id")),
    responses((status = 200, body = Reply<ServiceAddressView>)))]
pub async fn service_address_check(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<ServiceAddressView> {
    let id = ServiceAddressId(id);
    let tried = find(ctx.read(), id).await?;
    let rule = reach::rule(&ctx.app, ctx.read(), tried.room_id).await?;
    let reached = reach::tried(&rule, &tried.host, u16::try_from(tried.port).unwrap_or_default()).await;
    let tx = ctx.begin_write().await?;
    let found = find(&*tx, id).await?;
    if (&found.host, found.port) != (&tried.host, tried.port) {
        return Err(Fault::conflict(MOVED));
    }
    let before = view(&ctx.app, &*tx, found).await?;
    let row =
        ActiveModel { id: Set(id), reached: Set(reached), checked_at: Set(Some(ctx.now())), ..Default::default() };
    let after = view(&ctx.app, &*tx, Entity::update(row).exec(&*tx).await?).await?;
    tx.commit(Audit::of("serviceAddress").id(id).name(&after.name).before(&before).after(&after)).await?;
    reply(after)
}

/// Whether an address is given to anybody.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ServiceAddressEnabledInput {
    /// False keeps it, and gives it to nobody.
    pub enabled: bool,
}

impl Validate for ServiceAddressEnabledInput {
    fn check(&self, _: &mut Check) {}
}

/// Switches an address on or off. Whoever is connected by it stays so.
#[utoipa::path(post, path = "/api/platform/v1/service-addresses/{id}/enabled", tag = "serviceAddress",
    request_body = ServiceAddressEnabledInput, params(("id" = i64, Path, description = "The address's id")),
    responses((status = 200, body = Reply<ServiceAddressView>)))]
pub async fn service_address_set_enabled(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<ServiceAddressEnabledInput>,
) -> ApiResult<ServiceAddressView> {
    let row = ActiveModel { is_enabled: Set(input.enabled), updated_at: Set(ctx.now()), ..Default::default() };
    reply(change(&ctx, ServiceAddressId(id), row).await?)
}

/// Deletes an address.
#[utoipa::path(delete, path = "/api/platform/v1/service-addresses/{id}", tag = "serviceAddress",
    params(("id" = i64, Path, description = "The address's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn service_address_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    let tx = ctx.begin_write().await?;
    let before = view(&ctx.app, &*tx, find(&*tx, ServiceAddressId(id)).await?).await?;
    Entity::delete_by_id(ServiceAddressId(id)).exec(&*tx).await?;
    tx.commit(Audit::of("serviceAddress").id(id).name(&before.name).before(&before)).await?;
    done()
}
