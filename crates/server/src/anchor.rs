//! Anchors of the operation log: the number and the hash of its newest line, appended now and then to a file that is
//! no part of the database.
//!
//! The chain proves that no line was changed, removed from the middle or put in between. That its end was cut off, or
//! that the whole chain was computed anew, only somebody outside can tell: keep the file where whoever may write the
//! database may not (another user, an append-only file, another machine).
//!
//! One line each: `2026-11-21T22:40:00.000Z 1234 <64 hex digits>`; after a restore `restored` stands in front, and
//! anchors of what the backup did not hold are no longer asked for.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use db::Db;
use db::journal::{self, Broken, Head};
use kernel::time::UtcTime;
use sea_orm::ConnectionTrait;

use crate::app::App;

/// Between two anchors.
const EVERY: Duration = Duration::from_mins(5);
/// What stands before an anchor that a restore has set.
const RESTORED: &str = "restored";

/// The file of anchors.
#[derive(Clone, Debug)]
pub struct Anchors {
    path: PathBuf,
}

impl Anchors {
    /// The anchors in `path`, which need not be there yet.
    #[must_use]
    pub fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// All of them, oldest first. A line that was torn by a crash is no anchor.
    ///
    /// # Errors
    /// When the file is there and can not be read.
    pub fn read(&self) -> anyhow::Result<Vec<Head>> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("the anchors in {}", self.path.display())),
        };
        let mut anchors: Vec<Head> = Vec::new();
        for line in text.lines() {
            let (is_restored, line) = match line.strip_prefix(RESTORED) {
                Some(rest) => (true, rest.trim_start()),
                None => (false, line),
            };
            let Some(anchor) = parse(line) else { continue };
            if is_restored {
                anchors.retain(|older| older.id <= anchor.id);
            }
            anchors.push(anchor);
        }
        Ok(anchors)
    }

    /// Whether every anchor is a line of the log; answers how many there are.
    ///
    /// # Errors
    /// When the file or the log can not be read; a missing or another line is the inner error.
    pub async fn check(&self, db: &impl ConnectionTrait) -> anyhow::Result<Result<u64, Broken>> {
        let anchors = self.read()?;
        Ok(journal::holds(db, &anchors).await?.map(|()| anchors.len() as u64))
    }

    /// Appends the newest line of the log, unless it is there or the log has lost what was anchored: that is told, and
    /// nothing is written over it. Answers whether an anchor was added.
    ///
    /// # Errors
    /// When the log can not be read, lacks what was anchored, or the file can not be written.
    pub async fn drop_one(&self, db: &Db, now: UtcTime) -> anyhow::Result<bool> {
        let Some(head) = journal::head(db.read()).await? else { return Ok(false) };
        let newest = self.read()?.pop();
        if newest.as_ref() == Some(&head) {
            return Ok(false);
        }
        journal::holds(db.read(), newest.as_slice()).await?.context("the operation log is not what was anchored")?;
        self.append("", &head, now)?;
        Ok(true)
    }

    /// Notes that the log is that of a backup now.
    ///
    /// # Errors
    /// When the log can not be read or the file can not be written.
    pub async fn restored(&self, db: &Db, now: UtcTime) -> anyhow::Result<()> {
        // Where nothing was ever anchored, nothing is missed.
        if self.read()?.is_empty() {
            return Ok(());
        }
        let head = journal::head(db.read()).await?.unwrap_or_default();
        self.append(&format!("{RESTORED} "), &head, now)
    }

    fn append(&self, before: &str, head: &Head, now: UtcTime) -> anyhow::Result<()> {
        let write = || -> std::io::Result<()> {
            let mut file = OpenOptions::new().read(true).append(true).create(true).open(&self.path)?;
            let torn = if ends_in_a_line(&mut file)? { "" } else { "\n" };
            let line = format!("{torn}{before}{} {} {}\n", now.to_rfc3339(), head.id, hex::encode(&head.hash));
            file.write_all(line.as_bytes())?;
            file.sync_data()
        };
        write().with_context(|| format!("an anchor of the operation log in {}", self.path.display()))
    }
}

fn ends_in_a_line(file: &mut File) -> std::io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn parse(line: &str) -> Option<Head> {
    let mut parts = line.split(' ');
    let (_at, id, hash) = (parts.next()?, parts.next()?, parts.next()?);
    let head = Head { id: id.parse().ok()?, hash: hex::decode(hash).ok()? };
    (parts.next().is_none() && matches!(head.hash.len(), 0 | 32)).then_some(head)
}

/// Drops an anchor at the start and every five minutes.
pub async fn keep(app: App) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        drop_one(&app).await;
    }
}

/// Drops an anchor; what goes wrong is logged.
pub async fn drop_one(app: &App) {
    if let Err(error) = app.anchors.drop_one(&app.db, app.clock.now()).await {
        tracing::error!(error = format!("{error:#}"), "the operation log was not anchored");
    }
}
