//! Looking at all cards, again and again, each at its own moment of the beat.

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

/// Looks are started so often.
const TICK: Duration = Duration::from_millis(50);

/// A card that is looked at.
#[derive(Debug)]
struct Watched {
    card: i64,
    address: SocketAddr,
    /// The serial in the books.
    serial: Option<String>,
    memory: Mutex<Memory>,
}

/// What looks found, for the console.
#[derive(Debug)]
pub struct Found {
    /// How the card is.
    pub report: Report,
    /// What it says of itself, where the books should hear of it.
    pub sighting: Option<Sighting>,
}

/// The round of looks.
#[derive(Clone, Debug)]
pub struct Looks {
    cards: Arc<Cards>,
    watched: Arc<Mutex<Vec<Arc<Watched>>>>,
    places: Arc<Semaphore>,
    found: mpsc::Sender<Found>,
}

impl Looks {
    /// A round over no cards yet, with at most `at_once` looks in the same moment.
    #[must_use]
    pub fn new(cards: Arc<Cards>, at_once: usize, found: mpsc::Sender<Found>) -> Self {
        Self { cards, watched: Arc::default(), places: Arc::new(Semaphore::new(at_once)), found }
    }

    /// Looks at these cards from now on. What was known of those that stay is kept.
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

    /// Tells the console anew what the cards say of themselves: a new connection knows nothing of the old one.
    pub fn introduce_again(&self) {
        for card in self.watched.lock().iter() {
            card.memory.lock().is_told = false;
        }
    }

    /// The addresses that are looked at.
    #[must_use]
    pub fn addresses(&self) -> HashSet<SocketAddr> {
        self.watched.lock().iter().map(|card| card.address).collect()
    }

    /// What the cards that are looked at said of themselves.
    #[must_use]
    pub fn identities(&self) -> Vec<Sighting> {
        self.watched.lock().iter().filter_map(|card| card.memory.lock().identity.clone()).collect()
    }

    /// Looks for ever, at each card once in a beat, evenly spread. A card that holds a look up holds up no other: its
    /// own next look is left out.
    pub async fn run(self, beat: watch::Receiver<Duration>) {
        let mut ticks = tokio::time::interval(TICK);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let (mut next, mut owed, mut last) = (0usize, 0f64, Instant::now());
        loop {
            ticks.tick().await;
            let count = self.watched.lock().len();
            let passed = last.elapsed();
            last = Instant::now();
            // What is owed after a pause is one round at most.
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
                // Strong counts: the list, this one, and one for each look under way.
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
            // The books hear of what they do not know, and once in a connection of what they do.
            let report = Report { card: card.card, probe: Some(seen.probe), power: None, metrics: seen.metrics };
            // Nobody listens while the connection is down: the next look tells.
            let _ = found.send(Found { report, sighting: seen.sighting }).await;
        });
    }
}
