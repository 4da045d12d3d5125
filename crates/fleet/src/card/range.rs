//! Cards from a range: one card for each address of a plan, in the free positions of a frame's hosts.

use std::collections::HashSet;

use base::fault::{Fault, Outcome};
use base::http::Validate;
use base::http::ops::{Audit, OpCtx};
use entity::address_plan::{self, Pair};
use entity::card::{self, Lifecycle};
use entity::{AddressPlanId, CardId, FrameId, HostId, host};
use kernel::ip4::Ip4;
use kernel::rules::{Check, Violation, integer_between};
use kernel::text::{Text, text};
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::bulk::{self, NewCard};
use super::model;
use super::service::{self, KindInput};
use crate::address::plan;
use crate::state::Fleet;
use crate::state::{By, Written};

const NO_ROOM: Text =
    text("机架只有 {free} 个空位，需要 {wanted} 个", "Free positions in the frame: {free}; needed: {wanted}");
const NOTHING: Text = text("这些地址都已有设备", "All of these addresses already have a card");
/// The largest number of cards that one request creates.
const MOST: i64 = 10_000;
/// The largest number of cards shown in a preview.
const SHOWN: usize = 200;

/// Cards from the addresses of a plan.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangeInput {
    /// The plan.
    pub plan_id: AddressPlanId,
    /// The first address, from 0.
    #[serde(default)]
    #[schema(minimum = 0, maximum = 65535)]
    pub first: i32,
    /// How many, 1 to 10000.
    #[schema(minimum = 1, maximum = 10000)]
    pub count: i32,
    /// A frame whose free positions they fill, slot by slot; if omitted, they have no position yet.
    #[serde(default)]
    pub frame_id: Option<FrameId>,
    #[serde(flatten)]
    pub kind: KindInput,
}

impl Validate for RangeInput {
    fn check(&self, check: &mut Check) {
        check.field("first", integer_between(self.first.into(), 0, 65_535));
        check.field("count", integer_between(self.count.into(), 1, MOST));
        self.kind.check(check);
    }
}

/// A card that a range would create.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangeCard {
    pub intranet_ip: Ip4,
    pub adb_port: i32,
    pub extranet_ip: Ip4,
    pub extranet_port: i32,
    pub host_id: Option<HostId>,
    pub position: Option<i32>,
}

/// A preview of a range.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangePreview {
    /// Cards that would be created.
    pub new_cards: usize,
    /// Addresses that already have a card; they are skipped.
    pub taken: usize,
    /// The first 200 of the new cards.
    pub sample: Vec<RangeCard>,
}

/// What a range created.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RangeMade {
    pub new_cards: usize,
    pub taken: usize,
    pub first_id: Option<CardId>,
    pub last_id: Option<CardId>,
}

/// A position and its frame and host.
type Position = (FrameId, HostId, i32);

struct Planned {
    plan: address_plan::Model,
    cards: Vec<(Pair, Option<Position>)>,
    taken: usize,
}

async fn planned(db: &impl ConnectionTrait, input: &RangeInput) -> Outcome<Planned> {
    let plan = plan::named(db, "planId", input.plan_id).await?;
    let end = i64::from(input.first) + i64::from(input.count);
    if end > i64::from(plan.span) {
        let range = Violation::new("integer.range").with("min", 1).with("max", (plan.span - input.first).max(1));
        return Err(Fault::field("count", range));
    }
    let pairs: Vec<Pair> = (input.first..input.first + input.count).filter_map(|at| plan.pair(at)).collect();
    let known: HashSet<(Ip4, i32)> = card::Entity::find()
        .select_only()
        .columns([card::Column::IntranetIp, card::Column::AdbPort])
        .filter(card::Column::RoomId.eq(plan.room_id))
        .filter(card::Column::Lifecycle.ne(Lifecycle::Retired))
        .filter(card::Column::IntranetIp.between(plan.start_ip, plan.end_ip))
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let all = pairs.len();
    let free: Vec<Pair> =
        pairs.into_iter().filter(|pair| !known.contains(&(pair.intranet_ip, pair.adb_port))).collect();
    let taken = all - free.len();
    let places = match input.frame_id {
        Some(frame) => places(db, &plan, frame, free.len()).await?.into_iter().map(Some).collect(),
        None => vec![None; free.len()],
    };
    Ok(Planned { plan, cards: free.into_iter().zip(places).collect(), taken })
}

