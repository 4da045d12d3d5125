//! A room of a few cards that boot fast.

use std::time::Duration;

use adb::{Card, Limits, Options};
use sim::{Room, Settings};

/// A room with this many cards.
pub async fn room(cards: usize, faults: &str) -> Room {
    let faults = faults.parse().expect("a plan of faults");
    let settings = Settings { cards, faults, boot: Duration::from_millis(400), ..Settings::default() };
    Room::start(settings).await.expect("free ports")
}

/// Short limits, so that a test of a hanging card is short.
pub fn options() -> Options {
    let limits = Limits {
        handshake: Duration::from_secs(2),
        approval: Duration::from_millis(300),
        step: Duration::from_secs(2),
        transfer: Duration::from_secs(20),
        ..Limits::default()
    };
    Options { limits, ..Options::default() }
}

/// The first card, connected.
pub async fn card(room: &Room) -> Card {
    Card::connect(room.cards[0].address, &options()).await.expect("a sound card")
}
