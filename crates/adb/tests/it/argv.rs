//! Arguments arrive unchanged, and are never interpreted as anything else.

use std::time::Duration;

use adb::{Command, Device as _, DevicePath, Error, PackageName, PropName, quoted};
use proptest::prelude::*;

use crate::support::{card, room};

const NASTY: &[&str] = &[
    "",
    "a b",
    "; reboot",
    "$(reboot)",
    "`reboot`",
    "'; reboot; '",
    "\"",
    "\\",
    "a\nb",
    "a\rb",
    "|| reboot",
    "> /data/x",
    "$HOME",
    "*",
    "~",
    "#",
    "-r",
    "名字",
    "\u{1f4f1}",
    "2>&1",
    "&",
    "!",
    "\t",
    "'''",
    "\\'",
];

#[test]
fn a_real_shell_reads_back_what_was_quoted() {
    for word in NASTY {
        assert_eq!(through_sh(&[word]), [word.as_bytes()], "{word:?}");
    }
    assert_eq!(through_sh(NASTY), NASTY.iter().map(|word| word.as_bytes()).collect::<Vec<_>>());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn a_real_shell_reads_back_any_words(words in proptest::collection::vec("[^\0]{0,12}", 1..6)) {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let read = through_sh(&words);
        prop_assert_eq!(read, words.iter().map(|word| word.as_bytes().to_vec()).collect::<Vec<_>>());
    }
}

/// What `/bin/sh` passes to a program called with these words.
fn through_sh(words: &[&str]) -> Vec<Vec<u8>> {
    let line: Vec<String> = words.iter().map(|word| quoted(word).unwrap()).collect();
    let output = std::process::Command::new("/bin/sh")
        .arg("-c")
        .arg(format!("printf '%s\\0' {}", line.join(" ")))
        .output()
        .expect("a shell");
    let mut read: Vec<Vec<u8>> = output.stdout.split(|byte| *byte == 0).map(<[u8]>::to_vec).collect();
    assert_eq!(read.pop(), Some(Vec::new()));
    read
}

#[tokio::test]
async fn a_card_gets_the_arguments_that_were_sent() {
    let room = room(1, "").await;
    let card = card(&room).await;
    let output = card.run(&Command::new("argv").args(NASTY), Duration::from_secs(5)).await.unwrap();
    let read: Vec<&[u8]> = output.stdout.split(|byte| *byte == 0).collect();
    assert_eq!(read[..NASTY.len()], NASTY.iter().map(|word| word.as_bytes()).collect::<Vec<_>>());
    assert_eq!(room.cards[0].state().effects.get("reboot"), None);
}

#[test]
fn a_nul_is_refused() {
    assert!(matches!(Command::new("a").arg("b\0c").line(), Err(Error::BadArgument { .. })));
    assert!(matches!(Command::script("a\0").line(), Err(Error::BadArgument { .. })));
}

#[test]
fn names_are_checked() {
    for good in ["com.example.game", "a.b", "a.B_1.c2", "android"] {
        assert!(PackageName::new(good).is_ok(), "{good}");
    }
    for bad in ["", "a", "a..b", ".a.b", "1a.b", "a.b;c", "a.b c", "a.b\n", "a.-b", "-r", "a.$(x)"] {
        assert!(PackageName::new(bad).is_err(), "{bad:?}");
    }
    for good in ["/", "/data/local/tmp/a b'c", "/sdcard/名字.apk"] {
        assert!(DevicePath::new(good).is_ok(), "{good}");
    }
    for bad in ["", "a", "../x", "/data/../system", "/a\nb", "/a\0b"] {
        assert!(DevicePath::new(bad).is_err(), "{bad:?}");
    }
    assert!(DevicePath::new(&format!("/{}", "a".repeat(1024))).is_err());
    assert!(PropName::new("persist.sys.x").is_ok());
    for bad in ["", ".a", "a.", "a..b", "a b", "a;b"] {
        assert!(PropName::new(bad).is_err(), "{bad:?}");
    }
}
