//! The fault walk: phones go off their cards, or stay there with everything that they have.

use entity::backup::BackupState;
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use phones::connect::{Stand, stand};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use testkit::db_test;
use wire::Reason;

use super::copy_steps::last;
use super::lost_steps::{PACE, held, passes, stands};
use super::put_on::{card, row};
use super::walk::Ends::{Afresh, GoesOn, Held, Over, Stays};
use super::walk::Fault::{Says, Silent, WantedBack};
use super::walk::{Cell, Walk, deaths};

pub const STEPS: [&str; 5] = ["packages", "stop", "copy", "verify", "still"];

/// What goes wrong with a card or its store, and passes: the phone leaves all the same.
const PASSES: [&[Cell]; 3] = [
    // The card restarts: it is copied once more from the beginning, as soon as it is up.
    &[
        ("stop", Says("interrupted", "unknown"), Afresh),
        ("packages", Says("adb_refused", "neverBegan"), GoesOn),
        ("copy", Says("interrupted", "neverBegan"), Afresh),
        ("packages", Silent, GoesOn),
        ("still", Says("interrupted", "neverBegan"), Afresh),
    ],
    // It is out of reach for a moment, and the store as well.
    &[
        ("copy", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("copy", Says("adb_closed", "unknown"), GoesOn),
        ("verify", Says("store_unreachable", "neverBegan"), GoesOn),
        ("still", Says("adb_unreachable", "neverBegan"), GoesOn),
    ],
    // Nothing is heard of it for an hour and more.
    &[("copy", Silent, GoesOn), ("verify", Silent, GoesOn), ("still", Silent, GoesOn)],
];

/// What goes wrong for longer, and may pass: the phone stays and goes on, it is tried again by itself, and leaves then.
const LATER: [&[Cell]; 22] = [
    &[("packages", Says("interrupted", "neverBegan"), Stays)],
    &[("packages", Says("adb_unreachable", "neverBegan"), Stays)],
    &[("packages", Says("store_unreachable", "neverBegan"), Stays)],
    &[("packages", Says("store_full", "neverBegan"), Stays)],
    &[("packages", Says("agent_journal", "neverBegan"), Stays)],
    &[("packages", Silent, Stays)],
    &[("stop", Says("adb_unreachable", "neverBegan"), Stays)],
    &[("stop", Says("adb_closed", "unknown"), Stays)],
    &[("stop", Says("agent_journal", "neverBegan"), Stays)],
    &[("stop", Silent, Stays)],
    &[("copy", Says("store_full", "neverBegan"), Stays)],
    &[("copy", Says("store_unreachable", "neverBegan"), Stays)],
    &[("copy", Says("agent_journal", "neverBegan"), Stays)],
    &[
        ("verify", Says("store_unreachable", "neverBegan"), GoesOn),
        ("verify", Says("store_unreachable", "neverBegan"), Stays),
    ],
    &[("verify", Says("packages_missing", "neverBegan"), Stays)],
    &[("still", Says("agent_journal", "neverBegan"), Stays)],
    // Its card has lost root, and has it again a little later.
    &[("packages", Says("not_root", "neverBegan"), Stays)],
    &[("stop", Says("not_root", "neverBegan"), Stays)],
    &[("copy", Says("not_root", "neverBegan"), Stays)],
    &[("still", Says("not_root", "neverBegan"), Stays)],
    // It is away for too long.
    &[
        ("copy", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("copy", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("copy", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("copy", Says("adb_unreachable", "neverBegan"), GoesOn),
        ("copy", Says("adb_unreachable", "neverBegan"), Stays),
    ],
    // It restarts again and again.
    &[
        ("copy", Says("interrupted", "neverBegan"), Afresh),
        ("copy", Says("interrupted", "neverBegan"), Afresh),
        ("copy", Says("interrupted", "neverBegan"), Afresh),
        ("copy", Says("interrupted", "neverBegan"), Afresh),
        ("copy", Says("interrupted", "neverBegan"), Stays),
    ],
];

/// What goes wrong, and does not pass: the phone stays. A card that cannot be read is another matter (`held_steps`).
const LASTS: [&[Cell]; 9] = [
    &[("packages", Says("wrong_card", "neverBegan"), Stays)],
    &[("stop", Says("wrong_card", "neverBegan"), Stays)],
    &[("stop", Says("wrong_store", "neverBegan"), Stays)],
    &[("copy", Says("wrong_card", "neverBegan"), Stays)],
    &[("copy", Says("store_refused", "neverBegan"), Stays)],
    &[("copy", Says("repo_damaged", "neverBegan"), Stays)],
    &[("verify", Says("copy_damaged", "neverBegan"), Stays)],
    &[("still", Says("wrong_card", "neverBegan"), Stays)],
    &[("still", Says("not_ours", "neverBegan"), Stays)],
];

/// How the newest take-off stands.
async fn newest(walk: &Walk) -> saga::Model {
    let select = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::TakeOff));
    select.order_by_desc(saga::Column::Id).one(walk.app.app.db.read()).await.unwrap().unwrap()
}

/// The phone is taken off, meets these faults on the way, lives by its new copy, and comes back to what it has left.
async fn leaves(mut walk: Walk, cells: &[Cell]) -> Walk {
    let phone = walk.phone;
    let before = row(&walk.app, phone).await;
    walk.asks_for("take-off", phone).await;
    walk = Box::pin(walk.meets(cells)).await;
    let (after, copy) = (row(&walk.app, phone).await, last(&walk.app).await);
    assert_eq!(walk.told().await, [1, 0, 0, 0], "{cells:?}");
    assert_eq!((after.use_type, after.kept_id, copy.state), (UseType::Off, Some(copy.id), BackupState::Verified));
    assert_eq!(after.endpoint_rev, before.endpoint_rev + 1, "it has left once: {cells:?}");
    walk.asks_for("put-on", phone).await;
    walk = Box::pin(walk.meets(&[])).await;
    assert_eq!((row(&walk.app, phone).await.use_type, walk.told().await), (UseType::On, [1, 0, 0, 0]));
    assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
    walk
}

/// The phone is taken off, meets these faults on the way, goes on where it is meanwhile, and leaves a minute later.
async fn leaves_later(mut walk: Walk, cells: &[Cell]) -> Walk {
    let phone = walk.phone;
    let before = row(&walk.app, phone).await;
    walk.asks_for("take-off", phone).await;
    walk = Box::pin(walk.meets(cells)).await;
    let now = row(&walk.app, phone).await;
    let stands = (now.use_type, now.holds_id, now.endpoint_rev);
    assert_eq!(stands, (UseType::On, before.holds_id, before.endpoint_rev), "{cells:?}");
    assert_eq!(card(&walk.app, walk.hand.cards[0]).await.occupancy, Occupancy::InUse);
    let held = newest(&walk).await;
    let wait = held.retry_at.map(|at| at.seconds_since(walk.app.app.clock.now()));
    assert!(held.state == SagaState::Held && wait.is_some_and(|wait| (0..=60).contains(&wait)), "{cells:?}: {held:?}");
    assert_eq!(walk.told().await, [0, 0, 0, 1], "it is not over: {cells:?}");
    walk.app.app.clock.advance_seconds(61);
    walk = Box::pin(walk.meets(&[])).await;
    assert_eq!((row(&walk.app, phone).await.use_type, walk.told().await), (UseType::Off, [1, 0, 0, 0]), "{cells:?}");
    walk.asks_for("put-on", phone).await;
    walk = Box::pin(walk.meets(&[])).await;
    assert_eq!(row(&walk.app, phone).await.use_type, UseType::On);
    walk
}

/// The phone is taken off, meets these faults on the way, and stays where it is.
async fn stays(mut walk: Walk, cells: &[Cell]) -> Walk {
    let phone = walk.phone;
    let before = row(&walk.app, phone).await;
    walk.asks_for("take-off", phone).await;
    walk = Box::pin(walk.meets(cells)).await;
    let after = row(&walk.app, phone).await;
    let now = (after.use_type, after.holds_id, after.endpoint_rev);
    assert_eq!(now, (UseType::On, before.holds_id, before.endpoint_rev), "{cells:?}");
    assert!(after.kept_id >= before.kept_id, "a copy that it had lives on");
    assert_eq!(card(&walk.app, walk.hand.cards[0]).await.occupancy, Occupancy::InUse);
    assert_eq!(newest(&walk).await.state, SagaState::Failed);
    assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
    walk
}

db_test! {
    async fn a_phone_leaves_its_card_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for cells in deaths(&STEPS) {
            walk = Box::pin(leaves(walk, &cells)).await;
        }
        // Before it has begun with anything.
        let phone = walk.phone;
        walk.asks_for("take-off", phone).await;
        assert_eq!(newest(&walk).await.state, SagaState::Waiting);
        walk = Box::pin(walk.console_dies(&[])).await;
        assert_eq!(newest(&walk).await.state, SagaState::Waiting);
        walk = Box::pin(walk.meets(&[])).await;
        assert_eq!((row(&walk.app, phone).await.use_type, walk.told().await), (UseType::Off, [1, 0, 0, 0]));
    }

    async fn a_phone_whose_card_or_store_is_away_for_a_while_leaves_all_the_same(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for cells in PASSES {
            walk = Box::pin(leaves(walk, cells)).await;
        }
    }

    async fn a_phone_whose_card_or_store_is_away_for_longer_goes_on_and_leaves_later(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for cells in LATER {
            walk = Box::pin(leaves_later(walk, cells)).await;
        }
    }

    async fn a_phone_stays_on_its_card_whatever_else_fails(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for cells in LASTS {
            walk = Box::pin(stays(walk, cells)).await;
            let [_, failed, _, running] = walk.told().await;
            assert_eq!((failed, running), (1, 0), "{cells:?}");
        }
        // It leaves when all is well.
        Box::pin(leaves(walk, &[])).await;
    }

    async fn a_phone_goes_on_where_it_was_stopped_whoever_breaks_off_and_whoever_wants_it_back(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let failed = ("copy", Says("store_refused", "neverBegan"), Stays);
        for cells in deaths(&["start"]) {
            walk = Box::pin(stays(walk, &[&[failed][..], &cells[..]].concat())).await;
        }
        let hard = [
            failed,
            ("start", Says("adb_closed", "unknown"), GoesOn),
            ("start", Says("agent_journal", "neverBegan"), GoesOn),
            ("start", Silent, GoesOn),
        ];
        walk = Box::pin(stays(walk, &hard)).await;
        for at in STEPS {
            walk = Box::pin(stays(walk, &[(at, WantedBack, Stays)])).await;
            assert_eq!(walk.told().await, [1, 0, 0, 0], "who wants it has it: {at}");
        }
    }

    async fn a_phone_that_cannot_be_started_where_it_was_stopped_waits_for_a_person_and_is_tried_again(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let (phone, failed) = (walk.phone, ("copy", Says("store_full", "neverBegan"), Stays));
        // A card may have root a little later: that is tried for some minutes.
        for (code, more) in [("not_root", 6), ("mark_unreadable", 0), ("not_ours", 0), ("wrong_card", 0)] {
            let before = row(&walk.app, phone).await;
            let says = Says(code, "neverBegan");
            let mut cells = vec![failed];
            cells.extend(vec![("start", says, GoesOn); more]);
            cells.push(("start", says, Over));
            walk.asks_for("take-off", phone).await;
            walk = Box::pin(walk.meets(&cells)).await;
            assert_eq!((walk.held().await, walk.told().await), (vec![code.to_owned()], [0, 1, 0, 0]));
            assert_eq!(stands(&walk.clerk().await, phone).await, held(code));
            let lost = saga::Entity::find().filter(saga::Column::State.eq(SagaState::Held));
            let lost = lost.one(walk.app.app.db.read()).await.unwrap();
            let told = stand(&row(&walk.app, phone).await, lost.as_ref());
            assert_eq!(told, Stand::No(Reason::CardLost), "nobody is sent there");
            // It is looked at at once, and later each time.
            Box::pin(passes(&walk.app, PACE)).await;
            walk = Box::pin(walk.meets(&[("start", says, Held)])).await;
            Box::pin(passes(&walk.app, 240)).await;
            assert_eq!(walk.held().await, [code]);
            Box::pin(passes(&walk.app, 70)).await;
            walk = Box::pin(walk.meets(&[])).await;
            assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
            let after = row(&walk.app, phone).await;
            let now = (after.use_type, after.holds_id, after.endpoint_rev);
            assert_eq!(now, (UseType::On, before.holds_id, before.endpoint_rev), "{code}");
            assert_eq!(card(&walk.app, walk.hand.cards[0]).await.occupancy, Occupancy::InUse);
        }
        Box::pin(leaves(walk, &[])).await;
    }
}
