//! The message catalogue matches the codes used in the sources.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::lang::Lang;
use crate::rules::messages;

/// Every Rust source of the workspace.
fn sources() -> Vec<PathBuf> {
    fn walk(folder: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a readable folder").flatten() {
            let path = entry.path();
            if path.is_dir() && path.file_name().is_none_or(|name| name != "tests") {
                walk(&path, found);
            } else if path.extension().is_some_and(|ending| ending == "rs") {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut found);
    found
}

/// The codes used as `Violation::new("...")` in a source.
fn codes_in(source: &str) -> impl Iterator<Item = &str> {
    source
        .split("Violation::new(")
        .skip(1)
        .filter_map(|rest| rest.trim_start().strip_prefix('"')?.split_once('"').map(|(code, _)| code))
}

#[test]
fn every_code_has_a_message_and_every_message_a_code() {
    let known: BTreeSet<&str> = messages::codes().collect();
    let mut named = BTreeSet::new();
    for path in sources() {
        let text = fs::read_to_string(&path).expect("a readable source");
        for code in codes_in(&text) {
            assert!(known.contains(code), "{}: the code {code} has no message", path.display());
            named.insert(code.to_owned());
        }
    }
    let idle: Vec<_> = known.iter().filter(|code| !named.contains(**code)).collect();
    assert!(idle.is_empty(), "messages that no code names: {idle:?}");
}

#[test]
fn every_message_is_there_in_both_languages_with_the_same_places() {
    let places = |text: &str| -> BTreeSet<String> {
        text.split('{').skip(1).filter_map(|part| part.split_once('}')).map(|(n, _)| n.to_owned()).collect()
    };
    for code in messages::codes() {
        let [zh, en] = Lang::ALL.map(|lang| messages::template(code, lang).expect("listed"));
        assert!(zh.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{code}: {zh}");
        assert!(en.len() > 8 && !en.chars().any(|c| ('\u{4e00}'..='\u{9fff}').contains(&c)), "{code}: {en}");
        assert_eq!(places(zh), places(en), "{code}");
    }
}
