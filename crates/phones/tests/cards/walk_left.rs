//! The fault walk: what a phone has left on a card in quarantine is copied, and only then wiped, or without a copy if two say so; what
//! an erased phone has left at its storage node is removed.

use entity::backup::{self, BackupState};
use entity::card::{Lifecycle, Occupancy};
use entity::phone::{Life, UseType};
use entity::repo;
use entity::saga::{self, SagaKind};
use phones::pass;
use sea_orm::{ColumnTrait as _, EntityTrait as _, PaginatorTrait as _, QueryFilter as _};
use testapp::TestApp;
use testkit::db_test;

use super::cleared::give_up;
use super::put_on::{card, row};
use super::quarantine_steps::{says_nothing, says_whose};
use super::walk::Ends::{GoesOn, Held};
use super::walk::Fault::{Says, Silent};
use super::walk::{Cell, Walk, deaths};

/// What stands in the way of a copy, at each of its steps: nothing is wiped, and it is tried again.
const FAILS: [Cell; 7] = [
    ("start", Says("not_ours", "neverBegan"), Held),
    ("packages", Says("not_covered", "neverBegan"), Held),
    ("packages", Says("wrong_store", "neverBegan"), Held),
    ("stop", Says("not_root", "neverBegan"), Held),
    ("copy", Says("store_full", "neverBegan"), Held),
    ("still", Says("not_readable", "neverBegan"), Held),
    ("verify", Says("copy_damaged", "neverBegan"), Held),
];
/// The storage node of an erased phone is away, and then nothing is heard of the agent.
const AWAY: [Cell; 3] = [
    ("erase", Says("store_unreachable", "neverBegan"), GoesOn),
    ("erase", Says("store_refused", "neverBegan"), GoesOn),
    ("erase", Silent, GoesOn),
];
const HOUR: i64 = 3_600;

/// The further copies that were read back.
async fn further(app: &TestApp) -> usize {
    let read = backup::Entity::find().filter(backup::Column::State.eq(BackupState::Verified));
    read.filter(backup::Column::IsSalvaged.eq(true)).all(app.app.db.read()).await.unwrap().len()
}

/// The phone leaves the only card that is for phones. That is needed, and has restarted: it waits until it says whose it is.
async fn leaves(mut walk: Walk) -> Walk {
    let phone = walk.phone;
    walk.asks_for("take-off", phone).await;
    walk = Box::pin(walk.meets(&[("clear", Says("apps_ran", "neverBegan"), Held)])).await;
    assert_eq!(walk.held().await, ["apps_ran"]);
    says_whose(&walk.app).await;
    walk
}

/// The card is free, and the phone lives by the copy with which it has left; it comes back.
async fn is_wiped(mut walk: Walk, copies: usize) -> Walk {
    let phone = walk.phone;
    let seen = card(&walk.app, walk.hand.cards[0]).await;
    assert_eq!((seen.occupancy, seen.lifecycle), (Occupancy::Free, Lifecycle::Registered));
    assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
    assert_eq!(further(&walk.app).await, copies);
    let kept = row(&walk.app, phone).await.kept_id.unwrap();
    let kept = backup::Entity::find_by_id(kept).one(walk.app.app.db.read()).await.unwrap().unwrap();
    assert!(!kept.is_salvaged, "{kept:?}");
    says_nothing(&walk.app).await;
    walk.asks_for("put-on", phone).await;
    walk = Box::pin(walk.meets(&[])).await;
    assert_eq!(row(&walk.app, phone).await.use_type, UseType::On);
    walk
}

db_test! {
    async fn a_card_in_quarantine_is_copied_and_wiped_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        for (copies, cells) in (1..).zip(deaths(&["start", "packages", "stop", "copy", "verify", "still"])) {
            walk = Box::pin(leaves(walk)).await;
            walk = Box::pin(walk.meets(&cells)).await;
            walk = Box::pin(is_wiped(walk, copies)).await;
        }
    }

    async fn what_cannot_be_copied_is_not_wiped_and_is_tried_again(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        walk = Box::pin(leaves(walk)).await;
        let at = walk.hand.cards[0];
        for cell in FAILS {
            walk = Box::pin(walk.meets(&[cell])).await;
            assert_eq!(card(&walk.app, at).await.occupancy, Occupancy::Wiping, "{cell:?}");
            walk.app.app.clock.advance_seconds(HOUR + 1);
        }
        let copies = further(&walk.app).await;
        walk = Box::pin(walk.meets(&[])).await;
        Box::pin(is_wiped(walk, copies + 1)).await;
    }

    async fn what_nobody_needs_is_wiped_without_a_copy_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        for cells in deaths(&["clear", "prove", "markClean"]) {
            let phone = walk.phone;
            walk.asks_for("take-off", phone).await;
            walk = Box::pin(walk.meets(&[("clear", Says("apps_ran", "neverBegan"), Held)])).await;
            assert_eq!(walk.held().await, ["apps_ran"]);
            walk = Box::pin(walk.decides_and_meets(&cells)).await;
            walk = Box::pin(is_wiped(walk, 0)).await;
        }
    }

    async fn what_an_erased_phone_has_left_at_its_node_is_removed_whoever_breaks_off(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        // Its card is needed, and wiped at once.
        walk.hand.keep(&walk.clerk().await, 1).await;
        let phone = walk.phone;
        walk.asks_for("take-off", phone).await;
        walk = Box::pin(walk.meets(&[])).await;
        give_up(&walk.app, &walk.clerk().await, phone).await;
        assert_eq!(pass(&walk.app.app).await.unwrap().erased, 1);
        assert_eq!(row(&walk.app, phone).await.life, Life::Erased);
        // Until it is looked again which of them have left something.
        walk.app.app.clock.advance_seconds(30);
        let [dying, _] = deaths(&["erase"]);
        walk = Box::pin(walk.meets(&[&AWAY[..], &dying[..]].concat())).await;
        let db = walk.app.app.db.read();
        assert!(repo::Entity::find().one(db).await.unwrap().unwrap().erased_at.is_some());
        let copies = backup::Entity::find().all(db).await.unwrap();
        assert!(copies.iter().all(|copy| copy.state == BackupState::Lost && copy.manifest.is_empty()), "{copies:?}");
        let erases = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::Erase));
        assert_eq!((erases.count(db).await.unwrap(), walk.held().await), (1, vec![]), "it was one, whoever died");
    }
}
