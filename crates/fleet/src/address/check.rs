//! Checking a BMC through the room agent: whether its address, username and password are right, which cards are in its
//! slots, and its readings.

use std::collections::HashMap;
use std::time::Duration;

use base::app::App;
use base::fault::{Fault, Outcome};
use base::http::body::PathId;
use base::http::ops::{Audit, OpCtx};
use base::http::{ApiResult, Reply, reply};
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
use wire::{BmcFound, BmcLook, Console, Reason};

use super::{bmc, bmc_state};
use crate::agent::connections::Connections;
use crate::agent::connections::FromCard;
use crate::reasons;

/// The agent gives up after 20 s; its answer needs a moment.
const PATIENCE: Duration = Duration::from_secs(25);

const NO_PASSWORD: Text = text("请先填写该 BMC 的账号和密码", "Enter the username and password of this BMC first");
const NO_ANSWER: Text = text("机房代理的应答无法识别", "The room agent's answer was not understood");

/// The health of a component, as a BMC reports it.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum BmcHealth {
    /// Fine.
    Ok,
    /// Needs attention.
    Warning,
    /// Needs action.
    Critical,
    /// Not reported.
    Unknown,
}

/// What a sensor measures, and in which unit.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum BmcSensorKind {
    /// Degrees Celsius.
    Temperature,
    /// Revolutions per minute.
    Fan,
    /// Watts.
    Power,
}

/// The state of a BMC.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcCheck {
    /// The agent could sign in and read everything.
    pub is_ok: bool,
    /// Why it could not, as a code; empty if it could.
    pub code: String,
    /// The same in the caller's language.
    pub reason: String,
    /// Details from the agent, in English.
    pub detail: String,
    /// Duration in milliseconds.
    pub millis: i64,
    /// SHA-256 of the trusted certificate.
    pub certificate: String,
    /// It was seen for the first time, and is trusted from now on.
    pub is_new_certificate: bool,
    /// It supports sessions.
    pub has_sessions: bool,
    pub slots: Vec<BmcSlotView>,
    pub sensors: Vec<BmcSensorView>,
}

/// A slot of a BMC, compared with the records.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcSlotView {
    /// Counted from 1.
    pub slot: i32,
    /// The BMC's name for it.
    pub name: String,
    pub power: Power,
    pub health: BmcHealth,
    /// The serial of the card in it, if the BMC reports it.
    pub serial: Option<String>,
    /// The card that the mapping has there; null if it has none.
    pub card: Option<BmcSlotCard>,
}

/// The card recorded in a slot.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcSlotCard {
    pub id: CardId,
    pub intranet_ip: Ip4,
    pub serial: Option<String>,
    /// The serials differ: a power command would reach another card.
    pub is_other: bool,
}

/// A reading of a BMC.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct BmcSensorView {
    pub kind: BmcSensorKind,
    /// The BMC's name for it.
    pub name: String,
    /// Null if there is none, for example for an empty slot.
    pub reading: Option<f64>,
    /// The critical threshold.
    pub critical: Option<f64>,
    pub health: BmcHealth,
}

/// How agents sign in to a BMC, or why they are not told: it has no password, it was changed just now, or it is where
/// nothing may be connected to. The rule may be newer than the BMC, so it is asked each time.
///
/// # Errors
/// When the read fails or the vault cannot open it.
pub async fn access(app: &App, bmc: &Model, slot: i32) -> Outcome<Result<wire::BmcAccess, Reason>> {
    match check_place(app, bmc).await {
        Ok(()) => {}
        Err(Fault::Invalid(_)) => return Ok(Err(Reason::AddressRefused)),
        Err(fault) => return Err(fault),
    }
    let Some(password) = bmc::password_of(app, bmc).await? else { return Ok(Err(Reason::NoBmc)) };
    Ok(Ok(wire::BmcAccess {
        url: format!("https://{}:{}", bmc.address, bmc.port),
        username: bmc.username.clone(),
        password: password.expose_text().unwrap_or_default().to_owned(),
        certificate: bmc.certificate.clone(),
        slot: u32::try_from(slot).unwrap_or(0),
    }))
}

async fn check_place(app: &App, bmc: &Model) -> Outcome<()> {
    let room = crate::place::room::named(app.db.read(), "roomId", bmc.room_id).await?;
    bmc::check_place(&app.config.outbound(), &room, bmc.address)
}

/// Stores the certificate that a BMC showed on the first connection; a stored one is kept. Returns whether it was
/// stored.
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
    let asked = bmc::find(ctx.read(), id).await?;
    check_place(&ctx.app, &asked).await?;
    let access = access(&ctx.app, &asked, 0).await?.map_err(|_| Fault::conflict(NO_PASSWORD))?;
    let started = Instant::now();
    let answer = ctx
        .app
        .part::<Connections>()
        .ask(asked.room_id, PATIENCE, |stream| Console::BmcLook { stream, access })
        .await?;
    let FromCard::Bmc(look) = answer else { return Err(Fault::conflict(NO_ANSWER)) };
    let BmcLook { certificate, found } = *look;
    let millis = i64::try_from(started.elapsed().as_millis()).unwrap_or(i64::MAX);

    let mut tx = ctx.begin_write().await?;
    // It may have been changed or deleted during the check.
    let bmc = bmc::find(&*tx, id).await?;
    let seen = certificate.unwrap_or_default();
    let is_same = bmc::place(&asked) == bmc::place(&bmc);
    let is_new_certificate = is_same && pin(tx.inner(), &bmc, &seen).await?;
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
    if is_same {
        let code = match &found {
            BmcFound::Seen { .. } => "",
            BmcFound::Failed { code, .. } => code.code(),
        };
        bmc_state::write(tx.inner(), &bmc, code, ctx.now()).await?;
    }
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
            made.reason = reasons::words(code.code(), ctx.lang());
            made.detail = reason.chars().take(500).collect();
            made.code = code.code().chars().take(64).collect();
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

/// Checks a BMC: signs in and reads its slots and sensors. The certificate of the first connection is trusted from then
/// on.
#[utoipa::path(post, path = "/api/fleet/v1/bmcs/{id}/check", tag = "fleet",
    params(("id" = i64, Path, description = "The BMC's id")), responses((status = 200, body = Reply<BmcCheck>)))]
pub async fn bmc_check(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<BmcCheck> {
    reply(check(&ctx, BmcId(id)).await?)
}
