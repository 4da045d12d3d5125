//! What may be done with room agents and join tokens.

use std::collections::HashMap;

use base::app::App;
use base::fault::{Fault, OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Nothing, Reply, Valid, Validate, done, reply};
use base::reference::Reference;
use entity::room_agent::Standing;
use entity::{JoinTokenId, RoomAgentId, RoomId, join_token, room_agent};
use kernel::rules::{Check, integer_between};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ConnectionTrait, DbErr, EntityTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::join::{JOIN, hash, secret};
use super::outdated::Outdated;
use crate::place::{names, room};
use crate::state::Fleet;

const NO_AGENT: Text = text("机房代理不存在", "Room agent not found");
const NO_TOKEN: Text = text("接入令牌不存在", "Join token not found");
const OVER: Text = text("该令牌已被使用、吊销或过期", "The token has been used, revoked or has expired");
const REVOKED: Text = text("该代理已被吊销", "The agent has already been revoked");

/// A room agent.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RoomAgentView {
    pub id: RoomAgentId,
    pub room_id: RoomId,
    pub room: Reference,
    pub name: String,
    pub version: String,
    /// How its protocol stands to those of the console. One of another protocol is connected and gets no work.
    pub standing: Standing,
    /// The address from which it connected last.
    pub address: String,
    pub enrolled_at: UtcTime,
    /// Since when it is connected to this server; none if it is not.
    pub connected_since: Option<UtcTime>,
    /// When it last connected.
    pub connected_at: Option<UtcTime>,
    pub disconnected_at: Option<UtcTime>,
    pub revoked_at: Option<UtcTime>,
    pub revoked_by: String,
}

/// `rows` with whether they are connected, and the names of their rooms.
pub(super) async fn agent_views(
    app: &App,
    db: &impl ConnectionTrait,
    rows: Vec<room_agent::Model>,
) -> Result<Vec<RoomAgentView>, DbErr> {
    let rooms = names::rooms(db, rows.iter().map(|row| row.room_id)).await?;
    Ok(rows.into_iter().map(|row| agent_view(app, row, &rooms)).collect())
}

fn agent_view(app: &App, row: room_agent::Model, rooms: &HashMap<RoomId, String>) -> RoomAgentView {
    let outdated = app.part::<Outdated>().of(row.id);
    RoomAgentView {
        room: Reference::among(row.room_id, rooms),
        standing: outdated.map_or(Standing::Current, |it| it.standing),
        connected_since: app.part::<Fleet>().connected_since(row.id).or(outdated.map(|it| it.since)),
        id: row.id,
        room_id: row.room_id,
        name: row.name,
        version: row.version,
        address: row.address,
        enrolled_at: row.enrolled_at,
        connected_at: row.connected_at,
        disconnected_at: row.disconnected_at,
        revoked_at: row.revoked_at,
        revoked_by: row.revoked_by,
    }
}

/// A token that lets an agent join; never the token itself.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct JoinTokenView {
    pub id: JoinTokenId,
    pub room_id: RoomId,
    pub room: Reference,
    /// Whether an agent can still join with it.
    pub open: bool,
    pub created_by: String,
    pub created_at: UtcTime,
    pub expires_at: UtcTime,
    pub used_at: Option<UtcTime>,
    pub used_by: Option<RoomAgentId>,
    pub revoked_at: Option<UtcTime>,
}

/// `rows` with whether they can still be used at `now`, and the names of their rooms.
pub(super) async fn token_views(
    db: &impl ConnectionTrait,
    rows: Vec<join_token::Model>,
    now: UtcTime,
) -> Result<Vec<JoinTokenView>, DbErr> {
    let rooms = names::rooms(db, rows.iter().map(|row| row.room_id)).await?;
    Ok(rows.into_iter().map(|row| token_view(row, now, &rooms)).collect())
}

fn token_view(row: join_token::Model, now: UtcTime, rooms: &HashMap<RoomId, String>) -> JoinTokenView {
    JoinTokenView {
        room: Reference::among(row.room_id, rooms),
        open: row.is_open(now),
        id: row.id,
        room_id: row.room_id,
        created_by: row.created_by,
        created_at: row.created_at,
        expires_at: row.expires_at,
        used_at: row.used_at,
        used_by: row.used_by,
        revoked_at: row.revoked_at,
    }
}

/// A token to be issued.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JoinTokenInput {
    /// The room that an agent may join with it.
    pub room_id: RoomId,
    /// Hours for which it is valid, 1 to 720; 24 if omitted.
    #[serde(default = "a_day")]
    #[schema(minimum = 1, maximum = 720)]
    pub hours: i64,
}

const fn a_day() -> i64 {
    24
}

impl Validate for JoinTokenInput {
    fn check(&self, check: &mut Check) {
        check.field("hours", integer_between(self.hours, 1, 720));
    }
}

/// A token, shown only once.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct JoinTokenMade {
    /// What the agent is started with. It cannot be shown again.
    pub token: String,
    #[serde(flatten)]
    pub view: JoinTokenView,
}

