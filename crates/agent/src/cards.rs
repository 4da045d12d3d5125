//! The room's cards: one kept connection each, made when it is needed and made anew when it broke.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use adb::{Card, Error, Options};
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;

/// A card as the agent knows it.
#[derive(Debug, Default)]
pub struct Place {
    /// Held while a connection is made or changed.
    connection: AsyncMutex<Option<Card>>,
    /// Held by the task that works on the card: one at a time.
    pub busy: AsyncMutex<()>,
}

/// All cards, by address.
#[derive(Debug)]
pub struct Cards {
    options: Options,
    places: Mutex<HashMap<SocketAddr, Arc<Place>>>,
}

impl Cards {
    /// No card is known yet.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, places: Mutex::default() }
    }

    /// How to connect to a card that may not be there: the same key, and little patience.
    #[must_use]
    pub fn brief(&self) -> Options {
        let mut options = self.options.clone();
        options.limits.connect = Duration::from_secs(1);
        options.limits.handshake = Duration::from_secs(3);
        options
    }

    /// The place at an address.
    #[must_use]
    pub fn place(&self, address: SocketAddr) -> Arc<Place> {
        Arc::clone(self.places.lock().entry(address).or_default())
    }

    /// Forgets whatever is not wanted any more, with its connections.
    pub fn keep_only(&self, wanted: impl Fn(&SocketAddr) -> bool) {
        self.places.lock().retain(|address, place| wanted(address) || Arc::strong_count(place) > 1);
    }

    /// The card at an address, on its kept connection or on a new one.
    ///
    /// # Errors
    /// It is not there, or does not let us in.
    pub async fn get(&self, address: SocketAddr) -> Result<Card, Error> {
        use adb::Device as _;
        let place = self.place(address);
        let mut kept = place.connection.lock().await;
        if let Some(card) = kept.as_ref().filter(|card| card.is_open()) {
            return Ok(card.clone());
        }
        *kept = None;
        let card = Card::connect(address, &self.options).await?;
        *kept = Some(card.clone());
        Ok(card)
    }

    /// Drops a connection that is of no use: the next one who asks gets a new one.
    pub async fn drop_connection(&self, address: SocketAddr) {
        let place = self.place(address);
        place.connection.lock().await.take();
    }
}
