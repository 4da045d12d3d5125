//! Any bytes get an answer, and never a panic.

use kernel::rules::FileKind;
use proptest::prelude::*;

use crate::support::{judge, tar_entry, tar_gz, zip};

fn any_kind() -> impl Strategy<Value = FileKind> {
    proptest::sample::select(FileKind::ALL.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_bytes_are_judged(
        magic in proptest::sample::select(vec![
            &b""[..], b"PK\x03\x04", b"\x1f\x8b\x08", b"MZ", b"\x30\x82", b"GIF89a", b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n",
            b"-----BEGIN CERTIFICATE-----\n",
        ]),
        tail in proptest::collection::vec(any::<u8>(), 0..600),
        kind in any_kind(),
    ) {
        let _ = judge(&[magic, &tail].concat(), kind);
    }

    #[test]
    fn bent_zips_are_judged(at in 0_usize..400, value: u8, kind in any_kind()) {
        let mut bytes = zip(&[("AndroidManifest.xml", &[3, 0, 8, 0]), ("Payload/a.app/Info.plist", b"x"), ("b", &[7; 60])]);
        let at = at % bytes.len();
        bytes[at] = value;
        let _ = judge(&bytes, kind);
    }

    #[test]
    fn bent_tars_are_judged(at in 0_usize..1024, value: u8, fix_sum: bool) {
        let mut header = tar_entry("name", b'0', b"content");
        header[at] = value;
        if fix_sum {
            let rest = header.split_off(512);
            header = crate::support::with_check_sum(header);
            header.extend(rest);
        }
        let _ = judge(&tar_gz(&[header]), FileKind::SystemPackage);
    }
}
