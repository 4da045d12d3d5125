//! The health of the database from its users' point of view.
//!
//! The lane reports when it could not write and when it can again. On PostgreSQL a probe runs as well, every second and
//! whenever a writer met a broken connection, so that callers are refused at once instead of waiting for a pool that
//! will not get a connection.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sea_orm::{DbErr, RuntimeErr};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};
use tokio::sync::{Notify, watch};

use crate::trouble::Trouble;

/// Interval of probing a database that responds, and one that does not.
const BEAT: Duration = Duration::from_secs(1);
const SEARCH: Duration = Duration::from_millis(200);
/// A database that has not responded for this long is considered lost.
pub(crate) const PATIENCE: Duration = Duration::from_secs(3);
/// A pooled connection that was idle for this long is checked before it is used. No database restarts within it, and
/// under load hardly any connection rests so long.
const RESTED: Duration = Duration::from_millis(50);
/// A read that somebody waits for takes no longer, unless its connection is one that the other side has forgotten: there
/// nothing is ever answered, and TCP waits a quarter of an hour before it says so.
const READ: Duration = Duration::from_secs(15);

/// The known state of the database.
#[derive(Debug)]
pub struct Health {
    /// It cannot be reached.
    lost: watch::Sender<bool>,
    /// Why the last write failed, if the cause is the machine or the database.
    storage: Mutex<Option<Trouble>>,
    /// When it was reachable again, or a connection was found forgotten: those opened before are useless.
    found_again: Mutex<Option<Instant>>,
    /// Somebody met a broken connection.
    doubt: Notify,
    /// Nobody is served from it yet: a failing disk is the error of a call, and no reason to end the process.
    is_aside: AtomicBool,
}

impl Default for Health {
    fn default() -> Self {
        Self {
            lost: watch::Sender::new(false),
            storage: Mutex::default(),
            found_again: Mutex::default(),
            doubt: Notify::new(),
            is_aside: AtomicBool::new(false),
        }
    }
}

impl Health {
    /// The current trouble, if any.
    #[must_use]
    pub fn trouble(&self) -> Option<Trouble> {
        if *self.lost.borrow() { Some(Trouble::Lost) } else { *self.storage.lock() }
    }

    pub(crate) fn set_aside(&self) {
        self.is_aside.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_aside(&self) -> bool {
        self.is_aside.load(Ordering::Relaxed)
    }

    /// Completes when the database cannot be reached; at once if it is already lost.
    pub async fn lost(&self) {
        // The sender lives in `self`, so that waiting cannot fail.
        _ = self.lost.subscribe().wait_for(|lost| *lost).await;
    }

    /// Runs `work` until the database is lost.
    pub(crate) async fn unless_lost<T, E: From<DbErr>>(
        &self,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        tokio::select! {
            biased;
            outcome = work => outcome,
            () = self.lost() => Err(DbErr::Conn(RuntimeErr::Internal("the database was lost".to_owned())).into()),
        }
    }

    /// A write failed.
    pub(crate) fn note(&self, error: &DbErr) {
        match Trouble::of(error) {
            Some(Trouble::Lost | Trouble::InDoubt) => self.doubt(),
            Some(trouble @ (Trouble::DiskFull | Trouble::DiskFails | Trouble::ReadOnly)) => {
                *self.storage.lock() = Some(trouble)
            }
            // They say nothing about the next write.
            Some(Trouble::Busy | Trouble::Undone) | None => {}
        }
    }

    /// Somebody met a broken connection.
    pub(crate) fn doubt(&self) {
        self.doubt.notify_one();
    }

    /// A write is on disk.
    pub(crate) fn wrote(&self) {
        *self.storage.lock() = None;
    }

    fn set_lost(&self, is_lost: bool) {
        let changed = self.lost.send_if_modified(|lost| std::mem::replace(lost, is_lost) != is_lost);
        match (changed, is_lost) {
            (true, true) => tracing::error!("the database is unreachable; requests are refused until it responds"),
            (true, false) => {
                *self.found_again.lock() = Some(Instant::now());
                tracing::info!("the database is reachable again");
            }
            (false, _) => {}
        }
    }

    /// Does a read that somebody waits for; it fails as [`Trouble::Lost`] when nothing answers for too long.
    ///
    /// # Errors
    /// Those of `work`, and that one.
    pub async fn in_time<T, E: From<DbErr>>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        self.within(READ, work).await
    }

    /// The same for work that may take so long.
    pub(crate) async fn within<T, E: From<DbErr>>(
        &self,
        patience: Duration,
        work: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        let silent = || DbErr::Conn(RuntimeErr::Internal("the database does not answer".to_owned())).into();
        tokio::time::timeout(patience, work).await.unwrap_or_else(|_| Err(silent()))
    }

    /// Whether a connection that is `age` old is one of before an outage.
    fn is_of_before(&self, age: Duration) -> bool {
        self.found_again.lock().is_some_and(|at| age > at.elapsed())
    }

    /// Whether a pooled connection that is `age` old and was idle for `idle` can still be used.
    pub(crate) async fn is_usable(&self, conn: &mut PgConnection, age: Duration, idle: Duration) -> bool {
        if self.is_of_before(age) {
            return false;
        }
        if idle < RESTED {
            return true;
        }
        let Ok(answer) = tokio::time::timeout(BEAT, conn.ping()).await else {
            // The others of that time lead to the same place: to ask them one by one takes as long for each.
            *self.found_again.lock() = Some(Instant::now());
            self.doubt.notify_one();
            return false;
        };
        answer.is_ok()
    }
}

/// Probes the database, as long as somebody holds its health.
pub(crate) async fn ask(options: PgConnectOptions, health: Weak<Health>) {
    let mut conn = None;
    let mut pause = BEAT;
    loop {
        let Some(known) = health.upgrade() else { return };
        // The time-out bounds how long `known` keeps the value alive.
        _ = tokio::time::timeout(pause, known.doubt.notified()).await;
        let answered = tokio::time::timeout(PATIENCE, answers(&mut conn, &options, &known)).await.unwrap_or(false);
        if !answered {
            conn = None;
        }
        known.set_lost(!answered);
        pause = if answered { BEAT } else { SEARCH };
    }
}

async fn answers(conn: &mut Option<PgConnection>, options: &PgConnectOptions, health: &Health) -> bool {
    let mut broke = false;
    if let Some(kept) = conn {
        if kept.ping().await.is_ok() {
            return true;
        }
        // One connection may be ended without the database being gone.
        *conn = None;
        broke = true;
    }
    match options.connect().await {
        Ok(new) => {
            *conn = Some(new);
            if broke {
                // It may have restarted between two looks: then the others are broken as well.
                *health.found_again.lock() = Some(Instant::now());
            }
            true
        }
        // It refuses this connection, but it is there: there may be too many.
        Err(sqlx::Error::Database(error)) => !error.code().is_some_and(|code| code.starts_with("57P0")),
        Err(_) => false,
    }
}

/// Starts probing, if the engine is one that can be lost.
pub(crate) fn watch(options: &PgConnectOptions, health: &Arc<Health>) {
    tokio::spawn(ask(options.clone(), Arc::downgrade(health)));
}
