//! How a BMC is, asked of itself by the room's agent: whether its address, name and password are right, which cards it
//! has in its slots, and its readings.

use std::collections::HashMap;
use std::time::Duration;

use db::WriteTx;
use entity::bmc::{ActiveModel, Entity, Model};
use entity::card::Power;
use entity::{BmcId, CardId, bmc_range, card};
use kernel::ip4::Ip4;
use kernel::text::{Text, text};
use sea_orm::{ActiveValue::Set, ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};
use serde::Serialize;
use tokio::time::Instant;
use utoipa::ToSchema;
use wire::{BmcFound, BmcLook, Console};

use super::bmc;
use crate::agent_link::{FromCard, codes};
use crate::app::App;
use crate::fault::{Fault, Outcome};
use crate::http::body::PathId;
use crate::http::ops::{Audit, OpCtx};
use crate::http::{ApiResult, Reply, reply};

/// The agent gives up after 20 s; its words need a moment.
const PATIENCE: Duration = Duration::from_secs(25);

const NO_PASSWORD: Text = text("请先填写该 BMC 的账号和密码", "Write down the name and the password of this BMC first");
const NO_ANSWER: Text = text("机房代理的应答无法识别", "The room's agent answered something else");

/// What a BMC thinks of a part of itself.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum BmcHealth {
    /// Fine.
    Ok,
    /// To be looked at.
    Warning,
    /// To be acted on.
    Critical,
    /// It does not say.
    Unknown,
}

/// What a sensor measures, and in which unit.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum BmcSensorKind {
    /// Degrees Celsius.
    Temperature,
    /// Turns a minute.
    Fan,
    /// Watts.
    Power,
}

/// How a BMC is.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcCheck {
    /// It let the agent in and told everything.
    pub is_ok: bool,
    /// Why it did not, as a code; empty where it did.
    pub code: String,
    /// The same in the caller's language.
    pub reason: String,
    /// The agent's own words, in English.
    pub detail: String,
    /// Milliseconds that it took.
    pub millis: i64,
    /// SHA-256 of the certificate that is trusted.
    pub certificate: String,
    /// It was seen for the first time, and is trusted from now on.
    pub is_new_certificate: bool,
    /// It keeps sessions.
    pub has_sessions: bool,
    pub slots: Vec<BmcSlotView>,
    pub sensors: Vec<BmcSensorView>,
}

/// A slot of a BMC beside what the books say of it.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcSlotView {
    /// Counted from 1.
    pub slot: i32,
    /// The BMC's name of it.
    pub name: String,
    pub power: Power,
    pub health: BmcHealth,
    /// The serial of the card in it, where the BMC tells.
    pub serial: Option<String>,
    /// The card that the mapping has there; null where it has none.
    pub card: Option<BmcSlotCard>,
}

/// A card that the books have in a slot.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcSlotCard {
    pub id: CardId,
    pub intranet_ip: Ip4,
    pub serial: Option<String>,
    /// Both sides tell a serial, and not the same: power would go to another card.
    pub is_other: bool,
}

/// A reading of a BMC.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcSensorView {
    pub kind: BmcSensorKind,
    /// The BMC's name of it.
    pub name: String,
    /// Null where there is none, for example of an empty slot.
    pub reading: Option<f64>,
    /// From here on it is critical.
    pub critical: Option<f64>,
    pub health: BmcHealth,
}

/// How the agents get into a BMC; none where it has no password.
///
/// # Errors
/// When the read fails or the vault can not open it.
pub async fn access(app: &App, bmc: &Model, slot: i32) -> Outcome<Option<wire::BmcAccess>> {
    Ok(bmc::password(app, bmc.id).await?.map(|password| wire::BmcAccess {
        url: format!("https://{}:{}", bmc.address, bmc.port),
        username: bmc.username.clone(),
        password: password.expose_text().unwrap_or_default().to_owned(),
        certificate: bmc.certificate.clone(),
        slot: u32::try_from(slot).unwrap_or(0),
    }))
}

/// Keeps the certificate that a BMC showed at the first visit; one that is kept already stays. Whether it was kept.
///
/// # Errors
/// When the database refuses.
pub async fn pin(tx: &WriteTx, bmc: &Model, certificate: &str) -> Result<bool, DbErr> {
    let is_hash = certificate.len() == 64 && certificate.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !bmc.certificate.is_empty() || !is_hash {
        return Ok(false);
    }
    let change = ActiveModel { id: Set(bmc.id), certificate: Set(certificate.to_owned()), ..Default::default() };
    Entity::update(change).exec(&**tx).await?;
    Ok(true)
}

