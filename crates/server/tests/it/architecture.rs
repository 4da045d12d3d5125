//! The rules of the house that a compiler does not know (STYLE 2.6, 3.13).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files that are longer than [`MOST_LINES`] for now. The list may only shrink.
const TOO_LONG: &[&str] = &[];
const MOST_LINES: usize = 500;

pub fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

pub fn sources(under: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(under).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

/// Lines that name something, comments left out.
fn uses<'a>(text: &'a str, what: &'a str) -> impl Iterator<Item = &'a str> {
    text.lines().filter(move |line| !line.trim_start().starts_with("//") && line.contains(what))
}

#[test]
fn no_file_is_longer_than_one_can_read() {
    for (path, text) in sources(&crates()) {
        let name = path.strip_prefix(crates()).unwrap().display().to_string();
        let lines = text.lines().count();
        assert!(lines <= MOST_LINES || TOO_LONG.contains(&name.as_str()), "{name} has {lines} lines: split it");
    }
}

/// What each crate may depend on, of ours: layers below it, never a neighbour that does not stand here.
const DEPENDENCIES: &[(&str, &[&str])] = &[
    ("kernel", &[]),
    ("wire", &[]),
    ("outbound", &[]),
    ("adb", &["wire"]),
    ("redfish", &["outbound", "wire"]),
    ("inspect", &["kernel", "wire"]),
    ("db", &["kernel"]),
    ("entity", &["kernel"]),
    ("migration", &["db"]),
    ("vault", &["db", "kernel"]),
    ("queue", &["db", "entity", "kernel"]),
    ("courier", &["outbound"]),
    ("crowd", &[]),
    ("store", &["courier", "outbound"]),
    ("snapshot", &["store"]),
    ("agent", &["adb", "outbound", "redfish", "snapshot", "store", "wire"]),
    ("sim", &["adb", "inspect"]),
    ("base", &["courier", "db", "entity", "inspect", "kernel", "outbound", "queue", "vault"]),
    ("accounts", &["base", "db", "entity", "kernel", "outbound", "queue", "vault"]),
    ("customers", &["base", "courier", "db", "entity", "kernel", "queue"]),
    ("fleet", &["adb", "base", "courier", "db", "entity", "inspect", "kernel", "outbound", "queue", "vault", "wire"]),
    ("phones", &["base", "customers", "db", "entity", "fleet", "kernel", "queue", "vault", "wire"]),
    ("open", &["base", "customers", "db", "entity", "kernel", "outbound", "phones", "queue", "vault"]),
    (
        "platform",
        &["accounts", "base", "courier", "customers", "db", "entity", "fleet", "kernel", "outbound", "phones", "queue"],
    ),
];
/// What puts the program together, and what looks at it from outside: anything goes.
const ABOVE: &[&str] = &["server", "testapp", "testkit", "testroom", "bench"];

#[test]
fn crates_depend_downwards() {
    let ours: Vec<String> = std::fs::read_dir(crates())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| !ABOVE.contains(&name.as_str()))
        .collect();
    for name in &ours {
        let found = DEPENDENCIES.iter().find(|(known, _)| known == name);
        let (_, allowed) = found.unwrap_or_else(|| panic!("{name} stands in no layer: say what it may depend on"));
        let manifest = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let used = manifest.split("[dev-dependencies]").next().unwrap();
        for other in ours.iter().map(String::as_str).chain(ABOVE.iter().copied()) {
            let depends = used.lines().any(|line| line.starts_with(&format!("{other} =")));
            assert!(!depends || allowed.contains(&other), "{name} must not depend on {other}");
        }
    }
}

/// A library is compiled once more for the unit tests in it, and not at all for none.
#[test]
fn a_library_is_compiled_for_tests_where_it_has_some_and_only_there() {
    for entry in std::fs::read_dir(crates()).unwrap() {
        let folder = entry.unwrap().path();
        let manifest = std::fs::read_to_string(folder.join("Cargo.toml")).unwrap();
        let is_tried = !manifest.contains("test = false\ndoctest = false\n") && folder.join("src/lib.rs").exists();
        let has_some = sources(&folder.join("src")).iter().any(|(_, text)| uses(text, "#[cfg(test)]").next().is_some());
        assert_eq!(is_tried, has_some, "{}: `test = false` under [lib] says it the other way", folder.display());
    }
}

/// The crates of domains.
fn groups() -> Vec<String> {
    let heads = DEPENDENCIES.iter().map(|(name, _)| (name, crates().join(name).join("src/lib.rs")));
    let hands_over = |head: &Path| std::fs::read_to_string(head).unwrap().contains("pub const DOMAINS:");
    let found: Vec<String> = heads.filter(|(_, head)| hands_over(head)).map(|(name, _)| (*name).to_owned()).collect();
    assert!(found.contains(&"customers".to_owned()), "{found:?}");
    found
}

