//! What comes after a step: rules without a database.

use entity::operation_task::TaskEffect;
use entity::saga::SagaKind;
use entity::saga_step::StepName;
use wire::Reason;

/// How a try of a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// It was done.
    Done,
    /// It was not; why, and what that did to the card.
    Failed { why: Option<Reason>, effect: TaskEffect },
    /// It did not begin, or is given up with its agent: what it did, if anything, the next try finds.
    Dropped,
}

/// What comes next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    /// A step on the same card.
    Step(StepName),
    /// The card is marked as the phone's: it gets what the phone has.
    Claimed,
    /// Phone and card belong together.
    Bind,
    /// The same again, after so many seconds.
    Again(i64),
    /// Another card. This one is as it was.
    Leave,
    /// Another card. This one may be marked, and is cleared.
    Clear,
    /// Another card. This one does not come up: it is faulty, and cleared.
    Faulty,
    /// What should come on the card does not come on any, such as a copy that is damaged: a person is asked whether an older one
    /// comes, if one is whole. This card is cleared.
    Unfit,
    /// The wipe is proved: the card may be marked as clean.
    Proved,
    /// It cannot be proved that nothing is left, or the card is not there to prove it: it is faulty, and a person has to look.
    Unproved,
    /// What is on the card may be in no copy: it is not wiped before a person has said so.
    Quarantine,
    /// The card is free.
    Free,
    /// The packages of its apps are at the storage node: the phone is stopped.
    Packed,
    /// The phone is stopped: it is copied.
    Stopped,
    /// The copy was made: the phone goes on.
    Copied,
    /// There is no copy, and the phone was not touched.
    Untouched,
    /// There is no copy, and the phone goes on.
    Undo,
    /// The phone has gone on.
    GoesOn,
    /// It has not, or nobody knows.
    GoesNot,
    /// The card is still what was copied: the phone is off, and lives by its copy.
    Seal,
    /// What was copied is not all of it any more: once more, from the beginning.
    Afresh,
    /// A repository of an erased phone is not at its node any more.
    Erased,
    /// The copy was read back.
    Verified,
    /// What was read back is not what was written.
    Damaged,
    /// The copy could not be read back.
    NotVerified,
    /// The packages of a copy are there.
    Brought,
    /// What ran on a card that was lost is stopped: what it wrote since is in no copy.
    Halted,
    /// A card that was lost is out of reach again, or not whose it should be.
    StillLost,
    /// That was all.
    Finish,
    /// It is over: it was not done, and nothing else is.
    Fail,
    /// A person has to look.
    Hold,
}

/// A card is wiped so often until it has to be seen to be clean.
const WIPES: i32 = 2;
/// A card without root is set aside after so many tries of a wipe: after a restart it may have it a little later.
const ROOTLESS: i32 = 4;
/// Between the tries of starting a phone that was stopped for a copy, in seconds; after the last one a person has to look.
const STARTS: [i64; 6] = [5, 15, 30, 60, 120, 300];
/// A copy is read back so often.
const READS: i32 = 4;
/// The same while its phone is stopped.
const READS_STOPPED: i32 = 2;
/// Between the tries of clearing a card and of reading a copy back, in seconds; the last one stays.
const WAITS: [i64; 4] = [60, 300, 1_800, LONGEST_WAIT];
/// A phone on which apps are installed while it is to be copied is tried so often.
const PACKS: i32 = 3;
/// A phone that is stopped waits so many seconds for its card to be back; for one that has restarted so many times.
const SOON: i64 = 15;
const BOOTS: i32 = 12;
/// A step of a put-on on a card that may be restarting is tried so often, before the phone goes to another one.
const RESTARTS: i32 = 4;
/// Whether a phone can come back to its card is tried so often, before it goes to another one.
const STALE: i32 = 3;
/// What a copy holds is brought to one card so often, with so many seconds between the tries where the card is the reason.
const BRINGS: i32 = 5;
const BRING_WAIT: i64 = 60;
/// What is not as it was written is read again so often: the store may have given something else for a moment.
const LIES: i32 = 3;
/// Agents of one room try to remove a repository so often.
const ERASES: i32 = 4;
/// The longest of the waits.
pub const LONGEST_WAIT: i64 = 3_600;

