//! Content that is computed and not stored.

use crate::chance::Numbers;

/// Content that nobody stores: up to here it follows from the seed and the offset.
#[derive(Clone, Copy, Debug)]
pub struct Computed {
    pub seed: u64,
    pub until: u64,
}

/// Computed bytes from an offset; zeros where nothing is computed.
pub fn fill(computed: Option<Computed>, offset: u64, into: &mut [u8]) {
    let Some(Computed { seed, until }) = computed else { return into.fill(0) };
    let length = usize::try_from(until.saturating_sub(offset)).unwrap_or(usize::MAX).min(into.len());
    let (content, nothing) = into.split_at_mut(length);
    nothing.fill(0);
    let numbers = Numbers::of(seed);
    // Words begin at each eighth byte of the file, wherever the part does.
    let (first, rest) = content.split_at_mut(length.min(usize::try_from(offset.wrapping_neg() % 8).unwrap_or(0)));
    let within = usize::try_from(offset % 8).unwrap_or(0);
    first.copy_from_slice(&numbers.at(offset / 8).to_le_bytes()[within..within + first.len()]);
    for (word, part) in (offset.div_ceil(8)..).zip(rest.chunks_mut(8)) {
        part.copy_from_slice(&numbers.at(word).to_le_bytes()[..part.len()]);
    }
}

#[cfg(test)]
mod tests {
    use super::{Computed, fill};
    use crate::chance::number;

    #[test]
    fn parts_of_a_computed_file_are_what_the_whole_is() {
        let computed = Some(Computed { seed: 7, until: 37 });
        let mut whole = [1; 50];
        fill(computed, 0, &mut whole);
        assert_eq!(whole[8..16], number(7, 1, 0).to_le_bytes());
        assert_eq!((&whole[32..37], &whole[37..]), (&number(7, 4, 0).to_le_bytes()[..5], &[0; 13][..]));
        for from in 0..whole.len() {
            for length in 0..=whole.len() - from {
                let mut part = vec![1; length];
                fill(computed, from as u64, &mut part);
                assert_eq!(part, whole[from..from + length], "{length} bytes from {from}");
            }
        }
    }
}
