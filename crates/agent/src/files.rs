//! Files between the console and the cards: files to install or push are fetched once for all cards; files from cards
//! are uploaded before the result of their task.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use anyhow::{Context as _, bail, ensure};
use aws_lc_rs::digest;
use parking_lot::Mutex;
use reqwest::header::RETRY_AFTER;
use reqwest::{RequestBuilder, Response, StatusCode};
use tokio::io::AsyncWriteExt as _;
use url::Url;
use wire::copy::{CopyKeys, MAX_PAPER, Paper};
use wire::{FileRef, Key};

use crate::identity::Identity;

/// A file that was not used for this long is removed at the next start.
const KEPT: Duration = Duration::from_hours(24);

/// The extension of a file that is not complete.
const PART: &str = "part";

/// Attempts to reach the console, with waits up to this that double: about seven seconds in total.
const TRIES: u32 = 6;
const SHORTEST: Duration = Duration::from_millis(500);
/// The longest time that a console may ask to wait for between two of them.
const LONGEST: Duration = Duration::from_secs(60);

/// The files of an agent.
#[derive(Debug)]
pub struct Files {
    folder: PathBuf,
    http: reqwest::Client,
    identity: Identity,
    /// One download of a file at a time: the second caller finds it on disk.
    fetching: Mutex<HashMap<String, Arc<tokio::sync::Mutex<()>>>>,
}

impl Files {
    /// Files in `folder`; old ones are removed, and what a killed agent had begun to fetch.
    ///
    /// # Errors
    /// The folder cannot be used.
    pub fn open(folder: &Path, http: reqwest::Client, identity: Identity) -> anyhow::Result<Self> {
        std::fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
        for entry in std::fs::read_dir(folder)?.flatten() {
            let path = entry.path();
            let is_part = path.extension().is_some_and(|extension| extension == PART);
            let is_old = entry
                .metadata()
                .and_then(|meta| meta.modified())
                .is_ok_and(|at| SystemTime::now().duration_since(at).is_ok_and(|age| age > KEPT));
            if is_part || is_old {
                // Only to save space.
                let _ = std::fs::remove_file(path);
            }
        }
        Ok(Self { folder: folder.to_owned(), http, identity, fetching: Mutex::default() })
    }

    /// The file on this machine; downloaded if necessary, and verified.
    ///
    /// # Errors
    /// The console does not provide it, its checksum is wrong, or the disk is full.
    pub async fn get(&self, file: &FileRef) -> anyhow::Result<tokio::fs::File> {
        ensure!(file.sha256.len() == 64 && file.sha256.bytes().all(|b| b.is_ascii_hexdigit()), "a bad checksum");
        let path = self.folder.join(&file.sha256);
        let turn = Arc::clone(self.fetching.lock().entry(file.sha256.clone()).or_default());
        let _turn = turn.lock().await;
        if tokio::fs::metadata(&path).await.is_ok_and(|meta| meta.len() == file.size) {
            return Ok(tokio::fs::File::open(&path).await?);
        }
        let part = path.with_extension(PART);
        let fetched = self.fetch(file, &part).await;
        if fetched.is_err() {
            // A partial file is useless.
            let _ = tokio::fs::remove_file(&part).await;
        }
        fetched?;
        tokio::fs::rename(&part, &path).await?;
        Ok(tokio::fs::File::open(&path).await?)
    }

    async fn fetch(&self, file: &FileRef, to: &Path) -> anyhow::Result<()> {
        let path = format!("/agent/v1/files/{}", file.id);
        let mut answer = self.ask(&path, |url| self.http.get(url)).await?;
        ensure!(answer.status().is_success(), "the console answers {} for the file {}", answer.status(), file.name);
        let mut target = tokio::fs::File::create(to).await?;
        let (mut sum, mut size) = (digest::Context::new(&digest::SHA256), 0u64);
        while let Some(piece) = answer.chunk().await.context("the file transfer was interrupted")? {
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
            "checksum mismatch for file {}",
            file.name
        );
        Ok(())
    }

    /// Uploads a file from a card.
    ///
    /// # Errors
    /// The console refuses it.
    pub async fn send(&self, key: Key, bytes: Vec<u8>) -> anyhow::Result<()> {
        let path = format!("/agent/v1/tasks/{}/{}/file", key.task, key.attempt);
        let put = |url: Url| self.http.put(url).timeout(Duration::from_mins(2)).body(bytes.clone());
        let answer = self.ask(&path, put).await.context("the console cannot be reached")?;
        ensure!(answer.status().is_success(), "the console answers {}", answer.status());
        Ok(())
    }

    /// What a try of a step needs to work with a repository. It is in no file here.
    ///
    /// # Errors
    /// The console refuses it, or cannot be reached.
    pub async fn keys(&self, key: Key) -> anyhow::Result<CopyKeys> {
        let path = format!("/agent/v1/tasks/phone/{}/{}/keys", key.task, key.attempt);
        let get = |url: Url| self.http.get(url).timeout(Duration::from_secs(30));
        let answer = self.ask(&path, get).await.context("the console cannot be reached")?;
        ensure!(answer.status().is_success(), "the console answers {} for the keys", answer.status());
        answer.json().await.context("the console's keys cannot be read")
    }

