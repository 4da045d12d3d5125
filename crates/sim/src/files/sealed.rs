//! Storage that is encrypted with a user's credential, as it looks while his key is not there (`fscrypt`): the names are
//! encrypted, and nothing can be read.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::alphabet::IMAP_MUTF7;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

use super::join;

/// The alphabet of `fs/crypto/fname.c` is that of IMAP: a comma where others have a slash.
const LETTERS: GeneralPurpose = GeneralPurpose::new(&IMAP_MUTF7, NO_PAD);

/// Names up to so many bytes are shown whole, encrypted; of longer ones a digest is.
const WHOLE: usize = 32;

/// The user with whose key the content at a path, or the names in it, are encrypted.
#[must_use]
pub fn key_of(path: &str) -> Option<u32> {
    let mut parts = path.strip_prefix("/data/")?.split('/');
    match parts.next()? {
        "data" => Some(0),
        "user" | "media" | "misc_ce" | "system_ce" | "vendor_ce" => parts.next()?.parse().ok(),
        _ => None,
    }
}

/// How a name in a folder reads without the key: always the same, and another one in every folder.
#[must_use]
pub fn without_key(folder: &str, name: &str) -> String {
    let hash = digest(&SHA256, join(folder, name).as_bytes());
    let hash = hash.as_ref();
    match name.len() {
        // Names are padded to sixteen bytes before they are encrypted.
        0..=16 => LETTERS.encode(&hash[..16]),
        17..=WHOLE => LETTERS.encode(&hash[..WHOLE]),
        _ => format!("_{}", LETTERS.encode(&hash[..24])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_user_has_a_key_for_what_is_his() {
        for (path, user) in [
            ("/data/data", Some(0)),
            ("/data/data/com.example/files", Some(0)),
            ("/data/user", None),
            ("/data/user/10/com.example", Some(10)),
            ("/data/media/0", Some(0)),
            ("/data/media", None),
            ("/data/user_de/0/com.example", None),
            ("/data/system_ce/10", Some(10)),
            ("/data/app", None),
            ("/system/data", None),
        ] {
            assert_eq!(key_of(path), user, "{path}");
        }
    }

    #[test]
    fn names_without_a_key_look_as_the_kernel_shows_them() {
        let short = without_key("/data/data", "com.a");
        assert_eq!(short.len(), 22);
        assert_eq!(without_key("/data/data", "com.example.a.game.with").len(), 43);
        let long = without_key("/data/data", &"x".repeat(40));
        assert!(long.len() == 33 && long.starts_with('_'), "{long}");
        assert!(short.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+,".contains(&byte)), "{short}");
        assert_eq!(short, without_key("/data/data", "com.a"));
        assert_ne!(short, without_key("/data/data/com.b", "com.a"));
    }
}
