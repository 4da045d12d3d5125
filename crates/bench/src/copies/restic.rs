//! Debian's `restic`, with a repository of its own: the same format, compression and size of packs as ours.

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;

use super::{ran, said_by};

/// How it is asked to save, as the rows say it.
pub const AS_OURS: &str = "repository version 2, compression auto, packs of 4 MiB";

/// A repository.
pub struct Restic {
    repository: PathBuf,
    cache: PathBuf,
}

impl Restic {
    /// A new repository in a folder.
    pub async fn init(folder: &Path) -> anyhow::Result<Self> {
        let restic = Self { repository: folder.join("restic"), cache: folder.join("restic-cache") };
        let mut command = restic.command();
        command.args(["init", "--repository-version", "2"]);
        ran(command).await?;
        Ok(restic)
    }

    fn command(&self) -> Command {
        let mut command = Command::new("restic");
        command.args(["--quiet", "--compression", "auto", "--pack-size", "4", "--cache-dir"]).arg(&self.cache);
        command.arg("--repo").arg(&self.repository).env("RESTIC_PASSWORD", "bench");
        command
    }

    /// Saves what is in a folder.
    pub async fn back_up(&self, tree: &Path) -> anyhow::Result<Duration> {
        let mut command = self.command();
        command.args(["backup", "."]).current_dir(tree);
        Ok(ran(command).await?.took)
    }

    /// Brings what was saved last into another folder.
    pub async fn restore(&self, to: &Path) -> anyhow::Result<Duration> {
        let mut command = self.command();
        command.args(["restore", "latest", "--target"]).arg(to);
        Ok(ran(command).await?.took)
    }
}

/// Its name and version.
pub async fn version() -> anyhow::Result<String> {
    let said = said_by("restic", "version").await?;
    Ok(said.split_whitespace().take(2).collect::<Vec<_>>().join(" "))
}
