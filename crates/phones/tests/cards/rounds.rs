//! Phones that leave their cards and come back round after round, over a real agent and simulated cards, while in the middle, at
//! random moments, the agent or the console dies or the link between them breaks: every byte is there after each round, and each
//! effect was had once.
//!
//! `ROUNDS=1000` makes many of a few; `ROUNDS_SEED=5` makes others.

use std::time::Duration;

use entity::backup::BackupState;
use entity::card::Occupancy;
use entity::phone::UseType;
use entity::saga::{self, SagaKind, SagaState};
use sea_orm::{ColumnTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::{Value, json};
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::get;
use testroom::phone::put_on;
use testroom::room::until;

use super::copied::copies;
use super::deaths::{AROUND, Deaths};
use super::put_on::{card, row, walked};
use super::restored::{Had, OTHER};
use super::taken_off::{assignable, ended, take_off, used};

const PHONES: &str = "/api/phone/v1/phones";
/// The cards of a scene that run the same image.
const PAIR: [usize; 2] = [0, OTHER];
/// A step begins and ends within such a time.
const WITHIN_MS: u64 = 3_000;

pub fn asked(name: &str, usual: u64) -> u64 {
    std::env::var(name).map_or(usual, |text| text.parse().unwrap())
}

/// SplitMix64: the same rounds for the same seed, as far as the machine is the same.
pub struct Chance(pub u64);

impl Chance {
    pub fn below(&mut self, most: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % most
    }
}

/// Somebody dies in a while, twice in three times, and comes back.
async fn dies(deaths: &mut Deaths<'_>) {
    if deaths.below(3) == 0 {
        return;
    }
    tokio::time::sleep(Duration::from_millis(deaths.below(WITHIN_MS))).await;
    deaths.come().await;
}

/// Nothing is being done to the phone.
async fn rests(clerk: &Caller<'_>, phone: i64) {
    until("nothing is being done to the phone", async || {
        clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"] == Value::Null
    })
    .await;
}

/// Take-offs of a phone that are to be tried again in a while are tried at once.
pub async fn tries_at_once(app: &TestApp, clerk: &Caller<'_>, phone: i64) {
    let held = saga::Entity::find()
        .filter(saga::Column::PhoneId.eq(phone))
        .filter(saga::Column::Kind.eq(SagaKind::TakeOff))
        .filter(saga::Column::State.eq(SagaState::Held));
    if let Some(held) = held.one(app.app.db.read()).await.unwrap() {
        // It may have gone on by itself meanwhile.
        clerk.post(&format!("/api/phone/v1/sagas/{}/retry", held.id), json!({})).await;
    }
}

/// How a take-off of a phone has ended.
async fn went_off(app: &TestApp, clerk: &Caller<'_>, phone: i64, operation: &Value) -> (i64, Vec<String>) {
    until("the take-off is over", async || {
        tries_at_once(app, clerk, phone).await;
        matches!(get(clerk, operation).await["state"].as_i64(), Some(7..=9))
    })
    .await;
    ended(clerk, operation).await
}

/// The ids of the two cards.
async fn pair(app: &TestApp, first: i64) -> [i64; 2] {
    let image = card(app, first).await.image_id;
    let all = entity::card::Entity::find().all(app.app.db.read()).await.unwrap();
    let other = all.into_iter().find(|card| card.image_id == image && card.id.0 != first).unwrap();
    [first, other.id.0]
}

db_test! {
    async fn round_after_round_every_byte_comes_back_whoever_dies(db) {
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let (scene, first) = used(&app, &clerk, 64).await;
        let phone = scene.phone;
        let ids = pair(&app, first).await;
        let mut chance = Chance(asked("ROUNDS_SEED", 1));
        let mut deaths = Deaths::of(&scene, &AROUND, Vec::new());
        let mut at = 0;
        for round in 0..asked("ROUNDS", 3) {
            // It is used: something new, something changed, something gone.
            let here = &scene.room().cards[PAIR[at]];
            let content = vec![round as u8; 1_000 + usize::try_from(chance.below(200_000)).unwrap()];
            here.put_file("/data/media/0/DCIM", &format!("{round}.jpg"), &content).unwrap();
            here.put_file("/data/media/0/DCIM", "last.jpg", &content).unwrap();
            let had = Had::of(here);
            loop {
                let operation = take_off(&clerk, phone).await;
                dies(&mut deaths).await;
                let (done, why) = went_off(&app, &clerk, phone, &operation).await;
                rests(&clerk, phone).await;
                if done == 1 {
                    break;
                }
                // Whatever has stopped it, the phone is where it was, with all of it, and goes on.
                assert_eq!(row(&app, phone).await.use_type, UseType::On, "{why:?}");
                assert!(!scene.room().cards[PAIR[at]].is_stopped(), "{why:?}");
                had.clone().must_be_on(&scene.room().cards[PAIR[at]]);
            }
            let off = row(&app, phone).await;
            let kept = copies(&app).await.into_iter().find(|copy| Some(copy.id) == off.kept_id).unwrap();
            assert_eq!((off.use_type, off.holds_id, kept.state), (UseType::Off, None, BackupState::Verified));
            // It comes on the other card, every third time on its own.
            let next = if chance.below(3) == 0 { at } else { 1 - at };
            assignable(&clerk, ids[1 - next], false).await;
            assignable(&clerk, ids[next], true).await;
            loop {
                let made = put_on(&clerk, &[phone]).await;
                dies(&mut deaths).await;
                let (done, why) = ended(&clerk, &made["id"]).await;
                rests(&clerk, phone).await;
                if done == 1 {
                    break;
                }
                assert_eq!(row(&app, phone).await.use_type, UseType::Off, "{why:?}");
            }
            assert_eq!(row(&app, phone).await.use_type, UseType::On);
            had.must_be_on(&scene.room().cards[PAIR[next]]);
            assert!(next == 1 - at || walked(&clerk, phone).await.iter().any(|step| step.starts_with("16 ")), "it went back to its own");
            // What it has left is needed by nobody, and clean all the same.
            until("the card that it has left is clean", async || {
                next == at || card(&app, ids[at]).await.occupancy == Occupancy::Free
            })
            .await;
            at = next;
        }
    }
}
