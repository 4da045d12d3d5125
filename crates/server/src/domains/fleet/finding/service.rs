//! What may be done about findings.

use entity::finding::{ActiveModel, Entity, FindingKind as Kind, Model};
use entity::{CardId, FindingId, HostId, RoomId};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ConnectionTrait, EntityTrait as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fix;
use crate::domains::fleet::card::store;
use crate::domains::fleet::card::view::{self, CardView};
use crate::domains::fleet::state::By;
use crate::fault::{Fault, Outcome};
use crate::http::body::PathId;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, Reply, Valid, Validate, reply};

const NOT_FOUND: Text = text("该差异已不存在，请刷新列表", "The difference is there no more; refresh the list");

/// A difference between the books and a room.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingView {
    pub id: FindingId,
    pub room_id: RoomId,
    pub kind: Kind,
    /// The card in the books that it is about.
    pub card_id: Option<CardId>,
    /// What the room says.
    pub serial: String,
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub manufacturer: String,
    pub model: String,
    pub board: String,
    pub found_at: UtcTime,
    pub seen_at: UtcTime,
    pub ignored_at: Option<UtcTime>,
    pub ignored_by: String,
}

impl From<Model> for FindingView {
    fn from(row: Model) -> Self {
        let Model {
            id,
            room_id,
            kind,
            card_id,
            serial,
            intranet_ip,
            adb_port,
            manufacturer,
            model,
            board,
            found_at,
            seen_at,
            ignored_at,
            ignored_by,
        } = row;
        Self {
            id,
            room_id,
            kind,
            card_id,
            serial,
            intranet_ip,
            adb_port,
            manufacturer,
            model,
            board,
            found_at,
            seen_at,
            ignored_at,
            ignored_by,
        }
    }
}

/// Where a card goes that is accepted; left out, it stands where the other stood, or nowhere yet.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixInput {
    /// The host, with the position.
    #[serde(default)]
    pub host_id: Option<HostId>,
    /// From 1.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 256)]
    pub position: Option<i32>,
}

impl Validate for FixInput {
    fn check(&self, check: &mut Check) {
        if self.host_id.is_some() != self.position.is_some() {
            check.add(if self.host_id.is_some() { "position" } else { "hostId" }, Violation::new("required"));
        }
    }
}

/// Whether a finding is ignored.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IgnoreInput {
    /// False brings it back.
    pub ignored: bool,
}

impl Validate for IgnoreInput {
    fn check(&self, _: &mut Check) {}
}

async fn find(db: &impl ConnectionTrait, id: FindingId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))
}

async fn put_right(ctx: &OpCtx, id: FindingId, input: FixInput) -> Outcome<CardView> {
    let mut tx = ctx.begin_write().await?;
    let finding = find(&*tx, id).await?;
    let by = By::operator(&ctx.session.username);
    let (card, written) = fix::fix(tx.inner(), &finding, input, &by, ctx.now()).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    let row = store::find(&*tx, card).await?.ok_or_else(|| Fault::not_found(NOT_FOUND))?;
    let finding = FindingView::from(finding);
    tx.commit(Audit::of("card").id(card).name(&finding.serial).before(&finding).after(&row)).await?;
    for written in written {
        ctx.app.fleet.committed(&ctx.app.events, written);
    }
    view::view(&ctx.app, row).await
}

async fn ignore(ctx: &OpCtx, id: FindingId, ignored: bool) -> Outcome<FindingView> {
    let tx = ctx.begin_write().await?;
    let before = FindingView::from(find(&*tx, id).await?);
    let row = ActiveModel {
        id: Set(id),
        ignored_at: Set(ignored.then(|| ctx.now())),
        ignored_by: Set(if ignored { ctx.session.username.clone() } else { String::new() }),
        ..Default::default()
    };
    let after = FindingView::from(Entity::update(row).exec(&*tx).await?);
    tx.commit(Audit::of("finding").id(id).name(&after.serial).before(&before).after(&after)).await?;
    Ok(after)
}

/// Puts a difference right: a new card is registered, a moved one follows, a missing one is marked as
/// faulty, another card at an address takes the place of the old one, a model is corrected, a retired card
/// comes back.
#[utoipa::path(post, path = "/api/fleet/v1/findings/{id}/fix", tag = "fleet", request_body = FixInput,
    params(("id" = i64, Path, description = "The finding's id")), responses((status = 200, body = Reply<CardView>)))]
pub async fn finding_fix(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<FixInput>) -> ApiResult<CardView> {
    reply(put_right(&ctx, FindingId(id), input).await?)
}

/// Ignores a difference, or brings it back.
#[utoipa::path(post, path = "/api/fleet/v1/findings/{id}/ignore", tag = "fleet", request_body = IgnoreInput,
    params(("id" = i64, Path, description = "The finding's id")), responses((status = 200, body = Reply<FindingView>)))]
pub async fn finding_ignore(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<IgnoreInput>,
) -> ApiResult<FindingView> {
    reply(ignore(&ctx, FindingId(id), input.ignored).await?)
}
