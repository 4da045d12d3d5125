//! The cloud phone on a card where somebody has a shell: nobody stays in it while something is done to the phone, or once another
//! one has come.

use entity::placement;
use entity::saga::{self, Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use entity::{CardId, PhoneId, PlacementId};
use sea_orm::{ColumnTrait as _, ConnectionTrait, DbErr, EntityTrait as _, QueryFilter as _};

const UNDER_WAY: &str =
    "something is being done to the cloud phone on this card / 正在对卡上的云手机执行操作，终端已结束";
const ANOTHER: &str = "another cloud phone has come on this card / 卡上换了云手机，终端已结束";

/// The stay on a card that has not ended, and whose it is: a phone that it is prepared for, that it holds, or that has left something.
///
/// # Errors
/// When the read fails.
pub async fn stay_on(db: &impl ConnectionTrait, card: CardId) -> Result<Option<(PlacementId, PhoneId)>, DbErr> {
    let stay = placement::Entity::going_on().filter(placement::Column::CardId.eq(card)).one(db).await?;
    Ok(stay.map(|stay| (stay.id, stay.phone_id)))
}

/// Whether something is being done to the phone of a stay at which a shell would be in the way.
///
/// # Errors
/// When the read fails.
pub async fn is_under_way(db: &impl ConnectionTrait, stay: PlacementId) -> Result<bool, DbErr> {
    let sagas = saga::Entity::find().filter(saga::Column::PlacementId.eq(stay));
    let sagas = sagas.filter(saga::Column::State.is_in([SagaState::Running, SagaState::GoingBack])).all(db).await?;
    Ok(sagas.iter().any(disturbs))
}

/// A copy for which the phone goes on, which nobody has asked for, does not; nor does one that is only read back.
fn disturbs(saga: &Saga) -> bool {
    match saga.kind {
        SagaKind::BackUp => saga.operation_id.is_some() && saga.step != StepName::Verify,
        SagaKind::Verify | SagaKind::Erase => false,
        SagaKind::PutOn | SagaKind::Clear | SagaKind::Apps | SagaKind::TakeOff | SagaKind::Restart | SagaKind::Lost => {
            true
        }
    }
}

/// Why a shell ends that was opened on a card when this stay was there, or none; nothing if it goes on.
///
/// # Errors
/// When a read fails.
pub async fn ends(
    db: &impl ConnectionTrait,
    card: CardId,
    before: Option<PlacementId>,
) -> Result<Option<&'static str>, DbErr> {
    let Some((stay, _)) = stay_on(db, card).await? else { return Ok(None) };
    if before != Some(stay) {
        return Ok(Some(ANOTHER));
    }
    Ok(is_under_way(db, stay).await?.then_some(UNDER_WAY))
}
