use entity::operation_task::TaskEffect as E;
use entity::saga::SagaKind as K;
use entity::saga_step::StepName as S;
use wire::Reason as R;

use super::{End, Turn, after};

#[test]
fn a_put_on_goes_from_the_look_at_the_card_to_the_binding() {
    let mut step = S::Check;
    let mut walked = vec![step];
    while let Turn::Step(next) = after(K::PutOn, step, 1, End::Done) {
        step = next;
        walked.push(step);
    }
    assert_eq!(walked, [S::Check, S::Claim]);
    assert_eq!(after(K::PutOn, step, 1, End::Done), Turn::Claimed);
    let mut step = S::Install;
    let mut walked = vec![step];
    while let Turn::Step(next) = after(K::PutOn, step, 1, End::Done) {
        step = next;
        walked.push(step);
    }
    assert_eq!(walked, [S::Install, S::Restore, S::Boot, S::Health]);
    assert_eq!(after(K::PutOn, step, 1, End::Done), Turn::Bind);
    assert_eq!(after(K::Clear, S::Unclaim, 1, End::Done), Turn::Free);
}

#[test]
fn a_card_is_left_as_it_is_before_it_is_marked_and_cleared_after_it() {
    let failed = |why, effect| End::Failed { why: Some(why), effect };
    for (step, end, wanted) in [
        (S::Check, failed(R::ImageDiffers, E::NeverBegan), Turn::Leave),
        // Another image lacks an app that has data in the copy: it is no fault of that.
        (S::Restore, failed(R::ImageDiffers, E::NeverBegan), Turn::Clear),
        (S::Check, failed(R::AdbTimeout, E::Unknown), Turn::Leave),
        (S::Claim, failed(R::NotOurs, E::NeverBegan), Turn::Leave),
        (S::Claim, failed(R::AdbClosed, E::Unknown), Turn::Again(15)),
        (S::Claim, failed(R::DeviceFail, E::Proved), Turn::Clear),
        (S::Boot, failed(R::NotOurs, E::NeverBegan), Turn::Clear),
        (S::Health, failed(R::NotOurs, E::NeverBegan), Turn::Clear),
        (S::Boot, failed(R::AdbRefused, E::NeverBegan), Turn::Again(15)),
        (S::Boot, failed(R::AdbTimeout, E::Unknown), Turn::Faulty),
        (S::Boot, failed(R::AgentSilent, E::Unknown), Turn::Clear),
        (S::Health, failed(R::AgentSilent, E::Unknown), Turn::Clear),
        (S::Health, failed(R::Unhealthy, E::NeverBegan), Turn::Faulty),
        (S::Health, failed(R::Unhealthy, E::Proved), Turn::Clear),
        (S::Health, failed(R::AdbRefused, E::NeverBegan), Turn::Again(15)),
        (S::Install, failed(R::InstallFailed, E::Proved), Turn::Clear),
        (S::Install, failed(R::PackagesMissing, E::NeverBegan), Turn::Again(60)),
        (S::Restore, failed(R::RepoDamaged, E::Unknown), Turn::Again(60)),
        (S::Restore, failed(R::RestoreUnproved, E::Unknown), Turn::Clear),
        (S::Restore, failed(R::NoSpace, E::Unknown), Turn::Clear),
        (S::Restore, failed(R::StoreUnreachable, E::Unknown), Turn::Again(60)),
        (S::Restore, failed(R::RepoLocked, E::Unknown), Turn::Again(60)),
        (S::Restore, failed(R::Interrupted, E::NeverBegan), Turn::Again(60)),
    ] {
        assert_eq!(after(K::PutOn, step, 1, end), wanted, "{step:?} {end:?}");
    }
    for (step, end, wanted) in [
        (S::Claim, failed(R::AdbClosed, E::Unknown), Turn::Clear),
        (S::Claim, failed(R::AdbUnreachable, E::NeverBegan), Turn::Leave),
        (S::Boot, failed(R::AdbRefused, E::NeverBegan), Turn::Clear),
        (S::Health, failed(R::AdbClosed, E::NeverBegan), Turn::Clear),
    ] {
        assert_eq!(after(K::PutOn, step, 3, end), Turn::Again(15), "{step:?} {end:?}");
        assert_eq!(after(K::PutOn, step, 4, end), wanted, "{step:?} {end:?}");
    }
    for why in [R::CopyDamaged, R::RepoDamaged, R::PackageDamaged, R::PackagesMissing] {
        let lies = |attempt| after(K::PutOn, S::Restore, attempt, failed(why, E::Unknown));
        assert_eq!((lies(3), lies(4)), (Turn::Again(60), Turn::Unfit), "{why:?}");
    }
    assert_eq!(after(K::PutOn, S::Restore, 5, failed(R::StoreUnreachable, E::Unknown)), Turn::Unfit);
    assert_eq!(after(K::PutOn, S::Restore, 5, failed(R::Interrupted, E::Unknown)), Turn::Clear);
    assert_eq!(after(K::Clear, S::Unclaim, 1, failed(R::NotOurs, E::NeverBegan)), Turn::Hold);
    assert_eq!(after(K::Clear, S::Unclaim, 1, failed(R::Retired, E::NeverBegan)), Turn::Free);
    for kind in K::ALL {
        for step in S::ALL {
            // What is about a lost card waits for a person again.
            let is_lost = *kind == K::Lost || (*kind, *step) == (K::Clear, S::Halt);
            let wanted = if is_lost { Turn::StillLost } else { Turn::Again(0) };
            assert_eq!(after(*kind, *step, 1, End::Dropped), wanted, "{kind:?} {step:?}");
        }
    }
}

