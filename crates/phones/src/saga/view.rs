//! What is done to a phone, as its page shows it.

use std::collections::HashMap;

use base::app::App;
use base::fault::{OrMissing as _, Outcome};
use base::http::body::PathId;
use base::http::ops::OpCtx;
use base::http::{ApiResult, Reply, reply};
use base::reference::Reference;
use entity::phone;
use entity::phone_session::SessionEnd;
use entity::saga::{self, Model, SagaKind, SagaState};
use entity::saga_step::{self, StepName, StepState};
use entity::{BackupId, CardId, ImageId, PhoneId, PlacementId, SagaId, SagaStepId, backup, card, placement};
use fleet::reasons;
use kernel::lang::Lang;
use kernel::text::{Text, text};
use kernel::time::UtcTime;
use sea_orm::{
    ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _, QueryOrder as _, QuerySelect as _,
};
use serde::Serialize;
use utoipa::ToSchema;
use wire::Reason;

use super::places::places;
use super::progress::Told;
use super::states;
use crate::forbidden::withheld::{WithheldApp, of_sagas};

const NOT_FOUND: Text = text("云手机不存在", "There is no such cloud phone");
/// Sagas on the page of a phone.
const SHOWN: u64 = 20;

/// What is being done to a phone just now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UnderWay {
    pub kind: SagaKind,
    pub state: SagaState,
    /// The step that is being done, or comes next.
    pub step: StepName,
    /// Its place in the queue, from 1; none once it has a card.
    pub position: Option<i64>,
    /// How far the step is, in hundredths; none if nobody says.
    pub percent: Option<i64>,
    /// Why it waits, or waits for a person; empty if it does not.
    pub code: String,
    /// With which copy the phone comes instead of its own, which is damaged, or goes on since its card is lost, once a person accepts
    /// that; none if nobody is asked.
    pub offer: Option<CopyOffer>,
}

/// A copy with which a phone comes once a person accepts that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CopyOffer {
    /// Which: it is named where it is accepted.
    pub backup_id: BackupId,
    /// When it was begun: what was written after that does not come back.
    pub copy_at: UtcTime,
}

/// The copy with which a phone would come, if a person is asked about that.
fn offered(saga: &Model) -> Option<BackupId> {
    saga.backup_id.filter(|_| matches!(saga.kind, SagaKind::PutOn | SagaKind::Lost) && saga.state == SagaState::Held)
}

/// When these copies were begun.
async fn begun(db: &impl ConnectionTrait, copies: Vec<BackupId>) -> Result<HashMap<BackupId, UtcTime>, DbErr> {
    if copies.is_empty() {
        return Ok(HashMap::new());
    }
    let select = backup::Entity::find().select_only().columns([backup::Column::Id, backup::Column::BeganAt]);
    let found: Vec<(BackupId, UtcTime)> = select.filter(backup::Column::Id.is_in(copies)).into_tuple().all(db).await?;
    Ok(found.into_iter().collect())
}

/// What is being done to these phones.
///
/// # Errors
/// When a read fails.
pub async fn under_way(
    app: &App,
    db: &impl ConnectionTrait,
    phones: impl Iterator<Item = PhoneId>,
) -> Result<HashMap<PhoneId, UnderWay>, DbErr> {
    let phones: Vec<PhoneId> = phones.collect();
    if phones.is_empty() {
        return Ok(HashMap::new());
    }
    let rows = states::of_phones(phones, states::LOCKED).all(db).await?;
    shown(app, db, rows).await
}

/// The same of what locks phones.
///
/// # Errors
/// When a read fails.
pub async fn shown(
    app: &App,
    db: &impl ConnectionTrait,
    rows: Vec<Model>,
) -> Result<HashMap<PhoneId, UnderWay>, DbErr> {
    let waiting: Vec<&Model> = rows.iter().filter(|row| row.state == SagaState::Waiting).collect();
    let places = places(app, db, &waiting).await?;
    let now = app.clock.now();
    let copies = begun(db, rows.iter().filter_map(offered).collect()).await?;
    Ok(rows
        .into_iter()
        .map(|row| {
            let offer = offered(&row).and_then(|id| Some(CopyOffer { backup_id: id, copy_at: *copies.get(&id)? }));
            let Model { id, kind, phone_id, step, state, code, .. } = row;
            let percent = app.part::<Told>().percent(id, now).filter(|_| state == SagaState::Running);
            (phone_id, UnderWay { kind, state, step, position: places.get(&id).copied(), percent, code, offer })
        })
        .collect())
}

/// Something that was done to a phone, or is being done.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SagaView {
    pub id: SagaId,
    pub kind: SagaKind,
    pub state: SagaState,
    /// The step that is being done, or comes next, or was the last.
    pub step: StepName,
    pub code: String,
    /// Why it waits, is held or has failed.
    pub words: String,
    /// When the copy was begun that it makes, reads or takes something from, or from which the phone could go on.
    pub copy_at: Option<UtcTime>,
    /// When the copy was begun to which a phone is set back, and with which it comes back once it was taken off; none if it is not.
    pub back_to_at: Option<UtcTime>,
    /// Why a phone is taken off that nobody has asked for; none if somebody has, or it is something else.
    pub cause: Option<SessionEnd>,
    /// Who asked for it; empty if the console did.
    pub created_by: String,
    pub enqueued_at: UtcTime,
    /// When it is tried again by itself; none if it is not held, or waits for a person alone.
    pub retry_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
    /// What nobody has decided about and holds it, where copies may be allowed to leave that out.
    pub uncovered: Option<HeldPath>,
    /// What is on its card may be in no copy: two operators decide whether that is wiped.
    pub is_quarantined: bool,
    /// Apps of the copy that it brings and leaves out, since the phone may not have them.
    pub withheld: Vec<WithheldApp>,
    /// The tries of its steps, oldest first.
    pub steps: Vec<StepView>,
}

