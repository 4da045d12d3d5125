//! What the things of a copy are, by where they are in it: the same places as [`crate::cover`] gives them.

use crate::cover::{OWNER, SETTINGS};

/// The settings in which apps know a phone by ids of their own.
const APP_IDS: &str = "settings_ssaid.xml";

/// What something in a copy is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// A folder that every card has, on the way to others.
    Way,
    /// The private data of an app.
    App {
        /// Whose.
        package: &'a str,
        /// The folder that holds all of it.
        is_root: bool,
    },
    /// What users see as their files.
    Shared {
        /// Whose folder outside it is in.
        package: Option<&'a str>,
    },
    /// A setting of Android.
    Setting,
    /// The ids that apps know a phone by.
    AppIds,
}

/// Where something of a copy is below the root of a card's data, and what it is; none if no copy has something there.
#[must_use]
pub fn place(path: &[u8]) -> Option<(&[u8], Place<'_>)> {
    if path == b"data" {
        return Some((b"", Place::Way));
    }
    let below = path.strip_prefix(b"data/")?;
    // What has no name in UTF-8 is no package, and no folder of Android's.
    let parts: Vec<&str> = below.split(|byte| *byte == b'/').map(|part| str::from_utf8(part).unwrap_or("")).collect();
    let place = match parts.as_slice() {
        ["user" | "user_de" | "media" | "system"]
        | ["user" | "user_de" | "media", OWNER]
        | ["system", "users"]
        | ["system", "users", OWNER] => Place::Way,
        ["user" | "user_de", OWNER, package] => Place::App { package, is_root: true },
        ["user" | "user_de", OWNER, package, ..] => Place::App { package, is_root: false },
        ["media", OWNER, "Android", "data" | "obb" | "media", package, ..] | ["media", "obb", package, ..] => {
            Place::Shared { package: Some(package) }
        }
        ["media", OWNER | "obb", ..] => Place::Shared { package: None },
        ["system", "users", OWNER, APP_IDS] => Place::AppIds,
        ["system", "users", OWNER, file] if SETTINGS.contains(file) => Place::Setting,
        _ => return None,
    };
    (!matches!(place, Place::App { package: "", .. })).then_some((below, place))
}

/// Whether something below `/data` may be the phone's, and not a book of Android's.
#[must_use]
pub fn is_of_phone(path: &[u8]) -> bool {
    let is_in = |place: &&[u8]| path.starts_with(place);
    [&b"data/"[..], b"user/", b"user_de/", b"media/", b"app/"].iter().any(is_in) || is_setting(path)
}

/// Whether it is one of Android's settings that are kept.
#[must_use]
pub fn is_setting(path: &[u8]) -> bool {
    path.strip_prefix(b"system/users/0/").is_some_and(|file| SETTINGS.iter().any(|kept| kept.as_bytes() == file))
}

#[cfg(test)]
mod tests {
    use super::{Place, place};

    #[test]
    fn everything_in_a_copy_has_its_place_and_nothing_else_has_one() {
        let game = |is_root| Place::App { package: "com.game", is_root };
        for (path, wanted) in [
            ("data", Some(Place::Way)),
            ("data/user/0", Some(Place::Way)),
            ("data/media/0", Some(Place::Way)),
            ("data/system/users/0", Some(Place::Way)),
            ("data/user/0/com.game", Some(game(true))),
            ("data/user_de/0/com.game/databases/a", Some(game(false))),
            ("data/media/0/Android/data/com.game", Some(Place::Shared { package: Some("com.game") })),
            ("data/media/obb/com.game/x", Some(Place::Shared { package: Some("com.game") })),
            ("data/media/0/DCIM/1.jpg", Some(Place::Shared { package: None })),
            ("data/media/0/Android", Some(Place::Shared { package: None })),
            ("data/system/users/0/settings_secure.xml", Some(Place::Setting)),
            ("data/system/users/0/settings_ssaid.xml", Some(Place::AppIds)),
            ("data/system/users/0/accounts.db", None),
            ("data/system/packages.xml", None),
            ("data/user/10/com.game/x", None),
            ("data/media/10/x", None),
            ("data/app/com.game/base.apk", None),
            ("data/local/tmp/x", None),
            ("data/skyrack/owner", None),
            ("data/user/0/", None),
            ("system/bin/sh", None),
            ("", None),
        ] {
            assert_eq!(place(path.as_bytes()).map(|found| found.1), wanted, "{path}");
        }
        assert_eq!(place(b"data/user/0/\xff/x"), None);
        assert_eq!(place(b"data/media/0/\xff/x").map(|found| found.0), Some(&b"media/0/\xff/x"[..]));
    }
}
