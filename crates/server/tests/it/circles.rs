//! How many files of a crate depend on each other in a circle: to understand one of them, all must be read.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::architecture::{crates, sources};

/// The largest circle that is allowed.
const MOST: usize = 12;

/// A module, by its path from the crate's root.
type Module = Vec<String>;
type Graph = BTreeMap<Module, BTreeSet<Module>>;

#[test]
fn no_circle_of_files_is_larger_than_one_can_read() {
    for entry in std::fs::read_dir(crates()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        let largest = largest_circle(&graph(&entry.path().join("src")));
        assert!(largest.len() <= MOST, "{name} has a circle of {}: {largest:?}", largest.len());
    }
}

#[test]
fn a_circle_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("a")).unwrap();
    write("lib.rs", "mod a;\nmod b;\nmod c;\nfn x() { a::one(); }");
    write("a/mod.rs", "mod inner;\nuse crate::{b::{self, two}, b::one};\n// use crate::c;");
    write("a/inner.rs", "fn y() { super::super::c::three(); }");
    write("b.rs", "use super::c::three;");
    write("c.rs", "use crate::a::inner::y;\n#[cfg(test)]\n#[path = \"c_tests.rs\"]\nmod tests { use crate::b; }");
    let found = graph(folder.path());
    let module = |path: &str| path.split('/').map(str::to_owned).collect::<Module>();
    assert_eq!(found[&module("a")], BTreeSet::from([module("b")]), "a comment names nothing");
    assert_eq!(largest_circle(&found), BTreeSet::from([module("a/inner"), module("c")]));
}

/// Which modules under `src` name which others.
fn graph(src: &Path) -> Graph {
    let texts: BTreeMap<Module, String> = sources(src)
        .into_iter()
        .map(|(path, text)| (module_of(path.strip_prefix(src).unwrap()), code(&text)))
        .collect();
    let mut graph = Graph::new();
    for (module, text) in &texts {
        let mut named = BTreeSet::new();
        for path in paths(text) {
            let (mut from, mut rest) = (module.clone(), &path[..]);
            match rest.first().map(String::as_str) {
                Some("crate") => (from, rest) = (Module::new(), &rest[1..]),
                Some("self") => rest = &rest[1..],
                Some("super") => {
                    while rest.first().is_some_and(|word| word == "super") {
                        from.pop();
                        rest = &rest[1..];
                    }
                }
                // A child of its own, named without a word in front.
                Some(word) if texts.contains_key(&[&module[..], &[word.to_owned()]].concat()) => {}
                Some(_) | None => continue,
            }
            from.extend(rest.iter().cloned());
            while !texts.contains_key(&from) && from.pop().is_some() {}
            if from != *module {
                named.insert(from);
            }
        }
        graph.insert(module.clone(), named);
    }
    graph
}

fn module_of(file: &Path) -> Module {
    let mut parts: Module = file.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
    if parts.last().is_some_and(|last| last == "mod") || parts == ["lib"] {
        parts.pop();
    }
    parts
}

/// A text without its comments and its unit tests.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\n").next().unwrap_or(text);
    text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// Every path of several words that the text names, those in braces one by one.
fn paths(text: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find("::") {
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let begins = rest[..at].rfind(|c| !word(c)).map_or(0, |before| before + 1);
        let tail = &rest[begins..];
        let length = tree(tail, &[], &mut found);
        rest = &tail[length.max(at - begins + 2)..];
    }
    found
}

/// Reads `a::b::{c, d::e}`; answers how long it is.
fn tree(text: &str, before: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = before.to_vec();
    let mut at = 0;
    loop {
        let rest = &text[at..];
        let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
        if length > 0 {
            path.push(rest[..length].to_owned());
            at += length;
        } else if rest.starts_with('{') {
            at += 1;
            while at < text.len() && !text[at..].starts_with('}') {
                let skipped = text[at..].find(|c: char| !c.is_whitespace() && c != ',').unwrap_or(text.len() - at);
                at += skipped;
                if text[at..].starts_with('}') {
                    break;
                }
                at += tree(&text[at..], &path, found).max(1);
            }
            return at + 1;
        } else {
            break;
        }
        if !text[at..].starts_with("::") {
            break;
        }
        at += 2;
    }
    found.push(path);
    at
}

/// The modules that reach each other, of which there are most.
fn largest_circle(graph: &Graph) -> BTreeSet<Module> {
    let reached: BTreeMap<&Module, BTreeSet<&Module>> = graph.keys().map(|from| (from, reach(graph, from))).collect();
    let mut largest = BTreeSet::new();
    for (module, there) in &reached {
        let circle: BTreeSet<Module> =
            there.iter().filter(|other| reached[**other].contains(module)).map(|other| (*other).clone()).collect();
        if circle.len() > largest.len() {
            largest = circle;
        }
    }
    largest
}

/// Every module that `from` leads to.
fn reach<'a>(graph: &'a Graph, from: &'a Module) -> BTreeSet<&'a Module> {
    let mut found = BTreeSet::new();
    let mut open: Vec<&Module> = graph[from].iter().collect();
    while let Some(next) = open.pop() {
        if found.insert(next) {
            open.extend(&graph[next]);
        }
    }
    found
}
