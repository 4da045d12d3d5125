//! What the room agent can do with a card: a real one, a simulated one, or a test's own.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::error::Error;
use crate::package::{self, InstallOptions};
use crate::quote::{Command, DevicePath, PackageName, PropName};
use crate::shell::{COMMAND, Output};
use crate::sync::{FileStat, Folder};

/// What a card supports beyond the minimum that all have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Abilities {
    /// Commands report their exit code.
    pub exit_codes: bool,
    /// Standard error is separate from standard output.
    pub separate_stderr: bool,
    /// Commands can be given input.
    pub stdin: bool,
    /// A terminal can be resized.
    pub window_size: bool,
    /// Packages install without a copy in between.
    pub streamed_install: bool,
    /// The size of files over 4 GiB is reported.
    pub large_files: bool,
}

/// Space of a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskSpace {
    /// Bytes in total.
    pub total: u64,
    /// Bytes in use.
    pub used: u64,
    /// Bytes that can still be written.
    pub free: u64,
}

impl DiskSpace {
    /// Reads what `df -k` of toybox prints: a line of headings, then name, 1K-blocks, used, available, ...
    ///
    /// # Errors
    /// It has another format.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let blocks = |word: Option<&&str>| word.and_then(|word| word.parse::<u64>().ok()?.checked_mul(1024));
        // A long name is on a line of its own, so words are counted and not lines.
        let words: Vec<&str> = text.lines().skip(1).flat_map(str::split_whitespace).collect();
        match (blocks(words.get(1)), blocks(words.get(2)), blocks(words.get(3))) {
            (Some(total), Some(used), Some(free)) => Ok(Self { total, used, free }),
            _ => Err(Error::device(&format!("df says: {text}"))),
        }
    }
}

/// A card. Every call ends: with the work done, with an error, or at its deadline. Dropping a call's future ends the
/// work on this side, closes its stream and leaves the connection usable.
#[async_trait]
pub trait Device: Send + Sync {
    /// What this card can do.
    fn abilities(&self) -> Abilities;

    /// Whether its connection is open, as far as is known.
    fn is_open(&self) -> bool;

    /// Runs a command to its end. The exit code is in the result; an error means that it could not be run.
    async fn run(&self, command: &Command, deadline: Duration) -> Result<Output, Error>;

    /// Writes a file with this mode (for example `0o644`) and returns its size when the card has confirmed it.
    async fn push(
        &self,
        source: &mut (dyn AsyncRead + Send + Unpin),
        path: &DevicePath,
        mode: u32,
    ) -> Result<u64, Error>;

    /// Reads a file of at most `limit` bytes and returns its size.
    async fn pull(
        &self,
        path: &DevicePath,
        target: &mut (dyn AsyncWrite + Send + Unpin),
        limit: u64,
    ) -> Result<u64, Error>;

    /// What is at a path; `None` if nothing is.
    async fn stat(&self, path: &DevicePath) -> Result<Option<FileStat>, Error>;

    /// Up to `most` entries of a folder; `None` if the path does not exist.
    async fn list(&self, path: &DevicePath, most: usize) -> Result<Option<Folder>, Error>;

    /// Installs a package of `size` bytes. A refusal of the package manager is [`Error::Install`].
    async fn install(
        &self,
        source: &mut (dyn AsyncRead + Send + Unpin),
        size: u64,
        options: InstallOptions,
    ) -> Result<(), Error>;

    /// The screen as PNG, of at most `limit` bytes.
    async fn screenshot(&self, limit: usize) -> Result<Vec<u8>, Error>;

    /// Requests a restart of the card. Whether it restarted is seen from [`Device::boot_id`] afterwards, on a new
    /// connection.
    async fn reboot(&self) -> Result<(), Error>;

    /// The space of the file system that holds `path`.
    async fn disk_free(&self, path: &DevicePath) -> Result<DiskSpace, Error>;

    /// Removes a package with its data.
    async fn uninstall(&self, package: &PackageName) -> Result<(), Error> {
        let said = self.run(&Command::new("pm").arg("uninstall").arg(package), COMMAND * 4).await?.both();
        package::removed(&said)
    }

    /// One property; empty if it is not set.
    async fn get_prop(&self, name: &PropName) -> Result<String, Error> {
        let text = self.run(&Command::new("getprop").arg(name), COMMAND).await?.checked()?.text();
        Ok(text.trim_end_matches(['\r', '\n']).to_owned())
    }

    /// All properties.
    async fn props(&self) -> Result<BTreeMap<String, String>, Error> {
        let text = self.run(&Command::new("getprop"), COMMAND).await?.checked()?.text();
        // [name]: [value], and a value may contain line breaks.
        let entries = text.split("]\n").filter_map(|entry| {
            let (name, value) = entry.trim_start_matches(['\r', '\n']).strip_prefix('[')?.split_once("]: [")?;
            Some((name.to_owned(), value.trim_end_matches(']').to_owned()))
        });
        Ok(entries.collect())
    }

    /// Sets a property, and reads it back: `setprop` itself does not always report a refusal.
    async fn set_prop(&self, name: &PropName, value: &str) -> Result<(), Error> {
        self.run(&Command::new("setprop").arg(name).arg(value), COMMAND).await?.checked()?;
        let now = self.get_prop(name).await?;
        if now == value { Ok(()) } else { Err(Error::device(&format!("{name} is still \"{now}\""))) }
    }

    /// Whether Android has booted (`sys.boot_completed`).
    async fn is_booted(&self) -> Result<bool, Error> {
        Ok(self.get_prop(&PropName::new("sys.boot_completed")?).await? == "1")
    }

    /// The kernel's id of this boot; a different one after each restart.
    async fn boot_id(&self) -> Result<String, Error> {
        let command = Command::new("cat").arg("/proc/sys/kernel/random/boot_id");
        Ok(self.run(&command, COMMAND).await?.checked()?.text().trim().to_owned())
    }

    /// Installed packages and their version codes.
    async fn packages(&self) -> Result<BTreeMap<String, i64>, Error> {
        let command = Command::new("pm").args(["list", "packages", "--show-versioncode"]);
        let text = self.run(&command, COMMAND).await?.checked()?.text();
        let entries = text.lines().filter_map(|line| {
            let (name, rest) = line.trim().strip_prefix("package:")?.split_once(' ')?;
            Some((name.to_owned(), rest.trim().strip_prefix("versionCode:")?.parse().ok()?))
        });
        Ok(entries.collect())
    }
}
