//! Calls on their way into the log. A call costs no transaction: those of a second share one.
//!
//! What is not written when the process is killed is lost: the log is for people who look what their program did, and proves
//! nothing. What it counts is limited in memory meanwhile (`limits`).

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::time::Duration;

use base::app::App;
use base::fault::Outcome;
use base::pace::Pace;
use db::{WriteTx, sql};
use entity::{OpenAppId, OpenKeyId};
use kernel::time::UtcTime;
use parking_lot::Mutex;
use sea_orm::{ConnectionTrait as _, DbErr, Value};
use tokio_util::sync::CancellationToken;

use super::prune::overflow;
use super::{CALLS, place};
use crate::limits::Limits;

/// How often what was noted is written.
const BEAT: Duration = Duration::from_secs(1);
/// Calls that wait at most; while the database does not take them, later ones are not noted.
const MOST: usize = 50_000;
/// Calls in one transaction, which others wait for.
const BATCH: usize = 1000;
/// Rows in one statement.
const ROWS: usize = 500;
const COLUMNS: usize = 9;
/// Refused calls of an application that are noted in a minute: anybody who knows the name of a key may send them.
const REFUSED_A_MINUTE: u32 = 600;
const MINUTE: i64 = 60_000;

/// A call, as it is noted.
#[derive(Clone, Debug)]
pub struct Call {
    pub app: OpenAppId,
    pub key_id: OpenKeyId,
    pub key: String,
    pub method: String,
    /// As the document has it, with `{id}`.
    pub path: &'static str,
    /// Of HTTP.
    pub status: i16,
    /// Why it was refused; empty if it was not.
    pub code: Cow<'static, str>,
    pub millis: i32,
    pub ip: IpAddr,
    pub at: UtcTime,
    /// It passed the guard: it counts, and its key was used.
    pub is_let_in: bool,
}

/// Calls that wait to be written.
#[derive(Debug)]
pub struct CallLog {
    waiting: Mutex<Vec<Call>>,
    refused: Pace<OpenAppId>,
}

impl Default for CallLog {
    fn default() -> Self {
        Self { waiting: Mutex::default(), refused: Pace::per_minute(REFUSED_A_MINUTE) }
    }
}

/// Notes a call. Nothing waits for it.
pub fn note(app: &App, call: Call) {
    let log = app.part::<CallLog>();
    let is_too_many = !call.is_let_in && log.refused.admit(call.app, app.clock.now()).is_err();
    let mut waiting = log.waiting.lock();
    if is_too_many || waiting.len() >= MOST {
        metrics::counter!("skyrack_open_calls_not_logged_total").increment(1);
        return;
    }
    waiting.push(call);
}

/// Writes what was noted, once a second, and a last time when it is told to stop.
pub async fn keep(app: App, stop: CancellationToken) {
    loop {
        let is_last = tokio::select! {
            () = stop.cancelled() => true,
            () = tokio::time::sleep(BEAT) => false,
        };
        if let Err(fault) = flush(&app).await {
            tracing::error!(?fault, "calls of the Open API could not be written to their log; they are kept");
        }
        if is_last {
            return;
        }
    }
}

/// Writes what was noted.
///
/// # Errors
/// When the database refuses; then it stays noted.
pub async fn flush(app: &App) -> Outcome<()> {
    loop {
        let some: Vec<Call> = {
            let mut waiting = app.part::<CallLog>().waiting.lock();
            let count = waiting.len().min(BATCH);
            waiting.drain(..count).collect()
        };
        if some.is_empty() {
            return Ok(());
        }
        let count = some.len();
        if let Err(error) = write(app, &some).await {
            let mut waiting = app.part::<CallLog>().waiting.lock();
            let later = std::mem::replace(&mut *waiting, some);
            waiting.extend(later);
            return Err(error.into());
        }
        // As many go as come, where there is no more room for them; the rest goes by the hour.
        if count == BATCH {
            overflow(app).await?;
        }
    }
}

async fn write(app: &App, calls: &[Call]) -> Result<(), DbErr> {
    let mut tx = app.db.begin_write().await?;
    for group in calls.chunks(ROWS) {
        insert(&mut tx, group).await?;
    }
    let mut counted: BTreeMap<OpenAppId, i64> = BTreeMap::new();
    let mut used: BTreeMap<OpenKeyId, i64> = BTreeMap::new();
    for call in calls.iter().filter(|call| call.is_let_in) {
        *counted.entry(call.app).or_default() += 1;
        let minute = call.at.millis().div_euclid(MINUTE) * MINUTE;
        let latest = used.entry(call.key_id).or_default();
        *latest = minute.max(*latest);
    }
    let backend = tx.get_database_backend();
    for (id, calls) in counted {
        // It is of this moment, which may be ahead of these calls: whoever starts again goes on from the larger one.
        let (day, in_day) = app.part::<Limits>().day_of(id).unwrap_or_default();
        let text = "UPDATE open_app SET calls = calls + $1, day = $2, day_calls = $3 WHERE id = $4";
        tx.execute_raw(sql::statement(backend, text, [calls.into(), day.into(), in_day.into(), id.0.into()])).await?;
    }
    for (id, minute) in used {
        let text = "UPDATE open_key SET last_used_at = $1 WHERE id = $2 AND COALESCE(last_used_at, 0) < $3";
        tx.execute_raw(sql::statement(backend, text, [minute.into(), id.0.into(), minute.into()])).await?;
    }
    tx.commit().await
}

async fn insert(tx: &mut WriteTx, calls: &[Call]) -> Result<(), DbErr> {
    let text = format!(
        "INSERT INTO open_call (app_id, key_code, method, path, status, code, millis, ip, at) VALUES {} RETURNING id, app_id, status",
        sql::value_groups(calls.len(), COLUMNS)
    );
    let values = calls.iter().flat_map(|call| -> [Value; COLUMNS] {
        [
            call.app.0.into(),
            call.key.as_str().into(),
            call.method.as_str().into(),
            call.path.into(),
            call.status.into(),
            (&*call.code).into(),
            call.millis.into(),
            call.ip.to_string().into(),
            call.at.millis().into(),
        ]
    });
    let backend = tx.get_database_backend();
    for made in tx.query_all_raw(sql::statement(backend, text, values)).await? {
        let (id, app, status): (i64, i64, i16) =
            (made.try_get_by_index(0)?, made.try_get_by_index(1)?, made.try_get_by_index(2)?);
        tx.counts().moved(CALLS.list, None, Some(place(id, OpenAppId(app), status)));
    }
    Ok(())
}
