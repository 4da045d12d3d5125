//! Renews the leases of runs, tells them to end, reclaims orphaned tasks, and publishes events.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Instant;

use db::sql::statement;
use sea_orm::{ConnectionTrait as _, DbErr};
use tokio_util::sync::CancellationToken;

use super::{Runs, Settings, finish};
use crate::ctx::Run;
use crate::job::Stop;
use crate::queue::Queue;
use crate::store;
use crate::task::TaskId;

/// Runs until it is told to stop.
pub(super) async fn keep_loop(queue: Queue, settings: Settings, runs: Runs, stop: CancellationToken) {
    let mut last_beat = Instant::now();
    loop {
        let next_beat = settings.heartbeat.saturating_sub(last_beat.elapsed());
        tokio::select! {
            () = stop.cancelled() => return,
            () = queue.keeper().notified() => {}
            () = tokio::time::sleep(next_beat) => {}
        }
        let is_beat = last_beat.elapsed() >= settings.heartbeat;
        if is_beat {
            last_beat = Instant::now();
        }
        if let Err(error) = keep(&queue, &runs, is_beat).await {
            tracing::warn!(%error, "could not renew task leases");
        }
    }
}

/// One round. Between heartbeats only changed runs are considered.
async fn keep(queue: &Queue, runs: &Runs, is_beat: bool) -> Result<(), DbErr> {
    let news = queue.take_news();
    let mut ours: Vec<Arc<Run>> = runs.lock().values().cloned().collect();
    if !is_beat {
        let changed: HashSet<&TaskId> = news.iter().collect();
        ours.retain(|run| changed.contains(&run.id));
    }
    let has_orphans = is_beat && has_orphans(queue).await?;
    if news.is_empty() && ours.is_empty() && !has_orphans {
        return Ok(());
    }

    let tx = queue.db().begin_write().await?;
    let mut alive = Vec::with_capacity(ours.len());
    for chunk in ours.chunks(store::BATCH) {
        alive.extend(store::heartbeat(&tx, chunk.iter(), queue.lease_until()).await?);
    }
    let mut changed = news;
    if has_orphans {
        let now = queue.now();
        let taken_back = store::recover(&tx, now, now, &finish::lost().to_json()).await?;
        tracing::info!(tasks = taken_back.len(), "reclaimed tasks of a runner that died");
        changed.extend(taken_back.into_iter().map(|(id, _)| id));
    }
    let events = store::events(&tx, &changed).await?;
    tx.commit().await?;

    if has_orphans {
        queue.has_work(Vec::new());
    }
    for event in events {
        queue.publish(event);
    }
    for run in ours {
        let found = alive.iter().find(|(id, attempt, _)| *id == run.id && *attempt == run.attempt);
        match found {
            Some((.., false)) => {}
            Some((.., true)) => run.stop(Stop::Cancelled),
            // Also a run that has just ended, which no longer listens.
            None => run.stop(Stop::Lost),
        }
    }
    Ok(())
}

async fn has_orphans(queue: &Queue) -> Result<bool, DbErr> {
    let text = "SELECT 1 AS one FROM task WHERE state = 2 AND lease_until < $1 LIMIT 1";
    let found =
        queue.db().read().query_one_raw(statement(queue.db().backend(), text, [queue.now().millis().into()])).await?;
    Ok(found.is_some())
}
