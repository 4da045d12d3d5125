//! Applications: made, changed, switched on and off, deleted.

use base::fault::Fault;
use base::prelude::*;
use entity::OpenAppId;
use entity::open_app::{ActiveModel, Entity, Model, OpenOwner, OpenScope};
use entity::{open_key, webhook};
use kernel::rules::{Violation, at_least_one, at_most, integer_between, line, max_chars};
use outbound::Net;
use sea_orm::ConnectionTrait;

use super::view::{OpenAppView, views};
use crate::callers::{Callers, secret_name};
use crate::hook::secret;
use crate::nets::listed;

/// Uniqueness rules, with the fields of the input that break them.
const UNIQUE: &[(&str, &str)] = &[("name", "name")];
const NOT_FOUND: Text = text("第三方应用不存在", "Application not found");
const HAS_CUSTOMERS: Text = text(
    "该应用名下还有客户或云手机，无法删除；可以停用",
    "It has brought customers or phones and cannot be deleted; you can disable it",
);
/// Networks from which an application may call, at most.
const NETS: usize = 100;

/// An application, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenAppInput {
    /// 1 to 48 characters, unique.
    #[schema(min_length = 1, max_length = 48)]
    pub name: String,
    /// Whose it is: the company's applications see everything, the others what they brought.
    pub owner: OpenOwner,
    /// Which agent or partner, 1 to 64 characters; empty for the company.
    #[serde(default)]
    #[schema(max_length = 64)]
    pub owner_name: String,
    /// What it may call, at least one.
    #[schema(min_items = 1)]
    pub scopes: Vec<OpenScope>,
    /// IPv4 networks or addresses from which it may call, with spaces, commas or line breaks between them, 100 at most; empty
    /// if any address may.
    #[serde(default)]
    #[schema(max_length = 4096)]
    pub ips: String,
    /// 1 to 5000.
    #[schema(minimum = 1, maximum = 5000)]
    pub per_second: i32,
    /// Thousands of calls a day, 1 to 99,999; no limit if it is left out.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 99_999)]
    pub per_day: Option<i32>,
    /// Up to 256 characters.
    #[serde(default)]
    #[schema(max_length = 256)]
    pub remark: String,
}

impl Validate for OpenAppInput {
    fn check(&self, check: &mut Check) {
        let Self { name, owner, owner_name, scopes, ips, per_second, per_day, remark } = self;
        check.field("name", line(name, 48));
        if *owner != OpenOwner::Company {
            check.field("ownerName", line(owner_name, 64));
        }
        check.field("scopes", at_least_one(scopes.len()));
        check.field("ips", max_chars(ips, 4096).and_then(|()| at_most(listed(ips).count(), NETS)));
        if let Some(bad) = listed(ips).find(|net| !net.parse::<Net>().is_ok_and(|net| net.is_ip4())) {
            check.add("ips", Violation::new("net.bad").with("net", bad));
        }
        check.field("perSecond", integer_between((*per_second).into(), 1, 5000));
        if let Some(thousands) = per_day {
            check.field("perDay", integer_between((*thousands).into(), 1, 99_999));
        }
        check.field("remark", max_chars(remark, 256));
    }
}

impl OpenAppInput {
    /// What an operator may say of a row; the rest is as it was.
    fn into_row(self, now: UtcTime) -> ActiveModel {
        let Self { name, owner, owner_name, scopes, ips, per_second, per_day, remark } = self;
        let wanted = OpenScope::ALL.iter().filter(|scope| scopes.contains(scope));
        let scopes: Vec<&str> = wanted.map(|scope| scope.name()).collect();
        ActiveModel {
            name: Set(name),
            owner: Set(owner),
            owner_name: Set(if owner == OpenOwner::Company { String::new() } else { owner_name }),
            scopes: Set(scopes.join(",")),
            ips: Set(listed(&ips).collect::<Vec<_>>().join(" ")),
            per_second: Set(per_second),
            per_day: Set(per_day),
            remark: Set(remark),
            updated_at: Set(now),
            ..Default::default()
        }
    }
}