/// What comes after the `attempt`-th try of a step of a saga on its card, those aside that were dropped.
#[must_use]
pub fn after(kind: SagaKind, step: StepName, attempt: i32, end: End) -> Turn {
    match (kind, step, end) {
        (SagaKind::Lost, _, End::Done) => Turn::Finish,
        (SagaKind::Lost, ..) => Turn::StillLost,
        (SagaKind::Clear, StepName::Halt, End::Dropped) => Turn::StillLost,
        (_, _, End::Dropped) => Turn::Again(0),
        (SagaKind::PutOn, ..) => put_on(step, attempt, end),
        (SagaKind::Clear, ..) => clear(step, attempt, end),
        (SagaKind::BackUp, ..) => back_up(step, attempt, end),
        (SagaKind::TakeOff, ..) => take_off(step, attempt, end),
        (SagaKind::Verify, _, End::Done) => Turn::Verified,
        (SagaKind::Verify, _, End::Failed { why: Some(Reason::CopyDamaged | Reason::RepoDamaged), .. }) => {
            Turn::Damaged
        }
        // Whoever asked for it sees why, and can ask again.
        (SagaKind::Verify, _, End::Failed { .. }) => Turn::NotVerified,
        (SagaKind::Apps, _, End::Done) => Turn::Brought,
        (SagaKind::Erase, _, End::Done) => Turn::Erased,
        // After that it begins anew, in whichever room reaches the node then.
        (SagaKind::Erase, _, End::Failed { .. }) if attempt < ERASES => Turn::Again(wait_after(attempt)),
        (SagaKind::Restart, StepName::Boot, End::Done) => Turn::Step(StepName::Health),
        (SagaKind::Restart, _, End::Done) => Turn::Finish,
        // The phone stays where it is: whoever asked for it sees why, and can ask again.
        (SagaKind::Restart | SagaKind::Apps | SagaKind::Erase, _, End::Failed { .. }) => Turn::Fail,
    }
}

/// A put-on changes nothing on a card before `Claim`, so that a card on which an earlier step fails is simply left. From
/// then on the card may be marked, whatever the answer was: it is cleared, and the clearing waits for a person if the mark
/// turns out to be somebody else's.
fn put_on(step: StepName, attempt: i32, end: End) -> Turn {
    use StepName::{
        Bind, Boot, Check, Claim, Copy, Decide, Erase, Halt, Health, Install, MarkClean, Packages, Prove, Reserve,
        Restore, Seal, Start, Still, Stop, Unclaim, Verify, Wipe,
    };
    match (step, end) {
        (Check, End::Done) => Turn::Step(Claim),
        (Claim, End::Done) => Turn::Claimed,
        (Install, End::Done) => Turn::Step(Restore),
        (Restore, End::Done) => Turn::Step(Boot),
        (Boot, End::Done) => Turn::Step(Health),
        (Health, End::Done) => Turn::Bind,
        // It comes back to a card that it had left.
        (Start, End::Done) => Turn::Step(Health),
        // Nothing has run on it: it is as good as before once its agent can.
        (Start, End::Failed { why: Some(Reason::AgentJournal), .. }) => Turn::Again(wait_after(attempt)),
        (Start, End::Failed { why: Some(why), .. }) if (may_pass(why) || is_agents(why)) && attempt < STALE => {
            Turn::Again(SOON)
        }
        (Start, End::Failed { .. }) => Turn::Clear,
        // The console's own, and those of other sagas: they have no tries here.
        (
            Reserve | Bind | Unclaim | Wipe | Prove | MarkClean | Packages | Stop | Copy | Verify | Still | Seal | Halt
            | Erase | Decide,
            _,
        ) => Turn::Hold,
        (_, End::Dropped) => Turn::Again(0),
        // Where the agent has no room to write down what it begins, no other card would do.
        (_, End::Failed { why: Some(Reason::AgentJournal), .. }) => Turn::Again(wait_after(attempt)),
        (_, End::Failed { why: Some(why), .. }) if is_agents(why) && attempt < BRINGS => Turn::Again(BRING_WAIT),
        // A card that restarts in the middle is up again in a while; each of these finds what the last try has done.
        (Claim | Health, End::Failed { why: Some(why), .. })
        | (Boot, End::Failed { why: Some(why), effect: TaskEffect::NeverBegan })
            if may_restart(why) && attempt < RESTARTS =>
        {
            Turn::Again(SOON)
        }
        // A card that was not marked by `Claim` is marked as another's already, or its shell may not mark it.
        (Check, End::Failed { .. }) | (Claim, End::Failed { effect: TaskEffect::NeverBegan, .. }) => Turn::Leave,
        (Claim, End::Failed { .. }) => Turn::Clear,
        (Install | Restore, End::Failed { why: Some(why), .. }) if is_damage(why) => {
            if attempt > LIES {
                Turn::Unfit
            } else {
                Turn::Again(BRING_WAIT)
            }
        }
        // A store that is away is so for every card; one that restarted is as good as before.
        (Install | Restore, End::Failed { why: Some(why), .. }) if is_store(why) => {
            if attempt < BRINGS {
                Turn::Again(wait_after(attempt))
            } else {
                Turn::Unfit
            }
        }
        (Install | Restore, End::Failed { why: Some(why), .. }) if may_pass(why) && attempt < BRINGS => {
            Turn::Again(BRING_WAIT)
        }
        (Install | Restore, End::Failed { .. }) => Turn::Clear,
        // The card is well, and what came on it is not as it was left.
        (Health, End::Failed { why: Some(Reason::Unhealthy), effect: TaskEffect::Proved }) => Turn::Clear,
        // It says nothing of the card that its agent is silent, or could not.
        (Boot | Health, End::Failed { why: Some(why), .. }) if why == Reason::AgentSilent || is_agents(why) => {
            Turn::Clear
        }
        (Boot | Health, End::Failed { why, effect: TaskEffect::NeverBegan }) if why != Some(Reason::Unhealthy) => {
            Turn::Clear
        }
        (Boot | Health, End::Failed { .. }) => Turn::Faulty,
    }
}

