//! What actions need.

use std::collections::{BTreeMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use wire::{Key, Task};

// By its own path: whoever needs the tools needs no other action.
use crate::act::power::Controllers;
use crate::cards::Cards;
use crate::clean::CleanCards;
use crate::files::Files;
use crate::leash::Leash;
use crate::room::{Room, Turns};
use crate::stores::Stores;

/// What actions need.
#[derive(Debug)]
pub struct Tools {
    /// Connections to the cards.
    pub cards: Arc<Cards>,
    /// Files from and for the console.
    pub files: Files,
    /// BMCs.
    pub controllers: Controllers,
    /// Whether the console is there.
    pub leash: Leash,
    /// What wipes go by.
    pub clean_cards: CleanCards,
    /// Where copies lie.
    pub stores: Arc<Stores>,
    /// How much is copied at once.
    pub room: Room,
    /// Which packages are being saved.
    pub packages: Turns,
    /// What the console does not want any more.
    pub called_off: Mutex<HashSet<Key>>,
    /// How far attempts are that take long: bytes that are done, of how many.
    pub progress: Mutex<BTreeMap<Key, (u64, u64)>>,
}

impl Tools {
    /// The address of the task's card; none if the console sent an invalid one.
    #[must_use]
    pub fn address(&self, task: &Task) -> Option<SocketAddr> {
        task.address.parse().ok()
    }
}
