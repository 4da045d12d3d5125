//! Polling all cards, again and again, each at its own moment of the heartbeat interval.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::{Semaphore, mpsc, watch};
use tokio::time::Instant;
use wire::{Report, RosterCard, Sighting};

use crate::cards::Cards;
use crate::look::{Memory, look};

/// Polls are started this often.
const TICK: Duration = Duration::from_millis(50);

/// A card that is polled.
#[derive(Debug)]
struct Watched {
    card: i64,
    address: SocketAddr,
    /// The recorded serial.
    serial: Option<String>,
    memory: Mutex<Memory>,
}

/// Results of polls, for the console.
#[derive(Debug)]
pub struct Found {
    /// The state of the card.
    pub report: Report,
    /// What it reports about itself, if the console needs to know.
    pub sighting: Option<Sighting>,
}

/// The polling loop.
#[derive(Clone, Debug)]
pub struct Looks {
    cards: Arc<Cards>,
    watched: Arc<Mutex<Vec<Arc<Watched>>>>,
    places: Arc<Semaphore>,
    found: mpsc::Sender<Found>,
}

impl Looks {
    /// A loop over no cards yet, with at most `at_once` concurrent polls.
    #[must_use]
    pub fn new(cards: Arc<Cards>, at_once: usize, found: mpsc::Sender<Found>) -> Self {
        Self { cards, watched: Arc::default(), places: Arc::new(Semaphore::new(at_once)), found }
    }

    /// Polls these cards from now on. The memory of those that stay is kept.
    pub fn watch(&self, roster: &[RosterCard]) {
        let mut watched = self.watched.lock();
        let mut old: HashMap<(i64, SocketAddr), Arc<Watched>> =
            watched.drain(..).map(|card| ((card.card, card.address), card)).collect();
        for RosterCard { id, address, serial } in roster {
            let Ok(address) = address.parse::<SocketAddr>() else { continue };
            let known = old.remove(&(*id, address)).filter(|card| card.serial == *serial);
            watched.push(known.unwrap_or_else(|| {
                Arc::new(Watched { card: *id, address, serial: serial.clone(), memory: Mutex::default() })
            }));
        }
        let wanted: HashSet<SocketAddr> = watched.iter().map(|card| card.address).collect();
        drop(watched);
        self.cards.keep_only(|address| wanted.contains(address));
    }

    /// Reports the cards' identities to the console again: a new connection knows nothing of the old one.
    pub fn introduce_again(&self) {
        for card in self.watched.lock().iter() {
            card.memory.lock().is_told = false;
        }
    }

    /// The addresses that are polled.
    #[must_use]
    pub fn addresses(&self) -> HashSet<SocketAddr> {
        self.watched.lock().iter().map(|card| card.address).collect()
    }

    /// The identities reported by the polled cards.
    #[must_use]
    pub fn identities(&self) -> Vec<Sighting> {
        self.watched.lock().iter().filter_map(|card| card.memory.lock().identity.clone()).collect()
    }

    /// Polls for ever, each card once per heartbeat, evenly spread. A card that blocks a poll delays no other: its own
    /// next poll is skipped.
    pub async fn run(self, beat: watch::Receiver<Duration>) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut next, mut owed, mut last) = (0usize, 0f64, Instant::now());
        loop {
            ticks.tick().await;
            let count = self.watched.lock().len();
            let passed = last.elapsed();
            last = Instant::now();
            // After a pause at most one round is caught up.
            owed =
                (owed + passed.as_secs_f64() * count as f64 / beat.borrow().as_secs_f64().max(0.1)).min(count as f64);
            while owed >= 1.0 {
                owed -= 1.0;
                let card = {
                    let watched = self.watched.lock();
                    let Some(card) = watched.get(next % watched.len().max(1)) else { break };
                    Arc::clone(card)
                };
                next = (next + 1) % count.max(1);
                // Strong counts: the list, this one, and one for each running poll.
                if Arc::strong_count(&card) <= 2 {
                    self.start(card).await;
                }
            }
        }
    }

    async fn start(&self, card: Arc<Watched>) {
        let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
        let (cards, found) = (Arc::clone(&self.cards), self.found.clone());
        tokio::spawn(async move {
            let mut memory = std::mem::take(&mut *card.memory.lock());
            let seen = look(&cards, card.address, &mut memory).await;
            *card.memory.lock() = memory;
            drop(place);
            // The console gets what it does not know, and once per connection what it does.
            let report = Report { card: card.card, probe: Some(seen.probe), power: None, metrics: seen.metrics };
            // Nobody listens while disconnected: the next poll reports it.
            let _ = found.send(Found { report, sighting: seen.sighting }).await;
        });
    }
}
