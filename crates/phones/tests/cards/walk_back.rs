//! The fault walk: phones come back to cards that they have left, and what they have left is wiped when it is needed.

use entity::card::{Lifecycle, Occupancy};
use entity::phone::UseType;
use entity::placement::Role;
use testkit::db_test;

use super::off_steps::clearing;
use super::put_on::{card, roles, row};
use super::walk::Ends::{GoesOn, Held, NextCard};
use super::walk::Fault::{Lost, Says, Silent};
use super::walk::{Cell, Walk, deaths};

/// What goes wrong while a phone comes back to the card that it has left; whether it comes on another one, and what waits
/// for a person then.
type Back = (&'static [Cell], bool, &'static [&'static str]);

const BACKS: [Back; 10] = [
    // The card and its agent can be waited for.
    (
        &[
            ("start", Says("adb_closed", "unknown"), GoesOn),
            ("start", Silent, GoesOn),
            ("start", Says("agent_journal", "neverBegan"), GoesOn),
            ("health", Says("adb_closed", "neverBegan"), GoesOn),
            ("health", Says("agent_journal", "neverBegan"), GoesOn),
        ],
        false,
        &[],
    ),
    // It is lost, and nothing has run there: it is as it was until the phone is elsewhere.
    (
        &[
            ("start", Says("adb_unreachable", "neverBegan"), GoesOn),
            ("start", Says("adb_unreachable", "neverBegan"), GoesOn),
            ("start", Says("adb_unreachable", "neverBegan"), NextCard),
        ],
        true,
        &[],
    ),
    (&[("start", Says("wrong_card", "neverBegan"), NextCard)], true, &[]),
    (&[("start", Says("not_root", "neverBegan"), NextCard)], true, &[]),
    // Its apps have run, or may have: what they wrote is in no copy.
    (&[("start", Says("apps_ran", "neverBegan"), NextCard)], true, &["apps_ran"]),
    (&[("health", Says("unhealthy", "neverBegan"), NextCard)], true, &["apps_ran"]),
    (&[("health", Silent, NextCard)], true, &["apps_ran"]),
    (&[("health", Says("wrong_card", "neverBegan"), NextCard)], true, &["apps_ran"]),
    (&[("health", Says("not_root", "neverBegan"), NextCard)], true, &["apps_ran"]),
    (
        &[
            ("health", Says("adb_unreachable", "neverBegan"), GoesOn),
            ("health", Says("adb_unreachable", "neverBegan"), GoesOn),
            ("health", Says("adb_unreachable", "neverBegan"), GoesOn),
            ("health", Says("adb_unreachable", "neverBegan"), NextCard),
        ],
        true,
        &["apps_ran"],
    ),
];

/// What goes wrong with a wipe and its proof, and passes.
const PASSES: [&[Cell]; 3] = [
    &[
        ("clear", Says("interrupted", "unknown"), GoesOn),
        ("clear", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("clear", Says("not_root", "neverBegan"), GoesOn),
        ("clear", Says("agent_journal", "neverBegan"), GoesOn),
        ("clear", Silent, GoesOn),
    ],
    &[
        ("prove", Says("interrupted", "neverBegan"), GoesOn),
        ("prove", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("prove", Says("not_root", "neverBegan"), GoesOn),
        ("prove", Says("agent_journal", "neverBegan"), GoesOn),
        ("prove", Silent, GoesOn),
    ],
    &[
        ("prove", Says("wipe_unproved", "proved"), GoesOn),
        // It restarts after the proof, which is made once more.
        ("markClean", Says("interrupted", "neverBegan"), GoesOn),
        ("markClean", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("markClean", Says("wrong_card", "neverBegan"), GoesOn),
        ("markClean", Says("not_root", "neverBegan"), GoesOn),
        ("markClean", Says("agent_journal", "neverBegan"), GoesOn),
        ("markClean", Silent, GoesOn),
    ],
];

/// What goes wrong with a wipe so that a person has to look; whether the card is out of service then.
const HELDS: [(&[Cell], bool); 6] = [
    (&[("clear", Says("not_ours", "neverBegan"), Held)], false),
    (&[("clear", Says("image_differs", "neverBegan"), Held)], false),
    (&[("clear", Says("apps_ran", "neverBegan"), Held)], false),
    (&[("prove", Says("not_ours", "neverBegan"), Held)], false),
    (&[("clear", Says("device_fail", "unknown"), GoesOn), ("clear", Says("device_fail", "unknown"), Held)], true),
    (&[("prove", Says("wipe_unproved", "proved"), GoesOn), ("prove", Says("wipe_unproved", "proved"), Held)], true),
];

/// What goes wrong with the card itself while it is wiped: it is set aside.
const ASIDES: [&[Cell]; 6] = [
    // It is lost, and its next try is later than that.
    &[
        ("clear", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("clear", Says("adb_closed", "unknown"), GoesOn),
        ("clear", Lost, Held),
    ],
    &[
        ("prove", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("prove", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("prove", Lost, Held),
    ],
    // Another card is in its place.
    &[("clear", Says("wrong_card", "neverBegan"), Held)],
    &[("prove", Says("wrong_card", "neverBegan"), Held)],
    // It may have root a little later, and has not.
    &[
        ("clear", Says("not_root", "neverBegan"), GoesOn),
        ("clear", Says("not_root", "neverBegan"), GoesOn),
        ("clear", Says("not_root", "neverBegan"), GoesOn),
        ("clear", Says("not_root", "neverBegan"), Held),
    ],
    &[
        ("prove", Says("not_root", "neverBegan"), GoesOn),
        ("prove", Says("not_root", "neverBegan"), GoesOn),
        ("prove", Says("not_root", "neverBegan"), GoesOn),
        ("prove", Says("not_root", "neverBegan"), Held),
    ],
];

/// The phone leaves the card that it is on; which that was.
async fn leaves(mut walk: Walk) -> (Walk, i64) {
    let phone = walk.phone;
    let at = walk.at(phone).await.unwrap();
    walk.asks_for("take-off", phone).await;
    walk = Box::pin(walk.meets(&[])).await;
    assert_eq!((row(&walk.app, phone).await.use_type, walk.told().await), (UseType::Off, [1, 0, 0, 0]));
    (walk, at)
}

/// The phone is put on, and meets these faults on the way.
async fn comes(mut walk: Walk, cells: &[Cell]) -> Walk {
    let phone = walk.phone;
    let before = row(&walk.app, phone).await;
    walk.asks_for("put-on", phone).await;
    walk = Box::pin(walk.meets(cells)).await;
    let after = row(&walk.app, phone).await;
    assert_eq!((after.use_type, walk.told().await), (UseType::On, [1, 0, 0, 0]), "{cells:?}");
    assert_eq!((after.endpoint_rev, after.kept_id), (before.endpoint_rev + 1, before.kept_id), "{cells:?}");
    walk
}

/// A phone that has left the only card that is for phones, which is needed at once, and whose wipe meets these faults.
async fn is_wiped(mut walk: Walk, cells: &[Cell]) -> Walk {
    let phone = walk.phone;
    walk.asks_for("take-off", phone).await;
    walk = Box::pin(walk.meets(cells)).await;
    let after = row(&walk.app, phone).await;
    assert_eq!((after.use_type, walk.told().await), (UseType::Off, [1, 0, 0, 0]), "{cells:?}");
    walk
}

db_test! {
    async fn a_phone_comes_back_to_its_card_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for cells in deaths(&["start", "health"]) {
            let (left, at) = Box::pin(leaves(walk)).await;
            assert_eq!(card(&left.app, at).await.occupancy, Occupancy::Sealed);
            walk = Box::pin(comes(left, &cells)).await;
            assert_eq!((walk.at(walk.phone).await, roles(&walk.app).await), (Some(at), vec![Role::Holds]));
        }
    }

    async fn a_phone_that_cannot_come_back_to_its_card_comes_elsewhere(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for (cells, is_elsewhere, held) in BACKS {
            let (left, at) = Box::pin(leaves(walk)).await;
            walk = Box::pin(comes(left, cells)).await;
            assert_eq!(walk.at(walk.phone).await != Some(at), is_elsewhere, "{cells:?}");
            assert_eq!(walk.held().await, held, "{cells:?}");
            if !held.is_empty() {
                assert_eq!(card(&walk.app, at).await.occupancy, Occupancy::Wiping, "nobody else's: {cells:?}");
            }
            // Nobody needs what was written there.
            walk = Box::pin(walk.decides()).await;
            let seen = card(&walk.app, at).await;
            let is_there = if is_elsewhere { Occupancy::Free } else { Occupancy::InUse };
            assert_eq!((seen.occupancy, seen.lifecycle), (is_there, Lifecycle::Registered), "{cells:?}");
        }
    }

    async fn a_card_that_is_needed_is_wiped_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        for cells in deaths(&["clear", "prove", "markClean"]) {
            walk = Box::pin(is_wiped(walk, &cells)).await;
            assert_eq!(card(&walk.app, walk.hand.cards[0]).await.occupancy, Occupancy::Free);
            assert!(roles(&walk.app).await.iter().all(|role| *role == Role::Ended));
            walk = Box::pin(comes(walk, &[])).await;
        }
    }

    async fn a_wipe_that_fails_is_tried_again_or_waits_for_a_person(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        for cells in PASSES {
            walk = Box::pin(is_wiped(walk, cells)).await;
            assert_eq!(card(&walk.app, walk.hand.cards[0]).await.occupancy, Occupancy::Free, "{cells:?}");
            walk = Box::pin(comes(walk, &[])).await;
        }
        let mut fit = 1;
        for (cells, is_faulty) in HELDS {
            let at = walk.at(walk.phone).await.unwrap();
            walk = Box::pin(is_wiped(walk, cells)).await;
            let left = card(&walk.app, at).await;
            let lifecycle = if is_faulty { Lifecycle::Faulty } else { Lifecycle::Registered };
            assert_eq!((left.occupancy, left.lifecycle), (Occupancy::Wiping, lifecycle), "{cells:?}");
            assert_eq!(walk.held().await.len(), 1, "{cells:?}");
            // Somebody has looked at it. One that is out of service is so all the same, and the phone needs another.
            walk = Box::pin(walk.decides()).await;
            assert_eq!((card(&walk.app, at).await.occupancy, &*clearing(&walk.app).await.code), (Occupancy::Free, ""));
            fit += usize::from(is_faulty);
            walk.are_for_phones(fit, true).await;
            walk = Box::pin(comes(walk, &[])).await;
        }
    }
    async fn a_card_that_is_lost_another_or_without_root_while_it_is_wiped_is_set_aside(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        for (gone, cells) in (1..).zip(ASIDES) {
            let at = walk.at(walk.phone).await.unwrap();
            walk = Box::pin(is_wiped(walk, cells)).await;
            let left = card(&walk.app, at).await;
            assert_eq!((left.occupancy, left.lifecycle), (Occupancy::Wiping, Lifecycle::Faulty), "{cells:?}");
            assert!(!left.fault_reason.is_empty(), "{cells:?}");
            assert_eq!(walk.held().await, [clearing(&walk.app).await.code], "{cells:?}");
            // Somebody has looked at it: it is wiped, and out of service all the same.
            walk = Box::pin(walk.decides()).await;
            let seen = card(&walk.app, at).await;
            assert_eq!((seen.occupancy, seen.lifecycle), (Occupancy::Free, Lifecycle::Faulty), "{cells:?}");
            walk.are_for_phones(gone + 1, true).await;
            walk = Box::pin(comes(walk, &[])).await;
        }
    }
}
