//! Where an application is told: shown, changed, with another secret, tried.

use base::fault::Fault;
use base::http::ops::OpTx;
use base::outbox::{self, News, To};
use base::prelude::*;
use entity::OpenAppId;
use entity::webhook::{ActiveModel, Entity, HookEvent, Model};
use kernel::rules::{at_least_one, required};
use sea_orm::ConnectionTrait;
use serde::Serialize;
use serde_json::json;

use super::view::{Logged, OpenHookView, view};
use super::{address, secret};
use crate::app::find;

const NO_SECRET: Text = text("还没有推送密钥，请先生成", "There is no webhook secret yet; make one first");
const OFF: Text = text(
    "应用或推送未启用，无法测试；请先启用",
    "The application or its webhook is off, so that nothing is sent; switch it on first",
);

/// Where an application is told what happens, as an operator enters it.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OpenHookInput {
    /// `https://` and a host, up to 512 characters, without a user, a password or a fragment; or empty. What stands behind a
    /// question mark is sent as well.
    #[serde(default)]
    #[schema(max_length = 512)]
    pub url: String,
    /// Of what it is told; a test is sent in any case.
    pub events: Vec<HookEvent>,
    /// Whether it is told.
    pub enabled: bool,
}

impl Validate for OpenHookInput {
    fn check(&self, check: &mut Check) {
        let Self { url, events, enabled } = self;
        if *enabled {
            check.field("url", required(url));
            check.field("events", at_least_one(events.len()));
        }
        check.optional("url", Some(url), |url| address::parsed(url).map(|_| ()));
    }
}

impl OpenHookInput {
    /// The bits of its events.
    fn bits(&self) -> i64 {
        let chosen = self.events.iter().filter(|event| **event != HookEvent::Test);
        chosen.fold(0, |bits, event| bits | event.bit())
    }
}

/// A secret that was just made.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenHookSecret {
    /// `X-Sky-Key` of what is sent.
    pub code: String,
    /// What is sent is signed with it. It is shown this once.
    pub secret: String,
    pub created_at: UtcTime,
}

async fn row_of(db: &impl ConnectionTrait, app: OpenAppId) -> Outcome<Option<Model>> {
    Ok(Entity::find_by_id(app).one(db).await?)
}

/// Writes a webhook as it is now, whether there was one or not.
async fn write(tx: &OpTx, before: Option<&Model>, after: Model) -> Outcome<Model> {
    let Model { app_id, url, events, key_code, is_enabled, created_at, updated_at } = after;
    let row = ActiveModel {
        app_id: Set(app_id),
        url: Set(url),
        events: Set(events),
        key_code: Set(key_code),
        is_enabled: Set(is_enabled),
        created_at: Set(created_at),
        updated_at: Set(updated_at),
    };
    Ok(match before {
        Some(_) => Entity::update(row).exec(&**tx).await?,
        None => Entity::insert(row).exec_with_returning(&**tx).await?,
    })
}

/// The webhook of an application that has none.
fn none(app_id: OpenAppId, now: UtcTime) -> Model {
    let (url, key_code) = (String::new(), String::new());
    Model { app_id, url, events: 0, key_code, is_enabled: false, created_at: now, updated_at: now }
}

async fn update(ctx: &OpCtx, id: OpenAppId, input: OpenHookInput) -> Outcome<OpenHookView> {
    if !input.url.is_empty() {
        address::check(&ctx.app, &input.url).await?;
    }
    let mut tx = ctx.begin_write().await?;
    let app = find(&*tx, id).await?;
    let before = row_of(&*tx, id).await?;
    let (events, was) = (input.bits(), before.clone().unwrap_or_else(|| none(id, ctx.now())));
    if input.enabled && was.key_code.is_empty() {
        return Err(Fault::conflict(NO_SECRET));
    }
    let OpenHookInput { url, events: _, enabled } = input;
    // Whoever is at another address does not know the secret of this one, and whoever was at this one is not believed at another.
    let moves = !was.url.is_empty() && url != was.url && !was.key_code.is_empty();
    if moves {
        vault::store::remove(tx.inner(), &secret::name(&was.key_code)).await?;
    }
    let key_code = if moves { String::new() } else { was.key_code.clone() };
    let is_enabled = enabled && !moves;
    let changed = Model { url, events, key_code, is_enabled, updated_at: ctx.now(), ..was.clone() };
    let after = write(&tx, before.as_ref(), changed).await?;
    let audit = Audit::of("openApp").id(id).name(&app.name).before(&Logged::of(&was)).after(&Logged::of(&after));
    let seen = view(&*tx, id, Some(after)).await?;
    tx.commit(audit).await?;
    Ok(seen)
}

