//! Files between the console and the cards: what is installed or pushed is fetched once for all cards; what a card
//! gave goes up before its result.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail, ensure};
use aws_lc_rs::digest;
use parking_lot::Mutex;
use tokio::io::AsyncWriteExt as _;
use wire::{FileRef, Key};

use crate::identity::Identity;

/// A file that was not used for so long is removed at the next start.
const KEPT: Duration = Duration::from_hours(24);

/// The files of an agent.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    http: reqwest::Client,
    identity: Identity,
    /// One fetch of a file at a time: the second one finds it there.
    fetching: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Files {
    /// Files kept in `folder`; old ones go.
    ///
    /// # Errors
    /// The folder can not be used.
    pub fn open(folder: &Path, http: reqwest::Client, identity: Identity) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        for entry in std::fs::read_dir(folder)?.flatten() {
            let is_old = entry
                .metadata()
                .and_then(|meta| meta.modified())
                .is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > KEPT));
            if is_old {
                // It only takes room.
                let _ = std::fs::remove_file(entry.path());
            }
        }
        Ok(Self { folder: folder.to_owned(), http, identity, fetching: Mutex::default() })
    }

    /// The file on this machine; fetched if it is not there, and checked.
    ///
    /// # Errors
    /// The console does not give it, it is not what it should be, or the disk is full.
    pub async fn get(&self, file: &FileRef) -> anyhow::Result<tokio::fs::File> {
        ensure!(file.sha256.len() == 64 && file.sha256.bytes().all(|b| b.is_ascii_hexdigit()), "a bad checksum");
        let path = self.folder.join(&file.sha256);
        let turn = Arc::clone(self.fetching.lock().entry(file.sha256.clone()).or_default());
        let _turn = turn.lock().await;
        if tokio::fs::metadata(&path).await.is_ok_and(|meta| meta.len() == file.size) {
            return Ok(tokio::fs::File::open(&path).await?);
        }
        let half = path.with_extension("part");
        let fetched = self.fetch(file, &half).await;
        if fetched.is_err() {
            // A piece is of no use.
            let _ = tokio::fs::remove_file(&half).await;
        }
        fetched?;
        tokio::fs::rename(&half, &path).await?;
        Ok(tokio::fs::File::open(&path).await?)
    }

    async fn fetch(&self, file: &FileRef, to: &Path) -> anyhow::Result<()> {
        let url = self.identity.console.join("/agent/v1/files/")?.join(&file.id)?;
        let mut answer = self.http.get(url).bearer_auth(&self.identity.credential).send().await?;
        ensure!(answer.status().is_success(), "the console answers {} for the file {}", answer.status(), file.name);
        let mut target = tokio::fs::File::create(to).await?;
        let (mut sum, mut size) = (digest::Context::new(&digest::SHA256), 0u64);
        while let Some(piece) = answer.chunk().await.context("the file broke off")? {
            size += piece.len() as u64;
            if size > file.size {
                bail!("the file {} is larger than it should be", file.name);
            }
            sum.update(&piece);
            target.write_all(&piece).await?;
        }
        target.flush().await?;
        ensure!(
            size == file.size && hex::encode(sum.finish()) == file.sha256.to_ascii_lowercase(),
            "the file {} did not arrive as it was sent",
            file.name
        );
        Ok(())
    }

    /// Sends what a card gave.
    ///
    /// # Errors
    /// The console does not take it.
    pub async fn send(&self, key: Key, bytes: Vec<u8>) -> anyhow::Result<()> {
        let path = format!("/agent/v1/tasks/{}/{}/file", key.task, key.attempt);
        let url = self.identity.console.join(&path)?;
        let request = self.http.put(url).bearer_auth(&self.identity.credential).timeout(Duration::from_mins(2));
        let answer = request.body(bytes).send().await.context("the console can not be reached")?;
        ensure!(answer.status().is_success(), "the console answers {}", answer.status());
        Ok(())
    }
}
