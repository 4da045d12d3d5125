use inspect::Content;
use kernel::rules::FileKind;

use crate::support::judge;

/// Self-signed for these tests; its key was thrown away.
const PEM: &str = "\
-----BEGIN CERTIFICATE-----\n\
MIIBrDCCAVKgAwIBAgIBKjAKBggqhkjOPQQDAjA1MRwwGgYDVQQDDBNjb25zb2xl\n\
LmV4YW1wbGUuY29tMRUwEwYDVQQKDAxTa3lyYWNrIHRlc3QwHhcNMjYxMTIwMjIx\n\
NTM2WhcNMzYxMTE3MjIxNTM2WjA1MRwwGgYDVQQDDBNjb25zb2xlLmV4YW1wbGUu\n\
Y29tMRUwEwYDVQQKDAxTa3lyYWNrIHRlc3QwWTATBgcqhkjOPQIBBggqhkjOPQMB\n\
BwNCAATlV8SgIqMwcW/CODgv5m+MhwCDfg4flJuhUKRbXtOhyZcnz47/d6Axt0Mu\n\
qOIpAblgVKzKuYQkhQnIbA9Qog9Mo1MwUTAdBgNVHQ4EFgQU21zp2plSOgOVfH0/\n\
jc+5v1pV12EwHwYDVR0jBBgwFoAU21zp2plSOgOVfH0/jc+5v1pV12EwDwYDVR0T\n\
AQH/BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiB3bON2bY3KAyQuYPxJYeX+e5Fy\n\
63PKjoGIpczuIP4IUQIhAJZuhVAPKOVWeEOjrSUIgq6HpgATFAHrl23mRwIYYx7M\n\
-----END CERTIFICATE-----\n\
";

/// How keys begin in DER: PKCS#8, SEC 1, PKCS#1 and, a store of keys, PKCS#12.
const KEYS: [&[u8]; 4] = [
    b"\x30\x81\x87\x02\x01\x00\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01",
    b"\x30\x77\x02\x01\x01\x04\x20",
    b"\x30\x82\x04\xa4\x02\x01\x00\x02\x82\x01\x01",
    b"\x30\x82\x09\xb1\x02\x01\x03\x30",
];

fn der() -> Vec<u8> {
    x509_parser::pem::parse_x509_pem(PEM.as_bytes()).expect("the certificate above").1.contents
}

fn code(bytes: &[u8]) -> &'static str {
    judge(bytes, FileKind::Certificate).expect_err("to be refused")
}

#[test]
fn certificates_are_read_in_pem_and_der() {
    for bytes in [PEM.as_bytes().to_vec(), der()] {
        let Ok(Content::Certificate(found)) = judge(&bytes, FileKind::Certificate) else {
            panic!("a certificate");
        };
        assert_eq!(found.subject, "CN=console.example.com, O=Skyrack test");
        assert_eq!(found.issuer, found.subject);
        assert_eq!(found.serial, "2a");
        assert_eq!(found.count, 1);
        assert!(found.not_before < found.not_after);
    }
}

#[test]
fn a_chain_is_counted() {
    let chain = PEM.repeat(3);
    let Ok(Content::Certificate(found)) = judge(chain.as_bytes(), FileKind::Certificate) else {
        panic!("a chain");
    };
    assert_eq!(found.count, 3);
}

#[test]
fn private_keys_are_refused_in_every_dress() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "private key",
    ] {
        let key = format!("-----BEGIN {label}-----\nMAA=\n-----END {label}-----\n");
        assert_eq!(code(key.as_bytes()), "certificate.privateKey");
        assert_eq!(code(format!("{PEM}{key}").as_bytes()), "certificate.privateKey");
        assert_eq!(code(format!("{key}{PEM}").as_bytes()), "certificate.privateKey");
    }
    for key in KEYS {
        assert_eq!(code(key), "certificate.privateKey");
    }
    // `-----BEGIN CERTIFICATE-----` around a PKCS#8 key.
    let dressed = "-----BEGIN CERTIFICATE-----\nMIGHAgEAMBMGByqGSM49AgE=\n-----END CERTIFICATE-----\n";
    assert_eq!(code(dressed.as_bytes()), "certificate.privateKey");
}

#[test]
fn a_key_behind_a_certificate_is_refused() {
    assert_eq!(code(&[der().as_slice(), KEYS[0]].concat()), "file.content");
}

#[test]
fn what_is_no_certificate_is_refused() {
    let cut = &PEM[..PEM.len() / 2];
    let other = PEM.replace("CERTIFICATE", "PUBLIC KEY");
    for bytes in
        [b"hello".as_slice(), cut.as_bytes(), other.as_bytes(), &der()[..100], b"\x30\x03\x01\x01\xff", b"PK\x03\x04"]
    {
        assert_eq!(code(bytes), "file.content");
    }
    assert_eq!(code(b""), "file.empty");
    assert_eq!(code(&vec![b'a'; 70_000]), "file.tooLarge");
}