#[test]
fn an_agent_that_cannot_blames_no_card_and_leaves_no_phone_stopped() {
    let failed = |why| End::Failed { why: Some(why), effect: E::NeverBegan };
    for step in [S::Check, S::Claim, S::Install, S::Restore, S::Boot, S::Health] {
        let full = |attempt| after(K::PutOn, step, attempt, failed(R::AgentJournal));
        assert_eq!([1, 2, 9].map(full), [60, 300, 3_600].map(Turn::Again), "{step:?}");
        for why in [R::AgentBroke, R::LocalFile, R::UploadFailed] {
            assert_eq!(after(K::PutOn, step, 4, failed(why)), Turn::Again(60), "{step:?} {why:?}");
            let last = after(K::PutOn, step, 5, failed(why));
            assert!(matches!(last, Turn::Leave | Turn::Clear), "{step:?} {why:?}: {last:?}");
        }
    }
    // Nor is a card left to which a phone comes back.
    let back = |attempt, why| after(K::PutOn, S::Start, attempt, failed(why));
    assert_eq!([1, 2, 9].map(|attempt| back(attempt, R::AgentJournal)), [60, 300, 3_600].map(Turn::Again));
    assert_eq!((back(2, R::AgentBroke), back(3, R::AgentBroke)), (Turn::Again(15), Turn::Clear));
    for kind in [K::BackUp, K::TakeOff] {
        for why in [R::AgentJournal, R::AgentBroke, R::LocalFile, R::UploadFailed] {
            assert_eq!(after(kind, S::Start, 99, failed(why)), Turn::Again(300), "{why:?}");
            assert_eq!(after(kind, S::Health, 99, failed(why)), Turn::Again(3_600), "{why:?}");
        }
    }
}

