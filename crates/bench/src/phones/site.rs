//! A room with simulated cards, its agent, and phones: what put-ons are measured on.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use kernel::time::UtcTime;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use super::PHONES;
use super::door::{Key, call};
use crate::fleet::{Process, limits};
use crate::load::Connection;
use crate::racks::{Racks, ask, furnish};
use crate::subject::Subject;

pub const CARDS: &str = "/api/fleet/v1/cards";
/// Whose the phones are.
const PEOPLE: usize = 50;
/// Whatever is waited for takes no longer.
pub const PATIENCE: Duration = Duration::from_mins(10);
/// Between two questions of somebody who waits alone.
const ASK: Duration = Duration::from_millis(10);

/// A console, simulated cards and their agent: each a process, on this machine.
pub struct Site {
    pub console: Subject,
    pub token: String,
    pub key: Arc<Key>,
    pub room: i64,
    /// Phones that were never used.
    pub phones: Vec<i64>,
    /// Where each card's ADB answers.
    port: u16,
    _agent: Process,
    _cards: Process,
    // The last one: who writes into it is gone by then.
    _folder: TempDir,
}

impl Site {
    /// Begins with so many cards, which take `boot_ms` for a start, give or take a quarter, and so many phones.
    pub async fn open(
        binary: &Path,
        database: Option<&str>,
        (cards, boot_ms): (usize, u32),
        phones: usize,
    ) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir_in("target")?;
        let url = database
            .map_or_else(|| format!("sqlite:{}", folder.path().join("skyrack.db").display()), ToOwned::to_owned);
        let console = Subject::console(binary, folder.path(), &url).await?;
        let (at, token) = (console.address, console.sign_in().await?);
        let key = Arc::new(Key::make(at, &token, "bench", &["phone"]).await?);
        limits(at, &token, 256).await?;
        rules(at, &token).await?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let room = furnish(at, &token, &Racks { cards, per_frame: 400, port }).await?;
        let gateway = json!({ "name": "bench-gateway", "roomId": room, "kind": 1, "host": "gw.example.com", "port": 8443, "weight": 10 });
        ask(at, "POST", "/api/platform/v1/service-addresses", &token, &gateway).await?;

        let text = |name: &str| folder.path().join(name).to_str().map(ToOwned::to_owned).context("a path");
        let (count, listen, boot) = (cards.to_string(), format!("127.0.0.1:{port}"), boot_ms.to_string());
        let data = text("cards")?;
        std::fs::create_dir(&data)?;
        let simulated = Process::start(
            binary,
            &["simulate", "--cards", &count, "--addresses", "--listen", &listen, "--boot-ms", &boot, "--data", &data],
        )?;
        let joining = ask(at, "POST", "/api/fleet/v1/join-tokens", &token, &json!({ "roomId": room })).await?;
        let (address, data) = (format!("http://{at}"), text("agent")?);
        let join = joining["token"].as_str().context("a token")?;
        let agent = Process::start(
            binary,
            &[
                "agent",
                "--console",
                &address,
                "--token",
                join,
                "--name",
                "bench",
                "--data-dir",
                &data,
                "--allow-loopback",
            ],
        )?;

        let site = Self {
            phones: make(at, &token, room, phones).await?,
            console,
            token,
            key,
            room,
            port,
            _agent: agent,
            _cards: simulated,
            _folder: folder,
        };
        until("all cards are free", async || anyhow::Ok(site.free().await? == cards)).await?;
        Ok(site)
    }

    pub const fn at(&self) -> SocketAddr {
        self.console.address
    }

    /// Asks the console for something.
    pub async fn get(&self, path: &str) -> anyhow::Result<Value> {
        ask(self.at(), "GET", path, &self.token, &Value::Null).await
    }

    /// Where a card's ADB answers.
    pub fn adb(&self, address: &str) -> anyhow::Result<SocketAddr> {
        Ok(SocketAddr::new(address.parse().with_context(|| format!("{address} is no address"))?, self.port))
    }

    /// Cards that are online and have said themselves that they are nobody's.
    async fn free(&self) -> anyhow::Result<usize> {
        let mut free = 0;
        for number in 1.. {
            let page = self.get(&format!("{CARDS}?networkStatus=1&pageSize=500&pageNum={number}")).await?;
            let list = page["list"].as_array().context("cards")?;
            free += list.iter().filter(|card| card["markState"] == 2).count();
            if list.len() < 500 {
                break;
            }
        }
        Ok(free)
    }

    /// Phones that are on cards.
    pub async fn on(&self) -> anyhow::Result<usize> {
        let page = self.get(&format!("{PHONES}?useType=1&pageSize=1")).await?;
        Ok(usize::try_from(page["total"].as_u64().context("a total")?)?)
    }

    /// Connects somebody to a phone, and asks until it is there: how long that took, and when it was.
    pub async fn connect(&self, phone: i64) -> anyhow::Result<(Duration, Instant)> {
        let mut line = Connection::open(self.at()).await?;
        let path = connect_path(phone);
        let started = Instant::now();
        let mut seen = call(&mut line, &self.key.act(&path)).await?;
        loop {
            match seen["state"].as_str() {
                Some("ready") => return Ok((started.elapsed(), Instant::now())),
                Some("queued" | "preparing") => {}
                _ => bail!("phone {phone}: {seen}"),
            }
            ensure!(started.elapsed() < PATIENCE, "phone {phone} does not come: {seen}");
            sleep(ASK).await;
            seen = call(&mut line, &self.key.look(&path)).await?;
        }
    }
}

/// Where somebody connects to a phone.
pub fn connect_path(phone: i64) -> String {
    format!("/open/v1/phones/{phone}/connect")
}

/// Nobody leaves a card by rule, nobody waits for too long, and the queue takes as many as come.
async fn rules(at: SocketAddr, token: &str) -> anyhow::Result<()> {
    let values = json!({ "idleMinutes": 9999, "queueMax": 10_000, "queueWait": 999 });
    let body = json!({ "scope": 1, "version": 0, "values": values });
    ask(at, "PUT", "/api/phone/v1/rules", token, &body).await.map(drop)
}

/// New phones of some customers.
async fn make(at: SocketAddr, token: &str, room: i64, count: usize) -> anyhow::Result<Vec<i64>> {
    let until = UtcTime::now().plus_seconds(300 * 86_400).to_rfc3339();
    let each = count.div_ceil(PEOPLE).max(1);
    let mut made = Vec::with_capacity(count);
    while made.len() < count {
        let body = json!({ "name": format!("客户{}", made.len()) });
        let user = ask(at, "POST", "/api/user/v1/client-users", token, &body).await?;
        let some = each.min(count - made.len());
        let body =
            json!({ "userId": user["id"], "plan": 2, "roomId": room, "diskGb": 1, "expiresAt": until, "count": some });
        let first = ask(at, "POST", PHONES, token, &body).await?["firstId"].as_i64().context("a phone")?;
        made.extend(first..first + i64::try_from(some)?);
    }
    Ok(made)
}

/// Waits until `what` answers yes.
pub async fn until(words: &str, mut what: impl AsyncFnMut() -> anyhow::Result<bool>) -> anyhow::Result<()> {
    let started = Instant::now();
    while !what().await? {
        ensure!(started.elapsed() < PATIENCE, "{words}: not within ten minutes");
        sleep(Duration::from_millis(500)).await;
    }
    Ok(())
}
