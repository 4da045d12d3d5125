//! Whether a copy has far less than the one before it, as their manifests say: a rule without a database. It may be that somebody
//! has tidied up; it may also be that the card has lost what it had, and then the copy before is all that there is of it.

use std::collections::HashMap;

use entity::backup;
use wire::copy::{Amount, Manifest};

/// What a copy holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// All of it.
    pub whole: Amount,
    /// The data of each package that is installed.
    pub packages: HashMap<String, Amount>,
}

/// How a copy compares with the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shrunk {
    /// As far as anybody can tell it has all of it.
    No,
    /// An app that is still installed has less than half of its files or bytes.
    App,
    /// The whole phone has.
    Phone,
}

impl Contents {
    /// What a copy holds, of which all is so much.
    pub fn of(copy: &backup::Model, whole: Amount) -> Self {
        // One that nobody can read names no packages.
        let manifest: Manifest = serde_json::from_str(&copy.manifest).unwrap_or_default();
        let packages = manifest.packages.into_iter().map(|package| (package.name, package.amount)).collect();
        Self { whole, packages }
    }

    /// The same without what these packages have.
    pub fn leave_out(&mut self, packages: &[String]) {
        for had in packages.iter().filter_map(|name| self.packages.remove(name)) {
            self.whole.files = self.whole.files.saturating_sub(had.files);
            self.whole.bytes = self.whole.bytes.saturating_sub(had.bytes);
        }
    }

    /// How it compares with what was copied before.
    pub fn shrunk(&self, before: &Self) -> Shrunk {
        if has_less(self.whole, before.whole) {
            return Shrunk::Phone;
        }
        let is_less =
            |(name, now): (&String, &Amount)| before.packages.get(name).is_some_and(|had| has_less(*now, *had));
        if self.packages.iter().any(is_less) { Shrunk::App } else { Shrunk::No }
    }
}

/// Whether there are less than half of the files, or of the bytes.
const fn has_less(now: Amount, had: Amount) -> bool {
    now.files.saturating_mul(2) < had.files || now.bytes.saturating_mul(2) < had.bytes
}

#[cfg(test)]
mod tests {
    use wire::copy::Amount;

    use super::{Contents, Shrunk};

    fn holds(files: u64, bytes: u64, packages: &[(&str, u64, u64)]) -> Contents {
        let amount = |files, bytes| Amount { files, bytes };
        let packages =
            packages.iter().map(|(name, files, bytes)| ((*name).to_owned(), amount(*files, *bytes))).collect();
        Contents { whole: amount(files, bytes), packages }
    }

    #[test]
    fn a_copy_has_shrunk_if_less_than_half_is_left_of_an_app_or_of_all() {
        let before = holds(100, 1_000, &[("game", 10, 400), ("chat", 4, 100), ("empty", 0, 0)]);
        for (now, wanted, why) in [
            (before.clone(), Shrunk::No, "it is the same"),
            (holds(200, 9_000, &[("game", 90, 900), ("new", 1, 1)]), Shrunk::No, "it has grown"),
            (holds(50, 500, &[("game", 5, 200), ("chat", 2, 50)]), Shrunk::No, "exactly half is left"),
            (holds(49, 1_000, &[]), Shrunk::Phone, "files"),
            (holds(100, 499, &[]), Shrunk::Phone, "bytes"),
            (holds(0, 0, &[]), Shrunk::Phone, "nothing is left"),
            (holds(90, 900, &[("game", 4, 400)]), Shrunk::App, "an app's files"),
            (holds(90, 900, &[("game", 10, 199)]), Shrunk::App, "an app's bytes"),
            (holds(90, 900, &[("chat", 0, 0)]), Shrunk::App, "an app's data"),
            (holds(90, 600, &[("chat", 4, 100)]), Shrunk::No, "an app that was removed"),
            (holds(90, 900, &[("empty", 0, 0)]), Shrunk::No, "one that never had anything"),
            (holds(10, 100, &[("game", 1, 1)]), Shrunk::Phone, "the worse is said"),
        ] {
            assert_eq!(now.shrunk(&before), wanted, "{why}");
        }
        // What did not come with the copy before is not missed: neither it nor its part of the whole.
        let mut rest = holds(100, 1_000, &[("game", 60, 900), ("chat", 4, 100)]);
        rest.leave_out(&["game".to_owned(), "gone".to_owned()]);
        assert_eq!(rest, holds(40, 100, &[("chat", 4, 100)]));
        assert_eq!(holds(30, 90, &[("game", 1, 1), ("chat", 4, 80)]).shrunk(&rest), Shrunk::No);
        assert_eq!(holds(30, 90, &[("chat", 1, 80)]).shrunk(&rest), Shrunk::App, "the others are compared as ever");
        // Nothing is known of what was before.
        assert_eq!(holds(0, 0, &[]).shrunk(&Contents::default()), Shrunk::No);
        let lies = holds(u64::MAX, u64::MAX, &[]);
        assert_eq!((lies.shrunk(&lies), before.shrunk(&lies)), (Shrunk::No, Shrunk::Phone));
    }
}
