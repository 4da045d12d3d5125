//! What begins while a gateway is silent, and while somebody is warned.

use base::app::App;
use base::fault::Outcome;
use entity::phone_session::SessionEnd;
use entity::{PhoneId, RoomId, SagaId, saga};
use sea_orm::sea_query::{Condition, Expr};
use sea_orm::{
    ColumnTrait as _, EntityTrait as _, ExprTrait as _, QueryFilter as _, QuerySelect as _, QueryTrait as _,
};

use super::states;
use crate::session::used::in_use;
use crate::stream::warned::{AskedOff, ENDS_WITHIN};
use crate::stream::watch::Silences;

/// Which of a room's copies and take-offs that wait for their turn begin now: none by a rule that began before anybody knew that a
/// gateway is silent, none whose phone somebody uses who is warned still, and none beside another copy in the same repository.
///
/// # Errors
/// When a read fails.
pub(super) async fn may_begin(app: &App, room: RoomId) -> Outcome<Condition> {
    let warned = warned(app, room).await?;
    let begins = by_gateways(app, room);
    // What a phone has left on another card is being copied: that gives way first, and until its agent has let go of the repository
    // nobody else writes there.
    let salvaged = saga::Entity::find().select_only().column(saga::Column::PhoneId);
    let salvaged = salvaged.filter(Expr::cust(states::SALVAGES)).into_query();
    let begins = Condition::all().add(begins).add(saga::Column::PhoneId.not_in_subquery(salvaged));
    let begins = begins.add(Expr::cust(states::SALVAGE_STOPS).not());
    Ok(if warned.is_empty() { begins } else { begins.add(saga::Column::Id.is_not_in(warned)) })
}

/// The take-offs of a room that wait until whoever uses the phone was warned for long enough, and his gateway had its time to end
/// that by itself. A gateway that is silent keeps nobody: an operator has asked for them.
async fn warned(app: &App, room: RoomId) -> Outcome<Vec<SagaId>> {
    let db = app.db.read();
    let select = saga::Entity::find().select_only().columns([saga::Column::Id, saga::Column::PhoneId]);
    let waiting = select.filter(Expr::cust(states::COPY_WAITS)).filter(saga::Column::RoomId.eq(room));
    let waiting: Vec<(SagaId, PhoneId)> = waiting.filter(saga::Column::WarnsUser.eq(true)).into_tuple().all(db).await?;
    if waiting.is_empty() {
        return Ok(Vec::new());
    }
    let phones: Vec<PhoneId> = waiting.iter().map(|(_, phone)| *phone).collect();
    let used = in_use(db, &phones).await?;
    let (told, steady) = (&app.part::<AskedOff>().0, app.clock.steady());
    let is_warned =
        |phone: &PhoneId| used.get(phone).is_some_and(|since| told.left(*phone, *since, steady) > -ENDS_WITHIN);
    Ok(waiting.into_iter().filter(|(_, phone)| is_warned(phone)).map(|(saga, _)| saga).collect())
}

fn by_gateways(app: &App, room: RoomId) -> Condition {
    let silences = app.part::<Silences>();
    let said = Condition::any().add(saga::Column::Cause.is_null()).add(saga::Column::Cause.eq(SessionEnd::NotAllowed));
    if silences.stands_still(room) {
        return said;
    }
    let silent = silences.silent_in(room);
    if silent.is_empty() {
        return Condition::all();
    }
    said.add(saga::Column::Cause.eq(SessionEnd::Expired)).add(saga::Column::PhoneId.is_not_in(silent))
}
