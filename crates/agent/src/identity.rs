//! The agent's identity: its credential, which it gets once for a join token, and the room's ADB key.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use adb::RoomKey;
use anyhow::{Context as _, bail};
use reqwest::StatusCode;
use rustls::ClientConfig;
use serde::Deserialize;
use wire::{EnrolReply, EnrolRequest};

use crate::consoles::Consoles;

const FILE: &str = "agent.json";
const KEY: &str = "room.key";

/// An enrolled agent.
#[derive(Clone)]
pub struct Identity {
    /// The address of the console, or of several of which one is active.
    pub consoles: Consoles,
    /// The agent's id in the console.
    pub agent: i64,
    /// Its room.
    pub room: i64,
    /// Its credential.
    pub credential: String,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "agent {} of room {}", self.agent, self.room)
    }
}

/// The console's answer to a request that it refuses.
#[derive(Deserialize)]
struct Refusal {
    msg: String,
}

impl Identity {
    /// Whether an agent that works in this folder has already joined.
    #[must_use]
    pub fn is_kept(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Reads the credential, or joins with the token and stores the credential received.
    ///
    /// # Errors
    /// There is neither credential nor token, the console refuses the token, or the folder cannot be used.
    pub async fn open(
        folder: &Path,
        consoles: &Consoles,
        token: Option<&str>,
        name: &str,
        version: &str,
        tls: &ClientConfig,
    ) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        let path = folder.join(FILE);
        if path.exists() {
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let known: EnrolReply =
                serde_json::from_str(&text).with_context(|| format!("{} is damaged", path.display()))?;
            return Ok(Self::of(consoles, known));
        }
        let Some(token) = token else {
            bail!("this agent has not joined yet: issue a join token in the console and start once with --token TOKEN")
        };
        let request = EnrolRequest { token: token.to_owned(), name: name.to_owned(), version: version.to_owned() };
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls.clone())
            // A redirect could lead to an address without TLS.
            .redirect(reqwest::redirect::Policy::none())
            .build()?;
        let answer = enrol(&http, consoles, &request).await?;
        let status = answer.status();
        let text = answer.text().await.context("the console's answer broke off")?;
        if !status.is_success() {
            let why = serde_json::from_str::<Refusal>(&text).map_or_else(|_| status.to_string(), |refusal| refusal.msg);
            bail!("the console refused the join token: {why}");
        }
        let reply: EnrolReply = serde_json::from_str(&text).context("unexpected answer: is this a Skyrack console?")?;
        write_secret(&path, &serde_json::to_vec_pretty(&reply)?)?;
        Ok(Self::of(consoles, reply))
    }

    fn of(consoles: &Consoles, EnrolReply { agent, room, credential }: EnrolReply) -> Self {
        Self { consoles: consoles.clone(), agent, room, credential }
    }
}

/// Asks one console after the other, until one is not on standby. A request that may have arrived is not repeated: the
/// token can be used only once.
async fn enrol(
    http: &reqwest::Client,
    consoles: &Consoles,
    request: &EnrolRequest,
) -> anyhow::Result<reqwest::Response> {
    let mut left = consoles.count();
    loop {
        left -= 1;
        let console = consoles.current();
        match http.post(console.join("/agent/v1/enrol")?).json(request).send().await {
            Ok(answer) if left > 0 && answer.status() == StatusCode::SERVICE_UNAVAILABLE => {}
            Ok(answer) => return Ok(answer),
            Err(error) if left > 0 && error.is_connect() => {}
            Err(error) => return Err(error).with_context(|| format!("cannot reach the console at {console}")),
        }
        consoles.move_on();
    }
}

/// The room's ADB key; created at the first start.
///
/// # Errors
/// The folder cannot be used, or the file is damaged.
pub fn room_key(folder: &Path) -> anyhow::Result<Arc<RoomKey>> {
    let path = folder.join(KEY);
    if path.exists() {
        let der = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        return Ok(Arc::new(RoomKey::from_pkcs8(&der).with_context(|| format!("{} is damaged", path.display()))?));
    }
    let key = RoomKey::generate().context("cannot make the room's ADB key")?;
    write_secret(&path, &key.to_pkcs8())?;
    Ok(Arc::new(key))
}

/// The room's ADB public key, in the format of `adb_keys` on a card. Creates none: only the agent does.
///
/// # Errors
/// There is no key in this folder, or it cannot be read.
pub fn adb_key(folder: &Path) -> anyhow::Result<String> {
    let path = folder.join(KEY);
    let is_there = path.try_exists().with_context(|| format!("cannot read {}", path.display()))?;
    anyhow::ensure!(is_there, "there is no {}: the agent makes it at its first start", path.display());
    Ok(room_key(folder)?.public().line("skyrack"))
}

/// Writes a file that only its owner can read, atomically.
fn write_secret(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&new, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
