//! Anchors of the operation log: the number and the hash of its newest entry, appended regularly to a file outside the
//! database.
//!
//! The chain proves that no entry was changed, removed from the middle or inserted. That its end was cut off, or that
//! the whole chain was recomputed, can only be detected from outside: keep the file where those who may write to the
//! database may not (another user, an append-only file, another machine). Each anchor is signed with a key derived from
//! the master key (`line`), so that somebody who can write to the file as well cannot forge one; they can still take
//! both back to an earlier state together, which a running server notices and an append-only file prevents.
//!
//! After a restore, `restored` comes first, and anchors that the backup did not contain are no longer expected.

mod line;

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use db::Db;
use db::journal::{self, Broken, ChainFault, Head};
use kernel::time::UtcTime;
use line::Anchored;
use parking_lot::Mutex;
use sea_orm::ConnectionTrait;
use vault::{Secret, Vault, store};

use crate::app::App;

/// Interval between two anchors.
const EVERY: Duration = Duration::from_mins(5);
/// The secret that records that anchors have been signed: from then on a file without signatures is not ours.
const SIGNED: &str = "audit.anchor";

/// The anchor file.
#[derive(Clone, Debug)]
pub struct Anchors {
    path: PathBuf,
    vault: Vault,
    /// The anchor that this process has seen last: it must stay in the file.
    seen: Arc<Mutex<Option<Head>>>,
}

impl Anchors {
    /// The anchors in `path`, which need not exist yet, signed with `vault`.
    #[must_use]
    pub fn at(path: &Path, vault: Vault) -> Self {
        Self { path: path.to_owned(), vault, seen: Arc::default() }
    }

    /// All anchors that the log must contain, oldest first. A line torn by a crash is not an anchor.
    ///
    /// # Errors
    /// When the file is there and cannot be read.
    pub fn read(&self) -> anyhow::Result<Vec<Head>> {
        Ok(self.load()?.asked_for)
    }

    /// Whether every anchor is this console's, and an entry of the log; returns their number.
    ///
    /// # Errors
    /// When the file or the log cannot be read; an anchor that is not ours, or a missing or different entry, is the
    /// inner error.
    pub async fn check(&self, db: &impl ConnectionTrait) -> anyhow::Result<Result<u64, Broken>> {
        let anchored = self.load()?;
        if let Err(broken) = self.believe(db, &anchored).await? {
            return Ok(Err(broken));
        }
        let anchors = anchored.asked_for;
        Ok(journal::holds(db, &anchors).await?.map(|()| anchors.len() as u64))
    }

    /// Appends the newest entry of the log, unless it is there, or the log has lost an anchored entry, or the anchors
    /// were modified: that is reported, and nothing is overwritten. Returns whether an anchor was added.
    ///
    /// # Errors
    /// When the log cannot be read, lacks an anchored entry, or the file cannot be written.
    pub async fn drop_one(&self, db: &Db, now: UtcTime) -> anyhow::Result<bool> {
        let Some(head) = journal::head(db.read()).await? else { return Ok(false) };
        let anchored = self.load()?;
        self.believe(db.read(), &anchored).await?.context("the anchors are not those that were written")?;
        let newest = anchored.asked_for.last();
        if newest == Some(&head) && anchored.unvouched.is_none() {
            return Ok(false);
        }
        journal::holds(db.read(), newest.map(std::slice::from_ref).unwrap_or_default())
            .await?
            .context("the operation log is not what was anchored")?;
        if anchored.unvouched.is_some() {
            tracing::warn!(path = %self.path.display(), "adopted unsigned anchors of an earlier version");
        }
        self.mark(db, now).await?;
        self.append(&anchored, &head, false, now)?;
        Ok(true)
    }

    /// Records that the log is now that of a backup.
    ///
    /// # Errors
    /// When the log cannot be read or the file cannot be written.
    pub async fn restored(&self, db: &Db, now: UtcTime) -> anyhow::Result<()> {
        let anchored = self.load()?;
        // If nothing was ever anchored, nothing is missing.
        if anchored.all.is_empty() {
            return Ok(());
        }
        let head = journal::head(db.read()).await?.unwrap_or_default();
        self.append(&anchored, &head, true, now)
    }

    /// Renames the file, since its anchors can no longer be verified: their key is lost. Returns its new path, if there
    /// was one.
    ///
    /// # Errors
    /// When the file cannot be renamed.
    pub fn put_aside(&self, now: UtcTime) -> anyhow::Result<Option<PathBuf>> {
        if self.load()?.all.is_empty() {
            return Ok(None);
        }
        let mut aside = self.path.clone().into_os_string();
        aside.push(format!(".{}", now.millis()));
        let aside = PathBuf::from(aside);
        std::fs::rename(&self.path, &aside).with_context(|| format!("cannot rename {}", self.path.display()))?;
        Ok(Some(aside))
    }

    fn load(&self) -> anyhow::Result<Anchored> {
        let text = match std::fs::read_to_string(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("the anchors in {}", self.path.display())),
        };
        Ok(Anchored::read(&text, &self.vault))
    }

    /// Whether the anchors were written by this console.
    async fn believe(&self, db: &impl ConnectionTrait, anchored: &Anchored) -> anyhow::Result<Result<(), Broken>> {
        let broken = |id, fault| Ok(Err(Broken { id, fault }));
        if let Some(id) = anchored.forged {
            return broken(id, ChainFault::AnchorForged);
        }
        if let Some(id) = anchored.unvouched
            && (anchored.is_signed || store::view(db, SIGNED).await?.set)
        {
            return broken(id, ChainFault::AnchorForged);
        }
        match &*self.seen.lock() {
            Some(seen) if !anchored.all.contains(seen) => broken(seen.id, ChainFault::AnchorGone),
            Some(_) | None => Ok(Ok(())),
        }
    }

    /// Records in the database that anchors are signed from now on.
    async fn mark(&self, db: &Db, now: UtcTime) -> anyhow::Result<()> {
        if store::view(db.read(), SIGNED).await?.set {
            return Ok(());
        }
        let tx = db.begin_write().await?;
        store::put(&tx, &self.vault, SIGNED, &Secret::from("signed".to_owned()), "", now).await?;
        Ok(tx.commit().await?)
    }

    fn append(&self, anchored: &Anchored, head: &Head, is_restored: bool, now: UtcTime) -> anyhow::Result<()> {
        let line = anchored.line(head, is_restored, now, &self.vault);
        let write = || -> std::io::Result<()> {
            let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&self.path)?;
            let torn = if ends_in_a_line(&mut file)? { "" } else { "\n" };
            file.write_all(format!("{torn}{line}\n").as_bytes())?;
            file.sync_data()
        };
        write().with_context(|| format!("an anchor of the operation log in {}", self.path.display()))?;
        *self.seen.lock() = Some(head.clone());
        Ok(())
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

/// Writes an anchor at startup and every five minutes.
pub async fn keep(app: App) {
    let mut ticks = tokio::time::interval(EVERY);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        drop_one(&app).await;
    }
}

/// Writes an anchor; errors are logged.
pub async fn drop_one(app: &App) {
    if let Err(error) = app.anchors.drop_one(&app.db, app.clock.now()).await {
        tracing::error!(error = format!("{error:#}"), "the operation log was not anchored");
    }
}
