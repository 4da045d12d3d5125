//! Many phones of a room that leave their cards and come back at once, round after round, while at random moments their agent or
//! their console dies, the link between them breaks, the storage node is away, and cards restart, or lose root for a while: each
//! phone has every byte after each round, whatever card it comes on, and in the end nothing is left undone.
//!
//! `ROUNDS_PHONES=40 ROUNDS=25` makes a thousand rounds of a few; `ROUNDS_SEED=5` makes others.

use std::convert::Infallible;
use std::future::pending;
use std::time::{Duration, Instant};

use entity::card::Occupancy;
use entity::phone::UseType;
use entity::placement::Role;
use entity::saga::{self, SagaKind, SagaState};
use futures::future::join_all;
use sea_orm::{
    ColumnTrait as _, DbBackend, EntityTrait as _, ExprTrait as _, PaginatorTrait as _, QueryFilter as _,
    QueryOrder as _,
};
use serde_json::Value;
use testapp::{Caller, TestApp};
use testkit::db_test;
use testroom::operation::{OPERATIONS, get};
use testroom::phone::{PHONES, put_on};

use super::apps::next_phone;
use super::copied::Scene;
use super::deaths::{ALL, Deaths, nobody_waits};
use super::put_on::{card, row};
use super::restored::{Had, play_on};
use super::rounds::{Chance, asked, tries_at_once};
use super::taken_off::{assignable, profile, take_off};
use super::whole::books;

/// Every third simulated card runs the same image.
const IMAGES: usize = 3;
/// Cards of the image beyond one for each phone: one may be copied, one wiped, and a phone is tried on three at most.
const SPARE: usize = 4;
/// How often somebody dies, for each round of a phone.
const DEATHS: u64 = 3;
/// And after how long at the latest, and again.
const DIES_WITHIN_MS: u64 = 20_000;

/// All phones of a room want the same agent, and it dies: nothing stands still for so long.
const PATIENCE: Duration = Duration::from_mins(10);

async fn at_last<F: Future<Output = bool>>(words: &str, mut is_so: impl FnMut() -> F) {
    let began = Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "{words}");
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
}

/// How an operation has gone at last: succeeded, and why not.
async fn went(clerk: &Caller<'_>, operation: &Value) -> (i64, Vec<String>) {
    at_last("the operation is over", || async { matches!(get(clerk, operation).await["state"].as_i64(), Some(7..=9)) })
        .await;
    let tasks = clerk.get(&format!("{OPERATIONS}/{operation}/tasks?pageSize=100")).await.data();
    let codes = tasks["list"].as_array().unwrap().iter().map(|task| task["code"].as_str().unwrap().to_owned());
    let succeeded = get(clerk, operation).await["succeeded"].as_i64().unwrap();
    (succeeded, codes.filter(|code| !code.is_empty()).collect())
}

/// Nothing is being done to the phone.
async fn rests(clerk: &Caller<'_>, phone: i64) {
    at_last("nothing is being done to the phone", || async {
        clerk.get(&format!("{PHONES}/{phone}")).await.data()["underWay"] == Value::Null
    })
    .await;
}

/// The cards in the order of their addresses, which is that of the simulator.
pub async fn all_cards(app: &TestApp) -> Vec<entity::card::Model> {
    entity::card::Entity::find().order_by_asc(entity::card::Column::Id).all(app.app.db.read()).await.unwrap()
}

/// The simulated card that a phone is on.
async fn under<'a>(app: &TestApp, scene: &'a Scene<'_>, phone: i64) -> &'a sim::Card {
    let place = row(app, phone).await.holds_id.unwrap();
    let place = entity::placement::Entity::find_by_id(place).one(app.app.db.read()).await.unwrap().unwrap();
    let at = all_cards(app).await.iter().position(|card| card.id == place.card_id).unwrap();
    &scene.room().cards[at]
}

