//! The room's cards: one persistent connection each, opened on demand and reopened when it breaks.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use adb::{Card, Error, Options};
use outbound::Rule;
use parking_lot::Mutex;
use tokio::sync::Mutex as AsyncMutex;

/// A card as the agent knows it.
#[derive(Debug, Default)]
pub struct Place {
    /// Held while a connection is opened or replaced.
    connection: AsyncMutex<Option<Card>>,
    /// Held by the task that works on the card: one at a time.
    pub busy: AsyncMutex<()>,
}

/// All cards, by address.
#[derive(Debug)]
pub struct Cards {
    options: Options,
    targets: Rule,
    places: Mutex<HashMap<SocketAddr, Arc<Place>>>,
}

impl Cards {
    /// No cards yet.
    #[must_use]
    pub fn new(options: Options, targets: Rule) -> Self {
        Self { options, targets, places: Mutex::default() }
    }

    /// Checks whether a card may have this address.
    ///
    /// # Errors
    /// The agent refuses the address, whatever the console says.
    pub fn permit(&self, address: SocketAddr) -> Result<(), Error> {
        self.targets.check(address.ip()).map_err(|refused| Error::AddressRefused { why: refused.to_string() })
    }

    /// Options for an address that may have no card: the same key, and a short timeout.
    #[must_use]
    pub fn brief(&self) -> Options {
        let mut options = self.options.clone();
        options.limits.connect = Duration::from_secs(1);
        options.limits.handshake = Duration::from_secs(3);
        options
    }

    /// The entry for an address.
    #[must_use]
    pub fn place(&self, address: SocketAddr) -> Arc<Place> {
        Arc::clone(self.places.lock().entry(address).or_default())
    }

    /// Drops all other cards, with their connections.
    pub fn keep_only(&self, wanted: impl Fn(&SocketAddr) -> bool) {
        self.places.lock().retain(|address, place| wanted(address) || Arc::strong_count(place) > 1);
    }

    /// The card at an address, on its open connection or on a new one.
    ///
    /// # Errors
    /// It is not there, or refuses us.
    pub async fn get(&self, address: SocketAddr) -> Result<Card, Error> {
        use adb::Device as _;
        self.permit(address)?;
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

    /// Drops a broken connection: the next caller gets a new one.
    pub async fn drop_connection(&self, address: SocketAddr) {
        let place = self.place(address);
        place.connection.lock().await.take();
    }
}
