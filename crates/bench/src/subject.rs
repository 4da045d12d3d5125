//! The processes that are measured.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use md5::Digest as _;

use crate::load::{Connection, Request};

/// The password of `admin`.
pub const PASSWORD: &str = "Bench1234";

/// A server under test; it dies with this value.
#[derive(Debug)]
pub struct Subject {
    child: Child,
    pub address: SocketAddr,
    /// From the start of the process to its first answer.
    pub start: Duration,
}

impl Subject {
    /// Starts the console on a database.
    pub async fn console(binary: &Path, data: &Path, database: &str) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--database", database, "--data-dir"])
            .arg(data)
            .env("SKYRACK_ADMIN_PASSWORD", PASSWORD)
            // The simulated cards are on this machine.
            .env("SKYRACK_ALLOW_OUTBOUND", r#"["127.0.0.0/8"]"#)
            .env("SKYRACK_LOG", "warn");
        Self::start(command, |line| line.split_once("://").map(|(_, rest)| rest.trim_end_matches('/').to_owned())).await
    }

    /// Starts the floor on a SQLite file.
    pub async fn floor(file: &Path) -> anyhow::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["floor", "--file"]).arg(file);
        Self::start(command, |line| Some(line.to_owned())).await
    }

    async fn start(mut command: Command, address: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| format!("start {command:?}"))?;
        let mut lines = BufReader::new(child.stdout.take().context("no output")?).lines();
        let found = lines.by_ref().map_while(Result::ok).find_map(|line| address(line.trim()));
        let address: SocketAddr = found.context("the server said no address")?.parse()?;
        Connection::open(address).await?.send(&Request::new("GET", "/healthz", None, "")).await?;
        let start = started.elapsed();
        // Its further output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Ok(Self { child, address, start })
    }

    /// Anonymous memory in bytes: what the process uses itself, without mapped files.
    pub fn memory(&self) -> anyhow::Result<u64> {
        anonymous(self.child.id())
    }

    /// CPU time that the process has used.
    pub fn processor(&self) -> anyhow::Result<Duration> {
        let text = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id()))?;
        // After the name, which may contain spaces: state is field 3, user and system time are 14 and 15, in
        // hundredths.
        let rest = text.rsplit_once(')').context("no name")?.1;
        let ticks: u64 = rest.split_whitespace().skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
        Ok(Duration::from_millis(ticks * 10))
    }

    /// Signs in and returns the token.
    pub async fn sign_in(&self) -> anyhow::Result<String> {
        let mut connection = Connection::open(self.address).await?;
        let request =
            Request::new("POST", "/api/user/v1/designjet/login", None, &self.credentials(&mut connection).await?);
        let answer: serde_json::Value = serde_json::from_slice(&connection.send(&request).await?.body)?;
        match answer["data"]["token"].as_str() {
            Some(token) => Ok(token.to_owned()),
            None => bail!("sign-in failed: {answer}"),
        }
    }

    /// The body of a sign-in; each is accepted once.
    pub async fn credentials(&self, connection: &mut Connection) -> anyhow::Result<String> {
        use aws_lc_rs::rsa::{Pkcs1PublicEncryptingKey, PublicEncryptingKey};
        let key = connection.send(&Request::new("POST", "/api/user/v1/client/login/getPbKey", None, "{}")).await?;
        let key: serde_json::Value = serde_json::from_slice(&key.body)?;
        let der = STANDARD.decode(key["data"]["publicKey"].as_str().context("no key")?)?;
        let key =
            Pkcs1PublicEncryptingKey::new(PublicEncryptingKey::from_der(&der).map_err(|e| anyhow::anyhow!("{e}"))?)?;
        let mut ciphertext = vec![0; key.ciphertext_size()];
        let secret = hex::encode(md5::Md5::digest(PASSWORD));
        let password = STANDARD.encode(key.encrypt(secret.as_bytes(), &mut ciphertext)?);
        Ok(serde_json::json!({ "username": STANDARD.encode("admin"), "password": password, "ipAddr": "", "diskName": "bench" }).to_string())
    }
}

/// Anonymous memory of a process in bytes.
pub fn anonymous(process: u32) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{process}/status"))?;
    let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).context("no RssAnon")?;
    Ok(line.trim().trim_end_matches(" kB").trim().parse::<u64>()? * 1024)
}

impl Drop for Subject {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}