#[test]
fn a_phone_that_was_stopped_is_started_for_some_minutes_on_a_card_without_root_and_not_on_another_card() {
    let failed = |why| End::Failed { why: Some(why), effect: E::NeverBegan };
    for kind in [K::BackUp, K::TakeOff] {
        let rootless: Vec<Turn> = (1..=7).map(|attempt| after(kind, S::Start, attempt, failed(R::NotRoot))).collect();
        assert_eq!(rootless[..6], [5, 15, 30, 60, 120, 300].map(Turn::Again));
        assert_eq!(rootless[6], Turn::GoesNot);
        for why in [R::NotOurs, R::MarkUnreadable, R::WrongCard] {
            assert_eq!(after(kind, S::Start, 1, failed(why)), Turn::GoesNot, "{why:?}");
        }
    }
}

#[test]
fn clearing_is_tried_again_and_again_ever_later() {
    let gone = End::Failed { why: Some(R::AdbUnreachable), effect: E::NeverBegan };
    let waits: Vec<Turn> = (1..=6).map(|attempt| after(K::Clear, S::Unclaim, attempt, gone)).collect();
    assert_eq!(waits, [60, 300, 1_800, 3_600, 3_600, 3_600].map(Turn::Again));
}

#[test]
fn a_restart_leaves_the_phone_where_it_is_however_it_ends() {
    assert_eq!(after(K::Restart, S::Boot, 1, End::Done), Turn::Step(S::Health));
    assert_eq!(after(K::Restart, S::Health, 1, End::Done), Turn::Finish);
    for step in [S::Boot, S::Health] {
        let lost = End::Failed { why: Some(R::AdbTimeout), effect: E::Unknown };
        assert_eq!(after(K::Restart, step, 1, lost), Turn::Fail);
    }
}

#[test]
fn apps_are_there_or_whoever_asked_sees_why_not() {
    assert_eq!(after(K::Apps, S::Install, 1, End::Done), Turn::Brought);
    for (why, effect) in [(R::InstallFailed, E::Proved), (R::AdbClosed, E::Unknown), (R::NotOurs, E::NeverBegan)] {
        assert_eq!(after(K::Apps, S::Install, 1, End::Failed { why: Some(why), effect }), Turn::Fail, "{why:?}");
    }
}

#[test]
fn a_phone_goes_on_whatever_becomes_of_its_copy() {
    let failed = |why, effect| End::Failed { why: Some(why), effect };
    let cut = failed(R::AdbClosed, E::Unknown);
    for (step, attempt, end, wanted) in [
        (S::Packages, 1, End::Done, Turn::Packed),
        (S::Packages, 1, failed(R::StoreFull, E::NeverBegan), Turn::Untouched),
        (S::Packages, 1, cut, Turn::Untouched),
        (S::Packages, 1, failed(R::Unhealthy, E::NeverBegan), Turn::Undo),
        (S::Stop, 1, failed(R::AppsChanged, E::NeverBegan), Turn::Step(S::Packages)),
        (S::Stop, 3, failed(R::AppsChanged, E::NeverBegan), Turn::Untouched),
        (S::Stop, 1, End::Done, Turn::Stopped),
        (S::Stop, 1, failed(R::StoreUnreachable, E::NeverBegan), Turn::Untouched),
        (S::Stop, 1, cut, Turn::Undo),
        (S::Copy, 1, End::Done, Turn::Copied),
        (S::Copy, 1, failed(R::StoreFull, E::NeverBegan), Turn::Undo),
        (S::Start, 1, End::Done, Turn::GoesOn),
        (S::Start, 1, failed(R::Unhealthy, E::Unknown), Turn::Step(S::Boot)),
        (S::Start, 1, cut, Turn::Again(5)),
        (S::Start, 6, cut, Turn::Again(300)),
        (S::Start, 7, cut, Turn::GoesNot),
        (S::Start, 7, failed(R::AgentSilent, E::Unknown), Turn::Again(300)),
        (S::Start, 1, failed(R::NotOurs, E::NeverBegan), Turn::GoesNot),
        (S::Boot, 1, End::Done, Turn::Step(S::Health)),
        (S::Boot, 1, cut, Turn::GoesNot),
        (S::Health, 1, End::Done, Turn::GoesOn),
        (S::Health, 1, failed(R::Unhealthy, E::NeverBegan), Turn::GoesNot),
        (S::Verify, 1, End::Done, Turn::Verified),
        (S::Verify, 1, failed(R::CopyDamaged, E::NeverBegan), Turn::Damaged),
        (S::Verify, 1, failed(R::StoreUnreachable, E::NeverBegan), Turn::Again(60)),
        (S::Verify, 4, failed(R::StoreUnreachable, E::NeverBegan), Turn::NotVerified),
        (S::Verify, 1, failed(R::PackagesMissing, E::NeverBegan), Turn::NotVerified),
    ] {
        assert_eq!(after(K::BackUp, step, attempt, end), wanted, "{step:?} {attempt} {end:?}");
    }
}

