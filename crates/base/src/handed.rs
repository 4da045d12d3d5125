//! Secrets that are passed in the environment, and removed from it before anything else happens.
//!
//! The environment of a process stays readable in `/proc/PID/environ` while it runs, and every child gets a copy. A
//! process cannot change what it was started with, so it restarts itself: the same program in the same process without
//! the secrets. They are passed through a pipe as standard input, which nothing else reads here, and which is empty
//! afterwards.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::sync::OnceLock;

use anyhow::Context as _;
use zeroize::Zeroizing;

use crate::anew;

/// The password of the first operator, or of the one named in `skyrack admin`.
pub const ADMIN_PASSWORD: &str = "SKYRACK_ADMIN_PASSWORD";
/// The master key of the vault.
pub const MASTER_KEY: &str = "SKYRACK_MASTER_KEY";
/// The database's address, with its password.
pub const DATABASE: &str = "SKYRACK_DATABASE";
/// The secret key for the object storage.
pub const S3_SECRET: &str = "SKYRACK_S3__SECRET_ACCESS_KEY";
/// The join token of a room agent, which is this program too.
pub const AGENT_TOKEN: &str = "SKYRACK_AGENT_TOKEN";
/// The secret of a key of the Open API, for a simulated crowd, which is this program too.
pub const OPEN_SECRET: &str = "SKYRACK_OPEN_SECRET";
const NAMES: [&str; 6] = [ADMIN_PASSWORD, MASTER_KEY, DATABASE, S3_SECRET, AGENT_TOKEN, OPEN_SECRET];
/// The process that finds its secrets on standard input: a child that inherits this is another one.
const MARK: &str = "SKYRACK_HANDED_TO";
/// A pipe accepts this much without a reader.
const MOST: usize = 32 * 1024;

type Secrets = BTreeMap<String, Zeroizing<String>>;

static HANDED: OnceLock<Secrets> = OnceLock::new();

/// A secret that was passed and is not empty.
#[must_use]
pub fn get(name: &str) -> Option<Zeroizing<String>> {
    HANDED.get()?.get(name).filter(|secret| !secret.is_empty()).cloned()
}

/// Removes the secrets from the environment. If there are any, the program restarts and this does not return.
///
/// # Errors
/// When they cannot be passed on or read.
pub fn take_out() -> anyhow::Result<()> {
    if std::env::var(MARK).is_ok_and(|process| process == std::process::id().to_string()) {
        // Only once: a second call finds them there.
        _ = HANDED.set(read().context("the secrets from the environment were not handed over")?);
        return Ok(());
    }
    if NAMES.iter().all(|name| std::env::var_os(name).is_none()) {
        return Ok(());
    }
    let given: BTreeMap<&str, Zeroizing<String>> =
        NAMES.iter().filter_map(|name| Some((*name, Zeroizing::new(std::env::var(name).ok()?)))).collect();
    let pairs: BTreeMap<&str, &str> = given.iter().map(|(name, secret)| (*name, secret.as_str())).collect();
    let text = Zeroizing::new(serde_json::to_vec(&pairs)?);
    anyhow::ensure!(text.len() <= MOST, "the secrets in the environment are longer than {MOST} bytes");
    let (reader, mut writer) = std::io::pipe()?;
    writer.write_all(&text)?;
    drop(writer);
    let mut anew = anew::same()?;
    anew.env(MARK, std::process::id().to_string()).stdin(reader);
    for name in NAMES {
        anew.env_remove(name);
    }
    Err(anew.exec()).context("cannot restart the process without secrets in its environment")
}

fn read() -> anyhow::Result<Secrets> {
    let mut text = Zeroizing::new(Vec::with_capacity(MOST));
    std::io::stdin().lock().take(MOST as u64).read_to_end(&mut text)?;
    let pairs: BTreeMap<String, String> = serde_json::from_slice(&text)?;
    Ok(pairs.into_iter().map(|(name, secret)| (name, Zeroizing::new(secret))).collect())
}
