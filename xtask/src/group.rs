//! A new group of domains: its crate, and the lines by which the program, its checks and its map know it.

use std::path::Path;

use anyhow::ensure;

use crate::Names;
use crate::edit::{self, Lines, Place};

/// Its files.
const FILES: [(&str, &str); 3] = [
    ("crates/__domain__/Cargo.toml", include_str!("../templates/group.toml.txt")),
    ("crates/__domain__/src/lib.rs", include_str!("../templates/group.rs.txt")),
    ("crates/__domain__/tests/it/main.rs", include_str!("../templates/group-tests.rs.txt")),
];

/// What looks at all groups (`platform`) comes behind it everywhere.
const LINES: Lines = &[
    ("Cargo.toml", Place::Before("platform = "), "__domain__ = { path = \"crates/__domain__\" }"),
    ("Cargo.toml", Place::Before("platform.opt-level"), "__domain__.opt-level = \"s\""),
    ("crates/server/Cargo.toml", Place::Before("platform = "), "__domain__ = { workspace = true }"),
    ("crates/server/src/domains.rs", Place::Within("platform::DOMAINS"), "__domain__::DOMAINS, "),
    ("crates/base/src/config.rs", Place::Within("platform=info"), "__domain__=info,"),
    (
        "crates/base/src/access/catalog.rs",
        Place::LastIn("sections! {", "}"),
        "    /// __en__.\n    __SNAKE__ = \"__camel__\" (\"__zh__\", \"__en__\"), path \"/__camel__\", icon \"info\";",
    ),
    (
        "crates/server/tests/it/architecture.rs",
        Place::Within("    (\n        \"platform\","),
        "    (\"__domain__\", &[\"base\", \"entity\", \"kernel\"]),\n",
    ),
    ("ARCHITECTURE.md", Place::Before("| `crates/platform` "), "| `crates/__domain__` | __en__ | other groups |"),
    ("CONTRIBUTING.md", Place::Within("`platform` | the domains"), "`__domain__`, "),
];

/// Writes the group `name`, which has no domain yet.
///
/// # Errors
/// When there is such a crate, or a file has no place for its line. Then nothing was written.
pub fn write(root: &Path, name: String, words: [String; 2]) -> anyhow::Result<()> {
    let names = Names::new(name.clone(), name, words, String::new())?;
    let folder = root.join("crates").join(&names.domain);
    ensure!(!folder.exists(), "{} exists already; nothing was written", folder.display());
    let files = FILES.map(|(path, text)| (root.join(names.fill(path)), names.fill(text)));
    let changed = edit::with_lines(root, LINES, |line| names.fill(line))?;
    edit::write(files.iter().map(|(path, text)| (path, text)).chain(&changed))?;
    edit::format(root, files.iter().map(|(path, _)| path).chain(changed.keys()))?;
    println!("{}", names.fill(include_str!("../templates/next-group.txt")));
    Ok(())
}