#[test]
fn a_phone_is_off_once_nothing_has_changed_since_its_copy_and_goes_on_otherwise() {
    let failed = |why| End::Failed { why: Some(why), effect: E::NeverBegan };
    for (step, attempt, end, wanted) in [
        (S::Packages, 1, End::Done, Turn::Packed),
        (S::Stop, 1, End::Done, Turn::Stopped),
        (S::Copy, 1, End::Done, Turn::Copied),
        (S::Verify, 1, End::Done, Turn::Verified),
        (S::Still, 1, End::Done, Turn::Seal),
        (S::Stop, 1, failed(R::NotCovered), Turn::Untouched),
        (S::Stop, 1, failed(R::Interrupted), Turn::Afresh),
        (S::Copy, 2, failed(R::Interrupted), Turn::Afresh),
        (S::Copy, 5, failed(R::Interrupted), Turn::Undo),
        (S::Copy, 1, failed(R::StoreFull), Turn::Undo),
        (S::Copy, 1, failed(R::RepoLocked), Turn::Undo),
        (S::Verify, 1, failed(R::StoreUnreachable), Turn::Again(60)),
        (S::Verify, 2, failed(R::StoreUnreachable), Turn::Undo),
        (S::Verify, 2, failed(R::CopyDamaged), Turn::Damaged),
        (S::Verify, 1, failed(R::PackagesMissing), Turn::Undo),
        (S::Still, 1, failed(R::Interrupted), Turn::Afresh),
        (S::Still, 5, failed(R::Interrupted), Turn::Undo),
        (S::Still, 1, failed(R::NotOurs), Turn::Undo),
        (S::Still, 1, failed(R::NotReadable), Turn::Undo),
        (S::Still, 1, failed(R::AdbClosed), Turn::Again(15)),
        (S::Copy, 1, failed(R::AdbClosed), Turn::Again(15)),
        (S::Copy, 5, failed(R::AdbClosed), Turn::Undo),
        (S::Packages, 1, failed(R::NotCovered), Turn::Untouched),
        (S::Packages, 1, failed(R::Unhealthy), Turn::Undo),
        (S::Packages, 2, failed(R::AdbRefused), Turn::Again(15)),
        (S::Packages, 12, failed(R::AdbRefused), Turn::Undo),
        (S::Stop, 2, failed(R::NotCovered), Turn::Undo),
        (S::Stop, 1, failed(R::AppsChanged), Turn::Step(S::Packages)),
        (S::Start, 1, End::Done, Turn::GoesOn),
        (S::Start, 1, failed(R::AdbClosed), Turn::Again(5)),
    ] {
        assert_eq!(after(K::TakeOff, step, attempt, end), wanted, "{step:?} {attempt} {end:?}");
    }
    for step in S::ALL {
        for why in R::ALL {
            let next = after(K::TakeOff, *step, 1, failed(*why));
            assert_ne!(next, Turn::Seal, "{step:?} {why:?}");
        }
    }
}

