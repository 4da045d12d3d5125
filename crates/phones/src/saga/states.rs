//! Which rows are meant, written as in the partial indexes: a bound value would not use them.

use entity::{PhoneId, RoomId, saga};
use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, Select};

/// A saga that waits for its turn.
pub const WAITS: &str = "state = 1";
/// A put-on that waits for a card.
pub const PUT_ON_WAITS: &str = "kind = 1 AND state = 1";
/// A put-on for which somebody waits in front of a phone's screen.
pub const PUT_ON_ASKED: &str = "kind = 1 AND operation_id IS NULL";
/// A put-on that is under way.
pub const PUT_ON_RUNS: &str = "locks_phone AND state IN (1, 2, 3, 6) AND kind = 1 AND state = 2";
/// A put-on whose copy is damaged: a person decides whether an older one comes.
pub const PUT_ON_HELD: &str = "kind = 1 AND state = 6";
/// A put-on or a take-off that has come about.
pub const MOVED: &str = "kind IN (1, 6) AND state = 4";
/// A put-on or a take-off that has come to nothing, though nobody wanted the phone back.
pub const MOVE_FAILED: &str = "kind IN (1, 6) AND state = 5 AND code <> 'came_back'";
/// A put-on that waits for a card, and for which somebody waits in front of a phone's screen.
pub const WAITER: &str = "kind = 1 AND state = 1 AND operation_id IS NULL";
/// A take-off that has come to nothing.
pub const LEAVE_FAILED: &str = "kind = 6 AND state = 5";
/// A take-off that is under way.
pub const LEAVE_RUNS: &str = "kind IN (2, 6) AND state IN (2, 3) AND kind = 6 AND state = 2";
/// One for which a phone is copied, and goes on after it or off.
pub const COPIES: &str = "kind IN (2, 6)";
/// Such a one that waits for its turn.
pub const COPY_WAITS: &str = "kind IN (2, 6) AND state = 1";
/// Such a one that is under way.
pub const COPY_RUNS: &str = "kind IN (2, 6) AND state IN (2, 3)";
/// Such a one that is not over, nor held.
pub const COPY_OPEN: &str = "kind IN (2, 6) AND state IN (1, 2, 3)";
/// A first copy, which gives way to whatever a person asks for.
pub const GIVES_WAY: &str = "kind = 2 AND operation_id IS NULL AND locks_phone AND state IN (1, 2)";
/// What an erased phone has left at a storage node is being removed.
pub const ERASES: &str = "kind = 7 AND state = 2";
/// One that reads a copy back.
pub const READS: &str = "kind = 4";
/// A phone that is being taken off, and could still stay.
pub const LEAVES: &str = "locks_phone AND state IN (1, 2, 3, 6) AND kind = 6 AND state <> 3";
/// A take-off that waits for its turn or is under way: its card is on its way to somebody else.
pub const LEAVE_COMES: &str = "kind = 6 AND state IN (1, 2)";
/// A take-off that is held: its phone goes on where it is.
pub const LEAVE_HELD: &str = "kind = 6 AND state = 6";
/// What makes a copy or reads one back, and is not over.
pub const OF_COPIES_OPEN: &str = "saga.kind IN (2, 6, 4) AND saga.state IN (1, 2, 3, 6)";
/// The clearing of a card that a phone has left, and that nobody needs yet.
pub const CLEAR_WAITS: &str = "kind = 3 AND state = 1";
/// One that nobody is at: it waits until the card is needed, or for a person.
pub const CLEAR_STANDS: &str = "kind = 3 AND state IN (1, 6)";
/// One that waits for a person, or to be tried again.
pub const CLEAR_HELD: &str = "kind = 3 AND state = 6";
/// One that has begun, or waits for a person.
pub const CLEAR_OPEN: &str = "kind = 3 AND state IN (2, 6)";
/// One that is under way, or waits for a profile that the next one would wait for as well. What waits for a person, or is copied
/// first, makes no card clean for who waits now.
pub const CLEAR_RUNS: &str = "kind = 3 AND state IN (2, 6) \
     AND (state = 2 AND step NOT IN (12, 13, 14, 15, 16, 17) OR code = 'no_profile')";
/// One for which what is on the card is copied first.
pub const SALVAGES: &str = "kind = 3 AND state IN (2, 6) AND state = 2 AND step IN (12, 13, 14, 15, 16, 17)";
/// Of a saga: an agent still copies what its phone has left on another card, and was told to stop.
pub const SALVAGE_STOPS: &str = "EXISTS (SELECT 1 FROM saga_step copying JOIN saga other ON other.id = copying.saga_id \
     WHERE copying.state = 2 AND copying.name = 14 AND other.kind = 3 AND other.phone_id = saga.phone_id)";
