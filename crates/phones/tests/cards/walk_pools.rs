//! The fault walk: phones that have a card for themselves come on no other, and copies that were made with one image come on cards of
//! one that takes them, or wait.

use entity::phone::{PhonePool, UseType};
use entity::saga::SagaState;
use serde_json::json;
use testkit::db_test;

use super::copied::BACKUPS;
use super::copy_steps::last;
use super::dedicated::{comes_on, overcommit};
use super::image_steps::{made_with_a_third, takes};
use super::put_on::row;
use super::walk::Ends::{NextCard, Over};
use super::walk::Fault::Says;
use super::walk::{Cell, Walk, deaths};
use super::walk_on::{BLANK, COPIED, comes, newest};

/// Both of the cards on which it may come do not go.
const FAILS: [Cell; 2] =
    [("boot", Says("wrong_card", "neverBegan"), NextCard), ("health", Says("not_root", "neverBegan"), NextCard)];

/// What a card says that runs another image than the books have, or lacks an app which the copy has data of; whether the phone comes.
const IMAGES: [(&[Cell], bool); 3] = [
    (&[("check", Says("image_differs", "neverBegan"), NextCard)], true),
    (&[("restore", Says("image_differs", "neverBegan"), NextCard)], true),
    (
        &[
            ("check", Says("image_differs", "neverBegan"), NextCard),
            ("restore", Says("image_differs", "neverBegan"), NextCard),
            ("restore", Says("image_differs", "neverBegan"), Over),
        ],
        false,
    ),
];

/// The newest put-on waits for this, also when the console has died.
async fn waits(walk: Walk, code: &str) -> Walk {
    let walk = Box::pin(walk.meets(&[])).await;
    let before = newest(&walk.app).await;
    assert_eq!((before.state, &*before.code), (SagaState::Waiting, code));
    let walk = Box::pin(walk.console_dies(&[])).await;
    let walk = Box::pin(walk.meets(&[])).await;
    let after = newest(&walk.app).await;
    assert_eq!((after.id, after.state, &*after.code), (before.id, SagaState::Waiting, code));
    assert_eq!(after.rank_at, before.rank_at);
    walk
}

db_test! {
    async fn a_phone_that_has_a_card_for_itself_comes_on_no_other_whatever_goes_wrong(db) {
        let mut walk = Box::pin(Walk::blank(db)).await;
        overcommit(&walk.clerk().await, &walk.hand.cards[..2], false).await;
        let phone = walk.one_more().await;
        comes_on(&walk.app, &walk.clerk().await, phone, PhonePool::Dedicated).await;
        walk.asks_for("put-on", phone).await;
        walk = Box::pin(walk.meets(&FAILS)).await;
        // Six others are free.
        walk = Box::pin(waits(walk, "no_dedicated_card")).await;
        assert_eq!((row(&walk.app, phone).await.use_type, walk.told().await), (UseType::Off, [0, 0, 0, 1]));
        overcommit(&walk.clerk().await, &walk.hand.cards[2..3], false).await;
        let [dying, _] = deaths(&BLANK);
        walk = Box::pin(walk.meets(&dying)).await;
        assert_eq!((walk.at(phone).await, walk.told().await), (Some(walk.hand.cards[2]), [1, 0, 0, 0]));
        assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
    }

    async fn a_copy_of_another_image_comes_on_cards_that_take_it_whatever_goes_wrong(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let copy = last(&walk.app).await.id.0;
        let pair = made_with_a_third(&walk.app, &walk.clerk().await, "an/image").await;
        for cells in deaths(&COPIED) {
            walk = Box::pin(comes(walk, &cells, true, Some(copy))).await;
        }
        for (cells, is_on) in IMAGES {
            walk = Box::pin(comes(walk, cells, is_on, Some(copy))).await;
        }

        // It is withdrawn: who waits for such a card waits on, until it is said again.
        walk.clerk().await.delete(&pair, json!({})).await.data();
        let phone = walk.one_more().await;
        walk.asks(&format!("{BACKUPS}/{copy}/restore"), json!({ "phoneId": phone })).await;
        walk = Box::pin(waits(walk, "no_card_of_image")).await;
        takes(&walk.clerk().await, "a/third/image", "an/image").await;
        walk = Box::pin(walk.meets(&[])).await;
        assert_eq!((row(&walk.app, phone).await.use_type, walk.told().await), (UseType::On, [1, 0, 0, 0]));
    }
}
