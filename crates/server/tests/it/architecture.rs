//! The rules of the house that a compiler does not know (STYLE 2.6, 3.13).

use std::path::{Path, PathBuf};

/// Files that are longer than [`MOST_LINES`] for now. The list may only shrink.
const TOO_LONG: &[&str] = &[];
const MOST_LINES: usize = 500;

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn sources(under: &Path) -> Vec<(PathBuf, String)> {
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

#[test]
fn crates_depend_downwards() {
    for (name, allowed) in [
        ("kernel", &[][..]),
        ("db", &["kernel"]),
        ("entity", &["kernel"]),
        ("migration", &["db"]),
        ("courier", &["kernel"]),
        ("inspect", &["kernel"]),
        ("vault", &["kernel", "db", "entity"]),
        ("queue", &["kernel", "db", "entity"]),
    ] {
        let manifest = std::fs::read_to_string(crates().join(name).join("Cargo.toml")).unwrap();
        let used = manifest.split("[dev-dependencies]").next().unwrap();
        for ours in ["kernel", "db", "entity", "migration", "courier", "inspect", "vault", "queue", "server"] {
            let depends = used.lines().any(|line| line.starts_with(&format!("{ours} =")));
            assert!(!depends || allowed.contains(&ours), "{name} must not depend on {ours}");
        }
    }
}

#[test]
fn below_the_domains_nobody_knows_a_domain() {
    let server = crates().join("server/src");
    for layer in ["http", "access", "settings"] {
        if !server.join(layer).exists() {
            continue;
        }
        for (path, text) in sources(&server.join(layer)) {
            if let Some(line) = uses(&text, "crate::domains").next() {
                panic!("{} reaches up into a domain: {line}", path.display());
            }
        }
    }
}

#[test]
fn services_and_stores_know_no_http() {
    for (path, text) in sources(&crates().join("server/src/domains")) {
        let name = path.file_name().unwrap().to_str().unwrap();
        if matches!(name, "service.rs" | "store.rs")
            && let Some(line) = uses(&text, "axum::").next()
        {
            panic!("{} knows HTTP: {line}", path.display());
        }
    }
}

#[test]
fn only_the_clock_reads_the_time_and_sql_is_never_glued_from_values() {
    for (path, text) in sources(&crates().join("server/src")) {
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
