//! Pseudo-random numbers that are the same for the same seed.

/// A number for this card and purpose (SplitMix64: Steele, Lea, Flood, OOPSLA 2014).
#[must_use]
pub const fn number(seed: u64, card: u64, purpose: u64) -> u64 {
    mix(mix(mix(seed) ^ card) ^ purpose.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// The numbers of a seed, one after the other: `at(n)` is `number(seed, n, 0)`.
#[derive(Clone, Copy, Debug)]
pub struct Numbers(u64);

impl Numbers {
    /// Of this seed.
    #[must_use]
    pub const fn of(seed: u64) -> Self {
        Self(mix(seed))
    }

    /// The one with this number.
    #[inline]
    #[must_use]
    pub const fn at(self, number: u64) -> u64 {
        mix(mix(self.0 ^ number))
    }
}

/// A number from `low` to `high`.
#[must_use]
pub const fn between(seed: u64, card: u64, purpose: u64, low: u64, high: u64) -> u64 {
    low + number(seed, card, purpose) % (high - low + 1)
}

#[inline]
const fn mix(value: u64) -> u64 {
    let z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
