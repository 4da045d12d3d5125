//! What the templates make, and where it lands.

mod registers;

use std::path::{Path, PathBuf};
use std::process;

use super::{Names, SAMPLE, feature_of, group, groups, new_entity, sample};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn names(domain: &str) -> Names {
    let words = ["公告", "Announcement"].map(str::to_owned);
    Names::new(domain.to_owned(), "announcement".to_owned(), words, "GENERAL".to_owned()).expect("its names are fine")
}

/// What the generators look at, in a folder of its own: manifests and heads of crates, the migrations, the screens of
/// features, and what has a line for each group.
fn copied() -> tempfile::TempDir {
    let (from, to) = (workspace(), tempfile::tempdir().expect("there is room"));
    let copy = |path: &Path| {
        let target = to.path().join(path.strip_prefix(&from).expect("it is in the workspace"));
        std::fs::create_dir_all(target.parent().expect("it is in a folder")).expect("it can be made");
        std::fs::copy(path, target).expect("it can be copied");
    };
    let within = |folder: &str| {
        let entries = std::fs::read_dir(from.join(folder)).expect("it can be read");
        entries.map(|entry| entry.expect("it can be read").path())
    };
    let single = [
        "Cargo.toml",
        "rustfmt.toml",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "crates/base/src/access/catalog.rs",
        "crates/base/src/config.rs",
        "crates/server/src/domains.rs",
        "crates/server/tests/it/architecture.rs",
        "crates/server/tests/it/main.rs",
        "xtask/Cargo.toml",
        "xtask/src/main.rs",
    ];
    single.iter().for_each(|path| copy(&from.join(path)));
    within("crates/migration/src/sql").for_each(|path| copy(&path));
    let heads = ["Cargo.toml", "src/lib.rs", "src/main.rs"];
    let heads = within("crates").flat_map(|path| heads.map(|head| path.join(head)));
    let screens = within("web/src/features").map(|path| path.join("routes.ts"));
    heads.chain(screens).filter(|path| path.exists()).for_each(|path| copy(&path));
    to
}

#[test]
fn a_group_that_is_not_there_is_refused_and_nothing_is_written() {
    let tree = copied();
    for domain in ["nowhere", "base", "server"] {
        let error = new_entity(tree.path(), names(domain)).expect_err("there is no such group");
        assert!(error.to_string().contains("platform"), "{error}");
        assert!(!tree.path().join(format!("crates/{domain}/src/announcement.rs")).exists());
    }
}

#[test]
fn an_entity_lands_beside_the_others_of_its_group() {
    let tree = copied();
    let there = |path: &str| tree.path().join(path);
    let before = std::fs::read_to_string(there("web/src/features/clientUser/routes.ts")).expect("it has screens");
    new_entity(tree.path(), names("customers")).expect("it is written");
    for path in [
        "crates/customers/src/announcement.rs",
        "crates/entity/src/announcement.rs",
        "crates/server/tests/it/announcement.rs",
        "web/src/features/clientUser/announcement/page.tsx",
        "web/src/features/clientUser/announcement/messages.ts",
    ] {
        let text = std::fs::read_to_string(there(path)).expect(path);
        assert!(!text.contains("__"), "{path}: every name is filled in");
    }
    let after = std::fs::read_to_string(there("web/src/features/clientUser/routes.ts")).expect("it is still there");
    assert_eq!(before, after, "the screens that are there are left to whoever adds one");

    for (path, before, line, after) in [
        ("crates/entity/src/lib.rs", "pub mod address_plan;", "pub mod announcement;", "pub mod backup;"),
        ("crates/entity/src/lib.rs", "    /// Announcement.", "    AnnouncementId;", "}"),
        ("crates/server/tests/it/main.rs", "mod alone;", "mod announcement;", "mod append_only;"),
    ] {
        let text = std::fs::read_to_string(there(path)).expect(path);
        assert!(text.contains(&format!("\n{before}\n{line}\n{after}\n")), "{path} has no place for {line}: {text}");
    }
    let schema = std::fs::read_to_string(there("crates/migration/src/lib.rs")).expect("it is there");
    assert!(schema.contains("_announcement\"),\n];"), "the last of the changes: {schema}");

    let migrations = std::fs::read_dir(there("crates/migration/src/sql")).expect("it can be read");
    let last = migrations.map(|entry| entry.expect("it can be read").file_name()).max().expect("there are some");
    assert!(last.to_string_lossy().ends_with("0_announcement.sql"), "behind all others: {}", last.display());
    let again = new_entity(tree.path(), names("customers")).expect_err("it is there");
    assert!(again.to_string().contains("exists already"), "{again}");
}