/// Stores a token, and returns it with its row.
async fn insert(
    tx: &impl ConnectionTrait,
    room: RoomId,
    by: &str,
    hours: i64,
    now: UtcTime,
) -> Result<(String, join_token::Model), DbErr> {
    let token = secret(JOIN);
    let row = join_token::ActiveModel {
        room_id: Set(room),
        token_hash: Set(hash(&token)),
        created_by: Set(by.to_owned()),
        created_at: Set(now),
        expires_at: Set(now.plus_seconds(hours * 3600)),
        ..Default::default()
    };
    Ok((token, join_token::Entity::insert(row).exec_with_returning(tx).await?))
}

/// A token for an agent that this process starts itself, as the demo company does.
///
/// # Errors
/// When the database refuses.
pub async fn issue_token(app: &App, room: RoomId) -> Outcome<String> {
    let tx = app.db.begin_write().await?;
    let (token, _) = insert(&*tx, room, "demo", 1, app.clock.now()).await?;
    tx.commit().await?;
    Ok(token)
}

async fn create(ctx: &OpCtx, input: JoinTokenInput) -> Outcome<JoinTokenMade> {
    let now = ctx.now();
    let tx = ctx.begin_write().await?;
    let room = room::named(&*tx, "roomId", input.room_id).await?;
    let (token, row) = insert(&*tx, room.id, &ctx.session.username, input.hours, now).await?;
    let view = token_view(row, now, &HashMap::from([(room.id, room.name.clone())]));
    tx.commit(Audit::of("joinToken").id(view.id).name(room.name).after(&view)).await?;
    Ok(JoinTokenMade { token, view })
}

async fn revoke_token(ctx: &OpCtx, id: JoinTokenId) -> Outcome<()> {
    let now = ctx.now();
    let tx = ctx.begin_write().await?;
    let row = join_token::Entity::find_by_id(id).one(&*tx).await?.or_missing(NO_TOKEN)?;
    if !row.is_open(now) {
        return Err(Fault::conflict(OVER));
    }
    let change = join_token::ActiveModel { id: Set(id), revoked_at: Set(Some(now)), ..Default::default() };
    let rooms = names::rooms(&*tx, [row.room_id]).await?;
    let after = token_view(join_token::Entity::update(change).exec(&*tx).await?, now, &rooms);
    tx.commit(Audit::of("joinToken").id(id).before(&token_view(row, now, &rooms)).after(&after)).await?;
    Ok(())
}

async fn revoke_agent(ctx: &OpCtx, id: RoomAgentId) -> Outcome<RoomAgentView> {
    let tx = ctx.begin_write().await?;
    let row = room_agent::Entity::find_by_id(id).one(&*tx).await?.or_missing(NO_AGENT)?;
    if row.revoked_at.is_some() {
        return Err(Fault::conflict(REVOKED));
    }
    let rooms = names::rooms(&*tx, [row.room_id]).await?;
    let before = agent_view(&ctx.app, row, &rooms);
    let change = room_agent::ActiveModel {
        id: Set(id),
        revoked_at: Set(Some(ctx.now())),
        revoked_by: Set(ctx.session.username.clone()),
        ..Default::default()
    };
    let after = room_agent::Entity::update(change).exec(&*tx).await?;
    let view = agent_view(&ctx.app, after, &rooms);
    tx.commit(Audit::of("roomAgent").id(id).name(&view.name).before(&before).after(&view)).await?;
    // Its next batch is refused; the connection then ends.
    ctx.app.part::<Fleet>().close_agent(id, ctx.app.clock.moment());
    Ok(RoomAgentView { connected_since: None, ..view })
}

/// Revokes an agent's credential and disconnects it.
#[utoipa::path(post, path = "/api/fleet/v1/agents/{id}/revoke", tag = "fleet",
    params(("id" = i64, Path, description = "The agent's id")), responses((status = 200, body = Reply<RoomAgentView>)))]
pub async fn room_agent_revoke(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<RoomAgentView> {
    reply(revoke_agent(&ctx, RoomAgentId(id)).await?)
}

/// Issues a token with which one agent may join a room; it is shown only once.
#[utoipa::path(post, path = "/api/fleet/v1/join-tokens", tag = "fleet", request_body = JoinTokenInput,
    responses((status = 200, body = Reply<JoinTokenMade>)))]
pub async fn join_token_create(ctx: OpCtx, Valid(input): Valid<JoinTokenInput>) -> ApiResult<JoinTokenMade> {
    reply(create(&ctx, input).await?)
}

/// Revokes an unused token.
#[utoipa::path(post, path = "/api/fleet/v1/join-tokens/{id}/revoke", tag = "fleet",
    params(("id" = i64, Path, description = "The token's id")), responses((status = 200, body = Reply<Nothing>)))]
pub async fn join_token_revoke(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<()> {
    revoke_token(&ctx, JoinTokenId(id)).await?;
    done()
}
