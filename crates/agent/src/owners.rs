//! Whose things are on another card: an app has another number on each.
//!
//! Android counts several numbers from that of an app, each in a range of its own: its user, and the groups of its caches,
//! of what it has outside, of its caches there, and of its code (AOSP `android_filesystem_config.h`: `AID_APP_START`,
//! `AID_CACHE_GID_START`, `AID_EXT_GID_START`, `AID_EXT_CACHE_GID_START`, `AID_SHARED_GID_START`).

use std::collections::HashMap;

use wire::copy::PackageData;

/// Numbers in a range.
const RANGE: u32 = 10_000;
/// The ranges that are counted from the number of an app, by their ten thousands.
const OF_APPS: std::ops::RangeInclusive<u32> = 1..=5;
/// `AID_MEDIA_RW`: whoever reads and writes what all users see as their files.
const MEDIA: u32 = 1023;

/// The numbers of apps where a copy was made, and here.
#[derive(Clone, Debug, Default)]
pub struct Owners {
    here: HashMap<String, u32>,
    /// By the number there.
    turned: HashMap<u32, u32>,
}

impl Owners {
    /// For the packages of a copy, on a card where packages have these numbers.
    #[must_use]
    pub fn new(packages: &[PackageData], here: HashMap<String, u32>) -> Self {
        let mut owners = Self { here, turned: HashMap::new() };
        for package in packages {
            owners.learn(&package.name, package.uid);
        }
        owners
    }

    /// The numbers here, by the package.
    #[must_use]
    pub const fn here(&self) -> &HashMap<String, u32> {
        &self.here
    }

    /// Whether a package is on this card.
    #[must_use]
    pub fn has(&self, package: &str) -> bool {
        self.here.contains_key(package)
    }

    /// The number that a package had where the copy was made.
    pub fn learn(&mut self, package: &str, there: u32) {
        if let Some(here) = self.here.get(package)
            && there / RANGE == 1
        {
            self.turned.entry(there).or_insert(*here);
        }
    }

    /// The number here that stands for one there. In the folder of a package one that nobody knows is its own; elsewhere
    /// whoever it was is not here.
    #[must_use]
    pub fn turned(&self, number: u32, package: Option<&str>) -> u32 {
        if !OF_APPS.contains(&(number / RANGE)) {
            return number;
        }
        let app = RANGE + number % RANGE;
        let known = self.turned.get(&app).or_else(|| self.here.get(package?));
        known.map_or(MEDIA, |here| if here / RANGE == 1 { number - app + here } else { *here })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use wire::copy::PackageData;

    use super::Owners;

    #[test]
    fn what_is_counted_from_an_app_is_counted_from_it_here() {
        let package = |name: &str, uid| PackageData { name: name.to_owned(), uid, ..PackageData::default() };
        let here = [("com.game", 10_201), ("com.shop", 10_055), ("com.late", 10_300), ("android", 1_000)];
        let here: HashMap<String, u32> = here.into_iter().map(|(name, uid)| (name.to_owned(), uid)).collect();
        let there = [
            package("com.game", 10_061),
            package("com.shop", 10_201),
            package("com.late", 0),
            package("android", 1_000),
        ];
        let mut owners = Owners::new(&there, here);
        for (number, wanted) in [
            (10_061, 10_201),
            (10_201, 10_055),
            (20_061, 20_201),
            (30_061, 30_201),
            (50_061, 50_201),
            (1_000, 1_000),
            (1_023, 1_023),
            (0, 0),
            (99_061, 99_061),
        ] {
            assert_eq!(owners.turned(number, Some("com.game")), wanted, "{number}");
        }
        assert_eq!(owners.turned(20_999, Some("com.game")), 20_201, "nobody knows it: it is the package's");
        assert_eq!((owners.turned(10_999, None), owners.turned(10_999, Some("com.gone"))), (1_023, 1_023));
        assert_eq!(owners.turned(10_900, Some("com.late")), 10_300);
        owners.learn("com.late", 10_061);
        assert_eq!(owners.turned(10_061, None), 10_201, "what was told first stays");
        owners.learn("com.late", 10_062);
        assert_eq!(owners.turned(10_062, None), 10_300);
        assert!(owners.has("com.late") && !owners.has("com.gone"));
    }
}
