//! The file that says what a clean card of an image looks like: a line, the length of what follows, that (JSON), and an
//! archive of the card.

use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

/// The longest fingerprint of an image, in bytes.
const FINGERPRINT: usize = 1_024;
/// How it begins.
const BEGINNING: &[u8] = b"skyrack-profile-1\n";

/// A file with this JSON and this archive.
#[must_use]
pub fn packed(json: &[u8], archive: &[u8]) -> Vec<u8> {
    [BEGINNING, format!("{}\n", json.len()).as_bytes(), json, archive].concat()
}

/// The JSON and the archive of such a file; none if it is something else.
#[must_use]
pub fn unpacked(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = bytes.strip_prefix(BEGINNING)?;
    let line = rest.iter().position(|byte| *byte == b'\n')?;
    let length: usize = std::str::from_utf8(&rest[..line]).ok()?.parse().ok()?;
    rest[line + 1..].split_at_checked(length)
}

/// What the console knows of such a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileSummary {
    /// The image of the card.
    pub fingerprint: String,
    /// Files, folders and links.
    pub things: usize,
    /// Partitions of the system whose sums it has.
    pub partitions: usize,
    /// The board proves by itself that its system is whole.
    pub is_verified: bool,
}

/// How many there are of something whose names and values do not matter.
#[derive(Debug, Default)]
struct Count(usize);

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> serde::de::Visitor<'de> for Visitor {
            type Value = Count;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a map")
            }
            fn visit_map<A: serde::de::MapAccess<'de>>(self, mut map: A) -> Result<Count, A::Error> {
                let mut count = 0;
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
                    count += 1;
                }
                Ok(Count(count))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

impl ProfileSummary {
    /// Reads it from a file; none if that is no such file.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Head {
            #[serde(deserialize_with = "crate::bounded::text::<_, FINGERPRINT>")]
            fingerprint: String,
            things: Count,
            partitions: Count,
            is_verified: bool,
        }
        let (json, _) = unpacked(bytes)?;
        let Head { fingerprint, things, partitions, is_verified } = serde_json::from_slice(json).ok()?;
        Some(Self { fingerprint, things: things.0, partitions: partitions.0, is_verified })
    }
}

#[cfg(test)]
mod tests {
    use super::{ProfileSummary, packed, unpacked};

    #[test]
    fn a_profile_is_read_as_it_is_written_and_nothing_else_is_one() {
        let json =
            br#"{"fingerprint":"an/image","things":{"a":1,"b":{"c":[2]}},"partitions":{},"isVerified":true,"more":0}"#;
        let bytes = packed(json, b"archive");
        assert_eq!(unpacked(&bytes), Some((json.as_slice(), b"archive".as_slice())));
        let summary =
            ProfileSummary { fingerprint: "an/image".to_owned(), things: 2, partitions: 0, is_verified: true };
        assert_eq!(ProfileSummary::read(&bytes), Some(summary));
        for other in [
            "",
            "skyrack-profile-1\n",
            "skyrack-profile-1\n9\n{}",
            "skyrack-profile-1\n-1\n{}",
            "skyrack-profile-1\n2\n{}",
        ] {
            assert_eq!(ProfileSummary::read(other.as_bytes()), None, "{other}");
        }
    }
}