/// The document keeps schemas by their names alone: of two with one name it shows the last for both.
#[test]
fn no_two_shapes_of_the_document_share_a_name() {
    let mut known = BTreeMap::new();
    for group in ["kernel", "entity", "vault", "base", "server"].map(str::to_owned).into_iter().chain(groups()) {
        for (path, text) in sources(&crates().join(group).join("src")) {
            let mut is_shape = false;
            for line in text.lines().map(str::trim_start) {
                is_shape |= line.starts_with("#[derive") && line.contains("ToSchema") || line.contains("coded_enum! {");
                let Some(named) = line.strip_prefix("pub struct ").or(line.strip_prefix("pub enum ")) else { continue };
                let name: String = named.chars().take_while(|c| c.is_alphanumeric()).collect();
                if std::mem::take(&mut is_shape)
                    && let Some(other) = known.insert(name.clone(), path.clone())
                {
                    panic!("{} and {} both have a {name}", other.display(), path.display());
                }
            }
        }
    }
}

/// A list that is called as its screen takes its name from there (`title_of`).
#[test]
fn a_screen_is_called_once() {
    let catalogue = server::domains::catalogue();
    for (path, text) in groups().iter().flat_map(|group| sources(&crates().join(group).join("src"))) {
        for name in text.split("const NAME: Text = text(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            let same = catalogue.screens().find(|screen| screen.name.zh == name);
            assert!(same.is_none(), "{} writes the title of {}", path.display(), same.unwrap().code);
        }
    }
}

#[test]
fn services_and_stores_know_no_http() {
    for group in groups() {
        for (path, text) in sources(&crates().join(group).join("src")) {
            let name = path.file_name().unwrap().to_str().unwrap();
            if matches!(name, "service.rs" | "store.rs")
                && let Some(line) = uses(&text, "axum::").next()
            {
                panic!("{} knows HTTP: {line}", path.display());
            }
        }
    }
}

#[test]
fn only_the_clock_reads_the_time_and_sql_is_never_glued_from_values() {
    let all = ["base", "server"].map(str::to_owned).into_iter().chain(groups());
    for (path, text) in all.flat_map(|group| sources(&crates().join(group).join("src"))) {
        if let Some(line) = uses(&text, "UtcTime::now()").chain(uses(&text, "Utc::now()")).next() {
            panic!("{} reads the wall clock: {line}", path.display());
        }
        if let Some(line) = uses(&text, "now()::").chain(uses(&text, "CURRENT_TIMESTAMP")).next() {
            panic!("{} lets the database tell the time: {line}", path.display());
        }
    }
}

#[test]
fn no_committed_file_names_a_place_on_the_machine_it_was_written_on() {
    for (path, text) in sources(&crates()) {
        let home = ["/ro", "ot/"].concat();
        let work = ["/wo", "rk/"].concat();
        for place in [home, work] {
            assert!(!text.contains(&place), "{} names {place}", path.display());
        }
    }
}

/// What other people's crates tell may be anything: a statement, an address, a header with a secret.
#[test]
fn only_our_own_crates_are_logged_below_an_error_unless_somebody_asks_for_it() {
    let mut levels = base::config::LOG.split(',');
    assert_eq!(levels.next(), Some("error"));
    let levels: BTreeMap<&str, &str> = levels.map(|level| level.split_once('=').unwrap()).collect();
    let mut ours: Vec<String> =
        std::fs::read_dir(crates()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    // Not part of the program.
    ours.retain(|name| !["bench", "testapp", "testkit", "testroom"].contains(&name.as_str()));
    ours.push("skyrack".to_owned());
    ours.sort();
    assert_eq!(levels.keys().copied().collect::<Vec<_>>(), ours);
    assert!(levels.values().all(|level| *level == "info"), "{levels:?}");
    assert_eq!(base::config::Config::default().log, base::config::LOG);
    // Whoever keeps a log of his own beside this one names no crate of others in passing.
    let starts = sources(&crates()).into_iter().filter(|(path, text)| {
        !path.display().to_string().contains("/tests/") && uses(text, "tracing_subscriber::").next().is_some()
    });
    let starts: Vec<String> =
        starts.map(|(path, _)| path.strip_prefix(crates()).unwrap().display().to_string()).collect();
    assert_eq!(starts, ["server/src/cli.rs"], "one place starts the log, for all processes");
}
