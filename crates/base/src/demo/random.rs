//! A small pseudo-random generator that gives the same numbers in every run (SplitMix64).

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream `index` for the purpose `salt`; streams are independent of each other.
    #[must_use]
    pub fn stream(salt: u64, index: u32) -> Self {
        let mut seed =
            Self(salt.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ u64::from(index).wrapping_mul(0xd1b5_4a32_d192_ed03));
        seed.next();
        seed
    }

    /// The next 64 bits.
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// A fraction: 0 or more, less than 1.
    pub fn fraction(&mut self) -> f64 {
        // A double represents 53 bits exactly.
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// True in `percent` of the cases.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// One of `choices`, with equal probability.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[usize::try_from(self.below(choices.len() as u64)).unwrap_or(0)]
    }

    /// One of `choices`, weighted.
    pub fn weighted<T: Copy>(&mut self, choices: &[(T, u64)]) -> T {
        let mut left = self.below(choices.iter().map(|(_, weight)| weight).sum());
        for (choice, weight) in choices {
            if left < *weight {
                return *choice;
            }
            left -= weight;
        }
        choices[0].0
    }
}
