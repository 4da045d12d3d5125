//! A room whose phones are copied: console, agent, simulated cards, and a storage node that is a folder of the agent's.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use kernel::clock::Clock;
use kernel::time::UtcTime;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::fleet::{OPERATIONS, Process, limits};
use crate::racks::{Racks, ask, furnish};
use crate::subject::Subject;

const CARDS: &str = "/api/fleet/v1/cards";
const PHONES: &str = "/api/phone/v1/phones";
const NODES: &str = "/api/storage/v1/nodes";
const RULES: &str = "/api/phone/v1/rules";
/// What fits on a phone; a simulated card has twice that.
const DISK_GB: i64 = 16;
/// Longer than anything should take here.
const PATIENCE: Duration = Duration::from_hours(2);
/// Interval between two questions how far something is.
const LOOK: Duration = Duration::from_millis(50);

/// What is done to a phone, and the steps of it that are looked at, as the API numbers them.
pub const PUT_ON: i64 = 1;
pub const BACK_UP: i64 = 2;
pub const RESTORE: i64 = 6;
pub const COPY: i64 = 14;

/// A simulated card.
#[derive(Clone, Debug)]
pub struct Card {
    pub id: i64,
    /// What `adb` calls it.
    pub serial: String,
    /// The image that it runs: a copy comes on cards of the same one.
    image: i64,
}

/// The room. Its processes end before the console, and all of it with this value.
pub struct Place {
    agent: Process,
    _cards: Process,
    console: Subject,
    token: String,
    room: i64,
}

impl Place {
    /// Starts all of it in a folder, and waits until every card is online and has said what it runs.
    pub async fn open(binary: &Path, folder: &Path, cards: usize) -> anyhow::Result<Self> {
        let url = format!("sqlite:{}", folder.join("skyrack.db").display());
        let console = Subject::console(binary, folder, &url).await?;
        let (at, token) = (console.address, console.sign_in().await?);
        limits(at, &token, 256).await?;
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let room = furnish(at, &token, &Racks { cards, per_frame: 400, port }).await?;
        let (count, listen) = (cards.to_string(), format!("127.0.0.1:{port}"));
        // On the same disk as everything else.
        let (spool, data) = (folder.join("cards"), folder.join("agent"));
        std::fs::create_dir(&spool)?;
        let spool = spool.to_str().context("a path")?;
        let simulated = Process::start(
            binary,
            &["simulate", "--cards", &count, "--addresses", "--listen", &listen, "--boot-ms", "1000", "--data", spool],
        )?;
        let joining = ask(at, "POST", "/api/fleet/v1/join-tokens", &token, &json!({ "roomId": room })).await?;
        let (join, here) = (joining["token"].as_str().context("a token")?, format!("http://{at}"));
        let data = data.to_str().context("a path")?;
        let agent = Process::start(
            binary,
            &["agent", "--console", &here, "--token", join, "--name", "bench", "--data-dir", data, "--allow-loopback"],
        )?;
        let place = Self { agent, _cards: simulated, console, token, room };
        let started = Instant::now();
        loop {
            let list = place.ask("GET", &format!("{CARDS}?pageSize=100"), &Value::Null).await?;
            let is_up = |card: &Value| card["networkStatus"] == 1 && card["image"]["id"].is_i64();
            if list["total"] == cards && rows(&list).iter().all(is_up) {
                break;
            }
            ensure!(started.elapsed() < PATIENCE, "the cards do not come online");
            sleep(Duration::from_millis(500)).await;
        }
        place.keep_on().await?;
        place.store().await?;
        Ok(place)
    }

    async fn ask(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        ask(self.console.address, method, path, &self.token, body).await
    }

    /// Nobody uses these phones: they would leave their cards for that.
    async fn keep_on(&self) -> anyhow::Result<()> {
        let now = self.ask("GET", &format!("{RULES}?scope=1"), &Value::Null).await?;
        let body = json!({ "scope": 1, "version": now["version"], "values": { "idleMinutes": 0 } });
        self.ask("PUT", RULES, &body).await.map(drop)
    }

    /// Makes the storage node, and waits until it takes copies.
    async fn store(&self) -> anyhow::Result<()> {
        let agents = self.ask("GET", "/api/fleet/v1/agents?pageSize=1", &Value::Null).await?;
        let agent = rows(&agents).first().context("an agent")?["id"].clone();
        let body = json!({ "name": "copies", "city": "杭州", "place": "copies", "agents": [agent], "capacity": 9999,
            "unit": "gb", "partitions": 1 });
        let made = self.ask("POST", NODES, &body).await?;
        let path = format!("{NODES}/{}", made["id"]);
        let started = Instant::now();
        while self.ask("GET", &path, &Value::Null).await?["state"] != 1 {
            ensure!(started.elapsed() < PATIENCE, "the storage node takes no copies");
            sleep(Duration::from_millis(500)).await;
        }
        Ok(())
    }

    /// The cards of the room.
    pub async fn cards(&self) -> anyhow::Result<Vec<Card>> {
        let list = self.ask("GET", &format!("{CARDS}?pageSize=100"), &Value::Null).await?;
        rows(&list).iter().map(card).collect()
    }

    /// So many cards that have each another one of their image, which is nobody else's.
    pub async fn sources(&self, wanted: usize) -> anyhow::Result<Vec<Card>> {
        let (mut sources, mut lonely): (Vec<Card>, HashMap<i64, Card>) = (Vec::new(), HashMap::new());
        for card in self.cards().await? {
            match lonely.remove(&card.image) {
                Some(first) => sources.push(first),
                None => _ = lonely.insert(card.image, card),
            }
        }
        ensure!(sources.len() >= wanted, "only {} cards have another one of their image", sources.len());
        sources.truncate(wanted);
        Ok(sources)
    }

