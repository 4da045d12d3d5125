//! What the books of a console say of phones and cards, and what they never say, whatever goes wrong.

use std::collections::{BTreeMap, BTreeSet};

use entity::card::{self, Model as Card, Occupancy};
use entity::phone::{self, Life, Model as Phone, UseType};
use entity::placement::{self, Model as Stay, Role};
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::{self, Model as Step, StepName, StepState};
use entity::{CardId, SagaId, card_busy};
use sea_orm::EntityTrait as _;
use testapp::TestApp;

/// Steps that have an effect on a card, which a saga has once there.
const ONCE: [StepName; 8] = [
    StepName::Claim,
    StepName::Install,
    StepName::Restore,
    StepName::Boot,
    StepName::Start,
    StepName::Still,
    StepName::MarkClean,
    StepName::Unclaim,
];

/// Those of them that a clearing has as often as it copies what is on its card.
const AGAIN: [StepName; 2] = [StepName::Start, StepName::Still];

/// The books are whole: a phone is on one card and a card has one phone, cards are as their sagas have left them, a phone
/// that is off is blank or has a copy, sagas that are not over go on, wait or say why not, and each effect was had once.
pub async fn are_whole(app: &TestApp) {
    let (sagas, steps) = books(app).await;
    let mut effects: BTreeMap<(SagaId, CardId, StepName), usize> = BTreeMap::new();
    // What is left on a card is copied as often as it takes.
    let clears: BTreeSet<SagaId> =
        sagas.iter().filter(|saga| saga.kind == SagaKind::Clear).map(|saga| saga.id).collect();
    let is_again = |step: &&Step| clears.contains(&step.saga_id) && AGAIN.contains(&step.name);
    let once = steps.iter().filter(|step| ONCE.contains(&step.name) && !is_again(step));
    for step in once.filter(|step| step.state == StepState::Done) {
        *effects.entry((step.saga_id, step.card_id, step.name)).or_default() += 1;
    }
    let twice: Vec<_> = effects.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "an effect was had twice: {twice:?}");
}

/// The same, but for how often an effect was had: a phone that was to leave, and was held, is started each time.
pub async fn books(app: &TestApp) -> (Vec<Saga>, Vec<Step>) {
    // Nobody writes meanwhile.
    let tx = app.app.db.begin_write().await.unwrap();
    let stays = placement::Entity::going_on().all(&*tx).await.unwrap();
    let phones = phone::Entity::find().all(&*tx).await.unwrap();
    let cards = card::Entity::find().all(&*tx).await.unwrap();
    let sagas = saga::Entity::find().all(&*tx).await.unwrap();
    let steps = saga_step::Entity::find().all(&*tx).await.unwrap();
    let busy = card_busy::Entity::find().all(&*tx).await.unwrap();
    drop(tx);
    cards.iter().for_each(|card| card_is_as_left(card, &stays, &sagas));
    phones.iter().for_each(|phone| phone_is_somewhere(phone, &stays, &sagas));
    sagas.iter().for_each(|saga| saga_goes_on_or_says_why(saga, &steps));

    // What is done at a storage node is done without its card.
    let is_at_card = |step: &&Step| !matches!(step.name, StepName::Verify | StepName::Erase);
    let running = steps.iter().filter(|step| step.state == StepState::Running).filter(is_at_card);
    let at: BTreeSet<(CardId, i64)> = running.map(|step| (step.card_id, step.id.0)).collect();
    let known: BTreeSet<(CardId, i64)> = busy.iter().map(|row| (row.card_id, row.task_id)).collect();
    assert_eq!(known, at, "something else is at a card than the books say");
    (sagas, steps)
}

fn card_is_as_left(card: &Card, stays: &[Stay], sagas: &[Saga]) {
    let here: Vec<&Stay> = stays.iter().filter(|stay| stay.card_id == card.id).collect();
    let roles: Vec<Role> = here.iter().map(|stay| stay.role).collect();
    let is_copied = |saga: &Saga| {
        let is_its = here.iter().any(|stay| Some(stay.id) == saga.placement_id);
        is_its && matches!(saga.kind, SagaKind::BackUp | SagaKind::TakeOff) && !saga.state.is_over()
    };
    let is_so = match card.occupancy {
        Occupancy::Free => roles.is_empty(),
        Occupancy::Reserved => roles == [Role::Incoming],
        // A phone may be coming back to what it had left.
        Occupancy::Restoring => roles == [Role::Incoming] || roles == [Role::Outgoing],
        Occupancy::InUse => roles == [Role::Holds],
        Occupancy::BackingUp => roles == [Role::Holds] && sagas.iter().any(is_copied),
        Occupancy::Wiping | Occupancy::Sealed => roles == [Role::Outgoing],
    };
    assert!(is_so, "card {} is {:?} and has {roles:?}", card.id, card.occupancy);
}

fn phone_is_somewhere(phone: &Phone, stays: &[Stay], sagas: &[Saga]) {
    let in_role = |role: Role| {
        let theirs = stays.iter().filter(|stay| stay.phone_id == phone.id && stay.role == role);
        theirs.map(|stay| stay.id).collect::<Vec<_>>()
    };
    let (comes, holds) = (in_role(Role::Incoming), in_role(Role::Holds));
    assert_eq!(Vec::from_iter(phone.holds_id), holds, "{}", phone.code);
    assert_eq!(phone.use_type == UseType::On, phone.holds_id.is_some(), "{}", phone.code);
    assert!(comes.len() + holds.len() <= 1, "{} is on two cards", phone.code);
    let is_kept = phone.is_blank || phone.kept_id.is_some() || phone.life == Life::Erased;
    assert!(phone.use_type == UseType::On || is_kept, "{} is off, and lives by nothing", phone.code);
    let locks = sagas.iter().filter(|saga| saga.phone_id == phone.id && saga.locks_phone && !saga.state.is_over());
    assert!(locks.count() <= 1, "two things are done to {}", phone.code);
}

fn saga_goes_on_or_says_why(saga: &Saga, steps: &[Step]) {
    let is_open =
        |step: &&Step| step.saga_id == saga.id && matches!(step.state, StepState::Waiting | StepState::Running);
    let wanted = usize::from(matches!(saga.state, SagaState::Running | SagaState::GoingBack));
    assert_eq!(steps.iter().filter(is_open).count(), wanted, "{saga:?}");
    let says_why = matches!(saga.state, SagaState::Held | SagaState::Failed | SagaState::GoingBack);
    assert!(!says_why || !saga.code.is_empty(), "nobody knows why: {saga:?}");
    assert_eq!(saga.ended_at.is_some(), saga.state.is_over(), "{saga:?}");
}
