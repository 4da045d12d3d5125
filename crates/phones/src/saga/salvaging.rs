//! What comes after a step by which a card in quarantine is copied, before it is wiped: rules without a database.

use entity::saga_step::StepName;
use wire::Reason;

use super::machine::{End, may_pass, wait_after};

/// The steps of a clearing for which what is on the card is copied first.
pub const STEPS: [StepName; 6] =
    [StepName::Packages, StepName::Stop, StepName::Copy, StepName::Verify, StepName::Start, StepName::Still];

/// Each of them is tried so often.
const TRIES: i32 = 5;
/// Between two tries where the card may be restarting, in seconds.
const SOON: i64 = 15;

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// A step on the same card.
    Step(StepName),
    /// The same again, after so many seconds.
    Again(i64),
    /// The packages of its apps are at the storage node: it is stopped.
    Packed,
    /// It is stopped: it is copied.
    Stopped,
    /// It is read back.
    Copied,
    /// It is seen whether the card is still what was copied.
    Verified,
    /// It is: the card is wiped.
    Wipe,
    /// What was copied is not all of it any more: once more, from the beginning.
    Afresh,
    /// What was read back is not what was written.
    Damaged,
    /// The card was retired: what is on it goes with it.
    Gone,
    /// There is no copy of all that is there: nothing is wiped.
    Fails,
}

/// What comes after the `attempt`-th try of a step, those aside that were dropped.
#[must_use]
pub fn after(step: StepName, attempt: i32, end: End) -> Next {
    use StepName::{Copy, Packages, Start, Still, Stop, Verify};
    match (step, end) {
        (_, End::Dropped) => Next::Again(0),
        (Start, End::Done) => Next::Step(Packages),
        (Packages, End::Done) => Next::Packed,
        (Stop, End::Done) => Next::Stopped,
        (Copy, End::Done) => Next::Copied,
        (Verify, End::Done) => Next::Verified,
        (Still, End::Done) => Next::Wipe,
        (_, End::Failed { why: Some(Reason::Retired), .. }) => Next::Gone,
        (Stop, End::Failed { why: Some(Reason::AppsChanged), .. }) if attempt < TRIES => Next::Step(Packages),
        // It has restarted: its apps have run.
        (Stop | Copy | Still, End::Failed { why: Some(Reason::Interrupted), .. }) if attempt < TRIES => Next::Afresh,
        // Android is on its way up.
        (Start | Packages, End::Failed { why: Some(Reason::Unhealthy), .. }) if attempt < TRIES => Next::Again(SOON),
        (Verify, End::Failed { why: Some(Reason::CopyDamaged | Reason::RepoDamaged), .. }) => Next::Damaged,
        // They do not come back by being looked for: the next copy saves them anew.
        (Verify, End::Failed { why: Some(Reason::PackagesMissing), .. }) => Next::Fails,
        (Verify, End::Failed { .. }) if attempt < TRIES => Next::Again(wait_after(attempt)),
        (_, End::Failed { why: Some(why), .. }) if may_pass(why) && attempt < TRIES => Next::Again(SOON),
        (_, End::Failed { .. } | End::Done) => Next::Fails,
    }
}

#[cfg(test)]
mod tests {
    use entity::operation_task::TaskEffect;
    use entity::saga_step::StepName as S;
    use wire::Reason as R;

    use super::{End, Next, STEPS, TRIES, after};

    const fn failed(why: R) -> End {
        End::Failed { why: Some(why), effect: TaskEffect::Unknown }
    }

    #[test]
    fn a_card_is_wiped_after_one_step_alone_when_that_is_done() {
        for step in STEPS {
            for attempt in 1..=TRIES + 1 {
                let ends = [End::Done, End::Dropped, failed(R::Interrupted), failed(R::NotOurs), failed(R::Retired)];
                for end in ends {
                    let wipes = after(step, attempt, end) == Next::Wipe;
                    assert_eq!(wipes, step == S::Still && end == End::Done, "{step:?} {end:?}");
                }
            }
        }
    }

    #[test]
    fn what_cannot_be_copied_is_not_tried_for_ever() {
        for (step, attempt, end, next) in [
            (S::Start, 1, failed(R::NotOurs), Next::Fails),
            (S::Start, 1, failed(R::AdbUnreachable), Next::Again(15)),
            (S::Packages, 1, failed(R::NotCovered), Next::Fails),
            (S::Packages, 1, failed(R::WrongStore), Next::Fails),
            (S::Stop, 1, failed(R::AppsChanged), Next::Step(S::Packages)),
            (S::Copy, 1, failed(R::Interrupted), Next::Afresh),
            (S::Copy, TRIES, failed(R::Interrupted), Next::Fails),
            (S::Copy, 1, failed(R::StoreFull), Next::Fails),
            (S::Copy, 1, failed(R::AgentSilent), Next::Again(15)),
            (S::Verify, 1, failed(R::CopyDamaged), Next::Damaged),
            (S::Verify, 1, failed(R::PackagesMissing), Next::Fails),
            (S::Verify, 1, failed(R::StoreUnreachable), Next::Again(60)),
            (S::Verify, TRIES, failed(R::StoreUnreachable), Next::Fails),
            (S::Still, 1, failed(R::Interrupted), Next::Afresh),
            (S::Still, 1, failed(R::NotReadable), Next::Fails),
            (S::Still, 2, failed(R::Retired), Next::Gone),
        ] {
            assert_eq!(after(step, attempt, end), next, "{step:?} {attempt} {end:?}");
        }
    }
}