    /// Leaves these cards for phones, or all but these.
    pub async fn leave(&self, cards: &[Card], are_left: bool) -> anyhow::Result<()> {
        let (these, others): (Vec<i64>, Vec<i64>) =
            self.cards().await?.iter().map(|card| card.id).partition(|id| cards.iter().any(|card| card.id == *id));
        for (ids, is_left) in [(these, are_left), (others, !are_left)] {
            let body = json!({ "selection": { "ids": ids }, "assignable": is_left });
            self.ask("POST", &format!("{CARDS}/flags"), &body).await?;
        }
        Ok(())
    }

    /// So many new phones of a new user.
    pub async fn phones(&self, count: usize) -> anyhow::Result<Vec<i64>> {
        let user = json!({ "name": "张三丰", "phone": "13800000001", "identCode": "COPIES1" });
        let user = self.ask("POST", "/api/user/v1/client-users", &user).await?;
        let expires = Clock::default().now().plus_seconds(30 * 86_400);
        let body = json!({ "userId": user["id"], "plan": 2, "roomId": self.room, "diskGb": DISK_GB,
            "expiresAt": expires, "count": count });
        self.ask("POST", PHONES, &body).await?;
        let list = self.ask("GET", &format!("{PHONES}?pageSize=100"), &Value::Null).await?;
        rows(&list).iter().map(|phone| phone["id"].as_i64().context("an id")).collect()
    }

    /// The card that a phone is on.
    pub async fn card_of(&self, phone: i64) -> anyhow::Result<Card> {
        let seen = self.ask("GET", &format!("{PHONES}/{phone}"), &Value::Null).await?;
        let found = self.cards().await?.into_iter().find(|card| seen["card"]["id"] == card.id);
        found.with_context(|| format!("the phone is on no card: {seen}"))
    }

    /// Does something to phones (`back-up`, `put-on`, `take-off`), and waits for its end: how long that took.
    pub async fn act(&self, what: &str, phones: &[i64]) -> anyhow::Result<Duration> {
        let started = Instant::now();
        let body = json!({ "selection": { "ids": phones } });
        let made = self.ask("POST", &format!("{PHONES}/{what}"), &body).await?;
        let path = format!("{OPERATIONS}/{}", made["id"]);
        loop {
            let now = self.ask("GET", &path, &Value::Null).await?;
            if now["state"].as_i64() >= Some(7) {
                let took = started.elapsed();
                if now["succeeded"] == phones.len() {
                    return Ok(took);
                }
                let tasks = self.ask("GET", &format!("{path}/tasks?pageSize=100"), &Value::Null).await?;
                let why: Vec<&str> = rows(&tasks).iter().filter_map(|task| task["code"].as_str()).collect();
                bail!("{what} has ended for {} of {}: {}", now["succeeded"], phones.len(), why.join(" "));
            }
            ensure!(started.elapsed() < PATIENCE, "{what} has not ended: {now}");
            sleep(LOOK).await;
        }
    }

    /// When a step began and ended that was done to a phone last in such a saga, in milliseconds since 1970, by the
    /// console's clock: from when the agent was given it until the console has its result.
    pub async fn step(&self, phone: i64, saga: i64, step: i64) -> anyhow::Result<(i64, i64)> {
        let sagas = self.ask("GET", &format!("{PHONES}/{phone}/sagas"), &Value::Null).await?;
        let sagas = sagas.as_array().context("sagas")?;
        let last = sagas.iter().find(|one| one["kind"] == saga).context("a saga of that kind")?;
        let steps = last["steps"].as_array().context("steps")?;
        // A try before it is not part of it.
        let done = steps.iter().find(|one| one["name"] == step && one["state"] == 3).context("a step that is done")?;
        Ok((moment(&done["beganAt"])?, moment(&done["endedAt"])?))
    }

    /// Files that the newest copy has read, of how many it has.
    pub async fn read(&self) -> anyhow::Result<(i64, i64)> {
        let list = self.ask("GET", "/api/storage/v1/backups?pageSize=1", &Value::Null).await?;
        let newest = rows(&list).first().context("a copy")?;
        Ok((newest["readFiles"].as_i64().context("files read")?, newest["files"].as_i64().context("files")?))
    }

    /// The most memory that the agent ever had, in bytes, with the pages of its program.
    pub fn agent_peak(&self) -> anyhow::Result<u64> {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.agent.id()))?;
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).context("no VmHWM")?;
        Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? << 10)
    }
}

fn rows(list: &Value) -> &[Value] {
    list["list"].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn card(row: &Value) -> anyhow::Result<Card> {
    let number = |value: &Value| value.as_i64().with_context(|| format!("a number: {row}"));
    let address = row["intranetIp"].as_str().context("an address")?;
    Ok(Card {
        id: number(&row["id"])?,
        serial: format!("{address}:{}", number(&row["adbPort"])?),
        image: number(&row["image"]["id"])?,
    })
}

fn moment(told: &Value) -> anyhow::Result<i64> {
    Ok(UtcTime::parse_rfc3339(told.as_str().context("a time")?)?.millis())
}

/// How long a step took.
pub fn between((began, ended): (i64, i64)) -> Duration {
    Duration::from_millis(u64::try_from(ended - began).unwrap_or(0))
}
