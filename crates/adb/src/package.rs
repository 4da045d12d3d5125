//! Installing and removing packages, with the package manager's own reason when it refuses.

use std::fmt;

use tokio::io::{AsyncRead, AsyncReadExt as _};

use crate::connection::Connection;
use crate::error::{Error, within};
use crate::quote::{Command, DevicePath};
use crate::shell;
use crate::sync::{DATA_MAX, Sync};

/// Why a package was not installed. The names are those of AOSP's `PackageManager.INSTALL_FAILED_*`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum InstallFailure {
    /// The storage is full.
    InsufficientStorage,
    /// It has no code for this card's processor.
    NoMatchingAbis,
    /// A newer version is installed.
    VersionDowngrade,
    /// The installed one is signed by somebody else.
    UpdateIncompatible,
    /// The card's Android is too old for it.
    OlderSdk,
    /// It is already installed, and replacing was not requested.
    AlreadyExists,
    /// It is not a package, or is damaged.
    InvalidApk,
    /// It is not signed, or the signature is wrong.
    NoCertificates,
    /// Another reason, by its code and in the card's words.
    Other(String),
}

impl InstallFailure {
    /// The reason that a code and the words after it stand for.
    fn of(code: &str, words: &str) -> Self {
        match code {
            "INSTALL_FAILED_INSUFFICIENT_STORAGE" => Self::InsufficientStorage,
            "INSTALL_FAILED_NO_MATCHING_ABIS" => Self::NoMatchingAbis,
            "INSTALL_FAILED_VERSION_DOWNGRADE" => Self::VersionDowngrade,
            "INSTALL_FAILED_UPDATE_INCOMPATIBLE" => Self::UpdateIncompatible,
            "INSTALL_FAILED_OLDER_SDK" => Self::OlderSdk,
            "INSTALL_FAILED_ALREADY_EXISTS" => Self::AlreadyExists,
            "INSTALL_FAILED_INVALID_APK" | "INSTALL_PARSE_FAILED_NOT_APK" => Self::InvalidApk,
            "INSTALL_PARSE_FAILED_NO_CERTIFICATES" => Self::NoCertificates,
            _ if FULL.iter().any(|full| words.contains(full)) => Self::InsufficientStorage,
            "" => Self::Other(words.to_owned()),
            code if words.is_empty() => Self::Other(code.to_owned()),
            code => Self::Other(format!("{code}: {words}")),
        }
    }

    /// The package manager's code, or its message if it has none.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::InsufficientStorage => "INSTALL_FAILED_INSUFFICIENT_STORAGE",
            Self::NoMatchingAbis => "INSTALL_FAILED_NO_MATCHING_ABIS",
            Self::VersionDowngrade => "INSTALL_FAILED_VERSION_DOWNGRADE",
            Self::UpdateIncompatible => "INSTALL_FAILED_UPDATE_INCOMPATIBLE",
            Self::OlderSdk => "INSTALL_FAILED_OLDER_SDK",
            Self::AlreadyExists => "INSTALL_FAILED_ALREADY_EXISTS",
            Self::InvalidApk => "INSTALL_FAILED_INVALID_APK",
            Self::NoCertificates => "INSTALL_PARSE_FAILED_NO_CERTIFICATES",
            Self::Other(said) => said,
        }
    }
}

impl fmt::Display for InstallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words = match self {
            Self::InsufficientStorage => "its storage is full",
            Self::NoMatchingAbis => "the package has no code for its processor",
            Self::VersionDowngrade => "a newer version is installed",
            Self::UpdateIncompatible => "the installed one is signed by somebody else",
            Self::OlderSdk => "its Android is too old for the package",
            Self::AlreadyExists => "it is installed already",
            Self::InvalidApk => "it is no valid package",
            Self::NoCertificates => "the package is not signed properly",
            Self::Other(said) => return f.write_str(said),
        };
        write!(f, "{words} ({})", self.code())
    }
}

/// What a full storage is called by what has no code: a session that is made, a file that is written (AOSP
/// `PackageHelper`, `StorageManagerService`; the kernel).
const FULL: &[&str] = &["not enough space", "Failed to allocate", "No space left", "ENOSPC"];

/// Characters that are kept of the words of a refusal.
const WORDS: usize = 500;

/// A refusal of the package manager: what it means, and what it said.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{failure}")]
pub struct InstallRefused {
    /// What it means.
    pub failure: InstallFailure,
    /// Its code, such as `INSTALL_FAILED_INVALID_APK`; empty if it names none.
    pub code: String,
    /// The words after the code, or all that it said; cut after 500 characters.
    pub words: String,
}

impl InstallRefused {
    /// Reads `Failure [INSTALL_FAILED_X: words]` and its kin: an exception of the framework, or a complaint.
    fn parse(said: &str) -> Self {
        let inside = match said.split_once("Failure [") {
            // The words may have brackets too.
            Some((_, rest)) => rest.rsplit_once(']').map_or(rest, |(inside, _)| inside),
            // Its first line names it; where it came from follows.
            None => said.split_once("Exception occurred while executing").map_or(said, |(_, rest)| {
                rest.split_once('\n').map_or(rest, |(_, thrown)| thrown.split("\n\tat ").next().unwrap_or(thrown))
            }),
        };
        let inside = inside.trim();
        let (code, words) = inside.split_once([':', ' ', '\n']).unwrap_or((inside, ""));
        let is_code =
            code.contains('_') && code.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
        let (code, words) = if is_code { (code, words.trim()) } else { ("", inside) };
        let words: String = words.chars().take(WORDS).collect();
        Self { failure: InstallFailure::of(code, &words), code: code.to_owned(), words }
    }
}

