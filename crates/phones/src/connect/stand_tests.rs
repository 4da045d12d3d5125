//! Every state of a phone and of what is done to it, against what whoever connects comes to.

use entity::BackupId;
use entity::phone::{Life, Model as Phone, UseType};
use entity::saga::{Model as Saga, SagaKind, SagaState};
use entity::saga_step::StepName;
use kernel::lang::Lang;
use wire::Reason;

use super::{Refused, Stand, stand, words};
use crate::samples::{phone, saga};

#[test]
fn a_phone_that_nothing_is_done_to_is_there_or_has_to_come_and_only_an_active_one() {
    let (on, off) = (UseType::On, UseType::Off);
    assert_eq!(stand(&phone(Life::Active, on), None), Stand::Ready);
    assert_eq!(stand(&phone(Life::Active, off), None), Stand::Off);
    for (life, why) in [
        (Life::Creating, Reason::PhoneCreating),
        (Life::Frozen, Reason::PhoneFrozen),
        (Life::Expired, Reason::PhoneExpired),
        (Life::Released, Reason::PhoneReleased),
        (Life::Erased, Reason::PhoneErased),
    ] {
        for use_type in [on, off] {
            assert_eq!(stand(&phone(life, use_type), None), Stand::No(why), "{life:?}");
        }
    }
}

#[test]
fn what_is_under_way_brings_it_can_be_turned_back_or_stands_in_the_way() {
    use SagaKind::{Apps, BackUp, Lost, PutOn, Restart, TakeOff};
    use SagaState::{GoingBack, Held, Running, Waiting};
    let (on, off) = (phone(Life::Active, UseType::On), phone(Life::Active, UseType::Off));
    let under_way = Stand::No(Reason::PhoneUnderWay);
    for (phone, kind, state, step, wanted) in [
        (&off, PutOn, Waiting, StepName::Reserve, Stand::Comes),
        (&off, PutOn, Running, StepName::Boot, Stand::Comes),
        (&off, PutOn, Held, StepName::Decide, Stand::No(Reason::CopyDamaged)),
        (&on, TakeOff, Waiting, StepName::Packages, Stand::Leaves),
        (&on, TakeOff, Running, StepName::Still, Stand::Leaves),
        (&on, TakeOff, GoingBack, StepName::Start, Stand::Comes),
        (&on, TakeOff, Held, StepName::Packages, Stand::Ready),
        (&on, BackUp, Waiting, StepName::Packages, Stand::Ready),
        (&on, BackUp, Running, StepName::Copy, under_way),
        (&on, BackUp, GoingBack, StepName::Start, under_way),
        (&on, BackUp, Running, StepName::Verify, Stand::Ready),
        (&on, Apps, Running, StepName::Install, Stand::Ready),
        (&on, Restart, Running, StepName::Boot, under_way),
        (&on, Lost, Held, StepName::Decide, Stand::No(Reason::CardLost)),
        (&on, Lost, Running, StepName::Start, Stand::No(Reason::CardLost)),
    ] {
        assert_eq!(stand(phone, Some(&saga(kind, state, step))), wanted, "{kind:?} {state:?} {step:?}");
    }
    let back = Saga { is_wanted_back: true, ..saga(TakeOff, Running, StepName::Copy) };
    assert_eq!(stand(&on, Some(&back)), Stand::Comes, "somebody wants it back already");
    let turns = |state| Saga { comes_with_id: Some(BackupId(1)), ..saga(TakeOff, state, StepName::Copy) };
    for (state, wanted) in
        [(Waiting, Stand::Turns), (Running, Stand::Turns), (GoingBack, Stand::Comes), (Held, Stand::Ready)]
    {
        assert_eq!(stand(&on, Some(&turns(state))), wanted, "it is set back: {state:?}");
    }
    let first = Saga { operation_id: None, ..saga(BackUp, Running, StepName::Copy) };
    assert_eq!(stand(&on, Some(&first)), Stand::Ready, "the first copy is made while the phone goes on");
}

#[test]
fn whoever_is_refused_reads_why_and_when_to_come_again() {
    let phone = Phone { frozen_reason: "欠费".to_owned(), ..phone(Life::Frozen, UseType::Off) };
    let frozen = Refused::of(Reason::PhoneFrozen, &phone);
    assert_eq!((frozen.code, frozen.words.get(Lang::Zh)), ("phone_frozen", "云手机已冻结：欠费".to_owned()));
    for (seconds, minutes) in [(1, 1), (60, 1), (61, 2), (3600, 60)] {
        let words = Refused::too_often(seconds).words.get(Lang::En);
        assert!(words.ends_with(&format!("in {minutes} min")), "{words}");
    }
    assert_eq!(words("taken_over", Lang::Zh), "已在别处连接，此处已断开");
    assert_ne!(words("copy_damaged", Lang::En), "copy_damaged");
}
