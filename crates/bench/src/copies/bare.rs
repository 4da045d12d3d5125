//! Debian's `adb`: it fills the cards, and carries what is on them and nothing else.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tokio::process::Command;
use tokio::time::sleep;

use super::place::Card;
use super::{IN_FOLDER, ROUND, Ran, Size, ran, said_by, settled};

/// The app whose data a phone consists of.
const APP: &str = "com.example.copies";
/// Where the bare stream writes.
const LANDING: &str = "/data/local/tmp/copies";
/// All of it, and what changes, as the card's shell finds it.
pub const ALL: &str = "d*";
pub const CHANGED: &str = "d*/f0";

/// Where the data is on a card.
fn data() -> String {
    format!("/data/data/{APP}/files")
}

/// A client with a server and keys of its own, which end with the value.
pub struct Adb {
    home: PathBuf,
    port: u16,
}

impl Adb {
    pub fn new(folder: &Path) -> anyhow::Result<Self> {
        let home = folder.join("home");
        std::fs::create_dir_all(&home)?;
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        Ok(Self { home, port })
    }

    /// Runs a line of bash, in which `$1` is the card and `$2` a path of this machine.
    async fn line(&self, card: &Card, line: &str, path: &Path) -> anyhow::Result<Ran> {
        let mut command = Command::new("bash");
        command.env("HOME", &self.home).env("ANDROID_ADB_SERVER_PORT", self.port.to_string());
        command.arg("-c").arg(format!("set -o pipefail; {line}")).arg("bash").arg(&card.serial).arg(path);
        ran(command).await
    }

    /// Connects to a card.
    pub async fn connect(&self, card: &Card) -> anyhow::Result<()> {
        for _ in 0..60 {
            let state = self.line(card, r#"adb connect "$1" >/dev/null; adb -s "$1" get-state"#, &self.home).await;
            if state.is_ok_and(|state| state.said.trim() == "device") {
                return Ok(());
            }
            sleep(Duration::from_secs(1)).await;
        }
        bail!("adb does not come to {}", card.serial)
    }

    /// Runs a script on a card.
    async fn shell(&self, card: &Card, script: &str) -> anyhow::Result<()> {
        // From a file, so that bash finds nothing in it that it would replace.
        let file = self.home.join("script");
        std::fs::write(&file, script)?;
        self.line(card, r#"adb -s "$1" shell -T "$(cat "$2")""#, &file).await.map(drop)
    }

    /// Installs the app on a card, and gives it data that the card computes from `seed`.
    pub async fn fill(&self, card: &Card, size: Size, seed: u64) -> anyhow::Result<()> {
        let file = self.home.join("app.apk");
        let mut app = format!("SIMULATED-APK\n{APP}\n1\na\n\n21\n").into_bytes();
        app.resize(300_000, 0);
        std::fs::write(&file, app)?;
        let said = self.line(card, r#"adb -s "$1" install "$2""#, &file).await?.said;
        ensure!(said.contains("Success"), "the app was not installed: {said}");
        let [small, middle, large] = size.sizes();
        let (folders, data) = (size.folders(), data());
        let script = format!(
            "mkdir -p {data} && cd {data} || exit 1\n\
             d=0\n\
             while [ $d -lt {folders} ]; do\n\
             i=0\n\
             while [ $i -lt {IN_FOLDER} ]; do\n\
             n=$(( d + i ))\n\
             case $(( n % {ROUND} )) in\n\
             0) s={large} ;;\n\
             1|2|3) s={middle} ;;\n\
             *) s={small} ;;\n\
             esac\n\
             plant d$d/f$i $s $(( {seed} + d )) || exit 1\n\
             i=$(( i + 1 ))\n\
             done\n\
             d=$(( d + 1 ))\n\
             done\n\
             own=$(stat -c %u /data/data/{APP}) && chown -R $own:$own {data} && restorecon -R {data}\n"
        );
        self.shell(card, &script).await
    }

    /// Gives one file of a hundred another content of the same size.
    pub async fn change(&self, card: &Card, size: Size, seed: u64) -> anyhow::Result<()> {
        let (folders, data) = (size.folders(), data());
        let script = format!(
            "cd {data} || exit 1\n\
             d=0\n\
             while [ $d -lt {folders} ]; do\n\
             plant d$d/f0 $(stat -c %s d$d/f0) $(( {seed} + d )) || exit 1\n\
             d=$(( d + 1 ))\n\
             done\n"
        );
        self.shell(card, &script).await
    }

    /// Reads files of a card, and keeps nothing of them.
    pub async fn stream(&self, card: &Card, which: &str) -> anyhow::Result<Duration> {
        let line = format!(r#"adb -s "$1" exec-out 'cd {} && tar c {which}' >/dev/null"#, data());
        Ok(self.line(card, &line, &self.home).await?.took)
    }

    /// Brings files of a card into a folder.
    pub async fn fetch(&self, card: &Card, which: &str, to: &Path) -> anyhow::Result<()> {
        let line = format!(r#"adb -s "$1" exec-out 'cd {} && tar c {which}' | tar xf - -C "$2""#, data());
        self.line(card, &line, to).await.map(drop)
    }

    /// Writes a folder to a card, by each of the two ways there are: how the quicker one is called, and how long it took.
    /// Nothing of it stays there.
    pub async fn write(&self, card: &Card, tree: &Path) -> anyhow::Result<(&'static str, Duration)> {
        let unpack =
            format!(r#"cd "$2" && tar cf - d* | adb -s "$1" shell -T 'mkdir -p {LANDING} && tar x -C {LANDING}'"#);
        let push = format!(r#"adb -s "$1" push "$2" {LANDING}"#);
        let mut best: Option<(&'static str, Duration)> = None;
        for (name, line) in [("tar x", &unpack), ("push", &push)] {
            settled().await?;
            let ran = self.line(card, line, tree).await;
            self.shell(card, &format!("rm -rf {LANDING}")).await?;
            match ran {
                Ok(Ran { took, .. }) if best.is_none_or(|(_, before)| took < before) => best = Some((name, took)),
                Ok(_) => {}
                Err(why) => println!("{name} is not counted: {why:#}"),
            }
        }
        best.context("nothing could be written")
    }
}

impl Drop for Adb {
    fn drop(&mut self) {
        let mut command = std::process::Command::new("adb");
        command.arg("kill-server").env("HOME", &self.home).env("ANDROID_ADB_SERVER_PORT", self.port.to_string());
        _ = command.stdin(Stdio::null()).stderr(Stdio::null()).status();
    }
}

/// Its name and version.
pub async fn version() -> anyhow::Result<String> {
    let said = said_by("adb", "version").await?;
    let version = said.lines().find_map(|line| line.strip_prefix("Version "));
    Ok(format!("adb {}", version.unwrap_or_else(|| said.trim())))
}
