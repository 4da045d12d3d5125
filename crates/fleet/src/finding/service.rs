//! Actions on findings.

use std::collections::HashMap;

use base::fault::{OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, Valid, Validate, reply};
use base::reference::Reference;
use entity::finding::{ActiveModel, Entity, FindingKind as Kind, Model};
use entity::{CardId, FindingId, HostId, RoomId, card};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation};
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::fix;
use super::proposal::{self, ProposedPlace};
use crate::card::view::{self as card_view, CardView};
use crate::card::{service as cards, store};
use crate::place::names;
use crate::state::By;
use crate::state::Fleet;

const NOT_FOUND: Text = text("该差异已不存在，请刷新列表", "This difference no longer exists; refresh the list");

/// A difference between the records and a room.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingView {
    pub id: FindingId,
    pub room_id: RoomId,
    pub room: Reference,
    pub kind: Kind,
    /// The recorded card it concerns, by its serial number or address.
    pub card: Option<Reference>,
    /// Where a new card probably is; none where nothing tells. Somebody has to confirm it.
    pub proposal: Option<ProposedPlace>,
    /// What was found in the room.
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

impl FindingView {
    fn of(row: Model, names: &Names, proposal: Option<ProposedPlace>) -> Self {
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
            room: Reference::among(room_id, &names.rooms),
            card: card_id.map(|id| Reference::among(id, &names.cards)),
            proposal,
            id,
            room_id,
            kind,
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

/// What findings refer to.
struct Names {
    rooms: HashMap<RoomId, String>,
    cards: HashMap<CardId, String>,
}

impl Names {
    async fn of(db: &impl ConnectionTrait, rows: &[Model]) -> Result<Self, DbErr> {
        let cards = rows.iter().filter_map(|row| row.card_id);
        let cards = card::Entity::find().filter(card::Column::Id.is_in(cards)).all(db).await?;
        Ok(Self {
            rooms: names::rooms(db, rows.iter().map(|row| row.room_id)).await?,
            cards: cards.into_iter().map(|row| (row.id, cards::name(&row))).collect(),
        })
    }
}

/// `rows` with the names of their rooms and cards.
///
/// # Errors
/// When the read fails.
pub(super) async fn views(db: &impl ConnectionTrait, rows: Vec<Model>) -> Result<Vec<FindingView>, DbErr> {
    let names = Names::of(db, &rows).await?;
    let mut places = proposal::places(db, &rows).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let place = places.remove(&row.id);
            FindingView::of(row, &names, place)
        })
        .collect())
}

async fn view(db: &impl ConnectionTrait, row: Model) -> Result<FindingView, DbErr> {
    let names = Names::of(db, std::slice::from_ref(&row)).await?;
    Ok(FindingView::of(row, &names, None))
}

/// The position of an accepted card; if omitted, it gets the old card's position, or none yet.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixInput {
    /// The host; requires the position.
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
    /// False stops ignoring it.
    pub ignored: bool,
}

impl Validate for IgnoreInput {
    fn check(&self, _: &mut Check) {}
}

async fn find(db: &impl ConnectionTrait, id: FindingId) -> Outcome<Model> {
    Entity::find_by_id(id).one(db).await?.or_missing(NOT_FOUND)
}

async fn put_right(ctx: &OpCtx, id: FindingId, input: FixInput) -> Outcome<CardView> {
    let mut tx = ctx.begin_write().await?;
    let finding = find(&*tx, id).await?;
    let by = By::operator(&ctx.session.username);
    let outbound = ctx.app.config.outbound();
    let (card, written) = fix::fix(tx.inner(), &outbound, &finding, input, &by, ctx.now()).await?;
    Entity::delete_by_id(id).exec(&*tx).await?;
    let row = store::find(&*tx, card).await?.or_missing(NOT_FOUND)?;
    let finding = view(&*tx, finding).await?;
    tx.commit(Audit::of("card").id(card).name(&finding.serial).before(&finding).after(&row)).await?;
    for written in written {
        ctx.app.part::<Fleet>().committed(&ctx.app.events, written);
    }
    card_view::view(&ctx.app, card).await
}

async fn ignore(ctx: &OpCtx, id: FindingId, ignored: bool) -> Outcome<FindingView> {
    let tx = ctx.begin_write().await?;
    let before = view(&*tx, find(&*tx, id).await?).await?;
    let row = ActiveModel {
        id: Set(id),
        ignored_at: Set(ignored.then(|| ctx.now())),
        ignored_by: Set(if ignored { ctx.session.username.clone() } else { String::new() }),
        ..Default::default()
    };
    let after = view(&*tx, Entity::update(row).exec(&*tx).await?).await?;
    tx.commit(Audit::of("finding").id(id).name(&after.serial).before(&before).after(&after)).await?;
    Ok(after)
}

/// Resolves a difference: a new card is registered, a moved one gets its new place, a missing one is marked as faulty,
/// another card at an address replaces the old one, a model is corrected, a retired card is taken back.
#[utoipa::path(post, path = "/api/fleet/v1/findings/{id}/fix", tag = "fleet", request_body = FixInput,
    params(("id" = i64, Path, description = "The finding's id")), responses((status = 200, body = Reply<CardView>)))]
pub async fn finding_fix(ctx: OpCtx, PathId(id): PathId<i64>, Valid(input): Valid<FixInput>) -> ApiResult<CardView> {
    reply(put_right(&ctx, FindingId(id), input).await?)
}

/// Ignores a difference, or stops ignoring it.
#[utoipa::path(post, path = "/api/fleet/v1/findings/{id}/ignore", tag = "fleet", request_body = IgnoreInput,
    params(("id" = i64, Path, description = "The finding's id")), responses((status = 200, body = Reply<FindingView>)))]
pub async fn finding_ignore(
    ctx: OpCtx,
    PathId(id): PathId<i64>,
    Valid(input): Valid<IgnoreInput>,
) -> ApiResult<FindingView> {
    reply(ignore(&ctx, FindingId(id), input.ignored).await?)
}