/// Of a saga: an agent is still at its last step, or still copies its phone somewhere, and was told to stop.
pub const COPY_STOPS: &str = "EXISTS (SELECT 1 FROM saga_step copying JOIN saga other ON other.id = copying.saga_id \
     WHERE copying.state = 2 AND (copying.name = 14 OR other.id = saga.id) AND other.phone_id = saga.phone_id)";
/// One that is under way.
pub const CLEAR_UNDER_WAY: &str = "kind = 3 AND state IN (2, 6) AND state = 2";
/// One that has left a card clean.
pub const CLEARED: &str = "kind = 3 AND state = 4";
/// What is about cards that were lost, under way or not: of phones that are on them, and of those that have gone on
/// elsewhere.
pub const LOST: &str = "kind IN (3, 9) AND state IN (2, 6) AND (kind = 9 OR step = 25)";
/// A phone whose card is lost.
pub const CARD_LOST: &str = "kind = 9 AND state IN (2, 6)";
/// What waits for a person.
pub const HELD: &str = "state = 6";
/// A saga that locks its phone and is not over.
pub const LOCKED: &str = "locks_phone AND state IN (1, 2, 3, 6)";
/// The same but for a take-off that is held: nothing is being done to its phone meanwhile.
pub const OCCUPIED: &str = "locks_phone AND state IN (1, 2, 3, 6) AND NOT (kind = 6 AND state = 6)";
/// What has ended, and neither began nor ended a stay on a card.
pub const OTHERS_ENDED: &str = "kind NOT IN (1, 6) AND ended_at IS NOT NULL";
/// A step that no agent has yet.
pub const STEP_WAITS: &str = "state = 1";
/// A step at whose card nothing else is; a copy is read without its card, and removed.
pub const STEP_CAN_BEGIN: &str =
    "(name IN (15, 19) OR NOT EXISTS (SELECT 1 FROM card_busy WHERE card_busy.card_id = saga_step.card_id))";
/// A step that an agent has.
pub const STEP_RUNS: &str = "state = 2";

/// Sagas of these phones that are meant.
pub fn of_phones(phones: impl IntoIterator<Item = PhoneId>, which: &'static str) -> Select<saga::Entity> {
    saga::Entity::find().filter(saga::Column::PhoneId.is_in(phones)).filter(Expr::cust(which))
}

/// The sagas of a room that are like this.
pub fn of_room(room: RoomId, which: &'static str) -> Select<saga::Entity> {
    saga::Entity::find().filter(saga::Column::RoomId.eq(room)).filter(Expr::cust(which))
}

#[cfg(test)]
mod tests {
    use entity::saga::{SagaKind, SagaState};
    use entity::saga_step::{StepName, StepState};
    use wire::Reason;

    use super::super::salvaging::STEPS;