#[test]
fn a_copy_is_damaged_only_if_it_was_read() {
    for (why, wanted) in [
        (R::CopyDamaged, Turn::Damaged),
        (R::RepoDamaged, Turn::Damaged),
        (R::StoreUnreachable, Turn::NotVerified),
        (R::RepoLocked, Turn::NotVerified),
        (R::WrongStore, Turn::NotVerified),
        (R::Interrupted, Turn::NotVerified),
        (R::UploadFailed, Turn::NotVerified),
    ] {
        let end = End::Failed { why: Some(why), effect: E::NeverBegan };
        assert_eq!(after(K::Verify, S::Verify, 1, end), wanted, "{why:?}");
    }
    assert_eq!(after(K::Verify, S::Verify, 1, End::Done), Turn::Verified);
}

#[test]
fn a_wipe_is_proved_or_the_card_is_out_of_service() {
    let failed = |why| End::Failed { why: Some(why), effect: E::Proved };
    for (step, attempt, end, wanted) in [
        (S::Wipe, 1, End::Done, Turn::Step(S::Prove)),
        (S::Prove, 1, End::Done, Turn::Proved),
        (S::MarkClean, 1, End::Done, Turn::Free),
        (S::Prove, 1, failed(R::WipeUnproved), Turn::Step(S::Wipe)),
        (S::Prove, 2, failed(R::WipeUnproved), Turn::Unproved),
        (S::Wipe, 1, failed(R::NotOurs), Turn::Hold),
        (S::Prove, 1, failed(R::ImageDiffers), Turn::Hold),
        (S::MarkClean, 1, failed(R::Interrupted), Turn::Step(S::Prove)),
        (S::Wipe, 1, failed(R::Interrupted), Turn::Again(60)),
        (S::Wipe, 1, failed(R::AppsRan), Turn::Quarantine),
        (S::Wipe, 2, failed(R::AdbTimeout), Turn::Again(300)),
        (S::Prove, 9, failed(R::NotReadable), Turn::Again(3_600)),
        (S::Wipe, 1, failed(R::Retired), Turn::Free),
        (S::Wipe, 1, failed(R::WrongCard), Turn::Unproved),
        (S::Prove, 1, failed(R::WrongCard), Turn::Unproved),
        (S::MarkClean, 1, failed(R::WrongCard), Turn::Again(60)),
        (S::Unclaim, 1, failed(R::WrongCard), Turn::Again(60)),
        (S::Wipe, 1, failed(R::CardGone), Turn::Unproved),
        (S::Prove, 9, failed(R::CardGone), Turn::Unproved),
        (S::Wipe, 9, failed(R::AdbUnreachable), Turn::Again(3_600)),
        (S::Wipe, 3, failed(R::NotRoot), Turn::Again(1_800)),
        (S::Wipe, 4, failed(R::NotRoot), Turn::Unproved),
        (S::Prove, 4, failed(R::NotRoot), Turn::Unproved),
        (S::MarkClean, 4, failed(R::NotRoot), Turn::Again(3_600)),
        (S::Wipe, 1, failed(R::DeviceFail), Turn::Again(60)),
        (S::Wipe, 2, failed(R::DeviceFail), Turn::Unproved),
    ] {
        assert_eq!(after(K::Clear, step, attempt, end), wanted, "{step:?} {end:?}");
    }
}

#[test]
fn a_lost_card_is_stopped_or_waited_for() {
    let failed = |why| End::Failed { why: Some(why), effect: E::NeverBegan };
    for (kind, step) in [(K::Lost, S::Start), (K::Clear, S::Halt)] {
        for why in R::ALL {
            assert_eq!(after(kind, step, 1, failed(*why)), Turn::StillLost, "{why:?}");
        }
        assert_eq!(after(kind, step, 1, End::Dropped), Turn::StillLost, "nobody is at it: somebody may decide");
    }
    assert_eq!(after(K::Lost, S::Start, 1, End::Done), Turn::Finish);
    assert_eq!(after(K::Clear, S::Halt, 1, End::Done), Turn::Halted);
}