#[test]
fn the_first_screen_of_a_group_comes_with_its_list_of_screens() {
    let tree = copied();
    let lib = tree.path().join("crates/content_pages/src/lib.rs");
    std::fs::create_dir_all(lib.parent().expect("it is in a folder")).expect("it can be made");
    std::fs::write(&lib, "pub const DOMAINS: &[Domain] = &[];").expect("it can be written");
    new_entity(tree.path(), names("content_pages")).expect("it is written");
    let routes = std::fs::read_to_string(tree.path().join("web/src/features/contentPages/routes.ts"));
    let routes = routes.expect("it was made");
    assert!(routes.contains("{ ...catalogue.announcements, load: () => import('./announcement/page') }"), "{routes}");
}

#[test]
fn a_group_is_part_of_the_program_as_soon_as_it_is_written() {
    let tree = copied();
    let written = || group::write(tree.path(), "content".to_owned(), ["内容", "Content"].map(str::to_owned));
    written().expect("it is written");
    let again = written().expect_err("it is there");
    assert!(again.to_string().contains("exists already"), "{again}");

    let told = process::Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--no-deps", "--format-version", "1", "--manifest-path"])
        .arg(tree.path().join("Cargo.toml"))
        .output()
        .expect("cargo is there");
    let (found, error) = (String::from_utf8_lossy(&told.stdout), String::from_utf8_lossy(&told.stderr));
    assert!(found.contains(r#""name":"content""#), "cargo knows the crate: {error}");
    for (path, words) in [
        ("crates/server/src/domains.rs", "content::DOMAINS,"),
        ("crates/base/src/config.rs", "content=info,platform=info"),
        ("crates/base/src/access/catalog.rs", r#"CONTENT = "content" ("内容", "Content"), path "/content""#),
        ("crates/server/tests/it/architecture.rs", r#"("content", &["base", "entity", "kernel"]),"#),
        ("ARCHITECTURE.md", "| `crates/content` | Content |"),
        ("CONTRIBUTING.md", "`content`, `platform` | the domains"),
    ] {
        let text = std::fs::read_to_string(tree.path().join(path)).expect(path);
        assert!(text.contains(words), "{path} has no {words}");
    }
    new_entity(tree.path(), names("content")).expect("it has room for a first entity");
    let tests = std::fs::read_to_string(tree.path().join("crates/content/tests/it/main.rs")).expect("it has tests");
    assert!(tests.ends_with("\n\nmod announcement;\n"), "its tests are in its own crate: {tests}");
    assert!(tree.path().join("crates/content/tests/it/announcement.rs").exists());
}

#[test]
fn every_group_has_its_folder_in_the_console() {
    let root = workspace();
    let groups = groups(&root).expect("it can be read");
    assert!(groups.contains(&"customers".to_owned()) && !groups.contains(&"base".to_owned()), "{groups:?}");
    for group in groups {
        // One that has no domain yet has no screen.
        let lib = std::fs::read_to_string(root.join("crates").join(&group).join("src/lib.rs")).expect("it is a crate");
        if lib.contains("DOMAINS: &[Domain] = &[];") {
            continue;
        }
        let routes = root.join("web/src/features").join(feature_of(&group)).join("routes.ts");
        assert!(routes.exists(), "{} is not there", routes.display());
    }
}

#[test]
fn a_slice_of_one_text_field_has_at_most_120_lines() {
    let folder = tempfile::tempdir().expect("there is room");
    let (path, text) = sample().expect("its names are fine").into_iter().nth(2).expect("the slice is the third");
    assert_eq!(path, Path::new(SAMPLE).join("slice.rs"));
    let file = folder.path().join("slice.rs");
    std::fs::write(&file, text).expect("it can be written");
    let formatted = process::Command::new("rustfmt")
        .args(["--edition", "2024", "--config-path"])
        .args([&workspace(), &file])
        .status()
        .expect("rustfmt is there");
    assert!(formatted.success());
    let lines = std::fs::read_to_string(&file).expect("it is there").lines().count();
    assert!(lines <= 120, "{lines} lines");
}

#[test]
fn the_sample_is_what_the_templates_make() {
    for (path, text) in sample().expect("its names are fine") {
        let committed = std::fs::read_to_string(workspace().join(&path)).unwrap_or_default();
        assert_eq!(committed, text, "{} is not what the templates make: run `cargo xtask sample`", path.display());
    }
}
