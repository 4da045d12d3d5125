//! The keys of an application: two at most, so that one can be replaced while the other still serves.

use base::fault::Fault;
use base::prelude::*;
use db::WriteTx;
use entity::open_key::{ActiveModel, Column, Entity, Model};
use entity::{OpenAppId, OpenKeyId};
use serde::Serialize;
use serde_json::json;
use vault::{Secret, Vault};

use super::service::find;
use crate::callers::{Callers, secret_name};

const NO_KEY: Text = text("密钥不存在或已吊销", "There is no such key, or it was revoked");
const TWO: Text = text("最多两把密钥，请先吊销一把", "At most two live keys; revoke one first");
/// What a key begins with, so that people and scanners recognise it.
const WORD: &str = "SKY";

/// A key that was just made.
#[derive(Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OpenKeyMade {
    pub id: OpenKeyId,
    /// `X-Sky-Key`.
    pub code: String,
    /// What calls are signed with. It is shown this once.
    pub secret: String,
    pub created_at: UtcTime,
}

/// Makes a key. None if two live already.
///
/// # Errors
/// When the database refuses.
pub async fn draw(
    tx: &WriteTx,
    vault: &Vault,
    app: OpenAppId,
    by: &str,
    now: UtcTime,
) -> Outcome<Option<(Model, Secret)>> {
    let live = Entity::find().filter(Column::AppId.eq(app)).filter(Column::RevokedAt.is_null()).all(&**tx).await?;
    let Some(slot) = [1, 2].into_iter().find(|slot| live.iter().all(|key| key.slot != *slot)) else {
        return Ok(None);
    };
    let code = format!("{WORD}{}", hex::encode_upper(rand::random::<[u8; 10]>()));
    let secret = Secret::from(hex::encode(rand::random::<[u8; 32]>()));
    vault::store::put(tx, vault, &secret_name(&code), &secret, by, now).await?;
    let row = ActiveModel {
        app_id: Set(app),
        code: Set(code),
        slot: Set(slot),
        created_at: Set(now),
        created_by: Set(by.to_owned()),
        last_used_at: Set(None),
        revoked_at: Set(None),
        revoked_by: Set(String::new()),
        ..Default::default()
    };
    Ok(Some((Entity::insert(row).exec_with_returning(&**tx).await?, secret)))
}

async fn create(ctx: &OpCtx, id: OpenAppId) -> Outcome<OpenKeyMade> {
    let mut tx = ctx.begin_write().await?;
    let app = find(&*tx, id).await?;
    let by = ctx.session.username.as_str();
    let drawn = draw(tx.inner(), &ctx.app.vault, id, by, ctx.now()).await?;
    let (key, secret) = drawn.ok_or_else(|| Fault::conflict(TWO))?;
    tx.commit(Audit::of("openApp").id(id).name(&app.name).after(&json!({ "key": key.code }))).await?;
    ctx.app.part::<Callers>().forget();
    let secret = secret.expose_text().unwrap_or_default().to_owned();
    Ok(OpenKeyMade { id: key.id, code: key.code, secret, created_at: key.created_at })
}

async fn revoke(ctx: &OpCtx, id: OpenAppId, key: OpenKeyId) -> Outcome<()> {
    let mut tx = ctx.begin_write().await?;
    let app = find(&*tx, id).await?;
    let live = Entity::find_by_id(key).filter(Column::AppId.eq(id)).filter(Column::RevokedAt.is_null());
    let row = live.one(&*tx).await?.or_missing(NO_KEY)?;
    let change = ActiveModel {
        id: Set(key),
        revoked_at: Set(Some(ctx.now())),
        revoked_by: Set(ctx.session.username.clone()),
        ..Default::default()
    };
    Entity::update(change).exec(&*tx).await?;
    vault::store::remove(tx.inner(), &secret_name(&row.code)).await?;
    tx.commit(Audit::of("openApp").id(id).name(&app.name).before(&json!({ "key": row.code }))).await?;
    ctx.app.part::<Callers>().forget();
    Ok(())
}

/// Makes a key for an application. Its secret is in this answer and nowhere else. Two keys may live at a time.
#[utoipa::path(post, path = "/api/platform/v1/open-apps/{id}/keys", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id")), responses((status = 200, body = Reply<OpenKeyMade>)))]
pub async fn open_key_create(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<OpenKeyMade> {
    reply(create(&ctx, OpenAppId(id)).await?)
}

/// Revokes a key; whatever is signed with it is refused from then on.
#[utoipa::path(delete, path = "/api/platform/v1/open-apps/{id}/keys/{key}", tag = "openApp",
    params(("id" = i64, Path, description = "The application's id"), ("key" = i64, Path, description = "The key's id")),
    responses((status = 200, body = Reply<Nothing>)))]
pub async fn open_key_revoke(ctx: OpCtx, PathId((id, key)): PathId<(i64, i64)>) -> ApiResult<()> {
    revoke(&ctx, OpenAppId(id), OpenKeyId(key)).await?;
    done()
}
