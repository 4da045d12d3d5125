//! The rows of a spreadsheet as returned by its inspector.

use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher as _;
use std::io::{BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::ops::ControlFlow;

use kernel::rules::Violation;

use super::{MOST_ROWS, Told, unreadable};
use crate::fault::{Fault, Outcome};
use crate::sheet::{Problem, RowNumber};

/// Maximum size of a line: 64 cells of 1,024 characters, however they are encoded.
const LINE: u64 = 1 << 20;
/// Maximum size of the last line: it is not a row.
const LAST_LINE: u64 = 4 << 10;

/// The rows of a spreadsheet, on the disk.
#[derive(Debug)]
pub struct Table {
    lines: BufReader<File>,
    rows: u32,
}

impl Table {
    /// The result for the file is its last line, and is read first.
    pub(crate) fn new(mut answer: File) -> Outcome<Self> {
        let size = answer.seek(SeekFrom::End(0))?;
        answer.seek(SeekFrom::Start(size.saturating_sub(LAST_LINE)))?;
        let mut tail = Vec::new();
        answer.by_ref().take(LAST_LINE).read_to_end(&mut tail)?;
        let tail = tail.strip_suffix(b"\n").unwrap_or(&tail);
        let last = tail.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        let rows = match serde_json::from_slice(last) {
            Ok(Told::End { rows }) => rows.saturating_sub(1),
            Ok(other) => return Err(Problem::from(other).into()),
            Err(_) => return Err(Fault::field("file", unreadable())),
        };
        if rows > MOST_ROWS {
            return Err(Fault::field("file", Violation::new("sheet.tooManyRows").with("max", MOST_ROWS)));
        }
        answer.rewind()?;
        Ok(Self { lines: BufReader::new(answer), rows })
    }

    /// Rows, without the heading.
    #[must_use]
    pub const fn rows(&self) -> u32 {
        self.rows
    }

    /// Passes every row to `each` with its number, until `each` stops. It blocks: call it on a thread for such work.
    ///
    /// # Errors
    /// When the rows cannot be read from the disk, or are invalid.
    pub fn each(mut self, mut each: impl FnMut(RowNumber, Vec<String>) -> ControlFlow<()>) -> Result<(), Problem> {
        let mut line = Vec::new();
        loop {
            line.clear();
            self.lines.by_ref().take(LINE).read_until(b'\n', &mut line)?;
            if line.first() != Some(&b'[') {
                let is_end = matches!(serde_json::from_slice(&line), Ok(Told::End { .. }));
                return if is_end { Ok(()) } else { Err(Problem::Refused(unreadable())) };
            }
            let (row, cells) = serde_json::from_slice(&line).map_err(|_| Problem::Refused(unreadable()))?;
            if each(row, cells).is_break() {
                return Ok(());
            }
        }
    }
}

/// The row in which a value was seen first. It stores a hash of each value, not the value: a file may have hundreds of
/// thousands, and long ones. Two of them collide once in a billion files.
///
/// As many slots as needed, and never more: a growing map needs twice the memory meanwhile, and a map of the standard
/// library rounds up to a power of two.
#[derive(Debug, Default)]
pub struct FirstSeen {
    /// Two halves of a value's hash and its row; row 0 is a free slot. A value is in the slot that its hash selects, or
    /// after it.
    places: Vec<[u32; 3]>,
    hasher: RandomState,
}

impl FirstSeen {
    /// For at most this many values.
    #[must_use]
    pub fn of(values: usize) -> Self {
        // A third is free, so that a free slot is near.
        Self { places: vec![[0; 3]; values + values / 2 + 1], hasher: RandomState::new() }
    }

    /// The row in which `value` was seen first: `row`, if never before. Values beyond the capacity are not remembered.
    pub fn note(&mut self, value: &impl std::hash::Hash, row: RowNumber) -> RowNumber {
        let number = self.hasher.hash_one(value);
        let [high, low] = [(number >> 32) as u32, number as u32];
        let many = self.places.len();
        let first = usize::try_from((u128::from(number) * many as u128) >> 64).unwrap_or(0);
        for at in (first..many).chain(0..first) {
            let place = &mut self.places[at];
            match *place {
                [_, _, 0] => {
                    *place = [high, low, row];
                    return row;
                }
                [a, b, seen] if [a, b] == [high, low] => return seen,
                _ => {}
            }
        }
        row
    }
}

#[cfg(test)]
mod tests {
    use super::FirstSeen;

    #[test]
    fn the_first_row_of_a_value_is_remembered() {
        let mut seen = FirstSeen::of(2);
        let rows = [seen.note(&("a", 1), 2), seen.note(&("a", 2), 3), seen.note(&("a", 1), 9)];
        assert_eq!(rows, [2, 3, 2]);
        let mut none = FirstSeen::default();
        assert_eq!([none.note(&"a", 2), none.note(&"a", 3)], [2, 3], "it says nothing of what it has no place for");
    }

    #[test]
    fn many_values_are_told_apart_in_as_many_places_as_they_need() {
        let mut seen = FirstSeen::of(200_000);
        for round in 0..2 {
            for value in 1..=200_000_u32 {
                assert_eq!(seen.note(&value.to_string(), value + round), value);
            }
        }
        assert!(seen.places.capacity() * size_of::<[u32; 3]>() < 4 << 20);
    }
}
