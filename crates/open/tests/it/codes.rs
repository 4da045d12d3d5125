//! The codes that applications are told: the page names all of them, and none that there is not.

use std::collections::BTreeSet;
use std::path::Path;

/// `reason`s of a call that is not signed as it should be: they stand in its row.
const REASONS: [&str; 4] = ["unknown_key", "clock", "nonce", "signature"];

fn is_code(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|sign| sign.is_ascii_lowercase() || sign == '_')
}

/// The codes in backticks of a cell.
fn codes_in(cell: &str) -> impl Iterator<Item = String> + '_ {
    cell.split('`').skip(1).step_by(2).filter(|text| is_code(text)).map(str::to_owned)
}

/// What the page has a row for: of refusals (HTTP, `status`, `code`, what to do), and of what is answered (`code`, of, what to do).
fn on_page(page: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut column = None;
    for line in page.lines() {
        column = match line {
            "| HTTP | `status` | `code` | what to do |" => Some(3),
            "| `code` | of | what to do |" => Some(1),
            row if row.starts_with('|') => column,
            _ => None,
        };
        let cells: Vec<&str> = line.split('|').collect();
        let (Some(column), false) = (column, line.starts_with("|---") || line.contains("what to do |")) else {
            continue;
        };
        assert!(
            cells.last().is_some_and(|end| end.is_empty()) && cells[cells.len() - 2].len() > 10,
            "what to do? {line}"
        );
        found.extend(codes_in(cells[column]));
    }
    found
}

/// The codes among the string literals of those lines of a source; what names a value or a field is none.
fn literals(source: &str, is_told: impl Fn(&str) -> bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in source.lines().map(str::trim).filter(|line| !line.starts_with("//") && is_told(line)) {
        let parts: Vec<&str> = line.split('"').collect();
        for at in (1..parts.len()).step_by(2) {
            let (before, text, behind) = (parts[at - 1], parts[at], parts.get(at + 1).copied().unwrap_or_default());
            let names = before.ends_with(".with(") || before.ends_with("insert(") || behind.starts_with(" =>");
            if is_code(text) && !names {
                found.insert(text.to_owned());
            }
        }
    }
    found
}

/// What the door itself says: in `refusal.rs` where codes are chosen, elsewhere where somebody is refused.
fn of_door() -> BTreeSet<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/door");
    let mut found = BTreeSet::new();
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let source = std::fs::read_to_string(&path).unwrap();
        let chooses = path.ends_with("refusal.rs");
        found.extend(literals(&source, |line| {
            let refuses =
                ["Refusal::Conflict(\"", "Refusal::Told(\"", "failed(\""].iter().any(|call| line.contains(call));
            refuses || (chooses && line.contains("=> "))
        }));
    }
    found
}

#[test]
fn every_code_that_applications_are_told_stands_on_the_page_with_what_to_do() {
    let page = on_page(open::GUIDE);
    let mut told = of_door();
    assert!(told.contains("no_gateway") && told.contains("key_reused") && told.contains("ip_not_allowed"), "{told:?}");
    for reason in REASONS {
        assert!(told.remove(reason) && open::GUIDE.contains(&format!("`{reason}`")), "{reason}");
    }
    told.extend(phones::connect::codes().chain([phones::APP_WITHHELD]).map(str::to_owned));
    let missing: Vec<_> = told.difference(&page).collect();
    let idle: Vec<_> = page.difference(&told).collect();
    assert!(missing.is_empty(), "the page has no row for {missing:?}");
    assert!(idle.is_empty(), "the page has rows for what nobody is told: {idle:?}");
}

#[test]
fn a_code_without_a_row_and_a_row_without_a_code_are_found() {
    let page = [
        "| HTTP | `status` | `code` | what to do |",
        "|---|---|---|---|",
        "| 409 | 4009 | `one`, `two` | try `three` again |",
        "",
        "| `four` | no table |",
    ];
    assert_eq!(on_page(&page.join("\n")), BTreeSet::from(["one", "two"].map(str::to_owned)));
    let source = [
        "Refusal::Conflict(\"five\", WHY)",
        "// Refusal::Conflict(\"six\", WHY)",
        "X.with(\"seven\", 1)",
        "\"eight\" => 9,",
        "let name = \"nine\";",
    ];
    let found = literals(&source.join("\n"), |line| !line.starts_with("let"));
    assert_eq!(found, BTreeSet::from(["five".to_owned()]));
}
