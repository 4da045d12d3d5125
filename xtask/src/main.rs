//! `cargo xtask`: automation that is easier to read in Rust than in a shell.

mod edit;
mod group;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use chrono::Utc;
use clap::{Parser, Subcommand};
use edit::{Lines, Place};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the files of a new managed entity (kind A), and print what is left to add by hand.
    NewEntity {
        /// The crate of its group, such as `content`.
        domain: String,
        /// The entity in snake case, singular, such as `announcement`.
        entity: String,
        /// 中文 name, such as 公告.
        #[arg(long)]
        zh: String,
        /// English name, such as "Announcement".
        #[arg(long)]
        en: String,
        /// The section of the menu, by its name in `crates/base/src/access/catalog.rs`.
        #[arg(long, default_value = "GENERAL")]
        section: String,
        /// Where the workspace is.
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
    /// Write the crate of a new group of domains, and the lines by which the program knows it.
    NewGroup {
        /// The crate, such as `content`.
        name: String,
        /// 中文 name of its section of the menu, such as 内容.
        #[arg(long)]
        zh: String,
        /// Its English name, such as "Content".
        #[arg(long)]
        en: String,
        /// Where the workspace is.
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
    /// Write the sample that the tests compile: what the templates make of one entity.
    Sample {
        /// Where the workspace is.
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::NewEntity { domain, entity, zh, en, section, root } => {
            new_entity(&root, Names::new(domain, entity, [zh, en], section)?)
        }
        Command::NewGroup { name, zh, en, root } => group::write(&root, name, [zh, en]),
        Command::Sample { root } => {
            for (path, text) in sample()? {
                std::fs::write(root.join(path), text)?;
            }
            Ok(())
        }
    }
}

/// One name in every spelling that the templates need.
struct Names {
    domain: String,
    /// The folder of its group in the console.
    feature: String,
    /// The name of its migration.
    migration: String,
    /// The folder of its group's tests.
    tests: String,
    snake: String,
    camel: String,
    pascal: String,
    kebab: String,
    zh: String,
    en: String,
    section: String,
}

impl Names {
    fn new(domain: String, snake: String, [zh, en]: [String; 2], section: String) -> anyhow::Result<Self> {
        let fine = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_lowercase())
                && text.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
        };
        ensure!(fine(&domain) && fine(&snake), "domain and entity are snake case, such as `content announcement`");
        let pascal = pascal_case(&snake);
        Ok(Self {
            migration: format!("m00000000_000000_{snake}"),
            tests: tests_of("server"),
            feature: feature_of(&domain),
            kebab: snake.replace('_', "-"),
            camel: lower_first(&pascal),
            domain,
            snake,
            pascal,
            zh,
            en,
            section,
        })
    }

    fn fill(&self, template: &str) -> String {
        template
            .replace("__domain__", &self.domain)
            .replace("__feature__", &self.feature)
            .replace("__migration__", &self.migration)
            .replace("__tests__", &self.tests)
            .replace("__snake__", &self.snake)
            .replace("__SNAKE__", &self.snake.to_uppercase())
            .replace("__camel__", &self.camel)
            .replace("__Pascal__", &self.pascal)
            .replace("__kebab__", &self.kebab)
            .replace("__zh__", &self.zh)
            .replace("__en__", &self.en)
            .replace("__SECTION__", &self.section)
    }
}

/// What a group's folder in the console is called, where not like its crate.
const FEATURES: [(&str, &str); 5] = [
    ("accounts", "staff"),
    ("customers", "clientUser"),
    ("fleet", "device"),
    ("open", "platform"),
    ("phones", "cloudPhone"),
];

fn feature_of(domain: &str) -> String {
    let known = FEATURES.iter().find(|(group, _)| *group == domain);
    known.map_or_else(|| lower_first(&pascal_case(domain)), |(_, feature)| (*feature).to_owned())
}

fn tests_of(group: &str) -> String {
    format!("crates/{group}/tests/it")
}

fn pascal_case(snake: &str) -> String {
    snake.split('_').filter(|word| !word.is_empty()).map(|word| word[..1].to_uppercase() + &word[1..]).collect()
}

fn lower_first(pascal: &str) -> String {
    pascal[..1].to_lowercase() + &pascal[1..]
}

/// The files: where each goes, and its template.
const FILES: &[(&str, &str)] = &[
    ("crates/migration/src/sql/__migration__.sql", include_str!("../templates/migration.sql.txt")),
    ("crates/entity/src/__snake__.rs", include_str!("../templates/entity.rs.txt")),
    ("crates/__domain__/src/__snake__.rs", include_str!("../templates/slice.rs.txt")),
    ("__tests__/__snake__.rs", include_str!("../templates/test.rs.txt")),
    ("web/src/features/__feature__/__kebab__/page.tsx", include_str!("../templates/page.tsx.txt")),
    ("web/src/features/__feature__/__kebab__/form.tsx", include_str!("../templates/form.tsx.txt")),
    ("web/src/features/__feature__/__kebab__/messages.ts", include_str!("../templates/messages.ts.txt")),
];

