//! What dies while phones move, or is away for a while: by chance, from a seed that is told with the test that fails.

use std::convert::Infallible;
use std::time::Duration;

use entity::saga::{self, SagaKind, SagaState};
use sea_orm::{ColumnTrait as _, ConnectionTrait as _, EntityTrait as _, QueryFilter as _};
use serde_json::json;
use sim::Fault;
use testapp::{Caller, TestApp};

use super::copied::Scene;
use super::rounds::{Chance, asked};

/// What is away is back after so long at the latest.
const AWAY_MS: u64 = 3_000;
/// Nobody waits longer for his next try here, in seconds.
const SOON: i64 = 5;

/// Whoever or whatever fails.
#[derive(Clone, Copy, Debug)]
pub enum Death {
    /// The agent dies.
    Agent,
    /// The console dies.
    Console,
    /// The link between them breaks.
    Link,
    /// The disk of the storage node is away.
    Node,
    /// A card restarts.
    Restart,
    /// A card restarts without root, and once more with it.
    Root,
}

/// All of them.
pub const ALL: [Death; 6] = [Death::Agent, Death::Console, Death::Link, Death::Node, Death::Restart, Death::Root];
/// Those that no step fails by: whoever is at it does it again or goes on.
pub const AROUND: [Death; 3] = [Death::Agent, Death::Console, Death::Link];

/// Deaths in an order of chance: each kind comes once before any comes again.
pub struct Deaths<'a> {
    scene: &'a Scene<'a>,
    chance: Chance,
    kinds: &'static [Death],
    left: Vec<Death>,
    /// The cards, as the simulator counts them, of which one may be meant.
    cards: Vec<usize>,
}

impl<'a> Deaths<'a> {
    pub fn of(scene: &'a Scene<'a>, kinds: &'static [Death], cards: Vec<usize>) -> Self {
        let seed = asked("ROUNDS_SEED", 1);
        eprintln!("ROUNDS_SEED={seed}");
        Self { scene, chance: Chance(seed), kinds, left: Vec::new(), cards }
    }

    fn next(&mut self) -> Death {
        if self.left.is_empty() {
            self.left = self.kinds.to_vec();
            for at in (1..self.left.len()).rev() {
                let other = self.chance.below(at as u64 + 1) as usize;
                self.left.swap(at, other);
            }
        }
        self.left.pop().unwrap()
    }

    /// Leaves so many of them to others.
    pub fn skip(&mut self, count: u64) {
        for _ in 0..count {
            self.next();
        }
    }

    /// A number below this one.
    pub fn below(&mut self, most: u64) -> u64 {
        self.chance.below(most)
    }

    /// The next one comes, and passes.
    pub async fn come(&mut self) {
        let death = self.next();
        let away = Duration::from_millis(self.below(AWAY_MS));
        let card = self.below(self.cards.len().max(1) as u64) as usize;
        let scene = self.scene;
        eprintln!("{death:?}, for {away:?}, or card {card} of {:?}", self.cards);
        match death {
            Death::Agent => {
                scene.stop_agent().await;
                scene.start_agent().await;
            }
            Death::Console => {
                scene.console_dies().await;
                tokio::time::sleep(away).await;
                scene.console_is_back().await;
            }
            Death::Link => {
                scene.link_breaks().await;
                tokio::time::sleep(away).await;
                scene.link_is_back().await;
            }
            Death::Node => {
                scene.node_goes();
                tokio::time::sleep(away).await;
                scene.node_is_back().await;
            }
            Death::Restart => scene.room().cards[self.cards[card]].restart(),
            Death::Root => {
                let card = self.cards[card];
                scene.room().set_fault(card, Fault::Rootless, true);
                scene.room().cards[card].restart();
                tokio::time::sleep(away).await;
                scene.room().set_fault(card, Fault::Rootless, false);
                scene.room().cards[card].restart();
            }
        }
    }
}

/// What would be tried again in minutes or hours is tried in seconds, as if it had waited; and somebody says to what waits for a
/// person that it goes on, but for copies older than the phone, which nobody takes.
pub async fn nobody_waits(app: &TestApp, clerk: &Caller<'_>) -> Infallible {
    loop {
        tokio::time::sleep(Duration::from_secs(1)).await;
        let soon = app.app.clock.steady().plus_seconds(SOON).millis();
        let tx = app.app.db.begin_write().await.unwrap();
        let text = format!("UPDATE saga_step SET not_before = {soon} WHERE state = 1 AND not_before > {soon}");
        tx.execute_unprepared(&text).await.unwrap();
        tx.commit().await.unwrap();
        let held = saga::Entity::find().filter(saga::Column::State.eq(SagaState::Held));
        let soon = app.app.clock.now().plus_seconds(SOON);
        for saga in held.all(app.app.db.read()).await.unwrap() {
            if saga.retry_at.is_some_and(|at| at <= soon) {
                continue;
            }
            let word = match saga.kind {
                SagaKind::PutOn => "cancel",
                SagaKind::Clear | SagaKind::TakeOff => "retry",
                // They go on by themselves once their card is there.
                SagaKind::Lost
                | SagaKind::BackUp
                | SagaKind::Verify
                | SagaKind::Apps
                | SagaKind::Erase
                | SagaKind::Restart => continue,
            };
            eprintln!("{:?} of phone {} waits for {word}: {}", saga.kind, saga.phone_id, saga.code);
            // It may have gone on by itself meanwhile.
            clerk.post(&format!("/api/phone/v1/sagas/{}/{word}", saga.id), json!({})).await;
        }
    }
}
