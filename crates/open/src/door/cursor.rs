//! Lists that are read on from the last row, never by the number of a page.

use base::fault::{Fault, Outcome};
use kernel::rules::Violation;
use serde::Serialize;
use utoipa::ToSchema;

/// Rows of an answer where nobody says how many.
const USUAL: i64 = 100;
/// Rows of an answer at most.
const MOST: i64 = 500;

/// A part of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenList<T> {
    /// In the order in which they came to be.
    pub list: Vec<T>,
    /// Send it as `after` to read on; null if there are no more for now.
    pub next: Option<String>,
}

/// Where a list is read on, and how far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// The id of the last row that was read; 0 at the beginning.
    pub after: i64,
    limit: i64,
}

impl Window {
    /// The one that is asked for.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn of(after: Option<&str>, limit: Option<i64>) -> Outcome<Self> {
        let limit = limit.unwrap_or(USUAL);
        if !(1..=MOST).contains(&limit) {
            return Err(Fault::field("limit", Violation::new("integer.range").with("min", 1).with("max", MOST)));
        }
        let after = after.map_or(Some(0), |after| after.parse().ok().filter(|after| *after >= 0));
        let after = after.ok_or_else(|| Fault::field("after", Violation::wrong_type()))?;
        Ok(Self { after, limit })
    }

    /// How many rows to read: one more than is answered, to know whether there are more.
    pub const fn to_read(self) -> u64 {
        self.limit.unsigned_abs() + 1
    }

    /// What is answered of the rows that were read; `id` is a row's.
    pub fn answer<R, T>(self, mut rows: Vec<R>, id: impl Fn(&R) -> i64, view: impl FnMut(R) -> T) -> OpenList<T> {
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let has_more = rows.len() > limit;
        rows.truncate(limit);
        let next = rows.last().filter(|_| has_more).map(|last| id(last).to_string());
        OpenList { list: rows.into_iter().map(view).collect(), next }
    }
}

/// The number of a thing, as it stands in an address. One that is none belongs to nothing.
pub fn number(id: &str) -> Option<i64> {
    id.parse().ok().filter(|id| *id > 0)
}

#[cfg(test)]
mod tests {
    use super::{Window, number};

    #[test]
    fn the_last_part_says_that_it_is_the_last() {
        let part = |limit, rows: &[i64]| {
            let window = Window::of(None, Some(limit)).expect("it is valid");
            let part = window.answer(rows.to_vec(), |row| *row, |row| row);
            (part.list, part.next)
        };
        assert_eq!(part(2, &[4, 5, 9]), (vec![4, 5], Some("5".to_owned())));
        assert_eq!(part(3, &[4, 5, 9]), (vec![4, 5, 9], None));
        assert_eq!(part(3, &[]), (vec![], None));
    }

    #[test]
    fn what_is_no_window_is_refused() {
        for (after, limit) in [(None, Some(0)), (None, Some(501)), (Some("x"), None), (Some("-1"), None)] {
            assert!(Window::of(after, limit).is_err(), "{after:?} {limit:?}");
        }
        assert_eq!(Window::of(Some("7"), None).map(|window| (window.after, window.to_read())).ok(), Some((7, 101)));
        assert_eq!((number("12"), number("0"), number("-1"), number("1e3")), (Some(12), None, None, None));
    }
}
