//! Who is told at which cards a crowd uses phones: nothing that a crowd does depends on it. A simulated room has the app that
//! is used write more.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use reqwest::header::CONTENT_TYPE;
use reqwest::redirect::Policy;
use serde_json::json;
use tokio::sync::mpsc;
use url::Url;

/// A switchboard answers in this time.
const ANSWER: Duration = Duration::from_secs(5);

/// What a [`Watcher`] is told: the address of a card within its room, and whether somebody uses a phone there from now on.
type Hears = dyn Fn(&str, bool) + Send + Sync;

/// Hears of each card whether somebody uses a phone there.
#[derive(Clone)]
pub struct Watcher(Arc<Hears>);

impl fmt::Debug for Watcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Watcher")
    }
}

impl Watcher {
    pub fn new(hears: impl Fn(&str, bool) + Send + Sync + 'static) -> Self {
        Self(Arc::new(hears))
    }

    pub(crate) fn tell(&self, card: &str, is_used: bool) {
        (self.0)(card, is_used);
    }

    /// The switchboard of a simulated room.
    ///
    /// # Errors
    /// It does not answer, or is none.
    pub async fn at(switchboard: &Url) -> anyhow::Result<Self> {
        let there = || format!("the switchboard at {switchboard}");
        let http = reqwest::Client::builder().no_proxy().redirect(Policy::none()).timeout(ANSWER).build();
        let http = http.context("the HTTP client")?;
        let (room, used) = (switchboard.join("/room")?, switchboard.join("/used")?);
        let seen = http.get(room).send().await.with_context(there)?;
        ensure!(seen.status().is_success(), "{} answers {}", there(), seen.status());
        let (told, mut hears) = mpsc::unbounded_channel::<(String, bool)>();
        // One after the other, in the order in which they are told.
        tokio::spawn(async move {
            while let Some((address, is_used)) = hears.recv().await {
                let body = json!({ "address": address, "used": is_used }).to_string();
                let said = http.post(used.clone()).header(CONTENT_TYPE, "application/json").body(body);
                // What is not heard changes only how much an app writes.
                _ = said.send().await;
            }
        });
        Ok(Self::new(move |card, is_used| _ = told.send((card.to_owned(), is_used))))
    }
}
