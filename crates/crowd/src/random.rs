//! Numbers that are the same in every run (SplitMix64).

/// A stream of numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The stream of a seed that belongs to these: each two of them have streams of their own.
    pub fn of(seed: u64, of: [u64; 2]) -> Self {
        let mut random = Self(seed);
        for part in of {
            random.0 = random.draw() ^ part;
        }
        random
    }

    /// The next 64 bits.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number from `low` up to `high`, which is not less.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.draw() % (high - low + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn it_is_splitmix64() {
        // The first numbers of the reference implementation for the seed 1234567.
        let mut random = Random(1_234_567);
        let first = [random.draw(), random.draw(), random.draw()];
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn streams_differ_by_each_of_what_they_belong_to() {
        let first = |seed, of| Random::of(seed, of).draw();
        assert_eq!(first(1, [2, 3]), first(1, [2, 3]));
        for (seed, of) in [(2, [2, 3]), (1, [3, 2]), (1, [2, 4]), (1, [4, 3])] {
            assert_ne!(first(1, [2, 3]), first(seed, of), "{seed} {of:?}");
        }
        let mut random = Random::of(7, [0, 0]);
        let drawn: Vec<u64> = (0..200).map(|_| random.between(3, 6)).collect();
        assert!((3..=6).all(|wanted| drawn.contains(&wanted)) && drawn.iter().all(|found| (3..=6).contains(found)));
    }
}
