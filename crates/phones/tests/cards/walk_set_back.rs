//! The fault walk: phones that are on their cards are set back to an older copy. They leave, live by it from the seal on, and come
//! with it, or stay off with all that they had if it turns out to be damaged.

use entity::backup::{self, BackupState};
use entity::phone::UseType;
use entity::{BackupId, phone};
use sea_orm::EntityTrait as _;
use serde_json::json;
use testkit::db_test;

use super::copied::BACKUPS;
use super::copy_steps::last;
use super::put_on::row;
use super::walk::Ends::{GoesOn, Over, Stays};
use super::walk::Fault::{ConsoleAfter, ConsoleBefore, RoomAway, Says};
use super::walk::{Cell, Walk, deaths};
use super::walk_off::STEPS;
use super::walk_on::COPIED;

/// The console is restarted right after the seal, by which the phone is off, lives by the chosen copy and is to come, and again before
/// anything was done for that; the room is away in between.
const SEALED: [Cell; 6] = [
    ("still", ConsoleBefore, GoesOn),
    ("still", ConsoleAfter, GoesOn),
    ("clear", ConsoleBefore, GoesOn),
    ("clear", RoomAway, GoesOn),
    ("check", ConsoleBefore, GoesOn),
    ("restore", ConsoleAfter, GoesOn),
];

/// The chosen copy is damaged by the time at which the phone comes with it, and is found to be when it is read back.
const DAMAGED: [Cell; 5] = [
    ("restore", Says("repo_damaged", "unknown"), GoesOn),
    ("restore", Says("repo_damaged", "unknown"), GoesOn),
    ("restore", Says("repo_damaged", "unknown"), GoesOn),
    ("restore", Says("repo_damaged", "unknown"), Over),
    ("verify", Says("repo_damaged", "neverBegan"), Over),
];

/// The phone, which has the only card that is for phones, is to live by the copy again by which it lives, whatever it has become since.
async fn asks(mut walk: Walk) -> (Walk, phone::Model, BackupId) {
    let before = row(&walk.app, walk.phone).await;
    let chosen = before.kept_id.unwrap();
    walk.asks(&format!("{BACKUPS}/{chosen}/set-back"), json!({ "reason": "要昨天的" })).await;
    (walk, before, chosen)
}

/// What it had until then is in a copy that was read back, is safe, and counts as left.
async fn is_left(walk: &Walk, chosen: BackupId) -> backup::Model {
    let fresh = last(&walk.app).await;
    assert!(fresh.id != chosen && fresh.state == BackupState::Verified, "{fresh:?}");
    assert!(fresh.left_at.is_some() && fresh.safe_until.is_some(), "{fresh:?}");
    fresh
}

/// It meets these faults on the way, and is on its card again with the chosen copy.
async fn is_set_back(walk: Walk, cells: &[Cell]) -> Walk {
    let (mut walk, before, chosen) = Box::pin(asks(walk)).await;
    walk = Box::pin(walk.meets(cells)).await;
    let after = row(&walk.app, walk.phone).await;
    assert_eq!(
        (after.use_type, after.kept_id, walk.told().await),
        (UseType::On, Some(chosen), [1, 0, 0, 0]),
        "{cells:?}"
    );
    assert_eq!(after.endpoint_rev, before.endpoint_rev + 2, "it has left once and come once: {cells:?}");
    is_left(&walk, chosen).await;
    assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
    walk
}

db_test! {
    async fn a_phone_that_is_set_back_leaves_whoever_breaks_off_at_whichever_step_and_right_after(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        walk = Box::pin(is_set_back(walk, &SEALED)).await;
        for cells in deaths(&STEPS) {
            walk = Box::pin(is_set_back(walk, &cells)).await;
        }
    }

    async fn a_phone_that_is_set_back_comes_with_the_chosen_copy_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        for cells in deaths(&COPIED) {
            walk = Box::pin(is_set_back(walk, &cells)).await;
        }
    }

    async fn a_phone_that_cannot_leave_is_not_set_back_and_stays_as_it_was(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        for cells in [("copy", Says("store_refused", "neverBegan"), Stays), ("still", Says("not_ours", "neverBegan"), Stays)] {
            let (asked, before, _) = Box::pin(asks(walk)).await;
            walk = Box::pin(asked.meets(&[cells])).await;
            let after = row(&walk.app, walk.phone).await;
            assert_eq!((after.use_type, after.holds_id, walk.told().await), (UseType::On, before.holds_id, [0, 1, 0, 0]), "{cells:?}");
            assert_eq!(after.endpoint_rev, before.endpoint_rev, "{cells:?}");
            let left = backup::Entity::find().all(walk.app.app.db.read()).await.unwrap();
            assert!(left.iter().all(|copy| copy.left_at.is_none()), "nothing was chosen: {left:?}");
        }
        walk.hand.keep(&walk.clerk().await, 1).await;
        Box::pin(is_set_back(walk, &[])).await;
    }

    async fn a_phone_whose_chosen_copy_is_damaged_meanwhile_stays_off_and_has_back_what_it_had(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        walk.hand.keep(&walk.clerk().await, 1).await;
        let (asked, before, chosen) = Box::pin(asks(walk)).await;
        walk = Box::pin(asked.meets(&DAMAGED)).await;
        let off = row(&walk.app, walk.phone).await;
        assert_eq!((off.use_type, off.kept_id, walk.told().await), (UseType::Off, Some(chosen), [0, 1, 0, 0]));
        assert!(walk.held().await.is_empty(), "there is no older one to ask about: {:?}", walk.held().await);
        let fresh = is_left(&walk, chosen).await;
        // The console is restarted, and nobody has forgotten which copy is whole.
        walk = Box::pin(walk.console_dies(&[])).await;
        walk.asks(&format!("{BACKUPS}/{}/set-back", fresh.id), json!({ "reason": "要回原来的" })).await;
        assert_eq!((walk.told().await, row(&walk.app, walk.phone).await.kept_id), ([1, 0, 0, 0], Some(fresh.id)));
        let phone = walk.phone;
        walk.asks_for("put-on", phone).await;
        walk = Box::pin(walk.meets(&[])).await;
        let on = row(&walk.app, walk.phone).await;
        assert_eq!((on.use_type, on.kept_id, on.endpoint_rev), (UseType::On, Some(fresh.id), before.endpoint_rev + 2));
    }
}
