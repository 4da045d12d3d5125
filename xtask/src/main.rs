//! `cargo xtask`: automation that is easier to read in Rust than in a shell.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write the files of a new managed entity (kind A) and print the lines to add by hand.
    NewEntity {
        /// The domain's folder, such as `content`.
        domain: String,
        /// The entity in snake case, singular, such as `announcement`.
        entity: String,
        /// 中文 name, such as 公告.
        #[arg(long)]
        zh: String,
        /// English name, such as "Announcement".
        #[arg(long)]
        en: String,
        /// Where the workspace is.
        #[arg(long, default_value = ".")]
        root: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    match Cli::parse().command {
        Command::NewEntity { domain, entity, zh, en, root } => new_entity(&root, &Names::new(domain, entity, zh, en)?),
    }
}

/// One name in every spelling that the templates need.
struct Names {
    domain: String,
    snake: String,
    camel: String,
    pascal: String,
    kebab: String,
    zh: String,
    en: String,
}

impl Names {
    fn new(domain: String, snake: String, zh: String, en: String) -> anyhow::Result<Self> {
        let fine = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_lowercase())
                && text.chars().all(|c| c.is_ascii_lowercase() || c == '_' || c.is_ascii_digit())
        };
        ensure!(fine(&domain) && fine(&snake), "domain and entity are snake case, such as `content announcement`");
        let pascal: String = snake.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect();
        let camel = pascal[..1].to_lowercase() + &pascal[1..];
        Ok(Self { kebab: snake.replace('_', "-"), domain, snake, camel, pascal, zh, en })
    }

    fn fill(&self, template: &str) -> String {
        template
            .replace("__domain__", &self.domain)
            .replace("__snake__", &self.snake)
            .replace("__SNAKE__", &self.snake.to_uppercase())
            .replace("__camel__", &self.camel)
            .replace("__Pascal__", &self.pascal)
            .replace("__kebab__", &self.kebab)
            .replace("__zh__", &self.zh)
            .replace("__en__", &self.en)
    }
}

/// The files: where each goes, and its template.
const FILES: &[(&str, &str)] = &[
    ("crates/migration/src/m20260101_000000___snake__.rs", include_str!("../templates/migration.rs.txt")),
    ("crates/entity/src/__snake__.rs", include_str!("../templates/entity.rs.txt")),
    ("crates/server/src/domains/__domain__/__snake__.rs", include_str!("../templates/slice.rs.txt")),
    ("crates/server/tests/it/__snake__.rs", include_str!("../templates/test.rs.txt")),
    ("web/src/features/__domain__/__kebab__/page.tsx", include_str!("../templates/page.tsx.txt")),
    ("web/src/features/__domain__/__kebab__/form.tsx", include_str!("../templates/form.tsx.txt")),
    ("web/src/features/__domain__/__kebab__/messages.ts", include_str!("../templates/messages.ts.txt")),
];

fn new_entity(root: &Path, names: &Names) -> anyhow::Result<()> {
    let targets: Vec<(PathBuf, String)> =
        FILES.iter().map(|(path, template)| (root.join(names.fill(path)), names.fill(template))).collect();
    for (path, _) in &targets {
        ensure!(!path.exists(), "{} exists already; nothing was written", path.display());
    }
    for (path, text) in targets {
        let folder = path.parent().context("every file has a folder")?;
        std::fs::create_dir_all(folder)?;
        std::fs::write(&path, text)?;
        println!("wrote {}", path.display());
    }
    println!("{}", names.fill(include_str!("../templates/next.txt")));
    Ok(())
}