/// One phone that goes off and comes back so many times; how often that had to be asked for.
async fn lives(app: &TestApp, clerk: &Caller<'_>, scene: &Scene<'_>, phone: i64, rounds: u64) -> u64 {
    let mut chance = Chance(asked("ROUNDS_SEED", 1).wrapping_add(u64::try_from(phone).unwrap() << 8));
    let mut asks = 0;
    for round in 0..rounds {
        let here = under(app, scene, phone).await;
        let content = vec![round as u8 ^ phone as u8; 1_000 + usize::try_from(chance.below(200_000)).unwrap()];
        here.put_file("/data/media/0/DCIM", &format!("{phone}-{round}.jpg"), &content).unwrap();
        here.put_file("/data/media/0/DCIM", "last.jpg", &content).unwrap();
        let had = Had::of(here);
        loop {
            asks += 1;
            let operation = take_off(clerk, phone).await;
            at_last("the take-off is over", || async {
                tries_at_once(app, clerk, phone).await;
                matches!(get(clerk, &operation).await["state"].as_i64(), Some(7..=9))
            })
            .await;
            let (done, why) = went(clerk, &operation).await;
            rests(clerk, phone).await;
            if done == 1 {
                break;
            }
            assert_eq!(row(app, phone).await.use_type, UseType::On, "{why:?}");
            assert!(!here.is_stopped(), "{why:?}");
            had.clone().must_be_on(here);
        }
        let off = row(app, phone).await;
        assert!(off.use_type == UseType::Off && off.holds_id.is_none() && off.kept_id.is_some(), "{off:?}");
        loop {
            asks += 1;
            let made = put_on(clerk, &[phone]).await;
            let (done, why) = went(clerk, &made["id"]).await;
            rests(clerk, phone).await;
            if done == 1 {
                break;
            }
            assert_eq!(row(app, phone).await.use_type, UseType::Off, "{why:?}");
        }
        had.must_be_on(under(app, scene, phone).await);
        if round % 10 == 9 {
            books(app).await;
            eprintln!("phone {phone}: {} rounds, asked {asks} times", round + 1);
        }
    }
    asks
}

/// Somebody dies every now and then, and is back; so often at most, since on a slow machine he would be dead before anything is
/// done.
async fn dies(mut deaths: Deaths<'_>, most: u64) -> Infallible {
    for _ in 0..most {
        tokio::time::sleep(Duration::from_millis(2_000 + deaths.below(DIES_WITHIN_MS - 2_000))).await;
        deaths.come().await;
    }
    pending().await
}

/// Nothing is under way any more, or waits for anybody, but for cards that their phones have left, which are wiped once they are
/// needed.
async fn all_is_over(app: &TestApp) {
    at_last("every saga ends", || async {
        let is_left = saga::Column::Kind.eq(SagaKind::Clear).and(saga::Column::State.eq(SagaState::Waiting));
        let over = [SagaState::Done, SagaState::Failed, SagaState::Cancelled];
        let open = saga::Entity::find().filter(saga::Column::State.is_not_in(over)).filter(is_left.not());
        open.count(app.app.db.read()).await.unwrap() == 0
    })
    .await;
}

db_test! {
    async fn many_phones_have_every_byte_round_after_round_whoever_dies(db) {
        let (many, rounds) = (asked("ROUNDS_PHONES", 3), asked("ROUNDS", 1));
        let app = TestApp::new(db).await;
        let clerk = app.admin().await;
        let cards = IMAGES * (usize::try_from(many).unwrap() + SPARE);
        let scene = Scene::with(&app, &clerk, 71, cards).await;
        let all = all_cards(&app).await;
        let (first, image) = (all[0].id, all[0].image_id);
        for other in all.iter().filter(|card| card.image_id != image) {
            assignable(&clerk, other.id.0, false).await;
        }
        profile(&app, &clerk, first.0, cards as u64).await;
        let mut phones = vec![scene.phone];
        for _ in 1..many {
            phones.push(next_phone(&app, &clerk, scene.phone).await);
        }
        if phones.len() > 1 {
            let made = put_on(&clerk, &phones[1..]).await;
            let on = i64::try_from(phones.len()).unwrap() - 1;
            assert_eq!(went(&clerk, &made["id"]).await, (on, vec![]));
        }
        for phone in &phones {
            play_on(under(&app, &scene, *phone).await);
        }
        let began = Instant::now();
        let alike = all.iter().enumerate().filter(|(_, card)| card.image_id == image).map(|(at, _)| at).collect();
        let mut deaths = Deaths::of(&scene, &ALL, alike);
        // So both engines together have all of them.
        if app.app.db.backend() == DbBackend::Postgres {
            deaths.skip(DEATHS);
        }
        let lived = async {
            let asks = join_all(phones.iter().map(|phone| lives(&app, &clerk, &scene, *phone, rounds))).await;
            all_is_over(&app).await;
            asks.into_iter().sum::<u64>()
        };
        let asks: u64 = tokio::select! {
            asks = lived => asks,
            never = dies(deaths, DEATHS * rounds) => match never {},
            never = nobody_waits(&app, &clerk) => match never {},
        };
        eprintln!("{} rounds in {:?}, asked {asks} times", many * rounds, began.elapsed());
        books(&app).await;
        // Each is on one card, and no other card is taken.
        let on = entity::placement::Column::Role.eq(Role::Holds);
        let places = entity::placement::Entity::find().filter(on).all(app.app.db.read()).await.unwrap();
        assert_eq!(places.len() as u64, many);
        for place in places {
            assert_eq!(card(&app, place.card_id.0).await.occupancy, Occupancy::InUse);
        }
    }
}