/// The application, or "not found".
///
/// # Errors
/// When there is none.
pub async fn find(db: &impl ConnectionTrait, id: OpenAppId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

/// The application as people see it.
///
/// # Errors
/// When a read fails.
pub async fn view(db: &impl ConnectionTrait, row: Model) -> Outcome<OpenAppView> {
    let seen = views(db, vec![row]).await?.pop();
    seen.ok_or_else(|| Fault::internal(anyhow::anyhow!("an application lost its view")))
}

/// A new application without keys, for the form and for the demo company.
///
/// # Errors
/// When the name is taken, or the write fails.
pub async fn insert(tx: &impl ConnectionTrait, input: OpenAppInput, now: UtcTime) -> Outcome<Model> {
    let row = ActiveModel {
        is_enabled: Set(true),
        calls: Set(0),
        day: Set(0),
        day_calls: Set(0),
        created_at: Set(now),
        ..input.into_row(now)
    };
    Entity::insert(row).exec_with_returning(tx).await.map_err(unique("open_app", UNIQUE))
}

async fn create(ctx: &OpCtx, input: OpenAppInput) -> Outcome<OpenAppView> {
    let tx = ctx.begin_write().await?;
    let row = insert(&*tx, input, ctx.now()).await?;
    let made = view(&*tx, row).await?;
    tx.commit(Audit::of("openApp").id(made.id).name(&made.name).after(&made)).await?;
    Ok(made)
}

/// Writes a change, and lets the door hear of it.
async fn change(ctx: &OpCtx, id: OpenAppId, change: ActiveModel) -> Outcome<OpenAppView> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    let row = Entity::update(ActiveModel { id: Set(id), ..change }).exec(&*tx).await;
    let after = view(&*tx, row.map_err(unique("open_app", UNIQUE))?).await?;
    tx.commit(Audit::of("openApp").id(id).name(&after.name).before(&before).after(&after)).await?;
    ctx.app.part::<Callers>().forget();
    Ok(after)
}

async fn delete(ctx: &OpCtx, id: OpenAppId) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    if customers::app_has_any(&*tx, id).await? || phones::app_has_any(&*tx, id).await? {
        return Err(Fault::conflict(HAS_CUSTOMERS));
    }
    let keys = open_key::Entity::find().filter(open_key::Column::AppId.eq(id)).all(&*tx).await?;
    for key in keys {
        vault::store::remove(tx.inner(), &secret_name(&key.code)).await?;
    }
    if let Some(hook) = webhook::Entity::find_by_id(id).one(&*tx).await? {
        vault::store::remove(tx.inner(), &secret::name(&hook.key_code)).await?;
    }
    Entity::delete_by_id(id).exec(&*tx).await?;
    tx.commit(Audit::of("openApp").id(id).name(&before.name).before(&before)).await?;
    ctx.app.part::<Callers>().forget();
    Ok(())
}

/// Returns one application.
#[utoipa::path(get, path = "/api/platform/v1/open-apps/{id}", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenAppView>)))]
pub async fn open_app_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OpenAppView> {
    reply(view(ctx.read(), find(ctx.read(), OpenAppId(id)).await?).await?)
}

/// Creates an application. It can call nothing until it has a key.
#[utoipa::path(post, path = "/api/platform/v1/open-apps", tag = "openApp", request_body = OpenAppInput,
    responses((status = 200, body = Reply<OpenAppView>)))]
pub async fn open_app_create(ctx: OpCtx, Valid(input): Valid<OpenAppInput>) -> ApiResult<OpenAppView> {
    reply(create(&ctx, input).await?)
}

/// Changes an application; its next call meets the change.
#[utoipa::path(put, path = "/api/platform/v1/open-apps/{id}", tag = "openApp", request_body = OpenAppInput,
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenAppView>)))]
pub async fn open_app_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<OpenAppInput>,
) -> ApiResult<OpenAppView> {
    let row = input.into_row(ctx.now());
    reply(change(&ctx, OpenAppId(id), row).await?)
}

/// Whether an application may call.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenAppEnabledInput {
    /// True lets it call, false shuts it out at once.
    pub enabled: bool,
}

impl Validate for OpenAppEnabledInput {
    fn check(&self, _: &mut Check) {}
}

/// Switches an application on or off.
#[utoipa::path(post, path = "/api/platform/v1/open-apps/{id}/enabled", tag = "openApp", request_body = OpenAppEnabledInput,
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenAppView>)))]
pub async fn open_app_set_enabled(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<OpenAppEnabledInput>,
) -> ApiResult<OpenAppView> {
    // It lets somebody in, like a new key.
    if input.enabled {
        ctx.proved()?;
    }
    let row = ActiveModel { is_enabled: Set(input.enabled), updated_at: Set(ctx.now()), ..Default::default() };
    reply(change(&ctx, OpenAppId(id), row).await?)
}

/// Deletes an application that has brought no customers and no phones, with its keys. What it called stays in the log.
#[utoipa::path(delete, path = "/api/platform/v1/open-apps/{id}", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn open_app_delete(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    delete(&ctx, OpenAppId(id)).await?;
    done()
}