async fn renew(ctx: &OpCtx, id: OpenAppId) -> Outcome<OpenHookSecret> {
    let mut tx = ctx.begin_write().await?;
    let app = find(&*tx, id).await?;
    let (before, now) = (row_of(&*tx, id).await?, ctx.now());
    let by = ctx.session.username.as_str();
    let (code, drawn) = secret::draw(&ctx.app, tx.inner(), by, now).await?;
    let was = before.clone().unwrap_or_else(|| none(id, now));
    if !was.key_code.is_empty() {
        vault::store::remove(tx.inner(), &secret::name(&was.key_code)).await?;
    }
    let changed = Model { key_code: code.clone(), updated_at: now, ..was.clone() };
    let after = write(&tx, before.as_ref(), changed).await?;
    let audit = Audit::of("openApp").id(id).name(&app.name);
    tx.commit(audit.before(&json!({ "keyCode": was.key_code })).after(&json!({ "keyCode": after.key_code }))).await?;
    let secret = drawn.expose_text().unwrap_or_default().to_owned();
    Ok(OpenHookSecret { code, secret, created_at: now })
}

async fn test(ctx: &OpCtx, id: OpenAppId) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let app = find(&*tx, id).await?;
    let is_on = row_of(&*tx, id).await?.is_some_and(|hook| hook.is_enabled);
    if !app.is_enabled || !is_on {
        return Err(Fault::conflict(OFF));
    }
    let news = News {
        kind: HookEvent::Test,
        object: format!("test.{id}"),
        subject: app.name.clone(),
        to: To::One(id),
        at: ctx.now(),
        data: json!({}),
    };
    outbox::write(tx.inner(), &[news]).await?;
    tx.commit(Audit::of("openApp").id(id).name(&app.name)).await
}

/// Returns where an application is told what happens.
#[utoipa::path(get, path = "/api/platform/v1/open-apps/{id}/webhook", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenHookView>)))]
pub async fn open_hook_get(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OpenHookView> {
    let (db, id) = (ctx.read(), OpenAppId(id));
    find(db, id).await?;
    reply(view(db, id, row_of(db, id).await?).await?)
}

/// Changes where an application is told what happens, and of what. It takes a secret to switch it on. With another address the
/// secret is gone, and nothing is sent until there is a new one and it is switched on again.
#[utoipa::path(put, path = "/api/platform/v1/open-apps/{id}/webhook", tag = "openApp", request_body = OpenHookInput,
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenHookView>)))]
pub async fn open_hook_update(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<OpenHookInput>,
) -> ApiResult<OpenHookView> {
    reply(update(&ctx, OpenAppId(id), input).await?)
}

/// Makes a secret with which everything that is sent from now on is signed, in place of the one before. It is in this answer and
/// nowhere else.
#[utoipa::path(post, path = "/api/platform/v1/open-apps/{id}/webhook/secret", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenHookSecret>)))]
pub async fn open_hook_renew(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OpenHookSecret> {
    reply(renew(&ctx, OpenAppId(id)).await?)
}

/// Sends a test event, once. What becomes of it is in the list of deliveries.
#[utoipa::path(post, path = "/api/platform/v1/open-apps/{id}/webhook/test", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn open_hook_test(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    test(&ctx, OpenAppId(id)).await?;
    done()
}
