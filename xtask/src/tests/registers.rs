//! Which files a plain screen has to be named in. The screens and tables that are there tell it: whatever names most of them wants the
//! next one as well, be it the program, a test or a script. Each such file is written by the generator, or named to whoever adds a
//! screen.

use std::collections::BTreeSet;
use std::process::Command;

use super::super::{FILES, LINES};
use super::{copied, groups, names, new_entity, workspace};

/// So many files are edited by hand at most.
const MOST: usize = 5;
/// What a build or `make gen` writes.
const GENERATED: [&str; 2] = ["api/", "web/src/api/"];

/// The texts of the repository that somebody writes, by their paths.
fn written() -> Vec<(String, String)> {
    let ours = ["ls-files", "--cached", "--others", "--exclude-standard"];
    let listed = Command::new("git").arg("-C").arg(workspace()).args(ours).output().expect("git is there");
    let listed = String::from_utf8(listed.stdout).expect("paths are text");
    let by_hand = listed.lines().filter(|path| !GENERATED.iter().any(|folder| path.starts_with(folder)));
    // Pictures are no text, and what was removed a moment ago is not there.
    by_hand.filter_map(|path| Some((path.to_owned(), std::fs::read_to_string(workspace().join(path)).ok()?))).collect()
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    Some(text.split_once(open)?.1.split_once(close)?.0)
}

/// The screens that have a page, each by its code and the folder of that.
fn screens(written: &[(String, String)]) -> Vec<[String; 2]> {
    let of_feature = |(path, text): &(String, String)| -> Vec<[String; 2]> {
        let Some(feature) = between(path, "web/src/features/", "/routes.ts") else { return Vec::new() };
        let lines = text.split("...catalogue.").skip(1);
        let screen = |line: &str| {
            let code = line.split(|c: char| !c.is_alphanumeric()).next()?;
            let page = between(line, "import('./", "')")?;
            let folder = page.strip_suffix("page")?.trim_end_matches('/');
            Some([code.to_owned(), format!("features/{feature}/{folder}").trim_end_matches('/').to_owned()])
        };
        lines.filter_map(screen).collect()
    };
    written.iter().flat_map(of_feature).collect()
}

/// The tables of our domains.
fn tables(written: &[(String, String)]) -> Vec<[String; 1]> {
    let sources = written.iter().filter(|(path, _)| path.starts_with("crates/") && path.contains("/src/"));
    let kept = |text: &str| -> Vec<[String; 1]> {
        text.split("Table::kept(\"").skip(1).filter_map(|rest| Some([rest.split_once('"')?.0.to_owned()])).collect()
    };
    sources.flat_map(|(_, text)| kept(text)).collect()
}

/// Whether a text has this as a word of its own.
fn says(text: &str, word: &str) -> bool {
    let ends = |beside: Option<char>| beside.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '-');
    text.match_indices(word)
        .any(|(at, _)| ends(text[..at].chars().next_back()) && ends(text[at + word.len()..].chars().next()))
}

/// The files that name at least half of these, by any of their names.
fn registers<const N: usize>(written: &[(String, String)], things: &[[String; N]]) -> BTreeSet<String> {
    assert!(things.len() > 20, "so many are there: {things:?}");
    let named = |text: &str| things.iter().filter(|words| words.iter().any(|word| says(text, word))).count();
    written.iter().filter(|(_, text)| 2 * named(text) >= things.len()).map(|(path, _)| path.clone()).collect()
}

/// What whoever adds a screen is told to write: the file, and what.
fn told() -> Vec<(String, String)> {
    let text = names("customers").fill(include_str!("../../templates/next.txt"));
    let lines = text.lines().filter_map(|line| line.strip_prefix("  "));
    let parts = lines.map(|line| line.split_once(':').expect("a file, and what to write there"));
    parts.map(|(file, what)| (file.split(',').next().unwrap_or(file).to_owned(), what.to_owned())).collect()
}

#[test]
fn what_names_most_screens_or_tables_is_written_or_told() {
    let (written, names) = (written(), names("customers"));
    let mut registers = registers(&written, &screens(&written));
    registers.extend(self::registers(&written, &tables(&written)));
    let by_itself = LINES.iter().map(|(path, ..)| *path).chain(FILES.iter().map(|(path, _)| *path));
    let by_itself: BTreeSet<String> = by_itself.map(|path| names.fill(path)).collect();
    let by_hand: BTreeSet<String> = told().into_iter().map(|(file, _)| file).collect();
    let (known, forgotten): (Vec<&String>, Vec<&String>) =
        registers.iter().partition(|file| by_itself.contains(*file) || by_hand.contains(*file));
    assert!(forgotten.is_empty(), "nobody says that a screen has to be named in {forgotten:?}");
    assert!(known.iter().any(|file| by_itself.contains(*file)), "the list of tables is one: {known:?}");
    assert!(known.iter().any(|file| by_hand.contains(*file)), "the budget of pages is one: {known:?}");
}

#[test]
fn a_plain_screen_edits_five_files_by_hand_at_most() {
    let files: BTreeSet<String> = told().into_iter().map(|(file, _)| file).collect();
    assert!((1..=MOST).contains(&files.len()), "{files:?}");
    for file in &files {
        assert!(workspace().join(file).is_file(), "{file} is not there");
    }
}

#[test]
fn what_a_new_page_loads_later_is_told_to_the_budget_of_pages() {
    let tree = copied();
    new_entity(tree.path(), names("customers")).expect("it is written");
    let folder = "features/clientUser/announcement";
    let page = tree.path().join(format!("web/src/{folder}/page.tsx"));
    let page = std::fs::read_to_string(page).expect("it is written");
    let later: Vec<&str> = page.split("import('./").skip(1).filter_map(|rest| Some(rest.split_once("')")?.0)).collect();
    assert!(!later.is_empty(), "it has a form");
    let entry = format!("'{folder}': '{}',", later.join(" "));
    let (_, what) = told().into_iter().find(|(file, _)| file == "web/scripts/budget.mjs").expect("it is told");
    assert!(what.contains(&entry), "{entry} is not in: {what}");
}

#[test]
fn every_group_depends_on_what_a_plain_screen_needs() {
    let depends = |manifest: &str| -> BTreeSet<String> {
        let lines = manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1);
        let lines = lines.take_while(|line| !line.starts_with('['));
        lines.filter_map(|line| Some(line.split_once([' ', '.', '='])?.0.to_owned())).collect()
    };
    let needed = depends(include_str!("../../templates/group.toml.txt"));
    assert!(needed.contains("base") && needed.contains("utoipa"), "{needed:?}");
    for group in groups(&workspace()).expect("it can be read") {
        let manifest = workspace().join("crates").join(&group).join("Cargo.toml");
        let there = depends(&std::fs::read_to_string(manifest).expect("it is a crate"));
        let lacks: Vec<&String> = needed.difference(&there).collect();
        assert!(lacks.is_empty(), "a screen of {group} would need {lacks:?} in its manifest");
    }
}
