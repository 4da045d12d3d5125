//! The faults of cards, and which cards have them.

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::chance;

macro_rules! faults {
    ($($(#[$doc:meta])* $variant:ident = $name:literal,)*) => {
        /// A fault. A card can have any number of them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Fault {
            $($(#[$doc])* $variant,)*
        }

        impl Fault {
            /// Every fault there is.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// Its name on the command line and in the control API.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }
        }
    };
}

faults! {
    /// The port is closed.
    Refuses = "refuses",
    /// Accepts the connection and never answers.
    Silent = "silent",
    /// Completes the handshake, and then never answers.
    Hangs = "hangs",
    /// Answers every request with bytes that are not ADB.
    Garbage = "garbage",
    /// A header that claims 4 GiB.
    Lies = "lies",
    /// Every command prints endlessly.
    Flood = "flood",
    /// Every answer is delayed by two seconds.
    Slow = "slow",
    /// Android restarts before it has booted, again and again.
    BootLoop = "boot_loop",
    /// The storage is full.
    NoSpace = "no_space",
    /// The installed packages are signed by somebody else.
    WrongSigner = "wrong_signer",
    /// The connection is cut in the middle of a transfer.
    Drops = "drops",
    /// Requires a key and accepts none.
    Unauthorized = "unauthorized",
    /// An old Android: no shell_v2, no cmd, no stat_v2, payloads of 4 KiB, checksums in every message.
    Old = "old",
    /// 95 degrees.
    Hot = "hot",
    /// The BMC accepts every command for this card and nothing happens.
    PowerStuck = "power_stuck",
    /// The BMC accepts the first command and loses it, and executes the next.
    LostReset = "lost_reset",
    /// The BMC does not know whether the card is on.
    PowerUnknown = "power_unknown",
    /// Restarts when it is asked to, without having answered.
    Sudden = "sudden",
    /// ADB has no root any more, from the next start on.
    Rootless = "rootless",
    /// User 0 has a screen lock from the next start on, and nobody has unlocked it.
    Locked = "locked",
    /// The launcher dies whenever it is started.
    NoLauncher = "no_launcher",
}

impl Fault {
    const fn bit(self) -> u32 {
        1 << self as u32
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Fault {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|fault| fault.name() == text).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|fault| fault.name()).collect();
            format!("there is no fault \"{text}\"; there are {}", names.join(", "))
        })
    }
}

/// The faults that are on at one card.
#[derive(Debug, Default)]
pub struct Faults(AtomicU32);

impl Faults {
    /// Whether this one is on.
    #[must_use]
    pub fn has(&self, fault: Fault) -> bool {
        self.0.load(Ordering::Relaxed) & fault.bit() != 0
    }

    /// Switches one on or off.
    pub fn set(&self, fault: Fault, on: bool) {
        if on {
            self.0.fetch_or(fault.bit(), Ordering::Relaxed);
        } else {
            self.0.fetch_and(!fault.bit(), Ordering::Relaxed);
        }
    }

    /// Switches all off.
    pub fn clear(&self) {
        self.0.store(0, Ordering::Relaxed);
    }

    /// The names of those that are on.
    #[must_use]
    pub fn names(&self) -> Vec<&'static str> {
        Fault::ALL.iter().filter(|fault| self.has(**fault)).map(|fault| fault.name()).collect()
    }
}

/// A plan of faults for cards: `hangs=1%,no_space=3,drops@0-9+12`.
///
/// `=P%` is a share and `=N` a number of cards, chosen by the seed; `@` lists the cards, from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan(Vec<(Fault, Share)>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Share {
    /// In hundredths of a percent.
    Percent(usize),
    Count(usize),
    Cards(Vec<(usize, usize)>),
}

impl FromStr for Plan {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        let entries = text.split(',').map(str::trim).filter(|entry| !entry.is_empty());
        entries.map(entry).collect::<Result<_, _>>().map(Self)
    }
}

fn entry(text: &str) -> Result<(Fault, Share), String> {
    if let Some((name, cards)) = text.split_once('@') {
        let ranges = cards.split('+').map(|part| {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            Some((first.parse().ok()?, last.parse().ok()?))
        });
        let ranges = ranges.collect::<Option<_>>().ok_or_else(|| format!("\"{cards}\" is no list like 0-9+12"))?;
        return Ok((name.parse()?, Share::Cards(ranges)));
    }
    let (name, share) = text.split_once('=').unwrap_or((text, "100%"));
    let bad = || format!("\"{share}\" is neither a share like 5% nor a number of cards");
    let share = match share.strip_suffix('%') {
        Some(percent) => Share::Percent(hundredths(percent).filter(|share| *share <= 10_000).ok_or_else(bad)?),
        None => Share::Count(share.parse().map_err(|_| bad())?),
    };
    Ok((name.parse()?, share))
}

/// `1.5` as 150.
fn hundredths(percent: &str) -> Option<usize> {
    let (whole, part) = percent.split_once('.').unwrap_or((percent, ""));
    let part = format!("{part:0<2}");
    whole.parse::<usize>().ok()?.checked_mul(100)?.checked_add(part.get(..2)?.parse().ok()?)
}

impl Plan {
    /// Each fault with the cards that it is for.
    #[must_use]
    pub fn cards(&self, seed: u64, of: usize) -> Vec<(Fault, Vec<usize>)> {
        self.0.iter().map(|(fault, share)| (*fault, pick(*fault, share, seed, of))).collect()
    }
}

fn pick(fault: Fault, share: &Share, seed: u64, of: usize) -> Vec<usize> {
    let luck = |card: usize| chance::number(seed, card as u64, fault.bit().into());
    let wanted = match share {
        Share::Cards(ranges) => {
            return (0..of).filter(|card| ranges.iter().any(|(first, last)| (first..=last).contains(&card))).collect();
        }
        Share::Percent(hundredths) => (of * hundredths + 5000) / 10_000,
        Share::Count(count) => *count,
    };
    let mut cards: Vec<usize> = (0..of).collect();
    cards.sort_unstable_by_key(|card| luck(*card));
    cards.truncate(wanted);
    cards.sort_unstable();
    cards
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
mod tests {
    use super::*;

    #[test]
    fn a_plan_names_shares_numbers_and_cards() {
        let plan: Plan = "hangs=1.5%, no_space=3,drops@0-2+7".parse().unwrap();
        let cards = plan.cards(1, 1000);
        assert_eq!(cards.iter().map(|(_, cards)| cards.len()).collect::<Vec<_>>(), [15, 3, 4]);
        assert_eq!(cards[2], (Fault::Drops, vec![0, 1, 2, 7]));
        assert_eq!(plan.cards(1, 1000), cards, "the same seed chooses the same cards");
        assert_ne!(plan.cards(2, 1000), cards);
        for bad in ["nothing", "hangs=101%", "hangs=x", "drops@a", "hangs=-1%"] {
            assert!(bad.parse::<Plan>().is_err(), "{bad}");
        }
    }
}
