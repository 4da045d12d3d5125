//! Refused joins: how many attempts an address has, and how refusals are logged. The first refusal of a token is logged
//! at once; those that follow within some minutes are counted and combined into one entry.

use std::collections::HashMap;
use std::collections::hash_map::Entry as Slot;
use std::net::IpAddr;
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use base::http::connections::network;
use base::pace::Pace;
use db::journal::Entry;
use entity::JoinTokenId;
use kernel::time::UtcTime;
use parking_lot::Mutex;

use super::join::JoinRefusal;

/// Refusals a minute from one address.
const PER_MINUTE: u32 = 10;
/// Refusals of the same token within this time are one entry.
const WINDOW_S: i64 = 600;

/// State about refused joins.
#[derive(Debug)]
pub struct Joins {
    pace: Pace<IpAddr>,
    /// By token; none for those that were never issued.
    refused: Mutex<HashMap<Option<JoinTokenId>, Refused>>,
}

#[derive(Debug)]
struct Refused {
    since: UtcTime,
    /// Further refusals after the first, which was logged.
    more: u64,
}

impl Default for Joins {
    fn default() -> Self {
        Self { pace: Pace::per_minute(PER_MINUTE), refused: Mutex::default() }
    }
}

impl Joins {
    /// Whether an address has been refused too often to be accepted now.
    #[must_use]
    pub fn is_over(&self, ip: IpAddr, now: UtcTime) -> bool {
        self.pace.is_over(&network(ip), now)
    }

    /// Records a refusal. Returns whether it is the first of its kind for a while.
    fn note(&self, token: Option<JoinTokenId>, now: UtcTime) -> bool {
        match self.refused.lock().entry(token) {
            Slot::Occupied(mut slot) => {
                slot.get_mut().more += 1;
                false
            }
            Slot::Vacant(slot) => {
                slot.insert(Refused { since: now, more: 0 });
                true
            }
        }
    }

    /// Takes out entries that are old enough: how many further refusals there were of each.
    fn take_over(&self, now: UtcTime) -> Vec<(Option<JoinTokenId>, u64)> {
        let over = |refused: &Refused| now.seconds_since(refused.since) >= WINDOW_S;
        let taken = self.refused.lock().extract_if(|_, refused| over(refused)).collect::<Vec<_>>();
        taken.into_iter().map(|(token, refused)| (token, refused.more)).collect()
    }
}

/// Records that a join was refused.
///
/// # Errors
/// When the log cannot be written.
pub async fn refuse(app: &App, ip: IpAddr, token: Option<JoinTokenId>, name: &str, why: JoinRefusal) -> Outcome<()> {
    let now = app.clock.now();
    metrics::counter!("skyrack_agent_joins_refused_total", "reason" => why.label()).increment(1);
    app.part::<Joins>().pace.count(network(ip), now);
    tell_refused(app).await?;
    if !app.part::<Joins>().note(token, now) {
        return Ok(());
    }
    let message = format!("refused: the token is {}", why.word());
    let line = Entry { ip: ip.to_string(), object_name: name.chars().take(64).collect(), message, ..line(now) };
    record(app, line).await?;
    let later = app.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(WINDOW_S.unsigned_abs() + 1)).await;
        if let Err(fault) = tell_refused(&later).await {
            tracing::warn!(?fault, "could not log refused joins");
        }
    });
    Ok(())
}

/// Writes one log entry for each token with the number of further refusals since the first.
///
/// # Errors
/// When the log cannot be written.
pub async fn tell_refused(app: &App) -> Outcome<()> {
    let now = app.clock.now();
    for (token, more) in app.part::<Joins>().take_over(now) {
        if more == 0 {
            continue;
        }
        tracing::warn!(token = token.map(|id| id.0), more, "agent joins were refused");
        let message = format!("refused: {more} more within {} minutes", WINDOW_S / 60);
        let name = token.map(|id| format!("token {id}")).unwrap_or_default();
        record(app, Entry { object_name: name, message, ..line(now) }).await?;
    }
    Ok(())
}

fn line(now: UtcTime) -> Entry {
    Entry {
        at: now,
        operator_name: "room agent".to_owned(),
        action: "room_agent_enrol".to_owned(),
        object_kind: "roomAgent".to_owned(),
        status: 4003,
        ..Entry::default()
    }
}

async fn record(app: &App, entry: Entry) -> Outcome<()> {
    let mut tx = app.db.begin_write().await?;
    tx.record(entry);
    tx.commit().await?;
    Ok(())
}