/// Whether something that a copy holds is not what it was.
pub(super) const fn is_damage(why: Reason) -> bool {
    matches!(why, Reason::CopyDamaged | Reason::RepoDamaged | Reason::PackageDamaged | Reason::PackagesMissing)
}

/// Whether a storage node does not give what it has, or a person has that for himself.
const fn is_store(why: Reason) -> bool {
    matches!(why, Reason::StoreUnreachable | Reason::StoreRefused | Reason::WrongStore | Reason::RepoLocked)
}

/// Whether it was the agent that could not, whatever the card is like.
pub(super) const fn is_agents(why: Reason) -> bool {
    matches!(why, Reason::AgentJournal | Reason::AgentBroke | Reason::LocalFile | Reason::UploadFailed)
}

/// Whether the card may be restarting.
const fn may_restart(why: Reason) -> bool {
    matches!(
        why,
        Reason::Interrupted | Reason::AdbClosed | Reason::AdbTimeout | Reason::AdbUnreachable | Reason::AdbRefused
    )
}

/// Whether a card is there and not as it should be: another one, or one that does not say whose it is or lets nobody in as root.
pub(super) const fn is_not_so(why: Reason) -> bool {
    matches!(why, Reason::NotOurs | Reason::MarkUnreadable | Reason::NotRoot | Reason::WrongCard)
}

/// Whether what stands between a copy and a card may be gone in a while.
pub(super) const fn may_pass(why: Reason) -> bool {
    may_restart(why) || matches!(why, Reason::AgentSilent)
}

/// The phone goes on whatever becomes of its copy; only what stopped it has to be undone. A copy that could not be read
/// back for now is no damaged one.
fn back_up(step: StepName, attempt: i32, end: End) -> Turn {
    use StepName::{Boot, Copy, Health, Packages, Start, Stop, Verify};
    match (step, end) {
        (_, End::Dropped) => Turn::Again(0),
        (Packages, End::Done) => Turn::Packed,
        // Whoever has stopped it, nobody else would start it.
        (Packages, End::Failed { why: Some(Reason::Unhealthy), .. }) => Turn::Undo,
        (Packages, End::Failed { .. }) => Turn::Untouched,
        (Stop, End::Done) => Turn::Stopped,
        (Stop, End::Failed { why: Some(Reason::AppsChanged), effect: TaskEffect::NeverBegan }) if attempt < PACKS => {
            Turn::Step(Packages)
        }
        (Stop, End::Failed { effect: TaskEffect::NeverBegan, .. }) => Turn::Untouched,
        (Copy, End::Done) => Turn::Copied,
        (Stop | Copy, End::Failed { .. }) => Turn::Undo,
        (Boot, End::Done) => Turn::Step(Health),
        (Start | Health, End::Done) => Turn::GoesOn,
        // It does not come up: it restarts.
        (Start, End::Failed { why: Some(Reason::Unhealthy), .. }) => Turn::Step(Boot),
        // Another card is there, or it is gone for good. One that has lost root may have it again a little later.
        (
            Start,
            End::Failed {
                why: Some(Reason::NotOurs | Reason::MarkUnreadable | Reason::WrongCard | Reason::Retired),
                ..
            },
        ) => Turn::GoesNot,
        // Its card may be restarting; and where the agent is away or cannot, nobody knows anything of the card.
        (Start, End::Failed { why, .. }) => match STARTS.get(usize::try_from(attempt - 1).unwrap_or(usize::MAX)) {
            Some(wait) => Turn::Again(*wait),
            None if why.is_some_and(|why| why == Reason::AgentSilent || is_agents(why)) => {
                Turn::Again(STARTS[STARTS.len() - 1])
            }
            None => Turn::GoesNot,
        },
        // The phone is stopped meanwhile, and nothing says that its card will not come up.
        (Boot | Health, End::Failed { why: Some(why), .. }) if is_agents(why) => Turn::Again(wait_after(attempt)),
        (Verify, End::Done) => Turn::Verified,
        (Verify, End::Failed { why: Some(Reason::CopyDamaged | Reason::RepoDamaged), .. }) => Turn::Damaged,
        // Packages do not come back by being looked for: the next copy saves them anew.
        (Verify, End::Failed { why, .. }) if attempt < READS && why != Some(Reason::PackagesMissing) => {
            Turn::Again(wait_after(attempt))
        }
        (Verify, End::Failed { .. }) => Turn::NotVerified,
        (_, End::Failed { .. } | End::Done) => Turn::GoesNot,
    }
}