async fn places(
    db: &impl ConnectionTrait,
    plan: &address_plan::Model,
    frame: FrameId,
    wanted: usize,
) -> Outcome<Vec<Position>> {
    let hosts = host::Entity::find()
        .filter(host::Column::FrameId.eq(frame))
        .filter(host::Column::RoomId.eq(plan.room_id))
        .order_by_asc(host::Column::Slot)
        .all(db)
        .await?;
    if hosts.is_empty() {
        return Err(Fault::field("frameId", Violation::unknown_reference()));
    }
    let used: HashSet<(HostId, i32)> = card::Entity::find()
        .select_only()
        .columns([card::Column::HostId, card::Column::Position])
        .filter(card::Column::FrameId.eq(frame))
        .into_tuple()
        .all(db)
        .await?
        .into_iter()
        .collect();
    let free: Vec<Position> = hosts
        .iter()
        .flat_map(|host| (1..=host.positions).map(move |position| (frame, host.id, position)))
        .filter(|(_, host, position)| !used.contains(&(*host, *position)))
        .collect();
    if free.len() < wanted {
        return Err(Fault::conflict(NO_ROOM.with("free", free.len()).with("wanted", wanted)));
    }
    Ok(free)
}

/// A preview of the range; nothing is saved.
///
/// # Errors
/// When there is no such plan or frame, or the frame has too few free positions.
pub async fn preview(ctx: &OpCtx, input: RangeInput) -> Outcome<RangePreview> {
    let Planned { plan: _, cards, taken } = planned(ctx.read(), &input).await?;
    let sample = cards.iter().take(SHOWN).map(|(pair, place)| RangeCard {
        intranet_ip: pair.intranet_ip,
        adb_port: pair.adb_port,
        extranet_ip: pair.extranet_ip,
        extranet_port: pair.extranet_port,
        host_id: place.map(|(_, host, _)| host),
        position: place.map(|(_, _, position)| position),
    });
    Ok(RangePreview { new_cards: cards.len(), taken, sample: sample.collect() })
}

/// Creates the cards, all of them or none.
///
/// # Errors
/// When there is no such plan or frame, too few positions, or nothing to create.
pub async fn create(ctx: &OpCtx, input: RangeInput) -> Outcome<RangeMade> {
    let now = ctx.now();
    let mut tx = ctx.begin_write().await?;
    let Planned { plan, cards, taken } = planned(&*tx, &input).await?;
    if cards.is_empty() {
        return Err(Fault::conflict(NOTHING));
    }
    let kind = &input.kind;
    let models = model::ensure(&*tx, [kind.name()]).await?;
    let mut rows = Vec::with_capacity(cards.len());
    let mut last = None;
    for (pair, place) in cards {
        let host = place.map(|(_, host, _)| host);
        // The hosts are consecutive: reading each once is enough.
        let spot = match last.take() {
            Some((known, spot)) if known == host => spot,
            Some(_) | None => {
                service::spot(&*tx, plan.room_id, host, place.map(|(_, _, position)| position)).await?.inherited
            }
        };
        last = Some((host, spot.clone()));
        let new = NewCard {
            serial: None,
            room_id: plan.room_id,
            place,
            intranet_ip: pair.intranet_ip,
            adb_port: pair.adb_port,
            extranet: Some((pair.extranet_ip, pair.extranet_port)),
            model_id: models[&kind.name()],
            size: kind.size.clone(),
            remark: kind.remark.clone(),
            lifecycle: Lifecycle::Expected,
            is_assignable: kind.is_assignable,
            is_overcommit: kind.is_overcommit,
            inherited: spot,
        };
        rows.push(new.into_row(now));
    }
    let by = By::operator(&ctx.session.username);
    let made = bulk::insert_many(tx.inner(), &ctx.app.config.outbound(), rows, &by, "").await?;
    let answer = RangeMade {
        new_cards: made.len(),
        taken,
        first_id: made.iter().map(|row| row.id).min(),
        last_id: made.iter().map(|row| row.id).max(),
    };
    let audit = Audit::of("card").name(&plan.name).after(&answer).note(format!("{} rows", made.len()));
    tx.commit(audit).await?;
    ctx.app.part::<Fleet>().committed(&ctx.app.events, Written::inserted(made));
    Ok(answer)
}