async fn check(ctx: &OpCtx, id: BmcId) -> Outcome<BmcCheck> {
    let bmc = bmc::find(ctx.read(), id).await?;
    let access = access(&ctx.app, &bmc, 0).await?.ok_or_else(|| Fault::conflict(NO_PASSWORD))?;
    let started = Instant::now();
    let answer = ctx.app.lines.ask(bmc.room_id, PATIENCE, |stream| Console::BmcLook { stream, access }).await?;
    let FromCard::Bmc(look) = answer else { return Err(Fault::conflict(NO_ANSWER)) };
    let BmcLook { certificate, found } = *look;
    let millis = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);

    let mut tx = ctx.begin_write().await?;
    // It may have been changed or deleted while it was asked.
    let bmc = bmc::find(&*tx, id).await?;
    let seen = certificate.unwrap_or_default();
    let is_new_certificate = pin(tx.inner(), &bmc, &seen).await?;
    let mut made = BmcCheck {
        is_ok: false,
        code: String::new(),
        reason: String::new(),
        detail: String::new(),
        millis,
        certificate: if is_new_certificate { seen } else { bmc.certificate.clone() },
        is_new_certificate,
        has_sessions: false,
        slots: Vec::new(),
        sensors: Vec::new(),
    };
    match found {
        BmcFound::Seen { sessions, slots, sensors } => {
            let mut cards = cards(&*tx, &bmc).await?;
            made.is_ok = true;
            made.has_sessions = sessions;
            made.slots =
                (1..).zip(slots).map(|(number, slot)| slot_view(number, slot, cards.remove(&number))).collect();
            made.sensors = sensors.into_iter().map(sensor_view).collect();
        }
        BmcFound::Failed { code, reason } => {
            made.reason = codes::words(&code, ctx.lang());
            made.detail = reason.chars().take(500).collect();
            made.code = code.chars().take(64).collect();
        }
    }
    let note = if made.is_ok { format!("{} slots", made.slots.len()) } else { made.code.clone() };
    tx.commit(Audit::of("bmc").id(id).name(bmc.address.to_string()).note(note)).await?;
    Ok(made)
}

/// The cards that the mapping has in the slots.
async fn cards(db: &impl ConnectionTrait, bmc: &Model) -> Result<HashMap<i32, card::Model>, DbErr> {
    let ranges = bmc_range::Entity::find().filter(bmc_range::Column::BmcId.eq(bmc.id)).all(db).await?;
    let mut found = HashMap::new();
    for range in ranges {
        let cards = card::Entity::find()
            .filter(card::Column::RoomId.eq(bmc.room_id))
            .filter(card::Column::IntranetIp.gte(range.start_ip))
            .filter(card::Column::IntranetIp.lte(range.end_ip))
            .all(db)
            .await?;
        found.extend(cards.into_iter().filter_map(|card| Some((range.slot(card.intranet_ip)?, card))));
    }
    Ok(found)
}

fn slot_view(slot: i32, told: wire::BmcSlot, card: Option<card::Model>) -> BmcSlotView {
    let card = card.map(|card| BmcSlotCard {
        id: card.id,
        intranet_ip: card.intranet_ip,
        is_other: matches!((&card.serial, &told.serial), (Some(ours), Some(theirs)) if ours != theirs),
        serial: card.serial,
    });
    let power = match told.power {
        wire::Power::On => Power::On,
        wire::Power::Off => Power::Off,
        wire::Power::Unknown => Power::Unknown,
    };
    BmcSlotView { slot, name: told.name, power, health: health(told.health), serial: told.serial, card }
}

fn sensor_view(told: wire::BmcSensor) -> BmcSensorView {
    #[expect(clippy::cast_precision_loss, reason = "readings are small")]
    let unit = |thousandths: i64| thousandths as f64 / 1000.0;
    BmcSensorView {
        kind: match told.kind {
            wire::SensorKind::Temperature => BmcSensorKind::Temperature,
            wire::SensorKind::Fan => BmcSensorKind::Fan,
            wire::SensorKind::Power => BmcSensorKind::Power,
        },
        name: told.name,
        reading: told.reading.map(unit),
        critical: told.critical.map(unit),
        health: health(told.health),
    }
}

const fn health(told: wire::Health) -> BmcHealth {
    match told {
        wire::Health::Ok => BmcHealth::Ok,
        wire::Health::Warning => BmcHealth::Warning,
        wire::Health::Critical => BmcHealth::Critical,
        wire::Health::Unknown => BmcHealth::Unknown,
    }
}

/// Asks a BMC how it is: signs in, and reads its slots and sensors. The certificate of the first visit is trusted from
/// then on.
#[utoipa::path(post, path = "/api/fleet/v1/bmcs/{id}/check", tag = "fleet",
    params(("id" = i64, Path, description = "The BMC's id")), responses((status = 200, body = Reply<BmcCheck>)))]
pub async fn bmc_check(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<BmcCheck> {
    reply(check(&ctx, BmcId(id)).await?)
}