/// As for a copy, but the phone stays stopped until it lives by that. Whatever fails before then, it goes on.
fn take_off(step: StepName, attempt: i32, end: End) -> Turn {
    use StepName::{Copy, Packages, Still, Stop, Verify};
    match (step, end) {
        (Still, End::Done) => Turn::Seal,
        // It has restarted: its apps have run. By the time of the next try it may be up.
        (Stop | Copy | Still, End::Failed { why: Some(Reason::Interrupted), .. }) if attempt < BRINGS => Turn::Afresh,
        (Packages, End::Failed { .. }) if attempt > 1 && attempt < BOOTS => Turn::Again(SOON),
        // From the first stop on it may be stopped, whoever says that he has done nothing.
        (Packages | Stop, End::Failed { why, .. }) if attempt > 1 && why != Some(Reason::AppsChanged) => Turn::Undo,
        // If it has not restarted, it is still what was copied.
        (Copy | Still, End::Failed { why: Some(why), .. })
            if why != Reason::Interrupted && may_pass(why) && attempt < BRINGS =>
        {
            Turn::Again(SOON)
        }
        // The card has the packages still, and gives them once it goes on.
        (Still, End::Failed { .. }) | (Verify, End::Failed { why: Some(Reason::PackagesMissing), .. }) => Turn::Undo,
        // Nobody can use the phone meanwhile.
        (Verify, End::Failed { why, .. })
            if !matches!(why, Some(Reason::CopyDamaged | Reason::RepoDamaged)) && attempt >= READS_STOPPED =>
        {
            Turn::Undo
        }
        _ => back_up(step, attempt, end),
    }
}

/// How long is waited after so many tries of what nobody has to wait for, in seconds.
pub(super) fn wait_after(attempt: i32) -> i64 {
    let at = usize::try_from(attempt - 1).unwrap_or(0).min(WAITS.len() - 1);
    WAITS[at]
}

/// A card is cleared by taking the mark off, if nothing else of the phone is on it, or by wiping it, with proof.
fn clear(step: StepName, attempt: i32, end: End) -> Turn {
    use StepName::{Halt, MarkClean, Prove, Wipe};
    match (step, end) {
        (Halt, End::Done) => Turn::Halted,
        (Halt, End::Failed { .. }) => Turn::StillLost,
        (Wipe, End::Done) => Turn::Step(Prove),
        (Prove, End::Done) => Turn::Proved,
        // What is on a card that was retired goes with it.
        (_, End::Done | End::Failed { why: Some(Reason::Retired), .. }) => Turn::Free,
        (_, End::Failed { why: Some(Reason::NotOurs | Reason::MarkUnreadable | Reason::ImageDiffers), .. }) => {
            Turn::Hold
        }
        (Wipe, End::Failed { why: Some(Reason::AppsRan), .. }) => Turn::Quarantine,
        // It is wiped once more, for whatever was left the first time.
        (Wipe | Prove, End::Failed { why: Some(Reason::WipeUnproved), .. }) if attempt < WIPES => Turn::Step(Wipe),
        (Wipe | Prove, End::Failed { why: Some(Reason::WipeUnproved), .. }) => Turn::Unproved,
        // Something on it cannot be removed or written, such as what a tenant has made immutable.
        (Wipe, End::Failed { why: Some(Reason::DeviceFail), .. }) if attempt >= WIPES => Turn::Unproved,
        // Another card is in its place, or it is lost for good.
        (Wipe | Prove, End::Failed { why: Some(Reason::WrongCard | Reason::CardGone), .. }) => Turn::Unproved,
        (Wipe | Prove, End::Failed { why: Some(Reason::NotRoot), .. }) if attempt >= ROOTLESS => Turn::Unproved,
        // It has restarted since the proof.
        (MarkClean, End::Failed { why: Some(Reason::Interrupted), .. }) => Turn::Step(Prove),
        (_, End::Failed { .. } | End::Dropped) => Turn::Again(wait_after(attempt)),
    }
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
