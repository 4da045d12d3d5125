//! A card, reached through ADB: everything that the room agent does with one.

use std::net::SocketAddr;
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::connection::{Banner, Connection, Options};
use crate::device::{Abilities, Device, DiskSpace};
use crate::error::{Error, within};
use crate::feeding;
use crate::package::{self, InstallOptions};
use crate::printing::Printing;
use crate::quote::{Command, DevicePath};
use crate::shell::{self, Output, Shell, WindowSize};
use crate::sync::{FileStat, Folder, Sync};
use crate::wire;

/// A card on one persistent connection. Clones share the connection.
#[derive(Clone, Debug)]
pub struct Card {
    connection: Connection,
}

impl Card {
    /// Connects, and completes the handshake with the room's key if the card asks for one.
    ///
    /// # Errors
    /// The card is not there, refuses us, or does not follow the ADB protocol.
    pub async fn connect(address: SocketAddr, options: &Options) -> Result<Self, Error> {
        Ok(Self { connection: Connection::open(address, options).await? })
    }

    /// What the card reported about itself during the handshake.
    #[must_use]
    pub fn banner(&self) -> &Banner {
        self.connection.banner()
    }

    /// The connection, for services that this type does not wrap.
    #[must_use]
    pub const fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a command whose output is wanted whole, unlike that of [`Device::run`]: up to `limit` bytes of it.
    ///
    /// # Errors
    /// It could not be run, or prints more.
    pub async fn run_whole(&self, command: &Command, deadline: Duration, limit: usize) -> Result<Output, Error> {
        let output = within("the command's end", deadline, shell::run(&self.connection, command, limit)).await?;
        if output.truncated { Err(Error::TooLarge { limit: limit as u64 }) } else { Ok(output) }
    }

    /// Runs a command whose output is read piece by piece: the card waits for the reader.
    ///
    /// # Errors
    /// It could not be run, or the card's shell tells no exit codes.
    pub async fn printing(&self, command: &Command) -> Result<Printing, Error> {
        Printing::open(&self.connection, command).await
    }

    /// Runs a command whose standard input is `size` bytes of `source`, which is read as fast as the card takes it:
    /// nothing is kept in between. It ends at the limit of silence: of the source, of the card while it takes input, and
    /// of the command once it has all of it.
    ///
    /// A command that ends without having read all of its input is no error: what it printed tells why.
    ///
    /// # Errors
    /// It could not be run, the source fails or is shorter, or the card's shell takes no input.
    pub async fn feeding(
        &self,
        command: &Command,
        source: &mut (dyn AsyncRead + Send + Unpin),
        size: u64,
        silence: Duration,
    ) -> Result<Output, Error> {
        feeding::run(&self.connection, command, (source, size), silence).await
    }

    /// Opens a shell with a terminal.
    ///
    /// # Errors
    /// The card refuses or is gone.
    pub async fn shell(&self, size: WindowSize) -> Result<Shell, Error> {
        Shell::open(&self.connection, size).await
    }

    async fn transfer<T>(&self, what: &'static str, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        within(what, self.connection.limits().transfer, work).await
    }
}

#[async_trait]
impl Device for Card {
    fn abilities(&self) -> Abilities {
        let banner = self.connection.banner();
        Abilities {
            exit_codes: true,
            separate_stderr: banner.has("shell_v2"),
            stdin: banner.has("shell_v2"),
            window_size: banner.has("shell_v2"),
            streamed_install: banner.has("cmd"),
            large_files: banner.has("stat_v2"),
        }
    }

    fn is_open(&self) -> bool {
        self.connection.is_open()
    }

    async fn run(&self, command: &Command, deadline: Duration) -> Result<Output, Error> {
        within("the command's end", deadline, shell::run(&self.connection, command, self.connection.limits().output))
            .await
    }

    async fn push(
        &self,
        source: &mut (dyn AsyncRead + Send + Unpin),
        path: &DevicePath,
        mode: u32,
    ) -> Result<u64, Error> {
        self.transfer("the push", async { Sync::open(&self.connection).await?.push(source, path, mode).await }).await
    }

    async fn pull(
        &self,
        path: &DevicePath,
        target: &mut (dyn AsyncWrite + Send + Unpin),
        limit: u64,
    ) -> Result<u64, Error> {
        self.transfer("the pull", async { Sync::open(&self.connection).await?.pull(path, target, limit).await }).await
    }

    async fn stat(&self, path: &DevicePath) -> Result<Option<FileStat>, Error> {
        Sync::open(&self.connection).await?.stat(path).await
    }

    async fn list(&self, path: &DevicePath, most: usize) -> Result<Option<Folder>, Error> {
        self.transfer("the list", async { Sync::open(&self.connection).await?.list(path, most).await }).await
    }

    async fn install(
        &self,
        source: &mut (dyn AsyncRead + Send + Unpin),
        size: u64,
        options: InstallOptions,
    ) -> Result<(), Error> {
        self.transfer("the installation", package::install(&self.connection, source, size, options)).await
    }

    async fn screenshot(&self, limit: usize) -> Result<Vec<u8>, Error> {
        // `exec:` has no terminal that would change bytes (AOSP services.cpp; Android 5 and newer).
        let stream = self.connection.stream("exec:screencap -p").await?;
        let picture = self.transfer("the screenshot", stream.read_all(limit)).await?;
        if !picture.starts_with(b"\x89PNG\r\n\x1a\n") {
            let said = String::from_utf8_lossy(&picture[..picture.len().min(200)]).into_owned();
            return Err(Error::device(&format!("no picture: {said}")));
        }
        Ok(picture.to_vec())
    }

    async fn reboot(&self) -> Result<(), Error> {
        let stream = self.connection.stream("reboot:").await?;
        // Accepted once the stream is open. It only answers when it fails; otherwise the card disconnects.
        let limit = self.connection.limits().step.min(Duration::from_secs(5));
        match tokio::time::timeout(limit, stream.read_all(wire::PAYLOAD_V1)).await {
            Ok(Ok(said)) if said.to_ascii_lowercase().windows(4).any(|word| word == b"fail") => {
                Err(Error::device(&String::from_utf8_lossy(&said)))
            }
            _ => Ok(()),
        }
    }

    async fn disk_free(&self, path: &DevicePath) -> Result<DiskSpace, Error> {
        let command = Command::new("df").arg("-k").arg(path);
        DiskSpace::parse(&self.run(&command, shell::COMMAND).await?.checked()?.text())
    }
}
