//! What a clean card looks like.

use std::io::Cursor;

use inspect::{Fault, ProfileSummary, profile};
use wire::profile::packed;

fn judge(bytes: &[u8]) -> Result<ProfileSummary, &'static str> {
    profile(Cursor::new(bytes)).map_err(|fault| match fault {
        Fault::Refused(violation) => violation.code,
        Fault::Io(error) => panic!("bytes in memory can be read: {error}"),
    })
}

fn clean(fingerprint: &str, things: &str) -> Vec<u8> {
    let json = format!(
        r#"{{"fingerprint":"{fingerprint}","things":{things},"partitions":{{"system":"00"}},"isVerified":false}}"#
    );
    packed(json.as_bytes(), b"archive")
}

#[test]
fn a_profile_is_summed_up() {
    let summary = ProfileSummary { fingerprint: "an/image".to_owned(), things: 2, partitions: 1, is_verified: false };
    assert_eq!(judge(&clean("an/image", r#"{"a":1,"b":{"mode":3}}"#)), Ok(summary));
}

#[test]
fn what_is_none_or_says_too_much_is_refused() {
    let deep = format!("{{\"a\":{}", "[".repeat(1 << 20));
    for (what, bytes) in [
        ("nothing of the kind", b"PK\x03\x04".to_vec()),
        ("a length beyond its end", b"skyrack-profile-1\n18446744073709551615\n{}".to_vec()),
        ("a list of things", clean("an/image", "[]")),
        ("things that nest without end", clean("an/image", &deep)),
        ("a name without end", clean(&"a".repeat(1 << 20), "{}")),
    ] {
        assert_eq!(judge(&bytes), Err("file.damaged"), "{what}");
    }
    assert_eq!(judge(b""), Err("file.empty"));
    assert_eq!(judge(&clean("an/image", "{}").repeat(1 << 19)), Err("file.tooLarge"));
}
