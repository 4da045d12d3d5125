//! Who the agent is: its credential, which it gets once for a join token, and the room's ADB key.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::sync::Arc;

use adb::RoomKey;
use anyhow::{Context as _, bail};
use rustls::ClientConfig;
use serde::Deserialize;
use url::Url;
use wire::{EnrolReply, EnrolRequest};

const FILE: &str = "agent.json";
const KEY: &str = "room.key";

/// An agent that has joined.
#[derive(Clone)]
pub struct Identity {
    /// Where the console is.
    pub console: Url,
    /// The agent, by its id in the console.
    pub agent: i64,
    /// Its room.
    pub room: i64,
    /// What it shows.
    pub credential: String,
}

impl std::fmt::Debug for Identity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "agent {} of room {}", self.agent, self.room)
    }
}

/// What the console answers to a call that it refuses.
#[derive(Deserialize)]
struct Refusal {
    msg: String,
}

impl Identity {
    /// Whether an agent that works in this folder has joined already.
    #[must_use]
    pub fn is_kept(folder: &Path) -> bool {
        folder.join(FILE).exists()
    }

    /// Reads the credential, or joins with the token and keeps the credential that comes for it.
    ///
    /// # Errors
    /// There is neither credential nor token, the console refuses the token, or the folder can not be used.
    pub async fn open(
        folder: &Path,
        console: &Url,
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
            return Ok(Self::of(console, known));
        }
        let Some(token) = token else {
            bail!("this agent has not joined yet: issue a join token in the console and start once with --token TOKEN")
        };
        let request = EnrolRequest { token: token.to_owned(), name: name.to_owned(), version: version.to_owned() };
        let http = reqwest::Client::builder().tls_backend_preconfigured(tls.clone()).build()?;
        let answer = http
            .post(console.join("/agent/v1/enrol")?)
            .json(&request)
            .send()
            .await
            .with_context(|| format!("cannot reach the console at {console}"))?;
        let status = answer.status();
        let text = answer.text().await.context("the console's answer broke off")?;
        if !status.is_success() {
            let why = serde_json::from_str::<Refusal>(&text).map_or_else(|_| status.to_string(), |refusal| refusal.msg);
            bail!("the console refused the join token: {why}");
        }
        let reply: EnrolReply =
            serde_json::from_str(&text).context("the console's answer is none: is it a Skyrack console?")?;
        write_secret(&path, &serde_json::to_vec_pretty(&reply)?)?;
        Ok(Self::of(console, reply))
    }

    fn of(console: &Url, EnrolReply { agent, room, credential }: EnrolReply) -> Self {
        Self { console: console.clone(), agent, room, credential }
    }
}

/// The room's ADB key; made at the first start.
///
/// # Errors
/// The folder can not be used, or the file is damaged.
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

/// Writes a file that only its owner reads, whole or not at all.
fn write_secret(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let half = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut file = std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&half)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&half, path)
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}
