//! The fault walk: phones come on cards, blank and with what a copy holds.

use entity::card::Lifecycle;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use phones::saga_round;
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _, QueryOrder as _};
use serde_json::json;
use testapp::TestApp;
use testkit::db_test;

use super::copied::BACKUPS;
use super::copy_steps::last;
use super::put_on::{card, row};
use super::walk::Ends::{Asked, GoesOn, NextCard, Over};
use super::walk::Fault::{Cancelled, Says, Silent};
use super::walk::{Cell, Walk, deaths};

pub const BLANK: [&str; 4] = ["check", "claim", "boot", "health"];
pub const COPIED: [&str; 6] = ["check", "claim", "apps", "restore", "boot", "health"];

/// What goes wrong on the way of one phone, and whether it comes on a card after all.
type Run = (&'static [Cell], bool);

/// What goes wrong with the cards of a blank phone before it is bound to one.
const CARDS: [Run; 5] = [
    // None of three goes.
    (
        &[
            ("check", Says("adb_unreachable", "neverBegan"), NextCard),
            ("check", Says("wrong_card", "neverBegan"), NextCard),
            ("check", Says("not_root", "neverBegan"), Over),
        ],
        false,
    ),
    (
        &[
            ("claim", Says("adb_closed", "unknown"), GoesOn),
            ("claim", Says("wrong_card", "neverBegan"), NextCard),
            ("claim", Says("not_root", "neverBegan"), NextCard),
        ],
        true,
    ),
    (
        &[
            ("boot", Says("interrupted", "neverBegan"), GoesOn),
            ("boot", Says("adb_unreachable", "neverBegan"), GoesOn),
            ("boot", Says("adb_refused", "neverBegan"), GoesOn),
            // It is lost.
            ("boot", Says("adb_unreachable", "neverBegan"), NextCard),
            ("boot", Says("wrong_card", "neverBegan"), NextCard),
        ],
        true,
    ),
    (
        &[
            ("boot", Says("not_root", "neverBegan"), NextCard),
            ("health", Says("adb_closed", "neverBegan"), GoesOn),
            ("health", Says("wrong_card", "neverBegan"), NextCard),
        ],
        true,
    ),
    (&[("health", Says("not_root", "neverBegan"), NextCard)], true),
];

/// What goes wrong with the agent of a blank phone's cards, and whoever has asked for it.
const OTHERS: [Run; 7] = [
    (&[("check", Silent, NextCard), ("claim", Silent, NextCard)], true),
    (&[("boot", Silent, NextCard), ("health", Silent, NextCard)], true),
    // Its disk is full: no other card would do.
    (
        &[
            ("check", Says("agent_journal", "neverBegan"), GoesOn),
            ("claim", Says("agent_journal", "neverBegan"), GoesOn),
            ("boot", Says("agent_journal", "neverBegan"), GoesOn),
            ("health", Says("agent_journal", "neverBegan"), GoesOn),
        ],
        true,
    ),
    // What has a card goes on.
    (&[("check", Cancelled, GoesOn), ("check", Says("agent_journal", "neverBegan"), GoesOn)], true),
    // What has none any more does not.
    (&[("claim", Cancelled, GoesOn), ("claim", Says("wrong_card", "neverBegan"), NextCard)], false),
    // Nobody knows whether they come up: they are set aside.
    (&[("boot", Says("adb_timeout", "unknown"), NextCard)], true),
    (&[("health", Says("unhealthy", "neverBegan"), NextCard)], true),
];

/// What goes wrong while what a copy holds comes on a card.
const COPIES: [Run; 6] = [
    // The store is away for an hour and more, and the card restarts.
    (
        &[
            ("apps", Says("store_unreachable", "neverBegan"), GoesOn),
            ("apps", Says("store_refused", "neverBegan"), GoesOn),
            ("apps", Says("agent_journal", "neverBegan"), GoesOn),
            ("restore", Says("store_unreachable", "unknown"), GoesOn),
            ("restore", Says("interrupted", "neverBegan"), GoesOn),
            ("restore", Says("adb_unreachable", "unknown"), GoesOn),
            ("boot", Says("interrupted", "neverBegan"), GoesOn),
            ("health", Says("adb_closed", "neverBegan"), GoesOn),
        ],
        true,
    ),
    (
        &[
            ("apps", Silent, GoesOn),
            ("restore", Silent, GoesOn),
            ("restore", Says("agent_journal", "neverBegan"), GoesOn),
            ("restore", Cancelled, GoesOn),
        ],
        true,
    ),
    (
        &[
            ("apps", Says("wrong_card", "neverBegan"), NextCard),
            ("restore", Says("wrong_card", "neverBegan"), NextCard),
        ],
        true,
    ),
    (
        &[("apps", Says("not_root", "neverBegan"), NextCard), ("restore", Says("not_root", "neverBegan"), NextCard)],
        true,
    ),
    // The card is full.
    (&[("restore", Says("no_space", "unknown"), NextCard), ("boot", Says("wrong_card", "neverBegan"), NextCard)], true),
    // It is lost for good.
    (
        &[
            ("restore", Says("adb_unreachable", "unknown"), GoesOn),
            ("restore", Says("adb_unreachable", "unknown"), GoesOn),
            ("restore", Says("adb_unreachable", "unknown"), GoesOn),
            ("restore", Says("adb_unreachable", "unknown"), GoesOn),
            ("restore", Says("adb_unreachable", "unknown"), NextCard),
        ],
        true,
    ),
];

/// The store lies.
const LYING: [Run; 3] = [
    // The store lies for a moment, or it is that for every card, and there is no older copy.
    (
        &[
            ("apps", Says("package_damaged", "neverBegan"), GoesOn),
            ("apps", Says("packages_missing", "neverBegan"), GoesOn),
            ("apps", Says("package_damaged", "neverBegan"), GoesOn),
            ("restore", Says("copy_damaged", "unknown"), GoesOn),
            ("restore", Says("repo_damaged", "unknown"), GoesOn),
            ("restore", Says("repo_damaged", "unknown"), GoesOn),
        ],
        true,
    ),
    (
        &[
            ("apps", Says("package_damaged", "neverBegan"), GoesOn),
            ("apps", Says("package_damaged", "neverBegan"), GoesOn),
            ("apps", Says("package_damaged", "neverBegan"), GoesOn),
            ("apps", Says("package_damaged", "neverBegan"), Over),
        ],
        false,
    ),
    (
        &[
            ("restore", Says("repo_damaged", "unknown"), GoesOn),
            ("restore", Says("repo_damaged", "unknown"), GoesOn),
            ("restore", Says("repo_damaged", "unknown"), GoesOn),
            ("restore", Says("repo_damaged", "unknown"), Over),
        ],
        false,
    ),
];

/// The store lies about the newest of two copies of a phone.
const LIES: [Cell; 4] = [
    ("restore", Says("repo_damaged", "unknown"), GoesOn),
    ("restore", Says("repo_damaged", "unknown"), GoesOn),
    ("restore", Says("repo_damaged", "unknown"), GoesOn),
    ("restore", Says("repo_damaged", "unknown"), Asked),
];

/// A phone is put on, with what a copy holds if one is told, and meets these faults on the way.
pub async fn comes(mut walk: Walk, cells: &[Cell], is_on: bool, copy: Option<i64>) -> Walk {
    let phone = walk.one_more().await;
    let before = row(&walk.app, phone).await;
    match copy {
        Some(copy) => walk.asks(&format!("{BACKUPS}/{copy}/restore"), json!({ "phoneId": phone })).await,
        None => walk.asks_for("put-on", phone).await,
    }
    let restores = if copy.is_some() { last(&walk.app).await.restores } else { 0 };
    walk = Box::pin(walk.meets(cells)).await;
    let after = row(&walk.app, phone).await;
    let [succeeded, failed, cancelled, running] = walk.told().await;
    assert_eq!((succeeded, failed + cancelled, running), (i64::from(is_on), i64::from(!is_on), 0), "{cells:?}");
    assert_eq!((after.use_type == UseType::On, after.is_blank), (is_on, !is_on), "{cells:?}");
    assert_eq!(after.endpoint_rev, before.endpoint_rev + i64::from(is_on), "it was bound once");
    if copy.is_some() {
        assert_eq!(last(&walk.app).await.restores, restores + i32::from(is_on), "it came with it once");
    }
    assert!(walk.held().await.is_empty(), "{:?}", walk.held().await);
    walk
}

/// Cards that were set aside.
async fn faulty(walk: &Walk) -> usize {
    let mut count = 0;
    for id in &walk.hand.cards {
        count += usize::from(card(&walk.app, *id).await.lifecycle == Lifecycle::Faulty);
    }
    count
}

/// How the newest put-on stands.
pub async fn newest(app: &TestApp) -> saga::Model {
    let select = saga::Entity::find().filter(saga::Column::Kind.eq(SagaKind::PutOn));
    select.order_by_desc(saga::Column::Id).one(app.app.db.read()).await.unwrap().unwrap()
}

db_test! {
    async fn a_blank_phone_comes_on_its_card_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::blank(db)).await;
        for cells in deaths(&BLANK) {
            walk = Box::pin(comes(walk, &cells, true, None)).await;
        }
    }

    async fn a_blank_phone_whose_cards_fail_comes_on_another_or_stays_off(db) {
        let mut walk = Box::pin(Walk::blank(db)).await;
        for (cells, is_on) in CARDS {
            walk = Box::pin(comes(walk, cells, is_on, None)).await;
        }
        assert_eq!(faulty(&walk).await, 0, "nothing says that they would not come up");
    }

    async fn a_blank_phone_whose_agent_cannot_or_whom_nobody_wants_any_more_is_on_or_off(db) {
        let mut walk = Box::pin(Walk::blank(db)).await;
        for (cells, is_on) in OTHERS {
            walk = Box::pin(comes(walk, cells, is_on, None)).await;
        }
        assert_eq!(faulty(&walk).await, 2);
    }

    async fn what_a_copy_holds_comes_on_a_card_whoever_breaks_off_at_whichever_step(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let copy = last(&walk.app).await.id.0;
        for cells in deaths(&COPIED) {
            walk = Box::pin(comes(walk, &cells, true, Some(copy))).await;
        }
    }

    async fn what_a_copy_holds_comes_on_another_card_or_on_none(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let copy = last(&walk.app).await.id.0;
        for (cells, is_on) in COPIES {
            walk = Box::pin(comes(walk, cells, is_on, Some(copy))).await;
        }
        assert_eq!(faulty(&walk).await, 0, "nothing says that they would not come up");
    }

    async fn what_the_store_lies_about_is_read_again_and_comes_or_the_phone_stays_off(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let copy = last(&walk.app).await.id.0;
        for (cells, is_on) in LYING {
            walk = Box::pin(comes(walk, cells, is_on, Some(copy))).await;
        }
        assert_eq!(faulty(&walk).await, 0, "nothing says that they would not come up");
        assert_eq!(last(&walk.app).await.damage, "", "what was said to be damaged was read, and is whole");
    }

    async fn a_phone_whose_copy_lies_comes_with_an_older_one_once_somebody_has_said_so(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let (phone, older) = (walk.phone, last(&walk.app).await.id);
        // Its card is needed: it does not come back to that.
        walk.hand.keep(&walk.clerk().await, 2).await;
        walk.asks_for("take-off", phone).await;
        walk = Box::pin(walk.meets(&[])).await;
        let newer = last(&walk.app).await.id;
        assert_eq!(row(&walk.app, phone).await.kept_id, Some(newer));
        // It lies when it is read back, too.
        walk.asks_for("put-on", phone).await;
        let damaged: Cell = ("verify", Says("repo_damaged", "neverBegan"), Over);
        walk = Box::pin(walk.meets(&[&LIES[..], &[damaged]].concat())).await;
        assert_eq!((walk.held().await, walk.told().await), (vec!["older_copy".to_owned()], [0, 0, 0, 1]));
        let off = row(&walk.app, phone).await;
        assert_eq!((off.use_type, off.kept_id), (UseType::Off, Some(older)), "the older one was read back");
        // The console dies, and asks still.
        walk = Box::pin(walk.console_dies(&[])).await;
        let before = newest(&walk.app).await;
        assert_eq!((before.state, before.backup_id), (SagaState::Held, Some(older)));
        let accept = json!({ "selection": { "ids": [phone] }, "backupId": older });
        walk.clerk().await.post("/api/phone/v1/phones/accept-copy", accept).await.data();
        fleet::operation::round(&walk.app.app).await.unwrap();
        walk = Box::pin(walk.meets(&[])).await;
        let (on, after) = (row(&walk.app, phone).await, newest(&walk.app).await);
        assert_eq!((on.use_type, on.kept_id, on.endpoint_rev), (UseType::On, Some(older), off.endpoint_rev + 1));
        assert_eq!((after.id, after.rank_at, after.backup_id), (before.id, before.rank_at, Some(older)), "with its rank");
        assert_eq!((walk.told().await, faulty(&walk).await), ([1, 0, 0, 0], 0));
    }

    async fn a_phone_whose_copy_is_whole_after_all_comes_with_it_once_it_was_read_back(db) {
        let mut walk = Box::pin(Walk::saved(db)).await;
        let phone = walk.phone;
        walk.hand.keep(&walk.clerk().await, 2).await;
        walk.asks_for("take-off", phone).await;
        walk = Box::pin(walk.meets(&[])).await;
        let kept = row(&walk.app, phone).await.kept_id;
        walk.asks_for("put-on", phone).await;
        walk = Box::pin(walk.meets(&LIES)).await;
        let on = row(&walk.app, phone).await;
        assert_eq!((on.use_type, on.kept_id, walk.told().await), (UseType::On, kept, [1, 0, 0, 0]));
        assert!(walk.held().await.is_empty(), "nobody has to be asked");
        assert_eq!(last(&walk.app).await.damage, "");
    }

    async fn who_waits_for_a_card_keeps_his_place_when_the_console_dies_and_leaves_it_when_he_cancels(db) {
        let mut walk = Box::pin(Walk::blank(db)).await;
        let all = walk.hand.cards.len();
        walk.are_for_phones(all, false).await;
        let phone = walk.one_more().await;
        walk.asks_for("put-on", phone).await;
        // Before it was looked at, and after it was said why it waits.
        for code in ["", "no_card"] {
            let before = newest(&walk.app).await;
            assert_eq!((before.state, &*before.code), (SagaState::Waiting, code));
            walk = Box::pin(walk.console_dies(&[])).await;
            let after = newest(&walk.app).await;
            assert_eq!((after.id, after.state, after.rank_at), (before.id, SagaState::Waiting, before.rank_at));
            Box::pin(saga_round(&walk.app.app)).await.unwrap();
        }
        walk.are_for_phones(1, true).await;
        walk = Box::pin(walk.meets(&[])).await;
        assert_eq!((walk.told().await, row(&walk.app, phone).await.use_type), ([1, 0, 0, 0], UseType::On));

        let other = walk.one_more().await;
        walk.asks_for("put-on", other).await;
        Box::pin(saga_round(&walk.app.app)).await.unwrap();
        walk.cancels().await;
        walk = Box::pin(walk.meets(&[])).await;
        assert_eq!((newest(&walk.app).await.state, walk.told().await), (SagaState::Cancelled, [0, 0, 1, 0]));
        assert_eq!(row(&walk.app, other).await.use_type, UseType::Off);
    }
}