    /// Tells what was found before the result of a step is.
    ///
    /// # Errors
    /// The console refuses it, or cannot be reached.
    pub async fn put_paper(&self, key: Key, paper: &Paper) -> anyhow::Result<()> {
        let bytes = serde_json::to_vec(paper)?;
        ensure!(bytes.len() <= MAX_PAPER, "what is to be told is {} bytes", bytes.len());
        let path = format!("/agent/v1/tasks/phone/{}/{}/paper", key.task, key.attempt);
        let put = |url: Url| self.http.put(url).timeout(Duration::from_mins(2)).body(bytes.clone());
        let answer = self.ask(&path, put).await.context("the console cannot be reached")?;
        ensure!(answer.status().is_success(), "the console answers {}", answer.status());
        Ok(())
    }

    /// Sends a request, and repeats it while the console cannot be reached or is on standby: another one may be taking
    /// over. One that is busy says when to come back.
    async fn ask(&self, path: &str, request: impl Fn(Url) -> RequestBuilder) -> anyhow::Result<Response> {
        let mut wait = SHORTEST;
        for _ in 1..TRIES {
            let mut pause = wait.mul_f64(rand::random());
            if let Ok(answer) = self.ask_once(path, &request).await {
                match answer.status() {
                    StatusCode::SERVICE_UNAVAILABLE => {}
                    StatusCode::TOO_MANY_REQUESTS if let Some(after) = come_back(&answer) => pause += after,
                    _ => return Ok(answer),
                }
            }
            tokio::time::sleep(pause).await;
            wait *= 2;
        }
        self.ask_once(path, &request).await
    }

    async fn ask_once(&self, path: &str, request: impl Fn(Url) -> RequestBuilder) -> anyhow::Result<Response> {
        let url = self.identity.consoles.current().join(path)?;
        Ok(request(url).bearer_auth(&self.identity.credential).send().await?)
    }
}

/// In how long the console wants to be asked again; a refusal for good does not say so.
fn come_back(answer: &Response) -> Option<Duration> {
    let seconds = answer.headers().get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds).min(LONGEST))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::AsyncReadExt as _;
    use tokio::net::TcpListener;

    use super::*;
    use crate::consoles::Consoles;

    /// Files of an agent whose console gives these answers, one a connection; and how many it has given.
    async fn answered(folder: &Path, answers: Vec<&'static str>) -> anyhow::Result<(Files, Arc<AtomicUsize>)> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let consoles = Consoles::new(vec![format!("http://{}", listener.local_addr()?).parse()?]).context("one")?;
        let given = Arc::new(AtomicUsize::default());
        let counted = Arc::clone(&given);
        tokio::spawn(async move {
            for answer in answers {
                let (mut stream, _) = listener.accept().await?;
                let mut asked = [0; 4096];
                _ = stream.read(&mut asked).await?;
                counted.fetch_add(1, Ordering::Relaxed);
                stream.write_all(format!("HTTP/1.1 {answer}\r\nConnection: close\r\n\r\n").as_bytes()).await?;
            }
            anyhow::Ok(())
        });
        let identity = Identity { consoles, agent: 1, room: 1, credential: String::new() };
        Ok((Files::open(folder, reqwest::Client::new(), identity)?, given))
    }

    #[tokio::test]
    async fn a_busy_console_is_asked_again_when_it_says_and_a_refusal_is_not() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let busy = "429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0";
        let taken = "204 No Content";
        let key = Key::operation(1, 1);
        let (files, given) = answered(folder.path(), vec![busy, busy, taken]).await?;
        files.send(key, b"a picture".to_vec()).await?;
        assert_eq!(given.load(Ordering::Relaxed), 3);
        let (files, given) = answered(folder.path(), vec!["429 Too Many Requests\r\nContent-Length: 0", taken]).await?;
        assert!(files.send(key, b"a picture".to_vec()).await.is_err(), "its quota is used up");
        assert_eq!(given.load(Ordering::Relaxed), 1);
        Ok(())
    }

    #[test]
    fn what_a_killed_agent_had_begun_to_fetch_goes_at_its_start_and_what_is_whole_stays() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let (whole, part) = (folder.path().join("ab12"), folder.path().join("cd34.part"));
        std::fs::write(&whole, "whole")?;
        std::fs::write(&part, "ha")?;
        let consoles = Consoles::new(vec!["http://console.example".parse()?]).context("one console")?;
        let identity = Identity { consoles, agent: 1, room: 1, credential: String::new() };
        Files::open(folder.path(), reqwest::Client::new(), identity)?;
        assert!(whole.exists() && !part.exists());
        Ok(())
    }
}
