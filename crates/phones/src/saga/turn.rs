//! What begins while a gateway is silent.

use base::app::App;
use entity::phone_session::SessionEnd;
use entity::{RoomId, saga};
use sea_orm::ColumnTrait as _;
use sea_orm::sea_query::Condition;

use crate::stream::watch::Silences;

/// Which of a room's copies and take-offs that wait for their turn begin now: none by a rule that began before anybody knew that a
/// gateway is silent.
pub(super) fn may_begin(app: &App, room: RoomId) -> Condition {
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