impl From<InstallRefused> for Error {
    fn from(refused: InstallRefused) -> Self {
        Self::Install(refused.failure)
    }
}

/// What the package manager says of an installation, or of the end of a session (`pm install`, `install-commit`,
/// `install-abandon`): both its outputs together.
///
/// # Errors
/// It refused, or did not say that it succeeded.
pub fn install_verdict(said: &str) -> Result<(), InstallRefused> {
    if said.lines().any(|line| line.trim() == "Success") { Ok(()) } else { Err(InstallRefused::parse(said)) }
}

/// The session that `pm install-create` made.
///
/// # Errors
/// It refused, or named none.
pub fn session_created(said: &str) -> Result<u32, InstallRefused> {
    let named = |line: &str| {
        let (_, rest) = line.trim().strip_prefix("Success: created install session")?.split_once('[')?;
        rest.strip_suffix(']')?.parse().ok()
    };
    said.lines().find_map(named).ok_or_else(|| InstallRefused::parse(said))
}

/// Whether `pm install-write` has put all `size` bytes of a file into its session.
///
/// # Errors
/// It refused, or took another number of bytes.
pub fn session_written(said: &str, size: u64) -> Result<(), InstallRefused> {
    let wanted = format!("Success: streamed {size} bytes");
    if said.lines().any(|line| line.trim() == wanted) { Ok(()) } else { Err(InstallRefused::parse(said)) }
}

/// How to install.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InstallOptions {
    /// Keep data and replace the installed version (`-r`).
    pub replace: bool,
    /// Grant all permissions that it asks for (`-g`).
    pub grant: bool,
    /// Allow an older version over a newer one (`-d`).
    pub downgrade: bool,
    /// Allow packages that are for tests only (`-t`).
    pub test: bool,
}

impl Default for InstallOptions {
    fn default() -> Self {
        Self { replace: true, grant: true, downgrade: false, test: false }
    }
}

impl InstallOptions {
    fn flags(self) -> impl Iterator<Item = &'static str> {
        [(self.replace, "-r"), (self.grant, "-g"), (self.downgrade, "-d"), (self.test, "-t")]
            .into_iter()
            .filter_map(|(wanted, flag)| wanted.then_some(flag))
    }
}

/// Installs `size` bytes from `source`: streamed into the package manager if the card supports it, otherwise through a
/// file.
pub(crate) async fn install(
    connection: &Connection,
    source: &mut (dyn AsyncRead + Send + Unpin),
    size: u64,
    options: InstallOptions,
) -> Result<(), Error> {
    if connection.banner().has("cmd") {
        stream_in(connection, source, size, options).await
    } else {
        through_file(connection, source, options).await
    }
}

async fn stream_in(
    connection: &Connection,
    source: &mut (dyn AsyncRead + Send + Unpin),
    size: u64,
    options: InstallOptions,
) -> Result<(), Error> {
    let step = connection.limits().step;
    let command = Command::new("cmd").args(["package", "install"]).args(options.flags()).arg("-S").arg(size);
    let stream = connection.stream(&format!("exec:{}", command.line()?)).await?;
    let mut source = source.take(size);
    let mut chunk = vec![0; DATA_MAX];
    let mut sent = 0u64;
    while sent < size {
        let filled = source.read(&mut chunk).await.map_err(|error| Error::local(&error))?;
        if filled == 0 {
            return Err(Error::Local { why: format!("the package has {sent} bytes and not {size}") });
        }
        sent += filled as u64;
        let bytes = bytes::Bytes::copy_from_slice(&chunk[..filled]);
        match within("the package manager to take bytes", step, stream.write(bytes)).await {
            Ok(()) => {}
            // It refused before the end; its message must still be read.
            Err(Error::Closed) => break,
            Err(error) => return Err(error),
        }
    }
    let mut said = Vec::new();
    let limits = connection.limits();
    // Verifying and compiling a large package is silent and long.
    while let Some(bytes) = within("the package manager", limits.transfer, stream.read()).await? {
        let room = (64 * 1024usize).saturating_sub(said.len()).min(bytes.len());
        said.extend_from_slice(&bytes[..room]);
    }
    verdict(&String::from_utf8_lossy(&said))
}

async fn through_file(
    connection: &Connection,
    source: &mut (dyn AsyncRead + Send + Unpin),
    options: InstallOptions,
) -> Result<(), Error> {
    let path = DevicePath::new(&format!("/data/local/tmp/skyrack-{:016x}.apk", rand::random::<u64>()))?;
    Sync::open(connection).await?.push(source, &path, 0o644).await?;
    let command = Command::new("pm").arg("install").args(options.flags()).arg(&path);
    let installed = shell::run(connection, &command, connection.limits().output).await;
    // The file is removed whether it was installed or not.
    let _ = shell::run(connection, &Command::new("rm").arg("-f").arg(&path), 4096).await;
    verdict(&installed?.both())
}

/// Removes a package.
pub(crate) fn removed(said: &str) -> Result<(), Error> {
    if said.lines().any(|line| line.trim() == "Success") { Ok(()) } else { Err(Error::device(said)) }
}

fn verdict(said: &str) -> Result<(), Error> {
    if said.trim().is_empty() {
        return Err(Error::Closed);
    }
    Ok(install_verdict(said)?)
}
