//! Polling all cards, again and again, each at its own moment of the heartbeat interval.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
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
    /// How often cards were to be reported again.
    introductions: Arc<AtomicU64>,
}

impl Looks {
    /// A loop over no cards yet, with at most `at_once` concurrent polls.
    #[must_use]
    pub fn new(cards: Arc<Cards>, at_once: usize, found: mpsc::Sender<Found>) -> Self {
        Self {
            cards,
            watched: Arc::default(),
            places: Arc::new(Semaphore::new(at_once)),
            found,
            introductions: Arc::default(),
        }
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
        // A poll that is under way has begun before: it sees by this that what it tells is not enough.
        self.introductions.fetch_add(1, Ordering::SeqCst);
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
        let introductions = Arc::clone(&self.introductions);
        tokio::spawn(async move {
            let begun = introductions.load(Ordering::SeqCst);
            // A copy: who asks meanwhile which cards there are finds this one.
            let mut memory = card.memory.lock().clone();
            let seen = look(&cards, card.address, &mut memory).await;
            {
                let mut kept = card.memory.lock();
                memory.is_told &= introductions.load(Ordering::SeqCst) == begun;
                *kept = memory;
            }
            drop(place);
            // The console gets what it does not know, and once per connection what it does.
            let report = Report { card: card.card, probe: Some(seen.probe), power: None, metrics: seen.metrics };
            // Nobody listens while disconnected: the next poll reports it.
            let _ = found.send(Found { report, sighting: seen.sighting }).await;
        });
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]

    use std::net::SocketAddr;
    use std::sync::Arc;
    use std::time::Duration;

    use tokio::net::TcpListener;
    use tokio::sync::mpsc;
    use wire::{RosterCard, Sighting};

    use super::Looks;
    use crate::cards::Cards;
    use crate::look::Memory;

    fn known(address: SocketAddr) -> Memory {
        let identity = Sighting {
            address: address.to_string(),
            serial: "SN1".to_owned(),
            manufacturer: String::new(),
            model: String::new(),
            board: String::new(),
            fingerprint: String::new(),
            mark: None,
        };
        let mut memory = Memory::default();
        memory.identity = Some(identity);
        memory.is_told = true;
        memory
    }

    /// A card that is there and hangs up as soon as it is told to.
    #[tokio::test]
    async fn a_card_is_there_while_it_is_polled_and_is_reported_again_to_who_comes_meanwhile() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let cards = Arc::new(Cards::new(adb::Options::default(), crate::simulated_room()));
        let (say, mut found) = mpsc::channel(9);
        let looks = Looks::new(cards, 1, say);
        looks.watch(&[RosterCard { id: 1, address: address.to_string(), serial: None }]);
        let card = Arc::clone(&looks.watched.lock()[0]);
        *card.memory.lock() = known(address);

        looks.start(Arc::clone(&card)).await;
        let (polled, _) = listener.accept().await.unwrap();
        assert_eq!(looks.identities().len(), 1, "a scan that ends now finds it");
        looks.introduce_again();
        drop((polled, listener));
        let seen = tokio::time::timeout(Duration::from_secs(30), found.recv()).await.unwrap().unwrap();
        assert!(seen.sighting.is_none(), "it did not answer");
        let memory = card.memory.lock().clone();
        assert!(!memory.is_told && memory.identity.is_some(), "{memory:?}");
    }
}