/// Something on a card that copies may be allowed to leave out, on the image that the card runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeldPath {
    pub image_id: ImageId,
    pub path: String,
}

/// A try of a step.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StepView {
    pub id: SagaStepId,
    pub name: StepName,
    /// From 1.
    pub attempt: i32,
    pub state: StepState,
    pub card: Reference,
    pub code: String,
    /// Why it did not succeed.
    pub words: String,
    /// What the agent said, in English.
    pub reason: String,
    pub began_at: Option<UtcTime>,
    pub ended_at: Option<UtcTime>,
}

/// Of these, the one that is held for something that copies may be allowed to leave out, as its last try has told.
async fn uncovered(
    db: &impl ConnectionTrait,
    sagas: &[Model],
    steps: &[saga_step::Model],
) -> Result<Option<(SagaId, HeldPath)>, DbErr> {
    let is_it = |saga: &&Model| saga.state == SagaState::Held && saga.code == Reason::NotCovered.code();
    let Some(held) = sagas.iter().find(is_it) else { return Ok(None) };
    let told = steps.iter().rev().find(|step| step.saga_id == held.id && step.code == held.code);
    let Some(step) = told.filter(|step| fleet::may_be_excluded(&step.reason)) else { return Ok(None) };
    let card = card::Entity::find_by_id(step.card_id).one(db).await?;
    let path = |image_id| (held.id, HeldPath { image_id, path: step.reason.clone() });
    Ok(card.and_then(|card| card.image_id).map(path))
}

/// What was done to a phone last.
async fn of(db: &impl ConnectionTrait, phone: PhoneId, lang: Lang) -> Outcome<Vec<SagaView>> {
    let sagas = saga::Entity::find()
        .filter(saga::Column::PhoneId.eq(phone))
        .order_by_desc(saga::Column::Id)
        .limit(SHOWN)
        .all(db)
        .await?;
    let steps = saga_step::Entity::find()
        .filter(saga_step::Column::SagaId.is_in(sagas.iter().map(|saga| saga.id)))
        .order_by_asc(saga_step::Column::Id)
        .all(db)
        .await?;
    let of = sagas.iter().flat_map(|saga| [saga.backup_id, saga.comes_with_id]).flatten();
    let copies = begun(db, of.collect()).await?;
    let aside = placement::Entity::find().select_only().column(placement::Column::Id);
    let aside = aside.filter(placement::Column::Id.is_in(sagas.iter().filter_map(|saga| saga.placement_id)));
    let aside: Vec<PlacementId> = aside.filter(placement::Column::IsQuarantined.eq(true)).into_tuple().all(db).await?;
    let cards = fleet::card_addresses(db, steps.iter().map(|step| step.card_id)).await?;
    let words = |code: &str| if code.is_empty() { String::new() } else { reasons::words(code, lang) };
    let mut uncovered = uncovered(db, &sagas, &steps).await?;
    let mut withheld = of_sagas(db, &sagas).await?;
    let mut tries: HashMap<SagaId, Vec<StepView>> = HashMap::new();
    for step in steps {
        let saga_step::Model { id, saga_id, name, attempt, card_id, state, code, reason, began_at, ended_at, .. } =
            step;
        let card: CardId = card_id;
        tries.entry(saga_id).or_default().push(StepView {
            id,
            name,
            attempt,
            state,
            card: Reference { id: card.0, name: cards.get(&card).cloned() },
            words: words(&code),
            code,
            reason,
            began_at,
            ended_at,
        });
    }
    let view = |row: Model| {
        let Model { id, kind, step, state, code, cause, created_by, enqueued_at, retry_at, ended_at, .. } = row;
        let steps = tries.remove(&id).unwrap_or_default();
        let copy_at = row.backup_id.and_then(|copy| copies.get(&copy).copied());
        let back_to_at = row.comes_with_id.and_then(|copy| copies.get(&copy).copied());
        let words = words(&code);
        let is_quarantined = kind == SagaKind::Clear && row.placement_id.is_some_and(|stay| aside.contains(&stay));
        SagaView {
            id,
            kind,
            state,
            step,
            code,
            words,
            copy_at,
            back_to_at,
            cause,
            created_by,
            enqueued_at,
            retry_at,
            ended_at,
            is_quarantined,
            withheld: withheld.remove(&id).unwrap_or_default(),
            uncovered: uncovered.take_if(|(of, _)| *of == id).map(|(_, path)| path),
            steps,
        }
    };
    Ok(sagas.into_iter().map(view).collect())
}

/// What was done to a phone step by step, newest first: the last twenty.
#[utoipa::path(get, path = "/api/phone/v1/phones/{id}/sagas", tag = "phone",
    params(("id" = i64, Path, description = "The phone's id")), responses((status = 200, body = Reply<Vec<SagaView>>)))]
pub async fn phone_sagas(ctx: OpCtx, PathId(id): PathId<i64>) -> ApiResult<Vec<SagaView>> {
    let found = phone::Entity::find_by_id(PhoneId(id)).one(ctx.read()).await?.or_missing(NOT_FOUND)?;
    reply(of(ctx.read(), found.id, ctx.lang()).await?)
}