    #[test]
    fn the_indexes_mean_the_states_that_their_names_say() {
        assert_eq!(super::WAITS, format!("state = {}", SagaState::Waiting.code()));
        let (waits, put_on) = (super::WAITS, SagaKind::PutOn.code());
        let copies = format!("kind IN ({}, {})", SagaKind::BackUp.code(), SagaKind::TakeOff.code());
        assert_eq!(super::COPIES, copies);
        let begun = [SagaState::Waiting, SagaState::Running].map(|state| state.code().to_string()).join(", ");
        let back_up = SagaKind::BackUp.code();
        assert_eq!(
            super::GIVES_WAY,
            format!("kind = {back_up} AND operation_id IS NULL AND locks_phone AND state IN ({begun})")
        );
        assert_eq!(super::READS, format!("kind = {}", SagaKind::Verify.code()));
        let (erase, under_way) = (SagaKind::Erase.code(), SagaState::Running.code());
        assert_eq!(super::ERASES, format!("kind = {erase} AND state = {under_way}"));
        assert_eq!(super::PUT_ON_WAITS, format!("kind = {put_on} AND {waits}"));
        assert_eq!(super::PUT_ON_ASKED, format!("kind = {put_on} AND operation_id IS NULL"));
        assert_eq!(super::PUT_ON_HELD, format!("kind = {put_on} AND state = {}", SagaState::Held.code()));
        let open: Vec<String> =
            SagaState::ALL.iter().filter(|state| !state.is_over()).map(|state| state.code().to_string()).collect();
        let open = open.join(", ");
        let (running, held) = (SagaState::Running.code(), SagaState::Held.code());
        assert_eq!(super::LOCKED, format!("locks_phone AND state IN ({open})"));
        let of_copies = SagaKind::OF_COPIES.map(|kind| kind.code().to_string()).join(", ");
        assert_eq!(super::OF_COPIES_OPEN, format!("saga.kind IN ({of_copies}) AND saga.state IN ({open})"));
        // The index of those has them.
        assert_eq!(super::PUT_ON_RUNS, format!("{} AND kind = {put_on} AND state = {running}", super::LOCKED));
        let (take_off, done) = (SagaKind::TakeOff.code(), SagaState::Done.code());
        assert_eq!(super::MOVED, format!("kind IN ({put_on}, {take_off}) AND state = {done}"));
        let (failed, came_back) = (SagaState::Failed.code(), Reason::CameBack.code());
        let nothing = format!("kind IN ({put_on}, {take_off}) AND state = {failed} AND code <> '{came_back}'");
        assert_eq!(super::MOVE_FAILED, nothing);
        assert_eq!(super::WAITER, format!("{} AND operation_id IS NULL", super::PUT_ON_WAITS));
        assert_eq!(super::LEAVE_FAILED, format!("kind = {take_off} AND state = {}", SagaState::Failed.code()));
        assert_eq!(super::COPY_WAITS, format!("{copies} AND {waits}"));
        let runs = [SagaState::Running, SagaState::GoingBack].map(|state| state.code().to_string()).join(", ");
        assert_eq!(super::COPY_RUNS, format!("{copies} AND state IN ({runs})"));
        let open = [SagaState::Waiting, SagaState::Running, SagaState::GoingBack].map(|state| state.code().to_string());
        assert_eq!(super::COPY_OPEN, format!("{copies} AND state IN ({})", open.join(", ")));
        // The index of those has them.
        let leaves = format!("kind = {take_off} AND state = {}", SagaState::Running.code());
        assert_eq!(super::LEAVE_RUNS, format!("{} AND {leaves}", super::COPY_RUNS));
        let first = [SagaState::Waiting, SagaState::Running].map(|state| state.code().to_string()).join(", ");
        assert_eq!(super::LEAVE_COMES, format!("kind = {take_off} AND state IN ({first})"));
        let back = SagaState::GoingBack.code();
        assert_eq!(super::LEAVES, format!("{} AND kind = {take_off} AND state <> {back}", super::LOCKED));
        assert_eq!(super::LEAVE_HELD, format!("kind = {take_off} AND state = {}", SagaState::Held.code()));
        assert_eq!(super::OCCUPIED, format!("{} AND NOT ({})", super::LOCKED, super::LEAVE_HELD));
        let clear = SagaKind::Clear.code();
        assert_eq!(super::CLEAR_WAITS, format!("kind = {clear} AND {waits}"));
        assert_eq!(super::CLEAR_HELD, format!("kind = {clear} AND state = {held}"));
        assert_eq!(super::CLEAR_OPEN, format!("kind = {clear} AND state IN ({running}, {held})"));
        let no_profile = Reason::NoProfile.code();
        let copies = STEPS.map(|step| step.code().to_string()).join(", ");
        let runs = format!("(state = {running} AND step NOT IN ({copies}) OR code = '{no_profile}')");
        assert_eq!(super::CLEAR_RUNS, format!("{} AND {runs}", super::CLEAR_OPEN));
        let salvages = format!("{} AND state = {running} AND step IN ({copies})", super::CLEAR_OPEN);
        assert_eq!(super::SALVAGES, salvages);
        let (runs, copy) = (StepState::Running.code(), StepName::Copy.code());
        let at_none = format!("(reader.kind <> {clear} OR reader.state <> {held} ");
        assert!(super::super::NOT_READ.contains(&at_none));
        for stops in [super::SALVAGE_STOPS, super::COPY_STOPS] {
            assert!(stops.contains(&format!("copying.state = {runs} AND ")), "{stops}");
            assert!(stops.contains(&format!("copying.name = {copy}")), "{stops}");
        }
        assert!(super::SALVAGE_STOPS.contains(&format!("other.kind = {clear}")));
        assert_eq!(super::CLEAR_UNDER_WAY, format!("{} AND state = {running}", super::CLEAR_OPEN));
        assert_eq!(super::CLEARED, format!("kind = {clear} AND state = {done}"));
        let stands = format!("kind = {clear} AND state IN ({}, {held})", SagaState::Waiting.code());
        assert_eq!(super::CLEAR_STANDS, stands);
        let (lost, halt) = (SagaKind::Lost.code(), StepName::Halt.code());
        let open = format!("state IN ({running}, {held})");
        assert_eq!(super::LOST, format!("kind IN ({clear}, {lost}) AND {open} AND (kind = {lost} OR step = {halt})"));
        assert_eq!(super::CARD_LOST, format!("kind = {lost} AND {open}"));
        assert_eq!(super::OTHERS_ENDED, format!("kind NOT IN ({put_on}, {take_off}) AND ended_at IS NOT NULL"));
        assert_eq!(super::HELD, format!("state = {held}"));
        assert_eq!(super::STEP_WAITS, format!("state = {}", StepState::Waiting.code()));
        assert_eq!(super::STEP_RUNS, format!("state = {}", StepState::Running.code()));
        let storage = [StepName::Verify, StepName::Erase].map(|step| step.code().to_string()).join(", ");
        assert!(super::STEP_CAN_BEGIN.starts_with(&format!("(name IN ({storage}) OR ")));
    }
}