/// The screens of a group. One that has some already gets a line by hand.
const ROUTES: (&str, &str) = ("web/src/features/__feature__/routes.ts", include_str!("../templates/routes.ts.txt"));

/// Lines that go into files which every entity has one in: the file, and where and what.
const LINES: Lines = &[
    (
        "crates/migration/src/lib.rs",
        Place::LastIn("const CHANGES: &[Change] = &[", "];"),
        "    text!(\"__migration__\"),",
    ),
    ("crates/entity/src/lib.rs", Place::Sorted("pub mod "), "pub mod __snake__;"),
    ("crates/entity/src/lib.rs", Place::LastIn("kernel::id_type! {", "}"), "    /// __en__.\n    __Pascal__Id;"),
    ("__tests__/main.rs", Place::Sorted("mod "), "mod __snake__;"),
];

/// Where the tests have their sample.
const SAMPLE: &str = "crates/server/tests/it/sample";

/// The server's half of one entity as the tests compile it: what the templates make, in one crate instead of three.
fn sample() -> anyhow::Result<[(PathBuf, String); 4]> {
    let words = ["announcement", "公告", "Announcement"].map(str::to_owned);
    let [entity, zh, en] = words;
    let names = Names::new("sample".to_owned(), entity, [zh, en], "GENERAL".to_owned())?;
    let file = |name: &str, template: &str, here: &[(&str, &str)]| {
        let text = here.iter().fold(names.fill(template), |text, (there, here)| text.replace(there, here));
        (Path::new(SAMPLE).join(name), text)
    };
    Ok([
        file("announcement.sql", include_str!("../templates/migration.sql.txt"), &[]),
        file("row.rs", include_str!("../templates/entity.rs.txt"), &[("use crate::", "use super::")]),
        file(
            "slice.rs",
            include_str!("../templates/slice.rs.txt"),
            &[
                ("use entity::AnnouncementId;", "use super::AnnouncementId;"),
                ("use entity::announcement::", "use super::row::"),
            ],
        ),
        file("test.rs", include_str!("../templates/test.rs.txt"), &[("use testapp::TestApp", "use super::TestApp")]),
    ])
}

fn new_entity(root: &Path, names: Names) -> anyhow::Result<()> {
    // The first groups are tried by the program's own tests.
    let own = tests_of(&names.domain);
    let tests = if root.join(&own).exists() { own } else { names.tests.clone() };
    let names = Names { migration: next_migration(root, &names.snake)?, tests, ..names };
    let target = |(path, template): &(&str, &str)| (root.join(names.fill(path)), names.fill(template));
    let mut targets: Vec<(PathBuf, String)> = FILES.iter().map(target).collect();
    for (path, _) in &targets {
        ensure!(!path.exists(), "{} exists already; nothing was written", path.display());
    }
    targets.extend([target(&ROUTES)].into_iter().filter(|(path, _)| !path.exists()));
    let groups = groups(root)?;
    ensure!(
        groups.contains(&names.domain),
        "there is no group '{}'; nothing was written. There are: {}",
        names.domain,
        groups.join(", ")
    );
    let changed = edit::with_lines(root, LINES, |line| names.fill(line))?;
    edit::write(targets.iter().map(|(path, text)| (path, text)).chain(&changed))?;
    edit::format(root, targets.iter().map(|(path, _)| path))?;
    println!("{}", names.fill(include_str!("../templates/next.txt")));
    Ok(())
}

/// The name of the next migration: today's, or behind the last one.
fn next_migration(root: &Path, entity: &str) -> anyhow::Result<String> {
    let mut last = (Utc::now().format("%Y%m%d").to_string(), 0);
    for entry in std::fs::read_dir(root.join("crates/migration/src/sql"))? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        let mut parts = name.trim_start_matches('m').splitn(3, '_');
        if let (Some(date), Some(number)) = (parts.next(), parts.next().and_then(|number| number.parse::<u32>().ok())) {
            last = last.max((date.to_owned(), number));
        }
    }
    let (date, number) = last;
    // By tens, so that another one fits in between.
    Ok(format!("m{date}_{:06}_{entity}", (number / 10 + 1) * 10))
}

/// The crates of groups, which a new entity can belong to: what is common to all (`base`) is none.
fn groups(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(root.join("crates"))? {
        let entry = entry?;
        let lib = std::fs::read_to_string(entry.path().join("src/lib.rs")).unwrap_or_default();
        if lib.contains("pub const DOMAINS:") {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    found.sort_unstable();
    Ok(found)
}

#[cfg(test)]
mod tests;
